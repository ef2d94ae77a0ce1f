"""Each word of the glossary stands once, and each module and page that it names exists."""

import re

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "glossary.md").read_text()
ROWS = [row for row in re.findall(r"^\| (.+) \|$", PAGE, re.M) if not row.startswith("Word ")]
ENTRIES = [[cell.strip() for cell in row.split(" | ")] for row in ROWS]


def exists(name: str) -> bool:
    """Whether a page, or a module or package with dots, is there."""
    if "/" in name:
        return (ROOT / name).exists()
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def test_each_entry_has_a_word_a_meaning_a_place_and_what_not_to_say():
    assert len(ENTRIES) > 40
    assert [entry for entry in ENTRIES if len(entry) != 4] == []


def test_each_word_stands_once():
    words = [entry[0] for entry in ENTRIES]
    assert sorted(set(words)) == sorted(words)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry[0])
def test_what_an_entry_names_exists(entry):
    word, meaning, where, _ = entry
    assert where == "–" or re.fullmatch(r"`[\w./-]+`", where), word
    for name in re.findall(r"`([\w./]+[./][\w./-]+)`", f"{meaning} {where}"):
        assert exists(name), name


def test_readers_get_to_the_glossary():
    assert "(docs/glossary.md)" in (ROOT / "README.md").read_text()
    assert "(glossary.md)" in (ROOT / "docs" / "developing.md").read_text()
