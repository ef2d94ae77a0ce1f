"""Pair: evidence of two groups together, what the shares of both may be, at all looks together.

M1 and M2 are the evidence against a share of each group: martingales that begin at 1. So is every
mean of such with fixed weights, for every order in which answers of the two groups arrive. Without
a plan it is E = M1 M2 / 2 + M1 / 4 + M2 / 4.

M1 M2 pays for two shares, where a difference is one number. With a plan for N answers of each group
most of E is therefore bet on the difference alone: with V the variances of one answer's score and
m1, m2 the people expected of each group,

    D = (bets of size t / m1 on scores of group 1 above its share)
      * (bets of size t / m2 on scores of group 2 below its share),

where t = z / sqrt(V1/m1 + V2/m2) and z has the law of ``bets``, on both sides of 0. To first order
ln D depends on the difference alone, not on the shares of which it is one (the bets are the score
test's direction, orthogonal to the nuisance share in the metric of m1/V1, m2/V2), so that the least
E over the shares that differ by d is that of a test of one number: 1.6 times the width of one look
at the plan, where M1 M2 alone has 1.85. For two-valued scores D is a likelihood ratio; blocks of
one answer of each group, which have an optimal one (Turner and Grunwald 2023), need an order of
answers, which is not kept. The direction is right where n1/n2 = m1/m2; as sizes of groups are not
known before, five ratios count. What a bet on the difference cannot tell, that both shares are far
off, the other parts of E do. Our derivation.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks import FloatArray
from ..messages import sentence
from ..roots import find_least, find_root
from .bets import Bets
from .evidence import GroupEvidence

JOINT = sentence(
    "The interval combines the martingales of both groups, and is valid however often you look."
)
# How much of one unit of evidence is bet on both groups together, and on each alone: without a
# plan and with one, where the rest is bet on the difference.
_APART, _PLANNED = (0.5, 0.25), (0.15, 0.05)
# Of m1/m2, and how much is bet on each. Between two neighbours a direction that is off by the
# root of 3 costs less than what is bet on another.
_RATIOS = {1.0: 0.39, 3.0: 0.1, 1 / 3: 0.1, 10.0: 0.08, 0.1: 0.08}
# Bets are sized for .05, so that interval and evidence are of one martingale.
_TO_GAIN = math.log(20 / 0.39)
# e^700 is about the largest float.
_MOST_LOG = 700.0


@dataclass(frozen=True)
class Pair:
    """Two groups; ``planned`` answers of each, or None."""

    first: GroupEvidence
    second: GroupEvidence
    planned: int | None

    @property
    def _weights(self) -> tuple[float, float]:
        return _PLANNED if self.planned else _APART

    def highest_difference(self, bound: float) -> float:
        """Maximum of share(first) - share(second) over {E <= bound}; ``bound`` is above 1."""
        first, second = self._ends(math.log(bound))
        observed, most = self.first.observed - self.second.observed, first[1] - second[0]

        def excess(difference: float) -> float:
            return self._least(difference, first, second) - math.log(bound)

        if most <= observed or excess(most) <= 0:
            return most
        return find_root(excess, observed, most, xtol=1e-9)

    def least_evidence(self) -> float:
        """The least E over a share that both groups have."""
        ranges = (self.first.range, self.second.range)
        low, high = max(ends[0] for ends in ranges), min(ends[1] for ends in ranges)
        middle = min(max((self.first.observed + self.second.observed) / 2, low), high)
        at_middle = min(float(self.log_evidence(*2 * [np.array([middle])])[0]), _MOST_LOG)
        return math.exp(min(self._least(0.0, *self._ends(at_middle)), at_middle))

    def log_evidence(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """ln E against pairs of shares, (pairs,) each."""
        one, two = self.first.log_evidence(first), self.second.log_evidence(second)
        both, each = (math.log(weight) for weight in self._weights)
        apart = np.logaddexp(both + one + two, each + np.logaddexp(one, two))
        return np.logaddexp(apart, self._log_bets(first, second)) if self.planned else apart

    def _log_bets(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """ln of what is bet on the difference: (pairs,)."""
        people, plan, pairs = self._people, float(self.planned or 1), len(first)
        ones, twos = self.first.variance(first, plan), self.second.variance(second, plan)
        spread = np.sqrt(ones[:, None] / people[0] + twos[:, None] / people[1])
        laws = _TWO_SIDED.sizes / spread[:, :, None]
        gains = self.first.log_bets(first, (laws / people[0][:, None]).reshape(pairs, -1))
        gains += self.second.log_bets(second, (-laws / people[1][:, None]).reshape(pairs, -1))
        gains += _LOG_PARTS
        # NumPy's logaddexp takes three times as long.
        most = gains.max(axis=1)
        return np.asarray(np.log(np.exp(gains - most[:, None]).sum(axis=1)) + most)

    @cached_property
    def _people(self) -> FloatArray:
        """Expected of each group, (2, ratios)."""
        return (self.planned or 0) * np.array([np.sqrt(_OF_FIRST), 1 / np.sqrt(_OF_FIRST)])

    def _ends(self, log_bound: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Shares of each group beyond which E is above the bound for every share of the other."""
        alone = log_bound - math.log(self._weights[1])
        return self.first.ends(alone), self.second.ends(alone)

    def _least(
        self, difference: float, first: tuple[float, float], second: tuple[float, float]
    ) -> float:
        """ln of the least E over shares within these ends that differ so."""

        def log_evidence(shares: FloatArray) -> FloatArray:
            return np.minimum(self.log_evidence(shares, shares - difference), _MOST_LOG)

        low, high = max(first[0], second[0] + difference), min(first[1], second[1] + difference)
        if low >= high:
            return float(log_evidence(np.array([(low + high) / 2]))[0])
        return find_least(log_evidence, low, high)


def _both_sides() -> Bets:
    """Bets on a sum with the standard deviation 1, above 0 and below it, each with half."""
    one = Bets.of(1, _TO_GAIN)
    weights = np.concatenate([one.log_weights, one.log_weights]) - math.log(2)
    return Bets(np.concatenate([one.sizes, -one.sizes]), weights, in_parts=False)


_TWO_SIDED = _both_sides()
_OF_FIRST = np.array(list(_RATIOS))
_LOG_PARTS = np.add.outer(np.log(list(_RATIOS.values())), _TWO_SIDED.log_weights).ravel()
