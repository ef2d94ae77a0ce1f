"""AnchoredOutcomeModel: a crosswise outcome on covariates, corrected for people who do not attend.

An anchor question about a trait that no one has shows who attends. Prevalence and attention are
fitted together, each with its own covariates, by maximum likelihood of both reports of a person.
Source: Atsusaka and Stevenson (2023). Their ``cmreg`` multiplies the chances of the two reports as
if a person attended to each question separately; here, as in their ``cmreg.p`` and in
``estimate_anchored_crosswise``, a person attends to both or to neither.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ...checks import FloatArray, read_only, require_kind
from ...columns import require_aligned
from ...designs.two_group import AnchoredCrosswise
from ...errors import DesignError, RegressionError, SeparationError
from ...printing import cell
from ...samples.survey_samples import Sample
from ...threads import on_one_thread
from ..covariances import Drawn
from ..covariates import INTERCEPT, Columns, columns_from, prediction_rows
from ..devices import IntArray, checked_codes
from ..factors import Factor
from ..links import link_called, link_named
from ..predictions import Predictions
from ..results import Coefficients, FittedModel
from ..scoring import Box, Flat, Unsettled, highest_maximum, maximise, part_within
from .anchored_likelihood import AnchoredData, AnchoredPoint, kind_chances

# How far one step may move a linear predictor: further out the likelihood is flat.
_LONGEST_MOVE = 3.0
# Attention and prevalence, beside the moments of the reports: the likelihood may have more maxima.
_STARTS = ((0.9, 0.5), (0.6, 0.2), (0.6, 0.8))
# Of the largest part of the expected information: below, the observed one is none.
_UNIDENTIFIED = 1e-8
# Of the log likelihood: what attention must explain before more than guesses are there.
_UNATTENDED = 1e-3
# Columns that have grown a tenth as far as the first are named beside it.
_NAMED_PART = 0.1


@dataclass(frozen=True)
class AnchoredOutcomeModel(FittedModel):
    """``names`` and ``coefficients``: those of the sensitive trait, as an outcome model has them.

    ``attention``: the logit of attending to both questions. ``attentive_share``: the mean chance
    of it among these people. Standard errors: observed information, or those of the sample where
    people have weights.
    """

    attention: Coefficients
    attentive_share: float
    attention_factors: tuple[Factor, ...] = field(repr=False, compare=False)

    @property
    def parameter_count(self) -> int:
        """The coefficients of trait and attention."""
        return len(self.names) + len(self.attention.names)

    def predict(self, covariates: ArrayLike | None = None, level: float = 0.95) -> Predictions:
        """Probability of the trait for rows of covariates (rows, p), without the intercept.

        None predicts for a model without covariates. Raises RegressionError and EstimationError.
        """
        return self.get_prediction(covariates, level)

    def predict_attention(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> Predictions:
        """Probability of attending for rows of the covariates of attention.

        None predicts for a model without such covariates. Raises RegressionError and
        EstimationError.
        """
        rows = prediction_rows(covariates, self.attention_factors, intercept=True)
        spread = np.sqrt(np.einsum("ij,jk,ik->i", rows, self.attention.covariance, rows))
        linear, quantity = rows @ self.attention.coefficients, "Probability of attending"
        return Predictions(linear, spread, link_called("logit"), level, quantity, self.degrees)

    @property
    def _below(self) -> list[str]:
        return [f"Attention, mean share: {cell(self.attentive_share)}", str(self.attention)]


@on_one_thread
def fit_anchored_outcome_model(
    design: AnchoredCrosswise,
    reports: ArrayLike,
    anchor_reports: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    attention_covariates: ArrayLike | None = None,
    attention_covariate_names: Sequence[str] | None = None,
    link: str = "logit",
    weights: ArrayLike | Sample | None = None,
) -> AnchoredOutcomeModel:
    """Fit P(trait) = h(b0 + b'x) and P(attends) = logistic(c0 + c'z) to crosswise reports.

    ``reports`` and ``anchor_reports`` (n,): 1 = "both or neither", 0 = "exactly one", of the
    sensitive question and the anchor. ``covariates`` (n, p) of the trait, ``attention_covariates``
    (n, r) of attention, without intercepts. Attention is the same for all people unless it has
    covariates: give those that go with it, or their effects on the trait are biased. ``link`` of
    the trait: logit, probit, cloglog, cauchit. ``weights`` (n,) of a sample, or a
    ``survey_sample`` or ``replicated_sample``, weight the likelihood, and then errors are those of
    how people were drawn.

    Raises DesignError, RegressionError for invalid input, WeightsError, CollinearityError,
    SeparationError (with a remedy where all people seem to attend, or none) and ConvergenceError.

    >>> from randomized_response.designs import AnchoredCrosswise
    >>> from randomized_response.regression import fit_anchored_outcome_model
    >>> design = AnchoredCrosswise(p_harmless_yes=0.2, p_anchor_yes=0.2)
    >>> reports = [1] * 596 + [0] * 404
    >>> anchor_reports = [1] * 447 + [0] * 149 + [1] * 293 + [0] * 111
    >>> print(fit_anchored_outcome_model(design, reports, anchor_reports))
    n = 1000, log likelihood = -1247.28, link logit, covariance observed
    name        estimate  std. error        z            p       low       high
    intercept  -0.848155    0.159434  -5.3198  1.03883e-07  -1.16064  -0.535671
    Attention, mean share: 0.799791
    name       estimate  std. error        z            p       low     high
    intercept   1.38499      0.2851  4.85791  1.18634e-06  0.826203  1.94377
    """
    rows = {"covariates": covariates, "attention_covariates": attention_covariates}
    rows["anchor_reports"] = anchor_reports
    require_aligned(RegressionError, reports=reports, weights=weights, **rows)
    require_kind("design", design, AnchoredCrosswise, "give an AnchoredCrosswise", DesignError)
    codes = checked_codes("reports", reports, None, (0, 1))
    n = len(codes)
    anchors = checked_codes("anchor_reports", anchor_reports, n, (0, 1))
    drawn = None if weights is None else Drawn.of(weights, n)
    data = AnchoredData(
        2 * codes + anchors,
        kind_chances(design),
        columns_from(covariates, n, names, intercept=True),
        columns_from(attention_covariates, n, attention_covariate_names, intercept=True),
        link_named(link),
        None if drawn is None else drawn.weights,
    )
    return _model(*_fit(data, _starts(data, design, codes, anchors)), drawn)


def _starts(
    data: AnchoredData, design: AnchoredCrosswise, codes: IntArray, anchors: IntArray
) -> Iterator[FloatArray]:
    """Attention and prevalence common to all people: those of the moments, then some others."""
    shares = (float(data.weighted(reports.astype(float)).mean()) for reports in (codes, anchors))
    first, second = (float(theta) for theta in design.solve((next(shares), next(shares))))
    attentive = float(np.clip(first, 0.2, 0.95))
    # Not from the ends of the range, where links are flat.
    moments = (attentive, float(np.clip(second / attentive, 0.1, 0.9)))
    for attention, prevalence in (moments, *_STARTS):
        eta = float(data.link.quantile(np.array(prevalence)))
        zeta = float(np.log(attention / (1 - attention)))
        trait, other = (part.orthogonal.mean(axis=1) for part in (data.trait, data.attention))
        yield np.concatenate([trait * eta, other * zeta])


def _fit(data: AnchoredData, starts: Iterable[FloatArray]) -> tuple[AnchoredPoint, int]:
    """The highest maximum from the starts, and its iterations.

    Raises SeparationError where the likelihood is higher still far out, ConvergenceError.
    """
    try:
        return highest_maximum(data.at, partial(_climb, data), starts)
    except Flat as flat:
        raise _separation(data, flat) from flat
    except Unsettled as unsettled:
        remedy = "the likelihood did not settle: leave this column out"
        raise unsettled.refusal(_labels(data), remedy) from unsettled


def _climb(data: AnchoredData, start: FloatArray) -> tuple[AnchoredPoint, int]:
    point, iterations = maximise(data.at, start, Box.of(len(start)), _safe_part)
    values, vectors = np.linalg.eigh(point.observed)
    if not values[0] > _UNIDENTIFIED * point.expected.diagonal().max():
        raise Flat(vectors[:, 0], point.parameters)
    return point, iterations


def _safe_part(point: AnchoredPoint, step: FloatArray) -> float:
    """Far out both links are flat, and a step that lands there cannot come back."""
    parts = []
    for move, at in zip(
        point.data.predictors(step), point.data.predictors(point.parameters), strict=True
    ):
        allowed = _LONGEST_MOVE + float(np.abs(at).max()) / 2
        parts.append(part_within(allowed, float(np.abs(move).max())))
    return min(parts)


def _model(point: AnchoredPoint, iterations: int, drawn: Drawn | None) -> AnchoredOutcomeModel:
    data, count = point.data, point.data.trait.count
    covariance, degrees = _covariance(point, drawn)
    trait, attention = data.trait.transform, data.attention.transform
    return AnchoredOutcomeModel(
        names=data.trait.names,
        coefficients=read_only(trait @ point.parameters[:count]),
        covariance=read_only(trait @ covariance[:count, :count] @ trait.T),
        link=data.link.name,
        log_likelihood=point.log_likelihood * (1.0 if drawn is None else drawn.unit),
        n=data.trait.n,
        iterations=iterations,
        factors=data.trait.factors,
        attention=Coefficients(
            data.attention.names,
            read_only(attention @ point.parameters[count:]),
            read_only(attention @ covariance[count:, count:] @ attention.T),
            degrees=degrees,
        ),
        attentive_share=float(data.weighted(point.attentive).mean()),
        attention_factors=data.attention.factors,
        degrees=degrees,
        covariance_kind="observed" if drawn is None else "sandwich",
    )


def _covariance(point: AnchoredPoint, drawn: Drawn | None) -> tuple[FloatArray, float]:
    """Of all parameters (q, q), and its degrees of freedom."""
    if drawn is None:
        return np.asarray(np.linalg.inv(point.observed), dtype=np.float64), np.inf

    def refitted(weights: FloatArray) -> FloatArray:
        return _fit(replace(point.data, weights=weights), [point.parameters])[0].parameters

    return drawn.covariance(point, refitted), drawn.degrees(len(point.parameters))


def _labels(data: AnchoredData) -> tuple[str, ...]:
    return (*data.trait.names, *(f"attention: {name}" for name in data.attention.names))


def _separation(data: AnchoredData, flat: Flat) -> SeparationError:
    """Names what has grown furthest: a covariate, rather than the intercept beside it."""
    eta, zeta = data.predictors(flat.parameters)
    # Where hardly anyone attends, no report holds the trait's coefficients back either.
    gained = data.at(flat.parameters).log_likelihood - data.guessed
    if gained < _UNATTENDED or np.abs(zeta).max() > np.abs(eta).max():
        return _attention_separation(data.attention, flat.parameters[data.trait.count :], zeta)
    names, value = _grown(data.trait, flat.parameters[: data.trait.count])
    if not names:
        remedy = (
            "the reports are as if none, or all, of those who attend had the trait, so the "
            "intercept is infinite: estimate the prevalence instead, or collect more answers"
        )
        return SeparationError(INTERCEPT, value, remedy)
    remedy = (
        "the coefficient grows without limit (in some group the share is 0 or 1). Leave the "
        "column out, merge its rare groups, or collect more answers"
    )
    return SeparationError(f"column {', '.join(names)}", value, remedy)


def _attention_separation(
    columns: Columns, parameters: FloatArray, zeta: FloatArray
) -> SeparationError:
    names, value = _grown(columns, parameters)
    if names:
        remedy = (
            "its coefficient of attention grows without end (a group in which all attend, or "
            "none): leave it out of attention_covariates, or merge its rare groups"
        )
        return SeparationError(f"column {', '.join(names)}", value, remedy)
    if zeta.mean() > 0:
        remedy = (
            "the anchor is answered as if all people attended, and then this is the model of "
            "fit_outcome_model with Crosswise: fit that one"
        )
        return SeparationError("attention", "1", remedy)
    remedy = "the reports are as if no one attended: the prevalence cannot be corrected"
    return SeparationError("attention", "0", remedy)


def _grown(columns: Columns, parameters: FloatArray) -> tuple[list[str], list[float]]:
    """The covariates that have grown, and all coefficients, rounded."""
    influence = columns.influence_of(parameters)
    large = influence >= _NAMED_PART * influence.max(initial=0.0)
    names = [n for n, big in zip(columns.names, large, strict=True) if big and n != INTERCEPT]
    return names, [round(float(each), 3) for each in columns.transform @ parameters]
