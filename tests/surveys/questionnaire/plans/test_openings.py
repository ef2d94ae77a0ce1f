"""The days of openings: whole periods apart, counted back from the close, never early."""

from datetime import UTC, date, datetime, timedelta

import hypothesis.strategies as some
from hypothesis import given

from surveys.questionnaire.plans.openings import (
    OpeningPlan,
    days_that_would_do,
    expected_sizes,
    kept_back,
    least_planned,
    withheld,
)

LAUNCH = date(2026, 6, 1)


def test_every_week_falls_on_the_weekday_of_the_close_a_whole_week_after_launch():
    plan = OpeningPlan("every", days=7)
    last = LAUNCH + timedelta(days=30)  # closes on the 31st day
    days = [(day - LAUNCH).days for day in plan.first_days(last, LAUNCH, 10)]
    assert days == [10, 17, 24, 31]


def test_the_close_is_the_only_opening_of_close_at_its_hour_on_the_day_after_the_last():
    plan = OpeningPlan("close", hour=5)
    last = LAUNCH + timedelta(days=30)
    assert plan.next_day(last, LAUNCH) == LAUNCH + timedelta(days=31)
    assert plan.closes_at(last) == datetime(2026, 7, 2, 5, tzinfo=UTC)


@given(days=some.integers(1, 28), open_for=some.integers(1, 400), moved=some.integers(0, 60))
def test_two_openings_are_a_period_apart_at_least_also_if_the_last_day_moves_later(
    days, open_for, moved
):
    plan, last = OpeningPlan("every", days=days), LAUNCH + timedelta(days=open_for - 1)
    first = plan.next_day(last, LAUNCH)
    later = last + timedelta(days=moved)
    close = later + timedelta(days=1)
    following = plan.next_day(later, first)
    assert (close - following).days % days == 0
    if following < close:
        assert days <= (following - first).days < 2 * days


@given(days=some.integers(1, 28), open_for=some.integers(1, 400))
def test_the_launched_plan_knows_its_openings_and_the_time_between(days, open_for):
    last = LAUNCH + timedelta(days=open_for - 1)
    kept = {"first": LAUNCH.isoformat(), "last": last.isoformat()}
    plan = OpeningPlan("every", days=days, **kept)
    all_days = plan.first_days(last, LAUNCH, 1000)
    assert plan.looks == len(all_days)
    assert plan.time_passed(all_days[-1]) == 1
    assert 0 < plan.time_passed(all_days[0]) <= 1
    assert OpeningPlan("close", **kept).looks == 1
    assert plan.time_passed(all_days[-1] + timedelta(days=open_for)) == 2


def test_a_document_without_these_days_is_the_same_after_reading_and_knows_no_openings():
    plan = OpeningPlan("every", key="ab")
    assert plan.looks is None
    assert OpeningPlan.from_document(plan.to_document()) == plan
    assert set(plan.to_document()) == {"when", "days", "hour", "below_k", "key"}
    dated = OpeningPlan("every", key="ab", first="2026-06-01", last="2026-06-30")
    assert OpeningPlan.from_document(dated.to_document()) == dated


def test_as_many_rows_are_expected_as_half_of_what_waits_and_all_at_the_last():
    assert expected_sizes(4) == (500, 1250, 2125, 4000)
    assert expected_sizes(1) == (1000,)
    for period in (1000, 999):
        waiting = opened = 0
        for size in expected_sizes(6)[:-1]:
            kept = kept_back(waiting + period, 1)
            opened, waiting = opened + waiting + period - kept, kept
            assert abs(opened / period - size / 1000) < 0.01


@given(waiting=some.integers(0, 10_000), k=some.integers(1, 1000))
def test_half_stays_and_at_least_a_batch(waiting, k):
    assert 2 * kept_back(waiting, k) >= waiting
    assert kept_back(waiting, k) >= k
    assert min(waiting, k) <= withheld(waiting, k) <= waiting


@given(planned=some.integers(1, 5000), open_for=some.integers(1, 400), k=some.integers(5, 100))
def test_the_period_that_is_named_would_do_and_a_shorter_one_would_not(planned, open_for, k):
    days = days_that_would_do(planned, open_for, k)
    if days is not None:
        assert planned >= least_planned(days, open_for, k)
        assert days == 1 or planned < least_planned(days - 1, open_for, k)
