"""The planner's extras: a test's power, price of privacy, a budget's shares, designs compared."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypedDict, TypeVar

from django.utils.translation import gettext, gettext_lazy, ngettext

from surveys.randomized_response.designs import Design
from surveys.randomized_response.errors import PlanError, StatisticsError
from surveys.randomized_response.planning import (
    Allocation,
    BudgetQuestion,
    DesignRow,
    Meaning,
    PowerAnalysis,
    PricePoint,
    allocate_epsilon,
    compare_designs,
    exact_power,
    power_one_sample,
    power_two_samples,
    price_of_privacy,
    sample_size_one_sample,
    sample_size_two_samples,
)
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, number_words, percent

ALTERNATIVE_NAMES = {
    "two-sided": gettext_lazy("Two-sided"),
    "one-sided": gettext_lazy("One-sided, towards the expected share"),
}
SIDES = {"two-sided": gettext_lazy("two-sided"), "one-sided": gettext_lazy("one-sided")}
OBJECTIVE_NAMES = {
    "sum": gettext_lazy("Smallest sum of variances"),
    "maximum": gettext_lazy("Smallest largest variance"),
}
OBJECTIVE_CHOICES = {
    "sum": gettext_lazy("smallest sum of variances"),
    "maximum": gettext_lazy("smallest largest variance"),
}
SAMPLE_NAMES = {
    "one": gettext_lazy("One group, against a fixed share"),
    "two": gettext_lazy("Two groups of equal size"),
}
NOTABLE_LOSS = 0.05  # of power; a test of counts always loses a little to the approximation
PRICE_EPSILONS = (0.25, 0.5, 0.75, 1.0, math.log(3), 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
T = TypeVar("T")


NO_SHARE = gettext_lazy("Test: A number has no share that could be tested; leave the share empty.")


class _TestShares(TypedDict):
    share: float
    null_share: float


class _Pair(TypedDict):
    share: float
    other_share: float


class _TestKind(TypedDict):
    significance: float
    alternative: str


@dataclass(frozen=True)
class PowerQuestion:
    """A share that is expected, and what it is tested against."""

    share: Fraction
    null_share: Fraction
    power: Fraction
    significance: Fraction
    alternative: str
    samples: str

    @property
    def kind(self) -> "_TestKind":
        """What one-sample and two-sample tests have in common."""
        return _TestKind(significance=float(self.significance), alternative=self.alternative)

    @property
    def is_two_sample(self) -> bool:
        return self.samples == "two"


@dataclass(frozen=True)
class BudgetRequest:
    """An epsilon for several questions together; ``answers`` counts each question's options."""

    total: float
    answers: tuple[int, ...]
    objective: str


@dataclass(frozen=True)
class PowerReport:
    """How many people the test needs, and the power that other numbers have."""

    question: PowerQuestion
    plan: PowerAnalysis
    exact: float | None
    at_responses: PowerAnalysis | None

    @property
    def n_words(self) -> str:
        if self.question.is_two_sample:
            words = ngettext("{n} person in each group", "{n} people in each group", self.plan.n)
        else:
            words = ngettext("{n} person", "{n} people", self.plan.n)
        return words.format(n=count_words(self.plan.n))

    @property
    def falls_short(self) -> bool:
        """Whether the normal approximation promises a power that the exact test does not have."""
        return self.exact is not None and self.exact < float(self.question.power) - NOTABLE_LOSS

    @property
    def lines(self) -> tuple[str, ...]:
        """The test in sentences."""
        asked = self.question
        against = gettext(
            "To find out that a share is {share} and not {other} as the hypothesis: {people}, "
            "power {power}, level {level}, {sides}."
        )
        if asked.is_two_sample:
            against = gettext(
                "To find out that a share is {share} and not {other} in the other group: {people}, "
                "power {power}, level {level}, {sides}."
            )
        lines = against.format(
            share=percent(float(asked.share), 2),
            other=percent(float(asked.null_share), 2),
            people=self.n_words,
            power=percent(self.plan.power, 1),
            level=percent(float(asked.significance), 2),
            sides=SIDES[asked.alternative],
        )
        approximated = gettext(
            "Normal approximation, the standard error under the hypothesis sets the threshold; "
            "meant for the population the people came from."
        )
        return (f"{lines} {approximated}", *filter(None, (self._exactly, self._with_responses)))

    @property
    def _exactly(self) -> str:
        """What the exact test has; empty where there is none."""
        if self.exact is None:
            return ""
        words = gettext("The exact binomial test with {people} has power {power}.")
        if self.falls_short:
            words = gettext(
                "The exact binomial test with {people} has power {power}: the approximation "
                "promises too much here, as it does for few people and for shares near 0 or 1. "
                "Ask more people."
            )
        return words.format(people=self.n_words, power=percent(self.exact, 1))

    @property
    def _with_responses(self) -> str:
        """The power of the responses that can be got; empty where none are said."""
        if self.at_responses is None:
            return ""
        words = gettext("With {n} responses the power is {power}.")
        if self.question.is_two_sample:
            words = gettext("With {n} responses in each group the power is {power}.")
        return words.format(
            n=count_words(self.at_responses.n), power=percent(self.at_responses.power, 1)
        )


@dataclass(frozen=True)
class PriceRow:
    """One epsilon of the price of privacy, in words."""

    point: PricePoint

    @property
    def shown(self) -> tuple[str, str, str]:
        n, times = self.point.n, self.point.times_direct
        return (
            number_words(self.point.epsilon, 4),
            "–" if n is None else count_words(n),
            "–" if times is None else number_words(times, 3),
        )


@dataclass(frozen=True)
class BudgetRow:
    """One question's part of the budget."""

    place: int
    answers: int
    epsilon: float
    variance: float

    @property
    def shown(self) -> tuple[str, str, str]:
        return str(self.answers), number_words(self.epsilon, 4), number_words(self.variance, 4)


@dataclass(frozen=True)
class BudgetReport:
    """A budget that is shared out."""

    request: BudgetRequest
    allocation: Allocation

    @property
    def rows(self) -> tuple[BudgetRow, ...]:
        parts = zip(
            self.request.answers,
            self.allocation.epsilons,
            self.allocation.variances_times_n,
            strict=True,
        )
        return tuple(BudgetRow(i, *part) for i, part in enumerate(parts, start=1))

    @property
    def words(self) -> str:
        """What is gained over an even split."""
        found = self.allocation
        return gettext(
            "{objective}, times n: {value}; an even split has {even}. Variance of the worst share "
            "of each question, given the true answers."
        ).format(
            objective=OBJECTIVE_NAMES[found.objective],
            value=number_words(found.value, 4),
            even=number_words(found.even_value, 4),
        )


@dataclass(frozen=True)
class DesignsReport:
    """Designs of equal epsilon for one expected share and one number of people."""

    rows: tuple[DesignRow, ...]
    n: int
    epsilon: float
    question: PowerQuestion

    @property
    def shown(self) -> tuple[tuple[DesignRow, tuple[str, ...]], ...]:
        return tuple((row, _row_words(row)) for row in self.rows)

    @property
    def named(self) -> tuple[tuple[str, DesignRow, tuple[str, ...]], ...]:
        """The same with the name of each design, for the page."""
        return tuple((translated(row.name), row, words) for row, words in self.shown)

    @property
    def words(self) -> str:
        return gettext(
            "{n} people, epsilon {epsilon}, expected share {share} against {other} as a fixed "
            "share. The factor says how many times the people of the best design are needed."
        ).format(
            n=count_words(self.n),
            epsilon=number_words(self.epsilon, 4),
            share=percent(float(self.question.share), 2),
            other=percent(float(self.question.null_share), 2),
        )


@dataclass(frozen=True)
class PlanExtras:
    """The parts that were asked for; ``reasons`` says why one could not be given."""

    power: PowerReport | None
    price: tuple[PriceRow, ...]
    budget: BudgetReport | None
    comparison: DesignsReport | None
    reasons: tuple[str, ...]

    @property
    def price_words(self) -> str:
        """The price of privacy in a sentence, for those who do not see the picture."""
        told = (
            gettext("epsilon {epsilon}: {n}").format(epsilon=row.shown[0], n=row.shown[1])
            for row in self.price
            if row.point.n is not None
        )
        return gettext("People needed by k-ary response; {sizes}.").format(sizes="; ".join(told))


@dataclass(frozen=True)
class Goal:
    """What the price of privacy is the price of."""

    error: Fraction
    failure: Fraction
    method: str
    meaning: Meaning
    population: int | None
    drawn: Fraction


def power_report(design: Design, asked: PowerQuestion, responses: int | None) -> PowerReport:
    """Sample size and power of the test. Raises StatisticsError."""
    tell = _two_samples if asked.is_two_sample else _one_sample
    return tell(design, asked, responses)


def _one_sample(design: Design, asked: PowerQuestion, responses: int | None) -> PowerReport:
    shares = _TestShares(share=float(asked.share), null_share=float(asked.null_share))
    plan = sample_size_one_sample(design, power=float(asked.power), **shares, **asked.kind)
    exact = exact_power(design, n=plan.n, **shares, **asked.kind).power
    at = power_one_sample(design, n=responses, **shares, **asked.kind) if responses else None
    return PowerReport(asked, plan, exact, at)


def _two_samples(design: Design, asked: PowerQuestion, responses: int | None) -> PowerReport:
    shares = _Pair(share=float(asked.share), other_share=float(asked.null_share))
    plan = sample_size_two_samples(design, power=float(asked.power), **shares, **asked.kind)
    at = power_two_samples(design, n=responses, **shares, **asked.kind) if responses else None
    return PowerReport(asked, plan, None, at)


@lru_cache(maxsize=64)
def price_rows(goal: Goal, options: int) -> tuple[PriceRow, ...]:
    """The price of privacy for the planned error. Raises StatisticsError."""
    points = price_of_privacy(
        PRICE_EPSILONS,
        error=goal.error,
        failure_probability=goal.failure,
        method=goal.method,
        meaning=goal.meaning,
        population=goal.population,
        drawn=goal.drawn,
        options=options,
    )
    return tuple(PriceRow(point) for point in points)


def budget_report(request: BudgetRequest) -> BudgetReport:
    """The budget, shared out. Raises StatisticsError."""
    questions = [BudgetQuestion(options) for options in request.answers]
    found = allocate_epsilon(questions, request.total, objective=request.objective)
    return BudgetReport(request, found)


def comparison_report(design: Design, asked: PowerQuestion, n: int) -> DesignsReport:
    """Designs with the epsilon of this one. Raises StatisticsError."""
    if not math.isfinite(design.epsilon):
        remedy = gettext(
            "this design has no finite epsilon at which others could be compared with it"
        )
        raise PlanError("epsilon", design.epsilon, remedy)
    rows = compare_designs(
        design.epsilon,
        share=float(asked.share),
        null_share=float(asked.null_share),
        n=n,
        options=design.options,
        **asked.kind,
    )
    return DesignsReport(rows, n, design.epsilon, asked)


def extras(
    design: Design,
    goal: Goal,
    n: int,
    power: PowerQuestion | None,
    budget: BudgetRequest | None,
    responses: int | None,
) -> PlanExtras:
    """Everything asked for; what statistics refuses becomes a reason, the rest is still told."""
    told = _Teller([])
    found = PlanExtras(
        power=told(gettext("Test"), lambda: power_report(design, power, responses))
        if power
        else None,
        price=told(gettext("Price of privacy"), lambda: price_rows(goal, design.options)) or (),
        budget=told(gettext("Budget"), lambda: budget_report(budget)) if budget else None,
        comparison=told(
            gettext("Designs compared"), lambda: comparison_report(design, power, responses or n)
        )
        if power
        else None,
        reasons=(),
    )
    return replace(found, reasons=tuple(told.reasons))


def extras_of_mean(power: PowerQuestion | None, budget: BudgetRequest | None) -> PlanExtras:
    """What is said beside a plan for a mean: tests and prices are those of shares."""
    reasons = [str(NO_SHARE)] if power else []
    told = _Teller(reasons)
    shared = told(gettext("Budget"), lambda: budget_report(budget)) if budget else None
    return PlanExtras(power=None, price=(), budget=shared, comparison=None, reasons=tuple(reasons))


@dataclass(frozen=True)
class _Teller:
    """Runs one part; a refusal is noted under the part's name."""

    reasons: list[str]

    def __call__(self, part: str, tell: Callable[[], T]) -> T | None:
        try:
            return tell()
        except StatisticsError as problem:
            words = translated(problem.remedy)
            self.reasons.append(f"{part}: {words[:1].upper()}{words[1:]}.")
            return None


def _row_words(row: DesignRow) -> tuple[str, ...]:
    exact = "–" if row.exact_power is None else percent(row.exact_power, 1)
    return (
        number_words(row.times_best, 3),
        percent(row.standard_error, 2),
        percent(row.power, 1),
        exact,
    )
