"""The command ``deniable``: every command of the site, with data where it is called."""

import os
import subprocess
import sys

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
