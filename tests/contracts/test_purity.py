"""The maths runs where there is no Django: formulas of ranking, privacy, words and topics."""

import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.structure import ROOT

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "contracts"
]
(PURE,) = (one["source_modules"] for one in CONTRACTS if one["name"].startswith("The maths"))
IMPORTED = """
import importlib, json, sys
for name in ("django", "config", "allauth", "django_tasks"):
    sys.modules[name] = None  # an import of it is refused
failed = {}
for name in json.loads(sys.argv[1]):
    try:
        importlib.import_module(name)
    except ImportError as problem:
        failed[name] = str(problem)
print(json.dumps(failed))
"""


def modules(name: str) -> Iterator[str]:
    """A module, and all below it; with a star the modules of each folder there."""
    if "*" in name:
        for path in sorted(ROOT.glob(f"{name.replace('.', '/')}.py")):
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts)
        return
    yield name
    place = ROOT / Path(*name.split("."))
    yield from (one.name for one in pkgutil.walk_packages([str(place)], f"{name}."))


def failures(names: list[str]) -> dict[str, str]:
    """Which of these cannot be imported in a new process without Django, and why."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, json.dumps(names)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_formulas_are_among_what_is_promised_to_be_pure():
    assert {"ranking.posterior", "analytics.privacy", "analytics.text", "analytics.topics"} <= {
        *PURE
    }


@pytest.mark.audit  # lint finds each import; this also what a library imports
def test_every_pure_module_is_imported_without_django():
    names = [each for name in PURE for each in modules(name) if not each.endswith("__main__")]
    assert len(names) > 100
    assert failures(names) == {}


@pytest.mark.parametrize("name", ["ranking.queries", "analytics.models", "surveys.web.forms"])
def test_what_needs_django_cannot_be(name):
    assert list(failures([name])) == [name]


def test_tests_of_the_statistics_package_take_the_installed_one_where_there_is_one():
    """By ``tests.randomized_response``: where a wheel is installed there is no ``surveys``."""
    folder = ROOT / "tests" / "surveys" / "randomized_response"
    files = [*folder.rglob("*.py"), ROOT / "tests" / "oracles" / "test_rr_oracles.py"]
    assert len(files) > 100
    named = re.compile(r"^\s*(?:from|import) surveys\b", re.MULTILINE)
    assert [path.name for path in files if named.search(path.read_text())] == []
