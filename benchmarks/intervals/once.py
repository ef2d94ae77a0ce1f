"""Intervals for one look: how often they hold the truth, and how wide they are beside Wald's."""

import zlib
from functools import partial

import numpy as np

from benchmarks.intervals.bounds import (
    APPROXIMATE_WIDTH,
    GUARANTEED_WIDTH,
    RUNS,
    SEED,
    Cell,
    Measured,
    least_coverage,
)
from benchmarks.intervals.family import Family, Shown
from benchmarks.intervals.misses import missing
from benchmarks.intervals.situations import Situation

FOR_WALD, FOR_WIDTHS = 40_000, 200
# So many different counts are all computed, each once.
FEW = 1_000
# Counts that are rarer are left out, and count as misses.
RAREST = 1e-10


def measure_once(family: Family, n: int, share: float, runs: int = RUNS) -> Cell:
    """One cell of the table."""
    situation = family.at(share)
    if situation.is_binary:
        return _enumerated(family, situation, n, share)
    return _drawn(family, situation, n, share, runs)


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
    some = counts[:FOR_WIDTHS]  # the first are as random as any
    misses = _misses(family, situation, counts, shown, units)
    halves = situation.wald(some, family.statistic)[1]
    ends = shown.ends(some)
    ratio = width_beside_wald(ends[:, 1] - ends[:, 0], halves, np.ones(len(some)))
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
    values, _ = situation.wald(counts, family.statistic)
    error = situation.standard_error(units, family.statistic)
    distances = (values - situation.truth) / (error or 1.0)
    covers = partial(shown.covers, truth=situation.truth)
    if len(np.unique(counts, axis=0)) <= FEW:
        return int((~covers(counts)).sum())
    return int(missing(counts, distances, covers).sum())


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
