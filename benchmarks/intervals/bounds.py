"""Bounds that each cell must keep, and Cell: what was measured in one of them."""

import math
from collections.abc import Callable
from dataclasses import dataclass

SHARES = (0.0, 0.02, 0.2, 0.5)
SIZES = (20, 100, 1_000, 5_000)
PLANNED = SIZES[1:]
SEED = 35
# Surveys drawn in each cell: a standard error of .0022 where one in twenty misses.
RUNS = 10_000
# A bound is broken beyond so many standard errors of what was drawn.
ERRORS = 5
# Kinds of number whose variance is itself estimated from weights or clusters.
WEIGHTED = ("weighted", "poststratified", "clustered")
TIGHT = ("share", "option")
GUARANTEED_WIDTH, APPROXIMATE_WIDTH = 1.25, 1.15
MOST_MISSES = 0.05


def least_coverage(kind: str, n: int) -> float:
    """For one look at n people."""
    if n < SIZES[1]:
        return 0.93
    return 0.935 if kind in WEIGHTED else 0.945


def largest_live_widths(kind: str) -> tuple[float, float]:
    """Times Wald's: at the planned number, and from a fifth of it to four times."""
    return (1.6, 1.9) if kind in TIGHT else (2.0, 2.3)


@dataclass(frozen=True)
class Measured:
    """A number with its standard error; 0 where it was enumerated."""

    value: float
    error: float = 0.0

    def is_below(self, bound: float) -> bool:
        return self.value + ERRORS * self.error < bound - 1e-9

    def is_above(self, bound: float) -> bool:
        return self.value - ERRORS * self.error > bound + 1e-9

    @classmethod
    def share(cls, hits: float, runs: int) -> "Measured":
        """Of runs; the error is at least that of one hit or one miss."""
        share = hits / runs
        spread = max(share * (1 - share), (1 - 1 / runs) / runs)
        return cls(share, math.sqrt(spread / runs))


@dataclass(frozen=True)
class Cell:
    """One family at one number of people and one share.

    ``runs`` 0: all counts were enumerated. ``widths``: times Wald's where Wald covers, each with
    its bound and how many people it is of. ``shown``: of the runs, how many have an interval.
    """

    family: str
    n: int
    share: float
    runs: int
    coverage: Measured
    least: float
    widths: tuple[tuple[Measured, float, int], ...]
    shown: float = 1.0

    @property
    def problems(self) -> tuple[str, ...]:
        """The bounds that it breaks, in words."""
        found = [
            f"width {width.value:.2f} > {bound} at {n}"
            for width, bound, n in self.widths
            if width.is_above(bound)
        ]
        if self.coverage.is_below(self.least):
            found.insert(0, f"covers {self.coverage.value:.4f} < {self.least}")
        return tuple(found)

    @property
    def badness(self) -> float:
        """How far beyond its bounds the worst is: above 1 breaks one."""
        missed = (1 - self.coverage.value) / (1 - self.least)
        return max([missed, *(width.value / bound for width, bound, _ in self.widths)])

    def __str__(self) -> str:
        widest = max(self.widths, key=_excess, default=None)
        width = f"{widest[0].value:5.2f} of {widest[1]:.2f}" if widest else "    –        "
        runs = f"{self.runs:>6}" if self.runs else " exact"
        covered = f"{self.coverage.value:.4f} of {self.least:.3f}"
        words = "; ".join(self.problems) or "holds"
        shown = f" (shown in {self.shown:.1%})" if self.shown < 1 else ""
        return (
            f"{self.family:44} {self.n:5} {self.share:4.2f} {runs} {covered} {width} {words}{shown}"
        )


def _excess(width: tuple[Measured, float, int]) -> float:
    return width[0].value / width[1]


Progress = Callable[[Cell], None]
