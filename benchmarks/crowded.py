"""Submissions while 16 dashboards of a million answers reload all the time, beside idle ones.

Run: ``python -m benchmarks.crowded [--responses 1000000] [--database postgresql] [--one-pool]``.
Respondents and staff have processes of their own, as many as the units of ``deploy/`` give them;
``--one-pool`` measures what happens without. Staff's group of processes is nice, which stands for
its small share of the processor. Submissions come one after another from each of a few senders,
with pauses.
"""

import argparse
import http.client
import multiprocessing
import os
import random
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.large_surveys import addresses_of, large_survey
from benchmarks.machines import Gunicorn, weigh_group
from benchmarks.sites import DATABASES, cookie_of, make_owner, site
from benchmarks.submit import HEADERS, Target, affairs, renamed

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

DASHBOARDS = 16
SENDERS = 4
PAUSE = 0.1  # seconds between two submissions of one sender
AIM = 2.0  # times the idle p95
NICE = 10  # a tenth of the others' share, as CPUWeight=10
STAFF_WORKERS = 1  # as deniable-staff.service


@dataclass
class Sent:
    """What senders were told: seconds of each submission, and how many were refused."""

    latencies: list[float] = field(default_factory=list)
    refused: int = 0


def main() -> None:
    """Measure and print; stop with an error if an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--responses", type=int, default=1_000_000)
    parser.add_argument("--submissions", type=int, default=400)
    parser.add_argument("--one-pool", action="store_true")
    arguments = parser.parse_args()
    with site(arguments.database, DENIABLE_BEHIND_PROXY="on") as here:
        problems = _measured(here.directory, arguments)
    if problems:
        raise SystemExit("; ".join(problems))


def _measured(directory: Path, arguments: argparse.Namespace) -> list[str]:
    large, target = large_survey(arguments.responses), affairs(make_owner())
    dashboard, cookie = addresses_of(str(large.pk))["dashboard"][0], cookie_of(large.owner)
    respondents = Gunicorn(directory / "web.log", workers=2)
    staff = (
        respondents
        if arguments.one_pool
        else Gunicorn(directory / "staff.log", workers=STAFF_WORKERS)
    )
    try:
        if staff is not respondents:
            staff.step_back(NICE)
        send(respondents.port, target, 40)  # modules and plans are loaded
        idle = send(respondents.port, target, arguments.submissions)
        apart = multiprocessing.get_context("fork")
        ended, loads = apart.Event(), apart.Value("i", 0)
        # A process of their own, so that what reads pages does not slow what measures answers.
        readers = apart.Process(target=_readers, args=(staff.port, dashboard, cookie, ended, loads))
        readers.start()
        crowded = send(respondents.port, target, arguments.submissions)
        ended.set()
        readers.join()
        if readers.exitcode:
            raise SystemExit("A dashboard was not shown.")
    finally:
        staff.stop()
        if staff is not respondents:
            respondents.stop()
    acknowledged = len(idle.latencies) + len(crowded.latencies) + 40
    return _report(idle, crowded, loads.value, acknowledged - _stored())


def _readers(port: int, path: str, cookie: str, ended: Event, loads: "Synchronized[int]") -> None:
    os.setsid()
    os.nice(NICE)
    weigh_group(os.getpid(), NICE)
    with ThreadPoolExecutor(DASHBOARDS) as people:
        list(people.map(lambda _: _reload(port, path, cookie, ended, loads), range(DASHBOARDS)))


def _reload(port: int, path: str, cookie: str, ended: Event, loads: "Synchronized[int]") -> None:
    """One dashboard, again as soon as it is there."""
    while not ended.is_set():
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        link.request("GET", path, headers={"Cookie": cookie})
        reply = link.getresponse()
        reply.read()
        link.close()
        if reply.status != 200:
            raise RuntimeError(f"A dashboard was answered {reply.status}.")
        with loads.get_lock():
            loads.value += 1


def send(port: int, target: Target, count: int) -> Sent:
    """Send so many submissions, from a few senders side by side."""
    sent, lock = Sent(), threading.Lock()
    senders = [
        threading.Thread(target=_sender, args=(port, target, count // SENDERS, sent, lock))
        for _ in range(SENDERS)
    ]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    return sent


def _sender(port: int, target: Target, count: int, sent: Sent, lock: threading.Lock) -> None:
    chance = random.SystemRandom()
    for _ in range(count):
        body = renamed(chance.choice(target.bodies).encode())
        network = ".".join(str(chance.randrange(1, 255)) for _ in range(4))
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        start = time.perf_counter()
        link.request("POST", target.path, body, {**HEADERS, "X-Forwarded-For": network})
        reply = link.getresponse()
        reply.read()
        taken = time.perf_counter() - start
        link.close()
        with lock:
            if reply.status == 200:
                sent.latencies.append(taken)
            else:
                sent.refused += 1
        time.sleep(PAUSE)


def _stored() -> int:
    """What is kept of the submissions: rows that are shown and those that wait."""
    from surveys.demonstration.affairs import AFFAIRS_ID
    from surveys.models import Response, Waiting

    return sum(
        model.objects.filter(revision__survey=AFFAIRS_ID).count() for model in (Response, Waiting)
    )


def _report(idle: Sent, crowded: Sent, loads: int, lost: int) -> list[str]:
    p95 = {
        name: 1000 * statistics.quantiles(one.latencies, n=20)[-1]
        for name, one in (("idle", idle), ("crowded", crowded))
    }
    middle = {
        name: 1000 * statistics.median(one.latencies)
        for name, one in (("idle", idle), ("crowded", crowded))
    }
    ratio = p95["crowded"] / p95["idle"]
    refused = idle.refused + crowded.refused
    print(
        f"submissions alone: p50 {middle['idle']:.1f} ms, p95 {p95['idle']:.1f} ms\n"
        f"beside {DASHBOARDS} dashboards ({loads} loads): p50 {middle['crowded']:.1f} ms, "
        f"p95 {p95['crowded']:.1f} ms: {ratio:.2f} times (aim: at most {AIM})\n"
        f"refused {refused}, lost {lost}"
    )
    problems = [f"p95 is {ratio:.2f} times the idle one"] if ratio > AIM else []
    problems += [f"{refused} refused"] if refused else []
    return problems + ([f"{lost} lost"] if lost else [])


if __name__ == "__main__":
    main()
