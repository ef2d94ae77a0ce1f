"""SlopeData, Nodes, SlopePoint: the likelihood of correlated effects of clusters, by quadrature.

The linear predictor of a person in cluster c is x'b + z'L e_c. The e_c are standard normal in d
dimensions and L is lower triangular, so the effects L e_c of a cluster have the covariance L L'.
Source of this parametrisation: Bates, Maechler, Bolker and Walker (2015), section 2.2. Nothing
bounds L: the likelihood is even in each of its columns, so a variance of 0 is an inner point.

The likelihood of a cluster is an integral over e_c. It is taken over a grid of Gauss-Hermite nodes
whose centre is the most probable e_c, and whose spread is that of the information there: the
observed one, or the expected one where the reports leave hardly any curvature (Liu and Pierce 1994;
Pinheiro and Bates 1995). While the parameters move, the nodes are held; then they are centred anew,
until that changes nothing (Rabe-Hesketh, Skrondal and Pickles 2002). With held nodes the likelihood
is that of a finite mixture, whose score and information are exact: the mean over the nodes of each
node's score, and Louis' (1982) formula.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from ...checks import FloatArray
from ..covariates import Columns
from ..devices import ReportDevice
from ..links import Link
from ..outcome_likelihood import Reports, Truth
from .clusters import Clusters, Grouping

_MODE_STEPS = 60
_MODE_TOLERANCE = 1e-10
# Below this curvature in any direction Newton's step leaps out of a posterior hardly concave.
_HARDLY_CONCAVE = 0.5


@dataclass(frozen=True)
class SlopeData:
    """``nodes``: of each cluster's integral, in each of the d dimensions."""

    columns: Columns
    device: ReportDevice
    link: Link
    grouping: Grouping
    nodes: int

    @property
    def dimensions(self) -> int:
        """d"""
        return self.grouping.dimensions

    @property
    def clusters(self) -> Clusters:
        """Whose coefficients differ."""
        return self.grouping.clusters

    @property
    def z(self) -> FloatArray:
        """The columns whose coefficients differ, made orthogonal: (d, n)."""
        return self.grouping.effects.orthogonal

    @cached_property
    def grid(self) -> tuple[FloatArray, FloatArray]:
        """Points (nodes^d, d), and the logarithms of their weights times exp(point^2)."""
        points, weights = np.polynomial.hermite.hermgauss(self.nodes)
        logs = np.log(weights) + points**2
        chosen = np.indices([self.nodes] * self.dimensions).reshape(self.dimensions, -1)
        return points[chosen].T, logs[chosen].sum(axis=0)

    def root(self, parameters: FloatArray) -> FloatArray:
        """L, the last of the parameters: (d, d)."""
        return self.grouping.root(parameters[self.columns.count :])

    def fixed(self, parameters: FloatArray) -> FloatArray:
        """x'b of each person: (n,)."""
        return np.asarray(parameters[: self.columns.count] @ self.columns.orthogonal)

    def reports(self, fixed: FloatArray, effects: FloatArray) -> Reports:
        """What people reported, at x'b (n,) and the effects of each cluster (clusters, d)."""
        shift = np.einsum("dn,dn->n", self.z, self.grouping.members(effects))
        return Reports(self.device, Truth(fixed + shift, self.link))

    def effect_sums(self, values: FloatArray) -> FloatArray:
        """Of z times the values (n,) within clusters: (clusters, d)."""
        return self.clusters.row_sums(self.z * values).T

    def effect_products(self, values: FloatArray) -> FloatArray:
        """Of zz' times the values (n,) within clusters: (clusters, d, d)."""
        products = np.empty((self.clusters.count, self.dimensions, self.dimensions))
        for a, b in zip(*np.tril_indices(self.dimensions), strict=True):
            sums = self.clusters.sums(self.z[a] * self.z[b] * values)
            products[:, a, b] = products[:, b, a] = sums
        return products


@dataclass(frozen=True)
class Modes:
    """The most probable e of each cluster (clusters, d) at one parameter vector."""

    data: SlopeData
    parameters: FloatArray
    centre: FloatArray

    @classmethod
    def of(cls, data: SlopeData, parameters: FloatArray, start: FloatArray) -> "Modes":
        """By Newton's steps from ``start``, scoring where the posterior is hardly concave.

        A step is halved for the clusters whose posterior has not grown.
        """
        modes = cls(data, parameters, start)
        for _ in range(_MODE_STEPS):
            step = modes.step
            if np.abs(step).max() < _MODE_TOLERANCE:
                break
            modes = modes.uphill(step)
        return modes

    @cached_property
    def root(self) -> FloatArray:
        """L"""
        return self.data.root(self.parameters)

    @cached_property
    def reports(self) -> Reports:
        """What people reported, at the modes."""
        return self.data.reports(self.data.fixed(self.parameters), self.centre @ self.root.T)

    @property
    def heights(self) -> FloatArray:
        """ln of the posterior, up to a constant: (clusters,)."""
        logs = self.data.clusters.sums(np.log(self.reports.probability))
        return np.asarray(logs - (self.centre**2).sum(axis=1) / 2)

    @property
    def step(self) -> FloatArray:
        """(clusters, d)"""
        slope = self.data.effect_sums(self.reports.slope) @ self.root - self.centre
        return np.asarray(np.linalg.solve(self.curvature, slope[:, :, None])[:, :, 0])

    @cached_property
    def curvature(self) -> FloatArray:
        """Information about e: observed, or expected where hardly concave: (clusters, d, d)."""
        observed = self.information(-self.reports.curvature)
        is_concave = np.linalg.eigvalsh(observed)[:, 0] > _HARDLY_CONCAVE
        if is_concave.all():
            return observed
        expected = self.information(self.reports.expected)
        return np.where(is_concave[:, None, None], observed, expected)

    def information(self, weights: FloatArray) -> FloatArray:
        """The unit matrix and L'(sum of weight zz')L: (clusters, d, d)."""
        products = self.data.effect_products(weights)
        return np.asarray(np.eye(self.data.dimensions) + self.root.T @ products @ self.root)

    def uphill(self, step: FloatArray) -> "Modes":
        """Where the posterior of no cluster has fallen by more than rounding takes away."""
        before = self.heights
        for _ in range(30):
            moved = Modes(self.data, self.parameters, self.centre + step)
            worse = moved.heights < before - 1e-12 * np.abs(before)
            if not worse.any():
                break
            step = np.where(worse[:, None], step / 2, step)
        return moved


@dataclass(frozen=True)
class Nodes:
    """Grids around the modes: ``roots`` (clusters, d, d) with R R' the inverse information."""

    data: SlopeData
    centre: FloatArray
    roots: FloatArray

    @classmethod
    def around(
        cls, data: SlopeData, parameters: FloatArray, start: FloatArray | None = None
    ) -> "Nodes":
        """The nodes for these parameters; the modes are looked for from ``start``, or from 0."""
        if start is None:
            start = np.zeros((data.clusters.count, data.dimensions))
        modes = Modes.of(data, parameters, start)
        factors = np.linalg.cholesky(modes.curvature)
        return cls(data, modes.centre, np.linalg.inv(factors).transpose(0, 2, 1))

    @cached_property
    def heights(self) -> FloatArray:
        """ln |R| - d/2 ln pi, which no node changes: (clusters,)."""
        diagonal = np.diagonal(self.roots, axis1=1, axis2=2)
        return np.asarray(
            np.log(np.abs(diagonal)).sum(axis=1) - self.data.dimensions / 2 * np.log(np.pi)
        )

    def __iter__(self) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Each node: its e in each cluster (clusters, d), and ln of its weight there."""
        for point, log_weight in zip(*self.data.grid, strict=True):
            e = self.centre + np.sqrt(2) * (self.roots @ point)
            yield e, log_weight - (e**2).sum(axis=1) / 2


@dataclass(frozen=True)
class _Moments:
    """Score (q,) and observed information (q, q)."""

    score: FloatArray
    observed: FloatArray


@dataclass(frozen=True)
class SlopePoint:
    """The likelihood with held nodes at orthogonal coefficients, then the rows of L: (q,)."""

    nodes: Nodes
    parameters: FloatArray

    @property
    def data(self) -> SlopeData:
        """What was reported."""
        return self.nodes.data

    @cached_property
    def root(self) -> FloatArray:
        """L"""
        return self.data.root(self.parameters)

    @property
    def log_likelihood(self) -> float:
        total = float(self.cluster_values.sum())
        return total if np.isfinite(total) else -np.inf

    @cached_property
    def cluster_values(self) -> FloatArray:
        """Log likelihood of each cluster: (clusters,)."""
        return np.asarray(scipy.special.logsumexp(self._terms, axis=0) + self.nodes.heights)

    @property
    def score(self) -> FloatArray:
        """(q,)"""
        return self._moments.score

    @property
    def observed(self) -> FloatArray:
        """(q, q)"""
        return self._moments.observed

    @cached_property
    def _fixed(self) -> FloatArray:
        return self.data.fixed(self.parameters)

    @cached_property
    def _terms(self) -> FloatArray:
        """ln of each node's part: (nodes^d, clusters)."""
        return np.array([log_weight + self._logs(e) for e, log_weight in self.nodes])

    def _logs(self, e: FloatArray) -> FloatArray:
        """ln P of the reports of each cluster: (clusters,)."""
        return self.data.clusters.sums(np.log(self._reports(e).probability))

    def _reports(self, e: FloatArray) -> Reports:
        return self.data.reports(self._fixed, e @ self.root.T)

    @cached_property
    def _moments(self) -> _Moments:
        """With s a node's score in each cluster: the information is E[-s'] + E[s]E[s]' - E[ss']."""
        data, count = self.data, len(self.parameters)
        shares = scipy.special.softmax(self._terms, axis=0)
        inside, squares = np.zeros((count, count)), np.zeros((count, count))
        means = np.zeros((count, data.clusters.count))
        for share, (e, _) in zip(shares, self.nodes, strict=True):
            reports, rows = self._reports(e), self._rows(e)
            curvature = share[data.clusters.of_person] * reports.curvature
            inside += (rows * curvature) @ rows.T
            scores = self._scores(reports.slope, e)
            means += share * scores
            squares += (share * scores) @ scores.T
        return _Moments(means.sum(axis=1), means @ means.T - squares - inside)

    def _rows(self, e: FloatArray) -> FloatArray:
        """Slopes of each linear predictor by the parameters: (q, n)."""
        data, (rows, columns) = self.data, self.data.grouping.triangle
        members = data.grouping.members(e)[columns]
        return np.vstack([data.columns.orthogonal, data.z[rows] * members])

    def _scores(self, slope: FloatArray, e: FloatArray) -> FloatArray:
        """Slopes of each cluster's ln P by the parameters: (q, clusters)."""
        data, (rows, columns) = self.data, self.data.grouping.triangle
        fixed = data.clusters.row_sums(data.columns.orthogonal * slope)
        return np.vstack([fixed, data.effect_sums(slope).T[rows] * e.T[columns]])
