"""docs/python.md: what it shows runs as it stands."""

import json
import shlex
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.shown import Shown

PAGE = Shown.on(ROOT / "docs" / "python.md")
NO_DJANGO = """
import sys

class NoDjango:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "django":
            raise ImportError("Django was imported")

sys.meta_path.insert(0, NoDjango())
"""


def test_the_page_shows_python_commands_and_files():
    assert (len(PAGE.python), len(PAGE.commands), len(PAGE.files)) == (6, 8, 6)


@pytest.mark.parametrize("block", PAGE.python)
def test_python_blocks_run_where_importing_django_raises(block):
    result = subprocess.run(
        [sys.executable, "-c", NO_DJANGO + block],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_the_guard_against_django_works():
    code = NO_DJANGO + "import django"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert result.returncode == 1


@pytest.mark.parametrize("command", PAGE.commands)
def test_commands_run_on_the_files_shown(command, tmp_path):
    output = PAGE.output(command, tmp_path)
    if "--format" not in shlex.split(command):
        assert json.loads(output)["version"] == 1
    else:
        assert len(output.splitlines()) > 2
