"""Submissions per second of the whole path, beside a bare one-row insert on the same server.

Run with ``make bench``. Both views are served by the same gunicorn over the same SQLite database,
in turns, so that the ratio holds whatever else the machine is doing.
"""

import argparse
import http.client
import os
import re
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.questionnaire.kinds.question import Question

CLIENTS = 4


@dataclass(frozen=True)
class Target:
    """A page to post to; ``body`` makes a fresh body for every request."""

    path: str
    body: Callable[[], bytes]


@dataclass(frozen=True)
class Round:
    """What one round measured: requests per second, and each request's seconds."""

    rate: float
    latencies: list[float]


def main() -> None:
    """Measure and print."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as directory:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="benchmarks.settings",
            DENIABLE_DATA_DIR=directory,
            DENIABLE_HTTPS="off",
            DENIABLE_SUBMISSIONS_PER_HOUR="0",
        )
        survey = _prepare(is_sixty=arguments.sixty)
        bare = Target("/bare/", lambda: b"x=" + secrets.token_hex(16).encode())
        with _server(arguments.workers) as port:
            _measure(port, [survey, bare], requests=100)
            rounds = [
                _measure(port, [survey, bare], requests=arguments.requests)
                for _ in range(arguments.rounds)
            ]
    _report(rounds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=1000, help="per round and view")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sixty", action="store_true", help="a survey of sixty questions")
    return parser.parse_args()


def _prepare(*, is_sixty: bool) -> Target:
    """An empty database with one open survey: the demonstration's, or that of sixty questions."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = User.objects.create_user("bench", is_staff=True)
    return _sixty(owner) if is_sixty else _affairs(owner)


def _sixty(owner: "User") -> Target:
    """Every kind of question that one page can hold, rules, families and arms."""
    from django.urls import reverse

    from tests.sixty import make_sixty, random_bodies

    survey = make_sixty(owner)
    (body,) = random_bodies(survey, 1)
    before, _, after = re.split(rb"(?<=key=)([0-9a-f]{32})", body)
    return Target(
        reverse("respondent:send", args=[survey.pk]),
        lambda: before + secrets.token_hex(16).encode() + after,
    )


def _affairs(owner: "User") -> Target:
    """The demonstration's survey."""
    from django.urls import reverse

    from surveys.demonstration.affairs import open_affairs_survey
    from surveys.models.queries import questionnaire_of
    from surveys.questionnaire.kinds.question import field_name

    survey = open_affairs_survey(owner, planned_responses=1)
    items = questionnaire_of(survey.revision).items
    codes = [_code(item) for item in items]
    answers = "".join(f"&{field_name(place)}={code}" for place, code in enumerate(codes))
    start = f"revision={survey.revision.pk}&key="
    return Target(
        reverse("respondent:send", args=[survey.pk]),
        lambda: f"{start}{secrets.token_hex(16)}&path=browser{answers}".encode(),
    )


def _code(item: "Question") -> str:
    """The last level of a question; a number; a text of a few words."""
    from surveys.questionnaire.kinds.levels import Leveled
    from surveys.questionnaire.kinds.text import TextQuestion

    if isinstance(item, TextQuestion):
        return item.encode("A few words, as people write them.")
    return item.levels[-1].code if isinstance(item, Leveled) else "01.0"


@contextmanager
def _server(workers: int) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [
        sys.executable, "-m", "gunicorn", "-c", "config/server.py", "--workers", str(workers),
        "--bind", f"127.0.0.1:{port}", "config.wsgi",
    ]  # fmt: skip
    process = subprocess.Popen(command)
    try:
        _wait(port)
        yield port
    finally:
        process.terminate()
        process.wait()


def _wait(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("The server did not start.")


def _measure(port: int, targets: list[Target], *, requests: int) -> list[Round]:
    return [_post_many(port, target, requests) for target in targets]


def _post_many(port: int, target: Target, requests: int) -> Round:
    latencies: list[float] = []
    share = requests // CLIENTS
    threads = [
        threading.Thread(target=_client, args=(port, target, share, latencies))
        for _ in range(CLIENTS)
    ]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(latencies) != share * CLIENTS:
        raise SystemExit(f"{target.path}: some requests were refused.")
    return Round(len(latencies) / (time.perf_counter() - start), latencies)


def _client(port: int, target: Target, requests: int, latencies: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Sec-Fetch-Site": "same-origin",
    }
    for _ in range(requests):
        start = time.perf_counter()
        connection.request("POST", target.path, target.body(), headers)
        reply = connection.getresponse()
        reply.read()
        if reply.status == 200:
            latencies.append(time.perf_counter() - start)


def _report(rounds: list[list[Round]]) -> None:
    ratio = statistics.median(survey.rate / bare.rate for survey, bare in rounds)
    for name, place in (("submissions", 0), ("bare inserts", 1)):
        rate = statistics.median(both[place].rate for both in rounds)
        slowest = [seconds for both in rounds for seconds in both[place].latencies]
        p95 = statistics.quantiles(slowest, n=20)[-1] * 1000
        print(f"{name:<13} {rate:8.0f} per second, p95 {p95:6.1f} ms")
    print(f"ratio         {ratio:8.2f} (aim: at least 0.5; median of {len(rounds)} rounds)")


if __name__ == "__main__":
    main()
