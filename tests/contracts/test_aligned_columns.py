"""Every public function of several columns refuses columns of pandas whose labels differ."""

import importlib
import inspect
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest

import surveys.randomized_response as package
from surveys.randomized_response.designs import AnchoredCrosswise, Warner, transform_reports
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.estimates import (
    bounded_mean_interval,
    estimate_weighted_anchored_crosswise,
    tilted_mean_interval,
)
from surveys.randomized_response.regression import (
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
from surveys.randomized_response.relations import AnsweredItem, estimate_correlation
from surveys.randomized_response.samples import (
    balanced_replicates,
    bootstrap_replicates,
    estimate_mean,
    estimate_means,
    estimate_poststratified_total,
    estimate_quantiles,
    estimate_ratios,
    estimate_total,
    estimate_total_by_jackknife,
    estimate_total_with_joint_probabilities,
    estimate_totals,
    estimate_weighted_distribution,
    jackknife_replicates,
    poststratification_weights,
    survey_sample,
)

DESIGN = Warner(0.9)
ANCHORED = AnchoredCrosswise(p_harmless_yes=0.25, p_anchor_yes=0.25)
# By this one some six of ten people attend, however the rows are shuffled.
HALF_ATTENDED = AnchoredCrosswise(p_harmless_yes=0.1, p_anchor_yes=0.1)
N = 60
PEOPLE = pd.RangeIndex(100, 100 + N)
FRAME = pd.DataFrame(
    {
        "said": [int(n % 5 < 2) for n in range(N)],
        "anchor": [int(n % 7 < 5) for n in range(N)],
        "other": [int(n % 3 < 1) for n in range(N)],
        "age": [n % 7 for n in range(N)],
        "income": [float(n * n % 11) for n in range(N)],
        "weight": [1 + (n % 4) / 2 for n in range(N)],
        "people": [1 + n % 2 for n in range(N)],
        "chance": [0.1 + (n % 4) / 10 for n in range(N)],
        "stratum": [n % 2 for n in range(N)],
        "cluster": [n % 6 for n in range(N)],
        "half": [n // 2 % 2 for n in range(N)],
        "design": [Warner(0.9) if n % 2 else Warner(0.8) for n in range(N)],
    },
    index=PEOPLE,
)
ANSWERS = FRAME[["said", "anchor", "other"]]
SIZES = {0: 500.0, 1: 400.0}
JOINT = pd.DataFrame(np.full((N, N), 0.01) + np.eye(N) * 0.09, PEOPLE, PEOPLE)


def two_way(said: pd.Series, joint: pd.DataFrame) -> object:
    return estimate_total_with_joint_probabilities(transform_reports(DESIGN, said), joint)


def linear(designs: object, said: pd.Series, *others: pd.Series) -> object:
    income, age, trait = others
    return fit_linear_predictor_model(designs, said, income, age, trait_covariates=trait)


def anchored(said: pd.Series, anchor: pd.Series, *others: pd.Series) -> object:
    age, attention, weight = others
    return fit_anchored_outcome_model(
        ANCHORED, said, anchor, age, attention_covariates=attention, weights=weight
    )


def anchored_linear(said: pd.Series, anchor: pd.Series, *others: pd.Series) -> object:
    income, age, trait, attention, weight = others
    return fit_anchored_linear_predictor_model(
        HALF_ATTENDED,
        said,
        anchor,
        income,
        age,
        trait_covariates=trait,
        attention_covariates=attention,
        weights=weight,
    )


def anchored_logistic(said: pd.Series, anchor: pd.Series, *others: pd.Series) -> object:
    other, age, attention, weight = others
    return fit_anchored_logistic_predictor_model(
        ANCHORED, said, anchor, other, age, attention_covariates=attention, weights=weight
    )


def correlation(said: pd.Series, other: pd.Series) -> object:
    return estimate_correlation(AnsweredItem(said, DESIGN), AnsweredItem(other))


def replicates(weight: pd.Series, full: pd.Series) -> object:
    return jackknife_replicates(weight).covariance(lambda w: w.sum(), full)


def sampled(estimate: Callable[..., object]) -> Callable[..., object]:
    def run(said: pd.Series, *columns: pd.Series) -> object:
        return estimate(transform_reports(DESIGN, said), *columns)

    return run


# The function that is tried, a call of it, and the columns that it takes in their order.
CALLS: list[tuple[str, Callable[..., object], str]] = [
    ("fit_outcome_model", fit_outcome_model, "design said age"),
    (
        "fit_outcome_model",
        lambda said, age, weight: fit_outcome_model(DESIGN, said, age, weights=weight),
        "said age weight",
    ),
    (
        "fit_outcome_model",
        lambda said, age, people: fit_outcome_model(DESIGN, said, age, counts=people),
        "said age people",
    ),
    ("fit_multinomial_model", fit_multinomial_model, "design said age"),
    (
        "fit_multinomial_model",
        lambda said, age, weight: fit_multinomial_model(DESIGN, said, age, weights=weight),
        "said age weight",
    ),
    ("fit_anchored_outcome_model", anchored, "said anchor age stratum weight"),
    (
        "fit_anchored_linear_predictor_model",
        anchored_linear,
        "said anchor income age stratum half weight",
    ),
    (
        "fit_anchored_logistic_predictor_model",
        anchored_logistic,
        "said anchor other age half weight",
    ),
    ("fit_linear_predictor_model", linear, "design said income age stratum"),
    ("fit_logistic_predictor_model", fit_logistic_predictor_model, "design said other age"),
    (
        "fit_no_sayer_model",
        lambda reports, weight: fit_no_sayer_model(DESIGN, reports, weights=weight),
        "answers weight",
    ),
    (
        "fit_number_outcome_model",
        sampled(lambda r, x, w: fit_number_outcome_model(r, x, weights=w)),
        "said age weight",
    ),
    (
        "fit_number_predictor_model",
        sampled(lambda r, y, x, w: fit_number_predictor_model(r, y, x, weights=w)),
        "said income age weight",
    ),
    ("fit_random_intercept_model", fit_random_intercept_model, "design said cluster age"),
    (
        "fit_random_slope_model",
        lambda *columns: fit_random_slope_model(*columns, slopes=["age"], names=["age"], nodes=3),
        "design said cluster age",
    ),
    (
        "fit_outcome_posterior",
        lambda *columns: fit_outcome_posterior(*columns, rng=np.random.default_rng(1), draws=100),
        "design said age",
    ),
    (
        "fit_known_shares_model",
        lambda *columns: fit_known_shares_model(*columns, {0: 0.4}),
        "design said age stratum",
    ),
    (
        "fit_several_predictors_model",
        lambda said, other, income, age: fit_several_predictors_model(
            {"a": (DESIGN, said), "b": (DESIGN, other)}, income, age
        ),
        "said other income age",
    ),
    (
        "fit_mixed_model",
        lambda design, said, cluster, age: fit_mixed_model(design, said, {"a": cluster}, age),
        "design said cluster age",
    ),
    (
        "estimate_weighted_distribution",
        lambda said, weight: estimate_weighted_distribution(DESIGN, said, weight),
        "said weight",
    ),
    (
        "estimate_weighted_anchored_crosswise",
        lambda *columns: estimate_weighted_anchored_crosswise(ANCHORED, *columns),
        "said anchor weight",
    ),
    ("estimate_mean", sampled(estimate_mean), "said chance"),
    ("estimate_total", sampled(estimate_total), "said chance"),
    (
        "estimate_poststratified_total",
        sampled(lambda *columns: estimate_poststratified_total(*columns, SIZES)),
        "said chance stratum",
    ),
    (
        "estimate_total_by_jackknife",
        sampled(lambda r, pi, h, c: estimate_total_by_jackknife(r, pi, strata=h, clusters=c)),
        "said chance stratum cluster",
    ),
    (
        "jackknife_replicates",
        lambda w, h, c: jackknife_replicates(w, strata=h, clusters=c),
        "weight stratum cluster",
    ),
    (
        "balanced_replicates",
        lambda w, h, c: balanced_replicates(w, strata=h, clusters=c),
        "weight stratum half",
    ),
    (
        "bootstrap_replicates",
        lambda w, h, c: bootstrap_replicates(
            w, np.random.default_rng(1), strata=h, clusters=c, replicates=3
        ),
        "weight stratum cluster",
    ),
    (
        "survey_sample",
        lambda w, h, c: survey_sample(w, strata=h, clusters=c),
        "weight stratum cluster",
    ),
    (
        "estimate_means",
        lambda w, y, g: estimate_means(survey_sample(w), y, groups=g),
        "weight income stratum",
    ),
    (
        "estimate_totals",
        lambda w, y, g: estimate_totals(survey_sample(w), y, groups=g),
        "weight income stratum",
    ),
    (
        "estimate_ratios",
        lambda w, y, x, g: estimate_ratios(survey_sample(w), y, x, groups=g),
        "weight income weight stratum",
    ),
    (
        "estimate_quantiles",
        lambda w, y, g: estimate_quantiles(survey_sample(w), y, groups=g),
        "weight income stratum",
    ),
    ("ReplicateWeights.covariance", replicates, "weight weight"),
    (
        "poststratification_weights",
        lambda groups, base: poststratification_weights(groups, SIZES, base),
        "stratum weight",
    ),
    ("estimate_correlation", correlation, "said income"),
    (
        "tilted_mean_interval",
        lambda values, counts: tilted_mean_interval(values, counts, 0, 11),
        "income people",
    ),
    (
        "bounded_mean_interval",
        lambda values, counts: bounded_mean_interval(values, counts, 0, 11),
        "income people",
    ),
]
# They take several columns that are not of the same rows.
UNPAIRED = {
    "compare_with_direct": "counts of two groups of people",
    "estimate_anchored_crosswise": "counts of two questions",
    "estimate_two_groups": "counts of two groups of people",
    "DistributionEstimate.ratio": "options",
    "PrevalenceEstimate.ratio": "options",
    "estimate_two_group_means": "two groups of people",
    "expected_slope_power": "rows of people, and one coefficient per column",
    "simulate_slope_power": "rows of people, and one coefficient per column",
    **dict.fromkeys(
        (f"{name}.cumulated" for name in ("Hybrid", "NumberProtocol", "Piecewise", "TwoPoint")),
        "limits of reports, and answers",
    ),
}
COLUMNS = ("ArrayLike", "Answers", "Values", "TransformedReports", "AnsweredItem")
SETTINGS = ("names", "trait_covariate_names", "attention_covariate_names")


def columns_of(function: Callable[..., object]) -> list[str]:
    given = inspect.signature(function).parameters.values()
    kinds = {p.name: str(p.annotation) for p in given if p.name not in SETTINGS}
    is_column = ("_NestedSequence", "numpy.float64", "Sequence[float]", "Sequence[int]", *COLUMNS)
    return [name for name, kind in kinds.items() if any(word in kind for word in is_column)]


def public_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    for space in package.__all__:
        module = importlib.import_module(f"{package.__name__}.{space}")
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield name, thing
            elif inspect.isclass(thing):
                methods = inspect.getmembers(thing, inspect.isfunction)
                yield from ((f"{name}.{m}", f) for m, f in methods if not m.startswith("_"))


def test_every_function_of_several_columns_is_tried():
    several = {name for name, function in public_functions() if len(columns_of(function)) > 1}
    tried = {name for name, _, _ in CALLS} | {"estimate_total_with_joint_probabilities"}
    assert several - UNPAIRED.keys() == tried


@pytest.mark.parametrize(("name", "call", "taken"), CALLS, ids=lambda value: str(value)[:40])
def test_columns_with_other_labels_are_refused(name, call, taken):
    columns = [ANSWERS if column == "answers" else FRAME[column] for column in taken.split()]
    assert call(*columns) is not None
    for place in range(len(columns)):
        shuffled = list(columns)
        shuffled[place] = columns[place].iloc[::-1]
        with pytest.raises(StatisticsError, match=r"the index of .* is not that of"):
            call(*shuffled)
        shuffled[place] = columns[place].iloc[::-1].to_numpy()  # no labels: row after row
        assert call(*shuffled) is not None


@pytest.mark.parametrize("axis", [0, 1])
def test_joint_probabilities_with_other_labels_are_refused(axis):
    assert two_way(FRAME["said"], JOINT) is not None
    with pytest.raises(StatisticsError, match=r"the index of .* is not that of reports"):
        two_way(FRAME["said"], JOINT.sort_index(axis=axis, ascending=False))


def test_a_table_of_replicates_has_a_column_per_person():
    from surveys.randomized_response.samples import ReplicateWeights

    table = pd.DataFrame([[0, 2.0], [2.0, 0]], columns=["anna", "ben"])
    replicates = ReplicateWeights(table, np.array([0.5, 0.5]))
    full = pd.Series([1.0, 1.0], index=["anna", "ben"])
    assert replicates.covariance(lambda w: w[0], full).tolist() == [[1.0]]
    with pytest.raises(StatisticsError, match=r"the index of weights"):
        replicates.covariance(lambda w: w[0], full[["ben", "anna"]])


def test_the_refusal_says_what_to_give():
    with pytest.raises(StatisticsError) as error:
        fit_outcome_model(DESIGN, FRAME["said"], FRAME["age"].iloc[::-1])
    assert str(error.value) == (
        "the index of covariates = ['159', '158', '157'] cannot be used: its index is not that of "
        "reports: order it by that index (.loc[...]), or give covariates.to_numpy() if row after "
        "row is the same person"
    )
