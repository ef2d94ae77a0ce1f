"""GRR: k-ary randomized response as a protocol: levels kept or replaced, reports counted."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability
from ...errors import ReportError
from ..categorical import KAry
from .protocol import (
    Array,
    FrequencyProtocol,
    Levels,
    Support,
    SupportCounts,
    checked_levels,
    checked_reports,
    common_denominator,
    ratio,
)

# From here on, counting pairs of bytes pays for its table of 65,536 pairs.
_MANY = 1 << 18


class LevelProtocol(FrequencyProtocol):
    """Any protocol whose report is one option: a symmetric k-ary channel."""

    @property
    def supported(self) -> int | None:
        return 1

    @property
    def likelihood_ratio(self) -> Fraction | None:
        return ratio(*self.support.fractions)

    def aggregate(self, reports: Array) -> SupportCounts:
        return count_levels(reports, self.options)

    def supports(self, reports: Array) -> NDArray[np.bool_]:
        levels = checked_reported_levels(reports, self.options)
        return np.equal(levels[:, None], np.arange(self.options))


@dataclass(frozen=True)
class GRR(LevelProtocol):
    """Generalised (k-ary) randomized response: the design ``KAry``, with draws and counts.

    p = e^eps / (e^eps + k - 1), q = 1 / (e^eps + k - 1). Raises DesignError.
    Source: Kairouz, Bonawitz and Ramage (2016).
    """

    name: ClassVar[str] = "k-ary randomized response"
    options: int = field()
    p_truth: Probability

    def __post_init__(self) -> None:
        design = KAry(self.options, self.p_truth)
        object.__setattr__(self, "options", design.options)
        object.__setattr__(self, "p_truth", design.p_truth)

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float) -> Self:
        """p_truth as a rational rounded so that epsilon is kept."""
        return cls(options, KAry.from_epsilon(options, epsilon).p_truth)

    @property
    def design(self) -> KAry:
        """The same channel as a design, with a matrix and exact likelihood."""
        return KAry(self.options, self.p_truth)

    @cached_property
    def support(self) -> Support:
        return Support(self.p_truth, (1 - self.p_truth) / (self.options - 1))

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """One reported option per person: unsigned integers of shape (people,)."""
        levels = checked_levels(true_levels, self.options)
        return keep_or_replace(levels, self.options, self.p_truth, rng)


def keep_or_replace(
    levels: NDArray[np.int64], options: int, p_keep: Probability, rng: np.random.Generator
) -> Array:
    """Each level with probability ``p_keep``, else any other one, all equally likely.

    The probability is an integer over at most 2^32, rounded towards 1/k: never less private. The
    result has the shortest unsigned type that holds every level: a byte up to 256 options.
    """
    weight, denominator = chosen_weight(p_keep, Fraction(1, options))
    keep = rng.integers(0, denominator, size=len(levels)) < weight
    # From 1 to k - 1 steps around the circle: any other option, all equally likely.
    step = rng.integers(1, options, size=len(levels))
    return np.where(keep, levels, (levels + step) % options).astype(np.min_scalar_type(options - 1))


def chosen_weight(probability: Probability, even: Fraction) -> tuple[int, int]:
    """A probability as an integer over at most 2^32, rounded towards ``even``: never less private.

    ``even``: the probability at which a report would say nothing.
    """
    p = Fraction(probability)
    denominator = common_denominator(p)
    exact = p * denominator
    return math.floor(exact) if p > even else math.ceil(exact), denominator


def count_levels(reports: Array, options: int) -> SupportCounts:
    """How often each option is reported: shape (options,). Raises ReportError."""
    levels = checked_reported_levels(reports, options)
    if levels.dtype == np.uint8 and len(levels) >= _MANY:
        return _count_bytes(levels)[:options]
    return np.bincount(levels, minlength=options).astype(np.int64)


def _count_bytes(levels: NDArray[np.uint8]) -> SupportCounts:
    """How often each byte occurs: two at a time, as one of 65,536 pairs, halves the work."""
    paired = len(levels) // 2 * 2
    pairs = np.ascontiguousarray(levels[:paired]).view(np.uint16)
    table = np.bincount(pairs, minlength=2**16).reshape(256, 256)
    last = np.bincount(levels[paired:], minlength=256)
    return np.asarray(table.sum(axis=0) + table.sum(axis=1) + last, dtype=np.int64)


def checked_reported_levels(reports: Array, options: int) -> Array:
    """Reported options as integers in [0, options). Raises ReportError."""
    levels = checked_reports(reports, None)
    if levels.size == 0:
        return np.zeros(0, dtype=np.int64)
    # Read as unsigned, a negative number is a huge one: one pass over the reports finds both.
    unsigned = levels.view(f"u{levels.dtype.itemsize}")
    if unsigned.max() >= options:
        index = int(np.argmax(unsigned >= options))
        remedy = f"options are numbered 0 to {options - 1}"
        raise ReportError(f"reports[{index}]", int(levels[index]), remedy)
    return levels.astype(np.int64) if levels.dtype == np.uint64 else levels
