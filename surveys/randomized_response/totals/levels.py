"""Published counts of the reports of a question with k levels: bounds of one person's privacy.

*Above*, by clones (Feldman, McMillan and Talwar 2021). For two truths with report laws P and Q
let p be the largest ratio of the two. Then P = (p S + T) / (p + 1) and Q = (S + p T) / (p + 1) for
two laws S and T (Kairouz, Oh and Viswanath 2015). The law of each other person is at least
r (S + T) = r (P + Q), r the least ratio of any truth's law to P + Q. Telling the two truths apart
from all counts is therefore no easier than from how many S and T there are: C ~ Bin(n - 1, 2 r)
others of which A ~ Bin(C, 1/2) are S, and one more S or T, by p / (p + 1) and 1 / (p + 1).

Three outcomes for the one person, S, T or neither (Feldman, McMillan and Talwar 2023; variation
ratio, arXiv 2304.05007), promise less, but counted by S and T alone they fall below what all
counts tell, because who is neither shows: k-ary response with n = 5, k = 3 and epsilon 1 reaches
a delta of .0522 at .5, where that pair has .0499.

*Below*, by an attack: reports are merged into yes and no, all others have one truth, and the number
of yes is known, whose delta is exact (``binary``).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from scipy.special import bdtr

from ..checks import FloatArray
from .binary import LawPair, binomial


@dataclass(frozen=True, eq=False)
class Clones:
    """C of the others by probability, from ``first`` on, and the one person's chance of S or T."""

    others: FloatArray
    first: int
    likely: float

    def delta(self, epsilon: float) -> float:
        """The hockey-stick divergence; the same in both directions, because S and T swap.

        Given C, the likelihood ratio of A + 1 with chance ``likely`` against A + 1 with chance
        1 - ``likely`` rises with the number of S, so that the best test is a threshold.
        """
        odds, count = math.exp(epsilon), self.first + np.arange(len(self.others), dtype=np.float64)
        gain, loss = self.likely - odds * (1 - self.likely), 1 - self.likely - odds * self.likely
        if gain <= 0:
            return 0.0
        # a S of c + 1: Bin(c, a - 1) gain + Bin(c, a) loss > 0, in ratio a : c + 1 - a.
        threshold = np.ceil(-loss * (count + 1) / (gain - loss))
        kept = gain * _tail(threshold - 1, count) + loss * _tail(threshold, count)
        return float(self.others @ np.maximum(kept, 0.0))

    def deltas(self, epsilons: FloatArray) -> FloatArray:
        """The same of each of many."""
        return np.array([self.delta(float(epsilon)) for epsilon in epsilons])


def reductions(people: int, channel: FloatArray) -> Iterator[Clones]:
    """The reductions of every two truths that no other one covers; ``channel`` is reports x truths.

    To leave some out is ours: a larger p and a smaller r (above) promise less. The two laws
    of a smaller p are mixtures of those of the larger, and the divergence is jointly convex. A
    larger r comes from a smaller one by making clones of some who are none, whose number is known:
    processing of what is counted, which never adds to a divergence.
    """
    pairs = {_reduced(channel, *truths) for truths in combinations(range(channel.shape[1]), 2)}
    for ratio, least in sorted(pairs, reverse=True):
        rivals = pairs - {(ratio, least)}
        if not any(larger >= ratio and smaller <= least for larger, smaller in rivals):
            others, start = binomial(people - 1, min(2 * least, 1.0))
            yield Clones(others, start, 1 / (1 + 1 / ratio))


def _reduced(channel: FloatArray, truth: int, other: int) -> tuple[float, float]:
    """p and r of two truths."""
    first, second = channel[:, truth], channel[:, other]
    ratio = max(_largest_ratio(first, second), _largest_ratio(second, first))
    both = first + second
    return ratio, 1 / max(_largest_ratio(both, law) for law in channel.T)


def attacks(people: int, channel: FloatArray) -> Iterator[LawPair]:
    """Pairs of laws of a merged count, for every two truths, merging and truth of all others."""
    seen = set()
    for own, other in permutations(range(channel.shape[1]), 2):
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nan_to_num(channel[:, own] / channel[:, other], nan=1.0, posinf=np.inf)
        # From the least ratio on all reports are merged, which tells nothing.
        for least in np.unique(ratio)[1:]:
            merged = channel[ratio >= least].sum(axis=0)
            for truth in merged:
                key = (float(merged[own]), float(merged[other]), float(truth))
                if key not in seen:
                    seen.add(key)
                    others = binomial(people - 1, float(min(truth, 1.0)))[0]
                    yield LawPair.of(others, *key[:2])


def _largest_ratio(above: FloatArray, below: FloatArray) -> float:
    possible = above > 0
    if (below[possible] <= 0).any():
        return math.inf
    return float((above[possible] / below[possible]).max())


def _tail(least: FloatArray, total: FloatArray) -> FloatArray:
    """P(Bin(total, 1/2) >= least)."""
    # By symmetry the lower tail of what is left, which keeps the digits of small chances.
    chance = bdtr(np.clip(total - least, 0, total), total.astype(np.int64), 0.5)
    return np.where(least <= 0, 1.0, np.where(least > total, 0.0, chance))
