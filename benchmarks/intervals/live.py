"""Intervals for all looks: how often one of 50 looks misses, and widths beside Wald's.

Looks stand at sizes that grow by one factor, from a fiftieth of the planned number to four times.
Where one count decides, the chance of every count that has not missed yet is carried from look to
look, so that nothing is drawn.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy

from benchmarks.intervals.bounds import MOST_MISSES, RUNS, Cell, Measured, largest_live_widths
from benchmarks.intervals.bounds import least_coverage as least_of
from benchmarks.intervals.family import Family, Shown
from benchmarks.intervals.misses import missing
from benchmarks.intervals.once import rng_of, width_beside_wald
from benchmarks.intervals.situations import Situation

LOOKS = 50
# Of the planned number: where widths are measured. None is of fewer than LEAST people.
WIDTHS_AT, LEAST = (0.2, 0.5, 1, 2, 4), 50
RAREST = 1e-9
# At each look; of all of them as many as for one look alone, and more.
RANDOM = 6
# Draws for the coverage of Wald's interval, and for the width of what is shown.
FOR_WALD, FOR_WIDTHS = 10_000, 60


def measure_live(family: Family, planned: int, share: float, paths: int = RUNS) -> Cell:
    """One cell of the table."""
    situation = family.at(share)
    plan = planned // len(situation.blocks)
    shown = Shown(lambda counts: family.live(counts, plan))
    if situation.is_binary:
        runs, missed = 0, Measured(_chance_of_a_miss(situation, planned, shown))
    else:
        runs = paths
        misses = _missing_paths(family, situation, planned, share, runs, shown)
        missed = Measured.share(misses, runs)
    coverage = Measured(1 - missed.value, missed.error)
    widths = tuple(_widths(family, situation, planned, share, shown))
    return Cell(family.name, planned, share, runs, coverage, 1 - MOST_MISSES, widths)


def sizes_of_looks(planned: int, groups: int) -> np.ndarray:
    """Up to 50, each of a whole number of people for every group."""
    found = np.geomspace(max(planned / LOOKS, 2 * groups), 4 * planned, LOOKS)
    return np.unique(np.round(found / groups).astype(int)) * groups


def _chance_of_a_miss(situation: Situation, planned: int, shown: Shown) -> float:
    alive, n = np.array([1.0]), 0
    one = float(situation.blocks[0][1])
    for size in sizes_of_looks(planned, 1):
        step = scipy.stats.binom.pmf(np.arange(size - n + 1), size - n, one)
        alive = np.maximum(scipy.signal.fftconvolve(alive, step), 0.0)
        n = int(size)
        ones = np.flatnonzero(alive > RAREST)
        counts = np.column_stack([n - ones, ones])
        covers = partial(shown.covers, truth=situation.truth)
        holds = ones[~missing(counts, ones - one * n, covers, random=0)]
        kept = np.zeros_like(alive)
        kept[holds] = alive[holds]
        alive = kept
    return 1 - float(alive.sum())


def _missing_paths(
    family: Family, situation: Situation, planned: int, share: float, paths: int, shown: Shown
) -> int:
    """How many paths miss at a look."""
    rng = rng_of(family, planned, share)
    sizes = sizes_of_looks(planned, len(situation.blocks))
    counts = _paths(situation, sizes, paths, rng)
    distances = _distances(family, situation, counts, sizes)
    missed = np.zeros(paths, dtype=bool)
    for look in range(len(sizes)):
        going = np.flatnonzero(~missed)
        covers = partial(shown.covers, truth=situation.truth)
        missed[going] = missing(counts[going, look], distances[going, look], covers, RANDOM)
    return int(missed.sum())


def _paths(
    situation: Situation, sizes: np.ndarray, paths: int, rng: np.random.Generator
) -> np.ndarray:
    """Counts of all kinds of report at all looks, (paths, looks, kinds)."""
    groups = len(situation.blocks)
    steps = np.diff(sizes, prepend=0) // groups
    drawn = [situation.drawn([int(step)] * groups, paths, rng) for step in steps]
    return np.cumsum(np.stack(drawn, axis=1), axis=1)


def _distances(
    family: Family, situation: Situation, counts: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Of the estimates from the truth, in standard errors at the truth: (paths, looks)."""
    found = []
    for look, size in enumerate(sizes):
        values, _ = situation.wald(counts[:, look], family.statistic)
        error = situation.standard_error(int(size), family.statistic)
        found.append((values - situation.truth) / (error or 1.0))
    return np.stack(found, axis=1)


def _widths(
    family: Family, situation: Situation, planned: int, share: float, shown: Shown
) -> Iterator[tuple[Measured, float, int]]:
    """Where Wald covers, with its bound and the number of people."""
    at_plan, in_range = largest_live_widths(family.kind)
    for factor in WIDTHS_AT:
        n = max(LEAST, round(factor * planned))
        rng = rng_of(family, n, share + factor)
        rows = situation.drawn(situation.sizes(n), FOR_WALD, rng)
        covered = situation.wald_covers(rows, family.statistic).mean()
        if covered < least_of(family.kind, n):
            continue
        some = rows[:FOR_WIDTHS]
        ends, halves = shown.ends(some), situation.wald(some, family.statistic)[1]
        ratio = width_beside_wald(ends[:, 1] - ends[:, 0], halves, np.ones(len(some)))
        if ratio.value:
            yield ratio, at_plan if n == planned else in_range, n
