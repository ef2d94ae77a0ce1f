"""Linear and logistic regression on a predictor that is known by randomized reports only.

The reports are not plugged in: the outcome and the report are fitted together, as a mixture over
the hidden true level. Source: van den Hout and Kooiman (2006) for the linear model; Blair, Imai
and Zhou (2015) for the logistic one. The published EM of the latter leaves out the
forced answers in its M-step; here the observed-data likelihood itself is maximised.
"""

from collections.abc import Sequence

from numpy.typing import ArrayLike

from ...columns import checked_column, require_aligned
from ...designs.design import DesignLike
from ...designs.two_group import TwoGroupDesign
from ...errors import RegressionError
from ...samples.survey_samples import Sample
from ...threads import on_one_thread
from ..covariances import drawn_or_counted
from ..covariates import SAME, columns_from, trait_columns
from ..devices import checked_reports
from .outcome_families import NORMAL
from .predictor_tasks import (
    HiddenReports,
    PredictorModel,
    PredictorTask,
    Traits,
    fit_linear_task,
    yes_or_no,
)


@on_one_thread
def fit_linear_predictor_model(
    designs: DesignLike | TwoGroupDesign | Sequence[DesignLike],
    reports: ArrayLike,
    outcome: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    trait_name: str = "trait",
    trait_covariates: ArrayLike | None = SAME,
    trait_covariate_names: Sequence[str] | None = None,
    weights: ArrayLike | Sample | None = None,
    counts: ArrayLike | None = None,
) -> PredictorModel:
    """Fit outcome = b0 + b'x + d_t + normal error, where the level t is reported at random.

    ``outcome`` (n,) numbers; ``reports`` (n,) levels; ``covariates`` (n, p) without an
    intercept. The trait's shares depend on the covariates too, or on ``trait_covariates`` (n, r) of
    their own; with None they are the same for all people, as in RRreg, and effects are biased where
    the trait goes with a covariate.
    ``groups`` (n,) of 1 and 2: for a two-group design, whose unknown is estimated, too, as
    ``auxiliary``, by a chance that does not depend on the outcome.
    Maximises the likelihood of outcome and report together; ``weights`` (n,) of a sample, or a
    ``survey_sample`` or ``replicated_sample``, weight it, and then errors are those of how people
    were drawn. ``counts`` (n,): how many people gave each row, in place of weights.
    Raises DesignError, RegressionError, WeightsError, CollinearityError, SeparationError,
    ConvergenceError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_linear_predictor_model
    >>> reports, outcome = [0, 0, 0, 1, 1, 1, 0, 1], [2, 3, 2.5, 6, 5, 5.5, 5, 3]
    >>> model = fit_linear_predictor_model(Warner(0.8), reports, outcome)
    >>> model.names, model.coefficients.round(3).tolist()
    (('intercept', 'trait'), [2.625, 2.75])
    """
    rows = {"outcome": outcome, "covariates": covariates, "trait_covariates": trait_covariates}
    people = {"weights": weights, "counts": counts, "groups": groups}
    require_aligned(RegressionError, reports=reports, designs=designs, **people, **rows)
    codes = checked_reports(reports)
    y = checked_column("outcome", outcome, RegressionError, len(codes))
    columns = columns_from(covariates, len(codes), names, intercept=True)
    trait = trait_columns(trait_covariates, len(codes), trait_covariate_names, columns)
    drawn = drawn_or_counted(weights, counts, len(codes))
    hidden = HiddenReports.of(designs, groups, codes)
    traits = Traits.single(trait_name, hidden.levels)
    task = PredictorTask(columns, trait, traits, NORMAL, y, drawn, **hidden.share_fields)
    return hidden.named(fit_linear_task(task, hidden.likelihoods))


@on_one_thread
def fit_logistic_predictor_model(
    designs: DesignLike | TwoGroupDesign | Sequence[DesignLike],
    reports: ArrayLike,
    outcome: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    trait_name: str = "trait",
    names: Sequence[str] | None = None,
    outcome_design: DesignLike | Sequence[DesignLike] | None = None,
    weights: ArrayLike | Sample | None = None,
    counts: ArrayLike | None = None,
) -> PredictorModel:
    """Fit logit P(outcome = 1) = b0 + b'x + d_t and logit P(t | x) together.

    ``outcome`` (n,) of 0 and 1; both models have the same covariates. ``outcome_design``: where the
    outcome was reported at random, too, by chances of its own; ``outcome`` are then its reports.
    Else as ``fit_linear_predictor_model``.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_logistic_predictor_model
    >>> reports, outcome = [0] * 60 + [1] * 40, [0] * 40 + [1] * 20 + [0] * 15 + [1] * 25
    >>> model = fit_logistic_predictor_model(Warner(0.9), reports, outcome)
    >>> model.names, model.coefficients.round(3).tolist()
    (('intercept', 'trait'), [-0.8, 1.569])
    """
    rows = {"outcome": outcome, "covariates": covariates, "outcome_design": outcome_design}
    people = {"weights": weights, "counts": counts, "groups": groups}
    require_aligned(RegressionError, reports=reports, designs=designs, **people, **rows)
    codes = checked_reports(reports)
    y, family = yes_or_no(outcome, outcome_design, len(codes))
    columns = columns_from(covariates, len(codes), names, intercept=True)
    drawn = drawn_or_counted(weights, counts, len(codes))
    hidden = HiddenReports.of(designs, groups, codes)
    traits = Traits.single(trait_name, hidden.levels)
    task = PredictorTask(columns, columns, traits, family, y, drawn, **hidden.share_fields)
    return hidden.named(task.fit(hidden.likelihoods))
