"""What is read at openings: intervals that hold at all openings that the launch planned."""

from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.db import transaction
from django.urls import reverse

from surveys.collecting import openings
from surveys.collecting.services import receive
from surveys.models import Openings, Survey
from surveys.operations import retention
from surveys.operations.openings import open_due
from surveys.randomized_response.intervals import PlannedLooks
from surveys.results.progress import opening_looks
from surveys.results.queries import reading_now
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
from tests import factories
from tests.bodies import body_of
from tests.days import DAY, today

pytestmark = pytest.mark.django_db(transaction=True)


def every_week(owner, **fields) -> Survey:
    """A survey of four weeks with an opening each week, planned to be read at them."""
    draft = factories.make_survey(
        owner,
        opening="every",
        close_on=today() + 27 * DAY,
        delete_on=today() + 99 * DAY,
        batch_size=5,
        planned_responses=1000,
        planned_reading="openings",
        **fields,
    )
    factories.add_question(draft, required=True)
    factories.add_question(draft, text="Group?", design="direct", required=True)
    return factories.launched(draft)


def answer(survey: Survey, count: int = 40) -> None:
    for place in range(count):
        receive(survey_id=survey.pk, body=body_of(survey.revision, [f"0{place % 2}", "00"]))


def open_at(days: int) -> None:
    """What is due that day, at noon."""
    open_due(datetime.combine(today() + days * DAY, datetime.min.time(), UTC) + timedelta(hours=12))


def close_at(days: int) -> None:
    moment = datetime.combine(today() + days * DAY, datetime.min.time(), UTC) + timedelta(hours=12)
    retention.keep_dates(now=moment)


def now(survey: Survey) -> Reading:
    survey = Survey.objects.get(pk=survey.pk)
    return reading_now(survey, survey.revision)


def page(client, survey: Survey, name: str = "dashboard", **query) -> str:
    client.force_login(survey.owner)
    found = client.get(reverse(f"surveys:{name}", args=[survey.pk]), query)
    return " ".join(unescape(found.content.decode()).split())


@pytest.mark.both_databases
def test_each_opening_is_read_at_the_level_of_the_openings_so_far(client, owner):
    survey = every_week(owner)
    answer(survey)
    assert opening_looks(survey.revision) is None
    open_at(7)
    assert now(survey).looks == PlannedLooks((0.25,), (20,))
    answer(survey)
    open_at(14)
    reading = now(survey)
    assert (reading.method, reading.looks) == ("openings", PlannedLooks((0.25, 0.5), (20, 50)))
    assert reading.level == PlannedLooks((0.25, 0.5), (20, 50)).level(0.95)
    exact = Reading("clopper-pearson", reading.level)
    for wide in (reading, exact):
        ((report, _), *_) = all_reports(survey.revision, wide)
        assert report.rows[0].interval.level == reading.level
        assert report.rows[0].interval.method == "clopper-pearson"
    shown = page(client, survey)
    assert '<option value="openings" selected>' in shown
    together = "The confidence level applies to the intervals of all openings together."
    assert together in shown
    assert (
        "Taken alone, the intervals of this opening have confidence level "
        f"{100 * reading.level:.2f} %." in shown
    )
    assert '<option value="openings" selected>' in page(
        client, survey, "break-down", question="1", by="2"
    )
    assert together in page(client, survey, "report")
    close_at(28)
    assert now(survey).looks == PlannedLooks((0.25, 0.5, 1.0), (20, 50, 80))


@pytest.mark.both_databases
def test_an_opening_that_is_undone_is_no_look(owner):
    survey = every_week(owner)
    answer(survey)
    moment = datetime.combine(today() + 7 * DAY, datetime.min.time(), UTC) + timedelta(hours=12)
    assert openings.begin(survey.pk, moment)
    with transaction.atomic():
        assert openings.run(survey)
        assert opening_looks(survey.revision) is not None
        transaction.set_rollback(True)
    assert opening_looks(survey.revision) is None
    open_at(7)
    assert opening_looks(survey.revision) == PlannedLooks((0.25,), (20,))


def test_an_opening_that_is_put_off_leaves_its_part_to_the_next(owner):
    survey = every_week(owner)
    answer(survey, 5)
    open_at(7)
    assert opening_looks(survey.revision) is None
    answer(survey, 35)
    open_at(14)
    assert opening_looks(survey.revision) == PlannedLooks((0.5,), (20,))


def test_a_last_day_that_is_moved_changes_no_time_that_was_planned(owner):
    survey = every_week(owner)
    answer(survey)
    Survey.objects.filter(pk=survey.pk).update(close_on=today() + 41 * DAY)
    open_at(7)
    open_at(14)
    close_at(42)
    looks = opening_looks(survey.revision)
    assert looks.times[-1] == 1.5
    # Nothing was looked at on the day that was planned as the last: all but half of what is kept
    # for later openings is there.
    assert now(survey).level == looks.level(0.95) < 0.96


def test_openings_before_the_launch_are_not_those_that_were_planned(client, owner):
    survey = every_week(owner)
    answer(survey)
    Openings.objects.update(since=today() - 14 * DAY)
    week_before = today() - 7 * DAY
    assert openings.begin(survey.pk, datetime.combine(week_before, datetime.max.time(), UTC))
    openings.run(survey)
    assert Openings.objects.get().looks == [[week_before.isoformat(), 20]]
    assert now(survey).method == "confidence-sequence"
    assert "applies to the intervals of all openings together" not in page(client, survey)


def test_a_live_survey_is_read_all_the_time_and_offers_no_such_interval(client, owner):
    draft = factories.make_survey(
        owner, batch_size=5, planned_responses=9, planned_reading="openings"
    )
    factories.add_question(draft, required=True)
    factories.add_question(draft, text="Group?", design="direct", required=True)
    survey = factories.launched(draft)
    answer(survey, 5)
    assert now(survey).method == "confidence-sequence"
    shown = page(client, survey)
    assert 'value="openings"' not in shown
    refused = page(client, survey, method="openings", level="95")
    assert "openings is not one of the available choices" in refused


def test_an_opening_without_answers_is_no_look(owner):
    survey = every_week(owner)
    open_at(7)
    close_at(28)
    state = Openings.objects.get(pk=survey.revision.pk)
    assert (state.looks, opening_looks(survey.revision)) == (None, None)
    assert now(survey).method == "confidence-sequence"


@pytest.mark.parametrize("level", ["90", "95", "99"])
def test_a_file_says_the_level_that_was_asked_for(client, owner, level):
    survey = every_week(owner)
    answer(survey)
    open_at(7)
    client.force_login(owner)
    address = reverse("surveys:break-down-json", args=[survey.pk])
    query = {"question": "1", "by": "2", "method": "openings", "level": level, "hold": "each"}
    found = client.get(address, query).json()
    assert found["level"] == int(level) / 100
    assert found["method"] == "Group-sequential (look at every opening)"
