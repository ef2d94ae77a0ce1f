"""Replacing a respondent: charged by the worst pair of cells, with the weights that suit it."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.privacy.accounting import Adjacency
from analytics.privacy.lattice import step
from analytics.workloads.asks import Ask, OneWay, Tables
from analytics.workloads.checks import WorkloadError
from analytics.workloads.continual import Schedule
from analytics.workloads.crosstabs import TablePlan
from analytics.workloads.duals import optimum, replaced_optimum
from analytics.workloads.pairs import MOST_TRIED, pair_weights, replaced
from analytics.workloads.residuals import plan_tables

REPLACE = Adjacency.REPLACE
# A plan takes 30 ms: 1,000 of them in the audit, 20 in the tests.
MOST_EXAMPLES = min(settings.default.max_examples // 2, 1_000)


def ways(questions, *numbers):
    return [table for number in numbers for table in combinations(range(questions), number)]


def furthest(questions, noise):
    """The largest mu of any two cells, all of them tried: sums of squares over the noisy sets."""
    grams = [(q.residuals.T @ q.residuals).astype(float) for q in questions]
    apart = 0.0
    for chosen, sd in noise.items():
        if not sd:
            continue
        products = np.ones((1, 1))
        for position, gram in enumerate(grams):
            products = np.kron(products, gram if position in chosen else np.ones_like(gram))
        own = products.diagonal()
        apart = apart + step(sd) ** 2 * (own[:, None] + own - 2 * products)
    return math.sqrt(apart.max())


@st.composite
def plans(draw):
    """Counts, CDFs and ranges of up to four questions, in any tables."""
    count = draw(st.integers(1, 4))
    sizes = draw(st.lists(st.integers(2, 9 - count), min_size=count, max_size=count))
    asked = st.sampled_from([Ask.COUNTS, Ask.CDF, Ask.RANGES])
    asks = draw(st.lists(asked, min_size=count, max_size=count))
    tables = st.sampled_from(ways(count, *range(1, count + 1)))
    chosen = draw(st.lists(tables, min_size=1, max_size=6, unique=True))
    return plan_tables(Tables.of(sizes, chosen, asks), adjacency=REPLACE)


@given(plans(), st.sampled_from([2.0, 0.3]))
@settings(max_examples=MOST_EXAMPLES)
def test_the_charge_is_that_of_the_worst_pair_of_cells_and_the_weights_suit_it(plan, mu):
    planned = TablePlan.of(plan, mu, REPLACE)
    worst = furthest(planned.questions, planned.noise)
    assert worst <= planned.mu <= 1.01 * worst
    assert mu * (1 - 1e-6) <= planned.mu <= mu
    agreements, weights = [base.agreement for base in plan.bases], plan.replacing
    charges = {chosen: math.sqrt(share) for chosen, share in weights.shares.items()}
    assert replaced(charges, agreements) == pytest.approx(1)
    assert weights.lower <= weights.error <= weights.lower * 1.002
    plain = {chosen: share**0.5 for chosen, share in plan.shares.items() if chosen}
    spent = sum(share for chosen, share in plan.shares.items() if chosen)
    assert weights.error <= plan.error * spent * replaced(plain, agreements) ** 2 * (1 + 1e-9)


BY_HAND = {
    "a question of two levels": ({(0,): 1.0}, [-1.0], 2.0),
    "a question of five": ({(0,): 1.0}, [-0.25], math.sqrt(2.5)),
    "two questions apart": ({(0,): 1.0, (1,): 2.0}, [-0.25, -1.0], math.sqrt(2.5 + 16)),
    # Where both answers differ, their product is the same: the worst differ in one.
    "two of two levels together": ({(0, 1): 1.0}, [-1.0, -1.0], 2.0),
    "the number, which is public": ({(): 5.0, (0,): 1.0}, [-1.0], 2.0),
}


@pytest.mark.parametrize(("charges", "agreements", "mu"), BY_HAND.values(), ids=BY_HAND)
def test_small_charges_are_those_by_hand(charges, agreements, mu):
    assert replaced(charges, agreements) == pytest.approx(mu)


@pytest.mark.parametrize("levels", [2, 3, 5, 10, 20])
def test_a_question_of_counts_has_the_margin_of_a_plain_histogram(levels):
    """Two counts change by 1 each: sqrt 2 / mu of noise, and the number is known besides."""
    plan = TablePlan.of(plan_tables(Tables.of([levels], [(0,)])), 1.0, REPLACE)
    best = math.sqrt(2 * (1 - 1 / levels))
    errors = np.sqrt(plan.variances((0,)))
    assert (errors <= 1.01 * best).all()
    assert math.sqrt((errors**2).mean()) >= best * (1 - 1e-9)


SIX = (5, 5, 7, 2, 3, 10)


@pytest.mark.parametrize(
    ("numbers", "ratio"), {(1,): 0.7976, (2,): 0.7323, (1, 2): 0.7304}.items(), ids=str
)
def test_six_questions_are_charged_less_than_twice_what_one_more_costs(numbers, ratio):
    plan = plan_tables(Tables.of(SIX, ways(6, *numbers)))
    charges = {chosen: math.sqrt(share) for chosen, share in plan.shares.items() if chosen}
    mu = replaced(charges, [base.agreement for base in plan.bases])
    assert mu / (2 * math.hypot(*charges.values())) == pytest.approx(ratio, abs=1e-4)


@pytest.mark.parametrize("tables", [[(0,), (1,)], [(0, 1)], [(0,), (1,), (0, 1)]], ids=str)
def test_counts_get_the_least_error_of_any_strategy(tables):
    asked = Tables.of([4, 3], tables)
    certified = replaced_optimum(asked, 1e-4)
    weights = plan_tables(asked).replacing
    assert certified.lower <= weights.error * (1 + 1e-9)
    assert weights.lower <= certified.upper * (1 + 1e-9)
    assert weights.error <= certified.upper * 1.001


@pytest.mark.parametrize("ask", [Ask.CDF, Ask.RANGES])
@pytest.mark.parametrize(("levels", "above"), [(3, 1.0001), (6, 1.07), (10, 1.1)])
def test_an_ordered_question_by_itself_is_near_the_least_error(ask, levels, above):
    asked = Tables.of([levels], [(0,)], [ask])
    certified = replaced_optimum(asked, 1e-3)
    error = plan_tables(asked, adjacency=REPLACE).replacing.error
    assert certified.lower <= error <= above * certified.lower
    assert error < plan_tables(asked).replacing.error


def test_only_questions_in_tables_of_their_own_get_another_base():
    tables = Tables.of([5, 5, 4], [(0,), (1,), (0, 2)], [Ask.CDF] * 3)
    plain, replacing = plan_tables(tables), plan_tables(tables, adjacency=REPLACE)
    changed = [(a.gram != b.gram).any() for a, b in zip(plain.bases, replacing.bases, strict=True)]
    assert changed == [False, True, False]
    assert replacing.replacing.error < plain.replacing.error


def test_the_least_error_of_three_cumulative_counts_is_that_of_three_cells_apart():
    """8/3: an equilateral triangle of columns, 2 (tr V - 1'V1 / 3) for V of a CDF."""
    certified = replaced_optimum(OneWay(Ask.CDF, 3))
    assert certified.lower == pytest.approx(8 / 3, rel=1e-5)
    assert certified.upper == pytest.approx(8 / 3, rel=1e-5)


def test_hiding_one_more_or_fewer_costs_an_error_of_less_than_the_number_too():
    """A strategy for the one is one for the other, at most twice as far between columns."""
    asked = OneWay(Ask.RANGES, 6)
    assert replaced_optimum(asked, 1e-3).lower <= 4 * optimum(asked).upper


def test_nothing_but_the_number_of_respondents_is_refused_and_so_are_many_cells():
    with pytest.raises(WorkloadError, match="more than the number"):
        replaced_optimum(OneWay(Ask.TOTAL, 4))
    with pytest.raises(WorkloadError, match="at most 1,024"):
        replaced_optimum(OneWay(Ask.COUNTS, 1_025))


def test_sixty_questions_by_themselves_are_each_at_their_worst():
    charges = {(position,): 1.0 for position in range(60)}
    assert replaced(charges, [-1 / 3] * 60) == pytest.approx(math.sqrt(60 * 8 / 3))


def test_of_more_questions_than_are_tried_the_charge_is_a_little_above_the_worst_pair():
    """All pairs of 20 questions of 4 levels: m differ, at 8/9 a pair of them and 4/3 across."""
    questions = MOST_TRIED + 2
    charges = dict.fromkeys(combinations(range(questions), 2), 1.0)
    differ = np.arange(questions + 1)
    exact = (8 / 9 * differ * (differ - 1) / 2 + 4 / 3 * differ * (questions - differ)).max()
    mu = replaced(charges, [-1 / 3] * questions)
    assert math.sqrt(2 * exact) <= mu <= 1.04 * math.sqrt(2 * exact)
    weights = pair_weights(charges, [-1 / 3] * questions)
    assert weights.lower <= weights.error <= 1.1 * weights.lower


def test_a_chain_of_questions_is_planned_within_its_bound():
    tables = [(), *pairwise(range(12))]
    weights = plan_tables(Tables.of([2, 3, 4] * 4, tables)).replacing
    assert weights.lower <= weights.error <= weights.lower * 1.001


@pytest.mark.parametrize("openings", [1, 2, 6])
def test_a_schedule_is_charged_by_the_worst_pair_at_any_two_openings(openings):
    tables = Tables.of([4, 3], [(0,), (1,), (0, 1)], [Ask.CDF, Ask.COUNTS])
    schedule = Schedule.of(plan_tables(tables), openings, 0.5, REPLACE)
    grams = [q.residuals.T @ q.residuals for q in schedule.tables.questions]
    times = schedule.strategy.T @ schedule.strategy
    apart = 0.0
    for chosen, sd in schedule.tables.noise.items():
        if sd:
            factors = (gram if i in chosen else np.ones_like(gram) for i, gram in enumerate(grams))
            products = np.kron(np.kron(times.astype(float), next(factors)), next(factors))
            own = products.diagonal()
            apart = apart + step(sd) ** 2 * (own[:, None] + own - 2 * products)
    worst = math.sqrt(apart.max())
    assert worst <= schedule.mu <= 1.01 * worst
