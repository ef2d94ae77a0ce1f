"""Every dependency is justified, and the lock pins all of it and names no host."""

import re
import tomllib

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "config" / "requirements.lock").read_text()


# What few people need: they install it themselves, and whatever asks for it says so.
NOT_LOCKED = {"bench"}


def declared(without: frozenset[str] | set[str] = frozenset()) -> set[str]:
    extras = PROJECT["optional-dependencies"]
    chosen = [lines for name, lines in extras.items() if name not in without]
    lines = PROJECT["dependencies"] + [line for extra in chosen for line in extra]
    return {re.split(r"[\[<>=~!]", line)[0].strip().lower() for line in lines}


def test_each_dependency_has_a_line_that_justifies_it_and_no_other_has():
    page = (ROOT / "docs" / "dependencies.md").read_text()
    justified = {name.lower() for name in re.findall(r"^\| ([\w-]+) \| .+\. \|$", page, re.M)}
    assert justified == declared()


def test_the_lock_holds_every_dependency_with_hashes():
    locked = set(re.findall(r"^([\w.-]+)==\S+", LOCK, re.M))
    assert declared(without=NOT_LOCKED) <= locked
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\w)", LOCK.strip()))


def test_the_lock_names_no_package_host():
    assert not re.search(r"://|index-url|find-links|file:", LOCK)


def test_the_lock_of_the_service_holds_what_it_needs_and_nothing_for_tests():
    service = (ROOT / "config" / "service.lock").read_text()
    pinned = r"^[\w.-]+==\S+|--hash=\S+"
    assert set(re.findall(pinned, service, re.M)) <= set(re.findall(pinned, LOCK, re.M))
    locked = set(re.findall(r"^([\w.-]+)==\S+", service, re.M))
    assert declared(without=NOT_LOCKED | {"demo", "dev"}) <= locked
    assert not locked & {"pytest", "playwright", "mypy", "ruff"}
