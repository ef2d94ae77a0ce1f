"""What a page of the documentation claims, a test backs; links lead somewhere."""

import re

import pytest

from tests.conftest import ROOT

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_picture_exists(page):
    for target in re.findall(r"\]\((?!#)([^)]+)\)", page.read_text()):
        assert not target.startswith(("http:", "https:")) or "doi.org" in target
        if not target.startswith("http"):
            assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_that_is_named_exists(page):
    for path, name in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page.read_text()):
        assert (ROOT / path).exists(), path
        if name:
            assert f"def {name}(" in (ROOT / path).read_text(), f"{path}::{name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_of_the_code_that_is_named_exists(page):
    folders = "surveys|ranking|analytics|config|static|templates"
    for path in re.findall(rf"`((?:{folders})/[\w/.-]+\.(?:py|js|html|css))`", page.read_text()):
        assert (ROOT / path).exists(), path


def test_every_promise_against_people_who_act_and_every_smaller_one_names_its_test():
    text = (ROOT / "docs" / "privacy.md").read_text()
    acting = text.partition("## Against people who act")[2].partition("\n## ")[0]
    rows = [line for line in acting.splitlines() if line.startswith("| ")][1:]
    smaller = text.partition("## Smaller promises\n\n- ")[2].partition("\n## ")[0].split("\n- ")
    assert len(rows) >= 7
    assert len(smaller) >= 9
    for promise in (*rows, *smaller):
        assert "`tests/" in promise, promise


def test_every_requirement_that_is_held_names_a_test_unless_it_asks_for_words():
    text = (ROOT / "docs" / "security.md").read_text()
    rows = re.findall(r"^\| ([\d., ]+ .*?) \| held[^|]*\| (.*) \|$", text, re.M)
    assert len(rows) >= 25
    for name, reason in rows:
        assert "`tests/" in reason or name.endswith(("Documentation", "Inventory")), name


def test_every_row_of_the_promises_names_its_test():
    rows = re.findall(r"^\| (P\d+) .*\|$", (ROOT / "docs" / "privacy.md").read_text(), re.M)
    text = (ROOT / "docs" / "privacy.md").read_text()
    assert rows == [f"P{number}" for number in range(1, 16)]
    for row in rows:
        line = next(line for line in text.splitlines() if line.startswith(f"| {row} "))
        assert "`tests/promises/" in line
