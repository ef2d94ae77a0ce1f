"""Every dependency is justified, and the lock pins all of it and names no host."""

import json
import re
import tomllib

import pytest

from config.env import ROLES
from tests.conftest import ROOT
from tests.contracts import locks

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]
LOCK = locks.text("requirements")

# What few people need: they install it themselves, and whatever asks for it says so.
NOT_LOCKED = {"bench"}


def declared(without: frozenset[str] | set[str] = frozenset()) -> set[str]:
    extras = PROJECT["optional-dependencies"]
    chosen = [lines for name, lines in extras.items() if name not in without]
    lines = PROJECT["dependencies"] + [line for extra in chosen for line in extra]
    return names(lines)


def names(lines: list[str]) -> set[str]:
    return {re.split(r"[\[<>=~!]", line)[0].strip().lower() for line in lines}


def packages_of_pages() -> set[str]:
    """What bundles are built of and with; `test_bundles.py` holds their locks."""
    manifest = json.loads((ROOT / "static" / "vendor" / "package.json").read_text())
    return {*manifest["dependencies"], *manifest["devDependencies"], *locks.locked("node")}


def group(name: str) -> set[str]:
    """The dependencies of a role, those of the groups in it included."""
    lines = [line for line in GROUPS[name] if isinstance(line, str)]
    inside = [one["include-group"] for one in GROUPS[name] if not isinstance(one, str)]
    return names(lines).union(*map(group, inside))


def test_each_dependency_has_a_line_that_justifies_it_and_no_other_has():
    page = (ROOT / "docs" / "dependencies.md").read_text()
    justified = {name.lower() for name in re.findall(r"^\| ([\w/@-]+) \| .+\. \|$", page, re.M)}
    assert justified == declared() | packages_of_pages()


def test_the_lock_holds_every_dependency_with_hashes():
    assert declared(without=NOT_LOCKED) <= locks.locked("requirements")
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\w)", LOCK.strip()))


def test_the_lock_names_no_package_host():
    assert not re.search(r"://|index-url|find-links|file:", LOCK)


@pytest.mark.parametrize("name", ["service", *ROLES[1:]])
def test_each_lock_pins_what_the_whole_lock_pins_and_nothing_for_tests(name):
    assert locks.pins(name) <= locks.pins("requirements")
    assert not locks.locked(name) & {"pytest", "playwright", "mypy", "ruff"}


def test_the_lock_of_the_service_holds_what_the_whole_site_needs():
    assert declared(without=NOT_LOCKED | {"demo", "dev"}) <= locks.locked("service")


def test_the_lock_of_each_role_holds_what_its_group_names_and_together_they_need_all():
    for role in ROLES[1:]:
        assert group(role) <= locks.locked(role)
    needed = set().union(*(group(role) for role in ROLES[1:]))
    assert needed == declared(without=NOT_LOCKED | {"dev"})
