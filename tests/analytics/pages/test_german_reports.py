"""Reports and the ledger in German: what was stored in English is said in German, too."""

import pytest
from django.urls import reverse
from django.utils.translation import override

from analytics.pages.ledger_views import account_bars
from analytics.reports.topics.pictures import bars, size_bars
from surveys.web.drawing.pictures import WIDE
from tests.analytics import reporting
from tests.analytics.pages.visits import address
from tests.surveys.staff.test_german_rooms import english_in

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
# The words of the survey, of its texts and of public lists.
OWN = (
    "What would help?",
    "What else?",
    "computed from",
    "Habits and health",
    "honesty, honest",
    "source of:",
    "honesti",
)


@pytest.fixture
def german(client, survey):
    client.force_login(survey.owner)
    client.post(reverse("staff_language"), {"language": "de"})
    return client


def english_on(page: str) -> list[str]:
    found = english_in(page)
    return [text for text in found if not any(own in text for own in OWN)]


def test_a_report_and_its_ledger_have_no_english_left(german, survey):
    report = reporting.ask_and_make(survey, share=reporting.QUARTER)
    page = german.get(address("report", survey, report.pk)).content.decode()
    assert "in 600 Texten" in page
    assert english_on(page) == []
    ledger = german.get(address("ledger", survey)).content.decode()
    assert "Private Themen" in ledger
    assert english_on(ledger) == []
    rows = german.get(address("overview", survey)).content.decode()
    assert english_on(rows) == []


def test_an_internal_report_has_no_english_left(german, survey, internal):
    page = german.get(address("report", survey, internal.pk)).content.decode()
    assert "<strong>Intern – nicht veröffentlichen.</strong>" in page
    assert english_on(page) == []


def test_words_and_numbers_within_charts_are_german():
    with override("de"):
        drawn = [
            account_bars((("Promised", 0.125),), WIDE),
            size_bars((("Honesty", 1234.5, 1100.0, 1400.0),), WIDE),
            bars((("honesty", 0.1, 0.2, True),), WIDE),
        ]
    labels = ["12,5 %", "Honesty  1.234", "1. honesty (Rauschen)"]
    assert [word for word, chart in zip(labels, drawn, strict=True) if word not in str(chart)] == []
