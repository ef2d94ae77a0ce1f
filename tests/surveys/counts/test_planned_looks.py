"""A planned look happens once: at the first opening with the planned number, or at the close."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils.formats import date_format

from surveys.authoring.services import close
from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.counts.looks import keep_planned_look, planned_look
from surveys.models import AnswerCount, PlannedLook, Response, Survey
from surveys.operations import retention
from surveys.operations.contents import CONTENTS
from surveys.operations.openings import open_due
from surveys.planning.services import set_plan
from surveys.results.queries import reading_now
from tests import factories
from tests.bodies import body_of
from tests.days import DAY, today

pytestmark = pytest.mark.django_db(transaction=True)
LIVE, FIXED = "confidence-sequence", "clopper-pearson"
BATCH = 5


def drafted(owner, **fields) -> Survey:
    usual = {"batch_size": BATCH, "planned_responses": 10, "delete_on": today() + 99 * DAY}
    draft = factories.make_survey(owner, **{**usual, **fields})
    factories.add_question(draft, required=True)
    factories.add_question(draft, text="Group?", design="direct", required=True)
    return draft


def live(owner, **fields) -> Survey:
    return factories.launched(drafted(owner, **fields))


def every_week(owner, planned: int) -> Survey:
    """A survey of eight weeks that opens every week; its plan is made before anybody answers."""
    draft = drafted(owner, opening="every", planned_responses=10_000, close_on=today() + 55 * DAY)
    survey = factories.launched(draft)
    set_plan(survey=survey, responses=planned, by=owner)
    return Survey.objects.get(pk=survey.pk)


def answer(survey: Survey, codes: Iterable[str]) -> None:
    for code in codes:
        receive(survey_id=survey.pk, body=body_of(survey.revision, [code, "00"]))


def at(days: int) -> datetime:
    return datetime.combine(today() + days * DAY, datetime.min.time(), UTC) + timedelta(hours=12)


def now(survey: Survey) -> str:
    survey = Survey.objects.get(pk=survey.pk)
    return reading_now(survey, survey.revision).method


def page(client, survey: Survey, name: str = "dashboard", query: str = "") -> str:
    client.force_login(survey.owner)
    address = reverse(f"surveys:{name}", args=[survey.pk]) + query
    return " ".join(unescape(client.get(address).content.decode()).split())


@pytest.mark.both_databases
def test_a_look_at_an_opening_is_kept_once_and_later_looks_are_for_all_the_time(client, owner):
    survey = every_week(owner, planned=12)
    answer(survey, ["00"] * 20)
    open_due(at(7))
    assert Response.objects.count() == 10
    assert (planned_look(survey.revision.pk), now(survey)) == (None, LIVE)
    answer(survey, ["00"] * 20)
    open_due(at(14))
    look = planned_look(survey.revision.pk)
    assert (look.planned, look.responses) == (12, Response.objects.count())
    assert (look.as_of, look.is_at_close) == (today() + 14 * DAY, False)
    assert look.cells[1] == {"00": look.responses}
    assert now(survey) == FIXED
    assert "this is the survey’s planned look at the results" in (
        page(client, survey, "break-down", "?question=1&by=2").replace("This is", "this is")
    )
    answer(survey, ["01"] * 20)
    open_due(at(21))
    assert planned_look(survey.revision.pk) == look
    assert now(survey) == LIVE
    shown = page(client, survey)
    day = date_format(today() + 14 * DAY, "j F Y")
    first = (
        f"First opening with at least the 12 planned responses, on {day}: "
        f"{look.responses} responses"
    )
    assert f"{first}: ± " in shown
    assert "The planned look, with" in page(client, survey, "break-down", "?question=1&by=2")
    retention.keep_dates(now=at(56))
    assert Response.objects.count() == 60
    assert planned_look(survey.revision.pk) == look
    assert now(survey) == LIVE


@pytest.mark.both_databases
def test_an_opening_that_is_undone_keeps_no_look_and_the_one_that_repeats_it_does(owner):
    survey = every_week(owner, planned=5)
    answer(survey, ["00"] * 20)
    assert openings.begin(survey.pk, at(7))
    with transaction.atomic():
        assert openings.run(survey)
        assert planned_look(survey.revision.pk).responses == 10
        transaction.set_rollback(True)
    assert planned_look(survey.revision.pk) is None
    open_due(at(7))
    assert planned_look(survey.revision.pk).responses == 10


@pytest.mark.both_databases
def test_a_plan_that_is_not_reached_is_looked_at_once_at_the_close(client, owner):
    survey = every_week(owner, planned=1000)
    answer(survey, ["00"] * 20)
    open_due(at(7))
    assert planned_look(survey.revision.pk) is None
    retention.keep_dates(now=at(56))
    look = planned_look(survey.revision.pk)
    assert (look.responses, look.is_at_close, look.as_of) == (20, True, today() + 56 * DAY)
    assert now(survey) == FIXED
    assert "At the close, with 20 of 1,000 planned responses: ± " in page(client, survey)


@pytest.mark.both_databases
def test_a_live_survey_is_looked_at_with_the_first_batch_that_has_the_planned_number(client, owner):
    survey = live(owner, planned_responses=7, planned_error=5)
    answer(survey, ["00"] * 5)
    assert (planned_look(survey.revision.pk), now(survey)) == (None, LIVE)
    answer(survey, ["01"] * 5)
    look = planned_look(survey.revision.pk)
    assert (look.responses, look.as_of) == (10, None)  # no day: it would say when a person answered
    assert (look.cells[1], now(survey)) == ({"00": 5, "01": 5}, FIXED)
    kept = page(client, survey).split('id="planned-look"')[1].split("</section>")[0]
    assert "First batch with at least the 7 planned responses: 10 responses: ± " in kept
    answer(survey, ["01"] * 10)
    assert now(survey) == LIVE
    again = page(client, survey)
    assert "is not reached. The error is ± " in again  # at the one look, which is over
    assert "to make certain that the error is as small as wanted" not in again
    assert again.split('id="planned-look"')[1].split("</section>")[0] == kept
    assert "First batch with at least the 7 planned responses" in page(client, survey, "report")
    close(survey=survey, by=owner)
    assert (planned_look(survey.revision.pk), now(survey)) == (look, LIVE)


@pytest.mark.parametrize(
    ("planned", "later", "hides"), [(10, 0, False), (10, 1, True), (7, 9, True), (10, 10, False)]
)
def test_a_look_beside_a_few_later_answers_shows_nothing_that_tells_them(
    client, owner, planned, later, hides
):
    """The close stores the last batch, however small: 11 less 10 is what the last one said."""
    survey = live(owner, planned_responses=planned, planned_error=5)
    answer(survey, ["00"] * 10)
    answer(survey, ["01"] * later)
    assert planned_look(survey.revision.pk).responses == 10
    close(survey=survey, by=owner)
    dashboard = page(client, survey).split('id="planned-look"')[1].split("</section>")[0]
    report = (
        page(client, survey, "report")
        .split(">The planned look at the results<")[1]
        .split(">Results<")[0]
    )
    for shown in (dashboard, report):
        assert f"the {planned} planned responses: 10 responses" in shown
        assert ("fewer than 10 responses have arrived since the look" in shown) is hides
        assert (": ± " in shown, "1. " in shown) == (not hides, not hides)
    reached = "is not reached. The error is ± "
    for whole in (page(client, survey), page(client, survey, "report")):
        assert (reached in whole) is not hides


def test_fewer_than_a_batch_are_a_few_where_batches_are_larger_than_groups(client, owner):
    survey = live(owner, planned_responses=12, batch_size=12)
    answer(survey, ["00"] * 23)
    close(survey=survey, by=owner)
    assert "fewer than 12 responses have arrived since the look" in page(client, survey)


def test_a_live_survey_that_is_closed_before_is_looked_at_then(owner):
    survey = live(owner, planned_responses=100)
    answer(survey, ["00"] * 7)
    close(survey=survey, by=owner)
    look = planned_look(survey.revision.pk)
    assert (look.responses, look.is_at_close, now(survey)) == (7, True, FIXED)


def test_without_answers_without_a_plan_and_for_other_readings_no_look_is_kept(owner):
    nothing = live(owner)
    close(survey=nothing, by=owner)
    others = ({"planned_responses": None}, {"planned_reading": "always"})
    for fields in (*others, {"planned_reading": "openings"}):
        survey = live(owner, **fields)
        answer(survey, ["00"] * 10)
        close(survey=survey, by=owner)
    assert not PlannedLook.objects.exists()


def test_a_look_that_is_kept_stays_when_it_is_kept_again_or_the_plan_changes(owner):
    survey = live(owner)
    answer(survey, ["00"] * 10)
    look = planned_look(survey.revision.pk)
    AnswerCount.objects.filter(question=1).update(cell="01")
    keep_planned_look(survey.revision.pk, is_last=True)
    assert set_plan(survey=survey, responses=15, by=owner) == "always"
    answer(survey, ["01"] * 5)
    assert planned_look(survey.revision.pk) == look


def test_a_plan_that_is_made_after_answers_were_seen_is_never_one_look(client, owner):
    """Its number could be chosen by what the answers say."""
    survey = live(owner, planned_responses=None)
    answer(survey, ["00"] * 5)
    client.force_login(owner)
    given = {"survey": str(survey.pk), "responses": "10", "reading": "once", "failure": "0.05"}
    reply = client.post(reverse("surveys:save-plan"), given, follow=True).content.decode()
    assert "now asks for 10 responses. Results are read: all the time" in reply
    assert "Answers can be read already" in reply
    answer(survey, ["00"] * 5)
    assert planned_look(survey.revision.pk) is None


@pytest.mark.both_databases
def test_a_look_goes_with_the_answers_on_their_day(owner):
    survey, other = live(owner), live(owner)
    for one in (survey, other):
        answer(one, ["00"] * 10)
    Survey.objects.filter(pk=survey.pk).update(delete_on=today() + 2 * DAY)
    (due,) = retention.foresee(now=at(2)).done
    assert due.rows["planned looks"] == 1
    retention.keep_dates(now=at(2))
    assert list(PlannedLook.objects.values_list("pk", flat=True)) == [other.revision.pk]
    assert PlannedLook in CONTENTS  # its remains in the files are overwritten
