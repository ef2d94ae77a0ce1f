"""The command ``deniable``: every command of the site, with data where it is called."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from surveys import PROGRAM
from tests.conftest import ROOT


def deniable(*arguments: str, cwd) -> subprocess.CompletedProcess[str]:
    others = ("DENIABLE_", "DJANGO_")  # the tests' own settings
    kept = {name: text for name, text in os.environ.items() if not name.startswith(others)}
    return subprocess.run(
        [sys.executable, "-m", "config.deniable", *arguments],
        cwd=cwd,
        env=kept | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_runs_any_command(tmp_path):
    done = deniable("version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{PROGRAM}\n"), done.stderr


@pytest.mark.audit
def test_its_exit_code_is_that_of_the_command(tmp_path):
    assert deniable("check", cwd=tmp_path).returncode == 0
    assert (tmp_path / "var" / "secret_key").is_file()
    assert deniable("no-such-command", cwd=tmp_path).returncode == 1


@pytest.mark.audit
def test_it_serves_by_the_settings_of_the_site(tmp_path):
    done = deniable("serve", "--print-config", cwd=tmp_path)
    assert "config.logs.ServerLogger" in done.stdout, done.stderr


def test_a_demonstration_that_cannot_start_says_why_and_keeps_its_data_where_it_is_called(tmp_path):
    done = deniable("demo", "--port", "99999999", cwd=tmp_path)
    assert done.returncode == 1
    assert "cannot be used" in done.stderr
    assert (tmp_path / "var" / "secret_key").is_file()


@contextmanager
def demonstration(*, server: str, worker: str) -> Iterator[subprocess.Popen[str]]:
    """A demonstration whose server and worker are these commands of a shell."""
    program = "import sys; from config.deniable import serve_beside as run; sys.exit(run({}, {}))"
    commands = (["sh", "-c", server], ["sh", "-c", worker])
    process = subprocess.Popen(
        [sys.executable, "-c", program.format(*commands)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.terminate()


def test_a_demonstration_notices_that_its_worker_was_killed_and_starts_it_again(tmp_path):
    os.mkfifo(tmp_path / "started")
    worker = f"echo $$ > {tmp_path}/started; exec sleep 60"
    with demonstration(server="exec sleep 60", worker=worker) as process:
        first = int((tmp_path / "started").read_text())
        os.kill(first, signal.SIGKILL)
        assert process.stdout.readline() == (
            "The worker for reports ended (killed by signal 9). It is started again.\n"
        )
        assert int((tmp_path / "started").read_text()) != first
    assert process.returncode == -signal.SIGTERM % 256  # as the server ended


def test_a_demonstration_whose_worker_ends_again_and_again_says_so_and_ends():
    with demonstration(server="exec sleep 60", worker="exit 3") as process:
        lines = process.stdout.readlines()
        assert process.wait() == 1
    assert len(lines) == 5
    assert "ended (exit code 3)" in lines[0]
    assert "ended 5 times, so the demonstration ends" in lines[-1]


def test_a_demonstration_that_is_stopped_starts_no_worker_again(tmp_path):
    os.mkfifo(tmp_path / "started")
    server = f"echo > {tmp_path}/started; exec sleep 60"
    with demonstration(server=server, worker="exec sleep 60") as process:
        (tmp_path / "started").read_text()
        process.terminate()
        assert process.stdout.read() == ""
        assert process.wait() == -signal.SIGTERM % 256
