"""Fitted: the model of an outcome, by what it is and how its predictors were asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from django.utils.translation import gettext, gettext_lazy
from numpy.typing import NDArray

from surveys.randomized_response.designs import Channel, Direct, TransformedReports
from surveys.randomized_response.errors import EstimationError, StatisticsError
from surveys.randomized_response.regression import (
    NumberModel,
    OutcomeModel,
    PredictorModel,
    fit_number_outcome_model,
    fit_outcome_model,
    fit_several_predictors_model,
)
from surveys.randomized_response.regression.numbers import CLASSICAL, SANDWICH
from surveys.results.analyses.regression_columns import Column, Trait

# Each test is a fit of its own; beyond this a page would take seconds.
MOST_TESTED_VALUES = 1_000_000
MOST_COLUMNS = 60
# Rows times combinations of traits times squared parameters times starts: some three seconds.
MOST_TRAIT_WORK = 100_000_000
_MOST_STARTS = 25
IDENTITY = "identity"
NOT_TESTED = gettext_lazy(
    "There are too many different answers to test each coefficient by its likelihood ratio. Use "
    "the intervals instead."
)


@dataclass(frozen=True)
class Alike:
    """Rows of people who are alike: their outcome, columns and reports of traits, and how many.

    ``design``: of an answer that is explained; None where the outcome is a number. ``is_told``:
    whether each person's outcome is known. ``direct``: how many predictors were asked directly.
    """

    outcome: NDArray[np.float64]
    design: Channel | Direct | None
    columns: Sequence[Column]
    traits: Sequence[Trait]
    counts: NDArray[np.int64]
    is_told: bool = False
    direct: int = 0

    @property
    def is_shown_by_pairs(self) -> bool:
        """Whether robust errors would say how numbers differ within pairs of direct answers.

        The gate guards these numbers within the answers to each predictor alone.
        """
        return self.design is None and self.is_told and self.direct > 1

    @property
    def covariates(self) -> NDArray[np.float64] | None:
        """Of the columns: (rows, columns)."""
        columns = [column.values for column in self.columns]
        return np.column_stack(columns) if columns else None

    @property
    def predictors(self) -> dict[str, tuple[Channel, NDArray[np.int64]]]:
        """The traits, as the package asks for them."""
        return {trait.name: (trait.design, trait.reports) for trait in self.traits}

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def parameters(self) -> int:
        """Those of the outcome but the intercept, and for an answer those of the traits too."""
        effects = sum(trait.levels - 1 for trait in self.traits)
        own = len(self.columns) + effects
        of_traits = (self.combinations - 1) * (1 + len(self.columns))
        return own if self.design is None else own + of_traits

    @property
    def combinations(self) -> int:
        """Of true answers to the questions that were asked at random."""
        return prod(trait.levels for trait in self.traits)

    def merged(self) -> "Alike":
        """People who count alike in one row, so that not even rounding follows what was pooled."""
        values = [column.values for column in self.columns]
        reports = [trait.reports for trait in self.traits]
        stacked = np.column_stack([self.outcome, *values, *reports])
        rows, row_of = np.unique(stacked, axis=0, return_inverse=True)
        counts = np.bincount(row_of.ravel(), self.counts).astype(np.int64)
        first, last = 1, 1 + len(self.columns)
        columns = zip(self.columns, rows[:, first:last].T, strict=True)
        traits = zip(self.traits, rows[:, last:].T, strict=True)
        return Alike(
            rows[:, 0],
            self.design,
            [Column(column.name, column.reference, values) for column, values in columns],
            [
                Trait(trait.name, trait.design, codes.astype(np.int64), trait.effects)
                for trait, codes in traits
            ],
            counts,
            self.is_told,
            self.direct,
        )


@dataclass(frozen=True)
class Fitted:
    """``tests``: of a coefficient its likelihood ratio with the p-value, where there is one."""

    model: OutcomeModel | NumberModel | PredictorModel
    link: str
    tests: Mapping[str, tuple[float, float]] | None = None
    notes: tuple[str, ...] = ()

    def method_words(self) -> str:
        """How it was fitted, for files."""
        if isinstance(self.model, NumberModel) and self.model.covariance_kind == CLASSICAL:
            return "least squares; Wald intervals and tests, errors with one variance"
        if isinstance(self.model, NumberModel):
            return (
                "least squares on unbiased products; Wald intervals and tests from the robust "
                "covariance (sandwich)"
            )
        if self.tests is None:
            return (
                "maximum likelihood of the outcome and of the randomized reports together; Wald "
                "intervals and tests from observed information"
            )
        return (
            "maximum likelihood of the randomized reports; Wald intervals from observed "
            "information; likelihood-ratio tests"
        )

    @property
    def log_likelihood(self) -> float | None:
        """None of least squares."""
        return None if isinstance(self.model, NumberModel) else self.model.log_likelihood

    @property
    def aic(self) -> float | None:
        return None if isinstance(self.model, NumberModel) else self.model.aic


def fitted(people: Alike, link: str) -> Fitted:
    """Raises StatisticsError that names the column and the remedy."""
    _check_columns(people)
    rows = people.merged()
    if rows.design is None:
        return _of_numbers(rows)
    if rows.traits:
        return _with_traits(rows, rows.design)
    return _outcome(rows, rows.design, link)


def _check_columns(people: Alike) -> None:
    if not people.columns and not people.traits:
        remedy = gettext(
            "all people gave the same answers to the predictor questions, or the groups are too "
            "small to be shown separately. Choose another question"
        )
        raise EstimationError("predictors", int(people.counts.sum()), remedy)
    coefficients = people.parameters
    if coefficients > MOST_COLUMNS:
        remedy = gettext(
            "the model would have more than {most} coefficients. Choose fewer questions"
        ).format(most=MOST_COLUMNS)
        raise EstimationError("predictors", coefficients, remedy)


def _outcome(rows: Alike, design: Channel | Direct, link: str) -> Fitted:
    model = fit_outcome_model(
        design,
        rows.outcome.astype(np.int64),
        rows.covariates,
        names=rows.names,
        link=link,
        counts=rows.counts,
    )
    return Fitted(model, link, *_tests(model, len(rows.counts)))


def _tests(
    model: OutcomeModel, rows: int
) -> tuple[dict[str, tuple[float, float]], tuple[str, ...]]:
    """Statistic and p-value per coefficient; none where the model without it has no estimate."""
    if rows * len(model.names) ** 2 > MOST_TESTED_VALUES:
        return {}, (str(NOT_TESTED),)
    tests: dict[str, tuple[float, float]] = {}
    untested = []
    for name in model.names:
        try:
            test = model.likelihood_ratio_test(name)
        except StatisticsError:
            untested.append(name)
        else:
            tests[name] = test.statistic, test.p_value
    if not untested:
        return tests, ()
    words = gettext(
        "Not tested by likelihood ratio: {columns}. The model without the coefficient has no "
        "finite estimate to compare with. Use the interval of the coefficient instead."
    )
    return tests, (words.format(columns="; ".join(untested)),)


def _of_numbers(rows: Alike) -> Fitted:
    """Numbers may have any distribution, also where traits are hidden."""
    if rows.is_shown_by_pairs and rows.traits:
        remedy = gettext(
            "with a number as the outcome and protected predictors, only one predictor can be a "
            "direct question. Choose fewer direct questions"
        )
        raise EstimationError("predictors", rows.direct, remedy)
    model = fit_number_outcome_model(
        TransformedReports(rows.outcome, None),
        rows.covariates,
        predictors=rows.predictors or None,
        names=rows.names,
        counts=rows.counts,
        covariance=CLASSICAL if rows.is_shown_by_pairs else SANDWICH,
    )
    return Fitted(model, IDENTITY)


def _with_traits(rows: Alike, design: Channel | Direct) -> Fitted:
    """All columns also say how often each combination of the traits is found."""
    work = len(rows.counts) * rows.combinations * rows.parameters**2 * _MOST_STARTS
    if work > MOST_TRAIT_WORK:
        remedy = gettext(
            "there are too many different answers for a model with protected predictors. Choose "
            "fewer questions, or questions with fewer different answers"
        )
        raise EstimationError("predictors", work, remedy)
    model = fit_several_predictors_model(
        rows.predictors,
        rows.outcome.astype(np.int64),
        rows.covariates,
        family="logistic",
        names=rows.names,
        trait_covariates=rows.covariates,
        trait_covariate_names=rows.names,
        outcome_design=design,
        counts=rows.counts,
    )
    return Fitted(model, "logit")
