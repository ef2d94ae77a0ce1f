"""Respondents read short sentences, in every language."""

import re

import pytest
from django.conf import settings

from tests.locale.address import BASE_OF
from tests.locale.catalogues import read
from tests.locale.make import LOCALE
from tests.locale.sources import marked_texts

# Between two of these signs. English says how to draw a digit from a banknote in 31 words.
MOST_WORDS = 31
ENDS = re.compile(r"(?<=[.!?:;؟؛])[»”“]?\s+")
MARKUP = re.compile(r"<[^>]*>")


def sentences(text: str) -> list[str]:
    return ENDS.split(MARKUP.sub("", text))


def texts_in(language: str) -> list[str]:
    if language == "en":
        return [text for entry in marked_texts() for text in (entry.msgid, entry.plural)]
    entries = read(LOCALE / "respondents" / language / "LC_MESSAGES" / "django.po")[1:]
    return [text for entry in entries for text in entry.translations]


@pytest.mark.parametrize("language", [*dict(settings.LANGUAGES), *BASE_OF])
def test_no_sentence_is_long(language):
    said = [sentence for text in texts_in(language) for sentence in sentences(text)]
    assert [one for one in said if len(one.split()) > MOST_WORDS] == []


def test_sentences_are_told_apart():
    assert sentences("One. Two three? «Four»: <b>five</b>") == [
        "One.",
        "Two three?",
        "«Four»:",
        "five",
    ]
