"""Rows that openings hold back until the close, so that those with a coin of their own hide."""

import pytest

from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.models import Openings, Survey
from surveys.models.queries import opened_responses, questionnaire_of
from surveys.operations.openings import open_due
from surveys.operations.retention import keep_dates
from tests.bodies import body_of
from tests.days import DAY, today
from tests.factories import after_the_close
from tests.surveys.collecting.test_openings import at, with_a_path, with_one_commit

pytestmark = pytest.mark.django_db(transaction=True)


def answered(owner, *, browsers: int, coins: int) -> Survey:
    """A survey with openings every week that so many answered in its first."""
    survey = with_a_path(
        owner, opening="every", planned_responses=10_000, close_on=today() + 55 * DAY
    )
    drunk = questionnaire_of(survey.revision).items[1]
    for place in range(browsers + coins):
        own = place < coins
        code = drunk.not_asked if own else drunk.levels[0].code
        body = body_of(survey.revision, [f"{place:05d}", code], own_coin=own)
        receive(survey_id=survey.pk, body=body)
    return survey


def shown(survey: Survey) -> list[int]:
    return sorted(int(row.answers[:5]) for row in opened_responses(survey.revision.pk))


def hidden(survey: Survey) -> int:
    drunk = questionnaire_of(survey.revision).items[1]
    rows = opened_responses(survey.revision.pk)
    return sum(row.answers.endswith(drunk.not_asked) for row in rows)


@pytest.mark.parametrize(("coins", "least"), [(1, 1 + 21), (0, 0)])
def test_openings_hold_rows_back_so_that_a_tenth_hide_who_used_a_coin(owner, coins, least):
    survey = answered(owner, browsers=200, coins=coins)
    for week in range(1, 5):
        open_due(at(survey, 7 * week))
    keep_dates(now=after_the_close(survey))
    assert len(shown(survey)) == 200 + coins
    assert hidden(survey) == Openings.objects.get().withheld == least


def test_a_tenth_of_what_would_leave_waits_and_half_stays_of_what_does_not(owner):
    survey = answered(owner, browsers=200, coins=0)
    open_due(at(survey, 7))
    assert len(shown(survey)) == 100 - 10
    open_due(at(survey, 14))  # of the hundred that stayed; the ten are not counted
    assert len(shown(survey)) == 90 + 50 - 5
    assert Openings.objects.get().withheld == 10 + 5


def test_what_is_held_back_is_no_company_for_an_opening(owner):
    survey = answered(owner, browsers=15, coins=15)
    for week in range(1, 6):
        open_due(at(survey, 7 * week))
    # 30, then the 15 that stayed, and no more with the 8 that stayed then.
    assert Openings.objects.get().done == 2
    assert 30 - len(shown(survey)) >= 15


def test_killed_at_every_chunk_each_row_is_shown_once_and_as_many_are_hidden(owner, monkeypatch):
    monkeypatch.setattr(openings, "CHUNK", 17)
    survey = answered(owner, browsers=100, coins=1)
    openings.begin(survey.pk, at(survey, 7))
    while Openings.objects.get().is_running:
        with_one_commit(monkeypatch, lambda: openings.run(survey))
    assert Openings.objects.get().withheld in (5, 6)  # with the coin's own, if it would have left
    with_one_commit(monkeypatch, lambda: keep_dates(now=after_the_close(survey)))
    survey.refresh_from_db()
    while Openings.objects.get().is_running:
        with_one_commit(monkeypatch, lambda: openings.run(survey))
    assert shown(survey) == list(range(101))
    assert hidden(survey) == Openings.objects.get().withheld == 1 + 11
