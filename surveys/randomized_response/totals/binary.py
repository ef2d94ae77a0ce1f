"""A published number of yes reports: the exact privacy of one person in it.

Each of n people reports yes with probability p1 (truth yes) or p0 (truth no); the sum is published,
n is public. Replacing one person's truth turns C + Bern(p1) into C + Bern(p0), where C is the sum
of the others, for any truths of theirs. With e^epsilon = x, the least delta is the larger of

    sum_k max(0, P1(k) - x P0(k)),   sum_k max(0, P0(k) - x P1(k)).

Both are convex in every other person's chance (the pair of laws is affine in it, and the hockey
stick is jointly convex), so that the worst truths lie at the ends: a of the others say yes and the
rest no. Leaving people out of C can only raise delta (their reports are noise that anybody could
add), so that Bin(l, p1) + Bin(m - h, p0) bounds every a from l to h: the bracket is certified
without trying all a, and it is exact up to ``_EXACT`` people.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import gammaln, xlogy

from ..checks import FloatArray

# Up to here every number of others with yes is tried; above, as many ranges, each a third of a
# per cent of the people, which moves epsilon by a sixth of one.
_EXACT = 300
# Deviations from the mean beyond which a sum holds less than 1e-30 (Bernstein), and places more.
_REACH, _ROOM = 12, 60
_TABLE = 2**15  # cells of several divergences side by side
# What rounding and the tails left out can take from a delta.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class LawPair:
    """P1 and P0 on the same places: the laws of a total with one person's yes and with their no."""

    with_yes: FloatArray
    with_no: FloatArray

    def delta(self, epsilon: float) -> float:
        """The larger of both hockey-stick divergences."""
        return float(self.deltas(np.array([epsilon]))[0])

    def deltas(self, epsilons: FloatArray) -> FloatArray:
        """The same of many at once, as many as fit into a moderate table."""
        at_once = max(1, _TABLE // len(self.with_yes))
        parts = (epsilons[start : start + at_once] for start in range(0, len(epsilons), at_once))
        deltas = []
        for part in parts:
            odds = np.exp(part)[:, np.newaxis]
            raised = np.maximum(self.with_yes - odds * self.with_no, 0).sum(axis=1)
            lowered = np.maximum(self.with_no - odds * self.with_yes, 0).sum(axis=1)
            deltas.append(np.maximum(raised, lowered))
        return np.concatenate(deltas)

    @classmethod
    def of(cls, others: FloatArray, if_yes: float, if_no: float) -> "LawPair":
        """One person's report added to a sum of others."""
        stay, move = np.append(others, 0.0), np.append(0.0, others)
        return cls(if_yes * move + (1 - if_yes) * stay, if_no * move + (1 - if_no) * stay)


def binary_pairs(people: int, if_yes: float, if_no: float) -> Iterator[tuple[LawPair, LawPair]]:
    """Pairs (attained, bound): each attained by some truths, and the bounds cover all truths."""
    others = people - 1
    edges = np.unique(np.linspace(0, others, min(others, _EXACT) + 1).round().astype(int))
    points = {int(a): LawPair.of(_sum(a, others - a, if_yes, if_no), if_yes, if_no) for a in edges}
    for low, high in pairwise(edges):
        if high - low <= 1:
            yield points[int(low)], points[int(low)]
        else:
            fewer = _sum(int(low), others - int(high), if_yes, if_no)
            yield points[int(low)], LawPair.of(fewer, if_yes, if_no)
    yield points[others], points[others]


def binomial(n: int, p: float) -> tuple[FloatArray, int]:
    """The probabilities around the mean, and the first place: all but 1e-30 of the law."""
    reach = _REACH * np.sqrt(n * p * (1 - p)) + _ROOM
    first, last = max(0, int(n * p - reach)), min(n, int(n * p + reach) + 1)
    k = np.arange(first, last + 1, dtype=np.float64)
    logs = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlogy(n - k, 1 - p)
    return np.exp(logs), first


def _sum(yes: int, no: int, if_yes: float, if_no: float) -> FloatArray:
    """The law of the sum of so many reports, from its first place."""
    first, second = binomial(yes, if_yes)[0], binomial(no, if_no)[0]
    if min(len(first), len(second)) < 200:
        return np.asarray(np.maximum(np.convolve(first, second), 0.0))
    # As ``scipy.signal.fftconvolve``, whose module loads half of SciPy: a second.
    length = len(first) + len(second) - 1
    padded = next_fast_len(length, real=True)
    both = irfft(rfft(first, padded) * rfft(second, padded), padded)[:length]
    return np.asarray(np.maximum(both, 0.0))
