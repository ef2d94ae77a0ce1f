"""P14 at full size: marks in every content column, and every byte of both databases; kills."""

import multiprocessing
import os
import secrets
import shlex
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from django.db import connection
from django.db.models import Model
from django.utils import timezone

from surveys.authoring.services import stop
from surveys.collecting.keys import opening_keys, orders
from surveys.collecting.services import receive
from surveys.models import Openings, Sealed, SpentOpeningKey, Survey, Waiting
from surveys.operations import retention
from surveys.operations.retention import keep_dates
from surveys.trust import sealing
from tests import memory
from tests.analytics import releasing
from tests.bodies import body_of
from tests.canaries import Mark, Marks, found, in_samples, plant
from tests.factories import make_open_survey, sealed_survey
from tests.postgresql import programs
from tests.traces import files

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
ROWS = 60
GONE_AT_CLOSE = ("surveys_invitation", "surveys_mailing", "surveys_addressee")
NEVER_READ = ("surveys_waiting", "surveys_sealed", "surveys_openings", *GONE_AT_CLOSE)


@pytest.fixture(autouse=True)
def service(settings, monkeypatch) -> Iterator[None]:
    """A recovery key, and PostgreSQL as docs/operating.md has it; tests side by side have time."""
    monkeypatch.setattr(retention, "PATIENCE", 60.0)
    settings.RECOVERY_KEY = sealing.public_of(sealing.new_private())
    as_superuser("ALTER SYSTEM SET wal_recycle = off", "SELECT pg_reload_conf()")
    yield
    as_superuser("ALTER SYSTEM RESET wal_recycle", "SELECT pg_reload_conf()")


def as_superuser(*statements: str) -> None:
    """On PostgreSQL alone, one after the other."""
    with connection.cursor() as cursor:
        for statement in statements if connection.vendor == "postgresql" else ():
            cursor.execute(statement)


def day(number: int) -> date:
    """So many days from today."""
    return timezone.now().date() + timedelta(days=number)


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def end_log() -> None:
    """What a server does by itself within two checkpoints and 16 MB of other work."""
    as_superuser("SELECT pg_switch_wal()", "CHECKPOINT", "CHECKPOINT")


def on_disk(marks: Marks) -> set[str]:
    """The columns of which something stands in any file of the server."""
    hits: set[str] = set()
    for _, content in files():
        hits |= found(marks, content)
    return hits


def planted(survey: Survey, *, without: Sequence[type[Model]] = ()) -> Marks:
    """Canaries in all of its columns but some tables'; the marks by survey and column."""
    marks = plant(survey, ROWS, without=without)
    return {f"{survey}: {column}": mark for column, mark in marks.items()}


def named(marks: Marks, tables: tuple[str, ...]) -> Marks:
    """Those of some tables."""
    table_of = {name: name.split(": ")[1].split(".")[0] for name in marks}
    return {name: mark for name, mark in marks.items() if table_of[name] in tables}


def whole(marks: Marks) -> set[str]:
    """The columns whose canaries can be told from other bytes."""
    return {column for column, mark in marks.items() if mark.raw}


def sealed_by(survey: Survey) -> Marks:
    """What the program itself wrote: all that is sealed of a survey, both copies of its key."""
    rows = Sealed.objects.filter(revision=survey.revision).values_list("content", flat=True)
    recovery = Openings.objects.get(revision=survey.revision).recovery
    assert rows
    assert recovery
    found = [*map(bytes, rows), bytes(recovery), opening_keys.path_of(survey.pk).read_bytes()]
    marks = [Mark([one], [one.hex().encode()]) for one in found]
    return {f"{survey}: sealed {place}": mark for place, mark in enumerate(marks)}


@pytest.mark.noise(fails=0, law="nothing is asked of what is drawn")
def test_nothing_that_went_is_in_any_byte_of_the_database(owner):
    """Stopped at once, released for the last time, closed and deleted by retention."""
    stopped = sealed_survey(owner, title="Stopped", close_on=day(4))
    for _ in range(12):
        receive(survey_id=stopped.pk, body=body_of(stopped.revision))
    gone = sealed_by(stopped)
    all_of_stopped = planted(stopped)
    gone |= named(all_of_stopped, NEVER_READ)
    released = releasing.make_released_survey(owner, title="Released", last_day=3)
    releasing.answer(released, [(0, 1, 30), (1, 0, 40), (2, 1, 50), (0, 0, None), (1, 1, 60)] * 4)
    gone |= sealed_by(released)
    closed = make_open_survey(owner, title="Closed", close_on=day(1))
    all_of_closed = planted(closed, without=[Waiting, Sealed, Openings])
    gone |= named(all_of_closed, GONE_AT_CLOSE)
    deleted = sealed_survey(owner, title="Deleted", close_on=day(2), delete_on=day(4))
    all_of_deleted = planted(deleted)
    gone |= all_of_deleted
    for marks in (all_of_stopped, all_of_closed, all_of_deleted):
        assert on_disk(marks) == whole(marks)  # so the search finds what is there
    analyze()
    stop(survey=stopped, by=owner)
    keep_dates(now=releasing.at(released, 2))  # the third closes
    assert Survey.objects.get(pk=closed.pk).state == Survey.State.CLOSED
    analyze()
    keep_dates(now=releasing.at(released, 4))  # the second releases, the fourth is deleted
    assert Survey.objects.get(pk=deleted.pk).erased_on is not None
    analyze()
    end_log()
    assert (on_disk(gone), in_samples(gone)) == (set(), set())
    all_of_them = gone | all_of_stopped | all_of_closed | planted(released)
    tomorrow = releasing.at(released, 5)
    Survey.objects.exclude(pk=deleted.pk).update(delete_on=day(5))
    analyze()
    assert keep_dates(now=tomorrow).problems == []
    analyze()
    end_log()
    assert (on_disk(all_of_them), in_samples(all_of_them)) == (set(), set())
    print(f"\n{connection.vendor}: {len(all_of_them)} marks, 0 in {size_on_disk():,} bytes")


def size_on_disk() -> int:
    return sum(len(content) for _, content in files())


def as_server(*command: str) -> None:
    """PostgreSQL's programs, which do not run as root."""
    become = ["su", "pgserver", "-s", "/bin/sh", "-c", shlex.join(command)]
    is_root = os.geteuid() == 0
    subprocess.run(become if is_root else command, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def standby_that_reads(directory: Path) -> Iterator[None]:
    """A real one, in the middle of a transaction, that tells its server what it still needs."""
    name, server = connection.settings_dict["NAME"], connection.connection.info
    data, program = directory / "standby", str(programs() / "pg_ctl")
    source = f"host={server.host} port={server.port} user={server.user}"
    slot = ("--checkpoint=fast", "--create-slot", "--slot", "reader", "--write-recovery-conf")
    as_server(str(programs() / "pg_basebackup"), "-d", source, "-D", str(data), *slot)
    with (data / "postgresql.auto.conf").open("a") as conf:
        conf.write(
            "hot_standby_feedback = on\nwal_receiver_status_interval = 1\nlisten_addresses = ''\n"
            f"unix_socket_directories = '{directory}'\n"
        )
    control = (program, "-D", str(data), "-l", str(directory / "log"), "-w")
    as_server(*control, "start")
    try:
        with psycopg.connect(
            host=str(directory), port=server.port, user=server.user, dbname=name
        ) as link:
            link.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            link.execute("SELECT count(*) FROM surveys_response")
            with connection.cursor() as cursor:
                told = False
                while not told:
                    cursor.execute("SELECT 1 FROM pg_replication_slots WHERE xmin IS NOT NULL")
                    told = cursor.fetchone() is not None
            yield
    finally:
        as_server(*control, "-m", "immediate", "stop")
        as_superuser("SELECT pg_drop_replication_slot('reader')")


@contextmanager
def connection_that_reads(_: Path) -> Iterator[None]:
    """SQLite has no standbys: another connection in the middle of a transaction."""
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as link:
        link.execute("BEGIN")
        link.execute("SELECT count(*) FROM surveys_response").fetchone()
        yield


READERS = {"postgresql": standby_that_reads, "sqlite": connection_that_reads}


def test_a_standby_that_still_reads_what_was_deleted_keeps_the_survey_due(owner, monkeypatch):
    """VACUUM FULL copies along what it may see, and no process of the server itself shows that."""
    survey = make_open_survey(owner, delete_on=day(1))
    mark = plant(survey, ROWS, without=[Waiting, Openings])
    with TemporaryDirectory(dir=memory.place()) as directory:
        os.chmod(directory, 0o777)
        with READERS[connection.vendor](Path(directory)), monkeypatch.context() as patch:
            patch.setattr(retention, "PATIENCE", 0.5)
            problems = keep_dates(now=timezone.now() + timedelta(days=1)).problems
            assert ["The surveys stay due" in one for one in problems] == [True]
            assert Survey.objects.get().erased_on is None
    assert keep_dates(now=timezone.now() + timedelta(days=1)).problems == []
    end_log()
    assert (on_disk(mark), Survey.objects.get().erased_on) == (set(), day(1))


def run_until_killed(act: Callable[[], object], seconds: float) -> float | None:
    """In a process of its own, killed -9 so long after it began; how long it took if it was done.

    A child of this process, which is there at once: a new interpreter would take seconds.
    """
    connection.close()  # nobody shares it
    process = multiprocessing.get_context("fork").Process(target=act)
    began = time.monotonic()
    process.start()
    process.join(seconds)
    took = time.monotonic() - began
    process.kill()
    process.join()
    return took if process.exitcode == 0 else None


def is_consistent(survey: Survey, private: bytes) -> str:
    """Which of the states this is that a kill may leave; fails in any other."""
    revision = survey.revision
    sealed = Sealed.objects.filter(revision=revision).count()
    recovery = Openings.objects.get(revision=revision).recovery is not None
    order = SpentOpeningKey.objects.filter(revision=revision).first()
    path: Path = opening_keys.path_of(survey.pk)
    if order is None:
        assert (sealed > 0, recovery, path.read_bytes() == private) == (True, True, True)
        return "as before"
    assert (sealed, recovery) == (0, False)
    assert not (order.is_gone and path.exists())
    return "both gone" if order.is_gone else "to be repeated"


def test_fifty_kills_of_stopping_and_of_overwriting_end_in_both_gone_or_in_a_repeat(owner):
    """How long each takes undisturbed says when to kill the next."""
    random, states, kills, took = secrets.SystemRandom(), [], 0, {"stop": 0.1, "carry out": 0.05}
    while kills < 50:
        survey = sealed_survey(owner, title=f"Number {len(states)}")
        for _ in range(6):
            receive(survey_id=survey.pk, body=body_of(survey.revision))
        private = opening_keys.path_of(survey.pk).read_bytes()
        state = "as before"
        while state != "both gone":
            acts = {"stop": partial(stop, survey=survey, by=owner), "carry out": orders.carry_out}
            name = "stop" if state == "as before" else "carry out"
            done = run_until_killed(acts[name], random.uniform(0, 1.5 * took[name]))
            kills += done is None
            took[name] = done or took[name] * 1.1  # where it was too short to be done once
            state = is_consistent(survey, private)
            states.append(state)
        assert not opening_keys.path_of(survey.pk).exists()
    print(f"\n{connection.vendor}: {kills} kills; {[(s, states.count(s)) for s in set(states)]}")
    assert {"as before", "to be repeated", "both gone"} == set(states)
