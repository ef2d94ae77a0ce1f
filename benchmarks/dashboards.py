"""How long pages of results take of a survey with a million answers, beside one with a thousand.

Run: ``python -m benchmarks.dashboards [--responses 1000000] [--database postgresql]``. Answers are
written in bulk, as openings would have left them, and counted by what the migration uses. Then a
process of its own asks for the list of surveys, the dashboard, charts, break-downs and a
regression, in turns of the small and the large survey; last, others write files of all answers.
Printed are the wall clock and processor time, the database's own included, which depends less on
what else the machine does.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from benchmarks.machines import Postgresql, Sqlite

if TYPE_CHECKING:
    from surveys.models import Revision, Survey

DATABASES = {"sqlite": Sqlite, "postgresql": Postgresql}
SMALL, BLOCK = 1_000, 100_000
LONGEST_P95, LARGEST_RATIO = 0.2, 1.2
AGES = (18, 100)
LOADING = 2


def main() -> None:
    """Fill, then measure in a process whose memory is that of the pages alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--responses", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--pages", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.pages:
        _pages(json.loads(arguments.pages), arguments.requests)
        return
    if arguments.file:
        _export(*json.loads(arguments.file))
        return
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        database = DATABASES[arguments.database](Path(directory))
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings",
            DENIABLE_DATA_DIR=directory,
            DENIABLE_DATABASE_URL=database.url,
            DENIABLE_HTTPS="off",
            DENIABLE_REQUIRE_MFA="off",
        )
        try:
            surveys = _prepare((SMALL, arguments.responses))
            print(f"{arguments.database}, {arguments.responses:,} answers", flush=True)
            command = [
                sys.executable,
                "-m",
                "benchmarks.dashboards",
                "--pages",
                json.dumps(surveys),
            ]
            pages = subprocess.run([*command, "--requests", str(arguments.requests)], check=False)
            large = str(arguments.responses)
            for kind in ("parquet-codes", "parquet", "csv-codes"):
                wanted = json.dumps([large, surveys[large], kind])
                command = [sys.executable, "-m", "benchmarks.dashboards", "--file", wanted]
                subprocess.run(command, check=True)
            raise SystemExit(pages.returncode)
        finally:
            database.stop()


def _prepare(sizes: tuple[int, ...]) -> dict[str, str]:
    """A survey of each size, of an owner of its own; the surveys' keys by size."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from surveys.tallies.services import recount

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    found = {}
    for size in sizes:
        survey = _open_survey(User.objects.create_user(f"of-{size}", is_staff=True))
        start = time.perf_counter()
        _fill(survey.revision, size)
        filled, before = time.perf_counter(), time.process_time()
        recount(survey.revision.pk)
        print(
            f"{size:,} answers filled in {filled - start:.1f} s, counted in "
            f"{time.perf_counter() - filled:.1f} s ({time.process_time() - before:.1f} s of CPU "
            "here)",
            flush=True,
        )
        found[str(size)] = str(survey.pk)
    return found


def _open_survey(owner) -> "Survey":
    """An open survey with ten questions: coins, a long list, parts, direct ones and an age."""
    from surveys.authoring.services import launch
    from surveys.models import Question, Survey

    survey = Survey.objects.create(
        owner=owner,
        title="Habits",
        introduction="Answer.",
        organisation="Us",
        contact="us",
        opening=Survey.Opening.LIVE,
    )
    kinds, designs = Question.Kind, Question.Design
    yes_no = {"kind": kinds.YES_NO, "required": True}
    for place in range(4):
        _add(survey, text=f"Secret {place}?", design=designs.TWO_COINS, **yes_no)
    _add(survey, text="Do you own a car?", design=designs.DIRECT, **yes_no)
    towns, direct = ("North", "East", "South", "West"), {"design": designs.DIRECT}
    _add(survey, *towns, text="Where do you live?", kind=kinds.CHOICE, required=True, **direct)
    _add(survey, "Never", "Once", "Often", text="Drunk?", kind=kinds.SCALE, epsilon="1.5",
         design=designs.K_ARY)  # fmt: skip
    _add(survey, *(f"Place {n}" for n in range(50)), text="Where was it?", kind=kinds.CHOICE,
         design=designs.SUBSET, epsilon="1.0986", required=True)  # fmt: skip
    _add(survey, *(f"Thing {n}" for n in range(5)), text="Which have you?", kind=kinds.TICKS,
         design=designs.TWO_COINS, required=True, shown=2)  # fmt: skip
    _add(survey, text="How old are you?", kind=kinds.NUMBER, minimum=AGES[0], maximum=AGES[1],
         required=True, **direct)  # fmt: skip
    launch(survey=survey, by=owner)
    return Survey.objects.get(pk=survey.pk)


def _add(survey: "Survey", *options: str, **fields: object) -> None:
    from surveys.models import Option, Question

    place = survey.questions.count()
    question = Question.objects.create(survey=survey, position=place, **fields)
    Option.objects.bulk_create(
        Option(question=question, position=n, text=text) for n, text in enumerate(options)
    )


def _fill(revision: "Revision", size: int) -> None:
    """Rows of answers, in the fastest way of each database."""
    from django.db import connection

    rng = np.random.default_rng(7)
    for first in range(0, size, BLOCK):
        rows = list(_rows(revision, min(BLOCK, size - first), rng))
        if connection.vendor == "sqlite":
            _insert(revision, rows)
        else:
            _copy(revision, rows)


def _rows(revision: "Revision", count: int, rng: np.random.Generator) -> Iterator[str]:
    """Random codes of each question, put together to rows."""
    from surveys.models.queries import questionnaire_of

    columns = []
    for item in questionnaire_of(revision).items:
        codes = np.array(_codes(item, rng))
        columns.append(codes[rng.integers(0, len(codes), count)])
    return map("".join, zip(*columns, strict=True))


def _codes(item, rng: np.random.Generator) -> list[str]:
    """Codes among which a person's is drawn evenly."""
    from surveys.questionnaire.kinds.levels import Leveled
    from surveys.questionnaire.kinds.long_list import ListQuestion
    from surveys.questionnaire.kinds.several.ticks import TicksQuestion

    if isinstance(item, TicksQuestion):
        return [
            "".join(f"{item.slot_code.of_number(part)}{level.code}" for part in parts)
            for parts in ((1, 2), (1, 5), (2, 3), (3, 4))
            for level in item.levels
        ]
    if isinstance(item, ListQuestion):
        draw = item.marks.form.code_from_words
        words = iter(rng.integers(0, 1 << 32, 1 << 16).tolist())
        return [draw(option % item.marks.options, words)[0] for option in range(300)]
    if isinstance(item, Leveled):
        return [level.code for level in item.reported_levels]
    return [f"{age:03d}" for age in range(AGES[0], AGES[1] + 1)]


def _insert(revision: "Revision", rows: list[str]) -> None:
    from django.db import connection, transaction

    statement = "INSERT INTO surveys_response (id, revision_id, opening, answers) VALUES (?,?,0,?)"
    keys = (UUID(bytes=os.urandom(16), version=4).hex for _ in rows)
    values = [(key, revision.pk.hex, row) for key, row in zip(keys, rows, strict=True)]
    with transaction.atomic():
        connection.ensure_connection()
        connection.connection.executemany(statement, values)


def _copy(revision: "Revision", rows: list[str]) -> None:
    from django.db import connection

    statement = "COPY surveys_response (id, revision_id, opening, answers) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row((UUID(bytes=os.urandom(16), version=4), revision.pk, 0, row))


# ---- Asking -------------------------------------------------------------------------------------


def _pages(surveys: dict[str, str], requests: int) -> None:
    """Ask for every page of both surveys in turns, and print."""
    import django

    django.setup()
    small, large = sorted(surveys, key=int)
    _count_together(surveys[large])
    clients = {size: _client(size) for size in (small, large)}
    slow = []
    for name in _addresses(surveys[large]):
        taken = {size: [] for size in (small, large)}
        for _ in range(LOADING + requests):
            for size in (small, large):
                taken[size].append(_ask(clients[size], _addresses(surveys[size])[name]))
        slow += _report(name, taken[small], taken[large])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  peak memory of this process {peak:.0f} MiB")
    if slow:
        raise SystemExit(f"Above the aims: {', '.join(slow)}.")


def _export(size: str, survey: str, kind: str) -> None:
    """Write a file of all answers, as a worker does, and print the rate and the peak of memory."""
    import django

    django.setup()
    from surveys.models import Export, Survey
    from surveys.results.taking import services

    owner = Survey.objects.get(pk=survey).owner
    start, cpu = time.perf_counter(), _cpu()
    export = services.ask(Survey.objects.get(pk=survey), kind, by=owner, later=lambda key: None)
    services.write(export.pk)
    taken, used = time.perf_counter() - start, _cpu() - cpu
    found = Export.objects.get(pk=export.pk)
    if found.problem or found.written != int(size):
        raise SystemExit(f"{kind} was not written: {found.problem}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {kind} of all answers: {found.size / 1e6:.0f} MB, {int(size) / taken:,.0f} rows/s, "
        f"{int(size) / used:,.0f} per second of CPU; peak memory {peak:.0f} MiB",
        flush=True,
    )


def _client(size: str):
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username=f"of-{size}"))
    return client


def _addresses(survey: str) -> dict[str, list[str]]:
    """Each kind of page, with its addresses."""
    from django.urls import reverse

    charts = [reverse("surveys:chart", args=[survey, number]) for number in (1, 6, 7, 8, 9, 10)]
    return {
        "list": [reverse("surveys:list")],
        "dashboard": [reverse("surveys:dashboard", args=[survey])],
        "one chart": charts,
        "break-down": [reverse("surveys:break-down", args=[survey]) + "?question=1&by=6"],
        "by number": [reverse("surveys:break-down", args=[survey]) + "?question=2&by=10&also_by=5"],
        "regression": [
            reverse("surveys:regression", args=[survey])
            + "?outcome=1-1&predictors=5&predictors=6&predictors=10"
        ],
    }


def _count_together(survey: str) -> None:
    """What a worker does, once, before analyses of the large survey are shown."""
    from surveys.models import JointCount, Revision
    from surveys.tallies import joint

    revision = Revision.objects.get(survey=survey)
    for numbers in ([1, 6], [2, 5, 10], [1, 5, 6, 10]):
        joint.ask(revision.pk, numbers, later=lambda key: None)
    before = time.process_time()
    start = time.perf_counter()
    for key in JointCount.objects.values_list("pk", flat=True):
        joint.count(key)
    print(
        f"  three choices of questions counted together in {time.perf_counter() - start:.1f} s "
        f"({time.process_time() - before:.1f} s of CPU here)",
        flush=True,
    )


def _ask(client, addresses: list[str]) -> tuple[float, float]:
    """Seconds of wall clock and of processor time for one page; charts are taken on average."""
    wall, cpu = time.perf_counter(), _cpu()
    for address in addresses:
        reply = client.get(address)
        if reply.status_code != 200:
            raise SystemExit(f"{address}: status {reply.status_code}")
    return (time.perf_counter() - wall) / len(addresses), (_cpu() - cpu) / len(addresses)


def _cpu() -> float:
    """Processor seconds of this process and of its connection to PostgreSQL."""
    from django.db import connection

    here = time.process_time()
    if connection.vendor == "sqlite" or connection.connection is None:
        return here
    pid = connection.connection.info.backend_pid
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return here + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _report(
    name: str, small: list[tuple[float, float]], large: list[tuple[float, float]]
) -> list[str]:
    """Print one kind of page; its name if it misses an aim. The first requests load modules."""
    wall, cpu = zip(*large[LOADING:], strict=True)
    ratio = statistics.median(cpu) / statistics.median(one for _, one in small[LOADING:])
    p95 = statistics.quantiles(cpu, n=20)[-1]
    print(
        f"  {name:12} wall p50 {1000 * statistics.median(wall):4.0f} ms, "
        f"p95 {1000 * statistics.quantiles(wall, n=20)[-1]:4.0f} ms; "
        f"CPU p50 {1000 * statistics.median(cpu):4.0f} ms, p95 {1000 * p95:4.0f} ms; "
        f"{ratio:.2f} times that of {SMALL:,} answers",
        flush=True,
    )
    return [name] if p95 > LONGEST_P95 or ratio > LARGEST_RATIO else []


if __name__ == "__main__":
    main()
