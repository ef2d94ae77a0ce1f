"""PredictorModel and what its fits share: hidden traits, outcomes, and the best maximum."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import FloatArray
from ...designs.design import DesignLike
from ...designs.two_group import TwoGroupDesign
from ...errors import EstimationError, RegressionError, SeparationError
from ...messages import sentence
from ...printing import cell
from ..covariances import Counted, Drawn
from ..covariates import INTERCEPT, Columns, columns_from
from ..devices import (
    IntArray,
    checked_codes,
    device_of,
    level_likelihoods,
    refuse_groups,
    required_groups,
    two_group_device,
)
from ..factors import Factor
from ..predictions import Predictions
from ..reported_columns import level_names
from ..results import Auxiliary, Coefficients, FittedModel
from ..scoring import Flat, Unsettled
from .latent_trait import (
    Revealed,
    TraitData,
    TraitOutcome,
    TraitPoint,
    best_maximum,
    starting_trait,
    trait_covariance,
)
from .outcome_families import LOGISTIC, Family, reported_outcome

# Of each level, in standard deviations of a numeric outcome; the likelihood has several maxima.
_STARTING_EFFECTS = (0.0, 1.0, -1.0, 2.5, -2.5)
# What stands before the coefficients of attention, and the first of them.
_ATTENTION = "attention: "
_ATTENDING = f"{_ATTENTION}{INTERCEPT}"
_MOST_STARTS = 25
# Of a two-group design's unknown: one for each side, one between.
_STARTING_UNKNOWNS = (0.5, 0.9, 0.15)


@dataclass(frozen=True)
class PredictorModel(FittedModel):
    """``names``: intercept, the covariates, then the trait (one name per level above 0).

    ``get_prediction`` takes columns for both: the outcome of people whose trait is known.

    ``trait``: the multinomial logit of the trait itself (only an intercept unless it has
    covariates). ``shares`` (k,): mean probability of each true level in the sample.
    ``residual_sd`` is None for a logistic outcome. ``attention``: the logit of attending, with
    ``attentive_share``, its mean, where an anchor shows who attends. ``auxiliary``: the unknown of
    a two-group design. Standard errors: observed information, or those of the sample where people
    have weights.
    """

    trait: Coefficients
    shares: FloatArray
    residual_sd: float | None
    attention: Coefficients | None = None
    attentive_share: float | None = None
    auxiliary: Auxiliary | None = None

    @property
    def parameter_count(self) -> int:
        """The coefficients of outcome, trait and attention, the unknown, the residual deviation."""
        attention = () if self.attention is None else self.attention.names
        single = (self.residual_sd is not None) + (self.auxiliary is not None)
        return len(self.names) + len(self.trait.names) + len(attention) + single

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
        below = [*spread, shares, str(self.trait)]
        if self.attention is not None:
            below += [f"Attention, mean share: {cell(self.attentive_share)}", str(self.attention)]
        return below if self.auxiliary is None else [*below, str(self.auxiliary)]


def fit_linear_task(task: "PredictorTask", likelihoods: FloatArray) -> PredictorModel:
    """Fit a numeric outcome.

    Raises RegressionError where it does not vary, or reveals the trait.
    """
    y = task.outcome
    centre, spread = float(y.mean()), float(y.std())
    if not spread > 0:
        raise RegressionError("outcome", float(y[0]), "it is the same for all people")
    values = np.unique(y)
    # Each value can be taken for a level of its own, which leaves no residual variance.
    if len(values) <= task.levels_of(likelihoods) and likelihoods.min() > 0:
        raise _revealed(f"{len(values)} different values")
    # On a scale of its own, so that starts and tolerances do not depend on the unit.
    model = replace(task, outcome=(y - centre) / spread).fit(likelihoods)
    people = len(y) * (1.0 if task.drawn is None else task.drawn.unit)
    return _rescaled(model, centre, spread, people)


def yes_or_no(
    outcome: ArrayLike, design: DesignLike | Sequence[DesignLike] | None, n: int
) -> tuple[FloatArray, Family]:
    """An outcome of 0 and 1, (n,), with its family; with a ``design`` it was reported at random.

    Raises DesignError, RegressionError.
    """
    if design is None:
        return checked_codes("outcome", outcome, n, (0, 1)).astype(float), LOGISTIC
    codes = checked_codes("outcome", outcome, n, None)
    device = device_of(design, codes, argument="outcome")
    return codes.astype(float), reported_outcome(device.reported)


@dataclass(frozen=True)
class HiddenReports:
    """P(report | level), (k, n), and the name of a two-group design's unknown.

    With an unknown the rows are (2 k, n): reports are a mixture of those at 1 and, below, at 0, as
    chances are linear in it; so it is fitted as who attends is.
    """

    likelihoods: FloatArray
    unknown: str | None = None

    @classmethod
    def of(
        cls,
        designs: DesignLike | TwoGroupDesign | Sequence[DesignLike],
        groups: ArrayLike | None,
        reports: IntArray,
    ) -> "HiddenReports":
        """Raises DesignError, and RegressionError for groups and reports."""
        if not isinstance(designs, TwoGroupDesign):
            refuse_groups(groups)
            return cls(level_likelihoods(designs, reports))
        device = two_group_device(designs, required_groups(groups), reports)
        ends = [device.reported.at(end) for end in (1.0, 0.0)]
        rows = [np.broadcast_to(row, len(reports)) for yes, no in ends for row in (no, yes)]
        return cls(np.array(rows, dtype=np.float64), device.unknown)

    @property
    def levels(self) -> int:
        """Of the trait."""
        return len(self.likelihoods) // (1 if self.unknown is None else 2)

    @property
    def share_fields(self) -> dict[str, Any]:
        """The fields of a task in which the unknown is one share of all people."""
        if self.unknown is None:
            return {}
        constant = columns_from(None, self.likelihoods.shape[1], None, intercept=True)
        return {
            "attention": constant,
            "attentive": _STARTING_UNKNOWNS,
            "attention_name": self.unknown,
        }

    def named(self, model: PredictorModel) -> PredictorModel:
        """The model with the unknown by its name."""
        if self.unknown is None or model.attention is None or model.attentive_share is None:
            return model
        share = model.attentive_share
        error = share * (1 - share) * float(model.attention.standard_errors[0])
        unknown = Auxiliary(self.unknown, share, error)
        return replace(model, attention=None, attentive_share=None, auxiliary=unknown)


@dataclass(frozen=True)
class Traits:
    """Names of what is hidden: traits, their levels above 0, and their effects.

    ``contrasts`` (k, effects): how each level counts the effects; None if each has its own.
    """

    names: tuple[str, ...]
    levels: tuple[str, ...]
    effects: tuple[str, ...]
    contrasts: FloatArray | None = None

    @classmethod
    def single(cls, name: str, levels: int) -> "Traits":
        """One trait, each of whose levels above 0 has an effect."""
        named = level_names(name, levels)
        return cls((name,), named, named)

    def check(self, used: Sequence[str]) -> None:
        """Raise RegressionError for a name that is none, or is a covariate's."""
        for name in self.names:
            if not isinstance(name, str) or not name.strip() or name in used:
                raise RegressionError("trait_name", name, "give a name of its own")


@dataclass(frozen=True)
class PredictorTask:
    """What a fit with a hidden predictor needs, beside P(report | level).

    ``attention``: covariates of attending, where that is hidden too, or of what else is called
    ``attention_name``; ``attentive``: shares of people who attend to start from.
    """

    columns: Columns
    trait: Columns
    traits: Traits
    family: Family
    outcome: FloatArray
    drawn: Drawn | Counted | None
    attention: Columns | None = None
    attentive: tuple[float, ...] = (1.0,)
    attention_name: str = "attention"

    def levels_of(self, likelihoods: FloatArray) -> int:
        """How many levels the trait has."""
        return len(likelihoods) // (1 if self.attention is None else 2)

    def fit(self, likelihoods: FloatArray) -> PredictorModel:
        """The highest maximum from several starting effects of the trait."""
        self.traits.check(self.columns.names)
        outcome = TraitOutcome(self.outcome, self.family, self.columns.orthogonal)
        counts = None if self.drawn is None else self.drawn.weights
        attention = None if self.attention is None else self.attention.orthogonal
        trait, contrasts = self.trait.orthogonal, self.traits.contrasts
        data = TraitData(likelihoods, trait, outcome, counts, attention, contrasts)
        starts = [
            self._start(data, each, attentive)
            for each, attentive in product(_starting_effects(data.effects), self.attentive)
        ]
        try:
            return self._model(*best_maximum(data, starts))
        except Revealed as revealed:
            raise _revealed("no residual variance") from revealed
        except Flat as flat:
            raise self._flat(data, flat.direction) from flat
        except Unsettled as unsettled:
            remedy = sentence(
                "the maximum-likelihood calculation did not converge. Leave out this column"
            )
            raise unsettled.refusal(self._names, remedy) from unsettled

    def _start(self, data: TraitData, effects: tuple[float, ...], attentive: float) -> FloatArray:
        start = np.zeros(data.size)
        start[: data.trait_size] = starting_trait(data, attentive)
        if self.attention is not None:
            zeta = float(np.log(attentive / (1 - attentive)))
            means = self.attention.orthogonal.mean(axis=1)
            start[data.trait_size : data.outcome_start] = means * zeta
        start[data.effects_start : data.effects_start + data.effects] = effects
        return start

    def _model(self, point: TraitPoint, iterations: int) -> PredictorModel:
        data = point.data
        covariance, degrees = trait_covariance(point, self.drawn)
        outcome = self._outcome_map(data)
        trait = np.kron(np.eye(data.levels - 1), self.trait.transform)
        size, first, last = (
            data.trait_size,
            data.outcome_start,
            data.effects_start + data.effects,
        )
        names = self._names
        return PredictorModel(
            names=names[first:last],
            coefficients=outcome @ point.parameters[first:last],
            covariance=outcome @ covariance[first:last, first:last] @ outcome.T,
            trait=Coefficients(
                names[:size],
                trait @ point.parameters[:size],
                trait @ covariance[:size, :size] @ trait.T,
                degrees=degrees,
            ),
            **self._attending(point, covariance, degrees),
            shares=data.weighted(point.posterior).mean(axis=1),
            residual_sd=float(np.exp(point.parameters[-1])) if self.family.spread else None,
            link="identity" if self.family.spread else "logit",
            log_likelihood=point.log_likelihood * (1.0 if self.drawn is None else self.drawn.unit),
            n=self._people,
            iterations=iterations,
            factors=(*self.columns.factors, *map(Factor, self.traits.effects)),
            degrees=degrees,
            covariance_kind="sandwich" if isinstance(self.drawn, Drawn) else "observed",
        )

    @property
    def _people(self) -> int:
        rows = self.columns.n
        return round(rows * self.drawn.unit) if isinstance(self.drawn, Counted) else rows

    def _attending(
        self, point: TraitPoint, covariance: FloatArray, degrees: float
    ) -> dict[str, Any]:
        """The coefficients of attention and its mean share, where it is hidden."""
        if self.attention is None:
            return {}
        data, transform = point.data, self.attention.transform
        part = slice(data.trait_size, data.outcome_start)
        coefficients = Coefficients(
            self.attention.names,
            transform @ point.parameters[part],
            transform @ covariance[part, part] @ transform.T,
            degrees=degrees,
        )
        share = float(data.weighted(point.attentive).mean())
        return {"attention": coefficients, "attentive_share": share}

    def _outcome_map(self, data: TraitData) -> FloatArray:
        count, effects = self.columns.count, data.effects
        return np.block(
            [
                [self.columns.transform, np.zeros((count, effects))],
                [np.zeros((effects, count)), np.eye(effects)],
            ]
        )

    @property
    def _names(self) -> tuple[str, ...]:
        """One name per parameter."""
        levels = self.traits.levels
        trait = tuple(
            f"{level}: {name}" if len(levels) > 1 else name
            for level in levels
            for name in self.trait.names
        )
        hidden = () if self.attention is None else self.attention.names
        attention = tuple(f"{_ATTENTION}{name}" for name in hidden)
        spread = ("residual_sd",) if self.family.spread else ()
        return (*trait, *attention, *self.columns.names, *self.traits.effects, *spread)

    def _flat(self, data: TraitData, direction: FloatArray) -> EstimationError:
        name = self._names[int(np.argmax(np.abs(direction)))]
        if name == _ATTENDING and self.attention_name != "attention":
            remedy = (
                "this share is 0 or 1 by these reports: fit the model with a design that has no "
                "unknown, or collect more answers"
            )
            return SeparationError(self.attention_name, "at an end", remedy)
        if name == _ATTENDING:
            remedy = (
                "the anchor is answered as if all people, or all of a group, attended, or none: "
                "leave attention_covariates out; if all do, fit the model without an anchor, with "
                "Crosswise"
            )
            return SeparationError("attention", "at an end", remedy)
        remedy = sentence(
            "the data do not hold this coefficient back (a level of the trait that hardly "
            "occurs, or a group with a share of 0 or 1). Leave it out, or collect more answers"
        )
        return SeparationError(f"column {name}", "unbounded", remedy)


def _starting_effects(count: int) -> list[tuple[float, ...]]:
    """All pairs of two effects; of more, each away from 0 by itself, and all together."""
    if count <= 2:
        return list(product(_STARTING_EFFECTS, repeat=count))
    away = [value for value in _STARTING_EFFECTS if value]
    alone = [
        tuple(value if i == chosen else 0.0 for i in range(count))
        for value in away
        for chosen in range(count)
    ]
    return [(0.0,) * count, *[(value,) * count for value in away], *alone][:_MOST_STARTS]


def _revealed(value: object) -> RegressionError:
    remedy = (
        "the outcome reveals the trait: with one value per level nothing is left to chance, and "
        "the likelihood has no maximum. Take the trait from the outcome itself, or fit an outcome "
        "of 0 and 1 with fit_logistic_predictor_model"
    )
    return RegressionError("outcome", value, remedy)


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
