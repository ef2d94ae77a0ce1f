"""Maximum likelihood for two-group designs: inside a polygon, or at a position on one of its edges.

The log likelihood is concave in theta, and theta lies in a polygon. If the moment estimate is
inside, it fits both groups exactly and is the maximum. Otherwise the maximum is on an edge, along
which the slope falls: it is bracketed there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from ..designs.two_group import Line, Point, Share, TwoGroupDesign
from ..intervals.printed import people
from ..printing import report
from ..roots import find_root

# Of a position between 0 and 1: closer ones are hardly different floats.
_PRECISION = 1e-15
Corner = tuple[int, int]
Group = tuple[tuple[int, ...], Line]


@dataclass(frozen=True)
class TwoGroupMaximumLikelihood:
    """``values`` by name, exact at 0 and 1; None for a share of an empty part.

    ``log_likelihood`` = sum of count * ln(probability). ``at_boundary``: the moment estimate is
    outside the possible range, so standard errors from the information would mislead. ``sizes``:
    reports of both groups, where known.
    """

    values: dict[str, float | None]
    log_likelihood: float
    at_boundary: bool
    sizes: tuple[int, ...] = ()

    def __str__(self) -> str:
        title = f"Maximum likelihood{people(*self.sizes)}, log likelihood "
        notes = ["At the boundary of the possible range."] if self.at_boundary else []
        head = ("share", "estimate")
        return report(f"{title}{self.log_likelihood:.6f}", head, self.values.items(), notes)


@dataclass(frozen=True)
class _Edge:
    """A side of the polygon, with the groups as functions of the position s in [0, 1] on it."""

    start: Corner
    end: Corner
    groups: tuple[Group, ...]

    def slope(self, position: float) -> float:
        """Derivative of the log likelihood; infinite where a reported answer is impossible."""
        return sum(self._group_slope(counts, line, position) for counts, line in self.groups)

    def log_likelihood(self, position: float) -> float:
        """At a position; minus infinity where a reported answer is impossible."""
        yes = [_between(*self._ends(line), position) for _, line in self.groups]
        return _log_likelihood([counts for counts, _ in self.groups], yes)

    def best_position(self) -> float:
        """Where the slope changes its sign; an end where it does not."""
        # Negated: where both groups rule a corner out, the slope is inf - inf, no number.
        if not self.slope(0.0) > 0:
            return 0.0
        if not self.slope(1.0) < 0:
            return 1.0
        return find_root(self.slope, 0.0, 1.0, xtol=_PRECISION)

    def value(self, share: Share, position: float) -> float | None:
        """A share on the edge, interpolated so that what is 0 at both ends stays exactly 0."""
        (top_0, bottom_0), (top_1, bottom_1) = share.parts(self.start), share.parts(self.end)
        bottom = _between(float(bottom_0), float(bottom_1), position)
        return _between(float(top_0), float(top_1), position) / bottom if bottom else None

    def _ends(self, line: Line) -> tuple[float, float]:
        return float(line.at(self.start)), float(line.at(self.end))

    def _group_slope(self, counts: tuple[int, ...], line: Line, position: float) -> float:
        start, end = self._ends(line)
        yes = _between(start, end, position)
        parts = ((counts[1], yes, end - start), (counts[0], 1 - yes, start - end))
        return sum(_term(count, chance, change) for count, chance, change in parts if count)


def maximise_two_groups(
    design: TwoGroupDesign, counts_1: tuple[int, ...], counts_2: tuple[int, ...], moment: Point
) -> TwoGroupMaximumLikelihood:
    """The maximum over the polygon of the design, given its moment estimate of theta."""
    sizes = (sum(counts_1), sum(counts_2))
    if _is_inside(design.corners, moment):
        parts = {share.name: share.parts(moment) for share in design.shares}
        values = {n: float(top / bottom) if bottom else None for n, (top, bottom) in parts.items()}
        yes = [float(line.at(moment)) for line in design.lines]
        likelihood = _log_likelihood([counts_1, counts_2], yes)
        return TwoGroupMaximumLikelihood(values, likelihood, False, sizes)
    groups = tuple(zip((counts_1, counts_2), design.lines, strict=True))
    edges = [_Edge(start, end, groups) for start, end in _sides(design.corners)]
    tops = [(edge.log_likelihood(s := edge.best_position()), s, edge) for edge in edges]
    best, position, edge = max(tops, key=lambda top: top[0])
    values = {share.name: edge.value(share, position) for share in design.shares}
    return TwoGroupMaximumLikelihood(values, best, True, sizes)


def _sides(corners: tuple[Corner, ...]) -> Iterator[tuple[Corner, Corner]]:
    return pairwise((*corners, corners[0]))


def _is_inside(corners: tuple[Corner, ...], point: Point) -> bool:
    """Whether the point is to the left of every side, or on it."""
    return all(
        (end[0] - start[0]) * (point[1] - start[1]) >= (end[1] - start[1]) * (point[0] - start[0])
        for start, end in _sides(corners)
    )


def _term(count: int, chance: float, change: float) -> float:
    """count * d ln(chance)."""
    if chance > 0:
        return count * change / chance
    return float(np.copysign(np.inf, change)) if change else -np.inf


def _between(start: float, end: float, position: float) -> float:
    return start if start == end else (1 - position) * start + position * end


def _log_likelihood(counts: list[tuple[int, ...]], yes: list[float]) -> float:
    return sum(
        float(scipy.special.xlogy(c[1], p) + scipy.special.xlogy(c[0], 1 - p))
        for c, p in zip(counts, yes, strict=True)
    )
