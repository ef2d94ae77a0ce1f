"""What pages said of each day's progress is kept: one count a day, and gone with the answers."""

import pytest

from surveys.collecting.openings import count_anew
from surveys.models import DailyCount, Openings
from surveys.operations.queries import rows_of
from tests.days import DAY, today
from tests.stored import store_rows

pytestmark = [pytest.mark.database, pytest.mark.survey(batch_size=5)]


def answered(survey, count: int) -> None:
    store_rows(survey.revision, ["00"] * count)


def kept() -> list[tuple]:
    return list(DailyCount.objects.order_by("day").values_list("day", "at_least"))


def test_each_day_has_the_count_that_pages_said_in_steps_of_a_batch(survey):
    answered(survey, 4)
    count_anew(survey, today())
    answered(survey, 9)
    count_anew(survey, today() + DAY)
    assert kept() == [(today(), 0), (today() + DAY, 10)]
    assert Openings.objects.get().at_least == 10


def test_a_day_is_counted_once_whatever_comes_later(survey):
    count_anew(survey, today())
    answered(survey, 20)
    count_anew(survey, today())
    assert kept() == [(today(), 0)]


def test_a_clock_that_was_set_back_changes_no_day(survey):
    count_anew(survey, today())
    count_anew(survey, today() + DAY)
    answered(survey, 20)
    count_anew(survey, today())
    assert kept() == [(today(), 0), (today() + DAY, 0)]


def test_the_counts_are_erased_with_the_answers(survey):
    count_anew(survey, today())
    assert list(rows_of(survey)["daily counts"]) == list(DailyCount.objects.all())
