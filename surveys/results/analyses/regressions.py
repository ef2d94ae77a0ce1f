"""RegressionReport: an outcome explained by predictors: coefficients, tests, fit and notes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from surveys.results.analyses.queries import OutcomeCounts
from surveys.results.analyses.regression_columns import Column, Trait, columns_of, traits_of
from surveys.results.analyses.regression_fits import Alike, Fitted, fitted
from surveys.results.analyses.regression_outcomes import EXPLAINED, Explained
from surveys.results.analyses.regression_people import RegressionPeople, usable_people
from surveys.results.reading import Reading

INTERCEPT = "intercept"


@dataclass(frozen=True)
class Choice:
    """What is modelled: one answer of the first question, or its number, on the others."""

    answer: int | None
    link: str
    reading: Reading


@dataclass(frozen=True)
class CoefficientRow:
    """One coefficient, on the scale of the link; ``reference`` is what it is compared with."""

    name: str
    reference: str
    value: float
    standard_error: float
    low: float
    high: float
    statistic: float | None
    p_value: float | None

    @property
    def is_intercept(self) -> bool:
        return self.name == INTERCEPT


@dataclass(frozen=True)
class RegressionReport:
    """A fitted model with everything that was left out of it.

    ``link`` is that of the model: the identity where the outcome is a number.
    ``is_tested_by_ratio``: whether coefficients are tested by fits without them. Least squares have
    no likelihood, so two numbers are None.
    """

    outcome: str
    predictors: tuple[str, ...]
    link: str
    method: str
    is_tested_by_ratio: bool
    reading: Reading
    n: int
    left_out: int
    rows: tuple[CoefficientRow, ...]
    log_likelihood: float | None
    aic: float | None
    notes: tuple[str, ...]

    @property
    def drawn_rows(self) -> tuple[CoefficientRow, ...]:
        return tuple(row for row in self.rows if not row.is_intercept)


def regression(counts: OutcomeCounts, choice: Choice) -> RegressionReport:
    """Fit it. Raises StatisticsError that names the question and the remedy."""
    outcome = EXPLAINED(counts.item, choice.answer)
    people = usable_people(counts)
    columns, traits = columns_of(counts, people), traits_of(counts, people)
    values = np.array([_outcome_value(outcome, people, codes[0]) for codes in people.codes])
    direct = len(counts.by) - len(counts.hidden)
    is_told = not counts.item.is_randomized
    alike = Alike(values, outcome.design, columns, traits, people.counts, is_told, direct)
    model = fitted(alike, choice.link)
    remarks = [counts.as_of, *people.notes, *outcome.notes, *_trait_notes(traits), *model.notes]
    return RegressionReport(
        outcome=outcome.words,
        predictors=tuple(item.text for item in counts.by),
        link=model.link,
        method=model.method_words(),
        is_tested_by_ratio=model.tests is not None,
        reading=choice.reading,
        n=people.n,
        left_out=counts.n - people.n,
        rows=tuple(_rows(model, columns, traits, choice.reading.level)),
        log_likelihood=model.log_likelihood,
        aic=model.aic,
        notes=tuple(dict.fromkeys(filter(None, remarks))),
    )


def _outcome_value(outcome: Explained, people: RegressionPeople, code: str) -> float:
    """The number that a code counts as, or 1 where it is the answer that is explained."""
    return people.numbers[0][code] if outcome.code is None else float(code == outcome.code)


def _trait_notes(traits: Sequence[Trait]) -> Iterator[str]:
    if traits:
        yield gettext(
            "It is not known which person has which true answer to a protected predictor. The "
            "model takes this into account, and intervals are wider than with direct answers."
        )


def _rows(
    fit: Fitted, columns: Sequence[Column], traits: Sequence[Trait], level: float
) -> Iterator[CoefficientRow]:
    """The names of a trait's effects are those of its answers, in the model's order."""
    effects = [effect for trait in traits for effect in trait.effects]
    references = [(INTERCEPT, ""), *((each.name, each.reference) for each in columns), *effects]
    model = fit.model
    ends, errors, p_values = model.intervals(level), model.standard_errors, model.p_values
    for position, (name, reference) in enumerate(references):
        p_value: float | None = float(p_values[position])
        statistic = None
        if fit.tests is not None:
            statistic, p_value = fit.tests.get(name, (None, None))
        yield CoefficientRow(
            name=name,
            reference=reference,
            value=float(model.coefficients[position]),
            standard_error=float(errors[position]),
            low=float(ends[position][0]),
            high=float(ends[position][1]),
            statistic=statistic,
            p_value=p_value,
        )
