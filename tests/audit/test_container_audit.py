"""The steps of ``deploy/Containerfile`` make a tree that serves, and systemd accepts the units."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.env import ROLES
from tests.conftest import ROOT, free_port, wait_until_listening
from tests.people import Person

pytestmark = pytest.mark.audit
DEPLOY = ROOT / "deploy"
# Accounts and directories of the system: a container has its own, this machine must not get any.
OF_THE_SYSTEM = ("useradd", "install")


def steps(target: str) -> list[tuple[str, str]]:
    """The instructions for a target with what they say: the base's, then its own."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in (DEPLOY / "Containerfile").read_text().splitlines():
        name, _, rest = line.partition(" ")
        if name == "FROM":
            found[rest.rpartition(" ")[2]] = stage = []
        elif name.isupper():
            stage.append((name, rest))
    return found["base"] + found[target]


def copied(source: str, target: Path) -> None:
    """What a builder copies: a file, or the tree without what is left out."""
    if source != ".":
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, target)
        return
    patterns = (ROOT / ".containerignore").read_text().replace("**/", "").split()
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*patterns), dirs_exist_ok=True)


def built(place: Path, target: str) -> Path:
    """The tree that the steps of a target make."""
    place.mkdir()
    variables = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for name, rest in steps(target):
        if name == "COPY":
            source, target = rest.split()
            copied(source, place / target)
        elif name == "RUN" and shlex.split(rest)[0] not in OF_THE_SYSTEM:
            subprocess.run(
                shlex.split(rest), cwd=place, env={**os.environ, **variables}, check=True
            )
    return place


@pytest.fixture(scope="module")
def trees(tmp_path_factory) -> dict[str, Path]:
    """What the steps of each target make."""
    room = tmp_path_factory.mktemp("trees")
    return {role: built(room / role, role) for role in ROLES[1:]}


def test_the_trees_that_the_steps_make_migrate_and_serve_their_role(trees, tmp_path):
    variables = {
        "PATH": os.environ["PATH"],
        "DENIABLE_DATA_DIR": str(tmp_path / "data"),
        "DENIABLE_HTTPS": "off",
    }
    script = dict(steps("worker"))["ENTRYPOINT"].strip('[]"')
    migrate = [script, "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=trees["worker"], env=variables, check=True)
    for role, login in (("web", 404), ("staff", 200)):
        (named,) = (rest for name, rest in steps(role) if rest.startswith("DENIABLE_ROLE="))
        with running([script, role], trees[role], tmp_path / role, variables, named) as port:
            assert Person(port).ask("/health/").text == "ok\n"
            assert Person(port).ask("/accounts/login/").status == login
    for place in trees.values():
        for name in ("pytest", "playwright", "mypy"):
            assert not list(place.glob(f".venv/lib/*/site-packages/{name}")), name


@contextmanager
def running(command, place: Path, log: Path, variables: dict[str, str], role: str) -> Iterator[int]:
    """A container's first process; the port at which it serves."""
    port = free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=place,
            env={**variables, "PORT": str(port), **dict([role.split("=")])},
            stdout=output,
            stderr=output,
        )
    try:
        wait_until_listening(process, port, log)
        yield port
    finally:
        process.terminate()
        process.wait()


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
