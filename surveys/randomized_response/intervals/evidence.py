"""Evidence of two groups together: what the shares of both may be, at all looks together.

M1 and M2 are the evidence against a share of each group: martingales that begin at 1. So is
E = M1 M2 / 2 + M1 / 4 + M2 / 4, for every order in which answers of the two groups arrive.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ..checks import FloatArray
from ..messages import sentence
from ..roots import find_minimum, find_root
from .bets import Bets
from .martingales import ConfidenceSequence

JOINT = sentence("Both groups' martingales together: valid however often one looks.")
# How much of one unit of evidence is bet on both groups, on the first and on the second.
_BOTH, _EACH = 0.5, 0.25
# First looks at the shares of a group, before the best of them is searched around.
_LOOKS = 17
# e^700 is about the largest float.
_MOST_LOG = 700.0


class GroupEvidence(Protocol):
    """Evidence against each share of one group: 1 at the beginning, and on average at the truth."""

    @property
    def range(self) -> tuple[float, float]:
        """The shares that reports can lead to."""

    @property
    def least(self) -> float:
        """ln of the smallest evidence against a share."""

    def log_evidence(self, share: float) -> float: ...

    def ends(self, log_bound: float) -> tuple[float, float]:
        """The shares whose evidence is within the bound; the observed one at least."""


@dataclass(frozen=True)
class Proportion:
    """A share that is ``intercept + slope * (proportion behind ones out of n)``."""

    ones: int
    n: int
    intercept: float
    slope: float
    sequence: ConfidenceSequence

    @property
    def range(self) -> tuple[float, float]:
        return self._shares(0.0, 1.0)

    @cached_property
    def least(self) -> float:
        return self.sequence.least_log_evidence(self.ones, self.n)

    @property
    def mirrored(self) -> "Proportion":
        """The same of minus the share."""
        return replace(self, intercept=-self.intercept, slope=-self.slope)

    def log_evidence(self, share: float) -> float:
        if self.slope == 0:
            return 0.0  # the group says nothing of this share
        proportion = min(max((share - self.intercept) / self.slope, 0.0), 1.0)
        return self.sequence.log_evidence(self.ones, self.n, proportion)

    def ends(self, log_bound: float) -> tuple[float, float]:
        observed = self.ones / self.n
        ends = self.sequence.ends(self.ones, self.n, log_bound)
        return self._shares(*(ends or (observed, observed)))

    def _shares(self, low: float, high: float) -> tuple[float, float]:
        ends = [self.intercept + self.slope * end for end in (low, high)]
        return min(ends), max(ends)


@dataclass(frozen=True)
class Mean:
    """A share that is the mean of a score with more than two values, (levels,) each.

    The evidence is the mean of that of bets on scores above the share and below it.
    """

    scores: FloatArray
    counts: FloatArray
    bets: Bets

    @property
    def range(self) -> tuple[float, float]:
        return float(self.scores.min()), float(self.scores.max())

    @cached_property
    def mean(self) -> float:
        return float(self.scores @ self.counts / self.counts.sum())

    @cached_property
    def least(self) -> float:
        low, high = self.ends(0.0)
        return min(self.log_evidence(share) for share in np.linspace(low, high, _LOOKS))

    def log_evidence(self, share: float) -> float:
        gaps, spread = self.scores - share, np.array([self.scores.std()])
        sides = (self.bets.log_gain(side[None], self.counts, spread)[0] for side in (gaps, -gaps))
        return float(np.logaddexp(*sides)) - math.log(2)

    def ends(self, log_bound: float) -> tuple[float, float]:
        low, high = (self._end(end, log_bound) for end in self.range)
        return low, high

    def _end(self, outermost: float, log_bound: float) -> float:
        def excess(part: float) -> float:
            return self.log_evidence(self.mean + part * (outermost - self.mean)) - log_bound

        if excess(0.0) >= 0:
            return self.mean
        # At the outermost share all scores lie on one side, and the evidence is infinite.
        almost = 1 - 1e-9
        part = find_root(excess, 0.0, almost, xtol=1e-9) if excess(almost) > 0 else 1.0
        return self.mean + part * (outermost - self.mean)


def highest_difference(first: GroupEvidence, second: GroupEvidence, bound: float) -> float:
    """Maximum of share(first) - share(second) over {E <= bound}.

    For a given share of the first group, E <= bound limits the second group's evidence alone, so
    the best second share is the low end of its interval; what remains has one maximum where E is
    convex, and is looked at in several places first where it may not be.
    """
    low, high = first.ends(_other_bound(second.least, bound))

    def loss(part: float) -> float:
        share = low + part * (high - low)
        return second.ends(_other_bound(first.log_evidence(share), bound))[0] - share

    parts = np.linspace(0, 1, 3 if isinstance(first, Proportion) else _LOOKS)
    losses = [loss(part) for part in parts]
    inner = find_minimum(loss, *_around(parts, losses), xtol=1e-9)
    return -min(min(losses), loss(inner))


def _other_bound(log_first: float, bound: float) -> float:
    """ln of the largest M2 with M1 M2 / 2 + M1 / 4 + M2 / 4 <= ``bound``; -inf if none is."""
    first = float(np.exp(min(log_first, _MOST_LOG)))
    room = bound - _EACH * first
    return math.log(room / (_BOTH * first + _EACH)) if room > 0 else -math.inf


def least_evidence(first: GroupEvidence, second: GroupEvidence) -> float:
    """The least E over a share that both groups have."""
    low = max(group.range[0] for group in (first, second))
    high = min(group.range[1] for group in (first, second))

    def log_evidence(share: float) -> float:
        one_group, other_group = first.log_evidence(share), second.log_evidence(share)
        each = math.log(_EACH)
        parts = [math.log(_BOTH) + one_group + other_group, each + one_group, each + other_group]
        return float(np.logaddexp.reduce(parts))

    shares = np.linspace(low, high, _LOOKS)
    looks = [log_evidence(share) for share in shares]
    around = _around(shares, looks)
    least = min(*looks, log_evidence(find_minimum(log_evidence, *around, xtol=1e-9)))
    return math.exp(min(least, _MOST_LOG))


def _around(places: FloatArray, values: list[float]) -> tuple[float, float]:
    """The places on both sides of that with the least value."""
    best = int(np.argmin(values))
    return float(places[max(best - 1, 0)]), float(places[min(best + 1, len(places) - 1)])
