"""Success curves fitted to coarse progress: "at least 40 by the 3rd", in steps of a batch.

A day's rate rises if and only if the logarithm of the number left is concave. So the fit is least
squares within bounds and linear constraints; the bounds are our addition to isotonic regression
(Barlow, Bartholomew, Bremner and Brunk 1972).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surveys.fieldwork.reminders.curves import FloatArray, stretched
from surveys.fieldwork.reminders.errors import ReminderError
from surveys.randomized_response.messages import sentence

# Of all curves that agree with the counts alike, the one closest to their middles.
MIDDLES = 1e-3
# More days take seconds: every second or third one is fitted then.
MOST_DAYS = 120
# Hardly any people left over, where a bound allows that all have answered.
LEFT = 0.5


@dataclass(frozen=True)
class CoarseProgress:
    """A wave day by day: by day t from ``at_least[t]`` to less than ``at_least[t] + step`` answers.

    No one had answered before the first day. None stands for a day that was not counted. Raises
    ReminderError for fewer than two days, no answers at all, or counts that fall.
    """

    at_least: tuple[int | None, ...]
    step: int

    def __post_init__(self) -> None:
        counted = [count for count in self.at_least if count is not None]
        if self.step < 1:
            raise ReminderError("step", self.step, "counts go up in steps of at least 1")
        if len(counted) < 2:
            raise ReminderError(
                sentence("progress"),
                f"{len(counted)} days",
                sentence("wait until the answers are counted on a second day"),
            )
        if any(count < 0 for count in counted) or (np.diff(counted) < 0).any():
            raise ReminderError(
                sentence("progress"),
                counted,
                sentence("counts of all answers so far cannot fall from day to day"),
            )
        if not counted[-1]:
            remedy = sentence(
                "fewer than {step} people answered so far: type chances instead", step=self.step
            )
            raise ReminderError(sentence("progress"), sentence("nothing yet"), remedy)

    def bounds(self, asked: int) -> tuple[FloatArray, FloatArray]:
        """The least and most answers by each day, in a wave of ``asked`` people. ReminderError."""
        counts = [0 if count is None else count for count in self.at_least]
        least = np.maximum.accumulate(np.array(counts, dtype=np.float64))
        if least[-1] > asked:
            remedy = sentence(
                "write at least {count}, because this many people answered", count=int(least[-1])
            )
            raise ReminderError(sentence("asked"), asked, remedy)
        is_counted = np.array([count is not None for count in self.at_least])
        most = np.where(is_counted, np.minimum(least + self.step - 1, asked), asked)
        # A day that was not counted had at most as many as the next one that was.
        return least, np.minimum.accumulate(most[::-1])[::-1]


def curve_of_progress(progress: CoarseProgress, asked: int, slots: int) -> FloatArray:
    """Return a rising success curve from coarse daily counts of ``asked`` people.

    A day's rate is the chance that a person who had not answered does. Rates rise if and only if
    the logarithm of the number left is concave. So its fit to the bounds of the counts is one least
    squares problem: isotonic, with a value anywhere between its bounds costing nothing. Raises
    ReminderError.
    """
    # SciPy's optimize takes a quarter of a second to load; only a fit needs it.
    from scipy.optimize import lsq_linear

    least, most = progress.bounds(asked)
    all_days = len(least)
    every = -(-all_days // MOST_DAYS)
    least, most = (bound[::-1][::every][::-1] for bound in (least, most))
    # left = log(people left / asked), between these bounds.
    low = np.log(np.maximum(asked - most, LEFT) / asked)
    high = np.log(np.maximum(asked - least, LEFT) / asked)
    days = len(low)
    # The first day that is fitted stands for fewer days than the others.
    lengths = np.full(days, float(every))
    lengths[0] = all_days - every * (days - 1)
    # Daily hazards are sums of rises of at least 0, and what is left is a sum of daily hazards.
    summed = np.tril(np.ones((days, days)))
    rises = -((summed * lengths) @ summed)
    apart = np.hstack([rises, -np.eye(days)])
    middle = MIDDLES * np.hstack([np.zeros((days, days)), np.eye(days)])
    wanted = np.concatenate([np.zeros(days), MIDDLES * (low + high) / 2])
    free = np.concatenate([np.full(days, np.inf), np.maximum(high, low + 1e-9)])
    fitted = lsq_linear(
        np.vstack([apart, middle]),
        wanted,
        bounds=(np.concatenate([np.zeros(days), low]), free),
        method="bvls",
        max_iter=50 * days,
    )
    hazards = summed @ np.maximum(fitted.x[:days], 0.0)
    return stretched("progress", -np.expm1(-hazards), slots)


def daily(counts: Sequence[tuple[int, int]]) -> tuple[int | None, ...]:
    """Counts (day's number, at least) as one entry a day, first to last; None where none was."""
    by_day = dict(counts)
    return tuple(by_day.get(day) for day in range(min(by_day), max(by_day) + 1)) if by_day else ()
