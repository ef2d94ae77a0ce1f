"""Explanations as pages show them: ours in each language, or a survey's own, escaped and marked."""

from dataclasses import replace

import pytest
from django.conf import settings
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from surveys.questionnaire.explanations import explanations_of
from surveys.web.locales import INFORMAL
from surveys.wording.language.explanations import EXPLANATIONS, explanation
from tests.surveys.wording.test_marked import OURS
from tests.surveys.wording.test_protection import survey, yes_no

PLAIN = survey(yes_no())
LOCALES = [*dict(settings.LANGUAGES), *INFORMAL.values()]
BLOCKS = [name for name, each in EXPLANATIONS.items() if not each.is_line]


def own(name: str, text: str, *, marked_up: bool = True):
    return replace(PLAIN, explanations=explanations_of({name: text}), marked_up=marked_up)


def test_a_survey_without_own_words_shows_ours():
    shown = explanation(PLAIN, "tick_most", css="hint", key="q001-how", then="Alone: A.", most=1)
    assert shown == '<p class="hint" id="q001-how">Tick at most 1 answer, or none. Alone: A.</p>'
    assert explanation(PLAIN, "number", low="-5", high="5.5") == "A number from -5 to 5.5"


@pytest.mark.parametrize("name", EXPLANATIONS)
@pytest.mark.parametrize("locale", LOCALES)
def test_ours_are_in_every_language_with_their_values(locale, name):
    each = EXPLANATIONS[name]
    with override(locale):
        words, kept = each.words(), each.kept_words()
    with override("en"):
        assert (words != each.words()) is (locale != "en")
        assert (kept != each.kept_words()) is (locale != "en" and bool(each.kept))
    assert all(str(value) in words for value in each.values.values())
    assert "%" not in words


def test_no_two_are_called_the_same():
    assert len({each.called for each in EXPLANATIONS.values()}) == len(EXPLANATIONS)


def test_own_words_have_lists_emphasis_and_values_and_ours_follow():
    text = "Up to *{most}*:\n- a\n- b"
    shown = explanation(own("tick_most", text), "tick_most", key="how", then="Alone: A.", most=2)
    assert shown == (
        '<div id="how"><div dir="auto"><p>Up to <em>2</em>:</p>\n'
        "<ul><li>a</li><li>b</li></ul></div><p>Alone: A.</p></div>"
    )


def test_own_words_within_a_line_have_emphasis_alone():
    shown = explanation(own("number", "From *{low}* to {high} {so}"), "number", low="0", high="9")
    assert shown == "<bdi>From <em>0</em> to 9 {so}</bdi>"


def test_stars_are_stars_without_marks():
    assert explanation(own("rank", "*1*\n- 2", marked_up=False), "rank") == (
        '<div><div dir="auto"><p>*1*<br>- 2</p></div></div>'
    )
    assert explanation(own("find", "*a*", marked_up=False), "find") == "<bdi>*a*</bdi>"


@pytest.mark.parametrize("name", [name for name, each in EXPLANATIONS.items() if each.kept])
def test_a_promise_beside_an_explanation_stays(name):
    assert f"<p>{EXPLANATIONS[name].kept}</p>" in explanation(own(name, "Ours."), name)


@given(st.text(alphabet='*-12. <>&"{}a\n\u202eא😀', min_size=1, max_size=40), st.booleans())
def test_no_text_makes_an_element_that_is_not_ours(text, marked_up):
    for name in ("rank", "find"):
        shown = explanation(own(name, text, marked_up=marked_up), name)
        rest = OURS.sub("", shown)
        for element in ('<div dir="auto">', "<div>", "</div>", "<bdi>", "</bdi>"):
            rest = rest.replace(element, "")
        assert not set("<>") & set(rest)
