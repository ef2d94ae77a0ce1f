"""Intervals of poststratified shares: square-and-add, one interval for each group.

With known shares W_g of the population, the share is sum of W_g p_g over groups that answer
independently, each with an interval [l_g, u_g] of its own around its estimate m_g. The distances
add like standard errors,

    low = m - sqrt(sum of (W_g (m_g - l_g))^2),   high = m + sqrt(sum of (W_g (u_g - m_g))^2),

so that each end uses the variance there and not at the estimate: Newcombe (1998); Zou and Donner
(2008). The linearised variance does not hold here: a group of few whose answers agree adds
nothing to it, however much of the population it stands for. With 10 of 100 people for half of the
population and a share of 20 %, its interval covers 87.8 %, and these 98.6 % (exact sums).

A group's interval is that of ``effective`` for the n_g answers of the group, or what they are worth
where base weights differ within it: with equal ones the Clopper-Pearson interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import FloatArray
from ..intervals.intervals import Interval
from ..messages import sentence
from .effective import KORN_GRAUBARD, mean_interval, score_spread
from .linearised import IntArray, group_shares

SQUARE_AND_ADD = "square-and-add"
ADDED = sentence(
    "The interval combines the intervals of the groups by square-and-add. It is approximate."
)
# A spread this small beside the range of the scores is the rounding of 0.
_NO_SPREAD = 1e-15


@dataclass(frozen=True)
class Cell:
    """One group: its share of all weight, the shares of its reports, and their squared weights.

    The last two sum the weights, and the squared weights, of each reported level, over the (square
    of the) sum of the weights of the group.
    """

    share: float
    reported_shares: tuple[float, ...]
    squared_weights: tuple[float, ...]


def cells_of(
    levels: IntArray, weights: FloatArray, size: int, groups: IntArray
) -> tuple[Cell, ...]:
    """The groups of poststratified weights, which sum to 1; arrays of shape (n,)."""
    shares = np.bincount(groups, weights=weights)
    within = weights / shares[groups]
    squares = np.zeros((len(shares), size))
    np.add.at(squares, (groups, levels), within**2)
    tables = group_shares(levels, weights, size, groups).tolist(), squares.tolist()
    rows = zip(shares.tolist(), *tables, strict=True)
    return tuple(Cell(share, tuple(shown), tuple(squared)) for share, shown, squared in rows)


def square_and_add(cells: Sequence[Cell], scores: FloatArray, level: float) -> Interval:
    """The interval of the mean score, for checked arguments."""
    means = np.array([scores @ np.array(cell.reported_shares) for cell in cells])
    parts = [_interval(cell, scores, level) for cell in cells]
    sizes = np.array([cell.share for cell in cells])
    below = sizes * (means - np.array([part.low for part in parts]))
    above = sizes * (np.array([part.high for part in parts]) - means)
    mean = float(sizes @ means)
    ends = mean - math.hypot(*below), mean + math.hypot(*above)
    return Interval(*ends, level, SQUARE_AND_ADD, ADDED)


def _interval(cell: Cell, scores: FloatArray, level: float) -> Interval:
    shares, squares = np.array(cell.reported_shares), np.array(cell.squared_weights)
    spread = score_spread(scores, shares)
    variance = float(squares @ (scores - scores @ shares) ** 2)
    agree = spread <= _NO_SPREAD * float(np.ptp(scores)) ** 2
    worth = 1 / float(squares.sum()) if agree else spread / variance
    return mean_interval(scores, shares, worth, level, KORN_GRAUBARD)
