"""Success curves fitted to coarse progress: rising, and within the bounds where they can be."""

import numpy as np
import pytest

from surveys.fieldwork.reminders.errors import ReminderError
from surveys.fieldwork.reminders.progress import CoarseProgress, curve_of_progress, daily

RISING = np.linspace(0.01, 0.1, 20)
ASKED = 1_000


def coarse(rates: np.ndarray, step: int = 20) -> CoarseProgress:
    """What pages would say of people who answer at these rates."""
    totals = ASKED * (1 - np.cumprod(1 - rates))
    return CoarseProgress(tuple(int(total) // step * step for total in totals), step)


def totals_of(rates: np.ndarray) -> np.ndarray:
    return ASKED * (1 - np.cumprod(1 - rates))


def test_a_rising_wave_is_fitted_within_its_bounds():
    progress = coarse(RISING)
    fitted = curve_of_progress(progress, ASKED, 20)
    assert (np.diff(fitted) >= -1e-12).all()
    least, most = progress.bounds(ASKED)
    assert (totals_of(fitted) > least - 1).all()
    assert (totals_of(fitted) < most + 1).all()
    assert np.abs(fitted - RISING).max() < 0.02


def test_finer_steps_come_closer_to_the_truth():
    off = [
        np.abs(curve_of_progress(coarse(RISING, step), ASKED, 20) - RISING).max()
        for step in (100, 1)
    ]
    assert off[1] < off[0] / 4


def test_a_wave_that_falls_off_gets_the_same_chance_every_day():
    fitted = curve_of_progress(coarse(RISING[::-1]), ASKED, 20)
    assert np.ptp(fitted) < 1e-6
    assert 0.01 < fitted[0] < 0.1


def test_days_that_were_not_counted_lie_between_the_others():
    progress = CoarseProgress((0, None, 40, None, 100), 20)
    least, most = progress.bounds(200)
    assert least.tolist() == [0, 0, 40, 40, 100]
    assert most.tolist() == [19, 59, 59, 119, 119]
    assert (np.diff(curve_of_progress(progress, 200, 5)) >= -1e-12).all()


def test_a_long_wave_is_fitted_on_some_of_its_days_with_daily_chances():
    long = coarse(np.full(300, 0.004))
    fitted = curve_of_progress(long, ASKED, 30)
    assert fitted == pytest.approx(np.full(30, 0.004), abs=0.003)


def test_the_first_days_of_a_long_wave_are_fitted_as_many_as_they_are():
    """Of 241 days every third is fitted, from the last; the first one stands for itself alone."""
    fitted = curve_of_progress(coarse(np.full(241, 0.004), step=1), ASKED, 241)
    assert fitted == pytest.approx(np.full(241, 0.004), abs=0.0005)


def test_it_is_stretched_to_the_slots():
    assert len(curve_of_progress(coarse(RISING), ASKED, 7)) == 7


def test_counts_become_one_entry_a_day():
    assert daily([(7, 20), (5, 0), (8, 40)]) == (0, None, 20, 40)
    assert daily([]) == ()


@pytest.mark.parametrize(
    ("counts", "step", "remedy"),
    [
        ((20,), 20, "second day"),
        ((20, None), 20, "second day"),
        ((40, 20), 20, "cannot fall from day to day"),
        ((0, 0), 20, "fewer than 20 people answered"),
        ((0, 20), 0, "at least 1"),
    ],
)
def test_progress_that_cannot_be_fitted_is_refused(counts, step, remedy):
    with pytest.raises(ReminderError, match=remedy):
        CoarseProgress(counts, step)


def test_more_answers_than_people_asked_are_refused():
    with pytest.raises(ReminderError, match="write at least 40, because this many people answered"):
        curve_of_progress(CoarseProgress((20, 40), 20), 30, 5)
