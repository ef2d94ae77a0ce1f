"""What a page of the documentation claims, a test backs; links lead somewhere."""

import re

import pytest

from tests.conftest import ROOT

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


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


def test_every_row_of_the_promises_names_its_test():
    rows = re.findall(r"^\| (P\d+) .*\|$", (ROOT / "docs" / "privacy.md").read_text(), re.M)
    text = (ROOT / "docs" / "privacy.md").read_text()
    assert rows == [f"P{number}" for number in range(1, 16)]
    for row in rows:
        line = next(line for line in text.splitlines() if line.startswith(f"| {row} "))
        assert "`tests/promises/" in line
