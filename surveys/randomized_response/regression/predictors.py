"""PredictorModel: linear and logistic regression on a predictor known by randomized reports only.

The reports are not plugged in: the outcome and the report are fitted together, as a mixture over
the hidden true level. Source: van den Hout and Kooiman (2006) for the linear model; Blair, Imai
and Zhou (2015) for the logistic one. The published EM of the latter leaves out the
forced answers in its M-step; here the observed-data likelihood itself is maximised.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np
from numpy.typing import ArrayLike

from ..checks import FloatArray
from ..columns import checked_column, require_aligned
from ..designs.design import DesignLike
from ..errors import EstimationError, RegressionError, SeparationError
from ..printing import cell
from ..samples.survey_samples import Sample
from ..threads import on_one_thread
from .covariances import Drawn
from .covariates import INTERCEPT, Columns, columns_from
from .devices import checked_codes, checked_reports, level_likelihoods
from .factors import Factor
from .latent_trait import (
    LOGISTIC,
    NORMAL,
    Family,
    Revealed,
    TraitData,
    TraitOutcome,
    TraitPoint,
    best_maximum,
    starting_trait,
    trait_covariance,
)
from .predictions import Predictions
from .results import Coefficients, FittedModel
from .scoring import Flat, Unsettled

# Of each level, in standard deviations of a numeric outcome; the likelihood has several maxima.
_STARTING_EFFECTS = (0.0, 1.0, -1.0, 2.5, -2.5)
# All pairs of effects of three levels; of more levels the first ones.
_MOST_STARTS = 25


@dataclass(frozen=True)
class PredictorModel(FittedModel):
    """``names``: intercept, the covariates, then the trait (one name per level above 0).

    ``get_prediction`` takes columns for both: the outcome of people whose trait is known.

    ``trait``: the multinomial logit of the trait itself (only an intercept unless it has
    covariates). ``shares`` (k,): mean probability of each true level in the sample.
    ``residual_sd`` is None for a logistic outcome. Standard errors: observed information, or those
    of the sample where people have weights.
    """

    trait: Coefficients
    shares: FloatArray
    residual_sd: float | None

    @property
    def parameter_count(self) -> int:
        """The coefficients of outcome and trait, and the residual deviation."""
        return len(self.names) + len(self.trait.names) + (self.residual_sd is not None)

    def get_prediction(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> Predictions:
        """Mean outcome for rows of covariates, with a 0/1 column for each of the trait's levels.

        Those columns come last; of a frame they have the trait's names. Raises RegressionError and
        EstimationError.
        """
        return replace(super().get_prediction(covariates, level), quantity="Mean outcome")

    @property
    def _below(self) -> list[str]:
        """The coefficients of the trait itself."""
        spread = [] if self.residual_sd is None else [f"residual sd: {cell(self.residual_sd)}"]
        shares = f"Trait, shares of the levels: {', '.join(map(cell, self.shares.tolist()))}"
        return [*spread, shares, str(self.trait)]


@on_one_thread
def fit_linear_predictor_model(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    outcome: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    trait_name: str = "trait",
    trait_covariates: ArrayLike | None = None,
    trait_covariate_names: Sequence[str] | None = None,
    weights: ArrayLike | Sample | None = None,
) -> PredictorModel:
    """Fit outcome = b0 + b'x + d_t + normal error, where the level t is reported at random.

    ``outcome`` (n,) numbers; ``reports`` (n,) levels; ``covariates`` (n, p) without an
    intercept. The trait's shares are the same for all people unless they depend on
    ``trait_covariates`` (n, r): give those that go with the trait, or its effect is biased.
    Maximises the likelihood of outcome and report together; ``weights`` (n,) of a sample, or a
    ``survey_sample`` or ``replicated_sample``, weight it, and then errors are those of how people
    were drawn. Raises DesignError, RegressionError, WeightsError, CollinearityError,
    SeparationError, ConvergenceError.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_linear_predictor_model
    >>> reports, outcome = [0, 0, 0, 1, 1, 1, 0, 1], [2, 3, 2.5, 6, 5, 5.5, 5, 3]
    >>> model = fit_linear_predictor_model(Warner(0.8), reports, outcome)
    >>> model.names, model.coefficients.round(3).tolist()
    (('intercept', 'trait'), [2.625, 2.75])
    """
    rows = {"outcome": outcome, "covariates": covariates, "trait_covariates": trait_covariates}
    require_aligned(RegressionError, reports=reports, designs=designs, weights=weights, **rows)
    codes = checked_reports(reports)
    y = checked_column("outcome", outcome, RegressionError, len(codes))
    spread = float(y.std())
    if not spread > 0:
        raise RegressionError("outcome", float(y[0]), "it is the same for all people")
    columns = columns_from(covariates, len(codes), names, intercept=True)
    trait = columns_from(trait_covariates, len(codes), trait_covariate_names, intercept=True)
    centre = float(y.mean())
    # On a scale of its own, so that starts and tolerances do not depend on the unit.
    drawn = None if weights is None else Drawn.of(weights, len(codes))
    task = _Task(columns, trait, trait_name, NORMAL, (y - centre) / spread, drawn)
    likelihoods = level_likelihoods(designs, codes)
    values = np.unique(y)
    # Each value can be taken for a level of its own, which leaves no residual variance.
    if len(values) <= len(likelihoods) and likelihoods.min() > 0:
        raise _revealed(f"{len(values)} different values")
    model = task.fit(likelihoods)
    people = len(codes) * (1.0 if drawn is None else drawn.unit)
    return _rescaled(model, centre, spread, people)


@on_one_thread
def fit_logistic_predictor_model(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    outcome: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    trait_name: str = "trait",
    names: Sequence[str] | None = None,
    weights: ArrayLike | Sample | None = None,
) -> PredictorModel:
    """Fit logit P(outcome = 1) = b0 + b'x + d_t and logit P(t | x) together.

    ``outcome`` (n,) of 0 and 1; both models have the same covariates. Else as
    ``fit_linear_predictor_model``.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_logistic_predictor_model
    >>> reports, outcome = [0] * 60 + [1] * 40, [0] * 40 + [1] * 20 + [0] * 15 + [1] * 25
    >>> model = fit_logistic_predictor_model(Warner(0.9), reports, outcome)
    >>> model.names, model.coefficients.round(3).tolist()
    (('intercept', 'trait'), [-0.8, 1.569])
    """
    rows = {"outcome": outcome, "covariates": covariates, "weights": weights}
    require_aligned(RegressionError, reports=reports, designs=designs, **rows)
    codes = checked_reports(reports)
    y = checked_codes("outcome", outcome, len(codes), (0, 1)).astype(float)
    columns = columns_from(covariates, len(codes), names, intercept=True)
    drawn = None if weights is None else Drawn.of(weights, len(codes))
    task = _Task(columns, columns, trait_name, LOGISTIC, y, drawn)
    return task.fit(level_likelihoods(designs, codes))


@dataclass(frozen=True)
class _Task:
    columns: Columns
    trait: Columns
    trait_name: str
    family: Family
    outcome: FloatArray
    drawn: Drawn | None

    def fit(self, likelihoods: FloatArray) -> PredictorModel:
        """The highest maximum from several starting effects of the trait."""
        name = self.trait_name
        if not isinstance(name, str) or not name.strip() or name in self.columns.names:
            raise RegressionError("trait_name", self.trait_name, "give a name of its own")
        outcome = TraitOutcome(self.outcome, self.family, self.columns.orthogonal)
        counts = None if self.drawn is None else self.drawn.weights
        data = TraitData(likelihoods, self.trait.orthogonal, outcome, counts)
        effects = product(_STARTING_EFFECTS, repeat=data.levels - 1)
        starts = [self._start(data, each) for each in islice(effects, _MOST_STARTS)]
        try:
            return self._model(*best_maximum(data, starts))
        except Revealed as revealed:
            raise _revealed("no residual variance") from revealed
        except Flat as flat:
            raise self._flat(flat.direction) from flat
        except Unsettled as unsettled:
            remedy = "the likelihood did not settle: leave this column out"
            raise unsettled.refusal(self._names(data.levels), remedy) from unsettled

    def _start(self, data: TraitData, effects: tuple[float, ...]) -> FloatArray:
        start = np.zeros(data.size)
        start[: data.trait_size] = starting_trait(data)
        start[data.effects_start : data.effects_start + data.levels - 1] = effects
        return start

    def _model(self, point: TraitPoint, iterations: int) -> PredictorModel:
        data = point.data
        covariance, degrees = trait_covariance(point, self.drawn)
        outcome = self._outcome_map(data)
        trait = np.kron(np.eye(data.levels - 1), self.trait.transform)
        first, last = data.trait_size, data.effects_start + data.levels - 1
        names = self._names(data.levels)
        return PredictorModel(
            names=names[first:last],
            coefficients=outcome @ point.parameters[first:last],
            covariance=outcome @ covariance[first:last, first:last] @ outcome.T,
            trait=Coefficients(
                names[:first],
                trait @ point.parameters[:first],
                trait @ covariance[:first, :first] @ trait.T,
                degrees=degrees,
            ),
            shares=data.weighted(point.posterior).mean(axis=1),
            residual_sd=float(np.exp(point.parameters[-1])) if self.family.spread else None,
            link="identity" if self.family.spread else "logit",
            log_likelihood=point.log_likelihood * (1.0 if self.drawn is None else self.drawn.unit),
            n=self.columns.n,
            iterations=iterations,
            factors=(
                *self.columns.factors,
                *map(Factor, level_names(self.trait_name, data.levels)),
            ),
            degrees=degrees,
            covariance_kind="observed" if self.drawn is None else "sandwich",
        )

    def _outcome_map(self, data: TraitData) -> FloatArray:
        count, effects = self.columns.count, data.levels - 1
        return np.block(
            [
                [self.columns.transform, np.zeros((count, effects))],
                [np.zeros((effects, count)), np.eye(effects)],
            ]
        )

    def _names(self, levels: int) -> tuple[str, ...]:
        """One name per parameter."""
        effects = level_names(self.trait_name, levels)
        trait = tuple(
            f"{effect}: {name}" if levels > 2 else name
            for effect in effects
            for name in self.trait.names
        )
        spread = ("residual_sd",) if self.family.spread else ()
        return (*trait, *self.columns.names, *effects, *spread)

    def _flat(self, direction: FloatArray) -> EstimationError:
        names = self._names(
            1 + (len(direction) - self.columns.count - self.family.spread) // (self.trait.count + 1)
        )
        name = names[int(np.argmax(np.abs(direction)))]
        remedy = (
            "the data do not hold this coefficient back (a level of the trait that hardly "
            "occurs, or a group whose share is 0 or 1): leave it out, or collect more answers"
        )
        return SeparationError(f"column {name}", "unbounded", remedy)


def _revealed(value: object) -> RegressionError:
    remedy = (
        "the outcome reveals the trait: with one value per level nothing is left to chance, and "
        "the likelihood has no maximum. Take the trait from the outcome itself, or fit an outcome "
        "of 0 and 1 with fit_logistic_predictor_model"
    )
    return RegressionError("outcome", value, remedy)


def level_names(trait: str, levels: int) -> tuple[str, ...]:
    """The trait's name, or for more than two levels one name per level above 0."""
    return (trait,) if levels == 2 else tuple(f"{trait}[{t}]" for t in range(1, levels))


def _rescaled(model: PredictorModel, centre: float, spread: float, people: float) -> PredictorModel:
    """Back from an outcome with mean 0 and variance 1."""
    intercept = np.array([name == INTERCEPT for name in model.names])
    return replace(
        model,
        coefficients=model.coefficients * spread + intercept * centre,
        covariance=model.covariance * spread**2,
        residual_sd=None if model.residual_sd is None else model.residual_sd * spread,
        log_likelihood=model.log_likelihood - people * float(np.log(spread)),
    )
