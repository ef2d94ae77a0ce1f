"""Success curves: checked, and fitted to daily totals by isotonic regression."""

import numpy as np
import pytest

from surveys.fieldwork.reminders.curves import Curve, checked_curve, curve_of_totals, isotonic_curve
from surveys.fieldwork.reminders.errors import ReminderError


def test_violators_are_pooled_with_their_weights():
    assert isotonic_curve([0.1, 0.3, 0.2, 0.4]).tolist() == pytest.approx([0.1, 0.25, 0.25, 0.4])
    fitted = isotonic_curve([0.1, 0.3, 0.2, 0.4], [1, 3, 1, 1])
    assert fitted.tolist() == pytest.approx([0.1, 0.275, 0.275, 0.4])


def test_totals_become_rates_of_those_who_had_not_answered():
    assert curve_of_totals([10, 28, 60], 100, 3).tolist() == pytest.approx([0.1, 0.2, 32 / 72])


def test_a_wave_of_another_length_is_stretched_to_the_slots():
    fitted = curve_of_totals([10, 28, 60], 100, 5)
    assert (len(fitted), fitted[0], fitted[-1]) == pytest.approx((5, 0.1, 32 / 72))
    assert (np.diff(fitted) >= 0).all()


@pytest.mark.parametrize(
    ("totals", "asked", "remedy"),
    [
        ([10, 5], 100, "so it cannot be smaller than the total of the day before"),
        ([10, 50], 20, "write at least 50, because this many people answered"),
        ([10], 20, "at least two days"),
        ([0, 0, 0], 20, "no mail can succeed"),
    ],
)
def test_totals_that_no_wave_had_are_refused(totals, asked, remedy):
    with pytest.raises(ReminderError, match=remedy):
        curve_of_totals(totals, asked, 3)


def test_wrong_weights_are_refused():
    with pytest.raises(ReminderError, match="above 0"):
        isotonic_curve([0.1, 0.2], [1, 0])
    with pytest.raises(ReminderError, match="one finite rate"):
        isotonic_curve([])


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        (lambda t: 0.5 + t / 2, "P\\(0\\) = 0"),
        (lambda t: t / 2, "P\\(1\\) = 1"),
        (lambda t: 0 * t, "rise strictly"),
        (lambda t: t * (2 - t) * 1.2 - 0.2 * t, "rise strictly"),
    ],
)
def test_the_continuous_law_refuses_curves_without_its_premises(value, remedy):
    with pytest.raises(ReminderError, match=remedy):
        Curve(value, lambda t: 1 + 0 * t)
    with pytest.raises(ReminderError, match="power above 0"):
        Curve.power(0)


def test_a_checked_curve_keeps_its_chances():
    assert checked_curve("P", [0, 0.5, 0.5]).tolist() == [0, 0.5, 0.5]
