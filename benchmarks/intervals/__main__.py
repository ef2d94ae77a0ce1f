"""Measure all cells, print them, and fail if one breaks a bound and is not known to."""

import argparse
import multiprocessing
import os
import resource
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby

import django

from benchmarks.intervals.bounds import ERRORS, PLANNED, RUNS, SEED, SHARES, SIZES, Cell
from benchmarks.intervals.known import reasons, unexpected

HEAD = f"{'family':44} {'n':>5} share   runs covers, least    width, most  verdict"


def measured(part: str, runs: int, cell: tuple[str, int, float]) -> Cell:
    """One cell; imported here, because pages need Django's settings first."""
    from benchmarks.intervals.families import FAMILIES
    from benchmarks.intervals.live import measure_live
    from benchmarks.intervals.once import measure_once

    name, n, share = cell
    measure = measure_once if part == "once" else measure_live
    return measure(FAMILIES[name], n, share, runs)


def cells_of(part: str, family: str = "") -> list[tuple[str, int, float]]:
    """Name, number of people and share of each cell of the families with that in their name."""
    from benchmarks.intervals.families import FAMILIES

    sizes = SIZES if part == "once" else PLANNED
    return [
        (name, n, share)
        for name, one in FAMILIES.items()
        if family in name and (part == "once" or one.live)
        for n in sizes
        for share in SHARES
    ]


def measure_all(part: str, family: str, runs: int, jobs: int) -> list[Cell]:
    """All cells of one part, each printed once it is measured."""
    print(f"\n{part}: seed {SEED}, a bound is broken beyond {ERRORS} standard errors\n{HEAD}")
    cells = cells_of(part, family)
    measure = partial(measured, part, runs)
    if jobs == 1:
        return _printed(map(measure, cells))
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return _printed(pool.imap(measure, cells))


def _printed(cells: Iterable[Cell]) -> list[Cell]:
    found = []
    for cell in cells:
        print(cell, flush=True)
        found.append(cell)
    return found


def worst_of(cells: Sequence[Cell]) -> Iterable[Cell]:
    """Of each family the cell that is farthest beyond its bounds, or nearest to them."""
    for _, group in groupby(cells, key=lambda cell: cell.family):
        yield max(group, key=lambda cell: (bool(cell.problems), cell.badness))


def _processor_seconds() -> float:
    """Of this process and of those that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.intervals", description=__doc__)
    parser.add_argument("--part", choices=("once", "live"), help="one part; both by default")
    parser.add_argument("--family", default="", help="families with this in their name")
    parser.add_argument("--runs", type=int, default=RUNS, help="surveys drawn in each cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(arguments)
    failing: list[str] = []
    for part in (asked.part,) if asked.part else ("once", "live"):
        cells = measure_all(part, asked.family, asked.runs, asked.jobs)
        failing += unexpected(part, cells)
        print(f"\n{part}: the worst cell of each family\n{HEAD}")
        _printed(worst_of(cells))
    print(f"\nknown to break a bound:{reasons()}\nnot expected: {len(failing)}")
    print("\n".join(failing), f"{_processor_seconds():.0f} s of processor time", sep="\n")
    return int(bool(failing))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.settings")
    django.setup()
    sys.exit(main())
