"""Sentences name who does what: no text has a pattern that had to be read twice."""

import pytest

from tests.locale.sources import marked_texts
from tests.words.patterns import PATTERNS, Pattern

# What surveys that were launched before promised in these words, which pages say from the code:
# they stay until a survey names the edition of its wording. Each has a pattern; the list shrinks.
PROMISED = {
    "Your answer stays in this browser. It is part of your answer to question %(first)s, of which "
    "only the result of the coins is sent.",
    "All answers, and whatever internal reports took from your texts, are deleted on {day} at the "
    "latest.",
    "Only totals are opened, once, with chance added: no total tells whether you are in it.",
    "How often each report to a protected question came may be published as it is: that tells less "
    "about you than what you sent.",
    "Some questions are asked only of people with certain answers to questions that are not "
    "protected. Whether you are asked one tells nothing else, and what this site's script sends is "
    "as long either way.",
}
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
    assert texts_with(pattern, "respondents") - PROMISED == set(), pattern.instead


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


def test_promises_that_keep_their_words_have_a_pattern_each():
    found = set().union(*(texts_with(pattern, "respondents") for pattern in PATTERNS))
    assert found == PROMISED
