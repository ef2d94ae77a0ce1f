"""Unary encoding (SUE, OUE, THE): one bit per option, 1 more often for the true one.

All bits are drawn independently, so the loss is that of two bits, the true option's and another
one's: e^epsilon = p (1 - q) / (q (1 - p)). Source: Erlingsson, Pihur and Korolova (2014); Wang,
Blocki, Li and Jha (2017), sections 4.3 (SUE, OUE) and 4.2 (THE).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability, checked_number, checked_options, store_probabilities
from ...errors import DesignError
from ...messages import sentence
from ..categorical import checked_epsilon, odds_within
from ..words import WordStream
from .bits import DrawnBits, IntegerBits, encode, pack
from .protocol import (
    Array,
    Support,
    at_least_one,
    checked_draw,
    checked_levels,
    common_denominator,
)

_GOLDEN = (math.sqrt(5) - 1) / 2  # the ratio in which golden section search cuts


@dataclass(frozen=True)
class IntegerUnary(IntegerBits):
    """What a browser draws: bit j is one if u_j < ``ones_if_true`` (j true) or ``ones_if_other``.

    The u_j are independent and uniform on [0, ``denominator``), denominator <= 2^32.
    """

    options: int
    ones_if_true: int
    ones_if_other: int
    denominator: int

    def __post_init__(self) -> None:
        checked_draw(
            self.denominator, ones_if_true=self.ones_if_true, ones_if_other=self.ones_if_other
        )
        _ = checked_options(self.options), self.support

    @cached_property
    def support(self) -> Support:
        """The same probabilities as exact Fractions."""
        d = self.denominator
        return Support(Fraction(self.ones_if_true, d), Fraction(self.ones_if_other, d))

    @property
    def largest_ratio(self) -> Fraction | None:
        return at_least_one(self.support.odds_ratio)

    def code_from_words(self, true_level: int, words: Iterable[int]) -> tuple[str, int]:
        """(code, words used): the draw a browser makes, word for word, options in order.

        Raises SamplingError for an unknown level or when the words run out.
        """
        (level,) = checked_levels([true_level], self.options)
        stream = WordStream(words)
        draws = [stream.below(self.denominator) for _ in range(self.options)]
        limits = np.full(self.options, self.ones_if_other)
        limits[level] = self.ones_if_true
        ones = np.array(draws) < limits
        return encode(pack(ones[None, :]), self.options)[0], stream.used

    def _draw_block(self, levels: NDArray[np.int64], rng: np.random.Generator) -> Array:
        shape = (len(levels), self.options)
        draws = rng.integers(0, self.denominator, size=shape, dtype=np.uint64)
        ones = draws < self.ones_if_other
        people = np.arange(len(levels))
        ones[people, levels] = draws[people, levels] < self.ones_if_true
        return pack(ones)


class UnaryEncoding(DrawnBits):
    """A report of k independent bits, drawn once per answer."""

    @property
    def likelihood_ratio(self) -> Fraction | None:
        return self.support.odds_ratio

    @cached_property
    def integer_form(self) -> IntegerUnary:
        """Integers a browser can draw from, never less private than this protocol.

        Exact if the probabilities have a common denominator of at most 2^32, else the larger
        one is rounded down and the smaller one up, which can only lower e^epsilon.
        """
        return integer_unary(self.options, self.support)


def integer_unary(options: int, support: Support) -> IntegerUnary:
    """The larger probability rounded down and the smaller one up: e^epsilon can only fall.

    So can that of a second draw made from these bits, because its ratio grows with the larger
    probability and falls with the smaller one.
    """
    p, q = support.fractions
    denominator = common_denominator(p, q)
    down, up = (math.floor, math.ceil) if p > q else (math.ceil, math.floor)
    return IntegerUnary(options, down(p * denominator), up(q * denominator), denominator)


@dataclass(frozen=True)
class SUE(UnaryEncoding):
    """Symmetric unary encoding: every bit is kept with probability ``p_keep``, else flipped.

    p = e^(eps/2) / (1 + e^(eps/2)), q = 1 - p. Raises DesignError. Source: Erlingsson, Pihur
    and Korolova (2014), basic one-time RAPPOR; Wang et al. (2017), section 4.3.
    """

    name: ClassVar[str] = sentence("Symmetric unary encoding")
    options: int = field()
    p_keep: Probability

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        store_probabilities(self, "p_keep")
        _ = self.support

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float) -> Self:
        """The square root of e^epsilon is rounded down, so epsilon is kept."""
        root = odds_within(checked_epsilon(epsilon) / 2)
        return cls(options, root / (1 + root))

    @cached_property
    def support(self) -> Support:
        return Support(self.p_keep, 1 - self.p_keep)


@dataclass(frozen=True)
class OUE(UnaryEncoding):
    """Optimised unary encoding: the true bit is a fair coin, the others are one with ``p_other``.

    p = 1/2, q = 1/(e^eps + 1), the smallest variance of a rare option among all unary encodings.
    Raises DesignError. Source: Wang et al. (2017), section 4.3, equation 8.
    """

    name: ClassVar[str] = sentence("Optimised unary encoding")
    options: int = field()
    p_other: Probability

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        store_probabilities(self, "p_other")
        _ = self.support

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float) -> Self:
        """q = 1 / (e^eps + 1) as a rational rounded so that epsilon is kept."""
        return cls(options, 1 / (odds_within(epsilon) + 1))

    @cached_property
    def support(self) -> Support:
        return Support(Fraction(1, 2), self.p_other)


@dataclass(frozen=True)
class THE(UnaryEncoding):
    """Thresholded histogram: Laplace noise of scale 2/eps on every bit, one if above ``threshold``.

    p = 1 - e^(eps (t - 1) / 2) / 2, q = e^(-eps t / 2) / 2. Only the thresholded bits are drawn
    and leave the respondent: no noisy floating-point number does. Their ``epsilon`` is therefore
    smaller than ``noise_epsilon``, the loss of the noisy histogram, and at equal ``epsilon`` OUE
    has the smaller variance. Raises DesignError. Source: Wang et al. (2017), section 4.2.
    """

    name: ClassVar[str] = "Thresholded histogram encoding"
    options: int = field()
    noise_epsilon: float
    threshold: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        object.__setattr__(self, "noise_epsilon", checked_epsilon(self.noise_epsilon))
        object.__setattr__(self, "threshold", _checked_threshold(self.threshold))
        _ = self.support

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float) -> Self:
        """With the threshold in [1/2, 1] at which a rare option has the smallest variance."""
        return cls(options, epsilon, best_threshold(epsilon))

    @cached_property
    def support(self) -> Support:
        return Support(*_threshold_probabilities(self.noise_epsilon, self.threshold))


def best_threshold(epsilon: float) -> float:
    """The threshold that minimises q (1 - q) / (p - q)^2 on [1/2, 1], to about 1e-8.

    Below 1/2 both p and q come closer to 1: the pair (1 - q, 1 - p) of the mirrored threshold
    has the same slope and a smaller variance. The function has one minimum there, which golden
    section search finds (Kiefer 1953); a test compares it with a fine grid. Designs load no SciPy.
    """
    size = checked_epsilon(epsilon)
    low, high = 0.5, 1.0
    # Around a minimum a function is flat: closer than about 1e-8 floats no longer tell.
    while high - low > 1e-10:
        inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if _log_rare_variance(size, inner) <= _log_rare_variance(size, outer):
            high = outer
        else:
            low = inner
    return (low + high) / 2


def _log_rare_variance(epsilon: float, threshold: float) -> float:
    p, q = _threshold_probabilities(epsilon, threshold)
    return math.log(q) + math.log1p(-q) - 2 * math.log(p - q)


def _threshold_probabilities(epsilon: float, threshold: float) -> tuple[float, float]:
    half = epsilon / 2
    return 1 - math.exp(half * (threshold - 1)) / 2, math.exp(-half * threshold) / 2


def _checked_threshold(value: object) -> float:
    threshold = float(checked_number("threshold", value))
    if not 0 <= threshold <= 1:
        raise DesignError("threshold", value, "give a threshold between 0 and 1")
    return threshold
