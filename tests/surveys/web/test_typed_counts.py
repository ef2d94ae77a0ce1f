"""Whole numbers as people type them: plain, or with thousands apart as their language has them."""

import uuid

import pytest
from django.http import QueryDict
from django.utils.translation import override

from surveys.fieldwork.forms import SheetsForm
from surveys.planning.trial_forms import TrialForm
from surveys.web.forms import read_count


@pytest.mark.parametrize(
    ("language", "typed", "count"),
    [
        ("en", "0", 0),
        ("en", " 1000 ", 1000),
        ("en", "1,000", 1000),
        ("en", "12,000,000", 12_000_000),
        ("de", "1000", 1000),
        ("de", "1.000", 1000),
        ("de", "999.999.999.999", 999_999_999_999),
    ],
)
def test_a_count_is_plain_or_has_all_its_thousands_apart(language, typed, count):
    with override(language):
        assert read_count(typed) == count


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "typed", ["", "1.5", "1,5", "2.50", "1,0000", "1000.000", "1.000,5", ".5", "1.", "-1", "\u0663"]
)
def test_what_may_be_a_decimal_is_no_count(language, typed):
    with override(language):
        assert read_count(typed) is None


def test_the_separator_of_another_language_is_refused():
    assert read_count("1.000") is None
    with override("de"):
        assert read_count("1,000") is None


@pytest.mark.parametrize(("language", "typed"), [("de", "2.50"), ("de", "1.5"), ("en", "1,5")])
def test_no_sheets_are_made_for_a_decimal(language, typed):
    with override(language):
        form = SheetsForm({"number": typed, "request": uuid.uuid4()})
        assert "number" in form.errors


def test_sheets_are_made_for_the_number_that_the_help_writes():
    with override("de"):
        form = SheetsForm({"number": "1.000", "request": uuid.uuid4()})
        assert form.is_valid(), form.errors
        assert form.cleaned_data["number"] == 1000
        assert "1.000" in str(form["number"].help_text)


@pytest.mark.parametrize(
    ("language", "typed", "count"),
    [
        ("de", "1.000", 1000),
        ("de", "1,5", None),
        ("en", "1,5", None),
        ("en", "1,000,000,000", 10**9),
    ],
)
def test_a_trial_takes_its_numbers_as_its_help_writes_them(language, typed, count):
    with override(language):
        form = TrialForm(QueryDict(f"n={typed}"), items=[])
        assert form.is_bound
        form.full_clean()
        assert form.cleaned_data.get("n") == count
