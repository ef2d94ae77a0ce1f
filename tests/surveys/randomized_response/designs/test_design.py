"""A design, its channel and its whole weights are taken alike by every public function."""

import importlib
import inspect
from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response import __all__ as NAMESPACES
from tests.randomized_response import __name__ as NAME
from tests.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Direct,
    IntegerChannel,
    KAry,
    Purpose,
    TransformedReports,
    TwoCoins,
    UnrelatedQuestionTwoGroups,
    Warner,
    channel_of,
    gain_over_k_ary,
    integer_channel_of,
    scores_of,
    transform_reports,
)
from tests.randomized_response.drawing import draw_from_words, draw_reports, recipe_for
from tests.randomized_response.errors import DesignError
from tests.randomized_response.estimates import (
    conditional_variance,
    estimate_distribution,
    estimate_prevalence,
    information_standard_error,
    maximum_likelihood,
)
from tests.randomized_response.files import label_of
from tests.randomized_response.planning import (
    Meaning,
    error_for_sample_size,
    exact_power,
    exact_power_two_samples,
    expected_slope_power,
    gain_of_ways,
    plan_sample_size,
    power_one_sample,
    power_two_samples,
    sample_size_one_sample,
    sample_size_two_samples,
    scores_shown,
    simulate_slope_power,
)
from tests.randomized_response.regression import (
    fit_known_shares_model,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_mixed_model,
    fit_multinomial_model,
    fit_no_sayer_model,
    fit_number_outcome_model,
    fit_outcome_model,
    fit_outcome_posterior,
    fit_random_intercept_model,
    fit_random_slope_model,
    fit_several_predictors_model,
)
from tests.randomized_response.relations import (
    compare_with_direct,
    estimate_cross_table,
    joint_channel,
)
from tests.randomized_response.samples import estimate_weighted_distribution
from tests.randomized_response.totals import PublishedTotal, central_statement

REPORTS, AGES = [0, 0, 1, 0, 1, 1, 0, 1] * 5, [2.0, 3, 5, 2, 6, 5, 4, 3] * 5
SCORES = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4] * 2
YEARS = [1, 2, 3, 4, 5] * 8
GOAL = {"failure_probability": 0.05, "method": "normal", "meaning": Meaning.POPULATION}
TEST = {"share": 0.4, "null_share": 0.1}
PAIR = {"share": 0.4, "other_share": 0.1}
ROWS = {"covariates": [[0], [1]], "coefficients": [-1, 1], "tested": 0, "n": 60}


def drawn(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


# Of two questions, by hand: a fifth of all give the safe report to both.
PATTERNS = [[0, 0]] * 56 + [[0, 1]] * 24 + [[1, 0]] * 24 + [[1, 1]] * 16
CALLS = {
    "channel_of": channel_of,
    "integer_channel_of": integer_channel_of,
    "scores_of": lambda d: scores_of(d).tolist(),
    "transform_reports": lambda d: transform_reports(d, REPORTS).values.tolist(),
    "draw_reports": lambda d: draw_reports(d, REPORTS, drawn()).tolist(),
    "draw_from_words": lambda d: draw_from_words(d, 1, [8, 3]),
    "recipe_for": recipe_for,
    "estimate_prevalence": lambda d: estimate_prevalence(d, [60, 40]),
    "estimate_distribution": lambda d: estimate_distribution(d, [60, 40]),
    "conditional_variance": lambda d: conditional_variance(d, [0.9, 0.1], 100).tolist(),
    "maximum_likelihood": lambda d: maximum_likelihood(d, [60, 40]).shares.tolist(),
    "information_standard_error": lambda d: information_standard_error(d, 0.4, 100),
    "compare_with_direct": lambda d: compare_with_direct(d, [60, 40], [90, 10]),
    "joint_channel": lambda d: joint_channel(d, d),
    "estimate_cross_table": lambda d: estimate_cross_table(d, d, [[40, 20], [20, 20]]),
    "estimate_weighted_distribution": lambda d: estimate_weighted_distribution(d, REPORTS, AGES),
    "fit_outcome_model": lambda d: str(fit_outcome_model(d, REPORTS, YEARS)),
    "fit_known_shares_model": lambda d: str(
        fit_known_shares_model(d, REPORTS, YEARS, [1, 2] * 20, {1: 0.3})
    ),
    "fit_outcome_posterior": lambda d: str(
        fit_outcome_posterior(d, REPORTS, YEARS, rng=drawn(), draws=100)
    ),
    "fit_multinomial_model": lambda d: str(fit_multinomial_model(d, REPORTS)),
    "fit_random_intercept_model": lambda d: str(
        fit_random_intercept_model(d, REPORTS, [1, 2, 3, 4] * 10, nodes=3)
    ),
    "fit_several_predictors_model": lambda d: str(
        fit_several_predictors_model(
            {"a": (d, REPORTS), "b": (Direct(2), [0, 1, 1, 0, 1, 0, 0, 1] * 5)}, SCORES
        )
    ),
    "fit_random_slope_model": lambda d: str(
        fit_random_slope_model(d, REPORTS, [1, 2, 3, 4] * 10, YEARS, ["x1"], nodes=3)
    ),
    "fit_mixed_model": lambda d: str(
        fit_mixed_model(d, REPORTS, {"a": [1, 2, 3, 4] * 10, "b": [1] * 20 + [2] * 20})
    ),
    "fit_number_outcome_model": lambda d: str(
        fit_number_outcome_model(
            TransformedReports(np.array(SCORES, dtype=float), None), predictors={"a": (d, REPORTS)}
        )
    ),
    "fit_no_sayer_model": lambda d: str(fit_no_sayer_model(d, PATTERNS, pairs=False)),
    "fit_linear_predictor_model": lambda d: str(fit_linear_predictor_model(d, REPORTS, AGES)),
    "fit_logistic_predictor_model": lambda d: str(
        fit_logistic_predictor_model(d, REPORTS, [0, 1, 1, 0, 1] * 8)
    ),
    "power_one_sample": lambda d: power_one_sample(d, n=60, **TEST),
    "sample_size_one_sample": lambda d: sample_size_one_sample(d, **TEST),
    "power_two_samples": lambda d: power_two_samples(d, n=60, **PAIR),
    "sample_size_two_samples": lambda d: sample_size_two_samples(d, **PAIR),
    "exact_power": lambda d: exact_power(d, n=60, **TEST),
    "exact_power_two_samples": lambda d: exact_power_two_samples(d, n=60, **PAIR),
    "plan_sample_size": lambda d: plan_sample_size(d, error=0.1, **GOAL),
    "error_for_sample_size": lambda d: error_for_sample_size(d, n=60, **GOAL),
    "scores_shown": lambda d: [row.tolist() for row in scores_shown(d)],
    "expected_slope_power": lambda d: expected_slope_power(d, **ROWS),
    "simulate_slope_power": lambda d: simulate_slope_power(d, **ROWS, surveys=2, rng=drawn()),
    "gain_over_k_ary": lambda d: gain_over_k_ary(d, Purpose.CDF),
    "gain_of_ways": lambda d: gain_of_ways(d, [("no", "-"), ("yes", "no"), ("yes", "yes")], "-"),
}
# A channel here is one of a named design's words, or a matrix that a person wrote.
OF_NAMES = {"label_of"}
THREE_WAYS = KAry(3, Fraction(1, 2))


def test_every_public_function_that_takes_a_channel_is_tried() -> None:
    taking = set()
    for namespace in NAMESPACES:
        module = importlib.import_module(f"{NAME}.{namespace}")
        for name in getattr(module, "__all__", ()):
            function = getattr(module, name)
            if inspect.isfunction(function):
                kinds = [str(p.annotation) for p in inspect.signature(function).parameters.values()]
                taking |= {name} if any("Channel" in kind for kind in kinds) else set()
    assert taking - OF_NAMES == CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_a_design_its_channel_and_its_weights_give_the_same(name) -> None:
    design = THREE_WAYS if name == "gain_of_ways" else Warner(Fraction(3, 4))
    by_design, by_channel, by_weights = (
        CALLS[name](asked) for asked in (design, design.channel, design.channel.integer_weights())
    )
    assert by_design == by_channel == by_weights


def test_totals_and_matrices_are_made_of_designs_too() -> None:
    coins = TwoCoins(2)
    total = PublishedTotal(coins, 100)
    assert total == PublishedTotal(coins.channel, 100)
    assert central_statement([total]).local == pytest.approx(coins.epsilon)
    assert ChannelMatrix(coins) == ChannelMatrix(coins.channel)


def test_a_survey_is_simulated_in_the_words_of_the_readme() -> None:
    design, rng = Warner(0.75), drawn(5)
    true = (rng.random(20_000) < 0.3).astype(int)
    counts = np.bincount(draw_reports(design, true, rng))
    # Five standard errors: missed by one generator in two million.
    assert estimate_prevalence(design, counts).prevalence == pytest.approx(0.3, abs=0.035)


def test_floats_are_drawn_from_weights_that_keep_epsilon() -> None:
    design = Warner(0.7)
    weights = integer_channel_of(design)
    assert weights.denominator == 2**32
    assert weights.largest_ratio <= design.channel.largest_ratio


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ("Warner", "give a design such as Warner"),
        (Warner, "give a design such as Warner"),
        ([[0.75, 0.25], [0.25, 0.75]], "or a channel such as Channel.from_matrix"),
        (None, "give a design such as Warner"),
        (UnrelatedQuestionTwoGroups(0.75, 0.25), "a channel for each group"),
    ],
)
def test_what_has_no_channel_is_refused(wrong, remedy) -> None:
    for function in (channel_of, integer_channel_of, scores_of):
        with pytest.raises(DesignError, match=remedy):
            function(wrong)


def test_the_channel_of_a_group_is_one_like_any_other() -> None:
    group = UnrelatedQuestionTwoGroups(0.75, 0.25).channel(1)
    assert isinstance(channel_of(group), Channel)
    assert isinstance(integer_channel_of(group), IntegerChannel)
    assert set(draw_reports(group, [0, 1, 2, 3], drawn()).tolist()) <= {0, 1}


def test_words_for_a_design_name_its_parameters() -> None:
    assert label_of(Warner(Fraction(3, 4))) == "Warner (p_direct = 3/4)"
