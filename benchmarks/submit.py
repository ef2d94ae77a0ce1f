"""What a submission costs the server, beside a bare one-row insert on the same server.

Run: ``python -m benchmarks.submit [--database postgresql] [--sixty]``. The views are served by the
same gunicorn over the same database, in turns, so that the ratio holds also if the machine has
other work. Bare views stand below the same survey, behind the two middlewares that submissions
pass, and reply with the same headers; the last ratio is to one behind all middlewares, as pages of
staff are. Senders are a process of their own; each request comes from another network, with other
answers, and the limits are on. What counts is the processor time of all processes that take part,
flushes included; the rate is printed beside.
"""

import argparse
import http.client
import json
import os
import random
import secrets
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machines import Gunicorn, Postgresql, Sqlite
from benchmarks.sites import DATABASES, make_owner, site

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Survey
    from surveys.questionnaire.kinds.question import Question

CLIENTS = 4
PEOPLE = 500  # whose answers are drawn; each request has a submission key of its own
BATCH = 20
# Of a bare insert by the processor time of the servers, and with that of the database, if apart.
AIMS = {"sqlite": (0.75, 0.75), "postgresql": (0.65, 0.6)}
FLUSHED = 2.0  # seconds after which all whole batches are flushed, also the last ones
KEY = b"&key="
HEADERS = {  # as the page's script sends them
    "Content-Type": "application/x-www-form-urlencoded",
    "Sec-Fetch-Site": "same-origin",
    "Accept": "application/json",
}
VIEWS = ("submissions", "bare inserts", "plain SQL", "behind all")


@dataclass(frozen=True)
class Target:
    """A page to post to, and the bodies that are sent in turns."""

    path: str
    bodies: list[str]


@dataclass(frozen=True)
class Round:
    """One round of one view: requests a second, processor ms of a request, seconds of each.

    ``server`` are the processes that serve pages, ``database`` those of PostgreSQL.
    """

    rate: float
    server: float
    database: float
    latencies: list[float]

    @property
    def cost(self) -> float:
        return self.server + self.database


def main() -> None:
    """Measure and print; or, as the process of the senders, send."""
    arguments = _arguments()
    if arguments.send:
        _send(arguments.send, json.load(sys.stdin), arguments.requests)
        return
    settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.settings", "DENIABLE_BEHIND_PROXY": "on"}
    with site(arguments.database, **settings) as here:
        asked = (sixty if arguments.sixty else affairs)(make_owner())
        below = asked.path.removesuffix("send/")
        targets = [asked, *(Target(path, _few()) for path in (below + "bare/", below + "raw/"))]
        targets.append(Target("/bare/", _few()))
        server = Gunicorn(here.directory / "server.log", workers=arguments.workers)
        try:
            rounds = _rounds(server, here.database, targets, arguments)
        finally:
            server.stop()
    _report(arguments.database, rounds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=1000, help="per round and view")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sixty", action="store_true", help="a survey of sixty questions")
    parser.add_argument("--send", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- What is sent -------------------------------------------------------------------------------


def _few() -> list[str]:
    return [f"x={secrets.token_hex(16)}" for _ in range(PEOPLE)]


def sixty(owner: "User") -> Target:
    """Every kind of question that one page can hold, rules, families and arms."""
    from tests.sixty import make_sixty, random_bodies

    survey = make_sixty(owner, batch_size=BATCH)
    return _target(survey, random_bodies(survey, PEOPLE))


def affairs(owner: "User") -> Target:
    """The demonstration's survey, newly opened; every answer is drawn among all."""
    from surveys.demonstration.affairs import open_affairs_survey
    from surveys.models.queries import questionnaire_of
    from tests.bodies import body_of

    survey, chance = open_affairs_survey(owner, planned_responses=1), random.Random(7)
    items = questionnaire_of(survey.revision).items
    rows = ([_code(item, chance) for item in items] for _ in range(PEOPLE))
    return _target(survey, (body_of(survey.revision, row) for row in rows))


def _target(survey: "Survey", bodies: Iterable[bytes]) -> Target:
    from django.urls import reverse

    address = reverse("respondent:send", args=[survey.pk])
    return Target(address, [body.decode() for body in bodies])


def _code(item: "Question", chance: random.Random) -> str:
    """A level of a question; a number; a text of a few words, or none."""
    from surveys.kinds.levels.promise import Leveled
    from surveys.kinds.text.promise import TextQuestion

    if isinstance(item, TextQuestion):
        words = chance.choices(("a", "few", "words", "as", "people", "write", "them"), k=8)
        return item.encode(chance.choice(("", " ".join(words))))
    return chance.choice(item.levels).code if isinstance(item, Leveled) else _number(item, chance)


def _number(item: "Question", chance: random.Random) -> str:
    from decimal import Decimal

    low, high = (Decimal(bound) for bound in item.number.bounds)
    return item.number.encode(Decimal(chance.randint(int(low), int(high))))


# ---- Sending, in a process of its own -----------------------------------------------------------


def _send(port: int, target: dict[str, list[str]], requests: int) -> None:
    """Send, several at a time, and print the seconds of each request that was answered."""
    latencies: list[float] = []
    turns = [range(first, requests, CLIENTS) for first in range(CLIENTS)]
    threads = [
        threading.Thread(target=_client, args=(port, target, turn, latencies)) for turn in turns
    ]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    json.dump({"seconds": time.perf_counter() - start, "latencies": latencies}, sys.stdout)


def _client(port: int, target: dict, turn: range, latencies: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    chance = random.SystemRandom()
    for number in turn:
        body = renamed(target["bodies"][number % len(target["bodies"])].encode())
        network = ".".join(str(chance.randrange(1, 255)) for _ in range(4))
        start = time.perf_counter()
        connection.request("POST", target["path"], body, {**HEADERS, "X-Forwarded-For": network})
        reply = connection.getresponse()
        reply.read()
        if reply.status == 200:
            latencies.append(time.perf_counter() - start)


def renamed(body: bytes) -> bytes:
    """The same answers under a fresh submission key; as they are, if a voucher is for their key."""
    if b"&voucher=" in body:
        return body
    before, found, after = body.partition(KEY)
    return before + KEY + secrets.token_hex(16).encode() + after[32:] if found else body


# ---- Measuring ----------------------------------------------------------------------------------


def _rounds(
    server: Gunicorn,
    database: Sqlite | Postgresql,
    targets: list[Target],
    arguments: argparse.Namespace,
) -> list[list[Round]]:
    """The first round, in which modules and plans are loaded, counts for nothing."""
    found = []
    for _ in range(1 + arguments.rounds):
        found.append([measure(server, database, one, arguments.requests) for one in targets])
    return found[1:]


def measure(
    server: Gunicorn, database: Sqlite | Postgresql, target: Target, requests: int
) -> Round:
    seconds: list[Callable[[], float]] = [
        lambda: processor_seconds([server.process.pid, *server.children()]),
        lambda: processor_seconds(processes_of(database)),
    ]
    before = [one() for one in seconds]
    command = [sys.executable, "-m", "benchmarks.submit", "--send", str(server.port)]
    said = subprocess.run(
        [*command, "--requests", str(requests)],
        input=json.dumps({"path": target.path, "bodies": target.bodies}).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    time.sleep(FLUSHED)  # else the last flushes would count for the view that comes next
    used = [1000 * (one() - then) / requests for one, then in zip(seconds, before, strict=True)]
    told = json.loads(said.stdout)
    if len(told["latencies"]) != requests:
        raise SystemExit(f"{target.path}: some requests were refused.")
    return Round(requests / told["seconds"], *used, told["latencies"])


def processes_of(database: Sqlite | Postgresql) -> list[int]:
    if isinstance(database, Sqlite):
        return []
    pid = database.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def processor_seconds(pids: list[int]) -> float:
    """What they used until now; one that ended meanwhile is left out."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def _report(database: str, rounds: list[list[Round]]) -> None:
    for name, of_view in zip(VIEWS, zip(*rounds, strict=True), strict=True):
        rate = statistics.median(one.rate for one in of_view)
        server, inside = (
            statistics.median(getattr(one, part) for one in of_view)
            for part in ("server", "database")
        )
        slowest = [seconds for one in of_view for seconds in one.latencies]
        p95 = statistics.quantiles(slowest, n=20)[-1] * 1000
        print(
            f"{name:<13} {server:5.2f} ms of CPU, {inside:5.2f} ms in the database; "
            f"{rate:5.0f} per second, p95 {p95:6.1f} ms"
        )
    for place, name in enumerate(VIEWS[1:], start=1):
        server = statistics.median(one[place].server / one[0].server for one in rounds)
        whole = statistics.median(one[place].cost / one[0].cost for one in rounds)
        rate = statistics.median(one[0].rate / one[place].rate for one in rounds)
        aims = [f" (aim: at least {aim})" if place == 1 else "" for aim in AIMS[database]]
        print(
            f"of {name:<12} {server:5.2f} by CPU{aims[0]}, {whole:.2f} with that of {database}"
            f"{aims[1]}, {rate:.2f} by rate; median of {len(rounds)} rounds"
        )


if __name__ == "__main__":
    main()
