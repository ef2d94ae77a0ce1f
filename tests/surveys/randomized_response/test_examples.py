"""Every example of the package runs as it is printed, those of its README too."""

import doctest
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest

from tests.randomized_response import __name__ as NAME
from tests.randomized_response import __path__ as PATH

MODULES = sorted(module.name for module in pkgutil.walk_packages(PATH, f"{NAME}."))
README = Path(__file__).parents[3] / "surveys" / "randomized_response" / "README.md"


@pytest.fixture(autouse=True)
def _by_its_own_name(monkeypatch):
    """Examples say ``randomized_response``, whichever copy is tested."""
    for name in [NAME, *MODULES]:
        if not name.endswith("__main__"):
            own = "randomized_response" + name.removeprefix(NAME)
            monkeypatch.setitem(sys.modules, own, importlib.import_module(name))


@pytest.mark.parametrize("name", [NAME, *MODULES])
def test_the_examples_of_a_module_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_tour_runs():
    found = doctest.testfile(str(README), module_relative=False)
    assert found.attempted > 10
    assert found.failed == 0
