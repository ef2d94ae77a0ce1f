"""HadamardResponse: a report is a number of log2 k bits, read by a fast Walsh-Hadamard transform.

Option v owns row v + 1 of the Hadamard matrix of order K, the power of two above k. Its entry in
column y is 1 if y and the number of the row have an even number of ones in common, else -1; half of
the columns have a 1, and two rows are both 1 in a quarter of them. The report is a column in which
the true option's row is 1 with probability p, else one in which it is -1, evenly in both cases. So
a report supports another option with probability 1/2 exactly, and e^epsilon = p / (1 - p).

The support of all options is that of the transform of the counts of columns, in K log2 K sums.
Source: Acharya, Sun and Zhang (2019), section 4, for an epsilon up to about 1; their blocks for a
larger one are left out: OLH and subset selection have a smaller variance there.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability, checked_options, store_probabilities
from ...errors import DesignError
from ..categorical import odds_within
from .levels import checked_reported_levels, chosen_weight
from .protocol import (
    Array,
    FrequencyProtocol,
    Levels,
    Support,
    SupportCounts,
    checked_levels,
    ratio,
)

# The transform holds a whole number for each column.
LARGEST_OPTIONS = 2**24 - 1


@dataclass(frozen=True)
class HadamardResponse(FrequencyProtocol):
    """Report a column y of a Hadamard matrix, in which the truth's row is 1 with ``p_truth``.

    p = e^eps / (e^eps + 1), q = 1/2. Raises DesignError. Source: Acharya, Sun and Zhang (2019).
    """

    name: ClassVar[str] = "Hadamard response"
    options: int = field()
    p_truth: Probability

    def __post_init__(self) -> None:
        options = checked_options(self.options)
        if options > LARGEST_OPTIONS:
            raise DesignError("options", options, f"give at most {LARGEST_OPTIONS}, or use OLH")
        object.__setattr__(self, "options", options)
        store_probabilities(self, "p_truth")
        _ = self.support

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float) -> Self:
        """e^eps / (e^eps + 1), rounded so that epsilon is kept."""
        odds = odds_within(epsilon)
        return cls(options, odds / (odds + 1))

    @property
    def order(self) -> int:
        """K, the number of columns: reports are numbered from 0 to K - 1."""
        return 1 << self.options.bit_length()

    @property
    def support(self) -> Support:
        return Support(self.p_truth, Fraction(1, 2))

    @property
    def likelihood_ratio(self) -> Fraction | None:
        p = Fraction(self.p_truth)
        return ratio(p, 1 - p)

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """One column for each person, whole numbers of shape (people,)."""
        rows = checked_levels(true_levels, self.options) + 1
        weight, denominator = chosen_weight(self.p_truth, Fraction(1, 2))
        columns = rng.integers(0, self.order, size=len(rows))
        is_one = rng.integers(0, denominator, size=len(rows)) < weight
        # The other half of the columns differs in one bit that the row has.
        return np.where(_is_one(rows, columns) == is_one, columns, columns ^ (rows & -rows))

    def aggregate(self, reports: Array) -> SupportCounts:
        columns = checked_reported_levels(reports, self.order)
        sums = np.bincount(columns, minlength=self.order).astype(np.int64)
        size = 1
        while size < self.order:
            pairs = sums.reshape(-1, 2, size)
            sums = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
            size *= 2
        return (len(columns) + sums[1 : self.options + 1]) // 2

    def supports(self, reports: Array) -> NDArray[np.bool_]:
        columns = checked_reported_levels(reports, self.order).astype(np.int64)
        return _is_one(np.arange(1, self.options + 1), columns[:, None])


def _is_one(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.asarray(np.bitwise_count(rows & columns) % 2 == 0)
