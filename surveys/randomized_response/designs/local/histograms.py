"""SHE and DBitFlip: histograms summed with noise, and bits of a few buckets drawn for each person.

Both are linear: what is estimated of a level is a mean, and needs no support of whole reports.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import (
    Probability,
    checked_between,
    checked_options,
    checked_probability,
    store_probabilities,
)
from ...errors import DesignError, ReportError
from ..binary import Warner
from ..categorical import checked_epsilon, odds_within
from ..channel import ExactLoss
from .levels import chosen_weight
from .protocol import Array, Levels, checked_levels, checked_reports

# A report of one level and noise: more than this is no noise of any epsilon that is worth it.
_LARGEST_REPORT = 2**53


@dataclass(frozen=True)
class SHE(ExactLoss):
    """Summed histogram: 1 for the true level and 0 for others, each with geometric noise added.

    The noise of each level is d with probability (1 - r) / (1 + r) r^|d|, r = ``ratio``: two levels
    change by 1 between two people, so e^epsilon = 1 / r^2, and its variance is 2 r / (1 - r)^2. The
    published Laplace noise of scale 2/eps is the limit on a fine lattice, with variance 8 / eps^2,
    which is larger; whole numbers have no low bits that could tell more. At every epsilon OUE has
    the smaller variance; sums of SHE are histograms that may be added to others. Raises
    DesignError. Source: Wang, Blocki, Li and Jha (2017), section 4.2; Ghosh, Roughgarden and
    Sundararajan (2012) for the noise.
    """

    name: ClassVar[str] = "Summed histogram"
    options: int = field()
    ratio: Probability

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        ratio = Fraction(checked_probability("ratio", self.ratio))
        object.__setattr__(self, "ratio", ratio)
        if not 0 < ratio < 1:
            remedy = "give a value between 0 (no noise) and 1 (nothing but noise), both excluded"
            raise DesignError("ratio", self.ratio, remedy)

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float) -> Self:
        """ratio = e^(-eps / 2), rounded so that epsilon is kept."""
        return cls(options, 1 / odds_within(checked_epsilon(epsilon) / 2))

    @property
    def largest_ratio(self) -> Fraction:
        return 1 / Fraction(self.ratio) ** 2

    @cached_property
    def noise_variance(self) -> Fraction:
        """Of the noise of one level in one report."""
        ratio = Fraction(self.ratio)
        return 2 * ratio / (1 - ratio) ** 2

    def noise_chance(self, distance: int) -> Fraction:
        """P(noise = distance), exactly."""
        ratio = Fraction(self.ratio)
        return (1 - ratio) / (1 + ratio) * ratio ** abs(int(distance))

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> NDArray[np.int64]:
        """One row of whole numbers for each person, shape (people, options)."""
        levels = checked_levels(true_levels, self.options)
        shape = (len(levels), self.options)
        # The difference of two geometric numbers of failures.
        up, down = (rng.geometric(1 - float(self.ratio), size=shape) for _ in range(2))
        rows = (up - down).astype(np.int64)
        rows[np.arange(len(levels)), levels] += 1
        return rows

    def aggregate(self, reports: Array) -> NDArray[np.int64]:
        """The sums of all levels, shape (options,). Raises ReportError."""
        rows = checked_reports(reports, self.options)
        if len(rows) and np.abs(rows).max() > _LARGEST_REPORT // max(1, len(rows)):
            raise ReportError("reports", int(np.abs(rows).max()), "no noise is as large as this")
        return np.asarray(rows.sum(axis=0), dtype=np.int64)


@dataclass(frozen=True)
class DBitFlip(ExactLoss):
    """``asked`` of the levels are drawn for each person, who reports one bit of each of these.

    A bit says whether the level is the true one, and is kept with probability ``p_keep``. About
    each level the n asked / options people who were asked it are a random sample, who answered by
    ``Warner``: all estimates and intervals of that design hold, by the counts of ``aggregate``.

    With two or more levels asked, both the true one and another may be among them: e^epsilon =
    (p / (1 - p))^2. With one it is p / (1 - p), half the epsilon that the source states. Raises
    DesignError. Source: Ding, Kulkarni and Yekhanin (2017), section 3.
    """

    name: ClassVar[str] = "d bits flipped"
    options: int = field()
    asked: int
    p_keep: Probability

    def __post_init__(self) -> None:
        options = checked_options(self.options)
        object.__setattr__(self, "options", options)
        remedy = f"ask each person 1 to {options} levels"
        object.__setattr__(self, "asked", checked_between("asked", self.asked, 1, options, remedy))
        store_probabilities(self, "p_keep")
        _ = self.design

    @classmethod
    def from_epsilon(cls, options: int, asked: int, epsilon: float) -> Self:
        """p_keep as a rational rounded so that epsilon is kept."""
        bits = 1 if asked == 1 else 2
        odds = odds_within(checked_epsilon(epsilon) / bits)
        return cls(options, asked, odds / (odds + 1))

    @property
    def largest_ratio(self) -> Fraction | None:
        of_a_bit = self.design.channel.largest_ratio
        return of_a_bit if of_a_bit is None or self.asked == 1 else of_a_bit**2

    @cached_property
    def design(self) -> Warner:
        """How the question about one level is answered."""
        return Warner(self.p_keep)

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> NDArray[np.int8]:
        """Rows of 0 and 1, and -1 for levels that were not asked: shape (people, options)."""
        levels = checked_levels(true_levels, self.options)
        shape = (len(levels), self.options)
        weight, denominator = chosen_weight(self.p_keep, Fraction(1, 2))
        kept = rng.integers(0, denominator, size=shape) < weight
        bits = (levels[:, None] == np.arange(self.options)) == kept
        order = np.argsort(rng.random(shape), axis=1)
        rows = np.full(shape, -1, dtype=np.int8)
        people, drawn = np.arange(len(levels))[:, None], order[:, : self.asked]
        rows[people, drawn] = bits[people, drawn]
        return rows

    def aggregate(self, reports: Array) -> NDArray[np.int64]:
        """How many said no and yes to each level, shape (options, 2). Raises ReportError."""
        rows = checked_reports(reports, self.options)
        wrong = (rows < -1) | (rows > 1)
        wrong = wrong.any(axis=1) | ((rows >= 0).sum(axis=1) != self.asked)
        if wrong.any():
            first = int(np.argmax(wrong))
            remedy = f"give 0 or 1 for {self.asked} levels, and -1 for the others"
            raise ReportError(f"reports[{first}]", rows[first].tolist(), remedy)
        return np.stack([(rows == 0).sum(axis=0), (rows == 1).sum(axis=0)], axis=1)
