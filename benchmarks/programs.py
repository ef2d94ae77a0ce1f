"""How long programs wait for estimates, and how much the fastest loop of a token slows answers.

Run: ``python -m benchmarks.programs [--responses 10000000] [--database postgresql] [--one-pool]``.
Answers are written in bulk, as openings would have left them. Estimates are asked for over HTTP,
with no limit. Then a program asks again and again without a pause, under the limit as it is
shipped: nearly all that it gets is 429. Rounds of submissions with and without this loop come in
turns. Respondents and staff have processes of their own, as many as the units of ``deploy/`` give
them; ``--one-pool`` measures what happens without. Groups of processes are nice where the units
have a small share of the processor; the program's is, because it runs elsewhere. Where other work
wants the processor, the milliseconds of CPU say more than the clock; in one pool those of
submissions hold what the loop costs.
"""

import argparse
import http.client
import multiprocessing
import os
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.crowded import NICE, STAFF_WORKERS, send
from benchmarks.large_surveys import large_survey
from benchmarks.machines import Gunicorn, weigh_group
from benchmarks.sites import DATABASES, make_owner, site
from benchmarks.submit import Target, affairs, processor_seconds

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import SynchronizedArray
    from multiprocessing.synchronize import Event

    from surveys.models import Survey

LONGEST_P95, MOST_SLOWED = 0.2, 1.05
LOADING = 3  # requests that do not count: modules and plans are loaded
STAFF_THREADS = 8  # as deniable-staff.service
REFUSED = 1_000  # requests in a row, for what one costs
FIRST = 40  # submissions that do not count


@dataclass(frozen=True)
class Program:
    """An address of programs at a server, and what is sent to it."""

    path: str
    headers: dict[str, str]

    def ask(self, link: http.client.HTTPConnection) -> http.client.HTTPResponse:
        """One request on a connection that is kept."""
        link.request("GET", self.path, headers=self.headers)
        reply = link.getresponse()
        reply.read()
        return reply


@dataclass(frozen=True)
class Slowed:
    """One round: seconds of each submission, alone and beside the loop, and what the loop got.

    ``cpu``: processor seconds of a submission in the processes of respondents, alone and beside.
    """

    alone: list[float]
    beside: list[float]
    cpu: tuple[float, float]
    replies: Counter[int]

    @property
    def ratio(self) -> float:
        return statistics.median(self.beside) / statistics.median(self.alone)


def main() -> None:
    """Measure and print; stop with an error if an aim is missed."""
    arguments = _arguments()
    with site(arguments.database, DENIABLE_BEHIND_PROXY="on") as here:
        survey, target = large_survey(arguments.responses), affairs(make_owner())
        print(f"{arguments.database}, {arguments.responses:,} answers", flush=True)
        program = _program(survey)
        problems = _estimates(here.directory / "estimates.log", program, arguments.requests)
        problems += _loop(here.directory, program, target, arguments)
    if problems:
        raise SystemExit("; ".join(problems))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--responses", type=int, default=10_000_000)
    parser.add_argument("--requests", type=int, default=100, help="for estimates")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--submissions", type=int, default=400, help="per round, with and without")
    parser.add_argument("--one-pool", action="store_true")
    return parser.parse_args()


def _program(survey: "Survey") -> Program:
    from tests.surveys.programs.holding import token_of

    token = token_of(survey.owner, survey, "read")
    # As the proxy says it of a program on the same machine, which needs no encryption.
    headers = {"Authorization": f"Bearer {token}", "X-Forwarded-For": "127.0.0.1"}
    return Program(f"/api/v1/surveys/{survey.pk}/estimates", headers)


# ---- Estimates ----------------------------------------------------------------------------------


def _estimates(log: Path, program: Program, requests: int) -> list[str]:
    """How long they take one after another, whole and where nothing has changed."""
    problems = []
    with _serving(Gunicorn(log, workers=1, DENIABLE_API_RATE="1000000")) as server:
        link = http.client.HTTPConnection("127.0.0.1", server.port)
        tag = program.ask(link).headers["ETag"]
        same = Program(program.path, {**program.headers, "If-None-Match": tag})
        for name, one, status in (("estimates", program, 200), ("unchanged", same, 304)):
            problems += _waited(name, server, link, one, status, requests)
        link.close()
    return problems


def _waited(
    name: str,
    server: Gunicorn,
    link: http.client.HTTPConnection,
    program: Program,
    status: int,
    requests: int,
) -> list[str]:
    wall, cpu = [], []
    for _ in range(LOADING + requests):
        before, start = _processor(server), time.perf_counter()
        if program.ask(link).status != status:
            raise SystemExit(f"{program.path}: not answered {status}.")
        wall.append(time.perf_counter() - start)
        cpu.append(_processor(server) - before)
    p95 = _p95(wall[LOADING:])
    print(
        f"  {name}: p50 {1000 * statistics.median(wall[LOADING:]):.0f} ms, p95 {1000 * p95:.0f} ms "
        f"(wanted: below {1000 * LONGEST_P95:.0f}); "
        f"{1000 * statistics.fmean(cpu[LOADING:]):.1f} ms of CPU",
        flush=True,
    )
    return [f"{name}: p95 is {1000 * p95:.0f} ms"] if p95 >= LONGEST_P95 else []


# ---- The loop -----------------------------------------------------------------------------------


def _loop(
    directory: Path, program: Program, target: Target, arguments: argparse.Namespace
) -> list[str]:
    with _pools(directory, is_one=arguments.one_pool) as (respondents, staff):
        _refused(staff, program)
        send(respondents.port, target, FIRST)
        rounds = [
            _round(respondents, staff, program, target, arguments.submissions, is_turned=turn % 2)
            for turn in range(arguments.rounds)
        ]
    return _report(rounds)


@contextmanager
def _pools(directory: Path, *, is_one: bool) -> Iterator[tuple[Gunicorn, Gunicorn]]:
    with _serving(Gunicorn(directory / "web.log", workers=2)) as respondents, ExitStack() as more:
        if is_one:
            yield respondents, respondents
            return
        own = {"workers": STAFF_WORKERS, "threads": STAFF_THREADS, "DENIABLE_ROLE": "staff"}
        staff = more.enter_context(_serving(Gunicorn(directory / "staff.log", **own)))
        staff.step_back(NICE)
        yield respondents, staff


def _refused(server: Gunicorn, program: Program) -> None:
    """Print what a refused request costs, once there are many in a row."""
    link, row = http.client.HTTPConnection("127.0.0.1", server.port), 0
    before, start = 0.0, 0.0
    while row < REFUSED:
        if row == 0:
            before, start = _processor(server), time.perf_counter()
        row = row + 1 if program.ask(link).status == http.client.TOO_MANY_REQUESTS else 0
    wall, cpu = time.perf_counter() - start, _processor(server) - before
    link.close()
    print(
        f"  a refused request: {1000 * cpu / row:.2f} ms of CPU, {1000 * wall / row:.2f} ms",
        flush=True,
    )


def _round(
    respondents: Gunicorn,
    staff: Gunicorn,
    program: Program,
    target: Target,
    submissions: int,
    *,
    is_turned: int,
) -> Slowed:
    """Both halves of a round, in one order or the other, so that neither is always the later."""
    latencies, cpu, replies = {}, {}, Counter[int]()
    for is_beside in (bool(is_turned), not is_turned):
        before = _processor(respondents)
        with _looping(staff.port, program, replies) if is_beside else ExitStack():
            sent = send(respondents.port, target, submissions)
        if sent.refused:
            raise SystemExit(f"{sent.refused} submissions were refused.")
        latencies[is_beside] = sent.latencies
        cpu[is_beside] = (_processor(respondents) - before) / submissions
    return Slowed(latencies[False], latencies[True], (cpu[False], cpu[True]), replies)


@contextmanager
def _looping(port: int, program: Program, replies: Counter[int]) -> Iterator[None]:
    """Meanwhile a process of its own asks without a pause; what it got is added to ``replies``."""
    apart = multiprocessing.get_context("fork")
    ended, got = apart.Event(), apart.Array("i", 600)
    loop = apart.Process(target=_ask_on, args=(port, program, ended, got))
    loop.start()
    try:
        yield
    finally:
        ended.set()
        loop.join()
        replies.update({status: times for status, times in enumerate(got) if times})


def _ask_on(port: int, program: Program, ended: "Event", got: "SynchronizedArray[int]") -> None:
    os.setsid()
    os.nice(NICE)
    weigh_group(os.getpid(), NICE)
    link = http.client.HTTPConnection("127.0.0.1", port)
    while not ended.is_set():
        got[program.ask(link).status] += 1


# ---- Both ---------------------------------------------------------------------------------------


@contextmanager
def _serving(server: Gunicorn) -> Iterator[Gunicorn]:
    try:
        yield server
    finally:
        server.stop()


def _processor(server: Gunicorn) -> float:
    return processor_seconds([server.process.pid, *server.children()])


def _p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


def _report(rounds: list[Slowed]) -> list[str]:
    replies = sum((one.replies for one in rounds), Counter[int]())
    for place, name in enumerate(("alone", "beside")):
        seconds = [one for round_ in rounds for one in getattr(round_, name)]
        cpu = statistics.median(one.cpu[place] for one in rounds)
        print(
            f"  submissions {name:6}: p50 {1000 * statistics.median(seconds):.2f} ms, "
            f"p95 {1000 * _p95(seconds):.2f} ms; {1000 * cpu:.2f} ms of CPU"
        )
    ratio = statistics.median(one.ratio for one in rounds)
    ratios = ", ".join(f"{one.ratio:.3f}" for one in rounds)
    print(f"  the loop got {', '.join(f'{n:,} of {status}' for status, n in replies.items())}")
    print(
        f"  beside the loop {ratio:.3f} times as long (wanted: at most {MOST_SLOWED}); "
        f"median of {len(rounds)} rounds: {ratios}"
    )
    return [f"the loop slows submissions {ratio:.3f} times"] if ratio > MOST_SLOWED else []


if __name__ == "__main__":
    main()
