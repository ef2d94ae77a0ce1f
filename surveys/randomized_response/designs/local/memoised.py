"""Memoised protocols in two rounds: a permanent answer up to a limit, blurred by every report.

A question asked every day must not be answered with fresh noise every day: noise averages out.
The permanent answer bounds what all reports together can say (``limit_epsilon``), the second
round keeps single reports from being linkable by a rare permanent answer. With permanent
probabilities p1, q1 and instantaneous p2, q2 a report supports the true option with
p1 p2 + (1 - p1) q2 and another one with q1 p2 + (1 - q1) q2, so the unbiased estimate is
(c/n - q1 (p2 - q2) - q2) / ((p1 - q1)(p2 - q2)).
Source: Erlingsson, Pihur and Korolova (2014), RAPPOR = L-SUE; Arcolezi, Couchot, Al Bouna and
Xiao (2021/2022), L-GRR, L-OUE, L-OSUE, L-SOUE.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...checks import Probability, checked_options, checked_positive_number
from ...errors import DesignError, ReportError
from ...roots import last_number
from ..categorical import odds_within
from ..channel import log_of_ratio
from .bits import BitProtocol, Packed, decode, encode, in_blocks, pack, unpack
from .levels import GRR, LevelProtocol, checked_reported_levels, keep_or_replace
from .protocol import Array, FrequencyProtocol, Levels, Support, at_least_one, checked_levels
from .unary import OUE, SUE, integer_unary

Unary = TypeVar("Unary", bound="MemoisedUnary")

# Probabilities of the second round are multiples of 2^-52.
_GRID = 2**52


class MemoisedProtocol(FrequencyProtocol):
    """A permanent draw, kept by the client, and an instantaneous draw for every report.

    ``epsilon`` is the loss of one report, ``limit_epsilon`` that of all reports that can ever be
    made about the same true answer.
    """

    @property
    @abstractmethod
    def limit_ratio(self) -> Fraction | None:
        """e^epsilon of the permanent answer itself, exactly; None stands for infinity."""

    @property
    def limit_epsilon(self) -> float:
        """The loss that no number of reports about one true answer exceeds."""
        return log_of_ratio(self.limit_ratio)

    def epsilon_after(self, reports: int) -> float:
        """The loss of that many reports about the same true answer, at most ``limit_epsilon``.

        Raises EstimationError.
        """
        times = checked_positive_number("reports", reports)
        # The formula is computed in floats and would pass its own limit by their rounding.
        return min(self._epsilon_after(times), self.limit_epsilon)

    @abstractmethod
    def _epsilon_after(self, times: int) -> float:
        """The loss of the most telling ``times`` reports, up to rounding."""

    @abstractmethod
    def memoise(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """The permanent answers, first axis people, of the form of reports."""

    @abstractmethod
    def report(self, permanent: Array, rng: np.random.Generator) -> Array:
        """One fresh report for every permanent answer. Raises ReportError."""

    @abstractmethod
    def encode(self, permanent: Array) -> list[str]:
        """The code of each permanent answer. Raises ReportError."""

    @abstractmethod
    def decode(self, codes: Sequence[str]) -> Array:
        """Permanent answers from their codes. Raises ReportError."""

    def draw(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """The first report of people who have no permanent answer yet."""
        return self.report(self.memoise(true_levels, rng), rng)

    def client(self) -> "MemoisedClient":
        """A client that has not answered yet."""
        return MemoisedClient(self)


@dataclass
class MemoisedClient:
    """What one respondent's device keeps: the permanent answer of every true answer it ever had.

    ``kept`` maps a true level to the code of its permanent answer, so it can be written down
    and read again. It must never leave the device.
    """

    protocol: MemoisedProtocol
    kept: dict[int, str] = field(default_factory=dict)

    def report(self, true_level: int, rng: np.random.Generator) -> Array:
        """One report, first axis of length 1.

        Raises SamplingError for an unknown level, ReportError for a kept code that is none.
        """
        (level,) = checked_levels([true_level], self.protocol.options).tolist()
        if level not in self.kept:
            (self.kept[level],) = self.protocol.encode(self.protocol.memoise([level], rng))
        return self.protocol.report(self.protocol.decode([self.kept[level]]), rng)

    @property
    def limit_epsilon(self) -> float:
        """What all reports so far and to come can say, if the true answers stay among the kept."""
        return len(self.kept) * self.protocol.limit_epsilon


@dataclass(frozen=True)
class MemoisedUnary(MemoisedProtocol, BitProtocol):
    """One bit per option, drawn from ``permanent`` once and from ``instantaneous`` per report.

    Raises DesignError.
    """

    rounds: ClassVar[tuple[type[SUE | OUE], type[SUE | OUE]]]
    options: int = field()
    permanent: Support
    instantaneous: Support

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_options(self.options))
        _ = self.support

    @classmethod
    def from_epsilons(cls, options: int, epsilon: float, limit: float) -> Self:
        """With ``epsilon`` for one report and ``limit`` for all, epsilon < limit.

        Both are kept: the last free probability is rounded against the exact ratio.
        Raises DesignError when no second round reaches ``epsilon``.
        """
        return _second_round(cls, cls.rounds[0].from_epsilon(options, limit), epsilon)

    @property
    def likelihood_ratio(self) -> Fraction | None:
        return self.support.odds_ratio

    @cached_property
    def support(self) -> Support:
        p, q = self.permanent.if_true, self.permanent.if_other
        kept, raised = self.instantaneous.if_true, self.instantaneous.if_other
        return Support(p * kept + (1 - p) * raised, q * kept + (1 - q) * raised)

    @property
    def limit_ratio(self) -> Fraction | None:
        return at_least_one(self.permanent.odds_ratio)

    def _epsilon_after(self, times: int) -> float:
        """The most telling reports are all ones at one option and all zeros at another.

        With m reports and r = (q2/p2)^m, s = ((1-p2)/(1-q2))^m the ratio is
        (p1 + (1-p1) r) / (q1 + (1-q1) r) * (1-q1 + q1 s) / (1-p1 + p1 s); the likelihood of the
        number of ones is monotone, so no other reports tell more. Our derivation.
        """
        p, q = sorted(self.permanent.floats, reverse=True)
        telling, other = self.instantaneous.floats
        if telling < other:  # then a zero speaks for a permanent one
            telling, other = 1 - telling, 1 - other
        r = (other / telling) ** times
        s = ((1 - telling) / (1 - other)) ** times
        gain = _log_quotient(p + (1 - p) * r, q + (1 - q) * r)
        return gain + _log_quotient(1 - q + q * s, 1 - p + p * s)

    def memoise(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """Packed permanent bits of shape (people, ceil(options / 8))."""
        form = integer_unary(self.options, self.permanent)
        return form.draw(checked_levels(true_levels, self.options), rng)

    def report(self, permanent: Array, rng: np.random.Generator) -> Array:
        """Packed fresh bits of shape (people, ceil(options / 8))."""
        bits = unpack(permanent, self.options)
        form = integer_unary(self.options, self.instantaneous)

        def blurred(people: NDArray[np.int64]) -> Packed:
            draws = rng.integers(0, form.denominator, size=(len(people), self.options))
            ones = np.where(bits[people], form.ones_if_true, form.ones_if_other)
            return pack(draws < ones)

        return in_blocks(np.arange(len(bits)), blurred)

    def encode(self, permanent: Array) -> list[str]:
        """Hexadecimal digits, see ``bits``."""
        return encode(permanent, self.options)

    def decode(self, codes: Sequence[str]) -> Array:
        return decode(codes, self.options)


@dataclass(frozen=True)
class LSUE(MemoisedUnary):
    """Memoised symmetric unary encoding, twice symmetric: basic RAPPOR."""

    name: ClassVar[str] = "L-SUE (RAPPOR)"
    rounds = (SUE, SUE)


@dataclass(frozen=True)
class LOUE(MemoisedUnary):
    """Memoised optimised unary encoding, twice optimised (p = 1/2)."""

    name: ClassVar[str] = "L-OUE"
    rounds = (OUE, OUE)


@dataclass(frozen=True)
class LOSUE(MemoisedUnary):
    """Permanent bits optimised (p = 1/2), instantaneous bits symmetric."""

    name: ClassVar[str] = "L-OSUE"
    rounds = (OUE, SUE)


@dataclass(frozen=True)
class LSOUE(MemoisedUnary):
    """Permanent bits symmetric, instantaneous bits optimised (p = 1/2)."""

    name: ClassVar[str] = "L-SOUE"
    rounds = (SUE, OUE)


@dataclass(frozen=True)
class LGRR(MemoisedProtocol, LevelProtocol):
    """Memoised k-ary randomized response: two k-ary channels, one after the other.

    Their chain is k-ary again with p = p1 p2 + (k - 1) q1 q2 and e^epsilon =
    p / (p1 q2 + q1 p2 + (k - 2) q1 q2). The published calibration drops the factors k - 1 and
    k - 2, which for k > 2 spends less than stated; ours is exact. Raises DesignError.
    Source: Arcolezi et al. (2021).
    """

    name: ClassVar[str] = "L-GRR"
    options: int = field()
    p_permanent: Probability
    p_instantaneous: Probability

    def __post_init__(self) -> None:
        first = GRR(self.options, self.p_permanent)
        second = GRR(self.options, self.p_instantaneous)
        object.__setattr__(self, "options", first.options)
        object.__setattr__(self, "p_permanent", first.p_truth)
        object.__setattr__(self, "p_instantaneous", second.p_truth)
        _check_truthful("p_permanent", first)
        _check_truthful("p_instantaneous", second)
        _ = self.support

    @classmethod
    def from_epsilons(cls, options: int, epsilon: float, limit: float) -> Self:
        """With ``epsilon`` for one report and ``limit`` for all, epsilon < limit.

        The chain is linear in p2, so p2 is solved for exactly. Raises DesignError.
        """
        wanted = Fraction(GRR.from_epsilon(options, epsilon).p_truth)
        first = GRR.from_epsilon(options, limit)
        p, q = first.support.fractions
        if wanted >= p:
            raise _too_large(epsilon, limit)
        return cls(options, p, (wanted - q) / (p - q))

    @cached_property
    def support(self) -> Support:
        first, second = self._rounds
        others = self.options - 1
        truth = first.if_true * second.if_true + others * first.if_other * second.if_other
        return Support(truth, (1 - truth) / others)

    @property
    def limit_ratio(self) -> Fraction | None:
        return GRR(self.options, self.p_permanent).largest_ratio

    def _epsilon_after(self, times: int) -> float:
        """The most telling reports are all the same option.

        With m reports and r = (q2/p2)^m the ratio is
        (p1 + (k-1) q1 r) / (q1 + p1 r + (k-2) q1 r). Our derivation.
        """
        (p, q), (same, other) = (support.floats for support in self._rounds)
        r = (other / same) ** times
        top = p + (self.options - 1) * q * r
        return _log_quotient(top, q + p * r + (self.options - 2) * q * r)

    def memoise(self, true_levels: Levels, rng: np.random.Generator) -> Array:
        """One permanent option per person: shape (people,)."""
        levels = checked_levels(true_levels, self.options)
        return keep_or_replace(levels, self.options, self.p_permanent, rng)

    def report(self, permanent: Array, rng: np.random.Generator) -> Array:
        """One reported option per person: shape (people,)."""
        levels = checked_reported_levels(permanent, self.options)
        return keep_or_replace(levels, self.options, self.p_instantaneous, rng)

    def encode(self, permanent: Array) -> list[str]:
        """The number of the option in decimal digits."""
        return [str(level) for level in checked_reported_levels(permanent, self.options)]

    def decode(self, codes: Sequence[str]) -> Array:
        for i, code in enumerate(codes):
            # Longer numbers do not fit into 64 bits.
            is_number = isinstance(code, str) and code.isascii() and code.isdigit()
            if not is_number or len(code) > 18:
                remedy = "the code of an option is its number in digits 0-9"
                raise ReportError(f"codes[{i}]", code, remedy)
        numbers = [int(code) for code in codes]
        return checked_reported_levels(np.array(numbers, dtype=np.int64), self.options)

    @property
    def _rounds(self) -> tuple[Support, Support]:
        return (
            GRR(self.options, self.p_permanent).support,
            GRR(self.options, self.p_instantaneous).support,
        )


def _check_truthful(argument: str, drawn: GRR) -> None:
    if drawn.support.slope < 0:
        remedy = f"both rounds report the truth more often than 1/{drawn.options}"
        raise DesignError(argument, drawn.p_truth, remedy)


def _second_round(protocol: type[Unary], first: SUE | OUE, epsilon: float) -> Unary:
    """The least noise in the second round at which one report keeps ``epsilon``.

    The ratio falls as the noise grows from 0 to 1/2, so the smallest multiple of 2^-52 that
    keeps it is found by bisection, in exact arithmetic.
    """
    stated, is_symmetric = odds_within(epsilon), protocol.rounds[1] is SUE

    def built(steps: int) -> Unary:
        noise = Fraction(steps, _GRID)
        second = Support(1 - noise if is_symmetric else Fraction(1, 2), noise)
        return protocol(first.options, first.support, second)

    def exceeds(steps: int) -> bool:
        ratio = built(steps).largest_ratio
        return ratio is None or ratio > stated

    if not exceeds(0):
        raise _too_large(epsilon, built(0).epsilon)
    return built(last_number(exceeds, 0, _GRID // 2) + 1)


def _too_large(epsilon: float, most: float) -> DesignError:
    remedy = f"with this limit of all reports one report must lose less than {most:.6g}"
    return DesignError("epsilon", epsilon, remedy)


def _log_quotient(top: float, bottom: float) -> float:
    return math.log(top / bottom) if bottom > 0 else math.inf
