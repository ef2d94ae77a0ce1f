"""PlanReport: the planner's rows of people and errors by method, and its curve, as words."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TypedDict

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy

from surveys.planning.readings import (
    Answer,
    Readings,
    error_in,
    in_words,
    people_in,
    readings_of,
)
from surveys.planning.tests_and_prices import (
    BudgetRequest,
    Goal,
    PlanExtras,
    PowerQuestion,
    extras,
    extras_of_mean,
)
from surveys.questionnaire.plans.readings import expected_looks
from surveys.randomized_response.designs import Design, Direct, RoundedNumber
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.intervals import PlannedLooks
from surveys.randomized_response.planning import (
    PLANNING_METHODS,
    Meaning,
    Reading,
    error_for_sample_size,
    plan_sample_size,
)
from surveys.wording import odds
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, localized, number_words
from surveys.wording.readings import READING_WORDS

PLANNING_NAMES: dict[str, str | Promise] = {
    "chebyshev": gettext_lazy("Chebyshev"),
    "hoeffding": "Hoeffding",
    "normal": gettext_lazy("Normal approximation"),
    "exact": gettext_lazy("Exact (Clopper-Pearson)"),
}
# By which a plan is made that is read more often than once; the others are methods for one look.
SEQUENCE, AT_OPENINGS = "sequence", "group-sequential"
METHOD_NAMES = {
    **PLANNING_NAMES,
    SEQUENCE: gettext_lazy("Confidence sequence (all looks)"),
    AT_OPENINGS: gettext_lazy("Group-sequential (at openings)"),
}
MANY_LOOKS: dict[str, Promise] = {
    SEQUENCE: gettext_lazy(
        "Half the width of the confidence sequence at the worst count, for this n and every larger "
        "one; not reduced for these n people or a finite population."
    ),
    AT_OPENINGS: gettext_lazy(
        "Half the width of the interval of the last opening at the worst count, for this n and "
        "every larger one; not reduced for these n people or a finite population."
    ),
}
BY_READING = {Reading.ALWAYS: SEQUENCE, Reading.AT_OPENINGS: AT_OPENINGS}
MEANING_NAMES = {
    "respondents": Meaning.RESPONDENTS,
    "population": Meaning.POPULATION,
}
MEANING_WORDS: dict[Meaning, Promise] = {
    Meaning.RESPONDENTS: gettext_lazy("these n people"),
    Meaning.POPULATION: gettext_lazy("the population they came from"),
}
CURVE_ERRORS = tuple(
    Fraction(text) for text in ("0.005", "0.01", "0.02", "0.03", "0.05", "0.075", "0.1", "0.15")
)


class _Terms(TypedDict):
    """What a sample size and an error have in common."""

    failure_probability: Fraction
    method: str
    meaning: Meaning
    population: int | None
    drawn: Fraction


@dataclass(frozen=True)
class Sending:
    """Of a question with parts, ``sent`` of ``parts`` are sent of each person."""

    sent: int
    parts: int

    @property
    def share(self) -> Fraction:
        return Fraction(self.sent, self.parts)


@dataclass(frozen=True)
class PlanQuestion:
    """What a researcher asks the planner.

    ``asked`` is the share of people who are asked the question at all; ``responses`` counts all. Of
    a question with parts, ``design`` is that of one part, which is planned for by itself.
    ``openings`` are those up to the close, at even distances.
    """

    design: Design | RoundedNumber
    error: Fraction
    failure: Fraction
    method: str
    meaning: Meaning
    population: int | None = None
    responses: int | None = None
    asked: Fraction = Fraction(1)
    power: PowerQuestion | None = None
    budget: BudgetRequest | None = None
    sending: Sending | None = None
    reading: Reading = Reading.ONCE
    openings: int = 4

    @property
    def leading(self) -> str:
        """The method whose number is asked for: one for one look, or that of its many looks."""
        return BY_READING.get(self.reading, self.method)

    @property
    def methods(self) -> tuple[str, ...]:
        """Those of which the page says a number."""
        once = tuple(PLANNING_METHODS)
        return once if self.reading is Reading.ONCE else (self.leading, *once)

    @property
    def looks(self) -> PlannedLooks:
        return expected_looks(self.openings)

    def people(self, error: Fraction) -> int:
        """How many answers make no interval wider in its reading. Raises PlanError."""
        return people_in(self.design, self.reading, error, self.failure, self.looks)

    @property
    def drawn(self) -> Fraction:
        """The share of people of whom there is an answer, or a part of it."""
        return self.asked * self.sending.share if self.sending else self.asked

    @property
    def epsilon(self) -> float:
        """Of all that is sent of one person."""
        return self.design.epsilon * (self.sending.sent if self.sending else 1)

    @property
    def unit(self) -> str:
        """What an error counts, times 100: shares lie points apart, not percent of each other."""
        is_mean = isinstance(self.design, RoundedNumber)
        return gettext("% of the range") if is_mean else gettext("points")

    @property
    def answers(self) -> int | None:
        """How many of the responses have an answer to the question, on average; at least 1."""
        return max(1, math.floor(self.responses * self.drawn)) if self.responses else None

    @property
    def goal(self) -> Goal:
        whose = (self.meaning, self.population, self.drawn)
        return Goal(self.error, self.failure, self.method, *whose)

    def size(self, method: str, meaning: Meaning, error: Fraction) -> Answer:
        """The sample size by one method, or why it has none."""
        try:
            if method in MANY_LOOKS:
                return Answer(self.people(error), str(MANY_LOOKS[method]))
            plan = plan_sample_size(self.design, error=error, **self._terms(method, meaning))
        except StatisticsError as problem:
            return Answer(None, in_words(problem))
        return Answer(plan.n, plan.assumption)

    def reach(self, method: str, meaning: Meaning) -> Answer:
        """The error that the given number of responses buys, or why it has none."""
        if method in MANY_LOOKS:
            asked = (self.design, self.reading, self.answers or 1)
            return error_in(*asked, self.failure, self.unit, self.looks)
        try:
            error = error_for_sample_size(
                self.design, n=self.answers or 0, **self._terms(method, meaning)
            )
        except StatisticsError as problem:
            return Answer(None, in_words(problem))
        return Answer(error, "", self.unit)

    def _terms(self, method: str, meaning: Meaning) -> _Terms:
        return _Terms(
            failure_probability=self.failure,
            method=method,
            meaning=meaning,
            population=self.population if meaning is Meaning.POPULATION else None,
            drawn=self.drawn,
        )


@dataclass(frozen=True)
class PlanRow:
    """One method under both meanings."""

    method: str
    is_chosen: bool
    respondents: Answer
    population: Answer

    @property
    def name(self) -> str:
        return str(METHOD_NAMES[self.method])

    @property
    def answers(self) -> tuple[tuple[Answer, Meaning], ...]:
        return (self.respondents, Meaning.RESPONDENTS), (self.population, Meaning.POPULATION)


@dataclass(frozen=True)
class CurvePoint:
    """Sample sizes by every method at one error; None where a method has none."""

    error: float
    sizes: tuple[tuple[str, float | None], ...]
    is_chosen: bool
    unit: str

    @property
    def error_words(self) -> str:
        return f"± {number_words(100 * self.error, 6)} {self.unit}"

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple("–" if n is None else localized(f"{n:,.0f}") for _, n in self.sizes)


@dataclass(frozen=True)
class PlanReport:
    """Everything that the planner's page and command say about one question."""

    question: PlanQuestion
    n: int
    assumption: str
    readings: Readings
    sizes: tuple[PlanRow, ...]
    errors: tuple[PlanRow, ...]
    extras: PlanExtras

    @property
    def epsilon(self) -> float:
        return self.question.epsilon

    @property
    def epsilon_words(self) -> str:
        if isinstance(self.question.design, Direct):
            return gettext("not protected: every answer is sent as given")
        if math.isinf(self.epsilon):
            return gettext("infinite: some report would give its sender away")
        return f"{localized(f'{self.epsilon:.4f}')} ({odds.odds_words(self.epsilon)})"

    @property
    def people(self) -> int:
        """How many people to ask, so that ``n`` of them are asked the question on average."""
        return math.ceil(self.n / self.question.drawn)

    @property
    def people_words(self) -> str:
        return count_words(self.people)

    @property
    def drawn_words(self) -> str:
        """That chance draws who is asked; empty where all people are."""
        if self.question.drawn == 1:
            return ""
        if self.question.sending:
            return self._parts_words(self.question.sending)
        return gettext(
            "About {n} of them are asked this question, drawn by chance: in half of all surveys a "
            "few less. The numbers of people below are of those who are asked it, and "
            '"these n people" are all who take part, asked it or not.'
        ).format(n=count_words(self.n))

    def _parts_words(self, sending: Sending) -> str:
        return gettext(
            "Of each person {sent} of {parts} parts are sent, drawn by chance: about {n} answers "
            "come for each part, in half of all surveys a few less. The numbers of people below "
            'are of those of whom one part is sent, and "these n people" are all who take part.'
        ).format(sent=sending.sent, parts=sending.parts, n=count_words(self.n))

    @property
    def beside(self) -> str:
        """What the exact number means and what Chebyshev's buys, whichever of them leads."""
        asked = self.question
        if asked.reading is not Reading.ONCE:
            return str(READING_WORDS[asked.reading])
        level = number_words(100 * float(1 - asked.failure), 6)
        error = number_words(100 * float(asked.error), 6)
        if asked.method == "exact":
            exact = gettext(
                "From so many answers the {level} % interval of a share is at most ± {error} "
                "points, for all answers."
            ).format(level=level, error=error)
            return f"{exact} {self._guaranteed}".strip()
        size = self._size_by("exact")
        words = gettext(
            "The exact method asks for {n}: from so many answers the {level} % interval of a share "
            "is at most ± {error} points, for all answers."
        )
        return words.format(n=size, level=level, error=error) if size else ""

    @property
    def _guaranteed(self) -> str:
        size = self._size_by("chebyshev")
        words = gettext(
            "Chebyshev's inequality asks for {n}: it uses only the variance of the estimate, so "
            "its guarantee holds for every design, every true share and every number of people."
        )
        return words.format(n=size) if size else ""

    def _size_by(self, method: str) -> str:
        """The number of people under the meaning that was asked for; empty where there is none."""
        row = next(row for row in self.sizes if row.method == method)
        is_population = self.question.meaning is Meaning.POPULATION
        answer = row.population if is_population else row.respondents
        return "" if answer.value is None else answer.shown

    @property
    def design_words(self) -> str:
        return translated(self.question.design.label)

    @property
    def meaning_words(self) -> str:
        """Whose share is meant."""
        return str(MEANING_WORDS[self.question.meaning])

    @property
    def method_names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.sizes)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why a method has no answer, each once."""
        found = (
            f"{row.name}, {MEANING_WORDS[meaning]}: {answer.words}"
            for row in (*self.sizes, *self.errors)
            for answer, meaning in row.answers
            if answer.value is None
        )
        return tuple(dict.fromkeys(found))

    @cached_property
    def curve(self) -> tuple[CurvePoint, ...]:
        """How many people each error needs: most of the work, for who shows it."""
        return tuple(_curve(self.question))

    @property
    def summary(self) -> str:
        """The curve in words."""
        leading = self.question.leading
        parts = (
            f"{point.error_words} {localized(f'{dict(point.sizes)[leading]:,.0f}')}"
            for point in self.curve
            if dict(point.sizes)[leading] is not None
        )
        return gettext("How many people each error needs, by {method}: {sizes}.").format(
            method=METHOD_NAMES[leading], sizes="; ".join(parts)
        )


def plan_report(question: PlanQuestion) -> PlanReport:
    """Answer the planner's question by every method. Raises StatisticsError for the chosen one."""
    return _plan_report(question, get_language())


@lru_cache(maxsize=64)
def _plan_report(question: PlanQuestion, language: str | None) -> PlanReport:
    """Kept for each language, as a report has words in it."""
    n, assumption = _leading(question)
    return PlanReport(
        question=question,
        n=n,
        assumption=assumption,
        readings=readings_of(
            question.design,
            question.error,
            question.failure,
            chosen=question.reading,
            answers=question.answers or n,
            unit=question.unit,
            looks=question.looks,
        ),
        sizes=tuple(_size_rows(question)),
        errors=tuple(_error_rows(question)) if question.responses else (),
        extras=_extras(question, n),
    )


def _leading(question: PlanQuestion) -> tuple[int, str]:
    """The number that the page leads with, and what it assumes. Raises StatisticsError."""
    if question.reading is not Reading.ONCE:
        return question.people(question.error), str(MANY_LOOKS[question.leading])
    plan = plan_sample_size(
        question.design,
        error=question.error,
        failure_probability=question.failure,
        method=question.method,
        meaning=question.meaning,
        population=question.population,
        drawn=question.drawn,
    )
    return plan.n, translated(plan.assumption)


def _extras(question: PlanQuestion, n: int) -> PlanExtras:
    """Tests and prices are those of shares: of a mean only epsilon can be shared out."""
    design, goal = question.design, question.goal
    if isinstance(design, RoundedNumber):
        return extras_of_mean(question.power, question.budget)
    return extras(design, goal, n, question.power, question.budget, question.answers)


def _size_rows(question: PlanQuestion) -> Iterator[PlanRow]:
    for method in question.methods:
        respondents, population = (
            question.size(method, meaning, question.error) for meaning in Meaning
        )
        yield PlanRow(method, method == question.leading, respondents, population)


def _error_rows(question: PlanQuestion) -> Iterator[PlanRow]:
    for method in question.methods:
        respondents, population = (question.reach(method, meaning) for meaning in Meaning)
        yield PlanRow(method, method == question.leading, respondents, population)


def _curve(question: PlanQuestion) -> Iterator[CurvePoint]:
    for error in sorted({*CURVE_ERRORS, question.error}):
        sizes = tuple(
            (method, question.size(method, question.meaning, error).value)
            for method in question.methods
        )
        yield CurvePoint(float(error), sizes, error == question.error, question.unit)
