"""Numbers from a range: Piecewise, TwoPoint, Hybrid; unbiased reports with the least variance.

An answer x in [low, high] is v = (x - middle) / half in [-1, 1], ``half`` half the range, and its
report z is middle + half t. With s = e^(epsilon / 2), E(t | v) = v and Var(t | v) = A v^2 + C:

- TwoPoint: t = B or -B, B = (s^2 + 1) / (s^2 - 1), P(B) = 1/2 + v / (2 B). A = -1, C = B^2.
- Piecewise: t in [-R, R], R = (s + 1) / (s - 1), has density s (s - 1) / (2 (s + 1)) within
  (R - 1) / 2 of (R + 1) v / 2, and 1 / s^2 of it elsewhere. A = 1 / (s - 1), C = (s + 3) / (3 (s -
  1)^2).
- Hybrid: Piecewise with probability p, TwoPoint otherwise. A = p s / (s - 1) - 1 and C is the mean
  of both. The largest variance is linear in p on both sides of 1 - 1 / s, where A = 0, and grows
  above it: the best p is 1 - 1 / s if (s + 3) (s + 1)^2 < 3 (s^2 + 1)^2 (epsilon > 0.61), else 0.

As E(t^2 | v) = (1 + A) v^2 + C, the quadratic (A t^2 + C) / (1 + A) is unbiased for the variance of
a report, and t^2 less it for v^2. For TwoPoint 1 + A = 0: the law of its reports is linear in v, so
that they say nothing about how answers scatter. Source: Wang, Xiao, Yang et al. (2019), "Collecting
and analyzing multidimensional data with local differential privacy", algorithms 1 and 2, equations
4 to 8; TwoPoint is of Duchi, Jordan and Wainwright (2018).

Draws are floats, whose low bits may tell more than the epsilon that is stated: they are for
simulation and planning. What a browser draws is ``RoundedNumber`` or ``DiscretisedScrambling``.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ...checks import (
    FloatArray,
    Probability,
    checked_number,
    require_generator,
    store_probabilities,
)
from ...columns import checked_column, refuse_where
from ...errors import DesignError, ReportError, SamplingError, StatisticsError
from ...labels import index_of
from ..binary import SMALLEST_SLOPE
from ..categorical import checked_epsilon, odds_within
from ..channel import ExactLoss
from ..design import epsilon_words
from ..quantitative import LARGEST_NUMBER
from ..transform import TransformedReports

# Of the range of reports: what a file that rounds them may change.
_ROUNDING = 1e-9


class NumberProtocol(ExactLoss):
    """A device for a number in [``low``, ``high``], valid from birth; ``root_odds``: s, above 1.

    e^epsilon = s^2 exactly, between the numbers that are furthest apart.
    """

    name: ClassVar[str]
    low: float
    high: float
    root_odds: Probability

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            end = float(checked_number(name, getattr(self, name)))
            if abs(end) > LARGEST_NUMBER:
                raise DesignError(name, end, f"give at most {LARGEST_NUMBER:g}: use larger units")
            object.__setattr__(self, name, end)
        # Halves of the two smallest floats are both 0.
        if not self.low < self.high or self.half == 0:
            raise DesignError("high", self.high, f"give a largest number above {self.low:g}")
        odds = checked_number("root_odds", self.root_odds)
        object.__setattr__(self, "root_odds", odds)
        if odds < 1 + SMALLEST_SLOPE:
            remedy = "at 1 a report says nothing: give a value above 1, or use from_epsilon"
            raise DesignError("root_odds", odds, remedy)

    @property
    @abstractmethod
    def moments(self) -> tuple[Fraction, Fraction]:
        """A and C of the variance A v^2 + C of t."""

    @property
    @abstractmethod
    def reach(self) -> Fraction:
        """The largest t."""

    @abstractmethod
    def drawn(self, v: FloatArray, rng: np.random.Generator) -> FloatArray:
        """One t for each v in [-1, 1], shape (people,)."""

    @abstractmethod
    def cumulated(self, t: FloatArray, v: FloatArray) -> FloatArray:
        """P(t or less is reported | v), for arrays that go together; it falls as v grows."""

    @property
    def atoms(self) -> tuple[Fraction, ...]:
        """Every t that has a probability of its own."""
        return ()

    @property
    def largest_ratio(self) -> Fraction:
        return Fraction(self.root_odds) ** 2

    @property
    def label(self) -> str:
        """The protocol, its range and its epsilon in words."""
        return f"{self.name} ({self.low:g} to {self.high:g}, {epsilon_words(self.epsilon)})"

    @property
    def half(self) -> float:
        """Half the length of the range, which is the unit of t."""
        return self.high / 2 - self.low / 2

    def standard(self, x: FloatArray) -> FloatArray:
        """v of answers, t of reports."""
        return np.asarray((x - self.low) / self.half - 1)

    def draw(self, answers: ArrayLike, rng: np.random.Generator) -> FloatArray:
        """One report for each answer, shape (people,). Raises SamplingError."""
        require_generator(rng)
        x = _within("answers", answers, self.low, self.high, SamplingError)
        return np.asarray(self.low + self.half * (1 + self.drawn(self.standard(x), rng)))

    def checked_reports(self, reports: ArrayLike) -> FloatArray:
        """Reports as floats (n,) between the smallest and the largest one. Raises ReportError."""
        beyond = self.half * (float(self.reach) - 1)
        slack = _ROUNDING * (self.half + beyond)
        low, high = self.low - beyond - slack, self.high + beyond + slack
        return _within("reports", reports, low, high, ReportError)

    def transform(self, reports: ArrayLike) -> TransformedReports:
        """The reports, unbiased as they are, with unbiased estimates of their variances.

        The variances are None where the reports say nothing about v^2. Raises ReportError.
        """
        z = self.checked_reports(reports)
        factor, shift = map(float, self.moments)
        if 1 + factor <= 0:
            return TransformedReports(z, None, index_of(reports))
        spread = (factor * self.standard(z) ** 2 + shift) / (1 + factor)
        return TransformedReports(z, self.half**2 * spread, index_of(reports))


@dataclass(frozen=True)
class TwoPoint(NumberProtocol):
    """One of two numbers, the upper one the more often the larger the answer.

    The least variance of all at a small epsilon; nothing but means can be estimated. Raises
    DesignError. Source: Duchi, Jordan and Wainwright (2018); Wang et al. (2019), algorithm 1.
    """

    name: ClassVar[str] = "Two points"
    low: float
    high: float
    root_odds: Probability

    @classmethod
    def from_epsilon(cls, low: float, high: float, epsilon: float) -> Self:
        """The square root of e^epsilon is rounded down, so epsilon is kept."""
        return cls(low, high, _root_odds(epsilon))

    @property
    def moments(self) -> tuple[Fraction, Fraction]:
        return Fraction(-1), self.reach**2

    @cached_property
    def reach(self) -> Fraction:
        odds = self.largest_ratio
        return (odds + 1) / (odds - 1)

    @property
    def atoms(self) -> tuple[Fraction, ...]:
        return -self.reach, self.reach

    def drawn(self, v: FloatArray, rng: np.random.Generator) -> FloatArray:
        return np.where(rng.random(v.shape) < self._upper(v), 1.0, -1.0) * float(self.reach)

    def cumulated(self, t: FloatArray, v: FloatArray) -> FloatArray:
        reach = float(self.reach)
        return np.where(t >= reach, 1.0, np.where(t >= -reach, 1 - self._upper(v), 0.0))

    def _upper(self, v: FloatArray) -> FloatArray:
        return 0.5 + v / (2 * float(self.reach))


@dataclass(frozen=True)
class Piecewise(NumberProtocol):
    """A number near the answer with probability s / (s + 1), else one from further away.

    Less noise at the ends than ``TwoPoint`` has in the middle, from an epsilon of some 1.3 on.
    Raises DesignError. Source: Wang et al. (2019), algorithm 2.
    """

    name: ClassVar[str] = "Piecewise"
    low: float
    high: float
    root_odds: Probability

    @classmethod
    def from_epsilon(cls, low: float, high: float, epsilon: float) -> Self:
        """s = e^(epsilon / 2) as a rational rounded down, so epsilon is kept."""
        return cls(low, high, _root_odds(epsilon))

    @property
    def moments(self) -> tuple[Fraction, Fraction]:
        above = Fraction(self.root_odds) - 1
        return 1 / above, (above + 4) / (3 * above**2)

    @cached_property
    def reach(self) -> Fraction:
        s = Fraction(self.root_odds)
        return (s + 1) / (s - 1)

    @property
    def densities(self) -> tuple[Fraction, Fraction]:
        """The density of t near the answer and further away: one is s^2 times the other."""
        s = Fraction(self.root_odds)
        near = s * (s - 1) / (2 * (s + 1))
        return near, near / s**2

    def nearest(self, v: FloatArray) -> FloatArray:
        """The lower end of what is near: (R + 1) v / 2 - (R - 1) / 2; it is R - 1 long."""
        reach = float(self.reach)
        return np.asarray((reach + 1) / 2 * v - (reach - 1) / 2)

    def drawn(self, v: FloatArray, rng: np.random.Generator) -> FloatArray:
        s, reach = float(self.root_odds), float(self.reach)
        start, length = self.nearest(v), reach - 1
        inside = rng.random(v.shape) < s / (s + 1)
        part = rng.random(v.shape)
        outside = part * (reach + 1) - reach
        outside = np.where(outside < start, outside, outside + length)
        return np.where(inside, start + part * length, outside)

    def cumulated(self, t: FloatArray, v: FloatArray) -> FloatArray:
        near, far = map(float, self.densities)
        reach = float(self.reach)
        inside = np.clip(t - self.nearest(v), 0.0, reach - 1)
        return np.asarray(far * (np.clip(t, -reach, reach) + reach) + (near - far) * inside)


@dataclass(frozen=True)
class Hybrid(NumberProtocol):
    """``Piecewise`` with probability ``p_piecewise``, ``TwoPoint`` otherwise.

    With the probability of ``from_epsilon`` its largest variance is at most that of both, and from
    an epsilon of 0.61 on the same for all answers. Raises DesignError. Source: Wang et al. (2019),
    section III-C.
    """

    name: ClassVar[str] = "Hybrid of Piecewise and two points"
    low: float
    high: float
    root_odds: Probability
    p_piecewise: Probability

    def __post_init__(self) -> None:
        super().__post_init__()
        store_probabilities(self, "p_piecewise")

    @classmethod
    def from_epsilon(
        cls, low: float, high: float, epsilon: float, p_piecewise: Probability | None = None
    ) -> Self:
        """With the given probability, or the one whose largest variance is smallest.

        Below an epsilon of some 0.61 the latter is 0, so that only means can be estimated.
        """
        s = _root_odds(epsilon)
        pays = (s + 3) * (s + 1) ** 2 < 3 * (s**2 + 1) ** 2
        best = 1 - 1 / s if pays else Fraction(0)
        return cls(low, high, s, best if p_piecewise is None else p_piecewise)

    @cached_property
    def piecewise(self) -> Piecewise:
        """What reports are drawn from with probability ``p_piecewise``."""
        return Piecewise(self.low, self.high, self.root_odds)

    @cached_property
    def two_point(self) -> TwoPoint:
        """What the other reports are drawn from."""
        return TwoPoint(self.low, self.high, self.root_odds)

    @property
    def moments(self) -> tuple[Fraction, Fraction]:
        p = Fraction(self.p_piecewise)
        parts = zip(self.piecewise.moments, self.two_point.moments, strict=True)
        factor, shift = (p * first + (1 - p) * second for first, second in parts)
        return factor, shift

    @property
    def reach(self) -> Fraction:
        return self.piecewise.reach if self.p_piecewise > 0 else self.two_point.reach

    @property
    def atoms(self) -> tuple[Fraction, ...]:
        return self.two_point.atoms if self.p_piecewise < 1 else ()

    def drawn(self, v: FloatArray, rng: np.random.Generator) -> FloatArray:
        is_piecewise = rng.random(v.shape) < float(self.p_piecewise)
        return np.where(is_piecewise, self.piecewise.drawn(v, rng), self.two_point.drawn(v, rng))

    def cumulated(self, t: FloatArray, v: FloatArray) -> FloatArray:
        p = float(self.p_piecewise)
        first, second = self.piecewise.cumulated(t, v), self.two_point.cumulated(t, v)
        return np.asarray(p * first + (1 - p) * second)


def _root_odds(epsilon: float) -> Fraction:
    return odds_within(checked_epsilon(epsilon) / 2)


def _within(
    argument: str, values: ArrayLike, low: float, high: float, error: type[StatisticsError]
) -> FloatArray:
    column = checked_column(argument, values, error)
    remedy = f"give a number from {low:g} to {high:g}"
    refuse_where(argument, column, (column < low) | (column > high), remedy, error)
    return column
