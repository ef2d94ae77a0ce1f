"""Every public result can be pickled, copied and shown, and is the same afterwards."""

import copy
import importlib
import inspect
import pickle
from dataclasses import fields, is_dataclass
from fractions import Fraction

import numpy as np
import pytest

from tests.randomized_response import __all__ as NAMESPACES
from tests.randomized_response import __name__ as NAME
from tests.randomized_response.designs import (
    FLH,
    OUE,
    SHE,
    SUE,
    AnchoredCrosswise,
    Direct,
    DiscretisedScrambling,
    KAry,
    Piecewise,
    PrefixHashing,
    StochasticLieDetector,
    TruncatedGeometricNoise,
    TwoCoins,
    UnrelatedQuestionTwoGroups,
    Warner,
    transform_reports,
)
from tests.randomized_response.drawing import DieSubset, recipe_for
from tests.randomized_response.errors import DesignError, PlanError, StatisticsError
from tests.randomized_response.estimates import (
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
    find_heavy_hitters,
    maximum_likelihood,
)
from tests.randomized_response.intervals import ConfidenceSequence, PlannedLooks
from tests.randomized_response.planning import (
    BudgetQuestion,
    Fieldwork,
    Meaning,
    PlanRequest,
    SimulatedQuestion,
    allocate_epsilon,
    compare_designs,
    exact_power,
    plan_sample_size,
    plan_survey,
    power_one_sample,
    price_of_power,
    simulate_fieldwork,
    simulate_slope_power,
)
from tests.randomized_response.regression import (
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
)
from tests.randomized_response.relations import (
    AnsweredItem,
    assess_goodness_of_fit,
    compare_with_direct,
    estimate_correlation,
    estimate_cross_table,
)
from tests.randomized_response.samples import (
    Margin,
    estimate_means,
    estimate_quantiles,
    estimate_simple_mean,
    estimate_weighted_distribution,
    jackknife_replicates,
    rake,
    replicated_sample,
    survey_sample,
)
from tests.randomized_response.totals import PublishedTotal, central_statement

W, K = Warner(Fraction(3, 4)), KAry(3, 0.5)
GROUPS, ANCHOR = UnrelatedQuestionTwoGroups(0.75, 0.25), AnchoredCrosswise(0.25, 0.25)
GRID = DiscretisedScrambling(0, 3, 1, TruncatedGeometricNoise(Fraction(1, 4)))
NUMBERS = Piecewise(0, 10, 9)
HEARD = [1, 2, 0, 4, 5, 4, 7, 9, 8]
PREFIXES = PrefixHashing.from_epsilon(6, 5.0, first=6)
ITEMS = PREFIXES.draw([40] * 50 + list(range(20)), np.random.default_rng(1))
REPORTS = [0, 0, 1] * 30 + [0, 0, 1] * 30 + [0, 1, 1] * 30
THIRDS = [0] * 90 + [1] * 90 + [2] * 90
TOGETHER = [[0, 0]] * 60 + [[0, 1]] * 15 + [[1, 0]] * 14 + [[1, 1]] * 11
SPREAD = [person < yes for yes in (2, 8, 4, 9, 1, 8) for person in range(10)]
OUTCOME = fit_outcome_model(Warner(0.8), REPORTS, THIRDS)
SHARES = estimate_distribution(K, [420, 310, 270])
TABLE = estimate_cross_table(W, Direct(2), [[300, 250], [200, 250]])
ITEM = AnsweredItem([1, 1, 0, 1, 0, 0] * 50, W)
QUESTION = SimulatedQuestion(TwoCoins(2), (0.8, 0.2))
TRIAL = simulate_fieldwork([QUESTION], Fieldwork(60), runs=4, rng=np.random.default_rng(1))
PLAN = plan_survey(PlanRequest(error=Fraction(1, 20), share=Fraction(1, 5), responses=400))
SAMPLED = plan_survey(PlanRequest(weight_variation=0.5, response_rate=0.4, arms=(2, 1)))
VILLAGES = sorted([1, 2, 3, 4, 5, 6] * 10)
POSTERIOR = fit_outcome_posterior(
    Warner(0.8), REPORTS, THIRDS, rng=np.random.default_rng(1), draws=100
)
MIXED = fit_mixed_model(Warner(0.9), SPREAD, {"village": VILLAGES})
TOTAL = PublishedTotal(W, 100)
RESULTS = [
    estimate_prevalence(W, [550, 450]),
    SHARES,
    SHARES.interval(1),
    SHARES.ratio(1, [0, 1]),
    estimate_frequencies(SUE(3, 0.75), [520, 350, 380], 1000),
    maximum_likelihood(K, [520, 310, 170]),
    estimate_grid_mean(GRID, [300, 400, 200, 100]),
    estimate_frequencies(FLH.from_epsilon(3, 1.0, 9, 1), [520, 350, 380], 1000),
    estimate_histogram(SHE(3, 0.5), [520, 310, 170], 1000),
    estimate_number_mean(NUMBERS, HEARD),
    estimate_number_variance(NUMBERS.transform(HEARD)),
    estimate_number_distribution(NUMBERS, HEARD, cells=4),
    find_heavy_hitters(PREFIXES, ITEMS),
    estimate_two_groups(GROUPS, [380, 120], [290, 210]),
    estimate_two_groups(GROUPS, [380, 120], [290, 210]).maximum_likelihood,
    estimate_two_group_means(GROUPS, [2, 3, 0, 1, 4, 2], [5, 4, 6, 3, 5]),
    estimate_anchored_crosswise(ANCHOR, [380, 620], [300, 700]),
    estimate_weighted_anchored_crosswise(ANCHOR, [1, 0] * 20, [1, 0, 1, 1] * 10, [1, 2] * 20),
    ConfidenceSequence(planned=1000),
    PlannedLooks.even(5),
    TABLE,
    TABLE.difference(answer=1, group=1, other=0),
    ITEM,
    estimate_correlation(ITEM, ITEM),
    compare_with_direct(W, [600, 400], [850, 150]),
    compare_with_direct(W, [600, 400], [850, 150]).logit_coefficients(),
    assess_goodness_of_fit(OUTCOME),
    estimate_weighted_distribution(W, [1, 0, 0, 1, 0] * 8, [1, 2, 1, 1, 2] * 8),
    estimate_simple_mean(transform_reports(W, [1, 0, 0, 1])),
    transform_reports(W, [1, 0, 0, 1]),
    jackknife_replicates([10, 10, 20]),
    survey_sample([10, 10, 20], population=60),
    rake(survey_sample([10, 10, 20]), [Margin(["a", "b", "b"], {"a": 1, "b": 2})]),
    replicated_sample([10, 10, 20], jackknife_replicates([10, 10, 20])),
    estimate_means(survey_sample([10, 10, 20]), [1, 2, 4]),
    estimate_quantiles(survey_sample([10] * 20), range(20), [0.5]),
    OUTCOME,
    OUTCOME.summary(),
    OUTCOME.predict([0, 1]),
    OUTCOME.likelihood_ratio_test("x1"),
    OUTCOME.get_influence(),
    fit_outcome_model(
        StochasticLieDetector(0.8, 0.2),
        [0] * 70 + [1] * 30 + [0] * 45 + [1] * 55,
        groups=[1] * 100 + [2] * 100,
    ),
    fit_multinomial_model(TwoCoins(3), [0] * 50 + [1] * 30 + [2] * 20),
    fit_anchored_outcome_model(ANCHOR, [1] * 11 + [0] * 8, ([1] * 3 + [0]) * 4 + [1, 1, 0]),
    fit_no_sayer_model(Direct(2), TOGETHER, pairs=False),
    fit_linear_predictor_model(Warner(0.8), [0, 0, 0, 1, 1, 1, 0, 1], [2, 3, 2.5, 6, 5, 5.5, 5, 3]),
    fit_logistic_predictor_model(
        Warner(0.9), [0] * 60 + [1] * 40, [0] * 40 + [1] * 20 + [0] * 15 + [1] * 25
    ),
    fit_number_outcome_model(NUMBERS.transform(HEARD), HEARD),
    fit_number_predictor_model(NUMBERS.transform(HEARD), HEARD),
    fit_random_intercept_model(Warner(0.9), SPREAD, VILLAGES),
    POSTERIOR,
    POSTERIOR.predict([0, 1]),
    fit_known_shares_model(Warner(0.8), REPORTS, THIRDS, THIRDS, {0: 0.4}),
    MIXED,
    MIXED.effects[0],
    fit_random_slope_model(Warner(0.9), SPREAD, VILLAGES, [0, 1] * 30, ["x1"], nodes=3),
    plan_sample_size(
        W, error=0.05, failure_probability=0.05, method="exact", meaning=Meaning.POPULATION
    ),
    power_one_sample(W, share=0.3, null_share=0.1, n=200),
    exact_power(W, share=0.3, null_share=0.1, n=200),
    allocate_epsilon([BudgetQuestion(2), BudgetQuestion(5)], total=2.0),
    compare_designs(1.0, share=0.2, n=500)[0],
    price_of_power([1.0], share=0.3, null_share=0.1)[0],
    simulate_slope_power(
        Warner(0.9),
        [[0], [1]],
        [-1, 1],
        tested=0,
        n=150,
        surveys=2,
        rng=np.random.default_rng(1),
    ),
    PLAN,
    PLAN.request,
    PLAN.test,
    PLAN.sizes[0],
    PLAN.readings[0],
    SAMPLED,
    SAMPLED.sample,
    SAMPLED.sample.arms[0],
    SAMPLED.sample.effects,
    QUESTION,
    TRIAL,
    TRIAL.fieldwork,
    TRIAL.questions[0][0],
    TOTAL,
    central_statement([TOTAL]),
    recipe_for(W),
    DieSubset(10, 3),
    OUE.from_epsilon(4, 1.0),
    W,
    W.channel,
    W.channel.integer_weights(),
    GRID,
]
# No results: what others are made of, or what reads a file.
OTHERS = {"designs", "files"}
PARTS = {
    *("PairOfGroups", "SharesEstimate", "Reading", "Meaning", "Device", "BudgetQuestion"),
    *("Margin", "KnownTotal", "Stage"),
}


def name_of(result: object) -> str:
    return type(result).__name__


def same(first: object, second: object) -> bool:
    """Whether both hold the same, arrays and results within them included."""
    if isinstance(first, np.ndarray):
        return np.array_equal(first, np.asarray(second), equal_nan=first.dtype.kind == "f")
    if is_dataclass(first) and type(first) is type(second):
        return all(same(getattr(first, f.name), getattr(second, f.name)) for f in fields(first))
    if isinstance(first, tuple | list) and isinstance(second, tuple | list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, StatisticsError):
        return str(first) == str(second)
    return bool(first == second)


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
@pytest.mark.parametrize("result", RESULTS, ids=name_of)
def test_a_copy_of_a_result_is_the_same(result, copied) -> None:
    again = copied(result)
    assert type(again) is type(result)
    assert same(result, again)
    assert str(again) == str(result)


@pytest.mark.parametrize("result", RESULTS, ids=name_of)
def test_a_result_shows_its_class_and_copies_in_place(result) -> None:
    assert same(result, copy.copy(result))
    assert type(result).__name__ in repr(result) or name_of(result) == "Summary"


@pytest.mark.parametrize("error", [StatisticsError, DesignError, PlanError])
def test_a_refusal_can_be_sent_to_another_process(error) -> None:
    refusal = error("n", 0, "give at least 1")
    again = pickle.loads(pickle.dumps(refusal))
    assert (type(again), str(again)) == (error, str(refusal))


def test_every_public_result_is_tried() -> None:
    public = {
        name
        for namespace in set(NAMESPACES) - OTHERS
        for name in getattr(importlib.import_module(f"{NAME}.{namespace}"), "__all__", ())
        if inspect.isclass(getattr(importlib.import_module(f"{NAME}.{namespace}"), name))
    }
    assert public - PARTS - set(map(name_of, RESULTS)) == set()


def test_a_fitted_model_goes_on_working_in_another_process() -> None:
    again = pickle.loads(pickle.dumps(OUTCOME))
    assert np.array_equal(
        again.predict([0, 1]).probabilities, OUTCOME.predict([0, 1]).probabilities
    )
    assert again.with_covariance("expected").bse.tolist() == pytest.approx(
        OUTCOME.with_covariance("expected").bse.tolist()
    )
    assert again.likelihood_ratio_test("x1") == OUTCOME.likelihood_ratio_test("x1")
