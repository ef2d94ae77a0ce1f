"""RoundedNumber: a number is rounded by chance to one of a few points, which then are k-ary.

Noise on a fine grid has to make all of its points alike, which takes far more of it than a few
points need. Rounding by chance keeps the mean: a number between two points goes to the upper one as
often as it has gone from the lower one to the upper one. Duchi, Jordan and Wainwright (2018) and
Nguyên et al. (2016) use two points; more of them, with k-ary response between them, are ours. The
report is the point with probability ``truth``, and otherwise any point evenly. With the grid from 0
to 1 and the points r / (k - 1), a report y has the score

    s(y) = (y / (k - 1) - (1 - truth) / 2) / truth,

whose mean is the rounded point's, and so the number's: both steps are linear in the law of a point.
With two points and x on the grid its variance is ((e^epsilon + 1) / (e^epsilon - 1))^2 / 4 -
(x - 1/2)^2, as in those papers.

Beside the numbers there may be special answers, such as "do not know". Each is a report more: of
k = rungs + special reports the point or the special answer is kept with probability ``truth``, and
otherwise any of the k is sent evenly, each with q = (1 - truth) / k. With X a number or special,

    P(a point is sent) = rungs q + truth P(X is a number)
    E(r / (rungs - 1); a point r is sent) = q rungs / 2 + truth E(X; X is a number),

so (1{a point} - rungs q) / truth and (r / (rungs - 1) 1{a point} - q rungs / 2) / truth are
unbiased for P(X is a number) and E(X; X is a number). The mean among people who gave a number is
the ratio of the second to the first. Our derivation.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import expm1

from ..checks import checked_between, checked_number
from ..errors import DesignError
from ..messages import sentence, together
from .channel import Channel

FEWEST, MOST = 2, 101  # answers on the grid
MOST_SPECIAL = 3
_TRUTH_DENOMINATOR = 10**4  # keeps the weights below 2^32 on every grid
_LARGEST_EXPONENT = 700.0  # floats end at e^709; ``truth`` is 1 long before


@dataclass(frozen=True)
class RoundedNumber:
    """Answers 0..``points`` - 1 on a grid, reported as one of ``rungs`` points. Raises DesignError.

    Behind them stand ``special`` answers that are no numbers, each with a report of its own.

    >>> from fractions import Fraction
    >>> from randomized_response.designs import RoundedNumber
    >>> design = RoundedNumber(101, 3, Fraction(1, 2))
    >>> design.channel.integer_weights().weights[1]
    (197, 53, 50)
    """

    points: int
    rungs: int
    truth: Fraction
    special: int = 0

    def __post_init__(self) -> None:
        remedy = f"give a grid of {FEWEST} to {MOST} answers"
        points = checked_between("points", self.points, FEWEST, MOST, remedy)
        checked_between("rungs", self.rungs, 2, points, f"round to 2 to {points} points")
        remedy = f"give 0 to {MOST_SPECIAL} answers that are no numbers"
        checked_between("special", self.special, 0, MOST_SPECIAL, remedy)
        if not 0 < self.truth < 1:
            remedy = "keep the rounded point with a probability between 0 and 1, both excluded"
            raise DesignError("truth", self.truth, remedy)

    @classmethod
    def from_epsilon(cls, points: int, epsilon: float, special: int = 0) -> "RoundedNumber":
        """At most this epsilon, with 2 rungs below 1, 3 below 3, and 5 from there on.

        e^epsilon = 1 + k truth / (1 - truth), so truth = (e^epsilon - 1) / (e^epsilon - 1 + k),
        rounded down; k counts the special answers too. These few rungs are a choice: for answers
        spread evenly over 101 and an epsilon of up to 5, their variance is at most 1.3 times that
        of the best number of rungs; above that, more would serve better. Raises DesignError, also
        where ``truth`` would be 0 or 1 once it is rounded.
        """
        bound = checked_number("epsilon", epsilon, DesignError)
        if bound <= 0:
            raise DesignError("epsilon", epsilon, sentence("give a value above {least}", least=0))
        rungs = min(points, 2 if bound < 1 else 3 if bound < 3 else 5)
        gain = expm1(min(bound, _LARGEST_EXPONENT))
        share = gain / (gain + rungs + special)
        truth = Fraction(int(share * _TRUTH_DENOMINATOR), _TRUTH_DENOMINATOR)
        return cls(points, rungs, truth, special)

    @property
    def epsilon(self) -> float:
        """Pure local privacy loss in natural-log units."""
        return self.channel.epsilon

    @property
    def label(self) -> str:
        """The design and its parameters in words."""
        parameters = f"points = {self.points}, rungs = {self.rungs}, truth = {self.truth}"
        return together(sentence("Rounded number"), f"({parameters})")

    @cached_property
    def channel(self) -> Channel:
        """P[report, answer], of the shape (rungs + special, points + special)."""
        columns = [self._column(self._kept(answer)) for answer in range(self.points)]
        columns += [self._column({self.rungs + at: Fraction(1)}) for at in range(self.special)]
        return Channel(tuple(zip(*columns, strict=True)))

    @property
    def reports(self) -> int:
        """How many different reports there are."""
        return self.rungs + self.special

    def _kept(self, answer: int) -> dict[int, Fraction]:
        """To which points a number is rounded, and how often."""
        position = Fraction(answer * (self.rungs - 1), self.points - 1)
        below = min(int(position), self.rungs - 2)
        up = position - below
        return {below: 1 - up, below + 1: up}

    def _column(self, kept: dict[int, Fraction]) -> list[Fraction]:
        even = (1 - self.truth) / self.reports
        return [even + self.truth * kept.get(at, Fraction(0)) for at in range(self.reports)]

    @cached_property
    def scores(self) -> tuple[Fraction, ...]:
        """For each report, the value on a grid from 0 to 1 whose mean is unbiased.

        With special answers it is unbiased for the mean times the share who gave a number.
        """
        middle = (1 - self.truth) * Fraction(self.rungs, 2 * self.reports)
        positions = [Fraction(rung, self.rungs - 1) for rung in range(self.rungs)]
        positions += [Fraction(0)] * self.special
        return tuple((position - middle) / self.truth for position in positions)
