"""Regression on a crosswise predictor, corrected by its anchor for people who do not attend.

Outcome, trait and attention are fitted together. With h the chance of the trait and t that of
attending, a person's outcome y and two reports have the likelihood

    sum over trait = 0, 1 of P(trait) f(y | trait, x) (t P(reports | trait) + (1 - t) / 4):

attention says nothing of the outcome beyond the covariates, as in ``cmreg.p`` of cWise. Source:
Atsusaka and Stevenson (2023).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...checks import FloatArray, require_kind
from ...columns import checked_column, require_aligned
from ...designs.two_group import AnchoredCrosswise
from ...errors import DesignError, RegressionError
from ...samples.survey_samples import Sample
from ...threads import on_one_thread
from ..covariances import Drawn
from ..covariates import SAME, columns_from, trait_columns
from ..devices import IntArray, checked_codes
from ..hidden.outcome_families import LOGISTIC, NORMAL
from ..hidden.predictor_tasks import PredictorModel, PredictorTask, Traits, fit_linear_task
from .anchored_likelihood import kind_chances


@on_one_thread
def fit_anchored_linear_predictor_model(
    design: AnchoredCrosswise,
    reports: ArrayLike,
    anchor_reports: ArrayLike,
    outcome: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    trait_name: str = "trait",
    attention_covariates: ArrayLike | None = None,
    attention_covariate_names: Sequence[str] | None = None,
    trait_covariates: ArrayLike | None = SAME,
    trait_covariate_names: Sequence[str] | None = None,
    weights: ArrayLike | Sample | None = None,
) -> PredictorModel:
    """Fit outcome = b0 + b'x + d trait + normal error, the trait known by crosswise reports.

    ``reports`` and ``anchor_reports`` (n,): 1 = "both or neither", 0 = "exactly one". Else as
    ``fit_linear_predictor_model``, and ``attention_covariates`` (n, r) for attending, which is the
    same for all people without them. Raises what that function does, and SeparationError where all
    people seem to attend, or none.

    >>> from randomized_response.designs import AnchoredCrosswise
    >>> from randomized_response.regression import fit_anchored_linear_predictor_model
    >>> design = AnchoredCrosswise(p_harmless_yes=0.2, p_anchor_yes=0.2)
    >>> reports, anchor_reports = [1] * 596 + [0] * 404, ([1] * 3 + [0]) * 250
    >>> outcome = [2, 3, 4, 3] * 149 + [3, 5, 6, 4] * 101
    >>> model = fit_anchored_linear_predictor_model(design, reports, anchor_reports, outcome)
    >>> model.names, model.coefficients.round(3).tolist()
    (('intercept', 'trait'), [3.098, 2.202])
    """
    rows = {"outcome": outcome, "covariates": covariates, "trait_covariates": trait_covariates}
    rows |= {"anchor_reports": anchor_reports, "attention_covariates": attention_covariates}
    require_aligned(RegressionError, reports=reports, weights=weights, **rows)
    codes, anchors = _reports(design, reports, anchor_reports)
    n = len(codes)
    columns = columns_from(covariates, n, names, intercept=True)
    task = PredictorTask(
        columns,
        trait_columns(trait_covariates, n, trait_covariate_names, columns),
        Traits.single(trait_name, 2),
        NORMAL,
        checked_column("outcome", outcome, RegressionError, n),
        None if weights is None else Drawn.of(weights, n),
        columns_from(attention_covariates, n, attention_covariate_names, intercept=True),
        _attentive(design, anchors),
    )
    return fit_linear_task(task, _likelihoods(design, codes, anchors))


@on_one_thread
def fit_anchored_logistic_predictor_model(
    design: AnchoredCrosswise,
    reports: ArrayLike,
    anchor_reports: ArrayLike,
    outcome: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    trait_name: str = "trait",
    names: Sequence[str] | None = None,
    attention_covariates: ArrayLike | None = None,
    attention_covariate_names: Sequence[str] | None = None,
    weights: ArrayLike | Sample | None = None,
) -> PredictorModel:
    """Fit logit P(outcome = 1) = b0 + b'x + d trait and logit P(trait | x), with who attends.

    ``outcome`` (n,) of 0 and 1; outcome and trait have the same covariates. Else as
    ``fit_anchored_linear_predictor_model``.

    >>> from randomized_response.designs import AnchoredCrosswise
    >>> from randomized_response.regression import fit_anchored_logistic_predictor_model
    >>> design = AnchoredCrosswise(p_harmless_yes=0.2, p_anchor_yes=0.2)
    >>> reports, anchor_reports = [1] * 596 + [0] * 404, ([1] * 3 + [0]) * 250
    >>> outcome = [0, 0, 0, 1] * 149 + [0, 1, 0, 1] * 101
    >>> model = fit_anchored_logistic_predictor_model(design, reports, anchor_reports, outcome)
    >>> model.names, model.coefficients.round(3).tolist()
    (('intercept', 'trait'), [-2.508, 3.89])
    """
    rows = {"outcome": outcome, "covariates": covariates, "anchor_reports": anchor_reports}
    rows["attention_covariates"] = attention_covariates
    require_aligned(RegressionError, reports=reports, weights=weights, **rows)
    codes, anchors = _reports(design, reports, anchor_reports)
    n = len(codes)
    columns = columns_from(covariates, n, names, intercept=True)
    attention = columns_from(attention_covariates, n, attention_covariate_names, intercept=True)
    drawn = None if weights is None else Drawn.of(weights, n)
    traits, attentive = Traits.single(trait_name, 2), _attentive(design, anchors)
    y = checked_codes("outcome", outcome, n, (0, 1)).astype(float)
    task = PredictorTask(columns, columns, traits, LOGISTIC, y, drawn, attention, attentive)
    return task.fit(_likelihoods(design, codes, anchors))


def _reports(
    design: AnchoredCrosswise, reports: ArrayLike, anchor_reports: ArrayLike
) -> tuple[IntArray, IntArray]:
    require_kind("design", design, AnchoredCrosswise, "give an AnchoredCrosswise", DesignError)
    codes = checked_codes("reports", reports, None, (0, 1))
    return codes, checked_codes("anchor_reports", anchor_reports, len(codes), (0, 1))


def _likelihoods(design: AnchoredCrosswise, codes: IntArray, anchors: IntArray) -> FloatArray:
    """P(both reports | trait) of people who attend, and below of others: (4, n)."""
    guess, non_carrier, carrier = kind_chances(design)[:, 2 * codes + anchors]
    return np.stack([non_carrier, carrier, guess, guess])


def _attentive(design: AnchoredCrosswise, anchors: IntArray) -> tuple[float]:
    """The share of people who attend by the anchor alone, not from the ends of its range."""
    share = (float(anchors.mean()) - 0.5) / (0.5 - float(design.p_anchor_yes))
    return (float(np.clip(share, 0.2, 0.95)),)
