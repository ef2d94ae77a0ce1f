"""Yes/no designs: Warner, forced, unrelated question, crosswise, triangular, Mangat, RAPPOR.

Index 0 is no, index 1 is yes.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from ..checks import (
    Probability,
    checked_positive_number,
    checked_probability,
    store_probabilities,
)
from ..errors import DesignError
from ..messages import sentence
from .channel import Channel, log_of_ratio
from .design import Design

# Closer to unidentifiable than this, an estimate would be rounding error.
SMALLEST_SLOPE = 1e-9


@dataclass(frozen=True)
class Warner(Design):
    """Ask "I have A" with probability ``p_direct``, otherwise "I do not have A".

    Two fair coins that flip an answer with probability 1/4 are ``Warner(Fraction(3, 4))``.
    Raises DesignError. Source: Warner (1965).
    """

    name: ClassVar[str] = "Warner"
    p_direct: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, "p_direct")
        if abs(2 * self.p_direct - 1) < SMALLEST_SLOPE:
            remedy = sentence(
                "with 1/2, a reported answer says nothing. Use another value, such as 3/4"
            )
            raise DesignError("p_direct", self.p_direct, remedy)

    @cached_property
    def channel(self) -> Channel:
        return Channel.binary(yes_if_true=self.p_direct, yes_if_false=1 - self.p_direct)


@dataclass(frozen=True)
class ForcedResponse(Design):
    """Report "yes" with probability ``p_forced_yes``, "no" with ``p_forced_no``, else the truth.

    Two fair coins are ``ForcedResponse(Fraction(1, 4), Fraction(1, 4))``: epsilon = ln 3.
    Raises DesignError. Source: Boruch (1971); Fox (2016), ch. 3.
    """

    name: ClassVar[str] = sentence("Forced response")
    p_forced_yes: Probability
    p_forced_no: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, "p_forced_yes", "p_forced_no")
        forced = self.p_forced_yes + self.p_forced_no
        if 1 - forced < SMALLEST_SLOPE:
            remedy = sentence(
                "some probability must be left for the truth. Use for example 1/4 and 1/4"
            )
            raise DesignError("p_forced_yes + p_forced_no", forced, remedy)

    @cached_property
    def channel(self) -> Channel:
        return Channel.binary(yes_if_true=1 - self.p_forced_no, yes_if_false=self.p_forced_yes)


@dataclass(frozen=True)
class UnrelatedQuestion(Design):
    """Ask the sensitive question with probability ``p_sensitive``, else one with a known answer.

    ``q_other_yes``: known share of yes to the other question. Horvitz's design with a known
    alpha = q is this one. Raises DesignError. Source: Greenberg et al. (1969), known pi_Y.
    """

    name: ClassVar[str] = sentence("Unrelated question")
    p_sensitive: Probability
    q_other_yes: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, "p_sensitive", "q_other_yes")
        if self.p_sensitive < SMALLEST_SLOPE:
            remedy = sentence(
                "the sensitive question must be asked sometimes. Use for example the probability "
                "0.7"
            )
            raise DesignError("p_sensitive", self.p_sensitive, remedy)

    @cached_property
    def channel(self) -> Channel:
        other_yes = (1 - self.p_sensitive) * self.q_other_yes
        return Channel.binary(yes_if_true=self.p_sensitive + other_yes, yes_if_false=other_yes)


@dataclass(frozen=True)
class Crosswise(Design):
    """Two questions, one report: 1 = "both or neither", 0 = "exactly one".

    ``p_harmless_yes``: known share of yes to the harmless question. The reports have the
    probabilities of ``Warner(p_harmless_yes)``. Raises DesignError. Source: Yu, Tian and Tang
    (2008).
    """

    name: ClassVar[str] = sentence("Crosswise")
    p_harmless_yes: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, "p_harmless_yes")
        if abs(2 * self.p_harmless_yes - 1) < SMALLEST_SLOPE:
            remedy = sentence(
                "with 1/2, a reported answer says nothing. Choose a harmless question with a "
                "smaller share of Yes, such as 1/4"
            )
            raise DesignError("p_harmless_yes", self.p_harmless_yes, remedy)

    @cached_property
    def channel(self) -> Channel:
        same = self.p_harmless_yes
        return Channel.binary(yes_if_true=same, yes_if_false=1 - same)


@dataclass(frozen=True)
class Triangular(Design):
    """Two questions, one report: 1 = "at least one yes", 0 = "neither".

    ``p_harmless_yes``: known share of yes to the harmless question. "Neither" proves that the
    sensitive answer is no, so epsilon is infinite: see ``posterior``. Raises DesignError.
    Source: Yu, Tian and Tang (2008).
    """

    name: ClassVar[str] = "Triangular"
    p_harmless_yes: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, "p_harmless_yes")
        if 1 - self.p_harmless_yes < SMALLEST_SLOPE:
            remedy = "at 1 all report the same: choose a rarer harmless item, e.g. 1/4"
            raise DesignError("p_harmless_yes", self.p_harmless_yes, remedy)

    @cached_property
    def channel(self) -> Channel:
        return Channel.binary(yes_if_true=Fraction(1), yes_if_false=self.p_harmless_yes)


@dataclass(frozen=True)
class Mangat(Design):
    """Carriers say yes; all others say no with probability ``p_noncarrier_no``.

    A no proves that the person is no carrier, so epsilon is infinite: see ``posterior``.
    Raises DesignError. Source: Mangat (1994).
    """

    name: ClassVar[str] = "Mangat"
    p_noncarrier_no: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, "p_noncarrier_no")
        if self.p_noncarrier_no < SMALLEST_SLOPE:
            remedy = "at 0 all say yes: use a larger probability, e.g. 0.7"
            raise DesignError("p_noncarrier_no", self.p_noncarrier_no, remedy)

    @cached_property
    def channel(self) -> Channel:
        return Channel.binary(yes_if_true=Fraction(1), yes_if_false=1 - self.p_noncarrier_no)


@dataclass(frozen=True)
class Rappor(Design):
    """One bit of basic RAPPOR: randomized once and kept, and once more for each report.

    ``f``: probability that the kept bit is a fair coin instead of the truth; ``p`` and ``q``:
    P(report 1) when the kept bit is 0 and 1. The epsilon is that of a single report;
    ``permanent_epsilon`` bounds any number of them. Raises DesignError. Source: Erlingsson,
    Pihur and Korolova (2014), lemma 1: P(1 | 1) = q (1 - f/2) + p f/2, P(1 | 0) with p and q
    exchanged.
    """

    name: ClassVar[str] = "RAPPOR"
    f: Probability
    p: Probability
    q: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, "f", "p", "q")
        difference = float(self.q - self.p)
        if abs(difference) < SMALLEST_SLOPE:
            raise DesignError("q - p", difference, "reports of 0 and 1 must differ in chance")
        if float(1 - self.f) * abs(difference) < SMALLEST_SLOPE:
            raise DesignError("f", self.f, "at 1 nothing of the truth is kept: use a smaller f")

    @cached_property
    def channel(self) -> Channel:
        kept, replaced = 1 - self.f / 2, self.f / 2
        return Channel.binary(
            yes_if_true=self.q * kept + self.p * replaced,
            yes_if_false=self.p * kept + self.q * replaced,
        )


def permanent_epsilon(f: Probability, largest_weight: int = 1) -> float:
    """What any number of RAPPOR reports of one bit vector can cost: 2 m ln((2 - f) / f).

    ``largest_weight`` m: the most ones a true vector has (two vectors differ in at most 2 m
    bits, each of which is flipped once and for all with probability f/2). Infinite at f = 0.
    Raises DesignError. Source: Erlingsson, Pihur and Korolova (2014), theorem 1.

    >>> from randomized_response.designs import permanent_epsilon
    >>> round(permanent_epsilon(0.5), 4)
    2.1972
    """
    kept = Fraction(checked_probability("f", f))
    weight = checked_positive_number("largest_weight", largest_weight, DesignError)
    return 2 * weight * log_of_ratio((2 - kept) / kept if kept else None)
