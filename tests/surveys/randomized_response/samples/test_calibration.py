"""Calibrated weights: what they add up to, how far they move, and what no longer varies."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from tests.randomized_response.errors import WeightsError
from tests.randomized_response.samples import (
    KnownTotal,
    Margin,
    calibrate,
    estimate_means,
    estimate_totals,
    jackknife_replicates,
    poststratification_weights,
    rake,
    replicated_sample,
    survey_sample,
)

N = 80
RNG = np.random.default_rng(11)
SEX = np.where(np.arange(N) % 3 == 0, "f", "m")
AGE = np.array(["old", "young", "middle"])[RNG.integers(0, 3, N)]
INCOME = RNG.uniform(10, 50, N)
WEIGHTS = RNG.uniform(5, 15, N)
CLUSTERS = np.arange(N) // 4
SAMPLE = survey_sample(WEIGHTS, clusters=CLUSTERS)
BY_SEX = Margin(SEX, {"f": 420, "m": 380})
BY_AGE = Margin(AGE, {"old": 300, "young": 260, "middle": 240})
METHODS = {"linear": None, "raking": None, "logit": (0.3, 4)}


def sums(weights, labels) -> dict[str, float]:
    return {str(label): float(weights[labels == label].sum()) for label in np.unique(labels)}


@pytest.mark.parametrize("method", METHODS)
def test_all_margins_have_their_sizes_and_numbers_their_totals(method) -> None:
    known = [BY_SEX, BY_AGE, KnownTotal(INCOME, 25_000)]
    sample = calibrate(SAMPLE, known, method=method, bounds=METHODS[method])
    assert sums(sample.weights, SEX) == pytest.approx(BY_SEX.sizes)
    assert sums(sample.weights, AGE) == pytest.approx(BY_AGE.sizes)
    assert sample.weights @ INCOME == pytest.approx(25_000)


def test_raked_weights_are_those_of_proportional_fitting() -> None:
    weights = WEIGHTS.copy()
    for _ in range(200):
        for margin in (BY_SEX, BY_AGE):
            weights = poststratification_weights(margin.labels, margin.sizes, weights)
    assert rake(SAMPLE, [BY_SEX, BY_AGE]).weights == pytest.approx(weights)


def test_with_one_margin_all_methods_are_poststratification() -> None:
    expected = poststratification_weights(AGE, BY_AGE.sizes, WEIGHTS)
    for method, bounds in METHODS.items():
        sample = calibrate(SAMPLE, [BY_AGE], method=method, bounds=bounds)
        assert sample.weights == pytest.approx(expected)


def test_what_is_known_does_not_vary_and_what_it_explains_varies_less() -> None:
    known = [BY_SEX, KnownTotal(INCOME, 25_000)]
    sample = calibrate(SAMPLE, known)
    table = np.column_stack([INCOME, SEX == "f", SEX == "m"])
    assert np.abs(estimate_totals(sample, table).covariance).max() < 1e-12
    spent = INCOME * 0.8 + RNG.normal(0, 1, N)
    before, after = estimate_totals(SAMPLE, spent), estimate_totals(sample, spent)
    assert after.standard_errors[0] < 0.2 * before.standard_errors[0]


def test_without_a_change_of_weights_only_the_errors_change() -> None:
    here = Margin(SEX, sums(WEIGHTS, SEX))
    sample = rake(SAMPLE, [here])
    assert sample.weights == pytest.approx(WEIGHTS)
    before, after = estimate_means(SAMPLE, INCOME), estimate_means(sample, INCOME)
    assert after.values == pytest.approx(before.values)


@pytest.mark.parametrize("method", ["linear", "logit"])
def test_weights_within_bounds_are_found_wherever_there_are_some(method) -> None:
    """Whether there are any is a linear programme; not tried within a hundredth of its limit."""
    columns = np.column_stack([label == SEX for label in BY_SEX.sizes])
    columns = np.column_stack([columns, *(label == AGE for label in BY_AGE.sizes)])
    totals = [*BY_SEX.sizes.values(), *BY_AGE.sizes.values()]
    found = 0
    for low in (0.2, 0.4, 0.5, 0.6):
        limit = linprog(
            [0] * N + [1],
            A_ub=np.column_stack([np.eye(N), -np.ones(N)]),
            b_ub=np.zeros(N),
            A_eq=np.column_stack([(columns * WEIGHTS[:, None]).T, np.zeros(len(totals))]),
            b_eq=totals,
            bounds=[(low, None)] * N + [(0, None)],
        )
        for high in (limit.fun * 0.99, limit.fun * 1.01, limit.fun * 1.5):
            bounds = (low, float(high))
            if high < limit.fun:
                with pytest.raises(WeightsError, match="no weights reach"):
                    calibrate(SAMPLE, [BY_SEX, BY_AGE], method=method, bounds=bounds)
                continue
            sample = calibrate(SAMPLE, [BY_SEX, BY_AGE], method=method, bounds=bounds)
            ratios = sample.weights / WEIGHTS
            assert low - 1e-12 <= ratios.min()
            assert ratios.max() <= high + 1e-12
            assert sums(sample.weights, AGE) == pytest.approx(BY_AGE.sizes)
            found += 1
    assert found == 8


def test_every_set_of_replicate_weights_reaches_the_totals_too() -> None:
    replicates = jackknife_replicates(WEIGHTS, clusters=CLUSTERS)
    sample = rake(replicated_sample(WEIGHTS, replicates), [BY_SEX, BY_AGE])
    for row in (sample.weights, *sample.replicates.weights):
        assert sums(row, SEX) == pytest.approx(BY_SEX.sizes)
    linearised = rake(SAMPLE, [BY_SEX, BY_AGE])
    errors = [estimate_means(one, INCOME).standard_errors[0] for one in (sample, linearised)]
    assert errors[0] == pytest.approx(errors[1], rel=0.15)


def test_replicates_may_have_weights_below_0_by_linear_calibration() -> None:
    weights, numbers = np.ones(8), np.array([0, 1, 2, 3, 4, 5, 6, 20.0])
    known = [KnownTotal(weights, 8), KnownTotal(numbers, 60)]
    sample = calibrate(replicated_sample(weights, jackknife_replicates(weights)), known)
    assert sample.weights.min() > 0 > sample.replicates.weights.min()
    assert np.allclose(sample.replicates.weights @ numbers, 60)


def test_columns_that_are_known_belong_to_the_same_people() -> None:
    sex = pd.Series(SEX)
    with pytest.raises(WeightsError, match="index"):
        calibrate(SAMPLE, [Margin(sex, F_AND_M), KnownTotal(pd.Series(INCOME).iloc[::-1], 1.0)])


def test_people_without_a_weight_stay_without() -> None:
    weights = np.where(np.arange(N) % 5 == 0, 0, WEIGHTS)
    sample = rake(survey_sample(weights), [BY_AGE])
    assert (sample.weights[weights == 0] == 0).all()
    assert np.isfinite(estimate_means(sample, INCOME).standard_errors).all()


def test_a_million_people_in_a_group_of_one_person_are_reached() -> None:
    labels = ["a"] * (N - 1) + ["b"]
    sample = rake(SAMPLE, [Margin(labels, {"a": 100, "b": 1e6})])
    assert sample.weights[-1] == pytest.approx(1e6)


def test_weights_of_a_population_are_raked_to_shares_as_to_numbers() -> None:
    """The sum that raking begins with does not matter: shares have the sum 1."""
    big = survey_sample(np.full(N, 1796.0))
    shares = rake(big, [Margin(SEX, {"f": 0.525, "m": 0.475}), Margin(AGE, AGE_SHARES)])
    ages = {age: 1000 * share for age, share in AGE_SHARES.items()}
    people = rake(big, [Margin(SEX, {"f": 525, "m": 475}), Margin(AGE, ages)])
    assert shares.weights.sum() == pytest.approx(1)
    assert 1000 * shares.weights == pytest.approx(people.weights, rel=1e-9)


def test_a_margin_is_named_by_its_column_where_it_has_a_name() -> None:
    sex = pd.Series(SEX, name="sex")
    with pytest.raises(WeightsError, match=r"known\[0\] \(sex\)"):
        rake(SAMPLE, [Margin(sex.iloc[1:], {"f": 1, "m": 1})])


AGE_SHARES = {"old": 0.2, "young": 0.3, "middle": 0.5}
F_AND_M = {"f": 420, "m": 380}
BAD = {
    "no list": (BY_SEX, {}, "a list of Margin"),
    "nothing": ([], {}, "a list of Margin"),
    "a pair": ([(SEX, F_AND_M)], {}, "give Margin"),
    "other people": ([Margin(SEX[1:], F_AND_M)], {}, "80 labels"),
    "an unknown group": ([Margin(SEX, {"f": 800})], {}, "'m'"),
    "an empty group": ([Margin(SEX, {**F_AND_M, "x": 5})], {}, "no one in this group answered"),
    "a size of 0": ([Margin(SEX, {"f": 800, "m": 0})], {}, "above 0"),
    "two sums": ([BY_SEX, Margin(AGE, {"old": 1, "young": 1, "middle": 1})], {}, "one sum"),
    "a total that is none": ([KnownTotal(INCOME, float("nan"))], {}, "finite"),
    "an unknown method": ([BY_SEX], {"method": "ipf"}, "linear, raking, logit"),
    "a logit without bounds": ([BY_SEX], {"method": "logit"}, "the smallest and largest"),
    "raking with bounds": ([BY_SEX], {"method": "raking", "bounds": (0.5, 2)}, "no bounds"),
    "one bound": ([BY_SEX], {"bounds": (0.5,)}, "two numbers"),
    "bounds above 1": ([BY_SEX], {"bounds": (1.5, 2)}, "around 1"),
    "bounds without end": ([BY_SEX], {"method": "logit", "bounds": (-1e308, 1e308)}, "bounds"),
    "a total no float holds": ([KnownTotal(INCOME, 10**400)], {}, "too large"),
    "numbers too large": ([KnownTotal(INCOME * 1e200, 5)], {}, "another unit"),
    "bounds as texts": ([BY_SEX], {"bounds": ("a", "b")}, "bounds"),
    "narrow bounds": ([BY_SEX], {"bounds": (0.99, 1.01)}, "no weights reach this total"),
    "a total out of reach": (
        [BY_SEX, KnownTotal(INCOME, -5.0)],
        {"method": "raking"},
        "no weights reach this total",
    ),
    "one number twice": (
        [KnownTotal(INCOME, 25_000), KnownTotal(INCOME, 26_000)],
        {},
        "no weights reach this total",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_known_is_refused_in_words(case) -> None:
    known, arguments, words = BAD[case]
    with pytest.raises(WeightsError, match=words):
        calibrate(SAMPLE, known, **arguments)


def test_a_sample_is_calibrated_once() -> None:
    with pytest.raises(WeightsError, match="in one call"):
        rake(rake(SAMPLE, [BY_SEX]), [BY_AGE])


@pytest.mark.audit
@pytest.mark.parametrize("method", METHODS)
def test_calibrated_errors_are_those_of_many_samples(method) -> None:
    """The scatter of 4,000 raked means is their mean error within 8 %: 5 sigma are 5.6 %."""
    rng, size, people = np.random.default_rng(5), 4000, 20_000
    sex, age = rng.integers(0, 2, people), rng.integers(0, 3, people)
    income = 20 + 5 * sex + 4 * age + rng.normal(0, 3, people)
    known = [Margin(labels, dict(enumerate(np.bincount(labels).tolist()))) for labels in (sex, age)]
    means, variances = [], []
    for _ in range(size):
        drawn = rng.choice(people, 150, replace=False)
        sample = survey_sample([people / 150] * 150, population=people)
        margins = [Margin(one.labels[drawn], one.sizes) for one in known]
        mean = estimate_means(
            calibrate(sample, margins, method=method, bounds=METHODS[method]), income[drawn]
        )
        means.append(mean.values[0])
        variances.append(mean.covariance[0, 0])
    assert np.var(means) == pytest.approx(np.mean(variances), rel=0.16)
