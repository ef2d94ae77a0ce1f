"""Evidence against each share of a group of people: martingales that begin at 1, at all looks."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from ..checks import FloatArray
from ..roots import find_root
from .bets import MOST, Bets, log_gains
from .martingales import ConfidenceSequence

RARE = 2.0  # answers, see ``Proportion.variance``


class GroupEvidence(Protocol):
    """Evidence against each share of one group: 1 at the beginning, and on average at the truth.

    ``shares`` have shape (shares,).
    """

    @property
    def range(self) -> tuple[float, float]:
        """The shares that reports can lead to."""

    @property
    def observed(self) -> float:
        """The share that the reports say."""

    def log_evidence(self, shares: FloatArray) -> FloatArray: ...

    def ends(self, log_bound: float) -> tuple[float, float]:
        """The shares whose evidence is within the bound; the observed one at least."""

    def variance(self, shares: FloatArray, n: float) -> FloatArray:
        """Of one answer's score, if this is the share; never 0 before more than n answers."""

    def log_bets(self, shares: FloatArray, sizes: FloatArray) -> FloatArray:
        """ln of what bets of these sizes on scores above the share gained; below it if negative.

        Sizes, (shares, bets), are in units of 1 / score, and below 700 of them: e^700 is about the
        largest float. Each gain is 1 on average if this is the share.
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

    def log_evidence(self, shares: FloatArray) -> FloatArray:
        if self.slope == 0:
            return np.zeros_like(shares)  # the group says nothing of this share
        return self.sequence.log_evidences(self.ones, self.n, self._proportions(shares))

    def ends(self, log_bound: float) -> tuple[float, float]:
        observed = self.ones / self.n
        ends = self.sequence.ends(self.ones, self.n, log_bound)
        return self._shares(*(ends or (observed, observed)))

    def variance(self, shares: FloatArray, n: float) -> FloatArray:
        """Near 0 and 1 as of two more in n: rare answers are no normal sum."""
        proportions = self._proportions(shares)
        return self.slope**2 * (proportions * (1 - proportions) + RARE / n)

    def log_bets(self, shares: FloatArray, sizes: FloatArray) -> FloatArray:
        """Likelihood ratios of a proportion whose odds are e^(size slope) times the tested ones."""
        proportions, tilts = self._proportions(shares)[:, None], sizes * self.slope
        total = (1 - proportions) + proportions * np.exp(tilts)
        return np.asarray(self.ones * tilts - self.n * np.log(total))

    def _proportions(self, shares: FloatArray) -> FloatArray:
        if self.slope == 0:
            return np.full_like(shares, self.ones / self.n)
        return np.minimum(np.maximum((shares - self.intercept) / self.slope, 0.0), 1.0)

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

    def log_evidence(self, shares: FloatArray) -> FloatArray:
        gaps, spread = self.scores - shares[:, None], np.full(len(shares), self.scores.std())
        sides = (self.bets.log_gain(side, self.counts, spread) for side in (gaps, -gaps))
        return np.asarray(np.logaddexp(*sides)) - math.log(2)

    def ends(self, log_bound: float) -> tuple[float, float]:
        low, high = (self._end(end, log_bound) for end in self.range)
        return low, high

    def variance(self, shares: FloatArray, n: float) -> FloatArray:
        """That of the scores, each as likely as any other: what the design alone says."""
        return np.full_like(shares, self.scores.var())

    def log_bets(self, shares: FloatArray, sizes: FloatArray) -> FloatArray:
        gaps = self.scores - shares[:, None]
        # No answer takes more than nearly all: 1e-9 stands for a side without scores.
        least = -MOST / np.maximum(gaps.max(axis=1, keepdims=True), 1e-9)
        most = MOST / np.maximum(-gaps.min(axis=1, keepdims=True), 1e-9)
        return log_gains(np.clip(sizes, least, most), gaps, self.counts)

    def _end(self, outermost: float, log_bound: float) -> float:
        def excess(part: float) -> float:
            share = np.array([self.mean + part * (outermost - self.mean)])
            return float(self.log_evidence(share)[0]) - log_bound

        if excess(0.0) >= 0:
            return self.mean
        # At the outermost share all scores lie on one side, and the evidence is infinite.
        almost = 1 - 1e-9
        part = find_root(excess, 0.0, almost, xtol=1e-9) if excess(almost) > 0 else 1.0
        return self.mean + part * (outermost - self.mean)
