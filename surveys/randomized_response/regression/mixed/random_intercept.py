"""A random intercept per cluster: ClusterData, ClusterPoint, adaptive Gauss-Hermite quadrature.

eta = x'b + u_c with u_c normal with mean 0 and variance v; the likelihood of a cluster is the
integral over u of the product of its members' P(report). Each integral is centred at the
cluster's most probable u and scaled by the information there: the expected one, because the
observed one of randomized reports can be negative. With one node this is Laplace's approximation
as generalised linear mixed models have it; with many the scale no longer matters. Source: Liu and
Pierce (1994); Pinheiro and Bates (1995). The parameter is the variance, not its
root: the likelihood's slope at 0 then says whether there is any variance.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...checks import FloatArray, checked_positive_number
from ...columns import require_aligned
from ...designs.design import DesignLike
from ...errors import ConvergenceError, RegressionError, SeparationError
from ...printing import table
from ...threads import on_one_thread
from ..covariates import Columns, columns_from
from ..devices import IntArray, ReportDevice, checked_reports, device_of
from ..links import Link, link_named
from ..outcome import fit_outcome_model
from ..outcome_likelihood import Reports, Truth
from ..scoring import Box, Flat, Unsettled, maximise, part_within
from .clusters import Clusters, clusters_from
from .effects import ClusteredModel

DEFAULT_NODES = 25
_MOST_NODES = 100
_STARTING_VARIANCE = 0.5
_LONGEST_MOVE = 3.0
_MODE_STEPS = 60
_MODE_TOLERANCE = 1e-11
# Of the parameter's size: balances rounding against truncation.
_FIRST_DIFFERENCE = 1e-5
# With so many nodes or more, the information at given nodes is good enough to step by.
_MANY_NODES = 9
# A step of differences away from 0, where the standard deviation has no derivative.
_NEAR_NO_VARIANCE = 1e-3
_SMALLEST_VARIANCE = 1e-8


@dataclass(frozen=True)
class RandomInterceptModel(ClusteredModel):
    """Coefficients given u = 0, with the standard deviation of u between clusters.

    Predictions are those for u = 0, the middle of the clusters.
    ``intercepts`` (clusters,): the most probable u of each of ``clusters``. ``standard_errors``
    come from the observed information of coefficients and variance together, and
    ``random_intercept_sd_error`` is None where the estimated variance is 0.
    """

    random_intercept_sd: float
    random_intercept_sd_error: float | None
    log_likelihood_without: float
    clusters: tuple[object, ...]
    intercepts: FloatArray
    nodes: int

    @property
    def parameter_count(self) -> int:
        """The coefficients, and the variance between clusters."""
        return len(self.names) + 1

    @property
    def _below(self) -> list[str]:
        """The spread between clusters."""
        spread = (self.random_intercept_sd, self.random_intercept_sd_error, self.variance_p_value)
        head = ("random intercept", "sd", "std. error", "p of no variance")
        return [table(head, [(f"{len(self.clusters)} clusters", *spread)])]

    @property
    def variance_p_value(self) -> float:
        """Likelihood-ratio test that the variance is 0.

        Half the tail of chi-squared, as 0 is the end of the range. Source: Self and Liang (1987).
        """
        lost = max(0.0, 2 * (self.log_likelihood - self.log_likelihood_without))
        # At a variance of 0 both models are the same, up to rounding.
        is_same = lost == 0 or self.random_intercept_sd == 0
        return 1.0 if is_same else float(scipy.special.ndtr(-np.sqrt(lost)))


@on_one_thread
def fit_random_intercept_model(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    clusters: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    link: str = "logit",
    nodes: int = DEFAULT_NODES,
) -> RandomInterceptModel:
    """Fit P(true yes) = h(b0 + b'x + u_cluster) to randomized reports.

    ``clusters`` (n,) labels; ``nodes`` 1 (Laplace) to 100 per integral. All else as
    ``fit_outcome_model``. Raises its errors, and RegressionError if there are fewer than two
    clusters or all have one member.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_random_intercept_model
    >>> yes, villages = [2, 8, 4, 9, 1, 8], [1, 2, 3, 4, 5, 6]
    >>> reports = [person < count for count in yes for person in range(10)]
    >>> model = fit_random_intercept_model(Warner(0.9), reports, sorted(villages * 10))
    >>> model.coefficients.round(3).tolist(), round(model.random_intercept_sd, 3)
    ([0.468], 3.416)
    """
    count = checked_positive_number("nodes", nodes, RegressionError)
    if count > _MOST_NODES:
        raise RegressionError("nodes", nodes, f"give at most {_MOST_NODES}")
    require_aligned(
        RegressionError, reports=reports, designs=designs, clusters=clusters, covariates=covariates
    )
    codes = checked_reports(reports)
    groups = clusters_from("clusters", clusters, len(codes))
    fixed = fit_outcome_model(designs, codes, covariates, names=names, link=link)
    columns = columns_from(covariates, len(codes), names, intercept=True)
    data = ClusterData(columns, device_of(designs, codes), link_named(link), groups, count)
    start = np.append(fixed.fit.point.parameters, _STARTING_VARIANCE)
    box = Box.of(columns.count, [0.0], [np.inf])
    try:
        point, iterations = maximise(_Climb(data).at, start, box, _safe_part)
    except Flat as flat:
        raise _flat(columns, flat) from flat
    except Unsettled as unsettled:
        remedy = "the likelihood did not settle: use more nodes or leave a covariate out"
        raise ConvergenceError("random intercept", "no maximum", remedy) from unsettled
    return _model(point, iterations, fixed.log_likelihood)


@dataclass(frozen=True)
class ClusterData:
    """Everything that a fit needs; ``nodes`` of each cluster's integral."""

    columns: Columns
    device: ReportDevice
    link: Link
    clusters: Clusters
    nodes: int

    @property
    def size(self) -> int:
        return self.clusters.count

    @property
    def cluster(self) -> IntArray:
        """People's clusters, numbered from 0: (n,)."""
        return self.clusters.of_person

    @cached_property
    def quadrature(self) -> tuple[FloatArray, FloatArray]:
        """Gauss-Hermite points and the logarithms of their weights times exp(point^2)."""
        points, weights = np.polynomial.hermite.hermgauss(self.nodes)
        return points, np.log(weights) + points**2

    def at(self, parameters: FloatArray, start: FloatArray | None = None) -> "ClusterPoint":
        """The likelihood at the orthogonal coefficients and the variance (p + 1,).

        ``start`` (clusters,): where the search for the modes begins, 0 if None.
        """
        return ClusterPoint(ClusterPosterior(self, parameters, start))

    def reports(self, eta: FloatArray) -> Reports:
        """What people reported, at their linear predictors (n,)."""
        return Reports(self.device, Truth(eta, self.link))

    def sums(self, values: FloatArray) -> FloatArray:
        """(n,) -> (clusters,)"""
        return self.clusters.sums(values)

    def column_sums(self, values: FloatArray) -> FloatArray:
        """(n,) -> (p, clusters): of each column times the values."""
        return self.clusters.row_sums(self.columns.orthogonal * values)


class _Climb:
    """Points whose modes are looked for from those of the point before, which are near."""

    def __init__(self, data: ClusterData) -> None:
        self.data = data
        self.modes: FloatArray | None = None

    def at(self, parameters: FloatArray) -> "ClusterPoint":
        point = self.data.at(parameters, self.modes)
        self.modes = point.posterior.modes[0]
        return point


@dataclass(frozen=True)
class _Node:
    """One node: its z and share of each cluster's likelihood, (clusters,) each, and the reports."""

    point: float
    z: FloatArray
    share: FloatArray
    reports: Reports


@dataclass(frozen=True)
class ClusterPosterior:
    """What is known of each cluster's u at one parameter vector, and the nodes around its mode.

    u = s z, with s the standard deviation of u and z standardised.
    """

    data: ClusterData
    parameters: FloatArray
    start: FloatArray | None = None

    @cached_property
    def cluster_values(self) -> FloatArray:
        """Log likelihood of each cluster: (clusters,)."""
        return np.asarray(
            scipy.special.logsumexp(self._terms, axis=0)
            + np.log(self.modes[1])
            - 0.5 * np.log(np.pi)
        )

    @cached_property
    def modes(self) -> tuple[FloatArray, FloatArray]:
        """Most probable standardised u of each cluster, and its spread: (clusters,) each.

        Newton's steps where the posterior is concave, else scoring with the expected information;
        halved where the posterior has not grown.
        """
        scale = self.scale
        z = np.zeros(self.data.size) if self.start is None else self.start
        reports = self.reports(z)
        for _ in range(_MODE_STEPS):
            slope = scale * self.data.sums(reports.slope) - z
            newton = 1 - scale**2 * self.data.sums(reports.curvature)
            scoring = 1 + scale**2 * self.data.sums(reports.expected)
            # Well above 0: where the posterior is hardly concave Newton's step leaps out of it.
            step = slope / np.where(newton > 0.5, newton, scoring)
            if np.abs(step).max() < _MODE_TOLERANCE:
                break
            z, reports = self._uphill(z, step, reports)
        return z, 1 / np.sqrt(1 + scale**2 * self.data.sums(reports.expected))

    @cached_property
    def fixed(self) -> FloatArray:
        """x'b of each person: (n,)."""
        return np.asarray(self.parameters[:-1] @ self.data.columns.orthogonal)

    @property
    def variance(self) -> float:
        """Of u; never below 0."""
        return max(float(self.parameters[-1]), 0.0)

    @property
    def scale(self) -> float:
        """The standard deviation of u."""
        return float(np.sqrt(self.variance))

    def reports(self, z: FloatArray) -> Reports:
        """At standardised u of each cluster."""
        return self.data.reports(self.fixed + (self.scale * z)[self.data.cluster])

    def _height(self, z: FloatArray, reports: Reports) -> FloatArray:
        """ln of the posterior of z, up to a constant: (clusters,)."""
        return self.data.sums(np.log(reports.probability)) - z * z / 2

    def _uphill(
        self, z: FloatArray, step: FloatArray, reports: Reports
    ) -> tuple[FloatArray, Reports]:
        before = self._height(z, reports)
        for _ in range(30):
            moved = z + step
            after = self.reports(moved)
            # What rounding takes away is no fall.
            worse = self._height(moved, after) < before - 1e-12 * np.abs(before)
            if not worse.any():
                return moved, after
            step = np.where(worse, step / 2, step)
        return moved, after

    def _places(self) -> Iterator[tuple[float, FloatArray]]:
        """Points and the z of each cluster there."""
        centre, width = self.modes
        for point in self.data.quadrature[0]:
            yield float(point), centre + np.sqrt(2) * width * point

    @cached_property
    def _terms(self) -> FloatArray:
        """ln of each node's part: (nodes, clusters)."""
        weights = self.data.quadrature[1]
        heights = [self._height(z, self.reports(z)) for _, z in self._places()]
        return np.array(heights) + weights[:, None]

    def nodes(self) -> Iterator[_Node]:
        """Each node with its share of every cluster's likelihood."""
        shares = scipy.special.softmax(self._terms, axis=0)
        for share, (point, z) in zip(shares, self._places(), strict=True):
            yield _Node(point, z, share, self.reports(z))


@dataclass(frozen=True)
class ClusterPoint:
    """The likelihood at one parameter vector, with its derivatives.

    With z_k = m + sqrt(2) w x_k the nodes of a cluster, m its mode and w its spread, the
    approximated likelihood is w sum_k c_k exp(l(s z_k) - z_k^2 / 2), s^2 the variance and l the
    log likelihood about u. Its score is the mean over the nodes' shares of the derivatives of l,
    and what moving the nodes adds, by the derivatives of m and w (``_movement``): with many nodes
    that is nothing, with one it is the whole slope of Laplace's approximation.
    """

    posterior: ClusterPosterior

    @property
    def data(self) -> ClusterData:
        """What was reported."""
        return self.posterior.data

    @property
    def parameters(self) -> FloatArray:
        """Orthogonal coefficients and the variance: (q,)."""
        return self.posterior.parameters

    @property
    def log_likelihood(self) -> float:
        total = float(self.posterior.cluster_values.sum())
        return total if np.isfinite(total) else -np.inf

    @cached_property
    def score(self) -> FloatArray:
        """(q,)"""
        data, count = self.data, len(self.parameters)
        by_eta = np.zeros_like(self.posterior.fixed)
        by_scale, shift, stretch = (np.zeros(data.size) for _ in range(3))
        for node in self.posterior.nodes():
            slope = node.reports.slope
            by_eta += node.share[data.cluster] * slope
            total = data.sums(slope)
            by_scale += node.share * node.z * total
            uphill = node.share * (self.posterior.scale * total - node.z)
            shift += uphill
            stretch += np.sqrt(2) * node.point * uphill
        score = np.empty(count)
        moved = self._movement(shift, stretch + 1 / self.posterior.modes[1])
        score[:-1] = data.columns.orthogonal @ by_eta + moved[:-1]
        # By the chain rule 1 / (2 s), which is too large near 0: there the slope has a formula.
        if self.posterior.variance > _SMALLEST_VARIANCE:
            score[-1] = (by_scale.sum() + moved[-1]) / (2 * self.posterior.scale)
        else:
            score[-1] = self._slope_at_no_variance()
        return score

    @cached_property
    def expected(self) -> FloatArray:
        """The observed information with the signs of its eigenvalues made positive: (q, q).

        It leads uphill from anywhere. Source: Nocedal and Wright (2006), section 3.4.
        """
        values, vectors = np.linalg.eigh(self.observed)
        return np.asarray((vectors * np.abs(values)) @ vectors.T)

    @cached_property
    def observed(self) -> FloatArray:
        """For steps: Louis' (1982) information with many nodes, else the curvature: (q, q).

        Louis: the mean over the nodes of the information given u, less the variance of the scores
        given u. It leaves the movement of the nodes out, which steps do not need, and costs a
        tenth of the differences.
        """
        is_apart = self.posterior.variance >= _NEAR_NO_VARIANCE
        return self._louis() if is_apart and self.data.nodes >= _MANY_NODES else self.curvature

    @cached_property
    def curvature(self) -> FloatArray:
        """Minus the differences of the score: (q, q).

        That by the variance is taken a step away from 0, below which there is none.
        """
        steps = _FIRST_DIFFERENCE * np.maximum(1, np.abs(self.parameters))
        slopes = [self._difference(step) for step in np.diag(steps)] / (2 * steps[:, None])
        return np.asarray(-(slopes + slopes.T) / 2)

    def _movement(self, shift: FloatArray, stretch: FloatArray) -> FloatArray:
        """What the score by (coefficients, scale) gains from moved nodes: (q,).

        ``shift`` and ``stretch`` (clusters,): derivatives by m and w. The mode solves
        s l'(s m) = m, and w^-2 = 1 + s^2 I(s m), I the expected information: both are implicit.
        """
        data, scale, (mode, width) = self.data, self.posterior.scale, self.posterior.modes
        reports = self.posterior.reports(mode)
        curvature, slope = data.sums(reports.curvature), data.sums(reports.slope)
        expected_slope = data.sums(reports.expected_slope)
        steepness = np.maximum(1 - scale**2 * curvature, np.finfo(float).eps)
        modes = np.vstack(
            [scale * data.column_sums(reports.curvature), slope + scale * mode * curvature]
        )
        modes /= steepness
        direct = np.vstack(
            [
                scale**2 * data.column_sums(reports.expected_slope),
                2 * scale * data.sums(reports.expected) + scale**2 * mode * expected_slope,
            ]
        )
        widths = -0.5 * width**3 * (direct + scale**3 * expected_slope * modes)
        return np.asarray(modes @ shift + widths @ stretch)

    def _slope_at_no_variance(self) -> float:
        """Half the mean of l'' + l'^2 at u = 0, as the normal density solves the heat equation."""
        reports = self.data.reports(self.posterior.fixed)
        squares = self.data.sums(reports.slope) ** 2
        return 0.5 * float(self.data.sums(reports.curvature).sum() + squares.sum())

    def _louis(self) -> FloatArray:
        data, count = self.data, len(self.parameters)
        weights, crossed = np.zeros_like(self.posterior.fixed), np.zeros_like(self.posterior.fixed)
        corner, squares = 0.0, np.zeros((count, count))
        means = np.zeros((count, data.size))
        for node in self.posterior.nodes():
            curvature = node.share[data.cluster] * node.reports.curvature
            weights += curvature
            crossed += curvature * node.z[data.cluster]
            corner += float(node.z**2 @ data.sums(curvature))
            slope = node.reports.slope
            scores = np.vstack([data.column_sums(slope), node.z * data.sums(slope)])
            means += node.share * scores
            squares += (node.share * scores) @ scores.T
        rows = data.columns.orthogonal
        side = rows @ crossed
        inside = np.block(
            [[(rows * weights) @ rows.T, side[:, None]], [side[None], np.array([[corner]])]]
        )
        by_scale = -(inside + squares - means @ means.T)
        return self._by_variance(by_scale, float(means[-1].sum()))

    def _by_variance(self, information: FloatArray, slope: float) -> FloatArray:
        """From the standard deviation s to the variance v: d/dv = d/ds / (2 s)."""
        scale = self.posterior.scale
        units = np.append(np.ones(len(information) - 1), 1 / (2 * scale))
        changed = information * np.outer(units, units)
        changed[-1, -1] += slope / (4 * scale**3)
        return np.asarray(changed)

    def _difference(self, step: FloatArray) -> FloatArray:
        """What the score gains from a step back to a step ahead: (q,)."""
        centre = self.parameters.copy()
        if step[-1] > 0:
            centre[-1] = max(centre[-1], _NEAR_NO_VARIANCE)
        # The modes hardly move by such a step: from those here few steps find them.
        ahead = self.data.at(centre + step, self.posterior.modes[0])
        return ahead.score - self.data.at(centre - step, self.posterior.modes[0]).score


def _safe_part(point: ClusterPoint, step: FloatArray) -> float:
    move = float(np.abs(step[:-1] @ point.data.columns.orthogonal).max(initial=0.0))
    move = max(move, abs(float(step[-1])))
    return part_within(_LONGEST_MOVE, move)


def _flat(columns: Columns, flat: Flat) -> SeparationError:
    influence = columns.influence_of(flat.direction[:-1])
    part = abs(float(flat.direction[-1]))
    # About the root of 1/2: more of the direction than all columns together.
    name = "random intercept" if part > 0.7 else columns.names[int(np.argmax(influence))]
    remedy = "the answers do not hold it back: leave it out, or collect more clusters"
    return SeparationError(f"column {name}", "unbounded", remedy)


def _model(point: ClusterPoint, iterations: int, without: float) -> RandomInterceptModel:
    columns, variance = point.data.columns, float(point.parameters[-1])
    # Held at the end of its range the variance has no derivative: it is left out.
    used = len(point.parameters) - (variance == 0)
    inverse = np.linalg.inv(point.curvature[:used, :used])
    covariance = inverse[: columns.count, : columns.count]
    deviation = float(np.sqrt(variance))
    error = None if variance == 0 else float(np.sqrt(inverse[-1, -1])) / (2 * deviation)
    return RandomInterceptModel(
        names=columns.names,
        coefficients=columns.transform @ point.parameters[:-1],
        covariance=columns.transform @ covariance @ columns.transform.T,
        link=point.data.link.name,
        random_intercept_sd=deviation,
        random_intercept_sd_error=error,
        log_likelihood=point.log_likelihood,
        log_likelihood_without=without,
        clusters=point.data.clusters.labels,
        intercepts=deviation * point.posterior.modes[0],
        nodes=point.data.nodes,
        n=columns.n,
        iterations=iterations,
        factors=columns.factors,
    )
