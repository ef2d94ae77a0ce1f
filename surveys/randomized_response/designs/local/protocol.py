"""FrequencyProtocol and Support: reports that support options, by if_true and if_other; epsilon.

A report *supports* an option when it speaks for it: the reported option itself, a bit that is
one, a hash that fits. With support probabilities p (the option is true) and q (another one is),
the expected share of reports that support an option is q + f (p - q), where f is its frequency.
Source: Wang, Blocki, Li and Jha (2017), "pure" protocols.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability, checked_probability, checked_whole_number
from ...errors import DesignError, ReportError, SamplingError, StatisticsError
from ..binary import SMALLEST_SLOPE
from ..channel import LARGEST_DENOMINATOR, ExactLoss, checked_denominator

Array = NDArray[Any]
Levels = Sequence[int] | NDArray[Any]
SupportCounts = NDArray[np.int64]


@dataclass(frozen=True)
class Support:
    """P(a report supports an option) if that option is true, and if another one is.

    Raises DesignError when the two are so close that nothing could be estimated.
    """

    if_true: Probability
    if_other: Probability

    def __post_init__(self) -> None:
        object.__setattr__(self, "if_true", checked_probability("p_true", self.if_true))
        object.__setattr__(self, "if_other", checked_probability("p_other", self.if_other))
        if abs(float(self.slope)) < SMALLEST_SLOPE:
            remedy = "the report would say nothing: give probabilities further apart"
            raise DesignError("p_true - p_other", self.slope, remedy)

    @cached_property
    def slope(self) -> Probability:
        """How much the support grows with the frequency: p - q."""
        return self.if_true - self.if_other

    @property
    def floats(self) -> tuple[float, float]:
        """Both probabilities."""
        return float(self.if_true), float(self.if_other)

    @property
    def fractions(self) -> tuple[Fraction, Fraction]:
        """Both probabilities, exactly."""
        return Fraction(self.if_true), Fraction(self.if_other)

    @property
    def odds_ratio(self) -> Fraction | None:
        """p (1 - q) / (q (1 - p)), exactly; None stands for infinity."""
        p, q = self.fractions
        return ratio(p * (1 - q), q * (1 - p))


@dataclass(frozen=True)
class SharedPool:
    """Hash functions that all people share; ``collision``: c of ``pools``, of a random one."""

    collision: Fraction
    functions: int

    @property
    def variance(self) -> float:
        """The largest variance of D: c / ((1 - c) F)."""
        return float(self.collision / (1 - self.collision)) / self.functions


class FrequencyProtocol(ExactLoss):
    """A randomizing device for one of many options, valid from birth.

    ``options``: how many there are, numbered from 0.
    """

    name: ClassVar[str]
    options: int

    @property
    @abstractmethod
    def support(self) -> Support:
        """The support probabilities of one report."""

    @property
    @abstractmethod
    def likelihood_ratio(self) -> Fraction | None:
        """P(report | v) / P(report | u) for a report that supports v and not u; None: infinite."""

    @property
    def supported(self) -> int | None:
        """How many options every report supports; None when that differs from report to report."""
        return None

    @property
    def shared_pool(self) -> SharedPool | None:
        """What keeps estimates from being exact; None where people have their own functions."""
        return None

    @property
    def largest_ratio(self) -> Fraction | None:
        return at_least_one(self.likelihood_ratio)

    @abstractmethod
    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """One report for each true level, first axis people. Raises SamplingError."""

    @abstractmethod
    def aggregate(self, reports: Array) -> SupportCounts:
        """How many reports support each option: shape (options,). Raises ReportError."""

    @abstractmethod
    def supports(self, reports: Array) -> NDArray[np.bool_]:
        """Which options each report supports: shape (reports, options). Raises ReportError."""


def ratio(numerator: Fraction, denominator: Fraction) -> Fraction | None:
    """An exact quotient in which a positive number over zero is None, for infinity."""
    return numerator / denominator if denominator > 0 else None


def at_least_one(value: Fraction | None) -> Fraction | None:
    """The larger of a ratio and its inverse; None stands for infinity."""
    if value is None or value == 0:
        return None
    return max(value, 1 / value)


def common_denominator(*probabilities: Probability) -> int:
    """The exact common denominator if a 32-bit draw can have it, else 2^32."""
    denominator = math.lcm(*(Fraction(p).denominator for p in probabilities))
    return denominator if denominator <= LARGEST_DENOMINATOR else LARGEST_DENOMINATOR


def checked_draw(denominator: object, **weights: object) -> None:
    """Whole weights over a denominator of at most 2^32. Raises DesignError."""
    checked_denominator(denominator)
    for name, weight in weights.items():
        checked_whole_number(name, weight, DesignError)


def checked_levels(true_levels: Levels, options: int) -> NDArray[np.int64]:
    """True levels as an integer array of shape (people,). Raises SamplingError."""
    levels = _array("true_levels", true_levels, SamplingError)
    if levels.ndim != 1:
        raise SamplingError("true_levels", levels.shape, "give one level per person, in one row")
    if levels.size and not np.issubdtype(levels.dtype, np.integer):
        raise SamplingError("true_levels", levels.dtype.name, "levels are whole numbers")
    if levels.size and not 0 <= levels.min() <= levels.max() < options:
        wrong = levels[(levels < 0) | (levels >= options)][0]
        raise SamplingError("true_levels", int(wrong), f"levels are numbered 0 to {options - 1}")
    return levels.astype(np.int64)


def _array(argument: str, values: object, error: type[StatisticsError]) -> Array:
    try:
        return np.asarray(values)
    except ValueError as ragged:
        raise error(argument, "rows of unequal length", "give rows of equal lengths") from ragged


def checked_reports(reports: Array, width: int | None, dtype: type | None = None) -> Array:
    """Reports as an integer array of the shape (n,) or (n, width). Raises ReportError."""
    array = _array("reports", reports, ReportError)
    shape = array.shape[1:]
    if array.ndim == 0 or shape != (() if width is None else (width,)):
        wanted = "one whole number each" if width is None else f"rows of {width} numbers"
        raise ReportError("reports", array.shape, f"give {wanted}")
    if array.size and not np.issubdtype(array.dtype, np.integer if dtype is None else dtype):
        wanted = "whole numbers" if dtype is None else f"numbers of the type {dtype.__name__}"
        raise ReportError("reports", array.dtype.name, f"give {wanted}")
    return array
