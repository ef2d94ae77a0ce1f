"""RSFDGRR, RSFDUE: several attributes, one answered and the others sent as fake data.

Each person draws one of the d attributes, randomizes the answer to that one and fills the others
with fake values, without saying which is which.
Source: Arcolezi, Couchot, Al Bouna and Xiao (2021), RS+FD[GRR], RS+FD[UE-z] and RS+FD[UE-r].
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import (
    Probability,
    checked_index,
    checked_number,
    checked_options,
    store_probabilities,
)
from ...errors import DesignError, SamplingError
from ...roots import last_number
from ..categorical import odds_within
from ..channel import ExactLoss, log_of_ratio
from .bits import BitProtocol, byte_width, checked_packed, count_ones, pack
from .levels import GRR, checked_reported_levels, count_levels, keep_or_replace
from .protocol import (
    Array,
    Levels,
    Support,
    SupportCounts,
    checked_levels,
    checked_reports,
)
from .unary import IntegerUnary, integer_unary

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
        most = len(sizes) * growth
        return cls(sizes, _largest_odds(lambda odds: _attribute_ratio(sizes, odds), growth, most))

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


class FakeBits(StrEnum):
    """What the fake bits of an attribute are made of."""

    ZERO = "zero"
    RANDOM = "random"


@dataclass(frozen=True)
class RSFDUE(ExactLoss):
    """RS+FD with unary encoding; ``options[j]`` options in attribute j, p and q for all of them.

    A bit of the true option is one with ``p_true``, another with ``p_other``, p > q. Fake bits are
    those of no option (``FakeBits.ZERO``, UE-z) or of one drawn evenly (``FakeBits.RANDOM``, UE-r).
    With e = p (1 - q) / (q (1 - p)), g(1) = p / q and g(0) = (1 - p) / (1 - q), the bits of an
    attribute have g(bit of the truth) times the chance of those of no option, and on average over
    the truth the mean of g over all its bits. So

    - ``epsilon``, between any two people: e^epsilon = e, as sampling hides nothing from it.
    - ``attribute_epsilon``, between two who differ in one attribute: 1 + (e - 1) / d for ZERO. For
      RANDOM 1 + (e - 1) max_j a_j / (a_j + sum over i != j of b_i), a_j = k_j / (e + k_j - 1),
      b_i = k_i / (1 + (k_i - 1) e): reports that make attribute j speak most and the others least.

    The source states the first of these for both, with e = 1 + d (e^eps - 1). For RANDOM and more
    than two options the loss is larger, as b < a. Raises DesignError.
    """

    name: ClassVar[str] = "RS+FD[UE]"
    options: tuple[int, ...]
    p_true: Probability
    p_other: Probability
    fake: FakeBits = FakeBits.ZERO

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", _checked_attributes(self.options))
        store_probabilities(self, "p_true", "p_other")
        if not 0 < self.p_other < self.p_true < 1:
            remedy = "give probabilities between 0 and 1 of which p_true is the larger one"
            raise DesignError("p_other", self.p_other, remedy)
        if not isinstance(self.fake, FakeBits):
            raise DesignError("fake", self.fake, "give FakeBits.ZERO or FakeBits.RANDOM")
        # Refused at once, and not at the first estimate, where an attribute could not be estimated.
        _ = [self.attribute(j).support for j in range(len(self.options))]

    @classmethod
    def from_person_epsilon(
        cls, options: tuple[int, ...], epsilon: float, fake: FakeBits = FakeBits.ZERO
    ) -> Self:
        """OUE whose ``epsilon`` bounds the loss about everything a person said together."""
        return cls._optimised(options, odds_within(epsilon), fake)

    @classmethod
    def from_attribute_epsilon(
        cls, options: tuple[int, ...], epsilon: float, fake: FakeBits = FakeBits.ZERO
    ) -> Self:
        """OUE whose ``epsilon`` bounds the loss about each single attribute, others being equal.

        Exact for ZERO, else the largest odds, to a multiple of 2^-40, that keep it.
        """
        sizes, growth = _checked_attributes(options), odds_within(epsilon) - 1
        most = len(sizes) * growth
        if fake == FakeBits.ZERO:
            return cls._optimised(sizes, 1 + most, fake)
        odds = _largest_odds(lambda odds: _random_ratio(sizes, odds), growth, most)
        return cls._optimised(sizes, odds, fake)

    @classmethod
    def _optimised(cls, options: tuple[int, ...], odds: Fraction, fake: FakeBits) -> Self:
        return cls(options, Fraction(1, 2), 1 / (odds + 1), fake)

    @property
    def largest_ratio(self) -> Fraction:
        """e^epsilon about everything a person said together, exactly."""
        p, q = Fraction(self.p_true), Fraction(self.p_other)
        return p * (1 - q) / (q * (1 - p))

    @property
    def attribute_ratio(self) -> Fraction:
        """e^epsilon between two people who differ in one attribute, exactly."""
        if self.fake == FakeBits.ZERO:
            return 1 + (self.largest_ratio - 1) / len(self.options)
        return _random_ratio(self.options, self.largest_ratio)

    @property
    def attribute_epsilon(self) -> float:
        """The loss about one attribute when all others are equal."""
        return log_of_ratio(self.attribute_ratio)

    def attribute(self, index: int) -> "FakedBits":
        """What is reported about one attribute, to be estimated from its counts of ones."""
        return FakedBits(self, checked_index("index", index, len(self.options)))

    def draw(self, true_levels: Array, rng: np.random.Generator) -> Array:
        """Packed bits, attributes side by side: shape (people, sum of ceil(options[j] / 8))."""
        levels = _checked_rows(true_levels, len(self.options))
        sampled = rng.integers(0, len(self.options), size=len(levels))
        columns = []
        for j, k in enumerate(self.options):
            true, is_true = checked_levels(levels[:, j], k), sampled == j
            if self.fake == FakeBits.RANDOM:
                shown = np.where(is_true, true, rng.integers(0, k, size=len(levels)))
                columns.append(self._bits(k).draw(shown, rng))
            else:
                columns.append(_drawn_bits(self._bits(k), true, is_true, rng))
        return np.hstack(columns)

    def parts(self, reports: Array) -> tuple[Array, ...]:
        """The packed bits of each attribute. Raises ReportError."""
        widths = [byte_width(k) for k in self.options]
        rows = checked_reports(reports, sum(widths), np.uint8)
        pieces = np.split(rows, np.cumsum(widths)[:-1], axis=1)
        return tuple(checked_packed(p, k) for p, k in zip(pieces, self.options, strict=True))

    def aggregate(self, reports: Array) -> tuple[SupportCounts, ...]:
        """How often each option of each attribute has a one. Raises ReportError."""
        return tuple(map(count_ones, self.parts(reports), self.options))

    def _bits(self, options: int) -> IntegerUnary:
        return integer_unary(options, Support(self.p_true, self.p_other))


@dataclass(frozen=True)
class FakedBits(BitProtocol):
    """The bits of attribute ``index`` of an RSFDUE: of n people, 1/d of whom answered it.

    With p, q of a bit, p* = q* + (p - q) / d, where q* is q for ZERO, and q + (p - q)(d - 1)/(d k)
    for RANDOM, whose bits depend on each other: there is no likelihood of separate bits for it.
    """

    protocol: RSFDUE
    index: int
    name: ClassVar[str] = "Bits of an attribute, or fake ones"

    @cached_property
    def options(self) -> int:  # type: ignore[override]
        return self.protocol.options[self.index]

    @cached_property
    def support(self) -> Support:
        p, q, d = self.protocol.p_true, self.protocol.p_other, len(self.protocol.options)
        slope = (p - q) / d
        if self.protocol.fake == FakeBits.RANDOM:
            q += slope * Fraction(d - 1, self.options)
        return Support(q + slope, q)

    @property
    def likelihood_ratio(self) -> Fraction | None:
        return None if self.protocol.fake == FakeBits.RANDOM else self.largest_ratio

    @property
    def largest_ratio(self) -> Fraction:
        """Of the attribute alone: with the mean m of g, (g(1) + (d-1) m) / (g(0) + (d-1) m)."""
        p, q = Fraction(self.protocol.p_true), Fraction(self.protocol.p_other)
        high, low, others = p / q, (1 - p) / (1 - q), len(self.protocol.options) - 1
        mean = Fraction(1)
        if self.protocol.fake == FakeBits.RANDOM:
            mean = low + (high - low) / self.options
        return (high + others * mean) / (low + others * mean)

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """The bits of people who said anything about the other attributes."""
        rows = np.zeros((len(true_levels), len(self.protocol.options)), dtype=np.int64)
        rows[:, self.index] = checked_levels(true_levels, self.options)
        return self.protocol.parts(self.protocol.draw(rows, rng))[self.index]


def _drawn_bits(
    bits: IntegerUnary,
    levels: NDArray[np.int64],
    is_true: NDArray[np.bool_],
    rng: np.random.Generator,
) -> Array:
    """Bits of the levels where they are true, and of no level elsewhere."""
    draws = rng.integers(0, bits.denominator, size=(len(levels), bits.options), dtype=np.uint64)
    ones = draws < bits.ones_if_other
    people = np.flatnonzero(is_true)
    own = people, levels[people]
    ones[own] = draws[own] < bits.ones_if_true
    return pack(ones)


def _largest_odds(
    ratio_of: Callable[[Fraction], Fraction], growth: Fraction, most: Fraction
) -> Fraction:
    """The largest odds up to 1 + ``most``, to a multiple of 2^-40, of a ratio within 1 + growth."""

    def keeps(steps: int) -> bool:
        return ratio_of(1 + Fraction(steps, _GRID)) <= 1 + growth

    return 1 + Fraction(last_number(keeps, 0, math.floor(most * _GRID) + 1), _GRID)


def _random_ratio(options: tuple[int, ...], odds: Fraction) -> Fraction:
    loud = [k / (odds + k - 1) for k in options]
    quiet = [k / (1 + (k - 1) * odds) for k in options]
    others = sum(quiet)
    shares = (a / (a + others - b) for a, b in zip(loud, quiet, strict=True))
    return 1 + (odds - 1) * max(shares)


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
