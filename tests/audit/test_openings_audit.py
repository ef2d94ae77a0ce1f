"""Openings at full size: killed at any point they lose and double nothing; 100,000 in one go."""

import os
import resource
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.db import connection, transaction

from surveys.collecting import openings, records
from surveys.collecting.services import receive
from surveys.models import Openings, Response, Sealed, Survey
from surveys.models.queries import opened_responses, questionnaire_of
from surveys.questionnaire.submission import Contents
from tests.conftest import ROOT, environment
from tests.factories import add_serial_number, body_of, launched, make_survey

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
TODAY = datetime.now(UTC).date()
DAY = timedelta(days=1)
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


def weekly(owner, **fields: object) -> Survey:
    draft = make_survey(
        owner,
        opening="every",
        batch_size=5,
        planned_responses=10**6,
        close_on=TODAY + 55 * DAY,
        **fields,
    )
    add_serial_number(draft, width=6)
    return launched(draft)


def moment(day: int) -> datetime:
    return datetime.combine(TODAY + day * DAY, datetime.min.time(), UTC) + timedelta(hours=12)


def work_until_killed(now: datetime, seconds: float, log) -> bool:
    """Run the worker and kill it -9 so long after it began; whether it was done before."""
    command = [sys.executable, "-c", WORK, now.isoformat()]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=log, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n", log.name
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        os.sched_yield()
    process.send_signal(signal.SIGKILL)
    output, _ = process.communicate()
    return "done" in output


def test_a_worker_that_is_killed_at_fifty_points_counts_every_answer_once(owner, tmp_path):
    """Seven weekly openings and the close; each is killed again and again until it is through."""
    survey, people, kills = weekly(owner), 0, 0
    rng = secrets.SystemRandom()
    with (tmp_path / "log.txt").open("w") as log:
        for day in (*range(7, 56, 7), 57):
            if day < 56:
                for number in range(people, people + 60):
                    body = body_of(survey.revision, [f"{number:06d}"])
                    receive(survey_id=survey.pk, body=body)
                people += 60
            for _ in range(7):
                kills += not work_until_killed(moment(day), rng.uniform(0, 0.3), log)
                rows = [row.answers for row in Response.objects.all()]
                assert max(Counter(rows).values(), default=1) == 1
            assert work_until_killed(moment(day), 60, log)
            state = Openings.objects.get()
            assert not state.is_running
            kept = Sealed.objects.filter(kind="row").count()
            shown = opened_responses(survey.revision.pk).count()
            assert shown + kept == people
    print(f"\n{connection.vendor}: {kills} kills, {people} answers, each counted once")
    assert kills >= 40
    assert sorted(int(r.answers) for r in Response.objects.all()) == list(range(people))


def test_a_hundred_thousand_are_opened_in_an_order_that_says_nothing(owner, capsys):
    people = 100_000
    survey = weekly(owner)
    questionnaire, revision = questionnaire_of(survey.revision), survey.revision.pk
    started = time.monotonic()
    for first in range(0, people, 1000):
        answers = [Contents(False, f"{n:06d}", ()) for n in range(first, first + 1000)]
        with transaction.atomic():
            records.seal_batch(revision, questionnaire, answers)
    sealing = (time.monotonic() - started) / people
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()
    openings.begin(survey.pk, moment(7))
    openings.run(survey)
    opening = (time.monotonic() - started) / people
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT answers FROM surveys_response ORDER BY {PHYSICAL[connection.vendor]}"
        )
        found = np.array([int(answers) for (answers,) in cursor.fetchall()])
    n = len(found)
    assert n == people // 2
    rank = np.argsort(np.argsort(found))
    places = np.arange(n)
    rho = float(np.corrcoef(rank, places)[0, 1])
    chunk = places // 500
    halves = rank < n / 2
    share = np.array([halves[chunk == c].mean() for c in np.unique(chunk)])
    z = float((share - 0.5).std() / np.sqrt(0.25 / 500))
    with capsys.disabled():
        print(
            f"\n{connection.vendor}: sealing {1e6 * sealing:.0f} us, opening {1e6 * opening:.0f} us"
            f" each; places kept {int((rank == places).sum())}, rho {rho:.4f}, spread of chunks "
            f"{z:.2f} of that of chance, {growth:.0f} MiB more memory"
        )
    assert int((rank == places).sum()) <= 6
    assert abs(rho) < 5 / np.sqrt(n)
    assert z < 1.5
    assert growth < 64
