"""RandomSlopeModel: coefficients of an outcome known by reports that differ between clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...checks import FloatArray, checked_positive_number
from ...columns import require_aligned
from ...designs.design import DesignLike
from ...errors import ConvergenceError, RegressionError
from ...printing import table
from ...threads import on_one_thread
from ..covariates import columns_from
from ..devices import checked_reports, device_of
from ..links import link_named
from ..scoring import part_within, step_uphill
from .clusters import Grouping, clusters_from
from .effects import ClusteredModel, ClusterEffects, effect_columns, estimated_effects
from .laplace import MixedData
from .mixed_model import laplace_maximum
from .random_intercept import RandomInterceptModel, fit_random_intercept_model
from .slope_quadrature import Nodes, SlopeData, SlopePoint

# Per dimension, by how many effects there are. With 25 in place of 15 no estimate of 30,000 people
# in 500 clusters moved by more than .004 of its standard error.
_NODES = {2: 15, 3: 9, 4: 5}
# Nodes of all dimensions together; each costs one pass over all people.
_MOST_NODES = 5_000
# In logits: an effect without variance would stay so, where there is no slope.
_LEAST_SPREAD = 0.1
_LONGEST_MOVE = 3.0
_ROUNDS = 60
# Squared length, in standard errors, of a step after which nothing is left to gain.
_SETTLED = 1e-10
# Of the largest eigenvalue of the information.
_FLAT = 1e-10


@dataclass(frozen=True)
class RandomSlopeModel(ClusteredModel):
    """Coefficients in the middle of the clusters, and how those of clusters differ from them.

    ``effects``: intercept and slopes between clusters. Predictions are those of a cluster in the
    middle.
    """

    effects: ClusterEffects
    log_likelihood_without: float
    nodes: int

    @property
    def parameter_count(self) -> int:
        """The coefficients, and the variances and covariances between clusters."""
        return len(self.names) + self.effects.parameter_count

    @property
    def slopes_p_value(self) -> float:
        """Likelihood-ratio test that no slope differs between clusters, the intercept may.

        Of one slope: the mean of the tails of chi-squared with 1 and with 2 degrees of freedom,
        as a variance of 0 is the end of its range (Stram and Lee 1994, case 2). Of several: the
        tail with as many degrees as there are parameters more, which is never too small.
        """
        lost = max(0.0, 2 * (self.log_likelihood - self.log_likelihood_without))
        more = self.effects.parameter_count - 1
        degrees = np.array([1, 2] if more == 2 else [more])
        return float(scipy.special.chdtrc(degrees, lost).mean())

    @property
    def _below(self) -> list[str]:
        """The spreads between clusters, with their correlations."""
        test = table(("dropped", "p"), [("slopes of clusters", self.slopes_p_value)])
        return [str(self.effects), test]


@on_one_thread
def fit_random_slope_model(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    clusters: ArrayLike,
    covariates: ArrayLike,
    slopes: Sequence[str],
    *,
    names: Sequence[str] | None = None,
    link: str = "logit",
    nodes: int | None = None,
) -> RandomSlopeModel:
    """Fit P(true yes) = h(b0 + u0 + (b + u)'x), with (u0, u) normal between clusters.

    ``slopes``: one to three names of columns whose coefficients differ between clusters, with
    any covariance among them and with the intercept. ``nodes`` per dimension of each integral:
    15, 9 or 5 for one, two or three slopes if None. All else as ``fit_random_intercept_model``,
    with which it begins. Raises its errors.

    >>> import numpy as np
    >>> from randomized_response.designs import Warner
    >>> from randomized_response.drawing import draw_reports
    >>> from randomized_response.regression import fit_random_slope_model
    >>> rng = np.random.default_rng(1)
    >>> village, age = np.repeat(np.arange(40), 25), rng.normal(size=1000)
    >>> effects = rng.normal(0, 0.8, (2, 40))[:, village]
    >>> yes = rng.random(1000) < 1 / (1 + np.exp(-effects[0] - (1 + effects[1]) * age))
    >>> reports = draw_reports(Warner(0.9), yes.astype(int), rng)
    >>> model = fit_random_slope_model(Warner(0.9), reports, village, age, ["x1"])
    >>> model.effects.names, model.effects.sds.round(1).tolist()
    (('intercept', 'x1'), [0.7, 0.8])
    """
    require_aligned(
        RegressionError, reports=reports, designs=designs, clusters=clusters, covariates=covariates
    )
    codes = checked_reports(reports)
    columns = columns_from(covariates, len(codes), names, intercept=True)
    effects = effect_columns(columns, slopes)
    if effects.count == 1:
        remedy = "name a column, or use fit_random_intercept_model"
        raise RegressionError("slopes", "none", remedy)
    groups = clusters_from("clusters", clusters, len(codes))
    data = SlopeData(
        columns,
        device_of(designs, codes),
        link_named(link),
        Grouping("clusters", groups, effects),
        _checked_nodes(nodes, effects.count),
    )
    without = fit_random_intercept_model(
        designs, codes, clusters, covariates, names=names, link=link
    )
    return _model(*_maximum(data, without), without.log_likelihood)


def _checked_nodes(nodes: int | None, dimensions: int) -> int:
    if nodes is None:
        return _NODES[dimensions]
    count = checked_positive_number("nodes", nodes, RegressionError)
    most = int(_MOST_NODES ** (1 / dimensions))
    if not 2 <= count <= most:
        raise RegressionError("nodes", nodes, f"give 2 to {most}, for each of {dimensions} effects")
    return count


def _maximum(data: SlopeData, without: RandomInterceptModel) -> tuple[SlopePoint, int]:
    """Newton's steps from Laplace's approximation; the nodes are centred anew at each."""
    mixed = MixedData(data.columns, data.device, data.link, (data.grouping,))
    fixed = np.asarray(np.linalg.solve(data.columns.transform, without.coefficients))
    near, begun = laplace_maximum(mixed, fixed)
    data = replace(data, grouping=near.data.groupings[0])
    parameters = _apart(data, near.parameters)
    nodes = Nodes.around(data, parameters, near.mode.effects.first)
    part, before = 1.0, np.inf
    for iteration in range(1, _ROUNDS + 1):
        point = SlopePoint(nodes, parameters)
        step, left = step_uphill(point, _FLAT)
        if left < _SETTLED:
            return point, begun + iteration
        # Nodes that move with the parameters can throw them back and forth.
        part, before = (part / 2 if left > before else part), left
        safe = part_within(_LONGEST_MOVE, float(np.abs(step).max()))
        parameters = parameters + min(part, safe) * step
        nodes = Nodes.around(data, parameters, nodes.centre)
    remedy = "the likelihood did not settle: use more nodes or leave a slope out"
    raise ConvergenceError("random slopes", "no maximum", remedy)


def _apart(data: SlopeData, parameters: FloatArray) -> FloatArray:
    """The same with some variance of each effect: at 0 there is no slope that could lead away."""
    factor = np.zeros((data.dimensions, data.dimensions))
    entries, count = np.tril_indices(data.dimensions), data.columns.count
    factor[entries] = parameters[count:]
    np.fill_diagonal(factor, np.maximum(np.abs(np.diag(factor)), _LEAST_SPREAD))
    return np.append(parameters[:count], factor[entries])


def _model(point: SlopePoint, iterations: int, without: float) -> RandomSlopeModel:
    data, columns = point.data, point.data.columns
    inverse, count = np.asarray(np.linalg.pinv(point.observed)), columns.count
    return RandomSlopeModel(
        names=columns.names,
        coefficients=columns.transform @ point.parameters[:count],
        covariance=columns.transform @ inverse[:count, :count] @ columns.transform.T,
        link=data.link.name,
        effects=estimated_effects(
            data.grouping, point.root, inverse[count:, count:], point.nodes.centre
        ),
        log_likelihood=point.log_likelihood,
        log_likelihood_without=without,
        nodes=data.nodes,
        n=columns.n,
        iterations=iterations,
        factors=columns.factors,
    )
