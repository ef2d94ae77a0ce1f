"""Designs for two or more options: KAry, TwoCoins, ForcedResponseOptions, ChannelMatrix, Direct."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

from ..checks import (
    Probability,
    checked_number,
    checked_options,
    checked_probabilities,
    store_probabilities,
)
from ..errors import DesignError
from ..messages import figure, sentence, together
from .binary import SMALLEST_SLOPE
from .channel import Channel
from .design import Design, channel_of

# Beyond this e^epsilon leaves the range of a float, and no protection is left to speak of.
LARGEST_EPSILON = 700.0


@dataclass(frozen=True)
class KAry(Design):
    """k-ary randomized response: the truth with probability ``p_truth``, else any other option.

    ``p_truth`` = P(reported = true). Raises DesignError. Source: Kairouz et al. (2016).
    """

    name: ClassVar[str] = sentence("k-ary")
    options: int = field()
    p_truth: Probability

    def __post_init__(self) -> None:
        options = checked_options(self.options)
        object.__setattr__(self, "options", options)
        store_probabilities(self, "p_truth")
        if abs(options * self.p_truth - 1) / (options - 1) < SMALLEST_SLOPE:
            remedy = f"at 1/{options} a report says nothing: use a larger probability"
            raise DesignError("p_truth", self.p_truth, remedy)

    @classmethod
    def from_epsilon(cls, options: int, epsilon: float) -> Self:
        """p_truth = e^eps / (e^eps + k - 1) as a rational rounded so that epsilon is kept."""
        levels = checked_options(options)
        odds = odds_within(epsilon)
        return cls(levels, odds / (odds + levels - 1))

    @cached_property
    def channel(self) -> Channel:
        return Channel.k_ary(self.options, self.p_truth)


@dataclass(frozen=True)
class TwoCoins(Design):
    """First coin heads: the truth. Tails: one of the options, all equally likely.

    Epsilon is ln(k + 1): ln 3 for yes/no, ln 4 with "prefer not to say" as a third option.
    Raises DesignError. Source: Fox (2016), ch. 3; Warner (1965) with p = 3/4 for two options.
    """

    name: ClassVar[str] = sentence("Two coins")
    options: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))

    @cached_property
    def channel(self) -> Channel:
        return Channel.mixture([Fraction(1, 2 * self.options)] * self.options)


@dataclass(frozen=True)
class ForcedResponseOptions(Design):
    """Report option i with probability ``p_forced[i]``, otherwise the truth.

    Raises DesignError. Source: Fox (2016), ch. 3.
    """

    name: ClassVar[str] = sentence("Forced response with options")
    p_forced: tuple[Probability, ...]

    def __post_init__(self) -> None:
        forced = checked_probabilities("p_forced", self.p_forced, "give one probability per option")
        object.__setattr__(self, "p_forced", forced)
        checked_options(len(forced))
        if 1 - sum(forced) < SMALLEST_SLOPE:
            remedy = sentence(
                "the probabilities leave nothing, or almost nothing, for the truth. Give "
                "smaller probabilities"
            )
            raise DesignError("p_forced", [str(p) for p in forced], remedy)

    @cached_property
    def channel(self) -> Channel:
        return Channel.mixture(self.p_forced)


@dataclass(frozen=True)
class ChannelMatrix(Design):
    """Any invertible channel, or that of a design. Raises DesignError if it has no inverse."""

    name: ClassVar[str] = "Channel matrix"
    matrix: Channel

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", channel_of(self.matrix, "matrix"))
        # Refused at once, and not at the first estimate, where it cannot be undone.
        _ = self.matrix.inverse

    @cached_property
    def channel(self) -> Channel:
        return self.matrix

    @property
    def label(self) -> str:
        return together(self.name, f"({self.options} by {self.options})")


@dataclass(frozen=True)
class Direct(Design):
    """The answer as it is: no randomizing, no protection, epsilon infinite."""

    name: ClassVar[str] = sentence("Direct")
    options: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))

    @cached_property
    def channel(self) -> Channel:
        return Channel.mixture([Fraction(0)] * self.options)


def checked_epsilon(epsilon: object) -> float:
    """A privacy loss above 0 and small enough to compute with."""
    size = float(checked_number("epsilon", epsilon))
    if not SMALLEST_SLOPE < size <= LARGEST_EPSILON:
        remedy = sentence(
            "give a value above {least} and up to {most}, such as 1.1 (ln 3)",
            least=figure(SMALLEST_SLOPE, ".9f"),
            most=figure(LARGEST_EPSILON, "g"),
        )
        raise DesignError("epsilon", epsilon, remedy)
    return size


def odds_within(epsilon: object) -> Fraction:
    """A rational just below e^epsilon, never above it. Raises DesignError."""
    # Two steps down: the library's expm1 may be one unit in the last place too high.
    growth = math.nextafter(math.nextafter(math.expm1(checked_epsilon(epsilon)), 0.0), 0.0)
    return 1 + Fraction(growth)
