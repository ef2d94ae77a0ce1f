"""OutcomeModel: fit a randomized yes/no outcome on covariates: starts, separation, auxiliary.

P(report yes) = a h(x'b) + b0, by maximum likelihood. Source: Maddala (1983);
Scheers and Dayton (1988); van den Hout, van der Heijden and Gilchrist (2007). The likelihood is
that of the report itself, for any number of levels, so cards (Kuk 1990) need no
approximation by a binomial mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray, read_only
from ..columns import require_aligned
from ..designs.design import DesignLike
from ..designs.two_group import TwoGroupDesign
from ..errors import RegressionError, SeparationError
from ..intervals.profiles import chi_squared_tail
from ..messages import sentence
from ..samples.survey_samples import ReplicatedSample, Sample, SurveySample
from ..threads import on_one_thread
from .covariances import (
    Drawn,
    checked_counts,
    checked_covariance,
    covariance_of,
    outcome_covariance,
)
from .covariates import INTERCEPT, columns_from, per_person
from .devices import (
    IntArray,
    ReportDevice,
    check_all,
    checked_reports,
    device_of,
    refuse_groups,
    required_groups,
    two_group_device,
)
from .effects import average_effects
from .influence import Influence, influence_of
from .links import link_named
from .outcome_likelihood import OutcomeData, OutcomePoint
from .predictions import Predictions
from .results import Auxiliary, Coefficients, FittedModel, LikelihoodRatioTest
from .scoring import Box, Flat, Unsettled, maximise, part_within

# How far one step may move a linear predictor: further out the likelihood is flat.
_LONGEST_MOVE = 3.0
# The likelihood may have several maxima along the unknown: one start for each side, one between.
_STARTING_UNKNOWNS = (0.5, 0.9, 0.15)
# Columns that have grown a tenth as far as the first are named beside it.
_NAMED_PART = 0.1


@dataclass(frozen=True)
class OutcomeModel(FittedModel):
    """A fitted model; ``names`` starts with "intercept" unless the model has none.

    ``auxiliary`` is the unknown of a two-group design.
    """

    auxiliary: Auxiliary | None
    fit: "OutcomeFit" = field(repr=False, compare=False)

    @property
    def parameter_count(self) -> int:
        """The coefficients, and the unknown of a two-group design."""
        return len(self.names) + (self.auxiliary is not None)

    @property
    def _below(self) -> list[str]:
        return [str(self.auxiliary)] if self.auxiliary else []

    def with_covariance(self, kind: str) -> "OutcomeModel":
        """The same fit with another covariance. Raises RegressionError."""
        return _model(self.fit, checked_covariance(kind, self.fit.data.is_weighted))

    def likelihood_ratio_tests(self) -> tuple[LikelihoodRatioTest, ...]:
        """One test per coefficient: the model is fitted again without it.

        Raises RegressionError for weighted models (a weighted likelihood ratio is not
        chi-squared), SeparationError or ConvergenceError if a smaller model cannot be fitted.
        """
        return tuple(self.likelihood_ratio_test(name) for name in self.names)

    def likelihood_ratio_test(self, name: str) -> LikelihoodRatioTest:
        """The test of one coefficient. Raises what ``likelihood_ratio_tests`` does."""
        if self.fit.data.is_weighted:
            remedy = "with weights use Wald's test: p_values"
            raise RegressionError("likelihood_ratio_tests", "weighted model", remedy)
        if name not in self.names:
            raise RegressionError("name", name, f"choose one of {', '.join(self.names)}")
        return self._without(self.names.index(name))

    @property
    def is_weighted(self) -> bool:
        """Whether people have weights; a sandwich may be chosen without."""
        return self.fit.data.is_weighted

    def get_prediction(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> Predictions:
        """Predictions for rows of covariates; None for the rows of the fit.

        Else as other models predict. Raises RegressionError and EstimationError.
        """
        if covariates is not None or not self.factors:
            return super().get_prediction(covariates, level)
        rows = self.fit.data.columns.values
        spread = np.sqrt(np.einsum("ij,jk,ik->i", rows, self.covariance, rows))
        eta = rows @ self.coefficients
        return Predictions(eta, spread, self.fit.data.link, level, degrees=self.degrees)

    def predict(self, covariates: ArrayLike | None = None, level: float = 0.95) -> Predictions:
        """Probability of a true yes for rows of covariates (rows, p), without the intercept.

        None predicts for the rows of the fit. Raises RegressionError and EstimationError.
        """
        return self.get_prediction(covariates, level)

    def average_marginal_effects(self) -> Coefficients:
        """How much each covariate changes the probability of a true yes, on average.

        Of numbers per unit, of 0/1 columns and levels of categories from 0 to 1; see ``effects``.
        """
        data = self.fit.data
        return average_effects(self, data.columns, data.link, data.weights)

    def get_influence(self) -> Influence:
        """Residuals, leverages, Cook's distances and DFBETAS of the reports, row by row.

        They are about reports, which a device drew, and not about what is true of a person. Raises
        RegressionError for weighted models and for reports with more than two levels.
        """
        return influence_of(self.fit.data, self.fit.point.parameters, self.fit.free)

    def _without(self, index: int) -> LikelihoodRatioTest:
        data = self.fit.data
        smaller = replace(data, columns=data.columns.without(index))
        lost = max(0.0, 2 * (self.log_likelihood - _fit(smaller).point.log_likelihood))
        return LikelihoodRatioTest(self.names[index], lost, 1, chi_squared_tail(lost))


@dataclass(frozen=True)
class OutcomeFit:
    """The data, the maximum in orthogonal coordinates and which parameters are not held.

    ``weight_unit``: the mean of the weights as they were given; those of ``data`` have mean 1.
    """

    data: OutcomeData
    point: OutcomePoint
    free: FloatArray
    iterations: int
    weight_unit: float = 1.0


@on_one_thread
def fit_outcome_model(
    designs: DesignLike | TwoGroupDesign | Sequence[DesignLike],
    reports: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    link: str = "logit",
    covariance: str | None = None,
    weights: ArrayLike | Sample | None = None,
    counts: ArrayLike | None = None,
    intercept: bool = True,
) -> OutcomeModel:
    """Fit P(true yes) = h(b0 + b'x) to randomized reports by maximum likelihood.

    ``designs``: one yes/no design, or one per person (``Direct`` for a direct question), or a
    two-group design with ``groups`` (n,) of 1 and 2, whose unknown is estimated jointly.
    ``reports`` (n,): reported level of each person, 1 = yes; for cards the number of red ones.
    ``covariates`` (n, p): without a column of ones: an intercept is added, called "intercept",
    unless ``intercept=False``; the others are called ``names`` or x1, x2, ...
    ``link``: logit, probit, cloglog, cauchit. ``covariance``: observed (default), expected, opg,
    or sandwich, which is the default and the only one when there are survey ``weights`` (n,) > 0,
    or a ``survey_sample`` or ``replicated_sample`` in their place: then errors are those of how
    people were drawn, and intervals Student's, as ``svyglm``'s of the R package survey.
    ``counts`` (n,): how many people gave each row; all is as if each had a row of their own.

    Raises DesignError, RegressionError for invalid input, CollinearityError, SeparationError and
    ConvergenceError, each naming the column.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_outcome_model
    >>> reports, older = [0] * 35 + [1] * 15 + [0] * 20 + [1] * 30, [0] * 50 + [1] * 50
    >>> print(fit_outcome_model(Warner(0.9), reports, older, names=["older"]))
    n = 100, log likelihood = -64.1938, link logit, covariance observed
    name       estimate  std. error         z          p       low       high
    intercept  -1.09861    0.432049  -2.54279   0.010997  -1.94541  -0.251811
    older       1.60944    0.568507   2.83099  0.0046404  0.495185    2.72369
    """
    rows = {"covariates": covariates, "groups": groups, "weights": weights, "counts": counts}
    require_aligned(RegressionError, reports=reports, designs=designs, **rows)
    codes = checked_reports(reports)
    kind = checked_covariance(covariance, weights is not None)
    device = _device(designs, groups, codes)
    columns = columns_from(covariates, len(codes), names, intercept=intercept)
    if columns.count == 0:
        remedy = "without an intercept there must be a covariate"
        raise RegressionError("covariates", "none", remedy)
    sample = weights if isinstance(weights, SurveySample | ReplicatedSample) else None
    checked_weights, unit = _checked_weights(weights, len(codes))
    are_counts = False
    if counts is not None:
        checked_weights, are_counts = checked_counts(counts, weights, len(codes)), True
    data = OutcomeData(columns, device, link_named(link), checked_weights, are_counts, sample)
    fit = _fit(data)
    return _model(replace(fit, weight_unit=unit), kind)


def _device(
    designs: DesignLike | TwoGroupDesign | Sequence[DesignLike],
    groups: ArrayLike | None,
    reports: IntArray,
) -> ReportDevice:
    if isinstance(designs, TwoGroupDesign):
        return two_group_device(designs, required_groups(groups), reports)
    refuse_groups(groups)
    return device_of(designs, reports)


def _checked_weights(weights: ArrayLike | Sample | None, n: int) -> tuple[FloatArray | None, float]:
    """Positive weights (n,) with mean 1, none of which decides alone, and the mean given.

    Where a fit ends is judged on the scale of people who count once; those of a sample were checked
    and may be 0. Raises RegressionError.
    """
    if weights is None:
        return None, 1.0
    if isinstance(weights, SurveySample | ReplicatedSample):
        drawn = Drawn.of(weights, n)
        return drawn.weights, drawn.unit
    raw = per_person("weights", weights, n, "iuf", f"give {n} numbers")
    values = raw.astype(np.float64)
    remedy = sentence("a weight must be finite and above 0. Leave out people who represent no one")
    check_all("weights", values, np.isfinite(values) & (values > 0), remedy)
    # By the largest first: the sum of very large weights is no float.
    scaled = values / values.max()
    if n > 1 and scaled.sum() < 2:
        first = int(np.argmax(scaled))
        remedy = sentence(
            "this person has more than half of the total weight. Reduce (trim) the weight"
        )
        raise RegressionError(f"weights[{first}]", float(values[first]), remedy)
    mean = float(scaled.mean())
    return scaled / mean, float(values.max()) * mean


def _fit(data: OutcomeData) -> OutcomeFit:
    """The highest of the maxima reached from each start."""
    if data.columns.count == 0 and data.device.unknown is None:
        return OutcomeFit(data, data.at(np.empty(0)), np.empty(0, dtype=bool), 0)
    # A common share for all people, at each starting value of the unknown.
    starts = [_common_share(data, None)]
    if data.device.unknown is not None:
        starts = [np.append(_common_share(data, g), g) for g in _STARTING_UNKNOWNS]
    fits = [_climb(data, start) for start in starts]
    return max(fits, key=lambda fit: fit.point.log_likelihood)


def _climb(data: OutcomeData, start: FloatArray) -> OutcomeFit:
    ends = ([], []) if data.device.unknown is None else ([0.0], [1.0])
    box = Box.of(data.columns.count, *ends)
    try:
        point, iterations = maximise(data.at, start, box, _safe_part)
    except Flat as flat:
        raise _separation(data, flat) from flat
    except Unsettled as unsettled:
        remedy = sentence(
            "the maximum-likelihood calculation did not converge. Leave out this column, or use "
            "another link function"
        )
        raise unsettled.refusal(data.columns.names, remedy) from unsettled
    inside = (point.parameters > box.lower) & (point.parameters < box.upper)
    return OutcomeFit(data, point, np.asarray(inside), iterations)


def _safe_part(point: OutcomePoint, step: FloatArray) -> float:
    """Far out every link is flat, and a step that lands there cannot come back."""
    columns = point.data.columns
    move = float(np.abs(step[: columns.count] @ columns.orthogonal).max(initial=0.0))
    eta = point.parameters[: columns.count] @ columns.orthogonal
    allowed = _LONGEST_MOVE + float(np.abs(eta).max(initial=0.0)) / 2
    return part_within(allowed, move)


def _common_share(data: OutcomeData, unknown: float | None) -> FloatArray:
    """One scoring step for a share common to all, from 1/2: (p,)."""
    u, v = data.device.reported.at(unknown)
    score = 2 * (np.asarray(u) - v) / (np.asarray(u) + v)
    weights = np.ones(data.columns.n) if data.weights is None else data.weights
    # Where no report says anything at 1/2 the score is 0, and the start stays there.
    share = 0.5 + float(weights @ score) / max(float(weights @ score**2), 1e-300)
    # Not from the ends of the range, where links are flat.
    eta = float(data.link.quantile(np.array(np.clip(share, 0.2, 0.8))))
    return np.asarray(data.columns.orthogonal.mean(axis=1) * eta)


def _model(fit: OutcomeFit, kind: str) -> OutcomeModel:
    data, point = fit.data, fit.point
    columns, count = data.columns, data.columns.count
    covariance, degrees = _spread(fit, kind)
    transform = columns.transform
    return OutcomeModel(
        names=columns.names,
        coefficients=read_only(transform @ point.parameters[:count]),
        covariance=read_only(transform @ covariance[:count, :count] @ transform.T),
        covariance_kind=kind,
        link=data.link.name,
        log_likelihood=point.log_likelihood * fit.weight_unit,
        n=data.people,
        iterations=fit.iterations,
        factors=columns.factors,
        auxiliary=_auxiliary(fit, covariance),
        fit=fit,
        degrees=degrees,
    )


def _spread(fit: OutcomeFit, kind: str) -> tuple[FloatArray, float]:
    """The covariance of the parameters, and its degrees of freedom.

    Of a sample the latter are its own, less one for each coefficient but the first, as svyglm has.
    """
    sample, point = fit.data.sample, fit.point
    if sample is None:
        return covariance_of(point, kind, fit.free), np.inf
    degrees = Drawn.of(sample, fit.data.columns.n).degrees(int(np.count_nonzero(fit.free)))
    refitted = partial(_refitted, fit.data, point.parameters)
    return outcome_covariance(point, fit.free, sample, refitted), degrees


def _refitted(data: OutcomeData, start: FloatArray, weights: FloatArray) -> FloatArray:
    """The maximum with other weights of mean 1, such as those of a replicate."""
    return _climb(replace(data, weights=weights, sample=None), start).point.parameters


def _auxiliary(fit: OutcomeFit, covariance: FloatArray) -> Auxiliary | None:
    name = fit.data.device.unknown
    if name is None:
        return None
    error = float(np.sqrt(covariance[-1, -1])) if fit.free[-1] else None
    return Auxiliary(name, float(fit.point.parameters[-1]), error)


def _separation(data: OutcomeData, flat: Flat) -> SeparationError:
    """Names the columns whose coefficients the reports do not hold back."""
    columns = data.columns
    # What has grown, not where the likelihood is flat: far out it is flat in every direction.
    influence = columns.influence_of(flat.parameters[: columns.count])
    # More of the direction than all coefficients together.
    if data.device.unknown is not None and abs(flat.direction[-1]) > np.sqrt(0.5):
        remedy = "hardly anybody is a carrier, so it is not identified: report the prevalence only"
        return SeparationError(data.device.unknown, float(flat.parameters[-1]), remedy)
    large = influence >= _NAMED_PART * influence.max(initial=0.0)
    named = [n for n, big in zip(columns.names, large, strict=True) if big and n != INTERCEPT]
    coefficients = columns.transform @ flat.parameters[: columns.count]
    value = [round(float(coefficient), 3) for coefficient in coefficients]
    if not named:
        remedy = sentence(
            "according to the reported answers, no one or everyone would truly answer yes, so "
            "the intercept is infinite. Estimate the share of yes instead, or collect more "
            "answers"
        )
        return SeparationError("intercept", value, remedy)
    remedy = sentence(
        "the coefficient grows without limit (in some group the share is 0 or 1). Leave the "
        "column out, merge its rare groups, or collect more answers"
    )
    return SeparationError(f"column {', '.join(named)}", value, remedy)
