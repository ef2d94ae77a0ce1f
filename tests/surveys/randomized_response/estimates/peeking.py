"""Exact chance that an interval misses the truth at some look, when one looks again and again.

The number of ones is a walk; a walk whose interval misses the truth at a look is taken out. What
is left after the last look was covered at every look. The counts whose interval covers are always
a run without gaps, so only the two ends of the run need to be asked.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
from scipy.special import bdtr, bdtrc, ndtri

Misses = Callable[[int, int, float], bool]


def sequence_misses(ones: int, n: int, proportion: float, level: float = 0.95) -> bool:
    """Straight from the definition: the mean likelihood ratio against the proportion >= 1/c."""
    zeros = n - ones
    log_likelihood = ones * math.log(proportion) + zeros * math.log1p(-proportion)
    log_beta = math.lgamma(ones + 1) + math.lgamma(zeros + 1) - math.lgamma(n + 2)
    return log_beta - log_likelihood >= -math.log1p(-level)


def clopper_pearson_misses(ones: int, n: int, proportion: float, level: float = 0.95) -> bool:
    tail = (1 - level) / 2
    above = 1.0 if ones == 0 else float(bdtrc(ones - 1, n, proportion))
    return above < tail or float(bdtr(ones, n, proportion)) < tail


def wald_misses(ones: int, n: int, proportion: float, level: float = 0.95) -> bool:
    if ones in (0, n) or n == 1:
        return clopper_pearson_misses(ones, n, proportion, level)
    share = ones / n
    half = -float(ndtri((1 - level) / 2)) * math.sqrt(share * (1 - share) / (n - 1))
    return abs(share - proportion) > half


def chance_of_ever_missing(
    misses: Misses, proportion: float, looks: Iterable[int]
) -> dict[int, float]:
    """By each look, the chance that this or an earlier one missed the proportion."""
    covered, first, n, chances = np.ones(1), 0, 0, {}
    for look in looks:
        for _ in range(look - n):
            covered = np.convolve(covered, (1 - proportion, proportion))
        n = look
        while len(covered) and misses(first, n, proportion):
            covered, first = covered[1:], first + 1
        while len(covered) and misses(first + len(covered) - 1, n, proportion):
            covered = covered[:-1]
        chances[look] = 1 - float(covered.sum())
    return chances
