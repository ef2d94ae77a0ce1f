"""Evidence against each share of a group of people: martingales that begin at 1, at all looks."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ..checks import FloatArray
from ..roots import find_root
from .bets import MOST, Bets
from .martingales import ConfidenceSequence

RARE = 2.0  # answers, see ``Proportion.variance``


class GroupEvidence(Protocol):
    """Evidence against each share of one group: 1 at the beginning, and on average at the truth."""

    @property
    def range(self) -> tuple[float, float]:
        """The shares that reports can lead to."""

    @property
    def observed(self) -> float:
        """The share that the reports say."""

    def log_evidence(self, share: float) -> float: ...

    def ends(self, log_bound: float) -> tuple[float, float]:
        """The shares whose evidence is within the bound; the observed one at least."""

    def variance(self, share: float, n: float) -> float:
        """Of one answer's score, if this is the share; never 0 before more than n answers."""

    def log_bets(self, share: float, sizes: FloatArray) -> FloatArray:
        """ln of what bets of these sizes on scores above the share gained; below it if negative.

        Sizes are in units of 1 / score. Each is 1 on average if this is the share.
        """


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

    @property
    def observed(self) -> float:
        return self.intercept + self.slope * self.ones / self.n

    @property
    def mirrored(self) -> "Proportion":
        """The same of minus the share."""
        return replace(self, intercept=-self.intercept, slope=-self.slope)

    def log_evidence(self, share: float) -> float:
        if self.slope == 0:
            return 0.0  # the group says nothing of this share
        return self.sequence.log_evidence(self.ones, self.n, self._proportion(share))

    def ends(self, log_bound: float) -> tuple[float, float]:
        observed = self.ones / self.n
        ends = self.sequence.ends(self.ones, self.n, log_bound)
        return self._shares(*(ends or (observed, observed)))

    def variance(self, share: float, n: float) -> float:
        """Near 0 and 1 as of two more in n: rare answers are no normal sum."""
        proportion = self._proportion(share)
        return self.slope**2 * (proportion * (1 - proportion) + RARE / n)

    def log_bets(self, share: float, sizes: FloatArray) -> FloatArray:
        """Likelihood ratios of a proportion whose odds are e^(size slope) times the tested ones."""
        proportion, tilts = self._proportion(share), sizes * self.slope
        with np.errstate(divide="ignore"):  # of a proportion of 0 or 1
            zeros, ones = np.log1p(-proportion), np.log(proportion)
        return np.asarray(self.ones * tilts - self.n * np.logaddexp(zeros, ones + tilts))

    def _proportion(self, share: float) -> float:
        if self.slope == 0:
            return self.ones / self.n
        return min(max((share - self.intercept) / self.slope, 0.0), 1.0)

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

    @property
    def observed(self) -> float:
        return self.mean

    def log_evidence(self, share: float) -> float:
        gaps, spread = self.scores - share, np.array([self.scores.std()])
        sides = (self.bets.log_gain(side[None], self.counts, spread)[0] for side in (gaps, -gaps))
        return float(np.logaddexp(*sides)) - math.log(2)

    def ends(self, log_bound: float) -> tuple[float, float]:
        low, high = (self._end(end, log_bound) for end in self.range)
        return low, high

    def variance(self, share: float, n: float) -> float:
        """That of the scores, each as likely as any other: what the design alone says."""
        return float(self.scores.var())

    def log_bets(self, share: float, sizes: FloatArray) -> FloatArray:
        gaps = self.scores - share
        # No answer takes more than nearly all: 1e-9 stands for a side without scores.
        least, most = -MOST / max(gaps.max(), 1e-9), MOST / max(-gaps.min(), 1e-9)
        return np.log1p(np.outer(np.clip(sizes, least, most), gaps)) @ self.counts

    def _end(self, outermost: float, log_bound: float) -> float:
        def excess(part: float) -> float:
            return self.log_evidence(self.mean + part * (outermost - self.mean)) - log_bound

        if excess(0.0) >= 0:
            return self.mean
        # At the outermost share all scores lie on one side, and the evidence is infinite.
        almost = 1 - 1e-9
        part = find_root(excess, 0.0, almost, xtol=1e-9) if excess(almost) > 0 else 1.0
        return self.mean + part * (outermost - self.mean)
