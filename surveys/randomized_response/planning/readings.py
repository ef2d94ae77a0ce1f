"""Readings of a number: all the time, at openings, once. The error of n answers, and n for one.

A plan says how its numbers will be read, and every page says the error of that reading: half the
width of the interval that the page will show, at the counts at which it is widest.
"""

from collections.abc import Iterable
from enum import StrEnum
from fractions import Fraction
from functools import cache

import numpy as np

from ..checks import (
    FloatArray,
    checked_entries,
    checked_number,
    checked_positive_number,
    require_kind,
)
from ..designs.design import DesignLike, channel_of, scores_of
from ..designs.local.optimised import OptimisedScale
from ..designs.local.scales import Purpose
from ..designs.rounded import RoundedNumber
from ..errors import PlanError
from ..intervals.martingales import ConfidenceSequence
from ..intervals.planned_looks import PlannedLooks
from ..intervals.widths import Methods, Swing, exact
from ..intervals.worst_case import LargestVariance, largest_variances, score_variance
from ..messages import sentence
from .planning import LARGEST_SAMPLE


class Reading(StrEnum):
    """When a number is looked at, and so which interval it needs."""

    ALWAYS = "always"
    AT_OPENINGS = "openings"
    ONCE = "once"

    def method(self, planned: int | None) -> ConfidenceSequence | None:
        """The method of estimates in this reading, None being their own for one look.

        At openings it is the one of all looks, unless the openings are planned: then it is that of
        one look, at the level that ``PlannedLooks`` gives. ``planned``: the number of answers at
        which a sequence is to be narrowest.
        """
        return None if self is Reading.ONCE else ConfidenceSequence(planned)


def scores_shown(design: DesignLike | RoundedNumber) -> tuple[FloatArray, ...]:
    """The scores, shape (reported levels,), of each number that a page shows of a design.

    That is each share; the shares up to each level where the design is for those; of a rounded
    number its mean, as a part of its range. Raises DesignError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning import scores_shown
    >>> [row.tolist() for row in scores_shown(Warner(0.75))]
    [[1.5, -0.5], [-0.5, 1.5]]
    """
    if isinstance(design, RoundedNumber):
        return (np.array(design.scores, dtype=float),)
    scores = scores_of(design)
    is_summed = isinstance(design, OptimisedScale) and design.purpose is Purpose.CDF
    return tuple(sums_of(scores) if is_summed else scores)


def shown_variances(design: DesignLike | RoundedNumber) -> tuple[LargestVariance, ...]:
    """The largest variance of each number that a page shows of a design, as ``scores_shown``.

    The mean score of a true answer x is 1 where the sum counts x, else 0: what is left is the noise
    of each, and of a part of the sum the worst counts. Raises DesignError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning.readings import shown_variances
    >>> [float(share.largest(1)) for share in shown_variances(Warner(0.75))]
    [1.0, 1.0]
    """
    if not (isinstance(design, OptimisedScale) and design.purpose is Purpose.CDF):
        return largest_variances(design)
    matrix = channel_of(design).matrix
    return tuple(
        score_variance(scores, matrix, slice(0, last + 1))
        for last, scores in enumerate(scores_shown(design))
    )


def sums_of(scores: FloatArray) -> FloatArray:
    """The scores of the shares up to each level but the last, which is always 1.

    ``scores`` has shape (levels, reported levels).

    >>> import numpy as np
    >>> from randomized_response.planning import sums_of
    >>> sums_of(np.eye(3)).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    return np.cumsum(scores, axis=0)[:-1]


def half_width(
    scores: Iterable[FloatArray],
    *,
    n: int,
    reading: Reading,
    failure_probability: float | Fraction = 0.05,
    sequence: ConfidenceSequence | None = None,
    looks: PlannedLooks | None = None,
) -> float:
    """Half the width that no interval of these numbers exceeds, from n or more answers.

    ``sequence``: that of the reading; None is the one that is narrowest at n. ``looks``: openings
    up to that of n answers; None is as many as one likes, all read by a sequence. Of a number with
    two distinct scores it is reached at the middle count; with more, where half of the reports have
    the least score and half the largest, which a design may make improbable. Derivation:
    docs/statistics.md, section 5. Raises PlanError.

    >>> from randomized_response.designs import TwoCoins
    >>> from randomized_response.planning import Reading, half_width, scores_shown
    >>> shares = scores_shown(TwoCoins(3))
    >>> [round(half_width(shares, n=1000, reading=reading), 4) for reading in Reading]
    [0.0959, 0.0959, 0.0629]
    >>> from randomized_response.intervals import PlannedLooks
    >>> eight = {"reading": Reading.AT_OPENINGS, "looks": PlannedLooks.even(8)}
    >>> round(half_width(shares, n=1000, **eight), 4)
    0.0719
    """
    size = checked_positive_number("n", n, PlanError)
    failure, methods = _read(reading, failure_probability, sequence, looks)
    chosen = methods(size)
    return max(swing.half_width(size, failure, chosen) for swing in _swings(scores))


def people_needed(
    scores: Iterable[FloatArray],
    *,
    error: float | Fraction,
    reading: Reading,
    failure_probability: float | Fraction = 0.05,
    sequence: ConfidenceSequence | None = None,
    looks: PlannedLooks | None = None,
) -> int:
    """Smallest n from which no interval of these numbers is wider than ± ``error``.

    ``sequence``: that of the reading, at every n; None is for each n the one that is narrowest
    there. ``looks``: all openings, of which the last has n answers; None is as many as one likes.
    Raises PlanError for more than 10^9 people.

    >>> from randomized_response.designs import TwoCoins
    >>> from randomized_response.planning import Reading, people_needed, scores_shown
    >>> shares = scores_shown(TwoCoins(2))
    >>> [people_needed(shares, error=0.05, reading=reading) for reading in Reading]
    [3689, 3689, 1574]
    >>> from randomized_response.intervals import PlannedLooks
    >>> eight = {"reading": Reading.AT_OPENINGS, "looks": PlannedLooks.even(8)}
    >>> people_needed(shares, error=0.05, **eight)
    2053
    """
    wanted = _probability("error", error)
    failure, methods = _read(reading, failure_probability, sequence, looks)
    people = max(swing.sample_size(wanted, failure, methods) for swing in _swings(scores))
    if people > LARGEST_SAMPLE:
        raise PlanError(
            "error", error, sentence("the plan needs more than 10^9 people. Allow a larger error")
        )
    return people


def _swings(scores: Iterable[FloatArray]) -> set[Swing]:
    remedy = "give the scores of the numbers that are shown: scores_shown(design)"
    return {*map(Swing.of, checked_entries("scores", scores, remedy, PlanError))}


def _read(
    reading: Reading,
    failure_probability: float | Fraction,
    sequence: ConfidenceSequence | None,
    looks: PlannedLooks | None,
) -> tuple[float, Methods]:
    """The chance that one interval misses, and the method at each n."""
    failure = _probability("failure_probability", failure_probability)
    names = ", ".join(f"Reading.{known.name}" for known in Reading)
    require_kind("reading", reading, Reading, f"give one of {names}", PlanError)
    if reading is Reading.AT_OPENINGS and looks:
        return 1 - looks.level(1 - failure), exact
    return failure, _methods(reading, sequence)


@cache
def _methods(reading: Reading, sequence: ConfidenceSequence | None) -> Methods:
    """The method at each n: one function for all who ask the same, so that findings are kept."""
    if reading is Reading.ONCE:
        return exact
    return ConfidenceSequence if sequence is None else lambda n: sequence


def _probability(argument: str, value: float | Fraction) -> float:
    number = float(checked_number(argument, value, PlanError))
    if not 0 < number < 1:
        raise PlanError(argument, value, "give a number between 0 and 1, both excluded")
    return number
