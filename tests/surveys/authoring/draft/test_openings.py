"""Openings that cannot be promised are refused before launch, with what would do."""

from datetime import date, timedelta

import pytest

from surveys.authoring.draft.openings import opening_of, opening_reasons
from surveys.models import Question, Survey

TODAY = date(2026, 6, 1)
LAST = TODAY + timedelta(days=55)  # open for 56 days


def reasons(*questions: Question, **fields: object) -> str:
    usual = {"title": "T", "close_on": LAST, "planned_responses": 1000, "batch_size": 20}
    return " ".join(opening_reasons(Survey(**{**usual, **fields}), questions, TODAY))


def test_without_a_choice_invitations_open_at_the_close_and_open_links_every_week():
    assert opening_of(Survey(invitation_only=True)).when == "close"
    plan = opening_of(Survey())
    assert (plan.when, plan.days) == ("every", 7)


def test_live_is_refused_with_invitations_and_needs_no_last_day():
    assert "cannot be live" in reasons(opening="live", invitation_only=True)
    assert reasons(opening="live", close_on=None, planned_responses=None) == ""


@pytest.mark.parametrize("opening", ["close", "every"])
def test_sealed_answers_need_a_last_day_and_a_day_between_it_and_deletion(opening):
    assert "Choose a last day" in reasons(opening=opening, close_on=None)
    assert "Leave at least one day between opening and deletion" in reasons(
        opening=opening, delete_on=LAST + timedelta(days=1)
    )
    assert reasons(opening=opening, delete_on=LAST + timedelta(days=2)) == ""


def test_too_few_planned_answers_in_a_period_name_the_period_that_would_do():
    """40 answers in each of 8 weeks are 320."""
    assert reasons(opening="every", planned_responses=320) == ""
    assert "What you can do: open answers every 8 days." in reasons(
        opening="every", planned_responses=319
    )
    assert "open answers every 28 days" in reasons(opening="every", planned_responses=80)
    assert "open answers at the close" in reasons(opening="every", planned_responses=79)
    assert "Enter how many responses you plan" in reasons(opening="every", planned_responses=None)


def test_adaptive_ratings_need_openings_before_the_close():
    adaptive = Question(adaptive=True)
    needed = (
        "To show well-rated items more often, the survey needs answers that are opened before the "
        "close."
    )
    assert needed in reasons(adaptive, opening="close")
    assert reasons(adaptive, opening="every") == ""
