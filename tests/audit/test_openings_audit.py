"""Openings at full size: killed at any point they lose and double nothing; 100,000 in one go."""

import os
import resource
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.db import connection, transaction

from surveys.collecting import openings, records
from surveys.collecting.services import receive
from surveys.models import Openings, Response, Sealed, Survey
from surveys.models.queries import opened_responses, questionnaire_of
from surveys.operations.retention import keep_dates
from surveys.questionnaire.submission import Contents
from tests.bodies import body_of
from tests.conftest import ROOT, environment
from tests.days import DAY, today
from tests.factories import add_serial_number, add_text, launched, make_survey

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
LAST_DAY = 181  # of the survey that is killed: 25 weekly openings at most
PHYSICAL = {"sqlite": "rowid", "postgresql": "ctid"}
WORK = """
import sys
from datetime import datetime
import django
django.setup()
from surveys.collecting import openings
from surveys.operations.retention import keep_dates
openings.CHUNK = 1
print("begun", flush=True)
keep_dates(now=datetime.fromisoformat(sys.argv[1]))
print("done", flush=True)
"""


def weekly(owner, *, texts: bool = False, days: int = 55, **fields: object) -> Survey:
    draft = make_survey(
        owner,
        opening="every",
        batch_size=5,
        planned_responses=10**6,
        close_on=today() + days * DAY,
        **fields,
    )
    add_serial_number(draft, width=6)
    if texts:
        add_text(draft, longest=20)
    return launched(draft)


def moment(day: int) -> datetime:
    return datetime.combine(today() + day * DAY, datetime.min.time(), UTC) + timedelta(hours=12)


def work_until_killed(now: datetime, seconds: float, log) -> float | None:
    """Run the worker and kill it -9 so long after it began; how long it took if it was done."""
    command = [sys.executable, "-c", WORK, now.isoformat()]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=log, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n", log.name
    began = time.monotonic()
    while process.poll() is None and time.monotonic() < began + seconds:
        os.sched_yield()
    took = time.monotonic() - began
    process.send_signal(signal.SIGKILL)
    output, _ = process.communicate()
    return took if "done" in output else None


def test_a_worker_that_is_killed_at_fifty_points_counts_every_answer_once(owner, tmp_path):
    """Openings until fifty kills, and the close; all but the first are killed again and again.

    How long the first takes says when to kill the others, on a fast machine as on a slow one: each
    of seven tries gets an eighth of it on average, so that few are done before. A machine that is
    quicker later on finishes more of them, and gets more openings.
    """
    survey, people, kills, took = weekly(owner, days=LAST_DAY), 0, 0, 0.0
    rng = secrets.SystemRandom()
    with (tmp_path / "log.txt").open("w") as log:
        for day in (*range(7, LAST_DAY, 7), LAST_DAY + 2):
            if kills >= 50 and day < LAST_DAY:
                continue
            if day < LAST_DAY:
                for number in range(people, people + 60):
                    body = body_of(survey.revision, [f"{number:06d}"])
                    receive(survey_id=survey.pk, body=body)
                people += 60
            for _ in range(7 if took else 0):
                done = work_until_killed(moment(day), rng.uniform(0, took / 4), log)
                kills += done is None
                rows = [row.answers for row in Response.objects.all()]
                assert max(Counter(rows).values(), default=1) == 1
            finished = work_until_killed(moment(day), 60, log)
            assert finished is not None
            took = took or finished
            state = Openings.objects.get()
            assert not state.is_running
            kept = Sealed.objects.filter(kind="row").count()
            shown = opened_responses(survey.revision.pk).count()
            assert shown + kept == people
    print(f"\n{connection.vendor}: {kills} kills, {people} answers, each counted once")
    assert kills >= 50
    assert sorted(int(r.answers) for r in Response.objects.all()) == list(range(people))


# Another process that writes, again and again, and counts how long they had to wait for the lock.
WRITER = {
    "sqlite": """
import select, sqlite3, sys, time
link = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
longest, lock = 0.0, "BEGIN IMMEDIATE"
""",
    "postgresql": """
import select, sys, time, psycopg
link = psycopg.connect(sys.argv[1], autocommit=True)
longest = 0.0
lock = "BEGIN; SELECT 1 FROM surveys_spool FOR SHARE"
""",
}
# Without the time in which the opening, or this, wanted a processor that other programs had.
UNTIL_TOLD = """
def starved():
    found = 0
    for process in (sys.argv[2], "self"):
        with open(f"/proc/{process}/schedstat") as file:
            found += int(file.read().split()[1])
    return found / 1e9

while not select.select([sys.stdin], [], [], 0.005)[0]:
    begun, before = time.monotonic(), starved()
    link.execute(lock)
    longest = max(longest, time.monotonic() - begun - (starved() - before))
    link.execute("ROLLBACK")
print(longest)
"""


@contextmanager
def somebody_writes() -> Iterator[list[float]]:
    """Beside this process; afterwards the list holds the longest wait, in seconds."""
    url = environment()["DENIABLE_DATABASE_URL"].removeprefix("sqlite:///")
    code = WRITER[connection.vendor] + UNTIL_TOLD
    command = [sys.executable, "-c", code, url, str(os.getpid())]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    longest: list[float] = []
    yield longest
    output, _ = writer.communicate("enough\n")
    longest.append(float(output))


def seal_with_texts(owner, people: int) -> float:
    """Let so many wait, sealed, each with a number and a text that says it.

    Returns the seconds that sealing one record took.
    """
    survey = weekly(owner, texts=True)
    questionnaire, revision = questionnaire_of(survey.revision), survey.revision.pk
    sizes = questionnaire.row.text_sizes
    ((number, _),) = sizes
    begun = time.monotonic()
    for first in range(0, people, 1000):
        answers = [
            Contents(False, f"{n:06d}", ((number, f"{n:06d}"),), sizes)
            for n in range(first, first + 1000)
        ]
        with transaction.atomic():
            records.seal_batch(revision, questionnaire, answers)
    return (time.monotonic() - begun) / (2 * people)


def people_in_order(table: str, column: str) -> np.ndarray:
    """Who sent each row of a table, in the order in which the database keeps them."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {table} ORDER BY {PHYSICAL[connection.vendor]}")
        return np.array([int(found) for (found,) in cursor.fetchall()])


def says_nothing(first: np.ndarray, second: np.ndarray) -> str:
    """Two orders of the same people: hold that neither tells of the other; the figures in words.

    Places kept are Poisson with mean 1: more than 6 come once in 12,000 times.
    """
    n = len(first)
    places, others = np.argsort(first), np.argsort(second)
    kept, rho = int((places == others).sum()), float(np.corrcoef(places, others)[0, 1])
    chunks = places // 500
    z = float(np.corrcoef(chunks, others)[0, 1] * np.sqrt(n))
    early = others < n / 2
    share = np.bincount(chunks, weights=early) / np.bincount(chunks)
    spread = float((share - 0.5).std() / np.sqrt(0.25 / 500))
    assert kept <= 6
    assert abs(rho) < 5 / np.sqrt(n)
    assert abs(z) < 5
    assert spread < 1.5
    return f"places kept {kept}, rho {rho:.4f}, chunk z {z:.1f}, spread {spread:.2f}"


def test_a_hundred_thousand_are_opened_in_orders_that_say_nothing_and_no_one_waits(owner, capsys):
    """Half of them on a day of opening, the rest and all texts at the close."""
    people = 100_000
    sealing = seal_with_texts(owner, people)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.monotonic()
    with somebody_writes() as waits:
        keep_dates(now=moment(7))
        half = people_in_order("surveys_response", "answers")
        keep_dates(now=moment(57))
    opening = (time.monotonic() - begun) / (3 * people / 2 + people / 2)
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    rows = people_in_order("surveys_response", "answers")
    texts = people_in_order("surveys_comment", "text")
    assert len(half) == people // 2
    assert sorted(rows) == sorted(texts) == list(range(people))
    rest = rows[people // 2 :]
    orders = {
        "the first half and their arrival": says_nothing(half, np.sort(half)),
        "the rest and their arrival": says_nothing(rest, np.sort(rest)),
        "texts and their arrival": says_nothing(texts, np.sort(texts)),
        "rows and texts": says_nothing(rows, texts),
    }
    with capsys.disabled():
        print(
            f"\n{connection.vendor}: sealing {1e6 * sealing:.0f} us, opening {1e6 * opening:.0f} us"
            f" each; longest wait of a writer {waits[0]:.2f} s, {growth:.0f} MiB more memory"
        )
        print("\n".join(f"  {names}: {words}" for names, words in orders.items()))
    # One writes between two chunks: on a machine that is busy a chunk takes longer.
    assert waits[0] < max(1, 3 * openings.CHUNK * opening)
    assert growth < 64
