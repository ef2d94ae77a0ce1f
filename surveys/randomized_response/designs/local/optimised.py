"""OptimisedScale: a long scale through the channel that is best for what it is asked for.

``scales`` finds the channel with the least variance; here it becomes one that a page draws: with
few reports, in integers, and private by these integers.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import FloatArray, checked_between, checked_number
from ...errors import DesignError
from ...messages import sentence
from ..channel import LARGEST_DENOMINATOR, Channel, IntegerChannel, largest_ratio
from ..design import Design
from .scales import MOST_LEVELS, Purpose, asked_of_scale, best_patterns

Sets = NDArray[np.bool_]

# Of two levels no channel tells more than k-ary response, for any purpose.
FEWEST_LEVELS = 3
LARGEST_EPSILON = 10.0
# The best channel for a mean alone cannot tell all levels apart: a little of the CDF is asked too.
_CDF_BESIDE_MEAN = 0.05


@dataclass(frozen=True)
class OptimisedScale(Design):
    """The least average variance for ``purpose`` at a loss of at most ``largest_epsilon``.

    A report is a set of levels: it is sent with one of two probabilities, the larger one if the
    truth is in the set, by a factor of at most e^epsilon. ``options`` from 3 to 12; at ln 3 k-ary
    response is as good for a histogram of up to 5. Raises DesignError. Source: Kairouz, Oh and
    Viswanath (2016) for the shape; McKenna et al. (2020) for the aim.

    >>> design = OptimisedScale(7, Purpose.CDF, 1.0986)
    >>> print(f"{design.epsilon:.4f}", design.channel.reported_levels <= 29)
    1.0986 True
    """

    name: ClassVar[str] = sentence("Optimised scale")
    options: int = field()
    purpose: Purpose
    largest_epsilon: float

    def __post_init__(self) -> None:
        remedy = f"give {FEWEST_LEVELS} to {MOST_LEVELS} levels"
        levels = checked_between("options", self.options, FEWEST_LEVELS, MOST_LEVELS, remedy)
        if self.purpose not in list(Purpose):
            offered = sentence("give one of {kinds}", kinds=", ".join(Purpose))
            raise DesignError("purpose", self.purpose, offered)
        loss = float(checked_number("largest_epsilon", self.largest_epsilon))
        if not 0.01 <= loss <= LARGEST_EPSILON:
            remedy = f"give a number from 0.01 to {LARGEST_EPSILON:g}"
            raise DesignError("largest_epsilon", self.largest_epsilon, remedy)
        object.__setattr__(self, "options", levels)
        object.__setattr__(self, "purpose", Purpose(self.purpose))
        object.__setattr__(self, "largest_epsilon", loss)

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float, purpose: Purpose = Purpose.CDF) -> Self:
        """The same, with the loss in second place as in other designs."""
        return cls(options, purpose, epsilon)

    @cached_property
    def channel(self) -> Channel:
        return self.integer_channel.channel

    @property
    def integer_channel(self) -> IntegerChannel:
        """Weights over 2^32, from which epsilon is worked out anew: never above what was asked."""
        return _integer_channel(self.options, self.purpose, self.largest_epsilon)

    @cached_property
    def marked(self) -> tuple[tuple[int, ...], ...]:
        """The levels that each report speaks for, ascending; the last report speaks for none."""
        weights = np.array(self.integer_channel.weights).T
        high = weights > weights.min(axis=1, keepdims=True)
        high[-1] = False
        return tuple(tuple(np.flatnonzero(row).tolist()) for row in high)


@lru_cache(maxsize=64)
def _integer_channel(levels: int, purpose: Purpose, epsilon: float) -> IntegerChannel:
    asked = asked_of_scale(purpose, levels)
    if purpose is Purpose.MEAN:
        beside = _CDF_BESIDE_MEAN * asked_of_scale(Purpose.CDF, levels)
        asked = np.vstack([asked, beside])
    # Just below, so that no rounding up takes a ratio above.
    odds = math.exp(epsilon) * (1 - 1e-9)
    high, weights = _few(*best_patterns(levels, odds, asked), odds)
    return _in_integers(high, weights, odds, epsilon)


def _few(high: Sets, weights: FloatArray, odds: float) -> tuple[Sets, FloatArray]:
    """The same information from at most k (k + 1) / 2 reports: a corner of those that have it.

    The error rests on sum_S weight s s' / 1's alone (Caratheodory 1911).
    """
    from scipy.optimize import linprog

    rows = np.where(high, odds, 1.0)
    upper = np.triu_indices(rows.shape[1])
    parts = rows[:, upper[0]] * rows[:, upper[1]] / rows.sum(axis=1, keepdims=True)
    wanted = weights @ parts
    corner = linprog(np.zeros(len(rows)), A_eq=parts.T, b_eq=wanted, method="highs-ds").x
    if corner is None:  # pragma: no cover - the weights themselves are feasible
        return high, weights
    fewer = np.asarray(corner, dtype=np.float64)
    # Most weights of a corner are 0, up to what the solver rounds.
    kept = fewer > 1e-9 * fewer.max()
    return high[kept], fewer[kept]


def _in_integers(high: Sets, weights: FloatArray, odds: float, epsilon: float) -> IntegerChannel:
    """Weights over 2^32, with one more report that fills every column up.

    Each report has two weights, the larger one rounded down; the last report is wide enough that
    what rounding left uneven stays within the odds.
    """
    denominator, room = LARGEST_DENOMINATOR, 0
    # The room at least doubles each time: it passes 2^32 long before the last.
    for _ in range(60):
        low = np.floor(weights * (denominator - room)).astype(np.int64)
        # At a weight of 0 a report would prove that an answer is not the truth.
        low = np.maximum(low, 1)
        large = np.floor(low * odds).astype(np.int64)
        rows = np.where(high, large[:, None], low[:, None])
        rest = denominator - rows.sum(axis=0)
        if rest.min() > 0 and rest.max() <= rest.min() * odds:
            break
        # Doubled as well: at large odds one more of the smaller weight moves many of the larger.
        room += room + max(2 * int(np.ptp(rest) / min(odds - 1, 1)) + 1, int(-rest.min()) + 1)
    columns = np.vstack([rows, rest]).T.tolist()
    ratio = largest_ratio(tuple(zip(*columns, strict=True)))
    if ratio is None or math.log(ratio) > epsilon:  # pragma: no cover - by construction
        raise DesignError("largest_epsilon", epsilon, "give a larger one: 2^32 is too coarse")
    return IntegerChannel(tuple(tuple(column) for column in columns), denominator)
