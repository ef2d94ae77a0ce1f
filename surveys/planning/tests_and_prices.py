"""The planner's extras in words: a test, prices of privacy, a shared budget, designs compared."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy, ngettext

from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.planning import (
    Allocation,
    DesignRow,
    PlannedTest,
    PlanRequest,
    PricePoint,
    SurveyPlan,
)
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, number_words, percent

SIDES = {"two-sided": gettext_lazy("two-sided"), "one-sided": gettext_lazy("one-sided")}
OBJECTIVE_NAMES = {
    "sum": gettext_lazy("Smallest sum of variances"),
    "maximum": gettext_lazy("Smallest maximum of the variances"),
}


@dataclass(frozen=True)
class PowerReport:
    """How many people the test needs, and the power that other numbers have."""

    request: PlanRequest
    test: PlannedTest

    @property
    def is_two_sample(self) -> bool:
        return self.request.samples == "two"

    @property
    def n_words(self) -> str:
        n, other = self.test.plan.n, self.test.plan.other_n
        if self.is_two_sample and other != n:
            words = gettext("{n} people in the first arm and {other} people in the second arm")
            return words.format(n=count_words(n), other=count_words(other or n))
        if self.is_two_sample:
            words = ngettext("{n} person in each group", "{n} people in each group", n)
        else:
            words = ngettext("{n} person", "{n} people", n)
        return words.format(n=count_words(n))

    @property
    def lines(self) -> tuple[str, ...]:
        """The test in sentences."""
        asked = self.request
        against = gettext(
            "The hypothesis is a share of {other}. If the true share is {share}, the test needs "
            "{people} to reject the hypothesis. Power {power}, significance level {level}, "
            "{sides}."
        )
        if self.is_two_sample:
            against = gettext(
                "If the true share is {share} in one group and {other} in the other group, the "
                "test needs {people} to find the difference. Power {power}, significance level "
                "{level}, {sides}."
            )
        lines = against.format(
            share=percent(float(asked.share or 0), 2),
            other=percent(float(asked.null_share), 2),
            people=self.n_words,
            power=percent(self.test.plan.power, 1),
            level=percent(float(asked.significance), 2),
            sides=SIDES[asked.alternative],
        )
        more = (self._exactly, self._with_responses, self._invited)
        return (f"{lines} {self._method}", *filter(None, more))

    @property
    def _method(self) -> str:
        """How the number of people was found."""
        if not self.request.effects.is_none:
            return gettext(
                "The number of people comes from the normal approximation with the design "
                "effect. The threshold of the test uses the standard error under the hypothesis. "
                "The test is about the whole population."
            )
        if not self.test.plan.is_exact:
            return gettext(
                "The number of people comes from the normal approximation. The threshold of the "
                "test uses the standard error under the hypothesis. The test is about the whole "
                "population."
            )
        return gettext(
            "The power is exact: it is summed over all possible counts of answers. With more "
            "people, the power never falls below {power}. The test is about the whole population."
        ).format(power=percent(float(self.request.power), 1))

    @property
    def _exactly(self) -> str:
        """What the exact test has where the plan is not exact; empty where there is none."""
        if self.test.exact is None or self.test.plan.is_exact:
            return ""
        words = gettext("The exact binomial test with {people} has power {power}.")
        return words.format(people=self.n_words, power=percent(self.test.exact, 1))

    @property
    def _with_responses(self) -> str:
        """The power of the responses that can be got; empty where none are said."""
        at_responses = self.test.at_responses
        if at_responses is None:
            return ""
        words = gettext("With {n} responses, the power is {power}.")
        if self.is_two_sample and at_responses.other_n != at_responses.n:
            words = gettext(
                "With {n} responses in the first arm and {other} responses in the second arm, the "
                "power is {power}."
            )
        elif self.is_two_sample:
            words = gettext("With {n} responses in each group, the power is {power}.")
        return words.format(
            n=count_words(at_responses.n),
            other=count_words(at_responses.other_n or at_responses.n),
            power=percent(at_responses.power, 1),
        )

    @property
    def _invited(self) -> str:
        """The invitations that bring the answers of the test; empty where all answer."""
        invited = self.test.invitations
        if invited is None:
            return ""
        words = ngettext(
            "For the test, invite {n} person.", "For the test, invite {n} people.", invited
        )
        if self.is_two_sample and not self.request.arms:
            words = ngettext(
                "For the test, invite {n} person from each group.",
                "For the test, invite {n} people from each group.",
                invited,
            )
        return words.format(n=count_words(invited))


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

    number: int
    answers: int
    epsilon: float
    variance: float

    @property
    def shown(self) -> tuple[str, str, str]:
        return str(self.answers), number_words(self.epsilon, 4), number_words(self.variance, 4)


@dataclass(frozen=True)
class BudgetReport:
    """A budget that is shared out."""

    answers: tuple[int, ...]
    allocation: Allocation

    @property
    def rows(self) -> tuple[BudgetRow, ...]:
        parts = zip(
            self.answers,
            self.allocation.epsilons,
            self.allocation.variances_times_n,
            strict=True,
        )
        return tuple(BudgetRow(number, *part) for number, part in enumerate(parts, start=1))

    @property
    def words(self) -> str:
        """What is gained over an even split."""
        allocation = self.allocation
        return gettext(
            "{objective}, multiplied by the number of answers n: {value}. If epsilon is split "
            "evenly, the result is {even}. The variance of a question is the largest variance of "
            "its shares, for fixed true answers."
        ).format(
            objective=OBJECTIVE_NAMES[allocation.objective],
            value=number_words(allocation.value, 4),
            even=number_words(allocation.even_value, 4),
        )


@dataclass(frozen=True)
class DesignsReport:
    """Designs of equal epsilon for one expected share and one number of people."""

    rows: tuple[DesignRow, ...]
    n: int
    epsilon: float
    request: PlanRequest

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
            "These numbers are for {n} people, epsilon {epsilon}, an expected share of {share} "
            "and a fixed share of {other} to compare with. “People (factor)” is the number of "
            "people that a design needs, divided by the number that the best design needs."
        ).format(
            n=count_words(self.n),
            epsilon=number_words(self.epsilon, 4),
            share=percent(float(self.request.share or 0), 2),
            other=percent(float(self.request.null_share), 2),
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
        prices = (
            gettext("epsilon {epsilon}: {n}").format(epsilon=row.shown[0], n=row.shown[1])
            for row in self.price
            if row.point.n is not None
        )
        return gettext("People needed with k-ary response: {sizes}.").format(
            sizes="; ".join(prices)
        )


def extras(plan: SurveyPlan) -> PlanExtras:
    """Everything that was asked for beside the error; a part that is refused becomes a reason."""
    asked, price, rows = plan.request, plan.price, plan.comparison
    test, budget = plan.test, plan.budget
    epsilon = asked.channel_design.epsilon
    return PlanExtras(
        power=PowerReport(asked, test) if isinstance(test, PlannedTest) else None,
        price=tuple(map(PriceRow, price)) if isinstance(price, tuple) else (),
        budget=BudgetReport(asked.answers, budget) if isinstance(budget, Allocation) else None,
        comparison=DesignsReport(rows, plan.compared_people, epsilon, asked)
        if isinstance(rows, tuple)
        else None,
        reasons=tuple(_reasons(plan)),
    )


def _reasons(plan: SurveyPlan) -> Iterator[str]:
    """Why a part cannot be given, in the order in which the parts are shown."""
    if plan.request.is_mean and plan.request.share is not None:
        yield gettext("Test: a question for a number has no share to test. Leave the share empty.")
    parts = (
        (gettext("Test"), plan.test),
        (gettext("Price of privacy"), plan.price),
        (gettext("Budget"), plan.budget),
        (gettext("Designs compared"), plan.comparison),
    )
    for part, outcome in parts:
        if isinstance(outcome, StatisticsError):
            words = translated(outcome.remedy)
            yield f"{part}: {words[:1].upper()}{words[1:]}."


def _row_words(row: DesignRow) -> tuple[str, ...]:
    exact = "–" if row.exact_power is None else percent(row.exact_power, 1)
    return (
        number_words(row.times_best, 3),
        percent(row.standard_error, 2),
        percent(row.power, 1),
        exact,
    )
