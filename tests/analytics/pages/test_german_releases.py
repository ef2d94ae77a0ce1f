"""Releases of tables in German, for staff; what outsiders read and what files hold is English."""

import pytest
from django.urls import reverse
from django.utils.translation import override

from analytics.kinds.tables.asked import NO_ANSWER, Variable
from analytics.reports.names import name_words
from analytics.reports.release_page import label_words
from analytics.services import schedules
from analytics.workloads.asks import Ask
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.totals import CentralStatement
from surveys.wording.totals import totals_words
from tests.analytics import tabulating
from tests.analytics.answering import AGE, MOOD, TOWN
from tests.analytics.pages.test_releases import PLAN, settings_open_to_all
from tests.analytics.pages.visits import address
from tests.analytics.releasing import answer, let_pass, make_released_survey
from tests.factories import make_user
from tests.surveys.staff.test_german_pages import left_on

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def in_german(client, owner):
    client.force_login(owner)
    client.post(reverse("staff_language"), {"language": "de"})
    return client


@pytest.fixture
def german(client, owner):
    return in_german(client, owner)


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: tabulating.make_tabulated_survey(make_user()))


def test_a_plan_and_what_its_publication_asks(german, survey):
    builder = address("releases", survey)
    assert left_on(german, survey, builder) == []
    assert left_on(german, survey, builder, **PLAN) == []
    assert left_on(german, survey, builder, **{**PLAN, "listed": "x", "percent": "0"}) == []
    assert left_on(german, survey, address("publish", survey), **PLAN) == []
    found = german.get(address("publish", survey), PLAN).content.decode()
    assert "Endgültig veröffentlichen" in found


def test_what_cannot_be_planned(german, survey):
    refused = {**PLAN, f"ask{AGE}": "ranges", f"cuts{AGE}": "", "listed": f"{AGE} {MOOD} {TOWN}"}
    assert left_on(german, survey, address("releases", survey), **refused) == []


def test_a_release_is_german_for_staff_and_english_for_outsiders(german, survey):
    report = tabulating.release(survey, settings_open_to_all())
    assert left_on(german, survey, address("release", survey, report.pk)) == []
    assert left_on(german, survey, address("report", survey, report.pk)) == []
    found = german.get(address("release", survey, report.pk)).content.decode()
    for words in ("bis Fair", "Keine Angabe", "Menschen haben geantwortet", "30 bis 44"):
        assert words in found, words
    outside = german.get(reverse("releases:page", args=[report.pk])).content.decode()
    assert '<html lang="en"' in outside
    assert "people answered" in outside
    lines = b"".join(german.get(address("release-csv", survey, report.pk))).decode()
    assert "up to Fair" in lines


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_tables_at_openings(german, owner):
    survey = make_released_survey(owner)
    dashboard, builder = reverse("surveys:dashboard", args=[survey.pk]), address("releases", survey)
    assert left_on(german, survey, dashboard) == []
    assert left_on(german, survey, builder) == []
    answer(survey, [(0, 1, 30), (1, 0, 40), (2, 1, None), (0, 0, 50), (0, 1, 20)])
    let_pass(survey, 31)
    in_german(german, owner)  # logins of a month ago are over
    assert left_on(german, survey, dashboard) == []
    with override("de"):
        told = list(schedules.foretold(questionnaire_of(survey.revision)))
    assert "höchstens 1 Öffnung" in told[0]


def test_what_totals_tell():
    one = CentralStatement(0.5, 0.5, 1e-6, (1.0,))
    with override("de"):
        assert totals_words(one).startswith("Für alle, die nur diese Tabelle sehen")
    assert totals_words(one).startswith("For people who see only this table")


def test_what_numbers_count():
    ordered = Variable("Mood", ("Bad", "Good", NO_ANSWER), Ask.CDF, has_no_answer=True)
    spans = Variable("Age", ("18 to 29", "30 to 44", "45"), Ask.RANGES)
    with override("de"):
        assert [label_words(ordered, one) for one in ordered.labels] == [
            "bis Bad",
            "bis Good",
            "alle",
        ]
        assert label_words(spans, "18 to 29 … 30 to 44") == "18 bis 29 … 30 bis 44"
        assert name_words(NO_ANSWER) != NO_ANSWER
    assert [label_words(spans, one) for one in spans.labels] == list(spans.labels)
