"""docs/tutorials/from-r.md: every name that it gives exists here, and what it shows runs."""

import importlib
import re
import subprocess
import sys

import pytest

from surveys import randomized_response as package
from tests.conftest import ROOT
from tests.shown import Shown

PATH = ROOT / "docs" / "tutorials" / "from-r.md"
PAGE = Shown.on(PATH)
# Names of ours: with a capital, or of several words.
NAME = re.compile(r"(?<![\w.\"])([A-Z]\w+|[a-z]+(?:_[a-z]+)+)(?=\(|`|$|,)")
# Arguments and methods of what was made, not functions of a namespace.
ARGUMENTS = {"single_units", "design_effects"}


def names_here() -> set[str]:
    cells = [line.split(" | ", 1)[1] for line in PATH.read_text().splitlines() if line[:2] == "| "]
    quoted = [text for cell in cells for text in re.findall(r"`([^`]+)`", cell)]
    return {name for text in quoted for name in NAME.findall(text)} - ARGUMENTS


def public_names() -> set[str]:
    spaces = (importlib.import_module(f"{package.__name__}.{name}") for name in package.__all__)
    return {name for space in spaces for name in getattr(space, "__all__", ())}


def test_every_name_in_the_column_here_is_public():
    assert len(names_here()) > 45
    assert names_here() - public_names() == set()


@pytest.mark.parametrize("block", PAGE.python)
def test_the_blocks_of_the_page_run(block):
    result = subprocess.run(
        [sys.executable, "-c", block], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
