"""Words of a text: Unicode, stop lists, stems, answers that say nothing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.text.tokens import TextError, Tokenizer, is_non_answer, languages, normalise

PLAIN = Tokenizer(language=None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Taxes, JOBS and peace", ("taxes", "jobs", "and", "peace")),
        ("politicians' don’t", ("politicians", "don't")),
        ("ﬁne ＡＢＣ Straße", ("fine", "abc", "strasse")),
        ("and/or 2024 b12 3com", ("and", "or", "b12", "com")),
        ("日本語", ("日", "本", "語")),
        ("\x00nul\x07bell\x1b", ("nul", "bell")),
        ("", ()),
        ("2024 --- ...", ()),
    ],
)
def test_words_are_letters_with_digits_and_apostrophes_inside(
    text: str, words: tuple[str, ...]
) -> None:
    assert PLAIN.words(text) == words


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\u202e", "\u2066", "\ufeff", "\u200d"])
def test_characters_that_nobody_sees_do_not_make_another_word(hidden: str) -> None:
    assert PLAIN.words(f"se{hidden}cret") == ("secret",)


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    assert PLAIN.words("cafe\u0301") == PLAIN.words("caf\u00e9") == PLAIN.words("CAFÉ")


def test_right_to_left_text_keeps_the_order_in_which_it_was_written() -> None:
    assert PLAIN.words("שלום עולם \u200fمرحبا\u200e") == ("שלום", "עולם", "مرحبا")


def test_an_emoji_is_one_word_with_its_skin_and_profession() -> None:
    assert PLAIN.words("ok👩🏽‍🚀❤️!") == ("ok", "👩🏽‍🚀", "❤")


def test_stop_words_go_and_inflections_meet_in_a_stem() -> None:
    assert Tokenizer().words("the taxes and the taxed") == ("tax", "tax")
    assert Tokenizer(stems=False).words("the taxes and the taxed") == ("taxes", "taxed")
    assert Tokenizer("de").words("die Häuser und das Haus") == ("haus", "haus")
    assert Tokenizer(extra_stop_words=frozenset({"Taxes"}), stems=False).words("taxes jobs") == (
        "jobs",
    )


@pytest.mark.parametrize(
    "text", ["Don't know!", "don’t know", "  N/A. ", "-", "...", "Keine Angabe"]
)
def test_answers_that_say_nothing_hold_no_word(text: str) -> None:
    assert is_non_answer(text)
    assert Tokenizer(language=None).words(text) == ()
    assert not is_non_answer(text + " about the new taxes")


@pytest.mark.parametrize("language", ["xx", "", "english", 3])
def test_an_unknown_language_is_refused_with_those_that_there_are(language: str) -> None:
    with pytest.raises(TextError, match="give one of"):
        Tokenizer(language)


@pytest.mark.parametrize("language", ["ja", "th", "zh"])
def test_a_language_without_spaces_between_words_is_refused_with_the_reason(language: str) -> None:
    assert language not in languages()
    with pytest.raises(TextError, match="not told apart without spaces"):
        Tokenizer(language)


@pytest.mark.parametrize("longest", [0, 4, 1.5, True])
def test_phrases_are_of_one_to_three_words(longest: int) -> None:
    with pytest.raises(TextError):
        Tokenizer(longest_phrase=longest)


@pytest.mark.parametrize("text", [None, 3, b"bytes", float("nan")])
def test_what_is_not_a_text_is_refused(text: str) -> None:
    with pytest.raises(TextError, match="give a text"):
        PLAIN.words(text)


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,80}", fullmatch=True))
def test_plain_words_are_read_like_any_others(word: str) -> None:
    # The invisible character takes the word through the rules for any script.
    reader = Tokenizer(language=None, skip_non_answers=False)
    assert reader.words(word) == reader.words(word + "\u200b") == (word.lower()[:64],)


@given(st.text(max_size=60))
def test_any_text_gives_words_without_space_or_invisible_characters(text: str) -> None:
    for word in PLAIN.words(text):
        assert word == normalise(word)
        assert len(word.split()) == 1
        hidden = [c for c in word if unicodedata.category(c) in ("Cc", "Cf") and c != "\u200d"]
        assert not hidden
