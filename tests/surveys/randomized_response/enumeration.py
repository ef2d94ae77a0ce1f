"""Exact coverage: every possible count, weighted by its probability."""

from functools import cache
from itertools import product

import numpy as np
from scipy.stats import binom, multinomial

from tests.randomized_response.designs import DesignLike, channel_of
from tests.randomized_response.estimates import estimate_distribution, estimate_prevalence
from tests.randomized_response.intervals import Interval


def prevalence_coverage(
    design: DesignLike, n: int, share: float, method: str, level: float = 0.95
) -> tuple[float, float]:
    """(coverage, mean width) of the interval for yes, over all n + 1 counts."""
    no, yes = (float(p) for p in channel_of(design).rows[1])
    chance = binom.pmf(range(n + 1), n, no + (yes - no) * share)
    intervals = _intervals(design, n, method, level)
    covered = np.array([i.contains(share) for i in intervals])
    widths = np.array([i.width for i in intervals])
    return float(chance @ covered), float(chance @ widths)


@cache
def _intervals(design: DesignLike, n: int, method: str, level: float) -> list[Interval]:
    """Of yes, by its count; the same for every true share."""
    estimates = (estimate_prevalence(design, [n - x, x]) for x in range(n + 1))
    return [estimate.interval(level, method) for estimate in estimates]


def all_counts(n: int, levels: int) -> list[tuple[int, ...]]:
    heads = product(range(n + 1), repeat=levels - 1)
    return [(*head, n - sum(head)) for head in heads if sum(head) <= n]


def option_coverage(
    design: DesignLike, n: int, shares: list[float], method: str, level: float = 0.95
) -> list[float]:
    """Coverage of each option's interval, and last of all of the simultaneous ones together."""
    law = multinomial(n, channel_of(design).matrix @ shares)
    totals = np.zeros(len(shares) + 1)
    for counts, alone, wide in _option_intervals(design, n, len(shares), method, level):
        single = [i.contains(s) for i, s in zip(alone, shares, strict=True)]
        together = all(i.contains(s) for i, s in zip(wide, shares, strict=True))
        totals += law.pmf(counts) * np.array([*single, together])
    return [float(total) for total in totals]


@cache
def _option_intervals(
    design: DesignLike, n: int, options: int, method: str, level: float
) -> list[tuple[tuple[int, ...], list[Interval], list[Interval]]]:
    """Each possible count with the intervals of its options, each alone and all together."""
    found = []
    for counts in all_counts(n, options):
        estimate = estimate_distribution(design, counts)
        alone = list(estimate.intervals(level, method))
        found.append((counts, alone, list(estimate.intervals(level, method, simultaneous=True))))
    return found


def ratio_coverage(design: DesignLike, n: int, shares: list[float], method: str) -> float:
    """Coverage of the interval for option 1 among options 0 and 1."""
    law = multinomial(n, channel_of(design).matrix @ shares)
    true = shares[1] / (shares[0] + shares[1])
    return float(
        sum(
            law.pmf(counts)
            for counts in all_counts(n, len(shares))
            if estimate_distribution(design, counts)
            .ratio(1, (0, 1), method=method)
            .interval.contains(true)
        )
    )
