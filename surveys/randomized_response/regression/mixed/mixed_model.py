"""MixedModel: effects of one or several groupings of the same people, crossed or nested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...checks import FloatArray
from ...columns import require_aligned
from ...designs.design import DesignLike
from ...errors import ConvergenceError, RegressionError, SeparationError
from ...threads import on_one_thread
from ..covariates import Columns, columns_from
from ..devices import checked_reports, device_of
from ..links import link_named
from ..outcome import fit_outcome_model
from ..scoring import step_uphill
from .clusters import Grouping, clusters_from
from .effects import ClusteredModel, ClusterEffects, effect_columns, estimated_effects
from .laplace import Effects, LaplacePoint, MixedData

_MOST_GROUPINGS = 3
# Of the information's border, 8 bytes each: 80 MB.
_MOST_ENTRIES = 10_000_000
_STARTING_INTERCEPT, _STARTING_SLOPE = 0.5, 0.3
# Of the score: the steps of Newton's method that follow go on from there.
_NEAR = 1e-2
_LONGEST_MOVE = 3.0
# Of a standardised covariate: a spread beyond this is without bounds.
_LARGEST_SPREAD = 30.0
_ROUNDS = 30
# Squared length, in standard errors, of a step after which nothing is left to gain.
_SETTLED = 1e-9
# Of the largest eigenvalue of the information: what differences cannot tell from 0.
_FLAT = 1e-7


@dataclass(frozen=True)
class MixedModel(ClusteredModel):
    """Coefficients in the middle of all clusters, and ``effects`` of each grouping.

    The log likelihood is Laplace's approximation. Predictions are those in the middle.
    """

    effects: tuple[ClusterEffects, ...]

    @property
    def parameter_count(self) -> int:
        """The coefficients, and the variances and covariances of all groupings."""
        return len(self.names) + sum(each.parameter_count for each in self.effects)

    @property
    def _below(self) -> list[str]:
        """The spreads between the clusters of each grouping."""
        return [str(each) for each in self.effects]


@on_one_thread
def fit_mixed_model(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    clusters: Mapping[str, ArrayLike],
    covariates: ArrayLike | None = None,
    *,
    slopes: Mapping[str, Sequence[str]] | None = None,
    names: Sequence[str] | None = None,
    link: str = "logit",
) -> MixedModel:
    """Fit P(true yes) = h(b'x + effects of the person's cluster in each grouping).

    ``clusters``: labels (n,) of one to three groupings by name, such as interviewers and
    districts; they may cross, or lie within each other if their labels are different. Each has a
    random intercept, and by ``slopes`` up to three coefficients that differ between its clusters,
    with any covariance. The likelihood is Laplace's approximation (as lme4's ``nAGQ = 1``), which
    makes spreads between many small clusters too small: for one grouping, prefer
    ``fit_random_intercept_model`` and ``fit_random_slope_model``. All else as
    ``fit_outcome_model``. Raises its errors, and RegressionError for groupings.

    >>> import numpy as np
    >>> from randomized_response.designs import Warner
    >>> from randomized_response.drawing import draw_reports
    >>> from randomized_response.regression import fit_mixed_model
    >>> rng = np.random.default_rng(1)
    >>> village, asker = rng.integers(0, 60, 4000), rng.integers(0, 30, 4000)
    >>> eta = rng.normal(0, 1, 60)[village] + rng.normal(0, 0.5, 30)[asker]
    >>> yes = rng.random(4000) < 1 / (1 + np.exp(-eta))
    >>> reports = draw_reports(Warner(0.9), yes.astype(int), rng)
    >>> model = fit_mixed_model(Warner(0.9), reports, {"village": village, "asker": asker})
    >>> {each.grouping: each.sds.round(1).tolist() for each in model.effects}
    {'village': [1.1], 'asker': [0.6]}
    """
    _check_groupings(clusters, slopes)
    labels: dict[str, object] = {f"clusters[{name}]": clusters[name] for name in clusters}
    require_aligned(
        RegressionError, reports=reports, designs=designs, covariates=covariates, **labels
    )
    codes = checked_reports(reports)
    columns = columns_from(covariates, len(codes), names, intercept=True)
    groupings = [_grouping(name, clusters[name], slopes or {}, columns) for name in clusters]
    ordered = tuple(sorted(groupings, key=lambda grouping: -grouping.size))
    _check_size(ordered)
    _check_different(ordered)
    data = MixedData(columns, device_of(designs, codes), link_named(link), ordered)
    fixed = fit_outcome_model(designs, codes, covariates, names=names, link=link)
    point, iterations = laplace_maximum(data, fixed.fit.point.parameters)
    return _model(point, iterations, list(clusters))


def laplace_maximum(data: MixedData, fixed: FloatArray) -> tuple[LaplacePoint, int]:
    """The maximum and the iterations, from orthogonal coefficients without effects (p,).

    Raises SeparationError and ConvergenceError.
    """
    return _Climb(data).maximum(_start(data, fixed))


class _Climb:
    """Points whose effects are looked for from those of the point before, which are near."""

    def __init__(self, data: MixedData) -> None:
        self.data = data
        self.effects = Effects.none(data)

    def at(self, parameters: FloatArray) -> LaplacePoint:
        point = LaplacePoint.at(self.data, parameters, self.effects)
        self.effects = point.mode.effects
        return point

    def maximum(self, start: FloatArray) -> tuple[LaplacePoint, int]:
        """Quasi-Newton steps by the score, which cost little, and Newton's at their end."""
        near = scipy.optimize.minimize(
            self._negative, start, jac=True, method="BFGS", options={"gtol": _NEAR}
        )
        self.data, parameters = self.data.pivoted(near.x)
        # The same effects of clusters have other entries e now.
        self.effects = Effects.none(self.data)
        point = self.at(parameters)
        for iteration in range(1, _ROUNDS + 1):
            self._check_bounded(point)
            step, left = step_uphill(point, _FLAT)
            if left < _SETTLED:
                self._check_maximum(point)
                return point, near.nit + iteration
            point = self.at(point.parameters + step * min(1.0, _LONGEST_MOVE / np.abs(step).max()))
        raise _unsettled()

    def _negative(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        point = self.at(parameters)
        return -point.log_likelihood, -point.score

    def _check_maximum(self, point: LaplacePoint) -> None:
        """Raise ConvergenceError for a saddle, where clusters agree almost without exception."""
        values = np.linalg.eigvalsh(point.observed)
        if values[0] < -_FLAT * values[-1]:
            raise _unsettled()

    def _check_bounded(self, point: LaplacePoint) -> None:
        """Raise SeparationError for the grouping whose spread has no bound."""
        for grouping, part in zip(self.data.groupings, self.data.parts, strict=True):
            if np.abs(point.parameters[part]).max() > _LARGEST_SPREAD:
                remedy = "the answers do not hold it back: leave it out, or collect more clusters"
                raise SeparationError(f"grouping {grouping.name}", "unbounded", remedy)


def _unsettled() -> ConvergenceError:
    remedy = "the likelihood did not settle: leave a slope or a grouping out"
    return ConvergenceError("clusters", "no maximum", remedy)


def _check_groupings(clusters: object, slopes: object) -> None:
    """Raise RegressionError for groupings without names, or too many of them."""
    if not isinstance(clusters, Mapping) or not 1 <= len(clusters) <= _MOST_GROUPINGS:
        remedy = f"give one to {_MOST_GROUPINGS} groupings, as a mapping of names to labels"
        raise RegressionError("clusters", type(clusters).__name__, remedy)
    for name in clusters:
        if not isinstance(name, str) or not name.strip():
            raise RegressionError("clusters", name, "give each grouping a name that is not empty")
    if slopes is not None and not (isinstance(slopes, Mapping) and set(slopes) <= set(clusters)):
        remedy = f"give names of columns for these groupings: {', '.join(clusters)}"
        raise RegressionError("slopes", slopes, remedy)


def _grouping(
    name: str, labels: ArrayLike, slopes: Mapping[str, Sequence[str]], columns: Columns
) -> Grouping:
    effects = effect_columns(columns, slopes.get(name, ()), f"slopes[{name}]")
    return Grouping(name, clusters_from(f"clusters[{name}]", labels, columns.n), effects)


def _check_size(groupings: Sequence[Grouping]) -> None:
    border = sum(grouping.size for grouping in groupings[1:])
    if border * (groupings[0].size + border) > _MOST_ENTRIES:
        sizes = " and ".join(f"{grouping.size} of {grouping.name}" for grouping in groupings)
        remedy = "these are too many effects: only one grouping may have many clusters"
        raise RegressionError("clusters", sizes, remedy)


def _check_different(groupings: Sequence[Grouping]) -> None:
    """Raise RegressionError for two groupings that are one: nothing tells their variances apart."""
    for one, other in combinations(groupings, 2):
        pairs = np.unique(np.stack([one.clusters.of_person, other.clusters.of_person]), axis=1)
        if pairs.shape[1] == one.clusters.count == other.clusters.count:
            remedy = f"it has the same clusters as {other.name}: leave one of the two out"
            raise RegressionError(f"clusters[{one.name}]", f"{one.clusters.count} labels", remedy)


def _start(data: MixedData, fixed: FloatArray) -> FloatArray:
    """The coefficients without effects, and some variance of each effect."""
    parts = [fixed]
    for grouping in data.groupings:
        spreads = np.full(grouping.dimensions, _STARTING_SLOPE)
        spreads[0] = _STARTING_INTERCEPT
        parts.append(np.diag(spreads)[grouping.triangle])
    return np.concatenate(parts)


def _model(point: LaplacePoint, iterations: int, order: list[str]) -> MixedModel:
    data, columns, count = point.data, point.data.columns, point.data.columns.count
    inverse = np.asarray(np.linalg.pinv(point.observed, rcond=_FLAT, hermitian=True))
    parts = zip(
        data.groupings,
        data.roots(point.parameters),
        [inverse[part, part] for part in data.parts],
        point.mode.effects.by_grouping(data),
        strict=True,
    )
    effects = [estimated_effects(*part) for part in parts]
    return MixedModel(
        names=columns.names,
        coefficients=columns.transform @ point.parameters[:count],
        covariance=columns.transform @ inverse[:count, :count] @ columns.transform.T,
        link=data.link.name,
        effects=tuple(sorted(effects, key=lambda each: order.index(each.grouping))),
        log_likelihood=point.log_likelihood,
        n=columns.n,
        iterations=iterations,
        factors=columns.factors,
    )
