import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from tests.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Direct,
    ForcedResponse,
    KAry,
    TwoCoins,
    Warner,
)
from tests.randomized_response.errors import DesignError, PlanError
from tests.randomized_response.estimates import conditional_variance
from tests.randomized_response.intervals.intervals import clopper_pearson
from tests.randomized_response.intervals.widths import interval_sample_size, widest_half_width
from tests.randomized_response.intervals.worst_case import option_variances
from tests.randomized_response.planning import (
    PLANNING_METHODS,
    Meaning,
    error_for_sample_size,
    plan_sample_size,
)
from tests.surveys.randomized_response.strategies import binary_designs, categorical_designs

PEOPLE, POPULATION = Meaning.RESPONDENTS, Meaning.POPULATION
UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)
COMBINATIONS = [
    (method, meaning)
    for method, known in PLANNING_METHODS.items()
    for meaning in sorted(known.meanings, key=lambda meaning: meaning.name)
]


def plan(design=None, *, error=0.01, c=0.1, method="chebyshev", meaning=POPULATION, of=None):
    return plan_sample_size(
        design or TwoCoins(2),
        error=error,
        failure_probability=c,
        method=method,
        meaning=meaning,
        population=of,
    )


def test_two_coins_need_75000_people_for_themselves_and_100000_for_their_population() -> None:
    assert plan(meaning=PEOPLE).n == 75_000
    assert plan(meaning=POPULATION).n == 100_000
    assert plan(method="normal").n == 27_056
    assert plan(method="hoeffding").n == math.ceil(math.log(20) / (2 * 0.25 * 0.0001)) == 59_915
    assert plan(method="exact").n == 27_254


def test_the_printed_7500_promises_nothing() -> None:
    error = error_for_sample_size(
        TwoCoins(2), n=7500, failure_probability=Fraction(1, 10), method="chebyshev", meaning=PEOPLE
    )
    assert error == pytest.approx(0.01 * math.sqrt(10))
    bound_on_failure = Fraction(3, 4) / (7500 * Fraction(1, 100) ** 2)
    assert bound_on_failure == 1


def test_a_plan_states_its_variances_its_meaning_and_its_assumption() -> None:
    result = plan(TwoCoins(2))
    assert result.variance_times_n_conditional == 0.75
    assert result.variance_times_n_total == 1.0
    assert (result.method, result.meaning, result.population) == ("chebyshev", POPULATION, None)
    assert (result.error, result.failure_probability) == (0.01, 0.1)
    assert "population" in result.assumption
    assert "Chebyshev" in result.assumption
    assert "the people who take part" in plan(meaning=PEOPLE).assumption
    assert "population of 5000000" in plan(of=5_000_000).assumption


def test_floats_are_read_as_the_decimals_they_print_as() -> None:
    exact = plan(Warner(Fraction(7, 10)), error=Fraction(1, 100), c=Fraction(1, 20))
    assert plan(Warner(0.7), error=0.01, c=0.05) == exact
    assert plan(Warner(0.3), error=0.01, c=0.05).n == exact.n


@given(categorical_designs(), st.floats(0, 1))
def test_no_true_share_has_a_larger_variance_than_the_planned_one(design, share) -> None:
    result = plan(design, error=0.1, meaning=PEOPLE)
    k = design.options
    for option in range(k):
        shares = np.full(k, (1 - share) / (k - 1))
        shares[option] = share
        given_answers = conditional_variance(design, shares, 1)
        assert given_answers.max() <= result.variance_times_n_conditional + 1e-9
        total = given_answers + shares * (1 - shares)
        assert total.max() <= result.variance_times_n_total + 1e-9


@given(st.integers(0, 2**32))
def test_the_largest_variance_of_an_uneven_channel_is_found_too(seed) -> None:
    shares = np.random.default_rng(seed).dirichlet([0.3, 0.3, 0.3])
    given_answers = conditional_variance(UNEVEN, shares, 1)
    result = plan(UNEVEN, error=0.1)
    assert given_answers.max() <= result.variance_times_n_conditional + 1e-12
    assert (given_answers + shares * (1 - shares)).max() <= result.variance_times_n_total + 1e-12


@given(binary_designs(), st.floats(0, 1))
def test_the_worst_share_of_the_parabola_is_the_numerical_one(design, sampling_share) -> None:
    option = option_variances(design.channel)[1]
    true, false = float(option.when_true), float(option.when_false)

    def negative(t: float) -> float:
        return -(t * true + (1 - t) * false + sampling_share * t * (1 - t))

    found = -minimize_scalar(negative, bounds=(0, 1), method="bounded").fun
    best = max(found, -negative(0), -negative(1))
    assert float(option.largest(Fraction(sampling_share))) == pytest.approx(best, rel=1e-6)


@given(
    binary_designs(),
    st.sampled_from([Fraction(1, 10), Fraction(3, 100), Fraction(1, 100)]),
    st.sampled_from([Fraction(1, 10), Fraction(1, 20)]),
    st.sampled_from(["chebyshev", "normal"]),
    st.sampled_from(list(Meaning)),
)
def test_one_person_fewer_than_planned_is_not_enough(design, error, c, method, meaning) -> None:
    try:
        n = plan(design, error=error, c=c, method=method, meaning=meaning).n
    except PlanError:
        return
    question = {"failure_probability": c, "method": method, "meaning": meaning}
    assert error_for_sample_size(design, n=n, **question) <= float(error) * (1 + 1e-12)
    if n > 1:
        assert error_for_sample_size(design, n=n - 1, **question) > float(error) * (1 - 1e-12)


@pytest.mark.parametrize(("method", "meaning"), COMBINATIONS)
@pytest.mark.parametrize("design", [TwoCoins(2), TwoCoins(3), KAry(5, 0.6), Direct(2)], ids=str)
def test_the_error_of_a_planned_size_is_the_error_planned_for(design, method, meaning) -> None:
    for error in (0.2, 0.05, 0.013):
        result = plan(design, error=error, c=0.05, method=method, meaning=meaning)
        reached = error_for_sample_size(
            design, n=result.n, failure_probability=0.05, method=method, meaning=meaning
        )
        assert reached <= error * (1 + 1e-12)
        assert reached > error * 0.97 or result.n < 60


def test_for_k_options_the_worst_option_decides() -> None:
    design = ChannelMatrix(
        Channel.from_matrix(
            [[Fraction(9, 10), 0, 0], [Fraction(1, 20), 1, 0], [Fraction(1, 20), 0, 1]]
        )
    )
    result = plan(design, error=0.05, meaning=PEOPLE)
    sizes = [math.ceil(o.largest(Fraction(0)) / Fraction(1, 4000)) for o in _variances(design)]
    assert result.n == max(sizes)
    assert result.option == sizes.index(max(sizes))


def _variances(design):
    return option_variances(design.channel)


def test_direct_questions_to_everybody_of_interest_have_no_error() -> None:
    assert plan(Direct(2), meaning=PEOPLE).n == 1
    assert plan(Direct(2), meaning=POPULATION).n == 25_000


def test_the_exact_plan_of_a_direct_question_brackets_the_textbook_385() -> None:
    assert plan(Direct(2), error=0.05, c=0.05, method="normal").n == 385
    assert plan(Direct(2), error=0.05, c=0.05, method="exact").n == 402


# --- a finite population ---------------------------------------------------------------------


def variance_for(n, population, share):
    """Of the two-coin estimate from n of N people, by the law of total variance."""
    randomizing = 0.75 / n
    sampling = share * (1 - share) / n * (population - n) / (population - 1)
    return randomizing + sampling


@pytest.mark.parametrize("population", [75_000, 75_001, 80_000, 100_000, 10**6, 10**9])
def test_a_finite_population_needs_the_smallest_n_whose_variance_is_small_enough(
    population,
) -> None:
    n = plan(of=population).n
    allowed = 0.1 * 0.01**2
    assert variance_for(n, population, 0.5) <= allowed * (1 + 1e-12)
    assert variance_for(n - 1, population, 0.5) > allowed
    assert 75_000 <= n <= 100_000


def test_a_larger_population_needs_more_people_but_never_more_than_an_unlimited_one() -> None:
    sizes = [plan(of=population).n for population in (75_000, 10**5, 10**6, 10**9, 10**12)]
    assert sizes == sorted(sizes)
    assert sizes == [75_000, 80_001, 97_561, 99_998, 100_000]


def test_a_population_that_is_too_small_is_explained() -> None:
    with pytest.raises(PlanError, match="even all 74999 people are too few"):
        plan(of=74_999)
    for method in ("hoeffding", "normal", "exact"):
        with pytest.raises(PlanError, match="even all 500 people"):
            plan(of=500, method=method)


def test_the_variance_for_a_finite_population_is_the_simulated_one() -> None:
    rng = np.random.default_rng(17)
    population, n, share = 60, 40, 0.4
    people = np.arange(population) < share * population
    estimates = []
    for _ in range(40_000):
        asked = rng.permutation(people)[:n]
        flipped = rng.random(n) < 0.25
        estimates.append(((asked ^ flipped).mean() - 0.25) / 0.5)
    expected = variance_for(n, population, share)
    assert np.var(estimates) == pytest.approx(expected, rel=5 * math.sqrt(2 / 40_000))
    option = option_variances(TwoCoins(2).channel)[1]
    largest = float(option.largest(Fraction(population - n, population - 1))) / n
    assert expected <= largest == pytest.approx(variance_for(n, population, 0.5))


def test_asking_everybody_leaves_only_the_error_of_randomizing() -> None:
    question = {"n": 100, "failure_probability": 0.1, "method": "chebyshev"}
    everybody = error_for_sample_size(TwoCoins(2), meaning=POPULATION, population=100, **question)
    assert everybody == error_for_sample_size(TwoCoins(2), meaning=PEOPLE, **question)
    one = error_for_sample_size(
        TwoCoins(2),
        n=1,
        failure_probability=0.5,
        method="normal",
        meaning=POPULATION,
        population=1,
    )
    assert one == pytest.approx(norm.ppf(0.75) * math.sqrt(0.75))


# --- the exact method ------------------------------------------------------------------------


@pytest.mark.parametrize("half_width", [0.5, 0.3, 0.2, 0.1, 0.05, 0.03])
@pytest.mark.parametrize("c", [0.5, 0.1, 0.05, 0.001])
def test_the_exact_size_is_the_one_found_by_trying_every_n(half_width, c) -> None:
    # Beyond Hoeffding's size every interval is narrow enough, so the list is complete.
    last = math.ceil(math.log(2 / c) / (2 * half_width**2))
    wide = [n for n in range(1, last + 1) if widest_half_width(n, c) > half_width]
    assert interval_sample_size(half_width, c) == max(wide, default=0) + 1


@pytest.mark.parametrize("c", [0.5, 0.1, 0.05, 0.01])
def test_the_middle_count_has_the_widest_interval(c) -> None:
    for n in range(1, 61):
        widths = [clopper_pearson(x, n, 1 - c).width / 2 for x in range(n + 1)]
        assert widest_half_width(n, c) >= max(widths) - 1e-12


@pytest.mark.parametrize("c", [0.3, 0.05, 0.001])
def test_the_widest_half_width_falls_along_the_even_and_along_the_odd_sizes(c) -> None:
    widths = np.array([widest_half_width(n, c) for n in range(1, 400)])
    assert (widths[2:] < widths[:-2]).all()


@pytest.mark.parametrize("error", [0.01, 0.001, 0.0001])
def test_the_exact_plan_lies_close_to_the_normal_one_for_small_errors(error) -> None:
    exact, normal = plan(error=error, method="exact").n, plan(error=error, method="normal").n
    assert normal < exact < normal * (1 + 2 * error)


def test_the_exact_method_needs_reports_that_are_affine_in_the_share() -> None:
    with pytest.raises(PlanError, match="plan by chebyshev, hoeffding or normal"):
        plan(UNEVEN, method="exact")
    assert plan(UNEVEN, error=0.1, method="hoeffding").n > 0


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", PLANNING_METHODS)
def test_absurd_sizes_are_refused(method) -> None:
    with pytest.raises(PlanError, match=r"10\^9") as refusal:
        plan(error=1e-7, method=method)
    assert refusal.value.value == 1e-7


def test_hoeffding_is_for_the_population_only() -> None:
    with pytest.raises(PlanError, match=r"Meaning\.POPULATION"):
        plan(method="hoeffding", meaning=PEOPLE)


BAD = [
    ({"error": 0}, "error"),
    ({"error": 1}, "error"),
    ({"error": -0.1}, "error"),
    ({"error": math.nan}, "error"),
    ({"error": "0.1"}, "error"),
    ({"c": 0}, "failure_probability"),
    ({"c": 1}, "failure_probability"),
    ({"c": math.inf}, "failure_probability"),
    ({"c": True}, "failure_probability"),
    ({"method": "exakt"}, "method"),
    ({"method": None}, "method"),
    ({"meaning": "population"}, "meaning"),
    ({"of": 0}, "population"),
    ({"of": 10.5}, "population"),
    ({"of": 100, "meaning": PEOPLE}, "population"),
]


@pytest.mark.parametrize(("change", "argument"), BAD)
def test_a_question_that_makes_no_sense_is_refused(change, argument) -> None:
    with pytest.raises(PlanError) as refusal:
        plan(**change)
    assert refusal.value.argument == argument


@pytest.mark.parametrize("n", [0, -5, 2.5, math.nan, None, 11])
def test_an_error_needs_a_possible_number_of_people(n) -> None:
    with pytest.raises(PlanError) as refusal:
        error_for_sample_size(
            TwoCoins(2),
            n=n,
            failure_probability=0.1,
            method="normal",
            meaning=POPULATION,
            population=10,
        )
    assert refusal.value.argument == "n"


def test_a_design_that_identifies_nothing_cannot_be_planned() -> None:
    with pytest.raises(DesignError):
        plan(Channel.k_ary(2, Fraction(1, 2)))


def test_a_design_with_a_certain_report_is_planned_like_any_other() -> None:
    # Nobody is forced to say no: only those without the trait are randomized.
    result = plan(ForcedResponse(Fraction(1, 4), 0), error=0.05, c=0.05, meaning=PEOPLE)
    assert result.variance_times_n_conditional == pytest.approx(1 / 3)
    assert result.n == 2667


@pytest.mark.parametrize("failure", [1e-12, 1e-18, 1e-300])
def test_a_tiny_failure_probability_still_has_a_plan(failure):
    plan = plan_sample_size(
        TwoCoins(2),
        error=0.1,
        failure_probability=failure,
        method="normal",
        meaning=Meaning.POPULATION,
    )
    assert plan.n == pytest.approx(norm.isf(failure / 2) ** 2 / 0.1**2, rel=1e-3)


@pytest.mark.parametrize("design", [Direct(2), Warner(Fraction(9, 10)), TwoCoins(2)])
@pytest.mark.parametrize("method", ["chebyshev", "normal"])
@pytest.mark.parametrize("drawn", [Fraction(1, 5), Fraction(9, 10)])
def test_where_chance_draws_who_is_asked_the_draw_is_planned_for(design, method, drawn) -> None:
    """About all who take part, the n who are asked are a sample without replacement of n/drawn."""
    question = {"failure_probability": Fraction(1, 20), "method": method, "meaning": PEOPLE}
    found = plan_sample_size(design, error=Fraction(1, 20), drawn=drawn, **question).n
    factor = 20 if method == "chebyshev" else norm.ppf(0.975) ** 2
    (option, _) = option_variances(design)

    def error(n: int) -> float:
        people = math.ceil(n / drawn)
        left = Fraction(people - n, people - 1)
        shares = (Fraction(share, 100) for share in range(101))
        worst = max(
            t * option.when_true + (1 - t) * option.when_false + left * t * (1 - t) for t in shares
        )
        return math.sqrt(factor * worst / n)

    assert error(found) <= 0.05 * (1 + 1e-9)
    # Rounding people to whole ones costs a few at most.
    assert error(found - 8) > 0.05
    reached = error_for_sample_size(design, n=found, drawn=drawn, **question)
    assert error(found) <= reached <= 0.05 * (1 + 1e-9)


def test_two_questions_of_ten_miss_the_planned_error_as_often_as_planned() -> None:
    """Everyone's true answer is fixed; who is asked and what is reported are drawn."""
    question = {"failure_probability": 0.05, "method": "normal", "meaning": PEOPLE}
    n = plan_sample_size(Warner(0.9), error=0.05, drawn=Fraction(2, 10), **question).n
    people, runs, rng = 5 * n, 2000, np.random.default_rng(5)
    asked_yes, asked_no = rng.binomial([people // 2, people - people // 2], 0.2, (runs, 2)).T
    reported = rng.binomial(asked_yes, 0.9) + rng.binomial(asked_no, 0.1)
    found = (reported / (asked_yes + asked_no) - 0.1) / 0.8
    missed = np.mean(np.abs(found - (people // 2) / people) > 0.05)
    assert missed <= 0.05 + 4 * (0.05 * 0.95 / runs) ** 0.5


@pytest.mark.parametrize("drawn", [0, -1, 1.5, float("nan"), "all"])
def test_a_chance_to_be_asked_that_is_none_is_refused(drawn) -> None:
    with pytest.raises(PlanError, match="drawn"):
        plan_sample_size(
            TwoCoins(2),
            error=0.05,
            failure_probability=0.05,
            method="normal",
            meaning=PEOPLE,
            drawn=drawn,
        )
