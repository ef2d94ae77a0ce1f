"""People who send for as long as it takes, and the server that they send to.

Each person keeps the body that was drawn and sends it again, unchanged, after a lost reply or a
reply that says so, exactly as the respondent's page does.
"""

import http.client
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from surveys.collecting.pages import FORM
from tests import patience, roles
from tests.conftest import ROOT, environment, free_port, wait_until_listening

HEADERS = {"Content-Type": FORM, "Sec-Fetch-Site": "same-origin"}
FROM_THE_SCRIPT = {**HEADERS, "Accept": "application/json"}


@dataclass
class Gunicorn:
    """A gunicorn of its own, that may be killed."""

    port: int
    process: subprocess.Popen[bytes]

    def workers(self) -> list[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    def kill_a_worker(self) -> bool:
        """kill -9; False if there was none at the moment."""
        for pid in self.workers()[:1]:
            os.kill(pid, signal.SIGKILL)
            return True
        return False


@contextmanager
def gunicorn(log: Path, *arguments: str, workers: int = 2, **settings: str) -> Iterator[Gunicorn]:
    """The server as it runs in service, over the test database and with more settings."""
    port = free_port()
    python, role = roles.server()
    command = [
        python, "-m", "gunicorn", "-c", "config/server.py", "--workers", str(workers),
        "--bind", f"127.0.0.1:{port}", *arguments, "config.wsgi",
    ]  # fmt: skip
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment(), **role, **settings},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_listening(process, port, log)
        yield Gunicorn(port, process)
    finally:
        process.terminate()
        process.wait(patience.SECONDS)


@dataclass
class Outcome:
    """What became of the bodies that were sent."""

    acknowledged: list[bytes] = field(default_factory=list)
    refused: list[tuple[int, bytes]] = field(default_factory=list)
    sent_again: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, answered: int) -> None:
        """Until so many were acknowledged or refused."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.acknowledged) + len(self.refused) >= answered)


def send_all(
    address: str,
    port: int,
    bodies: Iterable[bytes],
    *,
    people: int = 4,
    meanwhile: Callable[[Outcome], None] = lambda outcome: None,
    headers: Mapping[str, str] = HEADERS,
) -> Outcome:
    """Several people at once send all bodies; ``meanwhile`` runs in the caller's thread."""
    outcome, queue = Outcome(), list(bodies)
    threads = [
        threading.Thread(target=_person, args=(address, port, queue, outcome, headers))
        for _ in range(people)
    ]
    for thread in threads:
        thread.start()
    meanwhile(outcome)
    for thread in threads:
        thread.join()
    return outcome


def _person(
    address: str, port: int, queue: list[bytes], outcome: Outcome, headers: Mapping[str, str]
) -> None:
    while True:
        with outcome.changed:
            if not queue:
                return
            body = queue.pop()
        status = _until_answered(address, port, body, outcome, headers)
        with outcome.changed:
            if status == 200:
                outcome.acknowledged.append(body)
            else:
                outcome.refused.append((status, body))
            outcome.changed.notify_all()


def _until_answered(
    address: str, port: int, body: bytes, outcome: Outcome, headers: Mapping[str, str]
) -> int:
    while True:
        status = post(address, port, body, headers)
        if status is not None and status < 500:
            return status
        with outcome.changed:
            outcome.sent_again += 1


def post(address: str, port: int, body: bytes, headers: Mapping[str, str] = HEADERS) -> int | None:
    """The status of one attempt; None if no whole reply came."""
    try:
        status, _ = answer(address, port, body, headers)
    except (OSError, http.client.HTTPException):
        return None
    return status


def answer(
    address: str, port: int, body: bytes, headers: Mapping[str, str] = HEADERS
) -> tuple[int, str]:
    """The status and the page of one attempt. Raises what a broken connection raises."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience.SECONDS)
    try:
        connection.request("POST", address, body, dict(headers))
        reply = connection.getresponse()
        text = reply.read().decode()
    finally:
        connection.close()
    return reply.status, text
