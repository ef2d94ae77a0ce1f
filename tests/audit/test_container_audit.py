"""The steps of ``deploy/Containerfile`` make a tree that serves, and systemd accepts the units."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, free_port, wait_until_listening
from tests.people import Person

pytestmark = pytest.mark.audit
DEPLOY = ROOT / "deploy"
# Accounts and directories of the system: a container has its own, this machine must not get any.
OF_THE_SYSTEM = ("useradd", "install")


def steps() -> list[tuple[str, str]]:
    """The instructions with what they say, in their order."""
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    return [
        (name, rest) for name, _, rest in (line.partition(" ") for line in lines) if name.isupper()
    ]


def copied(source: str, target: Path) -> None:
    """What a builder copies: a file, or the tree without what is left out."""
    if source != ".":
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, target)
        return
    patterns = (ROOT / ".containerignore").read_text().replace("**/", "").split()
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*patterns), dirs_exist_ok=True)


def built(place: Path) -> Path:
    """The tree that the steps make."""
    place.mkdir()
    variables = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for name, rest in steps():
        if name == "COPY":
            source, target = rest.split()
            copied(source, place / target)
        elif name == "RUN" and shlex.split(rest)[0] not in OF_THE_SYSTEM:
            subprocess.run(
                shlex.split(rest), cwd=place, env={**os.environ, **variables}, check=True
            )
    return place


def test_the_tree_that_the_steps_make_migrates_and_serves(tmp_path):
    place, port = built(tmp_path / "deniable"), free_port()
    variables = {
        "PATH": os.environ["PATH"],
        "PORT": str(port),
        "DENIABLE_DATA_DIR": str(tmp_path / "data"),
        "DENIABLE_HTTPS": "off",
    }
    script = dict(steps())["ENTRYPOINT"].strip('[]"')
    subprocess.run([script, "migrate", "--verbosity", "0"], cwd=place, env=variables, check=True)
    log = tmp_path / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [script, "web"], cwd=place, env=variables, stdout=output, stderr=output
        )
    try:
        wait_until_listening(process, port, log)
        assert Person(port).ask("/health/").text == "ok\n"
        assert Person(port).ask("/accounts/login/").status == 200
    finally:
        process.terminate()
        process.wait()
    for name in ("pytest", "playwright", "mypy"):
        assert not list(place.glob(f".venv/lib/*/site-packages/{name}")), name


def test_systemd_accepts_the_units_and_finds_little_that_they_may_do(tmp_path):
    place = shutil.copytree(DEPLOY / "systemd", tmp_path / "units")
    for path in place.rglob("*.*"):
        if path.is_file():
            path.write_text(path.read_text().replace("/opt/deniable", str(ROOT)))
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
