"""Surveys that are simulated before anybody is asked."""

import math

import numpy as np
import pytest

from tests.randomized_response.designs import Crosswise, Direct, TwoCoins
from tests.randomized_response.errors import DesignError, EstimationError, SamplingError
from tests.randomized_response.planning import (
    Fieldwork,
    SimulatedQuestion,
    expected_estimates,
    most_runs,
    simulate_fieldwork,
)
from tests.randomized_response.planning.fieldwork_simulation import MOST_INTERVALS

YES_NO = SimulatedQuestion(TwoCoins(2), (0.8, 0.2))
THREE = SimulatedQuestion(TwoCoins(3), (0.7, 0.2, 0.1), safe=2)


def trial(*questions, n=400, runs=1000, seed=5, **fields):
    reading = {key: fields.pop(key) for key in ("difference", "level", "method") if key in fields}
    rng = np.random.default_rng(seed)
    return simulate_fieldwork(questions, Fieldwork(n, **fields), runs=runs, rng=rng, **reading)


def test_honest_respondents_give_estimates_without_bias():
    for question in (YES_NO, THREE):
        assert expected_estimates(question, Fieldwork(10)) == pytest.approx(question.shares)


def test_cheating_in_a_browser_moves_the_truth_that_is_drawn_from():
    fieldwork = Fieldwork(10, cheating=0.25)
    assert expected_estimates(YES_NO, fieldwork) == pytest.approx([0.75 * 0.8 + 0.25, 0.15])


def test_ignoring_a_coin_of_ones_own_biases_more_than_lying_to_a_browser():
    """Reports q = 0.75 (0.35) + 0.25 (0) = 0.2625 yes; (q - 1/4) / (1/2) = 0.025."""
    fieldwork = Fieldwork(10, cheating=0.25, ignores_device=True)
    assert expected_estimates(YES_NO, fieldwork)[1] == pytest.approx(0.025)


def test_where_nothing_is_tossed_nothing_can_be_ignored():
    """Crosswise answers compare two facts: whoever pretends to be a No compares as a No would."""
    question = SimulatedQuestion(Crosswise(0.25), (0.8, 0.2), has_device=False)
    fieldwork = Fieldwork(10, cheating=0.25, ignores_device=True)
    assert expected_estimates(question, fieldwork)[1] == pytest.approx(0.15)


def test_inattentive_respondents_pull_towards_equal_shares():
    fieldwork = Fieldwork(10, inattentive=0.4)
    assert expected_estimates(THREE, fieldwork) == pytest.approx(
        [0.6 * share + 0.4 / 3 for share in THREE.shares]
    )


@pytest.mark.parametrize("ignores_device", [False, True])
def test_the_simulated_bias_is_the_exact_one_within_five_standard_errors(ignores_device):
    found = trial(
        YES_NO, THREE, inattentive=0.1, cheating=0.2, ignores_device=ignores_device, runs=2000
    )
    for option in (option for question in found.questions for option in question):
        assert abs(option.bias - option.expected_bias) < 5 * option.bias_error
        assert abs(option.mean_standard_error / option.spread - 1) < 0.1


def test_coverage_and_power_are_those_that_enumeration_gives():
    """The interval depends on one count, so both are sums over a binomial distribution."""
    from scipy.stats import binom

    from tests.randomized_response.estimates import estimate_prevalence

    n, runs = 60, 4000
    found = trial(YES_NO, n=n, runs=runs, difference=0.3).questions[0][1]
    weights = binom.pmf(range(n + 1), n, 0.25 + 0.5 * 0.2)
    ends = [estimate_prevalence(TwoCoins(2), [n - x, x]).interval() for x in range(n + 1)]
    assert found.alternative == pytest.approx(0.5)
    coverage = sum(w for w, i in zip(weights, ends, strict=True) if i.contains(0.2))
    power = sum(w for w, i in zip(weights, ends, strict=True) if not i.contains(0.5))
    for simulated, exact in ((found.coverage, coverage), (found.power, power)):
        assert abs(simulated - exact) < 5 * math.sqrt(exact * (1 - exact) / runs)


@pytest.mark.parametrize("yes", [0.05, 0.2, 0.5, 0.8])
def test_yes_and_no_of_one_question_are_told_from_the_same_world(yes):
    found = trial(SimulatedQuestion(TwoCoins(2), (1 - yes, yes)), n=300, difference=0.15)
    no, yes = found.questions[0]
    assert no.alternative == pytest.approx(1 - yes.alternative)
    assert no.power == yes.power


def test_cheating_destroys_coverage():
    honest, cheated = trial(YES_NO, n=4000), trial(YES_NO, n=4000, cheating=0.5)
    assert honest.questions[0][1].coverage > 0.93
    assert cheated.questions[0][1].coverage < 0.5


def test_the_whole_survey_covers_less_often_than_each_question():
    found = trial(YES_NO, THREE, SimulatedQuestion(TwoCoins(2), (0.5, 0.5)), n=2000)
    each = [option.coverage for question in found.questions for option in question]
    assert found.all_covered < min(each)
    assert 0 <= found.all_detected <= 1


def test_a_kind_of_respondent_is_the_same_in_all_questions():
    """Everybody cheats or nobody: the two questions' estimates then move together."""
    direct = SimulatedQuestion(Direct(2), (0.0, 1.0))
    rng = np.random.default_rng(3)
    found = simulate_fieldwork([direct] * 2, Fieldwork(50, cheating=0.5), runs=200, rng=rng)
    first, second = found.questions
    assert first[0].bias == second[0].bias
    assert first[0].spread == second[0].spread > 0


def test_the_same_seed_gives_the_same_figures():
    assert trial(YES_NO, runs=50) == trial(YES_NO, runs=50)
    assert trial(YES_NO, runs=50) != trial(YES_NO, runs=50, seed=6)


def test_one_respondent_and_one_run_are_simulated_without_an_error_of_the_estimate():
    option = trial(YES_NO, n=1, runs=1).questions[0][1]
    assert option.mean_standard_error is None
    assert option.spread == 0


def test_everybody_may_cheat_and_shares_may_be_certain():
    certain = SimulatedQuestion(TwoCoins(2), (0.0, 1.0), safe=0)
    assert trial(certain, cheating=1.0, runs=20).questions[0][1].expected_bias == pytest.approx(-1)


def test_work_is_bounded_by_the_number_of_intervals():
    assert most_runs([YES_NO]) == MOST_INTERVALS // 2
    most = most_runs([YES_NO] * 30)
    with pytest.raises(SamplingError, match=f"at most {most:,} surveys can be simulated"):
        trial(*[YES_NO] * 30, runs=most + 1)
    assert most_runs([YES_NO] * MOST_INTERVALS) == 1


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: SimulatedQuestion(TwoCoins(2), (0.5, 0.6)), "shares"),
        (lambda: SimulatedQuestion(TwoCoins(2), (1.0,)), "shares"),
        (lambda: SimulatedQuestion(TwoCoins(2), (1.5, -0.5)), "shares[0]"),
        (lambda: SimulatedQuestion(TwoCoins(2), (math.nan, 0.5)), "shares[0]"),
        (lambda: SimulatedQuestion(TwoCoins(2), (0.5, 0.5), safe=2), "safe"),
        (lambda: Fieldwork(0), "n"),
        (lambda: Fieldwork(10**10), "n"),
        (lambda: Fieldwork(10, cheating=0.6, inattentive=0.6), "cheating"),
        (lambda: Fieldwork(10, inattentive=-0.1), "inattentive"),
        (lambda: trial(YES_NO, difference=0.0), "difference"),
        (lambda: trial(YES_NO, difference=math.nan), "difference"),
        (lambda: trial(YES_NO, difference=0.99), "difference"),
        (lambda: trial(YES_NO, runs=0), "runs"),
        (lambda: trial(), "questions"),
        (lambda: trial(YES_NO, level=1.0), "level"),
        (lambda: trial(YES_NO, method="guess"), "method"),
    ],
)
def test_what_cannot_be_simulated_is_named_with_a_remedy(make, argument):
    with pytest.raises((SamplingError, EstimationError, DesignError)) as refused:
        make()
    assert refused.value.argument == argument
    assert refused.value.remedy
