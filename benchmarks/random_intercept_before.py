"""A random intercept per cluster: ClusterData, ClusterPoint, adaptive Gauss-Hermite quadrature.

eta = x'b + u_c with u_c normal with mean 0 and variance v; the likelihood of a cluster is the
integral over u of the product of its members' P(report). Each integral is centred at the
cluster's most probable u and scaled by the information there: the expected one, because the
observed one of randomized reports can be negative. With one node this is Laplace's approximation
as generalised linear mixed models have it; with many the scale no longer matters. Source: Liu and
Pierce (1994); Pinheiro and Bates (1995). The parameter is the variance, not its
root: the likelihood's slope at 0 then says whether there is any variance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp, ndtr

from surveys.randomized_response.checks import FloatArray, checked_positive_number
from surveys.randomized_response.designs.design import DesignLike
from surveys.randomized_response.errors import ConvergenceError, RegressionError, SeparationError
from surveys.randomized_response.printing import table
from surveys.randomized_response.regression.covariates import Columns, columns_from
from surveys.randomized_response.regression.devices import (
    IntArray,
    ReportDevice,
    checked_reports,
    device_of,
)
from surveys.randomized_response.regression.factors import as_array
from surveys.randomized_response.regression.links import Link, link_named
from surveys.randomized_response.regression.outcome import fit_outcome_model
from surveys.randomized_response.regression.results import Coefficients, model_title
from surveys.randomized_response.regression.scoring import Box, Flat, Unsettled, maximise
from surveys.randomized_response.threads import on_one_thread

DEFAULT_NODES = 25
_MOST_NODES = 100
_STARTING_VARIANCE = 0.5
_LONGEST_MOVE = 3.0
_MODE_STEPS = 60
_MODE_TOLERANCE = 1e-11
# Of the parameter's size: balances rounding against truncation for first and second differences.
_FIRST_DIFFERENCE = 1e-5
_SECOND_DIFFERENCE = 1e-3


@dataclass(frozen=True)
class RandomInterceptModel(Coefficients):
    """Coefficients given u = 0, with the standard deviation of u between clusters.

    ``intercepts`` (clusters,): the most probable u of each of ``clusters``. ``standard_errors``
    come from the observed information of coefficients and variance together, and
    ``random_intercept_sd_error`` is None where the estimated variance is 0.
    """

    link: str
    random_intercept_sd: float
    random_intercept_sd_error: float | None
    log_likelihood: float
    log_likelihood_without: float
    clusters: tuple[object, ...]
    intercepts: FloatArray
    nodes: int
    n: int
    iterations: int

    def __str__(self) -> str:
        """The coefficients, with the model above and the spread between clusters below."""
        title = model_title(self.n, self.log_likelihood, self.link, "observed")
        spread = (self.random_intercept_sd, self.random_intercept_sd_error, self.variance_p_value)
        head = ("random intercept", "sd", "standard error", "p of no variance")
        between = table(head, [(f"{len(self.clusters)} clusters", *spread)])
        return f"{title}\n{super().__str__()}\n{between}"

    @property
    def variance_p_value(self) -> float:
        """Likelihood-ratio test that the variance is 0.

        Half the tail of chi-squared, as 0 is the end of the range. Source: Self and Liang (1987).
        """
        lost = max(0.0, 2 * (self.log_likelihood - self.log_likelihood_without))
        return 1.0 if lost == 0 else float(ndtr(-np.sqrt(lost)))


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
    codes = checked_reports(reports)
    labels, index = _checked_clusters(clusters, len(codes))
    fixed = fit_outcome_model(designs, codes, covariates, names=names, link=link)
    columns = columns_from(covariates, len(codes), names, intercept=True)
    data = ClusterData(columns, device_of(designs, codes), link_named(link), index, count)
    start = np.append(fixed.fit.point.parameters, _STARTING_VARIANCE)
    box = Box(np.append(np.full(columns.count, -np.inf), 0.0), np.full(columns.count + 1, np.inf))
    try:
        point, iterations = maximise(data.at, start, box, _safe_part)
    except Flat as flat:
        raise _flat(columns, flat) from flat
    except Unsettled as unsettled:
        remedy = "the likelihood did not settle: use more nodes or leave a covariate out"
        raise ConvergenceError("random intercept", "no maximum", remedy) from unsettled
    return _model(point, iterations, fixed.log_likelihood, labels)


@dataclass(frozen=True)
class ClusterData:
    """``cluster`` (n,) numbers people's clusters from 0."""

    columns: Columns
    device: ReportDevice
    link: Link
    cluster: IntArray
    nodes: int

    @property
    def size(self) -> int:
        return int(self.cluster.max()) + 1

    def at(self, parameters: FloatArray) -> "ClusterPoint":
        """The likelihood at the orthogonal coefficients and the variance (p + 1,)."""
        return ClusterPoint(self, parameters)

    def sums(self, values: FloatArray) -> FloatArray:
        """(n,) -> (clusters,)"""
        return np.asarray(np.bincount(self.cluster, values, self.size), dtype=np.float64)


@dataclass(frozen=True)
class Given:
    """Log likelihood, score and expected information of each cluster about its u."""

    log_density: FloatArray
    score: FloatArray
    expected: FloatArray


@dataclass(frozen=True)
class ClusterPoint:
    """The likelihood at one parameter vector; its derivatives are central differences."""

    data: ClusterData
    parameters: FloatArray

    @property
    def log_likelihood(self) -> float:
        total = float(self.cluster_values.sum())
        return total if np.isfinite(total) else -np.inf

    @cached_property
    def score(self) -> FloatArray:
        """(q,)"""
        return np.array([self._difference(j) for j in range(len(self.parameters))])

    @cached_property
    def expected(self) -> FloatArray:
        """The observed information with the signs of its eigenvalues made positive: (q, q).

        It leads uphill from anywhere. Source: Nocedal and Wright (2006), section 3.4.
        """
        values, vectors = np.linalg.eigh(self.observed)
        return np.asarray((vectors * np.abs(values)) @ vectors.T)

    @cached_property
    def observed(self) -> FloatArray:
        """Minus second differences: (q, q)."""
        size = len(self.parameters)
        steps = [self._step(j, _SECOND_DIFFERENCE) for j in range(size)]
        centre = self.parameters.copy()
        centre[-1] = max(centre[-1], steps[-1])
        hessian = np.empty((size, size))
        for i in range(size):
            for j in range(i + 1):
                a, b = steps[i] * np.eye(size)[i], steps[j] * np.eye(size)[j]
                corners = [centre + a + b, centre + a - b, centre - a + b, centre - a - b]
                up, left, right, down = (self.data.at(c).log_likelihood for c in corners)
                second = (up - left - right + down) / (4 * steps[i] * steps[j])
                hessian[i, j] = hessian[j, i] = second
        return -hessian

    @cached_property
    def cluster_values(self) -> FloatArray:
        """Log likelihood of each cluster: (clusters,)."""
        scale = np.sqrt(self._variance)
        centre, width = self.modes
        points, weights = np.polynomial.hermite.hermgauss(self.data.nodes)
        terms = np.empty((self.data.nodes, self.data.size))
        for k, (point, weight) in enumerate(zip(points, weights, strict=True)):
            z = centre + np.sqrt(2) * width * point
            density = self._given(scale * z, slopes=False).log_density - z * z / 2
            terms[k] = density + np.log(weight) + point * point
        return np.asarray(logsumexp(terms, axis=0) + np.log(width) - 0.5 * np.log(np.pi))

    @cached_property
    def modes(self) -> tuple[FloatArray, FloatArray]:
        """Most probable standardised u of each cluster, and its spread: (clusters,) each.

        Scoring with the expected information, halved where the posterior has not grown.
        """
        scale = float(np.sqrt(self._variance))
        z = np.zeros(self.data.size)
        given = self._given(scale * z)
        for _ in range(_MODE_STEPS):
            step = (scale * given.score - z) / (scale**2 * given.expected + 1)
            if np.abs(step).max() < _MODE_TOLERANCE:
                break
            z, given = self._uphill(z, step, given, scale)
        return z, 1 / np.sqrt(scale**2 * given.expected + 1)

    def _uphill(
        self, z: FloatArray, step: FloatArray, given: Given, scale: float
    ) -> tuple[FloatArray, Given]:
        before = given.log_density - z * z / 2
        for _ in range(30):
            moved = z + step
            after = self._given(scale * moved)
            worse = after.log_density - moved * moved / 2 < before - 1e-12 * np.abs(before)
            if not worse.any():
                return moved, after
            step = np.where(worse, step / 2, step)
        return moved, after

    @property
    def _variance(self) -> float:
        return max(float(self.parameters[-1]), 0.0)

    @cached_property
    def _fixed(self) -> FloatArray:
        return np.asarray(self.parameters[:-1] @ self.data.columns.orthogonal)

    def _given(self, u: FloatArray, *, slopes: bool = True) -> Given:
        data, eta = self.data, self._fixed + u[self.data.cluster]
        yes, no = data.device.reported.at(None)
        h, complement = data.link.probability(eta), data.link.complement(eta)
        f = np.maximum(yes * h + no * complement, np.finfo(float).tiny)
        density = data.sums(np.log(f))
        if not slopes:
            return Given(density, density, density)
        slope = data.link.slope(eta)
        score = (yes - no) * slope / f
        expected = np.zeros_like(f)
        for level in data.device.possible:
            one, other = level.at(None)
            chance = np.maximum(one * h + other * complement, np.finfo(float).tiny)
            expected += ((one - other) * slope) ** 2 / chance
        return Given(density, data.sums(score), data.sums(expected))

    def _difference(self, index: int) -> float:
        step = self._step(index, _FIRST_DIFFERENCE)
        up, down = self.parameters.copy(), self.parameters.copy()
        up[index] += step
        # A variance below 0 does not exist: there the difference is one-sided.
        down[index] -= step if index < len(self.parameters) - 1 else min(step, down[index])
        difference = self.data.at(up).log_likelihood - self.data.at(down).log_likelihood
        return float(difference / (up[index] - down[index]))

    def _step(self, index: int, relative: float) -> float:
        return relative * max(1.0, abs(float(self.parameters[index])))


def _checked_clusters(clusters: ArrayLike, n: int) -> tuple[tuple[object, ...], IntArray]:
    raw: NDArray[np.generic] = as_array("clusters", clusters)
    if raw.shape != (n,) or raw.dtype.kind not in "biufUS":
        remedy = f"give {n} labels (numbers or texts), one per answer"
        raise RegressionError("clusters", f"{raw.dtype} of shape {raw.shape}", remedy)
    if raw.dtype.kind == "f" and not np.isfinite(raw.astype(float)).all():
        raise RegressionError("clusters", "not finite", "every answer needs a cluster")
    labels, index = np.unique(raw, return_inverse=True)
    if len(labels) < 2 or len(labels) == n:
        remedy = "there must be two clusters or more, and some with several answers"
        raise RegressionError("clusters", f"{len(labels)} for {n} answers", remedy)
    return tuple(labels.tolist()), np.asarray(index, dtype=np.int64)


def _safe_part(point: ClusterPoint, step: FloatArray) -> float:
    move = float(np.abs(step[:-1] @ point.data.columns.orthogonal).max(initial=0.0))
    move = max(move, abs(float(step[-1])))
    return min(1.0, _LONGEST_MOVE / move) if move > 0 else 1.0


def _flat(columns: Columns, flat: Flat) -> SeparationError:
    influence = columns.influence_of(flat.direction[:-1])
    part = abs(float(flat.direction[-1]))
    name = "random intercept" if part > 0.7 else columns.names[int(np.argmax(influence))]
    remedy = "the answers do not hold it back: leave it out, or collect more clusters"
    return SeparationError(f"column {name}", "unbounded", remedy)


def _model(
    point: ClusterPoint, iterations: int, without: float, labels: tuple[object, ...]
) -> RandomInterceptModel:
    columns, variance = point.data.columns, float(point.parameters[-1])
    used = len(point.parameters) - (variance == 0)
    inverse = np.linalg.inv(point.observed[:used, :used])
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
        clusters=labels,
        intercepts=deviation * point.modes[0],
        nodes=point.data.nodes,
        n=columns.n,
        iterations=iterations,
    )
