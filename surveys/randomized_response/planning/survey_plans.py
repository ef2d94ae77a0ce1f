"""plan_survey: a request's people and errors by every method and reading, its test and its prices.

What one part cannot have is kept as the error that says why; the other parts are still worked out.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from typing import TypedDict, TypeVar

from ..checks import require_kind
from ..designs.design import Design
from ..designs.rounded import RoundedNumber
from ..errors import PlanError, StatisticsError
from ..intervals.planned_looks import PlannedLooks
from ..messages import sentence, together
from ..printing import Cell, cell, report, table
from .allocation import Allocation, BudgetQuestion, allocate_epsilon
from .design_comparison import DesignRow, compare_designs
from .design_effects import DesignEffects
from .exact_power import (
    LARGEST_GROUP,
    exact_power,
    exact_power_two_samples,
    sample_size_one_sample,
    sample_size_two_samples,
)
from .invitations import PlannedSample, invitations_of_plan, planned_sample
from .planning import EFFECTIVE, Meaning, error_for_sample_size, plan_sample_size
from .power import PowerAnalysis, power_one_sample, power_two_samples
from .privacy_price import PricePoint, price_of_privacy
from .readings import Reading, half_width, people_needed, scores_shown, shown_variances
from .requests import METHODS_OF_MANY_LOOKS, READINGS, PlanRequest

T = TypeVar("T")
Number = float | StatisticsError
CURVE_ERRORS = tuple(
    Fraction(text) for text in ("0.005", "0.01", "0.02", "0.03", "0.05", "0.075", "0.1", "0.15")
)
PRICE_EPSILONS = (0.25, 0.5, 0.75, 1.0, math.log(3), 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
_READINGS = {name: reading for reading, name in METHODS_OF_MANY_LOOKS.items()}
_ASSUMPTIONS = {
    Reading.ALWAYS: sentence(
        "The error is half the width of the confidence sequence, for the count of answers that "
        "makes it widest. The error holds for this n and every larger n. The error is not made "
        "smaller for estimates about the people who take part or about a finite population."
    ),
    Reading.AT_OPENINGS: sentence(
        "The error is half the width of the interval at the last opening, for the count of "
        "answers that makes this interval widest. The error holds for this n and every larger n. "
        "The error is not made smaller for estimates about the people who take part or about a "
        "finite population."
    ),
}


class _Terms(TypedDict):
    """What a sample size and an error have in common."""

    failure_probability: Fraction
    method: str
    meaning: Meaning
    population: int | None
    drawn: Fraction
    effects: DesignEffects


class _TestKind(TypedDict):
    significance: float
    alternative: str


class _Pair(TypedDict):
    share: float
    other_share: float


class _Sampled(TypedDict):
    effects: DesignEffects
    in_same_clusters: bool


@dataclass(frozen=True)
class MethodNumbers:
    """A number of people, or an error, by one method under both meanings."""

    method: str
    respondents: Number
    population: Number

    def of(self, meaning: Meaning) -> Number:
        """The number under one meaning."""
        return self.respondents if meaning is Meaning.RESPONDENTS else self.population


@dataclass(frozen=True)
class ReadingNumbers:
    """What a reading costs: ``people`` for the error asked for, the ``error`` of the responses."""

    reading: Reading
    people: Number
    error: float


@dataclass(frozen=True)
class PlannedTest:
    """How many people the test needs, and the power that other numbers have.

    ``exact``: the power as a sum over all counts, where there is one: that of the plan if the plan
    is exact; ``at_responses``: that of the responses, exact where that of the plan can be.
    ``invitations`` bring the answers of each of ``samples`` that are invited apart: two where two
    groups are compared that are not arms.
    """

    plan: PowerAnalysis
    exact: float | None
    at_responses: PowerAnalysis | None
    invitations: int | None = None
    samples: int = 1

    @property
    def invitations_in_all(self) -> int | None:
        """Those of all samples together; None where all who are asked answer."""
        return None if self.invitations is None else self.samples * self.invitations


@dataclass(frozen=True)
class SurveyPlan:
    """What was asked, and every number that answers it.

    ``n`` people are asked the question; ``assumption`` is what that rests on. ``errors`` has no
    rows where no responses are named. A part that was not asked for is None.
    """

    request: PlanRequest
    looks: PlannedLooks
    n: int
    assumption: str
    sizes: tuple[MethodNumbers, ...]
    errors: tuple[MethodNumbers, ...]
    readings: tuple[ReadingNumbers, ...]
    sample: PlannedSample | None = None
    budget: Allocation | StatisticsError | None = None
    price: tuple[PricePoint, ...] | StatisticsError = ()
    test: PlannedTest | StatisticsError | None = None
    comparison: tuple[DesignRow, ...] | StatisticsError | None = None

    @property
    def people(self) -> int:
        """How many people to ask, so that ``n`` of them are asked the question on average."""
        return math.ceil(self.n / self.request.share_answering)

    @property
    def compared_people(self) -> int:
        """The people for whom designs and readings are compared: the responses, or those of n."""
        return self.request.responses_answering or self.n

    @cached_property
    def curve(self) -> tuple[tuple[Fraction, tuple[tuple[str, Number], ...]], ...]:
        """Each error, and the people that each method needs: most of the work, for who shows it."""
        asked = self.request
        return tuple(
            (
                error,
                tuple(
                    (method, _size(asked, self.looks, method, asked.meaning, error))
                    for method in asked.methods
                ),
            )
            for error in sorted({*CURVE_ERRORS, asked.error})
        )

    def __str__(self) -> str:
        """The number that leads and what it rests on, then the methods, readings, sample, test."""
        asked = self.request
        title = f"n = {self.n} for an error of {cell(asked.error)} ({asked.design}): "
        head = ("method", "respondents", "population")
        rows = [
            (each.method, _shown(each.respondents), _shown(each.population)) for each in self.sizes
        ]
        readings = [
            (str(each.reading.value), _shown(each.people), each.error) for each in self.readings
        ]
        parts = [
            report(title + str(self.assumption), head, rows),
            table(("reading", "people", "error of n"), readings),
        ]
        if self.sample is not None:
            parts.append(table(_SAMPLE_HEAD, [_sample_row(self.sample)]))
        if isinstance(self.test, PlannedTest):
            parts.append(table(_TEST_HEAD, [_test_row(self.test)]))
        return "\n".join(parts)


_SAMPLE_HEAD = ("sample", "design effect", "effective n", "invitations", "clusters")
_TEST_HEAD = ("test", "n", "other n", "power", "invitations in all")


def _shown(number: Number) -> float | None:
    """A dash for what a method cannot say."""
    return None if isinstance(number, StatisticsError) else number


def _sample_row(sample: PlannedSample) -> tuple[Cell, ...]:
    effect, worth = sample.design_effect, sample.effective_n
    return ("as planned", effect, worth, sample.invitations, sample.clusters)


def _test_row(test: PlannedTest) -> tuple[Cell, ...]:
    plan = test.plan
    return ("as planned", plan.n, plan.other_n, plan.power, test.invitations_in_all)


def plan_survey(request: PlanRequest, looks: PlannedLooks | None = None) -> SurveyPlan:
    """Answer a request by every method and in every reading.

    ``looks``: those of its openings; None is as many at even distances. Raises StatisticsError
    where the number that leads has no answer, or where there are fewer people than responses or
    invitations.

    >>> from randomized_response.planning import PlanRequest, plan_survey
    >>> plan = plan_survey(PlanRequest(error=0.05))
    >>> plan.n, [(row.method, row.population) for row in plan.sizes][:2]
    (1574, [('chebyshev', 8000), ('hoeffding', 2952)])
    """
    require_kind("request", request, PlanRequest, "give a PlanRequest", PlanError)
    return _planned(request, looks or PlannedLooks.even(request.openings))


@lru_cache(maxsize=64)
def _planned(asked: PlanRequest, looks: PlannedLooks) -> SurveyPlan:
    n, assumption = _leading(asked, looks)
    plan = SurveyPlan(
        request=asked,
        looks=looks,
        n=n,
        assumption=assumption,
        sizes=_by_method(asked, partial(_size, asked, looks, error=asked.error)),
        errors=_by_method(asked, partial(_error, asked, looks)) if asked.responses else (),
        readings=tuple(
            ReadingNumbers(
                reading,
                _attempt(partial(_people, asked, looks, reading, asked.error)),
                _half_width(asked, looks, reading, asked.responses_answering or n),
            )
            for reading in READINGS
        ),
        sample=None if asked.is_simple_sample else planned_sample(asked, n),
        budget=None
        if asked.budget is None
        else _attempt(
            partial(
                allocate_epsilon,
                [BudgetQuestion(options) for options in asked.answers],
                asked.budget,
                objective=asked.objective,
            )
        ),
    )
    design = asked.channel_design
    return plan if isinstance(design, RoundedNumber) else _with_shares(plan, design)


def _with_shares(plan: SurveyPlan, design: Design) -> SurveyPlan:
    """The plan with what only shares have: a price, and a test where a share is expected."""
    asked, share = plan.request, plan.request.share
    goal = (asked.error, asked.failure, asked.method, asked.meaning, asked.population)
    drawn = asked.share_answering
    price = _attempt(partial(_price, *goal, drawn, design.options, asked.effects))
    if share is None:
        return replace(plan, price=price)
    test = _two_samples if asked.samples == "two" else _one_sample
    kind = _TestKind(significance=float(asked.significance), alternative=asked.alternative)
    shares = (float(share), float(asked.null_share))
    return replace(
        plan,
        price=price,
        test=_attempt(lambda: _invited(asked, test(asked, design, shares, kind))),
        comparison=_attempt(partial(_comparison, plan, design, shares, kind)),
    )


def _attempt(compute: Callable[[], T]) -> T | StatisticsError:
    """What is computed, or the refusal."""
    try:
        return compute()
    except StatisticsError as problem:
        # Plans are kept: with its traceback a refusal would keep all frames of the computation.
        return problem.with_traceback(None)


def _leading(asked: PlanRequest, looks: PlannedLooks) -> tuple[int, str]:
    """The number that was asked for, and what it assumes. Raises StatisticsError."""
    if asked.reading is not Reading.ONCE:
        assumption = _ASSUMPTIONS[asked.reading]
        words = assumption if asked.effects.is_none else together(assumption, EFFECTIVE)
        return _people(asked, looks, asked.reading, asked.error), words
    plan = plan_sample_size(
        asked.channel_design,
        error=asked.error,
        failure_probability=asked.failure,
        method=asked.method,
        meaning=asked.meaning,
        population=asked.population,
        drawn=asked.share_answering,
        effects=asked.effects,
    )
    return plan.n, plan.assumption


def _terms(asked: PlanRequest, method: str, meaning: Meaning) -> _Terms:
    return _Terms(
        failure_probability=asked.failure,
        method=method,
        meaning=meaning,
        population=asked.population if meaning is Meaning.POPULATION else None,
        drawn=asked.share_answering,
        effects=asked.effects,
    )


def _by_method(
    asked: PlanRequest, number: Callable[[str, Meaning], Number]
) -> tuple[MethodNumbers, ...]:
    return tuple(
        MethodNumbers(method, *(number(method, meaning) for meaning in Meaning))
        for method in asked.methods
    )


def _size(
    asked: PlanRequest, looks: PlannedLooks, method: str, meaning: Meaning, error: Fraction
) -> Number:
    """The sample size by one method, or why it has none."""
    if method in _READINGS:
        return _attempt(lambda: _people(asked, looks, _READINGS[method], error))
    terms = _terms(asked, method, meaning)
    return _attempt(lambda: plan_sample_size(asked.channel_design, error=error, **terms).n)


def _error(asked: PlanRequest, looks: PlannedLooks, method: str, meaning: Meaning) -> Number:
    """The error that the responses buy by one method, or why it has none."""
    n = asked.responses_answering or 1
    if method in _READINGS:
        return _half_width(asked, looks, _READINGS[method], n)
    terms = _terms(asked, method, meaning)
    return _attempt(lambda: error_for_sample_size(asked.channel_design, n=n, **terms))


def _people(asked: PlanRequest, looks: PlannedLooks, reading: Reading, error: Fraction) -> int:
    """How many answers make no interval wider than this in a reading. Raises PlanError."""
    independent = people_needed(
        scores_shown(asked.channel_design),
        error=error,
        reading=reading,
        failure_probability=asked.failure,
        looks=looks,
    )
    return math.ceil(_effect_shown(asked) * independent)


def _half_width(asked: PlanRequest, looks: PlannedLooks, reading: Reading, n: int) -> float:
    """Half the width that no interval of n answers exceeds in a reading."""
    return half_width(
        scores_shown(asked.channel_design),
        n=max(1, math.floor(n / _effect_shown(asked))),
        reading=reading,
        failure_probability=asked.failure,
        looks=looks,
    )


def _effect_shown(asked: PlanRequest) -> Fraction:
    """The largest design effect of the numbers that a page shows."""
    return max(map(asked.effects.of, shown_variances(asked.channel_design)))


def _one_sample(
    asked: PlanRequest, design: Design, shares: tuple[float, float], kind: _TestKind
) -> PlannedTest:
    share, null_share = shares
    n, effects = asked.responses_answering, asked.effects
    plan = sample_size_one_sample(
        design,
        share=share,
        null_share=null_share,
        power=float(asked.power),
        effects=effects,
        **kind,
    )
    test = partial(power_one_sample, design, share=share, null_share=null_share, **kind)
    at = test(n=n, effects=effects) if n else None
    if not effects.is_none:
        return PlannedTest(plan, None, at)
    exact = partial(exact_power, design, share=share, null_share=null_share, **kind)
    if at:
        at = replace(at, power=exact(n=at.n).power, is_exact=True)
    return PlannedTest(plan, exact(n=plan.n).power, at)


def _two_samples(
    asked: PlanRequest, design: Design, shares: tuple[float, float], kind: _TestKind
) -> PlannedTest:
    share, other = shares
    groups, pair = _groups(asked), _Pair(share=share, other_share=other)
    terms = _Sampled(effects=groups.effects, in_same_clusters=bool(asked.arms))
    plan = sample_size_two_samples(
        design, power=float(asked.power), ratio=groups.ratio, **pair, **terms, **kind
    )
    at, n = None, groups.n
    if n:
        other_n = math.ceil(groups.ratio * n)
        at = power_two_samples(design, n=n, other_n=other_n, **pair, **terms, **kind)
        if plan.is_exact and max(n, other_n) <= LARGEST_GROUP:
            power = exact_power_two_samples(design, n=n, other_n=other_n, **pair, **kind)
            at = replace(at, power=power, is_exact=True)
    return PlannedTest(plan, plan.power if plan.is_exact else None, at)


def _invited(asked: PlanRequest, test: PlannedTest) -> PlannedTest:
    """The test with the invitations that bring its answers; none where all who are asked answer."""
    if asked.is_simple_sample:
        return test
    n, other_n = test.plan.n, test.plan.other_n
    answers = [n] * len(asked.arm_shares)
    if asked.samples == "two" and len(asked.arm_shares) == 2:
        answers = [n, other_n or n]
    samples = 2 if asked.samples == "two" and not asked.arms else 1
    return replace(test, invitations=invitations_of_plan(asked, answers), samples=samples)


@dataclass(frozen=True)
class _Groups:
    """The effects on the first of two groups, how many times as large the other is, and its n."""

    effects: DesignEffects
    ratio: float
    n: int | None


def _groups(asked: PlanRequest) -> _Groups:
    """Of two arms the first has the share that is expected; of more, two of the smallest."""
    if asked.arms is None or len(asked.arms) != 2:
        return _Groups(asked.effects, 1.0, asked.responses_answering)
    first, second = asked.arms
    share = asked.share_asked * asked.arm_shares[0]
    n = asked.responses and max(1, math.floor(asked.responses * share))
    return _Groups(asked.effects_of(share), second / first, n)


@lru_cache(maxsize=64)
def _price(
    error: Fraction,
    failure: Fraction,
    method: str,
    meaning: Meaning,
    population: int | None,
    drawn: Fraction,
    options: int,
    effects: DesignEffects,
) -> tuple[PricePoint, ...]:
    """Kept by what the price depends on: designs of as many answers have the same."""
    return price_of_privacy(
        PRICE_EPSILONS,
        error=error,
        failure_probability=failure,
        method=method,
        meaning=meaning,
        population=population,
        drawn=drawn,
        options=options,
        effects=effects,
    )


def _comparison(
    plan: SurveyPlan, design: Design, shares: tuple[float, float], kind: _TestKind
) -> tuple[DesignRow, ...]:
    """Designs with the epsilon of this one. Raises StatisticsError."""
    if not math.isfinite(design.epsilon):
        remedy = sentence(
            "the epsilon of this design is infinite. To compare designs at the same epsilon, "
            "choose a design with a finite epsilon"
        )
        raise PlanError("epsilon", design.epsilon, remedy)
    share, null_share = shares
    return compare_designs(
        design.epsilon,
        share=share,
        null_share=null_share,
        n=plan.compared_people,
        options=design.options,
        effects=plan.request.effects,
        **kind,
    )
