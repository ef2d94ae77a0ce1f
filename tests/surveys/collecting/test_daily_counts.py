"""What pages said of each day's progress is kept: one count a day, and gone with the answers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from surveys.collecting.openings import count_anew
from surveys.models import DailyCount, Openings
from surveys.operations.queries import rows_of
from tests.stored import store_rows

pytestmark = [pytest.mark.database, pytest.mark.survey(batch_size=5)]
TODAY = timezone.now().date()
DAY = timedelta(days=1)


def answered(survey, count: int) -> None:
    store_rows(survey.revision, ["00"] * count)


def kept() -> list[tuple]:
    return list(DailyCount.objects.order_by("day").values_list("day", "at_least"))


def test_each_day_has_the_count_that_pages_said_in_steps_of_a_batch(survey):
    answered(survey, 4)
    count_anew(survey, TODAY)
    answered(survey, 9)
    count_anew(survey, TODAY + DAY)
    assert kept() == [(TODAY, 0), (TODAY + DAY, 10)]
    assert Openings.objects.get().at_least == 10


def test_a_day_is_counted_once_whatever_comes_later(survey):
    count_anew(survey, TODAY)
    answered(survey, 20)
    count_anew(survey, TODAY)
    assert kept() == [(TODAY, 0)]


def test_a_clock_that_was_set_back_changes_no_day(survey):
    count_anew(survey, TODAY)
    count_anew(survey, TODAY + DAY)
    answered(survey, 20)
    count_anew(survey, TODAY)
    assert kept() == [(TODAY, 0), (TODAY + DAY, 0)]


def test_the_counts_are_erased_with_the_answers(survey):
    count_anew(survey, TODAY)
    assert list(rows_of(survey)["daily counts"]) == list(DailyCount.objects.all())
