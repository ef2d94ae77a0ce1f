"""Own explanations promise nothing away: what Deniable promises is on the page as before, whole."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from surveys.authoring.drafts import draft_questionnaire
from surveys.collecting.replies import receipts
from surveys.collecting.rows import OWN_COIN, START, own_coin_context, start_context
from surveys.models import Question
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.explanations import explanations_of
from surveys.wording.language.explanations import EXPLANATIONS
from tests import factories
from tests.conftest import ROOT
from tests.families import add_family
from tests.locale import catalogues
from tests.locale.make import po_file

pytestmark = pytest.mark.django_db
# What a sentence says that promises, by stems of the languages in which it is written first.
PROMISING = re.compile(
    r"\b(?:sent|sends?|stored?|kept|keeps?|deleted|erased|protect\w*|hidden|locked|sealed"
    r"|coins?|die|chance|odds|anonym\w*|secret|private|promise\w*|nobody|no one|anybody)\b",
    re.IGNORECASE,
)
# How to try it out: said again below an author's words, in others.
TRIED = {
    "On heads, your browser would send your answer.",
    "On tails, a second coin would decide.",
    "In this trial nothing is sent.",
    "In the survey, each question has its own odds, which you have just read.",
}
RECEIPT = "surveys/collecting/receipt.html"
KINDS = (
    *(factories.add_ticks, factories.add_matrix, factories.add_ranking, factories.add_rating),
    *(factories.add_rounded, add_family, factories.add_other_designs, factories.add_text),
)


def own(name: str) -> str:
    """An author's words for an explanation, which no page has otherwise."""
    values = "".join(f" {{{value}}}" for value in EXPLANATIONS[name].values)
    return f"Author's {name}{values}."


def everything(owner) -> Questionnaire:
    """A question of every kind that explains how to answer, and a link at the end."""
    draft = factories.make_survey(owner, end_link="https://example.org/")
    for add in KINDS:
        add(draft)
    factories.add_one_of_each(draft)
    most = {"kind": Question.Kind.TICKS, "most": 2}
    factories.add_question(draft, "Bus", "Car", "Train", **most)
    countries = [f"Country {number}" for number in range(25)]
    factories.add_question(draft, *countries, kind=Question.Kind.CHOICE, design="direct")
    bounds = {"minimum": 0, "maximum": 9, "decimal_places": 0}
    factories.add_question(draft, kind=Question.Kind.NUMBER, design="direct", **bounds)
    days = {"first_day": "2026-01-01", "last_day": "2026-12-31"}
    factories.add_question(draft, kind=Question.Kind.DATE, design="direct", **days)
    return draft_questionnaire(draft)


def pages(questionnaire: Questionnaire) -> Iterator[str]:
    """All pages that explain anything: the start with its questions, the form by hand, receipts."""
    yield render_to_string(START, start_context(questionnaire))
    yield render_to_string(OWN_COIN, own_coin_context(questionnaire, key="k" * 32))
    receipt = {"questionnaire": questionnaire, "strength": "", "rows": "", "start": "."}
    yield render_to_string(RECEIPT, receipt)


def sentences(questionnaire: Questionnaire) -> list[str]:
    """What people read or hear on all pages, sentence by sentence."""
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", " ".join(pages(questionnaire)), flags=re.S)
    shown = re.sub(r"</?(?:bdi|b|em|strong|span)\b[^>]*>", "", shown)
    shown = re.sub(r"Item \d+", "Item", shown)  # each page draws the items that are rated
    parts = re.split(r"<[^>]*>", shown)
    found = (each for part in parts for each in re.split(r"(?<=[.!?:])\s+", unescape(part).strip()))
    return [" ".join(each.split()) for each in found if each.strip()]


def of_ours(locale: str = "en") -> dict[str, set[str]]:
    """The sentences of each explanation, and of what stays below an author's words."""
    with override(locale):
        return {
            name: set(re.split(r"(?<=[.!?:])\s+", each.words()))
            for name, each in EXPLANATIONS.items()
        }


def test_no_sentence_that_promises_is_in_the_registry():
    """One that does stands there beside an explanation, and is said again below own words."""
    for name, each in EXPLANATIONS.items():
        kept = re.split(r"(?<=[.;])\s+", each.kept)
        for words in re.split(r"(?<=[.;])\s+", each.words()):
            if words not in kept and PROMISING.search(words):
                assert words in TRIED, (name, words)
                assert {
                    "Half the time your browser sends your answer;",
                    "Here nothing is sent.",
                } < {*kept}


def test_the_registry_and_the_promises_of_the_first_edition_have_nothing_in_common():
    first, later = (
        {
            (entry.msgid, entry.translations)
            for entry in catalogues.read(po_file("respondents", name))[1:]
        }
        for name in ("en_W3", "en_W4")
    )
    promises = {words for words, _ in first - later}
    assert len(promises) == 5
    assert {each.words() for each in EXPLANATIONS.values()}.isdisjoint(promises)


def test_no_template_has_an_explanation_where_it_promises():
    """Blocks that protect, marks of what is sent, and recipes of coins hold none."""
    protecting = re.compile(
        r'{% block protection %}.*?{% endblock %}|class="[^"]*\b(?:stays|mark|recipe|odds)\b.*?</',
        re.DOTALL,
    )
    found = [
        path for path in (ROOT / "templates").rglob("*.html") if "explanation" in path.read_text()
    ]
    assert len(found) > 8
    for path in found:
        for block in protecting.findall(path.read_text()):
            assert "{% explanation" not in block, path


def test_each_explanation_stands_on_a_page_and_can_be_replaced(owner):
    questionnaire = everything(owner)
    texts = {name: own(name) for name in EXPLANATIONS}
    shown = " ".join(sentences(replace(questionnaire, explanations=explanations_of(texts))))
    missing = [name for name in EXPLANATIONS if not re.search(rf"Author's {name}[ .]", shown)]
    assert missing == []


@pytest.mark.parametrize("marked_up", [True, False])
def test_with_all_explanations_replaced_every_promise_is_on_the_page(owner, marked_up):
    usual = replace(everything(owner), marked_up=marked_up)
    texts = {name: own(name) for name in EXPLANATIONS}
    before = sentences(usual)
    after = sentences(replace(usual, explanations=explanations_of(texts)))
    gone = {each for each in before if before.count(each) > after.count(each)}
    assert gone
    for each in gone:
        assert any(_is_said_in(name, each) for name in EXPLANATIONS), each
    kept = {each for each in gone if PROMISING.search(each)}
    assert kept <= TRIED
    for each in EXPLANATIONS.values():
        for words in re.split(r"(?<=[.!?:])\s+", each.kept):
            assert not words or words in after


def _is_said_in(name: str, words: str) -> bool:
    """Whether a sentence is one of an explanation, with any numbers in it."""
    plain = re.sub(r"[\d.,-]+", "#", words)
    return any(re.sub(r"[\d.,-]+", "#", each) == plain for each in of_ours()[name])


def test_a_receipt_says_that_answers_arrived_below_own_thanks(owner):
    questionnaire = replace(everything(owner), explanations=explanations_of({"thanks": "Bye"}))
    context = {"questionnaire": questionnaire, "strength": "", "rows": receipts.CUT, "start": "."}
    shown = render_to_string(RECEIPT, context)
    assert "<p>Bye</p></div><p>Your answers have arrived.</p></div>" in shown
