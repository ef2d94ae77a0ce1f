"""Linear and logistic regression on several predictors, each known by randomized reports only.

Together the traits are one hidden trait whose levels are all combinations of theirs. Its shares are
free, so traits may go together in any way; on the outcome each trait has effects of its own, which
add up. With direct answers this is least squares or logistic regression on indicators. RRreg's
RRlin has the same model for a numeric outcome, without covariates of the traits.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import FloatArray
from ...columns import checked_column, require_aligned
from ...designs.design import DesignLike
from ...errors import RegressionError
from ...messages import sentence
from ...samples.survey_samples import Sample
from ...threads import on_one_thread
from ..covariances import drawn_or_counted
from ..covariates import SAME, columns_from, trait_columns
from ..devices import checked_reports, level_likelihoods
from ..reported_columns import Reported, checked_predictors, level_names
from .outcome_families import NORMAL
from .predictor_tasks import (
    PredictorModel,
    PredictorTask,
    Traits,
    fit_linear_task,
    yes_or_no,
)

# Each is a class of the mixture; their number multiplies with each predictor.
_MOST_COMBINATIONS = 16


@on_one_thread
def fit_several_predictors_model(
    predictors: Mapping[str, Reported],
    outcome: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    family: str = "linear",
    names: Sequence[str] | None = None,
    trait_covariates: ArrayLike | None = SAME,
    trait_covariate_names: Sequence[str] | None = None,
    outcome_design: DesignLike | Sequence[DesignLike] | None = None,
    weights: ArrayLike | Sample | None = None,
    counts: ArrayLike | None = None,
) -> PredictorModel:
    """Fit outcome = b0 + b'x + effects of several traits that are reported at random.

    ``predictors``: of each trait, or of one, its name with its design (or one per person) and its
    reports (n,); together at most 16 combinations of levels. ``family``: linear, with a normal
    error, or logistic, for an outcome of 0 and 1. ``shares`` of the model are those of the
    combinations, the
    last trait's levels changing first; they depend on ``trait_covariates``. ``outcome_design``: of
    a logistic outcome that was reported at random, too. Else as ``fit_linear_predictor_model``.

    >>> from randomized_response.designs import Direct, Warner
    >>> from randomized_response.regression import fit_several_predictors_model
    >>> smokes, drinks = [0, 0, 1, 1, 0, 1, 1, 0] * 5, [0, 1, 0, 1] * 10
    >>> outcome = [2, 5, 3, 6.5, 1, 4, 7, 3] * 5
    >>> predictors = {"smokes": (Warner(0.95), smokes), "drinks": (Direct(2), drinks)}
    >>> model = fit_several_predictors_model(predictors, outcome)
    >>> model.names, model.coefficients.round(2).tolist()
    (('intercept', 'smokes', 'drinks'), [2.08, 2.41, 1.36])
    """
    rows: dict[str, Any] = {"covariates": covariates, "trait_covariates": trait_covariates}
    rows |= {"weights": weights, "counts": counts, "outcome_design": outcome_design}
    aligned: dict[str, Any] = {
        f"reports of {name}": each[1] for name, each in checked_predictors(predictors)
    }
    require_aligned(RegressionError, outcome=outcome, **aligned, **rows)
    likelihoods = [_likelihoods(*each) for each in predictors.values()]
    n = likelihoods[0].shape[1]
    for name, each in zip(predictors, likelihoods, strict=True):
        if each.shape[1] != n:
            remedy = f"give as many as for the first predictor: {n}"
            raise RegressionError(f"reports of {name}", each.shape[1], remedy)
    traits = _traits(list(predictors), [len(each) for each in likelihoods])
    is_linear = _checked_family(family, outcome_design)
    y, normal_or_logistic = (
        (checked_column("outcome", outcome, RegressionError, n), NORMAL)
        if is_linear
        else yes_or_no(outcome, outcome_design, n)
    )
    columns = columns_from(covariates, n, names, intercept=True)
    trait = trait_columns(trait_covariates, n, trait_covariate_names, columns)
    drawn = drawn_or_counted(weights, counts, n)
    task = PredictorTask(columns, trait, traits, normal_or_logistic, y, drawn)
    combined = _combined(likelihoods)
    return fit_linear_task(task, combined) if is_linear else task.fit(combined)


def _checked_family(family: str, outcome_design: object) -> bool:
    """Whether it is the linear one. Raises RegressionError."""
    if family not in ("linear", "logistic"):
        raise RegressionError("family", family, "choose linear or logistic")
    if family == "linear" and outcome_design is not None:
        remedy = "numbers have none here: leave it out, or choose the logistic family"
        raise RegressionError("outcome_design", "given", remedy)
    return family == "linear"


def _likelihoods(designs: DesignLike | Sequence[DesignLike], reports: ArrayLike) -> FloatArray:
    """P(report | level) of one trait: (k, n)."""
    return level_likelihoods(designs, checked_reports(reports))


def _combined(likelihoods: Sequence[FloatArray]) -> FloatArray:
    """P(all reports | levels of all traits): (combinations, n)."""
    rows = product(*likelihoods)
    return np.array([np.prod(row, axis=0) for row in rows])


def _traits(names: list[str], levels: list[int]) -> Traits:
    """Raises RegressionError for too many combinations."""
    if prod(levels) > _MOST_COMBINATIONS:
        remedy = sentence(
            "together these predictors have at most {most} combinations of answers. Choose fewer",
            most=_MOST_COMBINATIONS,
        )
        raise RegressionError("predictors", f"{prod(levels)} combinations", remedy)
    effects = [level_names(name, count) for name, count in zip(names, levels, strict=True)]
    combinations = list(product(*map(range, levels)))
    contrasts = [
        np.hstack([_indicators(*pair) for pair in zip(at, levels, strict=True)])
        for at in combinations
    ]
    combined = [
        " & ".join(each[level - 1] for each, level in zip(effects, at, strict=True) if level)
        for at in combinations[1:]
    ]
    return Traits(
        tuple(names),
        tuple(combined),
        tuple(name for each in effects for name in each),
        np.array(contrasts),
    )


def _indicators(level: int, levels: int) -> FloatArray:
    """1 for the effect of this level, if it is above 0: (levels - 1,)."""
    return np.eye(levels)[level, 1:]
