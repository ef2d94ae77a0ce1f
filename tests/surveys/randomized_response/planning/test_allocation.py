import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import KAry
from tests.randomized_response.errors import DesignError, PlanError
from tests.randomized_response.planning import Meaning, plan_sample_size
from tests.randomized_response.planning.allocation import (
    OBJECTIVES,
    BudgetQuestion,
    allocate_epsilon,
)

QUESTIONS = st.lists(
    st.builds(BudgetQuestion, st.integers(2, 40), st.floats(0.01, 100)), min_size=1, max_size=8
)
TOTALS = st.floats(0.01, 60)


def variance(question: BudgetQuestion, epsilon: float) -> float:
    # p (1 - p) / (p - q)^2 with p = e^epsilon q and 1 - p = (k - 1) q.
    return question.weight * (question.options - 1) * math.exp(epsilon) / math.expm1(epsilon) ** 2


@given(QUESTIONS, TOTALS, st.sampled_from(OBJECTIVES))
def test_the_parts_use_the_whole_budget_and_never_more(questions, total, objective) -> None:
    found = allocate_epsilon(questions, total, objective=objective)
    assert math.fsum(found.epsilons) <= total
    assert math.fsum(found.epsilons) == pytest.approx(total, rel=1e-12)
    assert min(found.epsilons) > 0


@given(QUESTIONS, TOTALS)
def test_the_smallest_sum_has_equal_slopes(questions, total) -> None:
    found = allocate_epsilon(questions, total)
    slopes = [
        math.log(q.weight * (q.options - 1))
        + math.log(math.cosh(e / 2))
        - 3 * math.log(math.sinh(e / 2))
        for q, e in zip(questions, found.epsilons, strict=True)
    ]
    assert slopes == pytest.approx([slopes[0]] * len(slopes), abs=1e-6)


@given(QUESTIONS, TOTALS)
def test_the_smallest_maximum_makes_all_variances_equal(questions, total) -> None:
    found = allocate_epsilon(questions, total, objective="maximum")
    weighted = [q.weight * v for q, v in zip(questions, found.variances_times_n, strict=True)]
    assert weighted == pytest.approx([found.value] * len(weighted), rel=1e-6)


@given(QUESTIONS, TOTALS, st.sampled_from(OBJECTIVES), st.integers(0, 2**32 - 1))
def test_no_other_split_is_better(questions, total, objective, seed) -> None:
    found = allocate_epsilon(questions, total, objective=objective)
    others = np.random.default_rng(seed).dirichlet(np.ones(len(questions)), 20) * total
    nearby = np.array(found.epsilons) * np.exp(
        np.random.default_rng(seed).normal(0, 0.01, (20, len(questions)))
    )
    nearby *= total / nearby.sum(axis=1, keepdims=True)
    combine = sum if objective == "sum" else max
    for split in (*others, *nearby, np.full(len(questions), total / len(questions))):
        if min(split) > 1e-3:
            value = combine(variance(q, e) for q, e in zip(questions, split, strict=True))
            assert found.value <= value * (1 + 1e-9)
    assert found.value <= found.even_value * (1 + 1e-12)


def test_equal_questions_share_evenly() -> None:
    for objective in OBJECTIVES:
        found = allocate_epsilon([BudgetQuestion(3)] * 4, 2, objective=objective)
        assert found.epsilons == pytest.approx([0.5] * 4, rel=1e-12)
        assert found.value == pytest.approx(found.even_value)


def test_one_question_gets_everything() -> None:
    assert allocate_epsilon([BudgetQuestion()], 1.5).epsilons == pytest.approx([1.5])


def test_the_variance_is_the_one_the_planner_uses() -> None:
    found = allocate_epsilon([BudgetQuestion(2), BudgetQuestion(6)], 3)
    for design, v in zip(found.designs(), found.variances_times_n, strict=True):
        plan = plan_sample_size(
            design,
            error=0.1,
            failure_probability=0.1,
            method="chebyshev",
            meaning=Meaning.RESPONDENTS,
        )
        assert plan.variance_times_n_conditional == pytest.approx(v, rel=1e-6)


def test_the_designs_together_lose_no_more_than_the_budget() -> None:
    found = allocate_epsilon([BudgetQuestion(2), BudgetQuestion(4), BudgetQuestion(9)], 2.5)
    assert all(isinstance(design, KAry) for design in found.designs())
    assert sum(design.epsilon for design in found.designs()) <= 2.5 + 1e-12


def test_a_weightier_question_gets_more_and_the_order_does_not_matter() -> None:
    light, heavy = BudgetQuestion(2), BudgetQuestion(2, 10)
    forth, back = (allocate_epsilon(q, 2).epsilons for q in ([light, heavy], [heavy, light]))
    assert forth[1] > forth[0]
    assert forth == pytest.approx(back[::-1])


@pytest.mark.parametrize("total", [1e-6, 1e-3, 100])
def test_tiny_and_large_budgets_are_shared_too(total) -> None:
    questions = [BudgetQuestion(2), BudgetQuestion(1000, 1e9), BudgetQuestion(2, 1e-9)]
    for objective in OBJECTIVES:
        found = allocate_epsilon(questions, total, objective=objective)
        assert math.fsum(found.epsilons) == pytest.approx(total)
        assert math.isfinite(found.value)


@pytest.mark.parametrize("total", [0, -1, 101, math.nan, math.inf, "2", None, True])
def test_a_budget_that_cannot_be_shared_is_refused(total) -> None:
    with pytest.raises(PlanError, match="total"):
        allocate_epsilon([BudgetQuestion()], total)


def test_questions_that_make_no_sense_are_refused() -> None:
    for weight in (0, -1, math.nan, 1e10, "1"):
        with pytest.raises(PlanError, match="weight"):
            BudgetQuestion(2, weight)
    for options in (1, 0, 2.5, math.nan):
        with pytest.raises(DesignError, match="options"):
            BudgetQuestion(options)
    for questions in ([], "abc", [2, 3], None, [BudgetQuestion()] * 1001):
        with pytest.raises(PlanError, match="questions"):
            allocate_epsilon(questions, 1)
    with pytest.raises(PlanError, match="choose one of sum, maximum"):
        allocate_epsilon([BudgetQuestion()], 1, objective="mean")
