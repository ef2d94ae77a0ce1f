"""A label stays a label in every language, and is cut between letters where it is too long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.randomized_response.files.debiased import DebiasedColumn, LookUp
from surveys.results.labelled import r, spss, stata
from surveys.results.labelled.shortening import one_line, shorten, utf8_bytes
from surveys.results.labelled.syntax import LANGUAGES
from surveys.results.labelled.variables import Content, Described, Reason, Variable
from tests.surveys.results.labelled.reading import (
    r_text,
    skeleton,
    spss_text,
    stata_text,
    texts_in,
)

HOSTILE = {
    "the end of a command": '". execute.',
    "the end of another": "'. execute.",
    "backslashes": "C:\\new\\table\\",
    "macros": "`name' $HOME ${x} `\"it\"'",
    "comments": "http://x /* y */ // z # * ",
    "formulas": "=1+1 +2 -3 @x",
    "line ends": "one\ntwo\r\nthree\u2028four\x85five",
    "right to left": "האם \u202eאי פעם\u202c שיקרת?",
    "emoji": "👩\u200d💻 or 🇩🇪 or 👍🏽",
    "300 letters": "é" * 300,
    "nothing": "",
}
LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=400)


def described(label: str) -> list[Described]:
    missing = {"--": Reason.NOT_ASKED, "02": Reason.DECLINED}
    values = {"00": label, "01": f"{label}!"}
    variable = Variable("tea_rep", label, Content.CODES, missing, 2, values)
    look_up = LookUp(("tea_rep",), {"00": -0.5, "01": 1.5, "02": None, "--": None})
    return [Described((variable,), (DebiasedColumn("tea_yes", label, (look_up,)),))]


def script(language: str, label: str, *, debiased: bool = False) -> str:
    return "".join(LANGUAGES[language].lines(described(label), "responses.csv", debiased))


@given(TEXTS)
def test_any_text_is_read_again_from_its_literal(text):
    assert r_text(r.literal(text)) == text
    assert stata_text(stata.literal(text)) == text
    assert spss_text(spss.literal(text)) == one_line(text)


@LANGUAGE
@pytest.mark.parametrize("label", HOSTILE.values(), ids=HOSTILE)
def test_a_label_changes_nothing_of_a_script_but_what_its_literals_say(language, label):
    plain, hostile = script(language, "Tea?"), script(language, label)
    assert skeleton(hostile, language) == skeleton(plain, language)


@LANGUAGE
@pytest.mark.parametrize("label", [text for text in HOSTILE.values() if len(text) < 60])
def test_labels_that_fit_are_whole(language, label):
    shown = one_line(label) if language == "sps" else label
    texts = texts_in(script(language, label), language)
    assert texts.count(shown) >= 3  # of the variable, of a code, of the debiased column
    assert f"{shown}!" in texts


@LANGUAGE
def test_labels_that_are_too_long_end_in_a_mark(language):
    label = "Wie oft haben Sie über Ihr Gewicht gelogen? " * 12
    texts = texts_in(script(language, label), language)
    cut = {text for text in texts if text.startswith("Wie oft") and text.endswith("…")}
    sizes = sorted(len(text.encode()) if language == "sps" else len(text) for text in cut)
    most = {"R": [], "do": [80], "sps": [120, 256]}[language]
    assert len(sizes) == len(most)
    # A space before the mark goes, and a letter of two bytes may not fit.
    assert all(limit - 2 <= size <= limit for size, limit in zip(sizes, most, strict=True))


@given(TEXTS, st.integers(4, 300))
def test_a_cut_text_is_a_beginning_that_fits(text, most):
    for size in (len, utf8_bytes):
        cut = shorten(text, most, size)
        assert size(cut) <= most
        assert cut == text or text.startswith(cut.removesuffix("…"))


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("e\u0301e\u0301e\u0301", 4, "e\u0301…"),
        ("👩\u200d💻👩\u200d💻", 5, "👩\u200d💻…"),
        ("👩\u200d💻👩", 3, "…"),
        ("🇩🇪🇫🇷🇮🇹", 4, "🇩🇪…"),
        ("👍🏽👍🏽", 3, "👍🏽…"),
        ("क्षिक्षि", 7, "क्षि…"),
    ],
)
def test_no_letter_is_cut_in_two(text, most, cut):
    assert shorten(text, most, len) == cut


@pytest.mark.parametrize(
    ("least", "numbers"),
    [
        (0, [-99, -98, -97]),
        (-96, [-99, -98, -97]),
        (-97, [-999, -998, -997]),
        (-99_999_999_999, [-999_999_999_999, -999_999_999_998, -999_999_999_997]),
    ],
)
def test_no_number_for_a_missing_answer_can_be_an_answer(least, numbers):
    marks = {"a": Reason.NOT_ASKED, "b": Reason.DECLINED, "": Reason.NOT_SENT}
    variable = Variable("x", "X?", Content.NUMBERS, marks, 12, least=least)
    assert list(variable.missing_numbers.values()) == numbers
    assert max(numbers) < least


def test_words_that_are_alike_stay_two_levels_in_r():
    variable = Variable("x", "X?", Content.CODES, {}, 2, {"00": "Other", "01": "Other"})
    lines = "".join(r.script([Described((variable,))], "responses.csv"))
    assert 'c("Other (00)", "Other (01)")' in lines
