"""The form that asks for a report: what it offers, keeps and refuses."""

from fractions import Fraction

import pytest
from django.http import QueryDict

from analytics.forms import CompareForm, NamesForm, ReportForm
from analytics.kinds import KINDS
from analytics.ledgers import offers_of
from analytics.selectors import TextQuestion
from surveys.questionnaire import Item
from tests.analytics.test_ledgers import account, terms

ITEM = Item("6f0b1c9e-0000-4000-8000-000000000001", "What?", "", False, "text", "direct")
EVERY_KIND = tuple(KINDS.values())
GIVEN = {"question": ITEM.id, "kind": "private_topics", "share": "1/4", "topics": "3"}


def form(spent=None, kinds=EVERY_KIND, **changes: str) -> ReportForm:
    data = QueryDict(mutable=True)
    data.update({**GIVEN, "language": "en", **changes})
    questions = [TextQuestion(2, ITEM, 600)]
    return ReportForm(data, questions=questions, kinds=kinds, offers=offers_of(account(spent)))


def test_what_was_chosen_becomes_settings_and_an_exact_share():
    filled = form()
    assert filled.is_valid(), filled.errors
    assert filled.asked["share"] == Fraction(1, 4)
    assert filled.asked["settings"].topics == 3
    assert filled.asked["settings"].language == "en"


def test_a_language_without_lists_has_neither_stop_words_nor_stems():
    filled = form(language="none")
    assert filled.is_valid()
    assert filled.asked["settings"].language is None


def test_an_internal_report_takes_no_share_whatever_was_sent():
    filled = form(kind="exact_topics")
    assert filled.is_valid()
    assert filled.asked["share"] is None


def test_a_share_that_no_longer_fits_is_refused():
    assert not form(spent=terms().limit.part(Fraction(1, 2)), share="3/4").is_valid()


def test_a_kind_that_is_not_offered_is_refused():
    private = tuple(kind for kind in KINDS.values() if kind.is_private)
    assert not form(kinds=private, kind="exact_svd").is_valid()


@pytest.mark.parametrize(
    "topics", ["", "0", "51", "-1", "1.5", "NaN", "inf", "9" * 400, "٣٣٣", "x"]
)
def test_a_number_of_topics_that_no_report_can_have_is_refused_at_its_field(topics):
    assert list(form(topics=topics).errors) == ["topics"]


@pytest.mark.parametrize("name", ["question", "kind", "share", "language"])
@pytest.mark.parametrize("value", ["", "\x00", "'; --", "💥", "0/0", "9" * 4000])
def test_garbage_is_refused_at_its_field(name, value):
    assert name in form(**{name: value}).errors


def test_names_are_one_line_and_a_missing_one_is_empty():
    filled = NamesForm({"name2": " a \n\t b "}, topics=2)
    assert filled.is_valid()
    assert filled.cleaned_data["names"] == ["", "a b"]


@pytest.mark.parametrize("name", ["x" * 101, "a\u202eb", "a\u200bb"])
def test_a_name_that_cannot_be_seen_or_is_too_long_is_refused(name):
    assert list(NamesForm({"name1": name}, topics=1).errors) == ["name1"]


def test_a_report_is_not_compared_with_itself():
    choices = [("a", "A"), ("b", "B")]
    assert CompareForm({"first": "a", "second": "b"}, own=choices, others=choices).is_valid()
    same = CompareForm({"first": "a", "second": "a"}, own=choices, others=choices)
    assert list(same.errors) == ["second"]
