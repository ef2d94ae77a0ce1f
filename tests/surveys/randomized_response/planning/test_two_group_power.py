import math
from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response.designs.binary import Warner
from tests.randomized_response.designs.two_group import (
    AnchoredCrosswise,
    CheaterDetection,
    StochasticLieDetector,
    UnrelatedQuestionTwoGroups,
)
from tests.randomized_response.errors import EstimationError, PlanError
from tests.randomized_response.estimates import expected_standard_errors
from tests.randomized_response.planning.two_group_power import (
    power_two_group_design,
    sample_size_two_group_design,
)

UNRELATED = UnrelatedQuestionTwoGroups(Fraction(7, 10), Fraction(3, 10))
LIE_DETECTOR = StochasticLieDetector(Fraction(2, 12), Fraction(10, 12))
CHEATERS = CheaterDetection(Fraction(1, 4), Fraction(3, 4))


def test_the_variance_of_the_unrelated_question_is_greenbergs_formula() -> None:
    # pi = (l1 (1 - p2) - l2 (1 - p1)) / (p1 - p2).
    found = power_two_group_design(
        UNRELATED, shares=(0.2, 0.3), null_shares=(0.1, 0.3), n=400, other_n=500
    )
    one, two = 0.7 * 0.2 + 0.3 * 0.3, 0.3 * 0.2 + 0.7 * 0.3
    variance = 0.7**2 * one * (1 - one) / 400 + 0.3**2 * two * (1 - two) / 500
    assert found.standard_error == pytest.approx(math.sqrt(variance) / 0.4, rel=1e-12)
    assert found.difference == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("design", "shares", "share"),
    [
        (UNRELATED, (0.2, 0.3), 0),
        (UNRELATED, (0.2, 0.3), 1),
        (LIE_DETECTOR, (0.6, 0.7), 0),
        (LIE_DETECTOR, (0.6, 0.7), 1),
        (CHEATERS, (0.3, 0.5), 0),
        (CHEATERS, (0.3, 0.5), 2),
    ],
)
def test_the_planned_standard_error_is_the_spread_of_simulated_estimates(
    design, shares, share
) -> None:
    rng, runs, n, other_n = np.random.default_rng(7), 4000, 4000, 6000
    found = power_two_group_design(
        design, shares=shares, null_shares=(0.1, 0.2), n=n, other_n=other_n, share=share
    )
    one, two = design.yes_probabilities(*shares)
    drawn = zip(rng.binomial(n, one, runs), rng.binomial(other_n, two, runs), strict=True)
    tested, values = design.shares[share], []
    for first, second in drawn:
        top, bottom = tested.parts(design.solve((first / n, second / other_n)))
        values.append(float(top) / float(bottom))
    # The spread of a simulated spread is spread / sqrt(2 runs): 5 sigma, and the delta method.
    assert np.std(values) == pytest.approx(found.standard_error, rel=5 / math.sqrt(8000) + 0.005)


@pytest.mark.parametrize("design", [UNRELATED, LIE_DETECTOR, CHEATERS])
def test_the_planned_standard_error_is_the_one_that_estimates_expect(design) -> None:
    expected = expected_standard_errors(design, 0.3, 0.6, 3000, 2000)
    for index, share in enumerate(design.shares):
        found = power_two_group_design(
            design, shares=(0.3, 0.6), null_shares=(0.1, 0.2), n=3000, other_n=2000, share=index
        )
        assert found.standard_error == pytest.approx(expected[share.name], rel=1e-12)


def test_the_planned_groups_reach_the_power_and_one_person_less_does_not() -> None:
    question = {"shares": (0.2, 0.3), "null_shares": (0.1, 0.3)}
    plan = sample_size_two_group_design(UNRELATED, power=0.9, ratio=1.5, **question)
    assert plan.power >= 0.9
    fewer = plan.n - 1
    less = power_two_group_design(UNRELATED, n=fewer, other_n=math.ceil(1.5 * fewer), **question)
    assert less.power < 0.9


def test_a_design_without_two_groups_of_people_is_refused() -> None:
    for design in (Warner(0.75), AnchoredCrosswise(0.2, 0.3), None):
        with pytest.raises(PlanError, match="two groups"):
            power_two_group_design(design, shares=(0.2, 0.3), null_shares=(0.1, 0.3), n=9)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"shares": (0.2,)}, PlanError),
        ({"shares": (0.2, 1.3)}, PlanError),
        ({"null_shares": 0.1}, PlanError),
        ({"share": 5}, EstimationError),
        ({"n": 0}, PlanError),
        ({"significance": math.nan}, PlanError),
    ],
)
def test_nonsense_about_a_two_group_design_is_refused(wrong, error) -> None:
    question = {"shares": (0.2, 0.3), "null_shares": (0.1, 0.3), "n": 100, **wrong}
    with pytest.raises(error):
        power_two_group_design(UNRELATED, **question)


def test_a_share_of_nobody_has_no_value_to_test() -> None:
    with pytest.raises(EstimationError, match="no value"):
        power_two_group_design(
            LIE_DETECTOR, shares=(0.3, 0.5), null_shares=(0.0, 0.5), n=100, share=1
        )
