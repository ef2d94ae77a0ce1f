"""docs/python.md: what it shows runs as it stands."""

import io
import json
import re
import shlex
import subprocess
import sys

import pytest
from django.core.management import call_command

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "python.md").read_text()
BLOCKS = re.findall(r"^```(\w+) ?([\w.]*)\n(.*?)^```$", PAGE, re.M | re.S)
PYTHON = [text for kind, _, text in BLOCKS if kind == "python"]
COMMANDS = [line for kind, _, text in BLOCKS if kind == "sh" for line in text.splitlines()]
FILES = {name: text for _, name, text in BLOCKS if name}
NO_DJANGO = """
import sys

class NoDjango:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "django":
            raise ImportError("Django was imported")

sys.meta_path.insert(0, NoDjango())
"""


def test_the_page_shows_python_commands_and_files():
    assert (len(PYTHON), len(COMMANDS), len(FILES)) == (4, 8, 6)


@pytest.mark.parametrize("block", PYTHON)
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


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run_on_the_files_shown(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    program, *arguments = shlex.split(command)
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    assert program == "manage.py"
    if "--format" not in arguments:
        assert json.loads(out.getvalue())["version"] == 1
    else:
        assert len(out.getvalue().splitlines()) > 2
