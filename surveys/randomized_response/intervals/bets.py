"""Bets: evidence that the mean of a bounded score is not 0, however often one looks.

With x_y the scores of the levels y, shifted so that the tested mean is 0, and all above -a, the
gain of a bet of size s in [0, 1/a) after n_y answers of each level,

    prod_y (1 + s x_y)^n_y,

begins at 1, is never negative and, if the mean is 0, gains nothing on average, in every order in
which answers come. So does the mean over sizes with fixed weights, and by Ville's inequality (1939)
it reaches 1/c at any look with probability at most c. Betting against means: Waudby-Smith and
Ramdas (2024, section 4). We average sizes instead of choosing each by the answers before it,
because only how often each level came is kept.

Without a plan sizes are fixed parts of 1/a, evenly weighted. With a plan for N answers ln s is
normal around the best size there, z / (sigma sqrt(N)), where z^2 / 2 is what a bet must gain. With
G = z^2 / 2 and a size off by a factor e^d, the average gains about
G - ln(1 + 2 G w^2) / 2 - G d^2 / (1 + 2 G w^2) at the width w of the law: at N and a known sigma
1.5 times the width of one look, 1.65 at a fifth of N and at four times. Our derivation.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray
from ..roots import find_root

# Parts of all that may be lost on one answer, from nearly all to what ten billion answers call for.
# Neighbours differ by less than half, which costs a few percent of the width.
PARTS = np.concatenate([[0.99], 2.0 ** -np.arange(0.5, 17.5, 0.5)])
MOST = 0.99
# Widths of the law of ln s: where the design says how its scores scatter, and where answers may
# scatter as little as they like. Three widths to each side, in steps that cost a percent.
KNOWN, UNKNOWN = 0.6, 1.0
_REACH, _STEP = 3.0, 0.35
# What is gained besides the limit pays for the average: ln(1 + 2 G w^2) / 2 is about 1.
_FEE = 1.0
_TOLERANCE = 1e-9  # of the range
_AT_ONCE = 2**16  # numbers of an array, which then stays in a processor's cache


@dataclass(frozen=True)
class Bets:
    """``sizes`` (bets,) and ln of their weights, which sum to 1.

    ``in_parts``: sizes are parts of the largest possible one; else they are in units of
    1 / standard deviation of the scores, and cut at the largest possible one.
    """

    sizes: FloatArray
    log_weights: FloatArray
    in_parts: bool

    @classmethod
    def of(cls, planned: int | None, log_bound: float, width: float = KNOWN) -> "Bets":
        """For an end at which the gain reaches a limit whose logarithm is ``log_bound``."""
        if planned is None:
            return cls(PARTS, np.full(len(PARTS), -math.log(len(PARTS))), in_parts=True)
        steps = np.arange(-_REACH * width, _REACH * width + _STEP / 2, _STEP)
        weights = np.exp(-((steps / width) ** 2) / 2)
        best = math.sqrt(2 * (max(log_bound, 0.0) + _FEE) / planned)
        return cls(best * np.exp(steps), np.log(weights / weights.sum()), in_parts=False)

    def log_gain(self, scores: FloatArray, counts: FloatArray, spread: FloatArray) -> FloatArray:
        """ln of the average gain on scores above 0, for each row of ``scores``: (hypotheses,).

        ``scores`` (hypotheses, levels) are bets against a mean of 0; ``spread`` (hypotheses,) is
        the standard deviation to expect. Infinite where none is below 0 and one above it was
        reported, which a mean of 0 makes impossible; 0 where all that were reported are 0.
        """
        most_lost = -scores.min(axis=1)
        possible = most_lost > 0
        largest = 1 / np.where(possible, most_lost, 1.0)[:, None]
        sizes = (
            self.sizes * largest
            if self.in_parts
            else np.minimum(self.sizes / spread[:, None], MOST * largest)
        )
        reported = counts > 0
        gains = log_gains(sizes, scores[:, reported], counts[reported])
        averages = np.logaddexp.reduce(gains + self.log_weights, axis=1)
        is_impossible = (scores[:, reported] > _TOLERANCE).any(axis=1)
        return np.where(possible, averages, np.where(is_impossible, np.inf, 0.0))


def log_gains(sizes: FloatArray, scores: FloatArray, counts: FloatArray) -> FloatArray:
    """ln of the gain of each bet: (hypotheses, bets).

    ``sizes`` (hypotheses, bets), ``scores`` (hypotheses, levels), ``counts`` (levels,).
    """
    # All by bets by levels may be too large an array for numbers with thousands of levels.
    rows = max(1, _AT_ONCE // max(sizes.shape[1] * scores.shape[1], 1))
    parts = [
        np.log1p(sizes[start : start + rows, :, None] * scores[start : start + rows, None, :])
        @ counts
        for start in range(0, len(sizes), rows)
    ]
    return np.concatenate(parts)


def mean_sequence(
    scores: FloatArray,
    counts: FloatArray,
    log_bound: float,
    planned: int | None,
    spread: float,
) -> tuple[float, float]:
    """The means in [0, 1] against which neither side gains ``log_bound``, of scores in [0, 1].

    ``scores`` and ``counts`` have shape (levels,); ``spread`` is the standard deviation to expect.
    The gain falls in the tested mean, so its root is the lower end; the upper is that of 1 - score.
    """
    bets = Bets.of(planned, log_bound)
    low = lower_end(scores, counts, log_bound, bets, spread)
    return low, 1 - lower_end(1 - scores, counts, log_bound, bets, spread)


def lower_end(
    scores: FloatArray, counts: FloatArray, log_bound: float, bets: Bets, spread: float
) -> float:
    """The least mean that bets on scores above it do not rule out; 0 where all scores are 0."""
    reported = counts > 0
    values, times, scatter = scores[reported], counts[reported], np.array([spread])

    def beyond(mean: float) -> float:
        # The least possible score is 0, also where no one gave it.
        gaps = np.append(values, 0.0) - mean
        return float(bets.log_gain(gaps[None], np.append(times, 0.0), scatter)[0]) - log_bound

    observed = float(values @ times / times.sum())
    if observed <= _TOLERANCE or beyond(_TOLERANCE) <= 0:
        return 0.0
    return find_root(beyond, _TOLERANCE, observed, xtol=_TOLERANCE)
