"""PlanReport: the planner's rows of people and errors by method, and its curve, as words."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypedDict

from surveys.planning.tests_and_prices import (
    BudgetRequest,
    Extras,
    Goal,
    PowerQuestion,
    extras,
    extras_of_mean,
)
from surveys.randomized_response.designs import Design, Direct, RoundedNumber
from surveys.randomized_response.errors import PlanError, StatisticsError
from surveys.randomized_response.planning import (
    PLANNING_METHODS,
    Meaning,
    error_for_sample_size,
    plan_sample_size,
)
from surveys.results.reading import number_words, percent
from surveys.wording import odds

PLANNING_NAMES = {
    "chebyshev": "Chebyshev",
    "hoeffding": "Hoeffding",
    "normal": "Normal approximation",
    "exact": "Exact (Clopper-Pearson)",
}
WHAT_CHEBYSHEV_BUYS = (
    "it uses only the variance of the estimate, so its guarantee holds for every design, every "
    "true share and every number of people."
)
MEANING_NAMES = {
    "respondents": Meaning.RESPONDENTS,
    "population": Meaning.POPULATION,
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

    @property
    def drawn(self) -> Fraction:
        """The share of people of whom there is an answer, or a part of it."""
        return self.asked * self.sending.share if self.sending else self.asked

    @property
    def epsilon(self) -> float:
        """Of all that is sent of one person."""
        return self.design.epsilon * (self.sending.sent if self.sending else 1)

    @property
    def answers(self) -> int | None:
        """How many of the responses have an answer to the question, on average; at least 1."""
        return max(1, math.floor(self.responses * self.drawn)) if self.responses else None

    @property
    def goal(self) -> Goal:
        whose = (self.meaning, self.population, self.drawn)
        return Goal(self.error, self.failure, self.method, *whose)

    def size(self, method: str, meaning: Meaning, error: Fraction) -> "Answer":
        """The sample size by one method, or why it has none."""
        try:
            plan = plan_sample_size(self.design, error=error, **self._terms(method, meaning))
        except StatisticsError as problem:
            return Answer(None, in_words(problem))
        return Answer(plan.n, plan.assumption)

    def reach(self, method: str, meaning: Meaning) -> "Answer":
        """The error that the given number of responses buys, or why it has none."""
        try:
            error = error_for_sample_size(
                self.design, n=self.answers or 0, **self._terms(method, meaning)
            )
        except StatisticsError as problem:
            return Answer(None, in_words(problem))
        return Answer(error, "")

    def _terms(self, method: str, meaning: Meaning) -> _Terms:
        return _Terms(
            failure_probability=self.failure,
            method=method,
            meaning=meaning,
            population=self.population if meaning is Meaning.POPULATION else None,
            drawn=self.drawn,
        )


@dataclass(frozen=True)
class Answer:
    """A number, or the reason why there is none."""

    value: float | None
    words: str

    @property
    def shown(self) -> str:
        """A sample size."""
        return "–" if self.value is None else f"{self.value:,.0f}"

    @property
    def shown_error(self) -> str:
        """An error as a share, in percentage points; above 100 % it excludes nothing."""
        if self.value is None:
            return "–"
        return "more than 100 %" if self.value >= 1 else f"± {percent(self.value, 2)}"


@dataclass(frozen=True)
class PlanRow:
    """One method under both meanings."""

    method: str
    is_chosen: bool
    respondents: Answer
    population: Answer

    @property
    def name(self) -> str:
        return PLANNING_NAMES[self.method]

    @property
    def answers(self) -> tuple[tuple[Answer, Meaning], ...]:
        return (self.respondents, Meaning.RESPONDENTS), (self.population, Meaning.POPULATION)


@dataclass(frozen=True)
class CurvePoint:
    """Sample sizes by every method at one error; None where a method has none."""

    error: float
    sizes: tuple[tuple[str, float | None], ...]
    is_chosen: bool

    @property
    def error_words(self) -> str:
        return f"± {number_words(100 * self.error, 6)} %"

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple("–" if n is None else f"{n:,.0f}" for _, n in self.sizes)


@dataclass(frozen=True)
class PlanReport:
    """Everything that the planner's page and command say about one question."""

    question: PlanQuestion
    n: int
    assumption: str
    sizes: tuple[PlanRow, ...]
    errors: tuple[PlanRow, ...]
    curve: tuple[CurvePoint, ...]
    extras: Extras

    @property
    def epsilon(self) -> float:
        return self.question.epsilon

    @property
    def epsilon_words(self) -> str:
        if isinstance(self.question.design, Direct):
            return "not protected: every answer is sent as given"
        if math.isinf(self.epsilon):
            return "infinite: some report would give its sender away"
        return f"{self.epsilon:.4f} ({odds.odds_words(self.epsilon)})"

    @property
    def people(self) -> int:
        """How many people to ask, so that ``n`` of them are asked the question on average."""
        return math.ceil(self.n / self.question.drawn)

    @property
    def people_words(self) -> str:
        return f"{self.people:,}"

    @property
    def drawn_words(self) -> str:
        """That chance draws who is asked; empty where all people are."""
        if self.question.drawn == 1:
            return ""
        if self.question.sending:
            return self._parts_words(self.question.sending)
        return (
            f"About {self.n:,} of them are asked this question, drawn by chance: in half of all "
            "surveys a few less. The numbers of people below are of those who are asked it, and "
            '"these n people" are all who take part, asked it or not.'
        )

    def _parts_words(self, sending: Sending) -> str:
        return (
            f"Of each person {sending.sent} of {sending.parts} parts are sent, drawn by chance: "
            f"about {self.n:,} answers come for each part, in half of all surveys a few less. The "
            "numbers of people below are of those of whom one part is sent, and "
            '"these n people" are all who take part.'
        )

    @property
    def beside(self) -> str:
        """What the exact number means and what Chebyshev's buys, whichever of them leads."""
        exact = f"from so many answers {self._interval_words}."
        if self.question.method == "exact":
            size = self._size_by("chebyshev")
            bought = f" Chebyshev's inequality asks for {size}: {WHAT_CHEBYSHEV_BUYS}"
            return exact[:1].upper() + exact[1:] + (bought if size else "")
        size = self._size_by("exact")
        return f"The exact method asks for {size}: {exact}" if size else ""

    def _size_by(self, method: str) -> str:
        """The number of people under the meaning that was asked for; empty where there is none."""
        row = next(row for row in self.sizes if row.method == method)
        is_population = self.question.meaning is Meaning.POPULATION
        answer = row.population if is_population else row.respondents
        return "" if answer.value is None else answer.shown

    @property
    def _interval_words(self) -> str:
        asked = self.question
        level = number_words(100 * float(1 - asked.failure), 6)
        error = number_words(100 * float(asked.error), 6)
        return f"the {level} % interval of a share is at most ± {error} %, for all answers"

    @property
    def design_words(self) -> str:
        return self.question.design.label

    @property
    def method_names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.sizes)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why a method has no answer, each once."""
        found = (
            f"{row.name}, {meaning.value}: {answer.words}"
            for row in (*self.sizes, *self.errors)
            for answer, meaning in row.answers
            if answer.value is None
        )
        return tuple(dict.fromkeys(found))

    @property
    def summary(self) -> str:
        """The curve in words."""
        method = PLANNING_NAMES[self.question.method]
        parts = (
            f"{point.error_words} {dict(point.sizes)[self.question.method]:,.0f}"
            for point in self.curve
            if dict(point.sizes)[self.question.method] is not None
        )
        return f"How many people each error needs, by {method}: {'; '.join(parts)}."


@lru_cache(maxsize=64)
def plan_report(question: PlanQuestion) -> PlanReport:
    """Answer the planner's question by every method. Raises StatisticsError for the chosen one."""
    plan = plan_sample_size(
        question.design,
        error=question.error,
        failure_probability=question.failure,
        method=question.method,
        meaning=question.meaning,
        population=question.population,
        drawn=question.drawn,
    )
    return PlanReport(
        question=question,
        n=plan.n,
        assumption=plan.assumption,
        sizes=tuple(_size_rows(question)),
        errors=tuple(_error_rows(question)) if question.responses else (),
        curve=tuple(_curve(question)),
        extras=_extras(question, plan.n),
    )


def _extras(question: PlanQuestion, n: int) -> Extras:
    """Tests and prices are those of shares: of a mean only epsilon can be shared out."""
    design, goal = question.design, question.goal
    if isinstance(design, RoundedNumber):
        return extras_of_mean(question.power, question.budget)
    return extras(design, goal, n, question.power, question.budget, question.answers)


def _size_rows(question: PlanQuestion) -> Iterator[PlanRow]:
    for method in PLANNING_METHODS:
        respondents, population = (
            question.size(method, meaning, question.error) for meaning in Meaning
        )
        yield PlanRow(method, method == question.method, respondents, population)


def _error_rows(question: PlanQuestion) -> Iterator[PlanRow]:
    for method in PLANNING_METHODS:
        respondents, population = (question.reach(method, meaning) for meaning in Meaning)
        yield PlanRow(method, method == question.method, respondents, population)


def _curve(question: PlanQuestion) -> Iterator[CurvePoint]:
    for error in sorted({*CURVE_ERRORS, question.error}):
        sizes = tuple(
            (method, question.size(method, question.meaning, error).value)
            for method in PLANNING_METHODS
        )
        yield CurvePoint(float(error), sizes, error == question.error)


def in_words(problem: StatisticsError) -> str:
    """The remedy as a page says it, without the names of the programming interface."""
    words = problem.remedy
    for meaning in Meaning:
        words = words.replace(str(meaning), f'"{meaning.value}"')
    if isinstance(problem, PlanError) and problem.argument == "method":
        words = words.replace("this design", "The design")
    return words[:1].upper() + words[1:] + "."
