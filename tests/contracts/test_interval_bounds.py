"""``benchmarks.intervals`` notices intervals that miss or are wide, drawn or enumerated alike."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from benchmarks.intervals.bounds import Cell, Measured
from benchmarks.intervals.family import Family
from benchmarks.intervals.known import KNOWN, unexpected
from benchmarks.intervals.live import measure_live
from benchmarks.intervals.once import measure_once
from benchmarks.intervals.situations import Situation, mean_of
from surveys.randomized_response.intervals.intervals import (
    clopper_pearson,
    confidence_sequence,
)

NARROW = partial(clopper_pearson, level=0.8)


def yes_of(share: float) -> Situation:
    return Situation((np.array([1 - share, share]),), share)


def split(share: float) -> Situation:
    """The same, but for a third kind of report that no one sends: nothing is enumerated."""
    return Situation((np.array([1 - share, share, 0.0]),), share)


def family(interval, *, at=yes_of, kind: str = "share") -> Family:
    scores = np.array([0.0, 1.0]) if at is yes_of else np.array([0.0, 1.0, 0.0])
    shown = lambda counts, *_: interval(counts[1], sum(counts))  # noqa: E731
    return Family("an interval", kind, at, mean_of(scores), shown, shown)


@pytest.mark.parametrize("at", [yes_of, split])
def test_an_exact_interval_holds_and_one_that_misses_or_is_wide_does_not(at):
    assert not measure_once(family(clopper_pearson, at=at), 1000, 0.2).problems
    (missing,) = measure_once(family(NARROW, at=at), 1000, 0.2).problems
    assert missing.startswith("covers")
    (wide,) = measure_once(family(confidence_sequence, at=at), 20, 0.5).problems
    assert wide.startswith("width")


@pytest.mark.parametrize("at", [yes_of, split])
def test_a_sequence_holds_at_all_looks_and_an_interval_for_one_look_does_not(at):
    assert not measure_live(family(confidence_sequence, at=at, kind="mean"), 100, 0.2).problems
    (missing,) = measure_live(family(clopper_pearson, at=at), 100, 0.2).problems
    assert missing.startswith("covers")


def test_what_is_drawn_agrees_with_what_is_enumerated():
    for interval in (clopper_pearson, NARROW):
        exact, drawn = (measure_once(family(interval, at=at), 100, 0.2) for at in (yes_of, split))
        difference = exact.coverage.value - drawn.coverage.value
        assert abs(difference) <= 5 * drawn.coverage.error
    assert exact.runs == 0


def test_a_width_counts_only_where_walds_interval_covers():
    assert measure_once(family(clopper_pearson), 1000, 0.2).widths
    assert not measure_once(family(clopper_pearson), 20, 0.02).widths


def test_what_is_not_shown_neither_misses_nor_holds():
    hidden = replace(family(clopper_pearson, at=split), once=lambda counts: None)
    cell = measure_once(hidden, 100, 0.2)
    assert (cell.shown, cell.problems) == (0.0, ())


def test_a_cell_that_breaks_a_bound_is_listed_and_one_that_holds_is_not():
    listed = next(known for known in KNOWN if known.part == "once")
    n, share = listed.cells[0]
    holds = Cell(listed.families[0], n, share, 10_000, Measured(0.95), 0.945, ())
    breaks = replace(holds, coverage=Measured(0.5))
    assert [*unexpected("once", [breaks])] == []
    (words,) = unexpected("once", [holds])
    assert words.startswith("is listed in known.py and holds")
    (words,) = unexpected("live", [breaks])
    assert words.startswith("breaks a bound")
