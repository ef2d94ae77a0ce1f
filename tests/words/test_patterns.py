"""Sentences name who does what: no text has a pattern that had to be read twice."""

import pytest

from tests.locale.sources import marked_texts
from tests.words.patterns import PATTERNS, Pattern

# Help texts and choices of tables change with a migration alone, so for staff they are left out.
TABLES = "surveys/models/"


def texts_with(pattern: Pattern, catalogue: str) -> set[str]:
    entries = marked_texts(catalogue)
    return {
        entry.msgid
        for entry in entries
        if pattern.found.search(entry.msgid) or pattern.found.search(entry.plural)
        if catalogue == "respondents" or not entry.sources[0].startswith(TABLES)
    }


def named(pattern: Pattern) -> str:
    return pattern.found.pattern


@pytest.mark.parametrize("pattern", PATTERNS, ids=named)
def test_no_text_for_respondents_has_it(pattern):
    assert texts_with(pattern, "respondents") == set(), pattern.instead


@pytest.mark.parametrize("pattern", PATTERNS, ids=named)
def test_no_text_for_staff_has_it(pattern):
    assert texts_with(pattern, "staff") == set(), pattern.instead


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Whoever knows it tells of those who asked, of which so many are meant.", 6),
        ("Someone who reads the database knows it.", 0),
        ("Who reads it knows it.", 1),
        ("Who asks?", 0),
        ("Every item is equally likely, whoever you are.", 0),
    ],
)
def test_a_pattern_is_found_where_it_stands(text, count):
    assert sum(bool(pattern.found.search(text)) for pattern in PATTERNS) == count
