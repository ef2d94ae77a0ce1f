"""Respondents' English is at most of grade 8, their German of LIX 45, in sentences of few words."""

import pytest

from tests.locale.catalogues import read
from tests.locale.make import LOCALE
from tests.locale.sources import marked_texts
from tests.words.reading import grade, lix, sentences, syllables, words, words_a_sentence

HIGHEST_GRADE, HIGHEST_LIX = 8, 45
MOST_WORDS = 16  # of a sentence, at the median
LONG = 8  # words of a sentence that counts as one here: short ones would hide the long ones

# As CMU's pronouncing dictionary has them.
KNOWN = {
    **dict.fromkeys(("time", "sealed", "coins", "were", "style", "closed", "file"), 1),
    **dict.fromkeys(("table", "people", "survey", "asked once", "safely", "pages", "question"), 2),
    **dict.fromkeys(("protected", "encrypted", "database", "together", "everything"), 3),
    **dict.fromkeys(("invitation", "society", "experience", "variety"), 4),
}


def english() -> list[str]:
    return sentences(text for entry in marked_texts() for text in (entry.msgid, entry.plural))


def german() -> list[str]:
    entries = read(LOCALE / "respondents" / "de" / "LC_MESSAGES" / "django.po")[1:]
    return sentences(text for entry in entries for text in entry.translations)


def long(said: list[str]) -> list[str]:
    return [one for one in said if len(words(one)) >= LONG]


@pytest.mark.parametrize("chosen", [list, long])
def test_respondents_english_is_at_most_of_grade_8(chosen):
    assert 2 < grade(chosen(english())) <= HIGHEST_GRADE


@pytest.mark.parametrize("chosen", [list, long])
def test_respondents_english_has_at_most_16_words_a_sentence_at_the_median(chosen):
    assert 8 < words_a_sentence(chosen(english())) <= MOST_WORDS


@pytest.mark.parametrize("chosen", [list, long])
def test_respondents_german_is_at_most_of_lix_45(chosen):
    assert 20 < lix(chosen(german())) <= HIGHEST_LIX


@pytest.mark.parametrize(("word", "count"), KNOWN.items())
def test_syllables_are_counted_as_they_are_heard(word, count):
    assert sum(map(syllables, words(word))) == count


def test_two_sentences_have_the_grades_that_were_published_for_them():
    """Of the first 13 words and 24 syllables are published, of the second 16 and 23."""
    platypus = "The Australian platypus is seemingly a hybrid of a mammal and reptilian creature."
    passage = (
        "This sentence, taken as a reading passage unto itself, is being used to prove a point."
    )
    assert [len(words(one)) for one in (platypus, passage)] == [13, 16]
    assert [sum(map(syllables, words(one))) for one in (platypus, passage)] == [24, 23]
    assert grade([platypus]) == pytest.approx(11.3, abs=0.05)


def test_lix_adds_words_a_sentence_and_long_words_in_a_hundred():
    assert lix(["Die Antwort bleibt hier.", "Niemand sieht sie."]) == pytest.approx(3.5 + 200 / 7)


def test_labels_and_parts_of_sentences_are_no_sentences():
    said = sentences(
        ["Start", "{first} to {last}", "Pick <b>any</b> answer. It stays here (yes).\n"]
    )
    assert said == ["Pick any answer.", "It stays here (yes)."]
