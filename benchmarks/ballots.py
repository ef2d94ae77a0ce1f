"""What locked answers cost the server that takes them, beside the same answers sent openly.

Run: ``python -m benchmarks.ballots [--database postgresql]``. Each body has a voucher, and a
ballot of 12 cells or in its place an answer as it was given. First come as many as the server
takes, for what one costs; then 40 a second at random moments, for how long people wait. Meanwhile a
writer takes SQLite's lock again and again and notes how long it waited: proofs that were checked
inside the lock would be seen there. Memory is what the server's processes hold in the end. Before
and after the rounds this process checks the proofs of ballots: what Send cannot cost less than.
"""

import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machines import Gunicorn, Postgresql, Sqlite
from benchmarks.sites import DATABASES, make_owner, site
from benchmarks.submit import BATCH, Round, Target, _client, measure
from benchmarks.vouchers import _p95, _vouched_bodies

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Survey

OPTIONS = [f"Answer {number}" for number in range(1, 12)]  # with "not asked", 12 cells
VIEWS = ("locked", "open")
LEAST_RATE, MOST_P95, MOST_WAIT, MOST_MEMORY = 60, 0.4, 0.001, 10  # a second and core, s, s, MiB
FIRST = 60  # sends to a server that just started, which do not count
CHECKED = 200  # ballots, for what proofs cost by themselves
PAUSE = 0.005  # seconds between two turns of the writer
SPIN = 0.0002  # seconds after which it asks again


def main() -> None:
    """Measure and print; or, as the process of the senders, send."""
    arguments = _arguments()
    if arguments.send:
        _send_paced(arguments.send, json.load(sys.stdin), arguments.rate)
        return
    settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.settings", "DENIABLE_BEHIND_PROXY": "on"}
    with site(arguments.database, **settings) as here:
        surveys = _surveys(make_owner())
        print("drawing what is sent", flush=True)
        proofs = [_bare_check()]
        costs = [_costs(here.directory / "server.log", here.database, survey, arguments)
                 for survey in surveys]  # fmt: skip
        proofs.append(_bare_check())
        waits = [_waits(here.directory / "server.log", here.database, survey, arguments)
                 for survey in surveys]  # fmt: skip
    _report(arguments, costs, waits, statistics.fmean(proofs))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--people", type=int, default=300, help="per round and view")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=40, help="sends a second, where paced")
    parser.add_argument("--seconds", type=float, default=30, help="of paced sends")
    parser.add_argument("--send", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- What is sent -------------------------------------------------------------------------------


def _surveys(owner: "User") -> tuple["Survey", "Survey"]:
    return _survey(owner, counted_table=1), _survey(owner)


def _survey(owner: "User", **fields: object) -> "Survey":
    from tests.factories import add_question, launched, make_survey
    from tests.surveys.authoring.trustees import add_tally
    from tests.vouching import usual_fields

    draft = make_survey(owner, invitation_only=True, **{**usual_fields(), "batch_size": BATCH})
    add_question(draft, text="Do you own a car?", design="direct", required=True)
    add_question(draft, *OPTIONS, kind="choice", design="direct", required=True, **fields)
    if fields:
        add_tally(draft)
    return launched(draft)


def _target(survey: "Survey", people: int) -> Target:
    from django.urls import reverse

    return Target(reverse("posted:send", args=[survey.pk]), _vouched_bodies(survey, people))


# ---- What one costs -----------------------------------------------------------------------------


def _costs(
    log: Path, database: Sqlite | Postgresql, survey: "Survey", arguments: argparse.Namespace
) -> tuple[list[Round], float]:
    """Rounds as fast as it goes, and MiB of the server afterwards."""
    targets = [_target(survey, arguments.people) for _ in range(arguments.rounds + 1)]
    with _serving(log, arguments.workers) as server:
        rounds = [measure(server, database, one, arguments.people) for one in targets]
        return rounds[1:], _memory(server)


def _bare_check() -> float:
    """Processor ms of the proofs of one ballot alone."""
    from surveys.trust.tally.ballots import Table, check_ballot, make_ballot
    from surveys.trust.tally.group import random_number, times_base

    table = Table(bytes(32), 1, times_base(random_number()), len(OPTIONS) + 1)
    ballot = make_ballot(table, 0)
    start = time.process_time()
    for _ in range(CHECKED):
        check_ballot(table, ballot)
    return 1000 * (time.process_time() - start) / CHECKED


@contextmanager
def _serving(log: Path, workers: int) -> Iterator[Gunicorn]:
    server = Gunicorn(log, workers=workers)
    try:
        yield server
    finally:
        server.stop()


def _memory(server: Gunicorn) -> float:
    """MiB that its processes hold alone, each page once."""
    return sum(_private(pid) for pid in (server.process.pid, *server.children())) / 1024


def _private(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private"))


# ---- How long people and writers wait -----------------------------------------------------------


def _waits(
    log: Path, database: Sqlite | Postgresql, survey: "Survey", arguments: argparse.Namespace
) -> tuple[list[float], list[float]]:
    """Seconds of each paced send, and of each turn of another writer."""
    target = _target(survey, round(arguments.rate * arguments.seconds))
    first = _target(survey, FIRST)
    with _serving(log, arguments.workers) as server, _writing(database) as turns:
        measure(server, database, first, FIRST)  # modules and plans are loaded
        turns.clear()
        command = [sys.executable, "-m", "benchmarks.ballots", "--send", str(server.port)]
        done = subprocess.run(
            [*command, "--rate", str(arguments.rate)],
            input=json.dumps({"path": target.path, "bodies": target.bodies}).encode(),
            stdout=subprocess.PIPE,
            check=True,
        )
    latencies = json.loads(done.stdout)
    if len(latencies) != len(target.bodies):
        raise SystemExit(f"{target.path}: some requests were refused.")
    return latencies, turns


def _send_paced(port: int, target: dict, rate: float) -> None:
    """Each at a moment of its own, whether others were answered or not; print their seconds."""
    chance, latencies, threads = random.Random(7), list[float](), list[threading.Thread]()
    due = time.perf_counter()
    for number in range(len(target["bodies"])):
        due += chance.expovariate(rate)
        time.sleep(max(0.0, due - time.perf_counter()))
        turn = range(number, number + 1)
        threads.append(threading.Thread(target=_client, args=(port, target, turn, latencies)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    json.dump(latencies, sys.stdout)


@contextmanager
def _writing(database: Sqlite | Postgresql) -> Iterator[list[float]]:
    """Of SQLite, take the lock by turns meanwhile; the seconds that each waited are added."""
    turns, is_over = list[float](), threading.Event()
    if isinstance(database, Postgresql):
        yield turns
        return
    writer = threading.Thread(target=_write, args=(database.path, turns, is_over))
    writer.start()
    try:
        yield turns
    finally:
        is_over.set()
        writer.join()


def _write(path: Path, turns: list[float], is_over: threading.Event) -> None:
    # No timeout: SQLite's own waits grow to a tenth of a second, and would be measured instead.
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        while not is_over.wait(PAUSE):
            start = time.perf_counter()
            while not _is_taken(connection):
                time.sleep(SPIN)
            turns.append(time.perf_counter() - start)
            connection.execute("ROLLBACK")


def _is_taken(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


# ---- What is printed ----------------------------------------------------------------------------


def _report(
    arguments: argparse.Namespace,
    costs: list[tuple[list[Round], float]],
    waits: list[tuple[list[float], list[float]]],
    proofs: float,
) -> None:
    cores = len(os.sched_getaffinity(0))
    for name, (rounds, memory), (latencies, turns) in zip(VIEWS, costs, waits, strict=True):
        cost = statistics.median(one.cost for one in rounds)
        print(
            f"{arguments.database}, {name}: {cost:.2f} ms of CPU, {1000 / cost:.0f} a second and "
            f"core; at {arguments.rate:.0f} a second on {cores} cores p95 "
            f"{1000 * _p95(latencies):.0f} ms; {memory:.0f} MiB{_waited(turns)}"
        )
    (locked, locked_memory), (_, open_memory) = costs
    cost = statistics.median(one.cost for one in locked)
    print(f"locked: {1000 / cost:.0f} a second and core (wanted: {LEAST_RATE})")
    print(f"proofs alone: {proofs:.2f} ms; locked costs {cost / proofs:.2f} of it")
    print(f"p95: {1000 * _p95(waits[0][0]):.0f} ms (wanted: below {1000 * MOST_P95:.0f})")
    print(f"memory: {locked_memory - open_memory:+.1f} MiB (wanted: at most {MOST_MEMORY})")
    if waits[0][1]:
        more = statistics.fmean(waits[0][1]) - statistics.fmean(waits[1][1])
        print(f"writers: {1000 * more:+.3f} ms more (wanted: below {1000 * MOST_WAIT:.0f})")


def _waited(turns: list[float]) -> str:
    if not turns:
        return ""
    return f"; a writer waited {1000 * statistics.fmean(turns):.3f} ms"


if __name__ == "__main__":
    main()
