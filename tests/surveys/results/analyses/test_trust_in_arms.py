"""The trust block beside each arm: the same words as of all people, and nothing of a few."""

from datetime import date

import pytest
from django.urls import reverse

from surveys.counts import joint
from surveys.models import Survey
from surveys.results.analyses.trust import COUNTING, FEW, trust_in_arms
from surveys.results.handover.report import report_html
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
from surveys.results.rows.compared import PlannedMarks
from surveys.results.rows.trust import trust_of
from tests.factories import add_question, add_trust, launched, make_survey
from tests.stored import store_rows

pytestmark = pytest.mark.django_db
READING = Reading("score", 0.95)


def answered(owner, direct: list[str], coins: list[str], **fields: object) -> Survey:
    """Two arms, with these rows of (believed, of 100)."""
    draft = make_survey(owner, arms="Asked directly: 1\nWith coins: 1", **fields)
    for arm, design in (("Asked directly", "direct"), ("With coins", "two_coins")):
        add_question(draft, arms=arm, design=design, required=True)
    add_trust(draft)
    survey = launched(draft)
    rows = [f"01--{row}00" for row in direct] + [f"--01{row}01" for row in coins]
    store_rows(survey.revision, rows)
    return survey


DISTRUSTING = ["00020"] * 10 + ["03060"] * 5 + ["04---"]
BELIEVING = ["03090"] * 12 + ["01050"] * 6


def test_each_arm_says_of_the_protection_what_its_people_alone_would_say(owner):
    found = trust_in_arms(answered(owner, DISTRUSTING, BELIEVING).revision, READING)
    for place, rows in enumerate((DISTRUSTING, BELIEVING)):
        alone = answered(owner, *([rows, []] if place == 0 else [[], rows]))
        reports = [report for report, _ in all_reports(alone.revision, READING)]
        assert found.arms[place].trust == trust_of(reports, READING)
    assert [one.arm for one in found.arms] == ["Asked directly", "With coins"]
    assert found.arms[0].trust.believed.startswith("33.3 % of people who answered")
    assert "33.3 of 100 people" in found.arms[0].trust.honest


@pytest.mark.parametrize(
    "coins", [["03090"] * 9, ["03090"] * 20 + ["00010"] * 4], ids=["a small arm", "a small answer"]
)
def test_no_arm_is_shown_where_one_is_small(owner, coins):
    """The others would tell of it, as all together are shown."""
    found = trust_in_arms(answered(owner, DISTRUSTING, coins).revision, READING)
    assert (found.arms, found.reason) == ((), FEW)


def test_an_arm_without_answers_is_left_out(owner):
    found = trust_in_arms(answered(owner, DISTRUSTING, []).revision, READING)
    assert [one.arm for one in found.arms] == ["Asked directly"]


def test_nothing_is_said_without_arms_without_the_block_or_without_answers(owner):
    assert trust_in_arms(answered(owner, [], []).revision, READING) is None
    draft = make_survey(owner)
    add_trust(draft)
    survey = launched(draft)
    store_rows(survey.revision, ["03090"] * 20)
    assert trust_in_arms(survey.revision, READING) is None
    draft = make_survey(owner, arms="One: 1\nOther: 1")
    for arm in ("One", "Other"):
        add_question(draft, arms=arm, text=f"{arm}?")
    assert trust_in_arms(launched(draft).revision, READING) is None


def test_a_large_survey_is_counted_by_a_worker_first(owner, monkeypatch):
    survey = answered(owner, DISTRUSTING, BELIEVING)
    monkeypatch.setattr(joint, "AT_ONCE", 10)
    assert trust_in_arms(survey.revision, READING).reason == COUNTING


def test_the_dashboard_and_the_report_that_is_handed_over_show_each_arm(client, owner):
    survey = answered(owner, DISTRUSTING, BELIEVING)
    client.force_login(owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    handed_over = report_html(survey, survey.revision, READING, PlannedMarks(0), date(2026, 3, 4))
    for shown in (page, handed_over):
        words = " ".join(shown.split())
        assert "<dt>Asked directly</dt><dd>33.3 % of people who answered" in words
        assert "<dt>With coins</dt><dd>66.7 % of people who answered" in words
    assert "does not prove that one causes the other" in handed_over
