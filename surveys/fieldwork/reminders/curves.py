"""Success curves: how likely a send in a slot succeeds, typed in or fitted to daily totals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surveys.fieldwork.reminders.errors import ReminderError
from surveys.randomized_response.messages import sentence

FloatArray = NDArray[np.float64]
MOST_SLOTS = 400
SLACK = 1e-12


def checked_curve(argument: str, values: ArrayLike) -> FloatArray:
    """Return chances of success, one a slot: in [0, 1], never falling, somewhere above 0.

    Raises ReminderError.
    """
    try:
        chances = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ReminderError(argument, values, sentence("give one number for each day")) from None
    if chances.ndim != 1 or not 1 <= len(chances) <= MOST_SLOTS:
        remedy = sentence("give 1 to {most_slots} chances, one for each day", most_slots=MOST_SLOTS)
        raise ReminderError(argument, chances.shape, remedy)
    if not np.isfinite(chances).all() or (chances < 0).any() or (chances > 1).any():
        raise ReminderError(argument, chances.tolist(), sentence("chances must be between 0 and 1"))
    falls = np.flatnonzero(np.diff(chances) < -SLACK)
    if len(falls):
        slot = int(falls[0]) + 2
        remedy = sentence(
            "the chance falls on this day, but chances must stay the same or rise from day to "
            "day until the deadline"
        )
        there = sentence(
            "{chance} on day {slot}", chance=Decimal(f"{chances[slot - 1]:g}"), slot=slot
        )
        raise ReminderError(argument, there, remedy)
    if not chances.max():
        raise ReminderError(
            argument,
            sentence("0 on all days"),
            sentence("no mail can succeed; write a number above 0 for at least one day"),
        )
    return chances


def checked_sends(argument: str, value: object, slots: int) -> int:
    """Return a number of sends from 1 to the number of slots. Raises ReminderError."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ReminderError(argument, value, sentence("give a whole number"))
    if value < 1:
        raise ReminderError(argument, value, sentence("plan at least 1 mail"))
    if value > slots:
        raise ReminderError(
            argument,
            value,
            sentence("plan at most {slots} mails, one for each day", slots=slots),
        )
    return int(value)


def isotonic_curve(rates: ArrayLike, weights: ArrayLike | None = None) -> FloatArray:
    """Return the rising curve nearest to daily rates, by least squares.

    ``weights`` are how many people each rate is of. Pool adjacent violators (Barlow et al. 1972).
    Raises ReminderError.
    """
    values = np.asarray(rates, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise ReminderError("rates", values.shape, "give one finite rate for each day")
    # SciPy's optimize takes a quarter of a second to load; only a fit needs it.
    from scipy.optimize import isotonic_regression

    sizes = None if weights is None else np.asarray(weights, dtype=np.float64)
    if sizes is not None and (sizes.shape != values.shape or (sizes <= 0).any()):
        raise ReminderError("weights", sizes.shape, "give a weight above 0 for each day")
    fitted: FloatArray = np.clip(isotonic_regression(values, weights=sizes).x, 0.0, 1.0)
    return fitted


def curve_of_totals(totals: Sequence[float], asked: float, slots: int) -> FloatArray:
    """Return a rising success curve from cumulative daily totals of answers of an earlier wave.

    The rate of a day is its new answers over the people who had not answered yet. A wave of
    another length is stretched to the slots. Raises ReminderError.
    """
    counts = np.asarray(totals, dtype=np.float64)
    if counts.ndim != 1 or len(counts) < 2 or not np.isfinite(counts).all():
        raise ReminderError(
            sentence("totals"), counts.shape, sentence("give the totals of at least two days")
        )
    if (counts < 0).any() or (np.diff(counts) < 0).any():
        raise ReminderError(
            sentence("totals"),
            counts.tolist(),
            sentence(
                "each total counts all answers so far, so it cannot be smaller than the total "
                "of the day before"
            ),
        )
    if not np.isfinite(asked) or asked < counts[-1]:
        remedy = sentence(
            "write at least {count}, because this many people answered",
            count=Decimal(ceil(counts[-1])),
        )
        raise ReminderError(sentence("asked"), asked, remedy)
    new = np.diff(counts, prepend=0.0)
    left = asked - np.concatenate([[0.0], counts[:-1]])
    rates = np.divide(new, left, where=left > 0, out=np.zeros_like(new))
    return stretched("totals", isotonic_curve(rates, np.maximum(left, 1e-9)), slots)


def stretched(argument: str, chances: FloatArray, slots: int) -> FloatArray:
    """Return a curve of daily chances stretched or shrunk to the slots. Raises ReminderError."""
    days = np.linspace(0.0, 1.0, len(chances))
    return checked_curve(argument, np.interp(np.linspace(0.0, 1.0, slots), days, chances))


@dataclass(frozen=True)
class Curve:
    """A smooth success curve on [0, 1] for the continuous law: P(0) = 0, P(1) = 1, rising.

    ``slope`` is its derivative. Both take and give arrays. Raises ReminderError.
    """

    value: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]

    def __post_init__(self) -> None:
        times = np.linspace(0.0, 1.0, 257)
        with np.errstate(all="ignore"):
            values = np.asarray(self.value(times), dtype=np.float64) + np.zeros_like(times)
        if not np.isfinite(values).all() or (np.diff(values) <= 0).any():
            raise ReminderError(
                "curve",
                "not rising",
                "Restrepo's law needs P to rise strictly",
            )
        if abs(values[0]) > 1e-9 or abs(values[-1] - 1) > 1e-9:
            ends = f"P(0) = {values[0]:g}, P(1) = {values[-1]:g}"
            raise ReminderError("curve", ends, "Restrepo's law needs P(0) = 0 and P(1) = 1")

    @classmethod
    def power(cls, exponent: float = 1.0) -> "Curve":
        """P(t) = t to a power above 0."""
        if not exponent > 0 or not np.isfinite(exponent):
            raise ReminderError("exponent", exponent, "give a finite power above 0")
        return cls(lambda t: t**exponent, lambda t: exponent * t ** (exponent - 1))
