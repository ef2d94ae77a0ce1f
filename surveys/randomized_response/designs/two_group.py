"""TwoGroupDesign: two groups, two probabilities; lie detector, cheaters, anchor; Line, Share.

One group has one share of yes, but people differ in two ways (sensitive trait and other question,
carriers and those of them who lie, ...). Two groups give two equations,

    P(yes | group g) = intercept_g + first_g * theta_1 + second_g * theta_2,

and theta follows. It lies in a polygon whose corners are the kinds of people there can be: a
population is a mixture of them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

from ..checks import Probability, checked_between, checked_number, store_probabilities
from ..errors import DesignError, EstimationError
from ..messages import together
from .binary import SMALLEST_SLOPE
from .channel import Channel
from .design import Design, parameters_of

HALF = Fraction(1, 2)
Point = tuple[Probability, Probability]
# Of two numbers that are estimated together.
PairCovariance = tuple[tuple[float, float], tuple[float, float]]


class Line(NamedTuple):
    """P(yes) in one group: intercept + first * theta_1 + second * theta_2."""

    intercept: Probability
    first: Probability
    second: Probability

    def at(self, theta: Point) -> Probability:
        """P(yes) at theta."""
        return self.intercept + self.first * theta[0] + self.second * theta[1]


@dataclass(frozen=True)
class Share:
    """A share that is estimated: top / bottom, each (constant, of theta_1, of theta_2).

    ``bottom`` is (1, 0, 0) unless the share is one of a part of the population; then it has no
    value where that part is empty.
    """

    name: str
    top: tuple[int, int, int]
    bottom: tuple[int, int, int] = (1, 0, 0)

    @property
    def is_conditional(self) -> bool:
        """Whether the share is one of a part of the population."""
        return self.bottom != (1, 0, 0)

    def parts(self, theta: Point) -> Point:
        """(top, bottom) at theta."""
        bottom = Line(*self.bottom).at(theta) if self.is_conditional else Fraction(1)
        return Line(*self.top).at(theta), bottom


class TwoGroupDesign(ABC):
    """Valid from birth: the two shares of yes determine theta.

    ``kinds``: each kind of person with its corner of the polygon, in counter-clockwise order.
    ``shares``: what is estimated; the first two determine theta.
    """

    name: ClassVar[str]
    kinds: ClassVar[tuple[tuple[str, tuple[int, int]], ...]]
    shares: ClassVar[tuple[Share, ...]]

    def __post_init__(self) -> None:
        """All fields are probabilities in [0, 1] that differ enough between the groups."""
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        store_probabilities(self, *names)
        if abs(float(self.determinant)) < SMALLEST_SLOPE:
            shown = [str(getattr(self, name)) for name in names]
            remedy = "both groups would report alike: make the probabilities differ more"
            raise DesignError(", ".join(names), shown, remedy)

    @property
    @abstractmethod
    def lines(self) -> tuple[Line, Line]:
        """P(yes) in group 1 and in group 2."""

    def theta(self, first: Probability, second: Probability) -> Point:
        """Theta from the first two shares."""
        return first, second

    @property
    def corners(self) -> tuple[tuple[int, int], ...]:
        return tuple(corner for _, corner in self.kinds)

    @cached_property
    def determinant(self) -> Probability:
        """How differently the groups depend on theta; 0 is refused."""
        a, b = self.lines
        return a.first * b.second - a.second * b.first

    def solve(self, yes: Point) -> Point:
        """Theta from the shares of yes in both groups (Cramer's rule; exact for Fractions)."""
        a, b = self.lines
        left, right = yes[0] - a.intercept, yes[1] - b.intercept
        first = (left * b.second - a.second * right) / self.determinant
        second = (a.first * right - left * b.first) / self.determinant
        return first, second

    def yes_probabilities(self, first: float, second: float) -> tuple[float, float]:
        """P(yes) in both groups at the first two shares. Raises EstimationError outside [0, 1]."""
        values = (_checked_share(self.shares[0], first), _checked_share(self.shares[1], second))
        theta = self.theta(*values)
        for share in self.shares[2:]:
            _checked_share(share, Line(*share.top).at(theta))
        a, b = self.lines
        return float(a.at(theta)), float(b.at(theta))

    def channel(self, group: int) -> Channel:
        """P(report | kind of person) in group 1 or 2; rows no, yes; columns as in ``kinds``."""
        remedy = "the groups are 1 and 2"
        line = self.lines[checked_between("group", group, 1, 2, remedy, EstimationError) - 1]
        yes = tuple(line.at(corner) for corner in self.corners)
        return Channel((tuple(1 - p for p in yes), yes))

    @property
    def epsilon(self) -> float:
        """Privacy loss between any two kinds of people, in the worse group; often infinite."""
        return max(self.channel(1).epsilon, self.channel(2).epsilon)

    @property
    def label(self) -> str:
        """The design and its parameters in words."""
        return together(self.name, parameters_of(self))


@dataclass(frozen=True)
class UnrelatedQuestionTwoGroups(TwoGroupDesign):
    """The sensitive question with another probability in each group, else an unrelated one.

    The share of yes to the unrelated question is not known: it is the second share estimated.
    theta = (sensitive, other); P(yes) = p theta_1 + (1 - p) theta_2. Raises DesignError.
    Source: Greenberg et al. (1969), unknown pi_Y.
    """

    name: ClassVar[str] = "Unrelated question in two groups"
    kinds: ClassVar = (
        ("neither", (0, 0)),
        ("sensitive trait only", (1, 0)),
        ("both", (1, 1)),
        ("other trait only", (0, 1)),
    )
    shares: ClassVar = (Share("prevalence", (0, 1, 0)), Share("other_prevalence", (0, 0, 1)))
    p_sensitive_1: Probability
    p_sensitive_2: Probability

    @cached_property
    def lines(self) -> tuple[Line, Line]:
        p, q = self.p_sensitive_1, self.p_sensitive_2
        return Line(Fraction(0), p, 1 - p), Line(Fraction(0), q, 1 - q)


@dataclass(frozen=True)
class StochasticLieDetector(TwoGroupDesign):
    """Non-carriers say no with a known probability; carriers tell the truth or deny it.

    theta = (carriers, carriers who tell the truth);
    P(yes) = theta_2 + (1 - theta_1) (1 - p_noncarrier_no). The truthful share among carriers,
    theta_2 / theta_1, has no value where there are no carriers. Raises DesignError.
    Source: Moshagen, Musch and Erdfelder (2012), equations 1 to 4.
    """

    name: ClassVar[str] = "Stochastic lie detector"
    kinds: ClassVar = (
        ("non-carrier", (0, 0)),
        ("carrier who denies", (1, 0)),
        ("carrier who tells the truth", (1, 1)),
    )
    shares: ClassVar = (
        Share("prevalence", (0, 1, 0)),
        Share("truthful_share", (0, 0, 1), bottom=(0, 1, 0)),
    )
    p_noncarrier_no_1: Probability
    p_noncarrier_no_2: Probability

    @cached_property
    def lines(self) -> tuple[Line, Line]:
        yes = (1 - self.p_noncarrier_no_1, 1 - self.p_noncarrier_no_2)
        return Line(yes[0], -yes[0], Fraction(1)), Line(yes[1], -yes[1], Fraction(1))

    def theta(self, first: Probability, second: Probability) -> Point:
        return first, first * second


_CHEATING_KINDS = (("cheater", (0, 0)), ("honest yes", (1, 0)), ("honest no", (0, 1)))
_CHEATING_SHARES = (
    Share("honest_yes", (0, 1, 0)),
    Share("honest_no", (0, 0, 1)),
    Share("cheating", (1, -1, -1)),
)


@dataclass(frozen=True)
class CheaterDetection(TwoGroupDesign):
    """A known part is instructed to say yes; cheaters say no in every case.

    theta = (honest yes, honest no); P(yes) = theta_1 + p_forced_yes theta_2; the rest cheats.
    The prevalence lies between ``honest_yes`` and ``honest_yes + cheating``. Raises DesignError.
    Source: Clark and Desharnais (1998).
    """

    name: ClassVar[str] = "Cheater detection"
    kinds: ClassVar = _CHEATING_KINDS
    shares: ClassVar = _CHEATING_SHARES
    p_forced_yes_1: Probability
    p_forced_yes_2: Probability

    @cached_property
    def lines(self) -> tuple[Line, Line]:
        forced = self.p_forced_yes_1, self.p_forced_yes_2
        return Line(Fraction(0), Fraction(1), forced[0]), Line(Fraction(0), Fraction(1), forced[1])


@dataclass(frozen=True)
class SymmetricCheaterDetection(TwoGroupDesign):
    """As ``CheaterDetection``, with a known part of each group told to say no as well.

    P(yes) = (1 - p_forced_no) theta_1 + p_forced_yes theta_2: honest carriers say yes unless told
    no, honest non-carriers only when told yes, cheaters never. Raises DesignError. Source: Clark
    and Desharnais (1998) with the symmetric instruction of Ostapczuk et al. (2011).
    """

    name: ClassVar[str] = "Symmetric cheater detection"
    kinds: ClassVar = _CHEATING_KINDS
    shares: ClassVar = _CHEATING_SHARES
    p_forced_yes_1: Probability
    p_forced_no_1: Probability
    p_forced_yes_2: Probability
    p_forced_no_2: Probability

    def __post_init__(self) -> None:
        super().__post_init__()
        for group in (1, 2):
            forced = getattr(self, f"p_forced_yes_{group}") + getattr(self, f"p_forced_no_{group}")
            # Beyond 1 by more than the rounding of two floats.
            if forced > 1 + (0 if isinstance(forced, Fraction) else SMALLEST_SLOPE):
                argument = f"p_forced_yes_{group} + p_forced_no_{group}"
                raise DesignError(argument, forced, "both instructions together are at most 1")

    @cached_property
    def lines(self) -> tuple[Line, Line]:
        return (
            Line(Fraction(0), 1 - self.p_forced_no_1, self.p_forced_yes_1),
            Line(Fraction(0), 1 - self.p_forced_no_2, self.p_forced_yes_2),
        )


@dataclass(frozen=True)
class AnchoredCrosswise(TwoGroupDesign):
    """A crosswise question with a second one about a trait that no one has: the anchor.

    Both are put to the same people ("group" 1: the question, 2: the anchor); those who do not
    attend answer at random. ``p_harmless_yes`` and ``p_anchor_yes`` are the known shares of yes
    to the two harmless items; a report of 1 means "both or neither".
    theta = (attentive, attentive carriers); with p and q for the two shares,
    P(1) = 1/2 + (2p - 1) (theta_2 - theta_1 / 2) and P(1 | anchor) = 1/2 + (1/2 - q) theta_1.
    The prevalence, theta_2 / theta_1, assumes that carriers attend as often as others. Raises
    DesignError. Source: Atsusaka and Stevenson (2023), equations 3 to 6.
    """

    name: ClassVar[str] = "Anchored crosswise"
    kinds: ClassVar = (("inattentive", (0, 0)), ("non-carrier", (1, 0)), ("carrier", (1, 1)))
    shares: ClassVar = (
        Share("prevalence", (0, 0, 1), bottom=(0, 1, 0)),
        Share("attentive_share", (0, 1, 0)),
    )
    p_harmless_yes: Probability
    p_anchor_yes: Probability

    @cached_property
    def lines(self) -> tuple[Line, Line]:
        slope = 2 * self.p_harmless_yes - 1
        return Line(HALF, -slope / 2, slope), Line(HALF, HALF - self.p_anchor_yes, Fraction(0))

    def theta(self, first: Probability, second: Probability) -> Point:
        return second, first * second


@dataclass(frozen=True)
class UnrelatedQuestionTwice(Design):
    """Each person answers twice, with two devices that ask the sensitive question unequally often.

    True levels, in order: neither, other trait only, sensitive trait only, both; reported levels:
    no no, no yes, yes no, yes yes. Given the truth the two answers are independent, each yes with
    probability p [sensitive] + (1 - p) [other]. Two different answers prove that the two traits
    differ, so epsilon is infinite. Raises DesignError. Source: Greenberg et al. (1969)
    for one person; Chaudhuri (2011), ch. 3; also called Horvitz's design with unknown alpha.
    """

    name: ClassVar[str] = "Unrelated question, asked twice"
    p_sensitive_1: Probability
    p_sensitive_2: Probability

    def __post_init__(self) -> None:
        store_probabilities(self, "p_sensitive_1", "p_sensitive_2")
        difference = float(self.p_sensitive_1 - self.p_sensitive_2)
        if abs(difference) < SMALLEST_SLOPE:
            remedy = "two answers of one kind cannot tell the traits apart: use two probabilities"
            raise DesignError("p_sensitive_1 - p_sensitive_2", difference, remedy)

    @cached_property
    def channel(self) -> Channel:
        yes = ((0, 1 - p, p, 1) for p in (self.p_sensitive_1, self.p_sensitive_2))
        columns = [
            ((1 - i) * (1 - j), (1 - i) * j, i * (1 - j), i * j) for i, j in zip(*yes, strict=True)
        ]
        return Channel.from_matrix(zip(*columns, strict=True))


def _checked_share(share: Share, value: Probability) -> Probability:
    number = checked_number(share.name, value, EstimationError)
    if not -SMALLEST_SLOPE <= number <= 1 + SMALLEST_SLOPE:
        raise EstimationError(share.name, value, "give shares from 0 to 1 that sum to at most 1")
    # Shares that sum to 1 in floats may leave one a little outside.
    return min(max(number, Fraction(0)), Fraction(1))


TWO_GROUP_REGISTRY: dict[str, type[TwoGroupDesign]] = {
    "unrelated_question_two_groups": UnrelatedQuestionTwoGroups,
    "stochastic_lie_detector": StochasticLieDetector,
    "cheater_detection": CheaterDetection,
    "symmetric_cheater_detection": SymmetricCheaterDetection,
}
