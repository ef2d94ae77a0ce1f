"""What a visit costs the server: start page, its files, one submission, as a browser asks for them.

Run: ``python -m benchmarks.visit [--database postgresql]``. Surveys of one, twenty and sixty
questions, each beside a file with the bytes of its start page, served by the same server in the
same rounds, so that the ratio holds also if the machine has other work. What counts is the
processor time of the server and of the database, flushes included. A browser keeps the files of a
page for a year, so that a visit is given with and without them.
"""

import argparse
import http.client
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machines import Gunicorn, Postgresql, Sqlite
from benchmarks.sites import DATABASES, make_owner, site
from benchmarks.submit import BATCH, PEOPLE, Target, measure, processes_of, processor_seconds

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Survey

SIZES = (1, 20, 60)  # questions
MOST_RATIO, MOST_VISIT = 1.5, 3.0  # start page by a file of its size; ms of a visit without files
LOADED = re.compile(rb'(?:src|href)="(/static/[^"]+\.(?:js|css|svg))"')
HEADERS = {"Accept-Encoding": "gzip, deflate, br"}  # as a browser asks for a page or its files


@dataclass(frozen=True)
class Visit:
    """What is asked for by a visitor to a survey of so many questions, and a file beside it."""

    questions: int
    page: str
    files: Sequence[str]
    beside: str
    page_bytes: int
    target: Target


@dataclass(frozen=True)
class Spent:
    """Processor ms of one visit's parts, and of the file beside the page."""

    page: float
    beside: float
    files: float
    submission: float

    @property
    def visit(self) -> float:
        """Without the files, which a browser keeps."""
        return self.page + self.submission


def main() -> None:
    """Measure and print; or, as the process of the visitors, ask."""
    arguments = _arguments()
    if arguments.ask:
        _ask(arguments.ask, json.load(sys.stdin), arguments.requests)
        return
    settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.settings", "DENIABLE_BEHIND_PROXY": "on"}
    with site(arguments.database, **settings) as here:
        owner = make_owner()
        visits = [_visit(owner, size) for size in arguments.questions]
        server = Gunicorn(here.directory / "server.log", workers=arguments.workers)
        try:
            rounds = [
                [_spent(server, here.database, visit, arguments.requests) for visit in visits]
                for _ in range(1 + arguments.rounds)
            ]
        finally:
            server.stop()
    # The first round, in which modules and plans are loaded, counts for nothing.
    _report(arguments.database, visits, list(zip(*rounds[1:], strict=True)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=500, help="per round and part")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--questions", type=int, nargs="+", choices=SIZES, default=SIZES)
    parser.add_argument("--ask", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- What is asked for --------------------------------------------------------------------------


def _visit(owner: "User", size: int) -> Visit:
    from django.conf import settings
    from django.urls import reverse

    survey, bodies = _sixty(owner) if size == max(SIZES) else _plain(owner, size)
    page = reverse("respondent:start", args=[survey.pk])
    content = _page(page)
    name = f"visit-{size}.txt"
    _write_beside(Path(settings.STATIC_ROOT) / name, content)
    return Visit(
        size,
        page,
        list(dict.fromkeys(path.decode() for path in LOADED.findall(content))),
        f"{settings.STATIC_URL}{name}",
        len(content),
        Target(reverse("respondent:send", args=[survey.pk]), [body.decode() for body in bodies]),
    )


def _plain(owner: "User", size: int) -> tuple["Survey", Sequence[bytes]]:
    """Questions with yes and no, each through two coins."""
    from tests.bodies import body_of
    from tests.factories import add_question, launched, make_survey

    draft = make_survey(owner, batch_size=BATCH)
    for number in range(size):
        add_question(draft, text=f"Have you ever done what question {number + 1} asks about?")
    survey = launched(draft)
    return survey, [body_of(survey.revision) for _ in range(PEOPLE)]


def _sixty(owner: "User") -> tuple["Survey", Sequence[bytes]]:
    """Nearly every kind of question, rules, families and arms; no rated items.

    With all its scripts the page could not draw these itself, and a page for which the server does
    is rendered for each visitor.
    """
    from surveys.models import Question
    from tests.factories import launched
    from tests.sixty import make_sixty_draft, random_bodies

    draft = make_sixty_draft(owner, batch_size=BATCH)
    draft.questions.filter(kind=Question.Kind.RATING).delete()
    survey = launched(draft)
    return survey, random_bodies(survey, PEOPLE)


def _page(address: str) -> bytes:
    from django.test import Client

    response = Client(headers={"host": "localhost"}).get(address)
    if response.status_code != 200:
        raise SystemExit(f"{address}: {response.status_code}")
    return response.content


def _write_beside(path: Path, content: bytes) -> None:
    """As static files are collected: plain, and compressed beside it."""
    from django.utils.text import compress_string

    path.write_bytes(content)
    path.with_name(f"{path.name}.gz").write_bytes(compress_string(content))


# ---- Asking, in a process of its own ------------------------------------------------------------


def _ask(port: int, paths: Sequence[str], requests: int) -> None:
    """One visitor after the other, each with a connection of their own for all that they ask."""
    for _ in range(requests):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for path in paths:
            connection.request("GET", path, headers=HEADERS)
            reply = connection.getresponse()
            if reply.status != 200 or not reply.read():
                raise SystemExit(f"{path}: {reply.status}")
        connection.close()


# ---- Measuring ----------------------------------------------------------------------------------


def _spent(server: Gunicorn, database: Sqlite | Postgresql, visit: Visit, requests: int) -> Spent:
    asked = [[visit.page], [visit.beside], visit.files]
    page, beside, files = (_asked(server, database, paths, requests) for paths in asked)
    return Spent(page, beside, files, measure(server, database, visit.target, requests).cost)


def _asked(
    server: Gunicorn, database: Sqlite | Postgresql, paths: Sequence[str], requests: int
) -> float:
    """Processor ms of one visitor who asks for these."""
    pids = [server.process.pid, *server.children(), *processes_of(database)]
    before = processor_seconds(pids)
    command = [sys.executable, "-m", "benchmarks.visit", "--ask", str(server.port)]
    subprocess.run(
        [*command, "--requests", str(requests)], input=json.dumps(list(paths)).encode(), check=True
    )
    return 1000 * (processor_seconds(pids) - before) / requests


def _report(database: str, visits: Sequence[Visit], rounds: Sequence[Sequence[Spent]]) -> None:
    for visit, spent in zip(visits, rounds, strict=True):
        page, beside, files, submission, both = (
            statistics.median(getattr(one, part) for one in spent)
            for part in ("page", "beside", "files", "submission", "visit")
        )
        ratio = statistics.median(one.page / one.beside for one in spent)
        print(
            f"{database}, {visit.questions:>2} questions ({visit.page_bytes / 1024:.0f} KiB): "
            f"start page {page:.2f} ms of CPU, {ratio:.2f} of a file's {beside:.2f} (wanted: at "
            f"most {MOST_RATIO}); submission {submission:.2f}; both {both:.2f} (wanted: at most "
            f"{MOST_VISIT:.0f}); the page's {len(visit.files)} files {files:.2f}"
        )


if __name__ == "__main__":
    main()
