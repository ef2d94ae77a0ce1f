"""Plans for the mean of a number that is rounded by chance."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from tests.randomized_response.designs import RoundedNumber
from tests.randomized_response.errors import PlanError
from tests.randomized_response.estimates import MeanEstimate
from tests.randomized_response.intervals.worst_case import mean_variance
from tests.randomized_response.planning import Meaning, error_for_sample_size, plan_sample_size

PEOPLE, POPULATION = Meaning.RESPONDENTS, Meaning.POPULATION
DESIGNS = [
    RoundedNumber(101, 3, Fraction(1, 2)),
    RoundedNumber(5, 2, Fraction(1, 5)),
    RoundedNumber(11, 5, Fraction(9, 10)),
    RoundedNumber(4, 3, Fraction(99, 100)),
]


def variances(design: RoundedNumber, laws: np.ndarray, g: float) -> np.ndarray:
    """n times the variance of the mean score, by its definition: one for each row of shares."""
    matrix, scores = design.channel.matrix, np.array(design.scores, dtype=float)
    answers = np.arange(design.points) / (design.points - 1)
    given = scores**2 @ matrix - (scores @ matrix) ** 2
    spread = laws @ answers**2 - (laws @ answers) ** 2
    return laws @ given + g * spread


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("g", [Fraction(0), Fraction(1, 20), Fraction(1, 2), Fraction(1)])
def test_no_law_of_answers_has_a_larger_variance_and_one_comes_near_it(design, g):
    largest = float(mean_variance(design).largest(g))
    step = max(1, design.points // 10)
    only = np.eye(design.points)
    laws = [
        (1 - share) * only[low] + share * only[high]
        for low, high in combinations(range(0, design.points, step), 2)
        for share in np.linspace(0, 1, 21)
    ]
    found = variances(design, np.array(laws), float(g)).max()
    assert 0.995 * largest <= found <= largest + 1e-12


def test_the_worst_answers_to_two_points_are_the_two_ends():
    """C^2 / 4 with C = (e^epsilon + 1) / (e^epsilon - 1): Duchi, Jordan and Wainwright (2018)."""
    design = RoundedNumber.from_epsilon(101, 0.9)
    largest = mean_variance(design).largest(Fraction(1))
    constant = (math.exp(design.epsilon) + 1) / math.expm1(design.epsilon)
    assert float(largest) == pytest.approx(constant**2 / 4, rel=1e-12)


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_the_planned_error_is_that_of_the_estimator_at_the_worst_answers(design):
    """Half of the people at each end: the counts that are expected of them, without chance."""
    question = {"failure_probability": 0.05, "method": "normal", "meaning": POPULATION}
    n = plan_sample_size(design, error=0.03, **question).n
    ends = [(row[0] + row[-1]) / 2 for row in design.channel.rows]
    scale = 10**6  # whole counts of more people, whose standard error is as much smaller
    counts = tuple(round(float(share) * n * scale) for share in ends)
    estimate = MeanEstimate(tuple(float(score) for score in design.scores), counts)
    reached = norm.ppf(0.975) * estimate.standard_error * math.sqrt(scale)
    assert reached <= 0.03
    assert reached == pytest.approx(0.03, rel=2 / n)
    assert error_for_sample_size(design, n=n, **question) == pytest.approx(reached, rel=1e-5)


def test_every_method_but_the_exact_one_plans_a_mean():
    design, question = DESIGNS[0], {"failure_probability": 0.05, "error": 0.05}
    sizes = {
        method: plan_sample_size(design, method=method, meaning=POPULATION, **question).n
        for method in ("chebyshev", "hoeffding", "normal")
    }
    reach = 2  # the outermost scores, 1 / truth apart
    assert sizes["hoeffding"] == math.ceil(math.log(40) * reach**2 / (2 * 0.05**2))
    assert sizes["normal"] < sizes["hoeffding"] < sizes["chebyshev"]
    with pytest.raises(PlanError, match="no exact distribution"):
        plan_sample_size(design, method="exact", meaning=POPULATION, **question)
    plan = plan_sample_size(design, method="normal", meaning=PEOPLE, **question)
    assert plan.n < sizes["normal"]
    assert plan.assumption.startswith("The estimate is the mean among the people who take part")
