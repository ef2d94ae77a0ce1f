"""The form that asks for a report: what it offers, keeps and refuses."""

from fractions import Fraction

import pytest
from django.http import QueryDict

from analytics.kinds.registry import KINDS
from analytics.kinds.settings import Settings
from analytics.pages.forms import NUMBERS, CompareForm, NamesForm, ReportForm
from analytics.pages.ledger_rows import offers_of
from analytics.queries import AskedText
from surveys.kinds.text import promise as text
from tests.analytics.pages.test_ledger_rows import account, terms

ITEM = text.TextQuestion(
    id="6f0b1c9e-0000-4000-8000-000000000001",
    text="What?",
    help="",
    required=False,
    kind="text",
    design="direct",
    longest=0,
)
EVERY_KIND = tuple(KINDS.values())
KEY = "0b0c5d1e-0000-4000-8000-000000000002"
GIVEN = {
    "key": KEY,
    "question": ITEM.id,
    "kind": "private_topics",
    "share": "1/4",
    "topics": "3",
}


def form(spent=None, kinds=EVERY_KIND, **changes: str) -> ReportForm:
    data = QueryDict(mutable=True)
    data.update({**GIVEN, "language": "en", **changes})
    questions = [AskedText(2, ITEM, 600)]
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


def test_what_is_left_out_has_the_default_that_the_settings_have():
    filled = form(topics="10")
    assert filled.is_valid(), filled.errors
    assert filled.asked["settings"] == Settings()


def test_further_settings_are_shown_only_once_they_were_changed():
    empty = ReportForm(None, questions=[], kinds=EVERY_KIND)
    assert not empty.has_further
    plain = {name: str(empty[name].value()) for name in ("longest_phrase", *NUMBERS)}
    assert not form(**plain).has_further
    assert form(**plain, stop_words="x").has_further


def test_every_setting_can_be_chosen():
    chosen = {
        "topics": "4",
        "refine": "on",
        "language": "de",
        "whole_words": "on",
        "non_answers": "on",
        "longest_phrase": "2",
        "most_words": "50",
        "most_used": "400",
        "seed": "7",
        "stop_words": "Foo\r\n\r\n  bar ",
        "vocabulary": "Haus\nGarten",
    }
    filled = form(**chosen)
    assert filled.is_valid(), filled.errors
    made = filled.asked["settings"]
    assert made == Settings(
        topics=4,
        refine=True,
        language="de",
        stems=False,
        skip_non_answers=False,
        longest_phrase=2,
        most_words=50,
        most_used=400,
        seed=7,
        stop_words=("Foo", "bar"),
        vocabulary=("Haus", "Garten"),
    )
    same = [name for name, value in Settings().to_data().items() if made.to_data()[name] == value]
    assert same == []  # a setting that is new is in this form, too
    assert filled.has_further


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("longest_phrase", "4"),
        ("longest_phrase", "x"),
        ("most_words", "0"),
        ("most_words", "NaN"),
        ("most_used", "1"),
        ("most_used", "5001"),
        ("seed", "-1"),
        ("seed", "9" * 30),
        ("stop_words", "x" * 201),
        ("vocabulary", "the\nand"),
        ("vocabulary", "\n".join(f"word{place}" for place in range(10_001))),
        ("vocabulary", "x" * 200_001),
        ("stop_words", "\x00"),
    ],
)
def test_a_further_setting_that_no_report_can_have_is_refused_at_its_field_and_shown(name, value):
    refused = form(**{name: value})
    assert list(refused.errors) == [name]
    assert refused.has_further


def test_every_language_has_a_name():
    shown = dict(form().fields["language"].choices)
    assert [code for code, name in shown.items() if name == code] == []
    assert shown["zu"] == "Zulu"


@pytest.mark.parametrize("language", ["ja", "th", "zh"])
def test_languages_without_spaces_between_words_are_not_offered(language):
    assert language not in dict(form().fields["language"].choices)
    assert "language" in form(language=language).errors


@pytest.mark.parametrize("key", ["", "x", "\x00", "1" * 4000])
def test_a_form_without_its_key_is_refused_with_what_to_do(key):
    assert "Reload the page" in form(key=key).errors["key"][0]


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
    choices = {"a": "A", "b": "B"}
    assert CompareForm({"first": "a", "second": "b"}, own=choices, others=choices).is_valid()
    same = CompareForm({"first": "a", "second": "a"}, own=choices, others=choices)
    assert list(same.errors) == ["second"]
