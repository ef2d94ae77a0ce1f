"""MixedData and LaplacePoint: several groupings of the same people, by Laplace's approximation.

The linear predictor of person i is x_i'b plus, of each grouping g, z_gi' L_g e_gc, with c the
person's cluster in g. All e are standard normal, L_g is lower triangular and L_g L_g' the
covariance of the effects of g between its clusters. With l the log likelihood given all e, the
most probable e maximise h(e) = l(e) - |e|^2 / 2, and the likelihood is about

    exp(h(e)) det(H)^(-1/2),    H = 1 + sum_i w_i zeta_i zeta_i',    zeta_gi = L_g'z_gi,

with w_i the expected information about person i's linear predictor, as generalised linear mixed
models have it: the observed one of randomized reports can be negative. Source: Tierney and Kadane
(1986); Breslow and Clayton (1993), section 2.1; Bates, Maechler, Bolker and Walker (2015).

The score is exact: the slope of h where e is held; that of -ln det(H) / 2 by the parameters; and
by e, which moves with them by the observed information at e (the implicit function theorem).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...checks import FloatArray
from ..covariates import Columns
from ..devices import IntArray, ReportDevice
from ..links import Link
from ..outcome_likelihood import Reports, Truth
from .arrow_information import ArrowInformation
from .clusters import Grouping

_MODE_STEPS = 100
_MODE_TOLERANCE = 1e-10
# Of each parameter's size: balances rounding against truncation.
_DIFFERENCE = 1e-5


@dataclass(frozen=True)
class MixedData:
    """``groupings``: the one with the most effects first."""

    columns: Columns
    device: ReportDevice
    link: Link
    groupings: tuple[Grouping, ...]

    @cached_property
    def border(self) -> tuple[int, ...]:
        """Where the effects of each grouping but the first begin, and where they end."""
        sizes = [grouping.size for grouping in self.groupings[1:]]
        return tuple(np.cumsum([0, *sizes]).tolist())

    @cached_property
    def positions(self) -> IntArray:
        """Of each person's effects within the border: (effects of a person, n)."""
        rows = [
            begin + grouping.clusters.of_person * grouping.dimensions + a
            for begin, grouping in zip(self.border, self.groupings[1:], strict=False)
            for a in range(grouping.dimensions)
        ]
        return np.array(rows, dtype=np.int64).reshape(-1, self.columns.n)

    @cached_property
    def parts(self) -> tuple[slice, ...]:
        """Where the parameters of each grouping stand, after the coefficients."""
        counts = [grouping.parameter_count for grouping in self.groupings]
        ends = self.columns.count + np.cumsum(counts)
        return tuple(slice(end - count, end) for end, count in zip(ends, counts, strict=True))

    def pivoted(self, parameters: FloatArray) -> tuple["MixedData", FloatArray]:
        """With the entries of each L in the order of its variances: data and parameters."""
        moved, groupings = parameters.copy(), []
        for grouping, part in zip(self.groupings, self.parts, strict=True):
            other, moved[part] = grouping.pivoted(parameters[part])
            groupings.append(other)
        return replace(self, groupings=tuple(groupings)), moved

    def roots(self, parameters: FloatArray) -> list[FloatArray]:
        """L of each grouping."""
        pairs = zip(self.groupings, self.parts, strict=True)
        return [grouping.root(parameters[part]) for grouping, part in pairs]


@dataclass(frozen=True)
class Effects:
    """Standardised effects e: ``first`` (clusters, d) of the first grouping, ``rest`` (r,)."""

    first: FloatArray
    rest: FloatArray

    @classmethod
    def none(cls, data: MixedData) -> "Effects":
        """All effects 0."""
        grouping = data.groupings[0]
        shape = grouping.clusters.count, grouping.dimensions
        return cls(np.zeros(shape), np.zeros(data.border[-1]))

    def moved(self, step: "Effects", part: float = 1.0) -> "Effects":
        return Effects(self.first + part * step.first, self.rest + part * step.rest)

    @property
    def largest(self) -> float:
        """The largest of all, without its sign."""
        return float(max(np.abs(self.first).max(), np.abs(self.rest).max(initial=0.0)))

    @property
    def square(self) -> float:
        """|e|^2"""
        return float((self.first**2).sum() + self.rest @ self.rest)

    def by_grouping(self, data: MixedData) -> list[FloatArray]:
        """(clusters, d) of each grouping."""
        ends = zip(data.border, data.border[1:], data.groupings[1:], strict=False)
        rest = [self.rest[a:b].reshape(-1, grouping.dimensions) for a, b, grouping in ends]
        return [self.first, *rest]


@dataclass(frozen=True)
class Loadings:
    """zeta: ``first`` (d, n) on the effects of the first grouping, ``rest`` (border, n)."""

    data: MixedData
    first: FloatArray
    rest: FloatArray

    @classmethod
    def of(cls, data: MixedData, roots: list[FloatArray]) -> "Loadings":
        """For these L of the groupings."""
        pairs = zip(data.groupings, roots, strict=True)
        rows = [root.T @ grouping.effects.orthogonal for grouping, root in pairs]
        rest = np.vstack(rows[1:]) if rows[1:] else np.empty((0, data.columns.n))
        return cls(data, rows[0], rest)

    def on(self, effects: Effects) -> FloatArray:
        """zeta'e of each person: (n,)."""
        members = self.data.groupings[0].members(effects.first)
        rest = effects.rest[self.data.positions]
        return np.asarray((self.first * members).sum(axis=0) + (self.rest * rest).sum(axis=0))

    def sums(self, values: FloatArray) -> Effects:
        """Of zeta times the values (n,) over all people."""
        clusters = self.data.groupings[0].clusters
        at = self.data.positions.ravel()
        rest = np.bincount(at, (self.rest * values).ravel(), self.data.border[-1])
        return Effects(clusters.row_sums(self.first * values).T, np.asarray(rest, dtype=float))

    def information(self, weights: FloatArray) -> ArrowInformation:
        """1 and the sum over all people of weight zeta zeta'."""
        clusters, d, size = self._shape
        of_person = self.data.groupings[0].clusters.of_person
        blocks = np.zeros((clusters, d, d))
        side = np.zeros((clusters, d, size))
        corner = np.eye(size)
        for a, weighted in enumerate(self.first * weights):
            for b in range(a + 1):
                sums = np.bincount(of_person, weighted * self.first[b], clusters)
                blocks[:, a, b] = blocks[:, b, a] = sums + (a == b)
            for at, row in zip(self.data.positions, self.rest, strict=True):
                flat = np.bincount(of_person * size + at, weighted * row, clusters * size)
                side[:, a] += flat.reshape(clusters, size)
        for one, weighted in zip(self.data.positions, self.rest * weights, strict=True):
            for other, row in zip(self.data.positions, self.rest, strict=True):
                flat = np.bincount(one * size + other, weighted * row, size * size)
                corner += flat.reshape(size, size)
        return ArrowInformation(blocks, side, corner)

    def solved(self, information: ArrowInformation) -> "Loadings":
        """The entries of H^-1 zeta where zeta itself has entries."""
        of_person, at = self.data.groupings[0].clusters.of_person, self.data.positions
        blocks, side = information.block_inverse, information.side_inverse
        first, rest = np.zeros_like(self.first), np.zeros_like(self.rest)
        for a, row in enumerate(self.first):
            first += blocks[of_person, :, a].T * row
        for b, row in enumerate(self.rest):
            first += side[of_person, :, at[b]].T * row
            rest += information.rest_inverse[at, at[b]] * row
        for a, row in enumerate(self.first):
            rest += side[of_person, a, at] * row
        return Loadings(self.data, first, rest)

    def times(self, other: "Loadings") -> FloatArray:
        """zeta' of each person times the other's: (n,)."""
        first = (self.first * other.first).sum(axis=0)
        return np.asarray(first + (self.rest * other.rest).sum(axis=0))

    def by_grouping(self) -> list[FloatArray]:
        """(d, n) of each grouping."""
        ends = np.cumsum([grouping.dimensions for grouping in self.data.groupings[1:]])
        return [self.first, *np.split(self.rest, ends[:-1])] if len(ends) else [self.first]

    @property
    def _shape(self) -> tuple[int, int, int]:
        grouping = self.data.groupings[0]
        return grouping.clusters.count, grouping.dimensions, self.data.border[-1]


@dataclass(frozen=True)
class Mode:
    """Effects e at one parameter vector, and what people report there."""

    data: MixedData
    parameters: FloatArray
    effects: Effects

    @classmethod
    def of(cls, data: MixedData, parameters: FloatArray, start: Effects) -> "Mode":
        """The most probable effects, by Newton's steps from ``start``."""
        mode = cls(data, parameters, start)
        for _ in range(_MODE_STEPS):
            step = mode.step
            if step.largest < _MODE_TOLERANCE:
                break
            mode = mode.uphill(step)
        return mode

    @cached_property
    def loadings(self) -> Loadings:
        return Loadings.of(self.data, self.data.roots(self.parameters))

    @cached_property
    def reports(self) -> Reports:
        columns = self.data.columns
        fixed = self.parameters[: columns.count] @ columns.orthogonal
        return Reports(
            self.data.device, Truth(fixed + self.loadings.on(self.effects), self.data.link)
        )

    @cached_property
    def height(self) -> float:
        """h"""
        return float(np.log(self.reports.probability).sum() - self.effects.square / 2)

    @cached_property
    def curvature(self) -> ArrowInformation:
        """The observed information about e, or the expected one where that is not positive."""
        observed = self.loadings.information(-self.reports.curvature)
        return observed if observed.is_positive else self.expected

    @cached_property
    def expected(self) -> ArrowInformation:
        """H"""
        return self.loadings.information(self.reports.expected)

    @property
    def step(self) -> Effects:
        slope = self.loadings.sums(self.reports.slope).moved(self.effects, -1)
        return Effects(*self.curvature.solve(slope.first, slope.rest))

    def uphill(self, step: Effects) -> "Mode":
        """Where h has fallen by no more than rounding takes away."""
        part, lowest = 1.0, self.height - 1e-12 * abs(self.height)
        for _ in range(30):
            moved = Mode(self.data, self.parameters, self.effects.moved(step, part))
            if moved.height >= lowest:
                break
            part /= 2
        return moved


@dataclass(frozen=True)
class LaplacePoint:
    """The likelihood at orthogonal coefficients and the entries of each L, with its score."""

    mode: Mode

    @classmethod
    def at(cls, data: MixedData, parameters: FloatArray, start: Effects) -> "LaplacePoint":
        """``start``: where the search for the most probable effects begins."""
        return cls(Mode.of(data, parameters, start))

    @property
    def data(self) -> MixedData:
        """What was reported."""
        return self.mode.data

    @property
    def parameters(self) -> FloatArray:
        """(q,)"""
        return self.mode.parameters

    @cached_property
    def log_likelihood(self) -> float:
        return self.mode.height - self.mode.expected.log_determinant / 2

    @cached_property
    def score(self) -> FloatArray:
        """(q,)

        With t_i = zeta_i'H^-1 zeta_i, m the solution of (observed information) m = sum_i w_i' t_i
        zeta_i and m_i = zeta_i'm, each linear predictor counts by its slope less half of
        w_i' t_i + (its curvature) m_i; an entry of L also by moving zeta.
        """
        mode, reports = self.mode, self.mode.reports
        solved = mode.loadings.solved(mode.expected)
        moved = reports.expected_slope * mode.loadings.times(solved)
        total = mode.loadings.sums(moved)
        adjoint = Effects(*mode.curvature.solve(total.first, total.rest))
        by_eta = reports.slope - (moved + reports.curvature * mode.loadings.on(adjoint)) / 2
        parts = [self.data.columns.orthogonal @ by_eta]
        return np.concatenate([*parts, *self._by_roots(by_eta, solved, adjoint)])

    def _by_roots(
        self, by_eta: FloatArray, solved: Loadings, adjoint: Effects
    ) -> Iterator[FloatArray]:
        """The score by the entries of the L of each grouping."""
        mode, reports = self.mode, self.mode.reports
        each = zip(
            self.data.groupings,
            mode.effects.by_grouping(self.data),
            solved.by_grouping(),
            adjoint.by_grouping(self.data),
            strict=True,
        )
        for grouping, effects, entries, others in each:
            members = by_eta * grouping.members(effects) - reports.expected * entries
            members -= reports.slope * grouping.members(others) / 2
            yield (grouping.effects.orthogonal @ members.T)[grouping.triangle]

    @cached_property
    def observed(self) -> FloatArray:
        """Minus the differences of the score: (q, q)."""
        steps = np.diag(_DIFFERENCE * np.maximum(1, np.abs(self.parameters)))
        slopes = [self._difference(step) / (2 * step.max()) for step in steps]
        return np.asarray(-(np.array(slopes) + np.array(slopes).T) / 2)

    def _difference(self, step: FloatArray) -> FloatArray:
        """What the score gains from a step back to a step ahead: (q,)."""
        ahead, back = (
            LaplacePoint.at(self.data, self.parameters + sign * step, self.mode.effects)
            for sign in (1, -1)
        )
        return ahead.score - back.score
