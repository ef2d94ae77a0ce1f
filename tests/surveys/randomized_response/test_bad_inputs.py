"""Wrong types, swapped arguments, flat tables and texts end in the package's own errors."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response.designs import (
    FLH,
    OUE,
    RSFDUE,
    SHE,
    SUE,
    AnchoredCrosswise,
    Channel,
    ChannelMatrix,
    CountMeanSketch,
    DBitFlip,
    Direct,
    DiscretisedScrambling,
    ForcedResponse,
    ForcedResponseOptions,
    Hybrid,
    IntegerChannel,
    KAry,
    Kuk,
    Piecewise,
    PrefixHashing,
    Purpose,
    RoundedNumber,
    TruncatedGeometricNoise,
    UnrelatedQuestionTwoGroups,
    Warner,
    channel_of,
    gain_over_k_ary,
    integer_channel_of,
    permanent_epsilon,
    scores_of,
    transform_reports,
)
from tests.randomized_response.drawing import (
    DieSubset,
    draw_from_words,
    draw_reports,
    draw_subset,
    recipe_for,
    recipe_for_questions,
)
from tests.randomized_response.errors import StatisticsError
from tests.randomized_response.estimates import (
    additive_normalise,
    bounded_mean_interval,
    conditional_frequency_variance,
    conditional_variance,
    confidence_sequence_for_difference,
    estimate_anchored_crosswise,
    estimate_distribution,
    estimate_frequencies,
    estimate_grid_mean,
    estimate_histogram,
    estimate_number_distribution,
    estimate_number_mean,
    estimate_number_variance,
    estimate_prevalence,
    estimate_two_group_means,
    estimate_two_groups,
    estimate_weighted_anchored_crosswise,
    evidence_of_difference,
    expected_standard_errors,
    find_heavy_hitters,
    information_standard_error,
    kuk_standard_error,
    maximum_likelihood,
    maximum_likelihood_frequencies,
    number_mean_variance,
    project_to_simplex,
    tilted_mean_interval,
    total_frequency_variance,
    worst_number_mean_variance,
)
from tests.randomized_response.intervals import ConfidenceSequence, PlannedLooks
from tests.randomized_response.planning import (
    BudgetQuestion,
    Fieldwork,
    Meaning,
    PlanRequest,
    Reading,
    SimulatedQuestion,
    allocate_epsilon,
    compare_designs,
    error_for_sample_size,
    exact_power,
    expected_slope_power,
    gain_of_ways,
    half_width,
    people_needed,
    plan_sample_size,
    plan_survey,
    power_one_sample,
    power_two_group_design,
    power_two_samples,
    price_of_power,
    sample_size_one_sample,
    sample_size_two_samples,
    scores_shown,
    simulate_fieldwork,
    simulate_slope_power,
)
from tests.randomized_response.regression import (
    fit_anchored_linear_predictor_model,
    fit_anchored_logistic_predictor_model,
    fit_anchored_outcome_model,
    fit_known_shares_model,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
    fit_mixed_model,
    fit_multinomial_model,
    fit_no_sayer_model,
    fit_number_outcome_model,
    fit_number_predictor_model,
    fit_outcome_model,
    fit_outcome_posterior,
    fit_random_intercept_model,
    fit_random_slope_model,
    fit_several_predictors_model,
)
from tests.randomized_response.relations import (
    AnsweredItem,
    assess_goodness_of_fit,
    assess_hosmer_lemeshow,
    compare_with_direct,
    difference_of_means,
    difference_of_shares,
    e_benjamini_hochberg,
    estimate_correlation,
    estimate_cross_table,
    joint_channel,
)
from tests.randomized_response.samples import (
    ReplicateWeights,
    effective_sample_size,
    estimate_mean,
    estimate_poststratified_total,
    estimate_simple_mean,
    estimate_total,
    estimate_total_by_jackknife,
    estimate_total_with_joint_probabilities,
    estimate_weighted_distribution,
    jackknife_replicates,
    poststratification_weights,
)
from tests.randomized_response.totals import PublishedTotal, central_statement

W, K, RNG = Warner(0.75), KAry(3, 0.6), np.random.default_rng(1)
GROUPS, ANCHOR = UnrelatedQuestionTwoGroups(0.75, 0.25), AnchoredCrosswise(0.25, 0.25)
GRID = DiscretisedScrambling(0, 3, 1, TruncatedGeometricNoise(Fraction(1, 4)))
TALL = DiscretisedScrambling(1, 4, 1, TruncatedGeometricNoise(Fraction(1, 4)))
NUMBERS, PREFIXES = Piecewise(0, 10, 9), PrefixHashing((4, 8), 3, 0.6)
CODES, AGES = [0, 1] * 20, [20, 30, 40, 50] * 10
ESTIMATE = estimate_prevalence(W, [60, 40])
MODEL = fit_outcome_model(W, [0, 0, 1] * 30 + [1, 1, 0] * 30, [0] * 90 + [1] * 90)
ITEM = AnsweredItem(CODES, W)
GOAL = {"failure_probability": 0.05, "meaning": Meaning.POPULATION}
TEST = {"share": 0.3, "null_share": 0.1}
ONE = SimulatedQuestion(W, (0.8, 0.2))
RAGGED = [[1, 2], [3]]

# Who reads a refusal sees the call that it answers.
CALLS: dict[str, Callable[[], object]] = {
    # designs
    "Warner of a text": lambda: Warner("3/4"),
    "Warner of nothing": lambda: Warner(None),
    "Warner of a list": lambda: Warner([0.75]),
    "Warner of a truth value": lambda: Warner(True),
    "options and probability swapped": lambda: KAry(0.6, 3),
    "options as a text": lambda: KAry("3", 0.6),
    "probabilities of forced answers as a text": lambda: ForcedResponseOptions("0.1, 0.2"),
    "probabilities of forced answers as a number": lambda: ForcedResponseOptions(0.2),
    "a forced probability as a list": lambda: ForcedResponse([0.1], 0.2),
    "cards as a text": lambda: Kuk(0.7, 0.2, "two"),
    "a channel of a flat list": lambda: Channel([0.75, 0.25]),
    "a channel of a number": lambda: Channel.from_matrix(0.75),
    "a channel of a text": lambda: Channel.from_matrix("ab"),
    "a channel of nothing": lambda: Channel(None),
    "a channel of ragged rows": lambda: Channel.from_matrix(RAGGED),
    "whole weights in a flat list": lambda: IntegerChannel([3, 1], 4),
    "a channel matrix of an array": lambda: ChannelMatrix(np.eye(2)),
    "a channel matrix of a text": lambda: ChannelMatrix("identity"),
    "the channel of a class": lambda: channel_of(Warner),
    "the channel of two groups": lambda: channel_of(GROUPS),
    "the channel of a group that is none": lambda: GROUPS.channel("1"),
    "whole weights of a number": lambda: integer_channel_of(0.75),
    "the scores of counts": lambda: scores_of([60, 40]),
    "a gain of a text": lambda: gain_over_k_ary("krr", Purpose.CDF),
    "a gain of a flat list": lambda: gain_over_k_ary([0.5, 0.5], Purpose.CDF),
    "typical people as a number": lambda: expected_slope_power(W, 5, [0, 1], tested=0, n=40),
    "a posterior of a text": lambda: W.posterior("half"),
    "epsilon as a text": lambda: KAry.from_epsilon(3, "1"),
    "RAPPOR's f as a list": lambda: permanent_epsilon([0.5]),
    "reports and design swapped": lambda: transform_reports(CODES, W),
    "a rounded number of texts": lambda: RoundedNumber("a", 3, Fraction(1, 2)),
    "a range of texts": lambda: Piecewise("0", "10", 2),
    "a number's epsilon as a text": lambda: Hybrid.from_epsilon(0, 10, "1"),
    "a number's reports as texts": lambda: NUMBERS.transform(["a"]),
    "ragged numbers": lambda: NUMBERS.transform(RAGGED),
    "a hash pool of texts": lambda: FLH.from_epsilon(4, 1.0, "many", 0),
    "a sketch without a seed": lambda: CountMeanSketch.from_epsilon(4, 1.0, 8, 4, None),
    "noise as a text": lambda: SHE(3, "1/2"),
    "levels asked as a text": lambda: DBitFlip(3, "2", 0.75),
    "fake data as a text": lambda: RSFDUE((2, 3), 0.5, 0.25, "zero"),
    "an attribute as a text": lambda: RSFDUE((2, 3), 0.5, 0.25).attribute("first"),
    "lengths as a text": lambda: PrefixHashing("8", 3, 0.6),
    # drawing
    "true levels and design swapped": lambda: draw_reports(CODES, W, RNG),
    "a seed for a generator": lambda: draw_reports(W, CODES, 1),
    "true levels as texts": lambda: draw_reports(W, ["yes", "no"], RNG),
    "true levels in a table": lambda: draw_reports(W, [[0, 1]], RNG),
    "true levels with a gap": lambda: draw_reports(W, [0, None], RNG),
    "a true level beyond": lambda: draw_reports(W, [0, 2], RNG),
    "a protocol for a design": lambda: draw_reports(OUE.from_epsilon(4, 1.0), CODES, RNG),
    "a number for words": lambda: draw_from_words(W, 1, 7),
    "a text for words": lambda: draw_from_words(W, 1, "word"),
    "an order that is a number": lambda: recipe_for(W, 2),
    "an order of texts": lambda: recipe_for(W, ["no", "yes"]),
    "a recipe of a probability": lambda: recipe_for(Fraction(3, 4)),
    "questions of a text": lambda: recipe_for_questions("2/3"),
    "places as texts": lambda: draw_subset("5", "2", [9, 2]),
    "a die for texts": lambda: DieSubset("10", 3),
    "answers as texts": lambda: NUMBERS.draw(["a"], RNG),
    "a seed for numbers": lambda: NUMBERS.draw([5.0], 1),
    "items as texts": lambda: PREFIXES.draw(["a"], RNG),
    "a seed for items": lambda: PREFIXES.draw([5], 1),
    # estimates
    "counts and design swapped": lambda: estimate_prevalence([60, 40], W),
    "counts as a text": lambda: estimate_prevalence(W, "60,40"),
    "counts as texts": lambda: estimate_prevalence(W, ["60", "40"]),
    "one number for counts": lambda: estimate_prevalence(W, 100),
    "a table for counts": lambda: estimate_distribution(W, [[60, 40]]),
    "a count that is a truth value": lambda: estimate_distribution(W, [True, 40]),
    "most likely shares of a text": lambda: maximum_likelihood("Warner", [60, 40]),
    "a level as a text": lambda: ESTIMATE.interval("95 %"),
    "a method as a list": lambda: ESTIMATE.interval(0.95, ["wald"]),
    "an option as a text": lambda: estimate_distribution(K, [1, 2, 3]).interval("first"),
    "denominators as a number": lambda: estimate_distribution(K, [1, 2, 3]).ratio(1, 2),
    "denominators as a text": lambda: estimate_distribution(K, [1, 2, 3]).ratio(1, "all"),
    "false reports as a text": lambda: ESTIMATE.influence("few"),
    "shares as texts": lambda: conditional_variance(W, ["most", "few"], 10),
    "a design for a protocol": lambda: estimate_frequencies(W, [60, 40], 100),
    "support counts and protocol swapped": lambda: estimate_frequencies([1, 2], SUE(2, 0.7), 3),
    "a variance of a design": lambda: conditional_frequency_variance(W, [0.5], 10),
    "frequencies as texts": lambda: total_frequency_variance(SUE(3, 0.75), ["a"], 10),
    "a number for reports": lambda: maximum_likelihood_frequencies(SUE(3, 0.75), 5),
    "reports of unequal lengths": lambda: maximum_likelihood_frequencies(SUE(3, 0.75), RAGGED),
    "a number's mean of a coin": lambda: estimate_number_mean(W, [1.0, 2.0]),
    "a number's mean by counts": lambda: estimate_number_mean(NUMBERS, [[60, 40]]),
    "a method for numbers as a list": lambda: estimate_number_mean(NUMBERS, [1.0]).interval(
        0.9, ["wald"]
    ),
    "a number's variance of reports": lambda: estimate_number_variance([1.0, 2.0]),
    "a spread as a text": lambda: number_mean_variance(NUMBERS, 5, "1", 10),
    "people of a number as a text": lambda: worst_number_mean_variance(NUMBERS, "ten"),
    "cells as a text": lambda: estimate_number_distribution(NUMBERS, [1.0], "many"),
    "sums as texts": lambda: estimate_histogram(SHE(3, 0.5), ["a", "b", "c"], 10),
    "sums of another protocol": lambda: estimate_histogram(SUE(3, 0.7), [1, 2, 3], 10),
    "items of a hash of levels": lambda: find_heavy_hitters(SUE(3, 0.7), [[1, 2, 3]]),
    "items that are texts": lambda: find_heavy_hitters(PREFIXES, ["a"]),
    "ragged items": lambda: find_heavy_hitters(PREFIXES, RAGGED),
    "a rate as a text": lambda: find_heavy_hitters(PREFIXES, [[0, 0, 0, 0]], rate="5 %"),
    "a grid mean of a coin": lambda: estimate_grid_mean(W, [60, 40]),
    "labels that may be numbers": lambda: estimate_grid_mean(TALL, {1: 3, 2: 4}),
    "two groups of one design": lambda: estimate_two_groups(W, [60, 40], [50, 50]),
    "one group left out": lambda: estimate_two_groups(GROUPS, [60, 40], None),
    "means of texts": lambda: estimate_two_group_means(GROUPS, ["2", "3"], ["4", "5"]),
    "an anchor of Warner": lambda: estimate_anchored_crosswise(W, [60, 40], [50, 50]),
    "weights as texts": lambda: estimate_weighted_anchored_crosswise(
        ANCHOR, CODES, CODES, ["1"] * 40
    ),
    "errors to expect of Warner": lambda: expected_standard_errors(W, 0.1, 0.2, 50, 50),
    "a prevalence as a text": lambda: information_standard_error(W, "0.4", 100),
    "cards of Warner": lambda: kuk_standard_error(W, [60, 40]),
    "a projection of texts": lambda: project_to_simplex(["a", "b"]),
    "a projection of one text": lambda: additive_normalise("shares"),
    "values as texts": lambda: tilted_mean_interval(["a"], [1], 0, 1),
    "ends as texts": lambda: bounded_mean_interval([1], [1], "0", "2"),
    "a difference of counts": lambda: confidence_sequence_for_difference([60, 40], [50, 50]),
    "evidence of numbers": lambda: evidence_of_difference(0.4, 0.5),
    "a planned number as a text": lambda: ConfidenceSequence("many"),
    "looks as a text": lambda: PlannedLooks.even("weekly"),
    # relations
    "a flat table": lambda: estimate_cross_table(W, Direct(2), [300, 250, 200, 250]),
    "a flat array": lambda: estimate_cross_table(W, Direct(2), np.array([300, 250, 200, 250])),
    "a table that is a text": lambda: estimate_cross_table(W, Direct(2), "table"),
    "a table of texts": lambda: estimate_cross_table(W, Direct(2), ["ab", "cd"]),
    "a table with a third direction": lambda: estimate_cross_table(W, W, np.ones((2, 2, 1))),
    "a table for a design": lambda: estimate_cross_table([[1, 2], [3, 4]], W, Direct(2)),
    "a joint channel of counts": lambda: joint_channel([60, 40]),
    "counts for estimates": lambda: difference_of_shares([60, 40], [50, 50], 1),
    "a group of a text": lambda: estimate_cross_table(W, W, [[9, 9], [9, 9]]).difference(1, "a", 0),
    "reports for items": lambda: estimate_correlation(CODES, CODES),
    "an item of texts": lambda: AnsweredItem(["yes", "no"], W),
    "item and design swapped": lambda: AnsweredItem(W, CODES),
    "direct counts for a design": lambda: compare_with_direct([60, 40], [50, 50], W),
    "a difference of two numbers": lambda: difference_of_means(1.0, 2.0),
    "evidence as texts": lambda: e_benjamini_hochberg(["a", "b"]),
    "the fit of no model": lambda: assess_goodness_of_fit([60, 40]),
    "groups as a text": lambda: assess_hosmer_lemeshow(MODEL, "ten"),
    # samples
    "reports that are not transformed": lambda: estimate_total(CODES, [0.1] * 40),
    "a mean of reports": lambda: estimate_mean(CODES, [0.1] * 40),
    "a simple mean of reports": lambda: estimate_simple_mean(CODES),
    "a jackknife of reports": lambda: estimate_total_by_jackknife(CODES, [0.1] * 40),
    "a joint table of reports": lambda: estimate_total_with_joint_probabilities(CODES, np.eye(40)),
    "sizes as a list": lambda: poststratification_weights(["a", "b"], [10, 20]),
    "sizes as a text": lambda: estimate_poststratified_total(
        transform_reports(W, [0, 1]), [0.1, 0.1], ["a", "b"], "10"
    ),
    "groups as a number": lambda: poststratification_weights(5, {"a": 10}),
    "weights and design swapped": lambda: estimate_weighted_distribution(CODES, [1] * 40, W),
    "weights as a text": lambda: effective_sample_size("1, 2"),
    "ragged weights": lambda: effective_sample_size(RAGGED),
    "ragged clusters": lambda: jackknife_replicates([1, 1], clusters=RAGGED),
    "factors as texts": lambda: ReplicateWeights(np.ones((2, 2)), ["a", "b"]),
    # regression
    "reports and design swapped in a fit": lambda: fit_outcome_model(CODES, W, AGES),
    "names as a number": lambda: fit_outcome_model(W, CODES, AGES, names=3),
    "a link as a list": lambda: fit_outcome_model(W, CODES, AGES, link=["logit"]),
    "a covariance as a number": lambda: fit_outcome_model(W, CODES, AGES, covariance=1),
    "reports as texts": lambda: fit_multinomial_model(K, ["a"] * 40),
    "a crosswise outcome without an anchor": lambda: fit_anchored_outcome_model(W, CODES, CODES),
    "anchor and design swapped": lambda: fit_anchored_outcome_model(CODES, CODES, ANCHOR),
    "an anchor of texts": lambda: fit_anchored_outcome_model(ANCHOR, CODES, ["a"] * 40),
    "a crosswise predictor without an anchor": lambda: fit_anchored_linear_predictor_model(
        W, CODES, CODES, AGES
    ),
    "a crosswise predictor of texts": lambda: fit_anchored_logistic_predictor_model(
        ANCHOR, CODES, CODES, ["a"] * 40
    ),
    "covariates of attention as texts": lambda: fit_anchored_outcome_model(
        ANCHOR, CODES, CODES, attention_covariates=["a"] * 40
    ),
    "questions in one column": lambda: fit_no_sayer_model(W, CODES),
    "questions and designs swapped": lambda: fit_no_sayer_model([[0, 1, 0]] * 40, W),
    "questions as texts": lambda: fit_no_sayer_model(W, [["a", "b", "c"]] * 40),
    "safe reports as a text": lambda: fit_no_sayer_model(W, [[0, 1, 0]] * 40, safe_reports="no"),
    "an outcome as texts": lambda: fit_linear_predictor_model(W, CODES, ["a"] * 40),
    "a trait's name as a number": lambda: fit_logistic_predictor_model(
        W, CODES, CODES, trait_name=3
    ),
    "numbers that are not transformed": lambda: fit_number_outcome_model(AGES, CODES),
    "an outcome of numbers as texts": lambda: fit_number_predictor_model(
        NUMBERS.transform([1.0, 2.0]), ["a", "b"]
    ),
    "a number's name as a number": lambda: fit_number_predictor_model(
        NUMBERS.transform([1.0, 9.0, 2.0]), [1, 2, 3], number_name=3
    ),
    "nodes as a text": lambda: fit_random_intercept_model(W, CODES, [1, 2] * 20, nodes="many"),
    "a slope in a table": lambda: fit_random_slope_model(
        W, CODES, [1, 2] * 20, AGES, [["x1"]], nodes=3
    ),
    "groupings as labels": lambda: fit_mixed_model(W, CODES, [1, 2] * 20),
    "groupings in a table": lambda: fit_mixed_model(W, CODES, {"a": [[1, 2]] * 20}),
    "a prior of texts": lambda: fit_outcome_posterior(W, CODES, rng=RNG, prior_sd=["wide"]),
    "no generator": lambda: fit_outcome_posterior(W, CODES, rng=None),
    "known shares as a list": lambda: fit_known_shares_model(W, CODES, None, CODES, [0.3, 0.4]),
    "predictors as reports": lambda: fit_several_predictors_model(CODES, AGES),
    "clusters in a table": lambda: fit_random_intercept_model(W, CODES, [[1, 2]] * 20),
    "a prediction for texts": lambda: MODEL.predict(["old"]),
    "a prediction at no level": lambda: MODEL.predict([1], level="95 %"),
    "an interval at no alpha": lambda: MODEL.conf_int(alpha=95),
    "a test of no coefficient": lambda: MODEL.likelihood_ratio_test(1),
    # planning
    "a plan of a text": lambda: plan_sample_size("warner", error=0.05, method="exact", **GOAL),
    "a meaning as a text": lambda: plan_sample_size(
        W, error=0.05, failure_probability=0.05, method="exact", meaning="population"
    ),
    "an error as a text": lambda: plan_sample_size(W, error="5 %", method="exact", **GOAL),
    "people as a text": lambda: error_for_sample_size(W, n="many", method="exact", **GOAL),
    "power of counts": lambda: power_one_sample([60, 40], n=100, **TEST),
    "power of a share as a text": lambda: sample_size_one_sample(W, share="30 %", null_share=0.1),
    "two samples of a text": lambda: power_two_samples("W", share=0.3, other_share=0.1, n=100),
    "a ratio as a text": lambda: sample_size_two_samples(
        W, share=0.3, other_share=0.1, ratio="2 to 1"
    ),
    "exact power of a number": lambda: exact_power(0.75, n=100, **TEST),
    "two groups of Warner": lambda: power_two_group_design(
        W, shares=(0.4, 0.7), null_shares=(0.2, 0.7), n=300
    ),
    "designs at a text": lambda: compare_designs("1", share=0.2, n=500),
    "one epsilon for several": lambda: price_of_power(1.0, **TEST),
    "questions as numbers": lambda: allocate_epsilon([2, 5], total=2.0),
    "a budget as a text": lambda: allocate_epsilon([BudgetQuestion(2)], total="2"),
    "a design for a question": lambda: simulate_fieldwork([W], Fieldwork(40), runs=2, rng=RNG),
    "a number for fieldwork": lambda: simulate_fieldwork([ONE], 40, runs=2, rng=RNG),
    "a seed for fieldwork": lambda: simulate_fieldwork([ONE], Fieldwork(40), runs=2, rng=1),
    "one share for several": lambda: SimulatedQuestion(W, 0.2),
    "a design for scores": lambda: half_width(W, n=100, reading=Reading.ONCE),
    "a reading as a text": lambda: people_needed(scores_shown(W), error=0.05, reading="once"),
    "coefficients as texts": lambda: expected_slope_power(
        W, [[0], [1]], ["a", "b"], tested=0, n=40
    ),
    "a seed for slopes": lambda: simulate_slope_power(
        W, [[0], [1]], [-1, 1], tested=0, n=40, surveys=2, rng=1
    ),
    "a request as a text": lambda: plan_survey("5 %"),
    "a request of a text": lambda: plan_survey(PlanRequest(error="5 %")),
    "ways of a text": lambda: gain_of_ways("W", [("no", "-"), ("yes", "no")], "-"),
    # totals
    "a total of a text": lambda: PublishedTotal("W", 100),
    "one total for several": lambda: central_statement(PublishedTotal(W, 100)),
    "totals as numbers": lambda: central_statement([100]),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_cannot_be_used_is_refused_in_the_words_of_the_package(name) -> None:
    with pytest.raises(StatisticsError) as refusal:
        CALLS[name]()
    assert "cannot be used: " in str(refusal.value)
    assert len(str(refusal.value)) < 400


def test_there_are_more_than_a_hundred_of_them() -> None:
    assert len(CALLS) > 100
