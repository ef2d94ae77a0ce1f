import math

import pytest

from tests.randomized_response.designs import Direct, KAry
from tests.randomized_response.errors import DesignError, PlanError
from tests.randomized_response.planning import Meaning, plan_sample_size, sample_size_one_sample
from tests.randomized_response.planning.privacy_price import price_of_power, price_of_privacy

EPSILONS = (0.1, 0.5, 1.0, math.log(3), 2.0, 4.0, 8.0)
GOAL = {
    "error": 0.03,
    "failure_probability": 0.05,
    "method": "chebyshev",
    "meaning": Meaning.POPULATION,
}
TEST = {"share": 0.2, "null_share": 0.1}


def test_each_point_is_the_plan_of_k_ary_response_at_that_epsilon() -> None:
    for options in (2, 4):
        for point in price_of_privacy(EPSILONS, options=options, **GOAL):
            plan = plan_sample_size(KAry.from_epsilon(options, point.epsilon), **GOAL)
            direct = plan_sample_size(Direct(options), **GOAL)
            assert point.n == plan.n
            assert point.times_direct == pytest.approx(plan.n / direct.n)


def test_each_point_of_a_test_is_its_smallest_sample() -> None:
    for point in price_of_power(EPSILONS, **TEST):
        assert point.n == sample_size_one_sample(KAry.from_epsilon(2, point.epsilon), **TEST).n


def test_more_privacy_always_costs_more_people_and_none_is_free() -> None:
    for points in (price_of_privacy(EPSILONS, **GOAL), price_of_power(EPSILONS, **TEST)):
        sizes = [point.n for point in points]
        assert sizes == sorted(sizes, reverse=True)
        assert all(point.times_direct >= 1 for point in points)


def test_for_these_people_the_price_is_the_closed_form() -> None:
    # n = 1 / (4 sinh^2(e/2) c q^2), people given; direct answers need one.
    goal = {**GOAL, "meaning": Meaning.RESPONDENTS}
    for point in price_of_privacy((0.5, 1.0, 2.0), **goal):
        closed = 1 / (4 * math.sinh(point.epsilon / 2) ** 2 * 0.05 * 0.03**2)
        assert point.n == pytest.approx(closed, abs=1)
        assert point.times_direct == point.n


def test_an_epsilon_out_of_reach_says_why_and_the_others_are_answered() -> None:
    hopeless, fine = price_of_power((1e-5, 1.0), **TEST)
    assert (hopeless.n, hopeless.times_direct) == (None, None)
    assert "10^9" in hopeless.reason
    assert fine.n is not None
    few, enough = price_of_privacy((0.5, 8.0), population=5000, **{**GOAL, "error": 0.05})
    assert (few.n, "too few" in few.reason) == (None, True)
    assert enough.n is not None


@pytest.mark.parametrize("epsilons", [(), (0,), (-1.0,), (math.nan,), (math.inf,), ("1",)])
def test_nonsense_epsilons_are_refused(epsilons) -> None:
    with pytest.raises((PlanError, DesignError)):
        price_of_privacy(epsilons, **GOAL)


def test_a_goal_that_makes_no_sense_is_refused_once_and_for_all() -> None:
    with pytest.raises(PlanError, match="method"):
        price_of_privacy(EPSILONS, **{**GOAL, "method": "guess"})
    with pytest.raises(PlanError, match="there is no difference to detect"):
        price_of_power(EPSILONS, share=0.2, null_share=0.2)
    with pytest.raises(PlanError, match="1 to 200"):
        price_of_power([1.0] * 201, **TEST)
