"""RSFDGRR: several attributes, one answered and the others sent as fake data.

Each person draws one of the d attributes, randomizes the answer to that one and fills the others
with uniform fake values, without saying which is which.
Source: Arcolezi, Couchot, Al Bouna and Xiao (2021), RS+FD[GRR].
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability, checked_number, checked_options
from ...errors import DesignError, SamplingError
from ...roots import last_number
from ..categorical import odds_within
from ..channel import ExactLoss, log_of_ratio
from .levels import GRR, checked_reported_levels, count_levels, keep_or_replace
from .protocol import Array, SupportCounts, checked_levels, checked_reports

# Odds of unequal attributes are found to a multiple of 2^-40.
_GRID = 2**40


@dataclass(frozen=True)
class RSFDGRR(ExactLoss):
    """RS+FD with k-ary randomized response; ``options[j]`` options in attribute j.

    ``odds``: P(truth) / P(any other option) of the sampled attribute, above 1. The probability
    of a report y is prod_i(1/k_i) / d * sum_j k_j P_j(y_j | x_j), which gives two losses:

    - ``epsilon``: between any two people, who may differ in every attribute, the sum changes by
      the factor ``odds`` itself: e^epsilon = odds. Sampling hides nothing from that comparison.
    - ``attribute_epsilon``: between two people who differ in one attribute,
      e^eps = 1 + (odds - 1) max_j w_j, w_j = k_j q_j / sum_i k_i q_i, q_j = 1 / (odds + k_j - 1).

    The source states the second one, for equally many options (then w_j = 1/d and
    odds = 1 + d (e^eps - 1)), and calls it the loss of the whole report. With unequal numbers of
    options its odds exceed the stated loss even per attribute. Raises DesignError.
    """

    name: ClassVar[str] = "RS+FD[GRR]"
    options: tuple[int, ...]
    odds: Probability

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", _checked_attributes(self.options))
        odds = checked_number("odds", self.odds)
        object.__setattr__(self, "odds", odds)
        if odds <= 1:
            raise DesignError("odds", odds, "at 1 a report says nothing: give odds above 1")
        # Refused at once, and not at the first estimate, where an attribute could not be estimated.
        _ = [self.attribute(j) for j in range(len(self.options))]

    @classmethod
    def from_person_epsilon(cls, options: tuple[int, ...], epsilon: float) -> Self:
        """``epsilon`` bounds the loss about everything a person said together."""
        return cls(options, odds_within(epsilon))

    @classmethod
    def from_attribute_epsilon(cls, options: tuple[int, ...], epsilon: float) -> Self:
        """``epsilon`` bounds the loss about each single attribute, the others being equal.

        Exact for equally many options, else the largest multiple of 2^-40 that keeps it.
        """
        sizes, growth = _checked_attributes(options), odds_within(epsilon) - 1
        if len(set(sizes)) == 1:
            return cls(sizes, 1 + len(sizes) * growth)

        def keeps(steps: int) -> bool:
            return _attribute_ratio(sizes, 1 + Fraction(steps, _GRID)) <= 1 + growth

        steps = last_number(keeps, 0, math.floor(len(sizes) * growth * _GRID) + 1)
        return cls(sizes, 1 + Fraction(steps, _GRID))

    @property
    def largest_ratio(self) -> Fraction:
        """e^epsilon about everything a person said together, exactly."""
        return Fraction(self.odds)

    @property
    def attribute_ratio(self) -> Fraction:
        """e^epsilon between two people who differ in one attribute, exactly."""
        return _attribute_ratio(self.options, Fraction(self.odds))

    @property
    def attribute_epsilon(self) -> float:
        """The loss about one attribute when all others are equal."""
        return log_of_ratio(self.attribute_ratio)

    def attribute(self, index: int) -> GRR:
        """What is reported about one attribute: k-ary again, diluted by the fake values.

        p = (p' + (d - 1)/k) / d, so f = (d c/n - q' - (d - 1)/k) / (p' - q').
        """
        k, d = self.options[index], len(self.options)
        return GRR(k, (_p_truth(self.odds, k) + Fraction(d - 1, k)) / d)

    def draw(self, true_levels: Array, rng: np.random.Generator) -> NDArray[np.int64]:
        """One report for each row of true levels: shape (people, attributes)."""
        levels = _checked_rows(true_levels, len(self.options))
        sampled = rng.integers(0, len(self.options), size=len(levels))
        columns = []
        for j, k in enumerate(self.options):
            true = checked_levels(levels[:, j], k)
            answer = keep_or_replace(true, k, _p_truth(self.odds, k), rng)
            columns.append(np.where(sampled == j, answer, rng.integers(0, k, size=len(levels))))
        return np.stack(columns, axis=1)

    def aggregate(self, reports: Array) -> tuple[SupportCounts, ...]:
        """How often each option of each attribute was reported. Raises ReportError."""
        rows = checked_reports(reports, len(self.options))
        columns = zip(rows.T, self.options, strict=True)
        return tuple(count_levels(checked_reported_levels(c, k), k) for c, k in columns)


def _p_truth(odds: Probability, options: int) -> Probability:
    return odds / (odds + options - 1)


def _attribute_ratio(options: tuple[int, ...], odds: Fraction) -> Fraction:
    weights = [k / (odds + k - 1) for k in options]
    return 1 + (odds - 1) * max(weights) / sum(weights)


def _checked_attributes(options: object) -> tuple[int, ...]:
    if not isinstance(options, (tuple, list)) or not options:
        raise DesignError("options", options, "give the number of options of every attribute")
    return tuple(checked_options(k) for k in options)


def _checked_rows(true_levels: Array, attributes: int) -> Array:
    rows = np.asarray(true_levels)
    if rows.ndim != 2 or rows.shape[1] != attributes:
        remedy = f"give one row of {attributes} levels per person"
        raise SamplingError("true_levels", rows.shape, remedy)
    return rows
