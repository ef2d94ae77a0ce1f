"""Quotes of earlier answers in a question's words: their syntax, and their place in documents."""

import json
from dataclasses import replace

import pytest

from surveys.kinds.text.promise import TextQuestion
from surveys.questionnaire.formats.launched import canonical_bytes
from surveys.questionnaire.kinds.registry import question_document, read_question
from surveys.questionnaire.logic.quotes import pieces, quoted_in, renumbered, unquoted

TWO = "Do you like {your answer to question 3} as much as {the one in 12}?"


def test_a_quote_is_words_that_end_with_a_number_in_braces():
    assert quoted_in(TWO) == (3, 12)
    assert unquoted(TWO) == "Do you like your answer to question 3 as much as the one in 12?"
    assert list(pieces(TWO)) == [
        ("Do you like ", "your answer to question 3", 3),
        (" as much as ", "the one in 12", 12),
        ("?", "", 0),
    ]


@pytest.mark.parametrize("text", ["{3}", "{answer}", "{answer3}", "{3 answers}", "{a {b 3}", "{}"])
def test_other_braces_are_braces(text):
    plain = text.replace("{b 3}", "")
    assert quoted_in(plain) == ()
    assert unquoted(plain) == plain


def test_quotes_follow_the_questions_that_they_name():
    assert renumbered(TWO, {3: 12, 12: 3}) == (
        "Do you like {your answer to question 12} as much as {the one in 3}?"
    )
    assert renumbered("{your answer to question 7}", {}) == "{your answer to question 0}"


def test_a_document_keeps_the_quotes_and_reads_braces_of_older_ones_as_braces():
    plain = TextQuestion(
        id="a", text="", help="", required=False, kind="text", design="direct", longest=9
    )
    quoting = replace(plain, text=unquoted(TWO), quoting=TWO)
    document = json.loads(canonical_bytes(question_document(quoting)))
    assert (document["text"], document["quotes"]) == (TWO, [3, 12])
    assert read_question(document) == quoting
    del document["quotes"]
    assert read_question(document) == replace(plain, text=TWO)
