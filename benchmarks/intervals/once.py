"""Intervals for one look: how often they hold the truth, and how wide they are beside Wald's.

Of what is drawn, the intervals of RANDOM runs and of all runs whose estimate is NEAR standard
errors or farther from the truth are computed. If no random run nearer than that misses, the other
near runs are taken to hold the truth; else they are computed as well. A family in which one in
forty of the near runs misses is overlooked with a probability of about 1 %.
"""

import zlib

import numpy as np

from benchmarks.intervals.bounds import (
    APPROXIMATE_WIDTH,
    GUARANTEED_WIDTH,
    SEED,
    Cell,
    Measured,
    least_coverage,
)
from benchmarks.intervals.family import Family, Shown
from benchmarks.intervals.situations import Situation

NEAR, RANDOM = 1.5, 200
FOR_WALD = 40_000
# Counts that are rarer are left out, and count as misses.
RAREST = 1e-10


def measure_once(family: Family, n: int, share: float, runs: int | None = None) -> Cell:
    """One cell of the table."""
    situation = family.at(share)
    if situation.is_binary:
        return _enumerated(family, situation, n, share)
    return _drawn(family, situation, n, share, runs or family.runs)


def rng_of(family: Family, n: int, share: float) -> np.random.Generator:
    """The same in every run of the same cell."""
    return np.random.default_rng([SEED, zlib.crc32(family.name.encode()), n, round(1e4 * share)])


def width_beside_wald(widths: np.ndarray, halves: np.ndarray, chances: np.ndarray) -> Measured:
    """Mean width over the mean of Wald's, where an interval is shown; (rows,) each."""
    shown = np.isfinite(widths) & np.isfinite(halves)
    widths, normal, chances = widths[shown], 2 * halves[shown], chances[shown]
    if not chances @ normal:
        return Measured(0.0)
    weights = chances / chances.sum()
    ratio = float(weights @ widths / (weights @ normal))
    spread = float(weights @ (widths - ratio * normal) ** 2)
    return Measured(ratio, np.sqrt(spread / len(widths)) / float(weights @ normal))


def _enumerated(family: Family, situation: Situation, n: int, share: float) -> Cell:
    rows, chances = situation.enumerated(n // family.people, RAREST)
    shown = Shown(family.once)
    holds = float(chances @ shown.covers(rows, situation.truth))
    ends = shown.ends(rows)
    wald = float(chances @ situation.wald_covers(rows, family.statistic))
    halves = situation.wald(rows, family.statistic)[1]
    ratio = width_beside_wald(ends[:, 1] - ends[:, 0], halves, chances)
    return _cell(family, n, share, 0, Measured(holds), wald, Measured(ratio.value), 1.0)


def _drawn(family: Family, situation: Situation, n: int, share: float, runs: int) -> Cell:
    rng = rng_of(family, n, share)
    units = n // family.people
    counts = situation.drawn(situation.sizes(units), runs, rng)
    shown = Shown(family.once)
    random = counts[:RANDOM]  # the first are as random as any
    misses = _misses(family, situation, counts, shown, units)
    halves = situation.wald(random, family.statistic)[1]
    ends = shown.ends(random)
    ratio = width_beside_wald(ends[:, 1] - ends[:, 0], halves, np.ones(len(random)))
    many = situation.drawn(situation.sizes(units), FOR_WALD, rng)
    wald = float(situation.wald_covers(many, family.statistic).mean())
    missing = float(np.isnan(ends[:, 0]).mean())
    kept = round(runs * (1 - missing))
    coverage = Measured.share(max(kept - misses, 0), kept) if kept else Measured(1.0)
    return _cell(family, n, share, runs, coverage, wald, ratio, 1 - missing)


def _misses(
    family: Family, situation: Situation, counts: np.ndarray, shown: Shown, units: int
) -> int:
    """How many of the runs miss."""
    rows, times = np.unique(counts, axis=0, return_counts=True)
    far = ~_near(family, situation, rows, units)
    random = counts[:RANDOM]
    random = random[_near(family, situation, random, units)]
    if not len(random) or not shown.covers(random, situation.truth).all():
        far[:] = True
    return int(times[far] @ ~shown.covers(rows[far], situation.truth))


def _near(family: Family, situation: Situation, rows: np.ndarray, units: int) -> np.ndarray:
    values, _ = situation.wald(rows, family.statistic)
    error = situation.standard_error(units, family.statistic)
    return np.abs(values - situation.truth) < NEAR * error


def _cell(
    family: Family,
    n: int,
    share: float,
    runs: int,
    coverage: Measured,
    wald: float,
    ratio: Measured,
    shown: float,
) -> Cell:
    least = least_coverage(family.kind, n)
    bound = GUARANTEED_WIDTH if family.is_guaranteed else APPROXIMATE_WIDTH
    widths = ((ratio, bound, n),) if wald >= least and ratio.value else ()
    return Cell(family.name, n, share, runs, coverage, least, widths, shown)
