"""People who send until they are answered, and what became of what they sent."""

import hashlib
import http.client
import random
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import unescape

HEADERS = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
HEADING = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)
PEOPLE = 8
PATIENCE = 20  # seconds, as the respondent's script has
PAUSE = 0.1
DEAF = 0.05
UNDECIDED = (0, *range(500, 600))  # statuses after which the same body is sent again


@dataclass(frozen=True)
class Sending:
    """A body that was drawn once, and the number by which it is recognized."""

    address: str
    body: str
    serial: int

    @property
    def digest(self) -> str:
        """What the server keeps of the submission key."""
        key = self.body.partition("&key=")[2][:32]
        return hashlib.sha256(bytes.fromhex(key)).hexdigest()


@dataclass
class Outcome:
    """What the senders were told."""

    sent: int = 0
    acknowledged: list[int] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    resent: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: "Outcome") -> "Outcome":
        self.sent += other.sent
        self.acknowledged += other.acknowledged
        self.refused += other.refused
        self.resent += other.resent
        return self


class Crowd:
    """Several people at once.

    Each keeps its body and sends it again, unchanged, after a lost reply or one that says to try
    again, exactly as the respondent's script does. With ``deaf``, one in twenty misses the first
    reply. Whoever gives up after a minute stops everybody.
    """

    def __init__(
        self,
        port: int,
        sendings: Iterable[Sending],
        *,
        tries: int = 600,
        deaf: random.Random | None = None,
    ) -> None:
        self.port = port
        self.queue = list(sendings)[::-1]
        self.tries = tries
        self.deaf = deaf
        self.outcome = Outcome(sent=len(self.queue))
        self.gate = threading.Event()
        self.gate.set()
        self.lock = threading.Lock()
        self.people = [threading.Thread(target=self._person, daemon=True) for _ in range(PEOPLE)]

    def start(self) -> "Crowd":
        for person in self.people:
            person.start()
        return self

    @property
    def is_sending(self) -> bool:
        return any(person.is_alive() for person in self.people)

    def wait_for(self, acknowledged: int) -> None:
        """Until so many were acknowledged, or nobody sends any more."""
        while self.is_sending and len(self.outcome.acknowledged) < acknowledged:
            time.sleep(0.01)

    def settle(self) -> None:
        """Until everybody has been answered; nobody sends another until the gate is open again."""
        with self.lock:
            self.gate.clear()
        while self._unanswered():
            time.sleep(0.01)

    def _unanswered(self) -> int:
        with self.lock:
            told = len(self.outcome.acknowledged) + self.outcome.refused.total()
            return self.outcome.sent - len(self.queue) - told

    def join(self) -> Outcome:
        for person in self.people:
            person.join()
        return self.outcome

    def _person(self) -> None:
        while True:
            self.gate.wait()
            with self.lock:
                if not self.queue:
                    return
                if not self.gate.is_set():
                    continue
                sending = self.queue.pop()
            status, told = self._until_answered(sending)
            with self.lock:
                if status == 200:
                    self.outcome.acknowledged.append(sending.serial)
                else:
                    self.outcome.refused[f"{status} {told}"] += 1
                if status in UNDECIDED:
                    self.queue.clear()

    def _until_answered(self, sending: Sending) -> tuple[int, str]:
        if self.deaf and self.deaf.random() < DEAF:
            post(self.port, sending)
            self._again("the reply was lost on purpose")
        for _ in range(self.tries):
            status, told = post(self.port, sending)
            if status not in UNDECIDED:
                break
            self._again(f"{status} {told}" if status else "no reply")
            time.sleep(PAUSE)
        return status, told

    def _again(self, why: str) -> None:
        with self.lock:
            self.outcome.resent[why] += 1


def post(port: int, sending: Sending) -> tuple[int, str]:
    """Status and heading of one reply; 0 if no whole reply came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("POST", sending.address, sending.body, HEADERS)
        reply = connection.getresponse()
        page = reply.read().decode()
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()
    heading = HEADING.search(page)
    return reply.status, unescape(heading[1]).strip() if heading else ""


def at_once(acts: Iterable[Callable[[], None]]) -> None:
    """All at the same moment, each in a thread of its own."""
    waiting = list(acts)
    start = threading.Barrier(len(waiting))

    def run(act: Callable[[], None]) -> None:
        start.wait()
        act()

    threads = [threading.Thread(target=run, args=(act,)) for act in waiting]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def new_key() -> str:
    """A submission key, as the browser draws it."""
    return secrets.token_hex(16)
