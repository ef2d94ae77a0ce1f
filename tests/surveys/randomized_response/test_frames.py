"""Columns and frames of pandas are right, or refused in words: pandas 2 and 3 alike."""

import builtins
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from tests.randomized_response.designs import (
    SUE,
    AnchoredCrosswise,
    Direct,
    KAry,
    UnrelatedQuestionTwoGroups,
    Warner,
    transform_reports,
)
from tests.randomized_response.drawing import draw_reports
from tests.randomized_response.errors import StatisticsError
from tests.randomized_response.estimates import (
    estimate_distribution,
    estimate_frequencies,
    estimate_prevalence,
    estimate_two_group_means,
    estimate_two_groups,
    estimate_weighted_anchored_crosswise,
    maximum_likelihood,
)
from tests.randomized_response.frames import frame_of, is_missing, plain_array
from tests.randomized_response.planning import simulate_slope_power
from tests.randomized_response.regression import (
    fit_anchored_outcome_model,
    fit_linear_predictor_model,
    fit_multinomial_model,
    fit_outcome_model,
    fit_random_intercept_model,
)
from tests.randomized_response.relations import (
    AnsweredItem,
    estimate_correlation,
    estimate_cross_table,
)
from tests.randomized_response.samples import (
    estimate_total,
    estimate_weighted_distribution,
    poststratification_weights,
)

N = 240
W, K = Warner(0.9), KAry(3, 0.7)
RNG = np.random.default_rng(3)
SAID = [int((n * n) % 7 < 3) for n in range(N)]
AGE = [20 + n % 31 for n in range(N)]
TOWN = [("bergen", "oslo", "narvik")[(n // 2) % 3] for n in range(N)]
URBAN = [n % 4 < 2 for n in range(N)]
ANCHOR = [int(n % 5 < 4) for n in range(N)]
LEVELS = [n % 5 % 3 for n in range(N)]
FRAME = pd.DataFrame({"said": SAID, "age": AGE, "town": TOWN, "urban": URBAN, "level": LEVELS})
WEIGHT = [1.0 + n % 3 for n in range(N)]
SHUFFLED = FRAME.sample(frac=1, random_state=1)
KEPT = FRAME[FRAME["age"] > 25]
NARVIK, OSLO = ([float(town == name) for town in TOWN] for name in ("narvik", "oslo"))
GROUPS = UnrelatedQuestionTwoGroups(0.75, 0.25)


def masked(values: list[object], dtype: str) -> pd.Series:
    """The values with the third one missing."""
    return pd.Series([*values[:2], None, *values[3:]], dtype=dtype)


def fitted(covariates: object, said: object = SAID, **options: object) -> list[float]:
    return fit_outcome_model(W, said, covariates, **options).coefficients.tolist()


def counted(counts: object) -> float:
    return estimate_prevalence(W, counts).prevalence


def table(counts: object) -> list[int]:
    return list(estimate_cross_table(K, Direct(2), counts).joint.counts)


BY_SEX = FRAME["urban"].map({False: 0, True: 1})
COUNTS = FRAME["said"].value_counts()
PREVALENCE = estimate_prevalence(W, [N - sum(SAID), sum(SAID)]).prevalence
JOINT = [
    sum(LEVELS[n] == answer and URBAN[n] == group for n in range(N))
    for answer in range(3)
    for group in (False, True)
]
BY_AGE = fitted(AGE)
BY_TOWN = fitted(np.column_stack([NARVIK, OSLO]))
OLDER = [n for n in range(N) if AGE[n] > 25]
OF_KEPT = fitted([AGE[n] for n in OLDER], [SAID[n] for n in OLDER])
CLUSTERED = fit_random_intercept_model(W, SAID, [n // 2 % 3 for n in range(N)]).log_likelihood
STRATA = [n % 4 for n in range(N)]
WEIGHTED = estimate_weighted_distribution(W, SAID, WEIGHT, strata=STRATA).standard_errors.tolist()
TOTAL = estimate_total(transform_reports(W, SAID), [0.5] * N).value


def clustered(clusters: object) -> float:
    return fit_random_intercept_model(W, SAID, clusters).log_likelihood


def weighted(said: object, weights: object, strata: object) -> list[float]:
    found = estimate_weighted_distribution(W, said, weights, strata=strata)
    return found.standard_errors.tolist()


# What is computed, and what comes out of it: a value, or a part of the refusal.
CASES: dict[str, tuple[Callable[[], object], object]] = {
    # counts
    "value_counts, the most frequent first": (lambda: counted(COUNTS), PREVALENCE),
    "value_counts from the least frequent": (lambda: counted(COUNTS.iloc[::-1]), PREVALENCE),
    "value_counts in the order of levels": (lambda: counted(COUNTS.sort_index()), PREVALENCE),
    "value_counts of truth values": (
        lambda: counted(FRAME["said"].astype(bool).value_counts()),
        PREVALENCE,
    ),
    "value_counts of Int64": (
        lambda: counted(FRAME["said"].astype("Int64").value_counts()),
        PREVALENCE,
    ),
    "value_counts of categories": (
        lambda: counted(FRAME["said"].astype("category").value_counts()),
        PREVALENCE,
    ),
    "value_counts of three levels where one never came": (
        lambda: estimate_distribution(K, pd.Series([2, 2, 0]).value_counts()).counts,
        (1, 0, 2),
    ),
    "value_counts with missing answers": (
        lambda: counted(masked(SAID, "Int64").value_counts(dropna=False)),
        "label the levels 0 to 1",
    ),
    "value_counts of words": (
        lambda: counted(FRAME["said"].map({0: "no", 1: "yes"}).value_counts()),
        "label the levels 0 to 1",
    ),
    "counts as shares": (lambda: counted(FRAME["said"].value_counts(normalize=True)), "whole"),
    "counts in one column of a frame": (lambda: counted(COUNTS.to_frame()), "it is a table"),
    "counts of a protocol": (
        lambda: estimate_frequencies(SUE(3, 0.75), FRAME["level"].value_counts(), N).counts,
        tuple(LEVELS.count(level) for level in range(3)),
    ),
    "counts of both groups": (
        lambda: estimate_two_groups(GROUPS, COUNTS, COUNTS.iloc[::-1]).counts_2,
        (N - sum(SAID), sum(SAID)),
    ),
    "most likely shares": (
        lambda: maximum_likelihood(W, COUNTS.iloc[::-1]).shares[1],
        pytest.approx(PREVALENCE),
    ),
    # cross tables
    "crosstab": (lambda: table(pd.crosstab(FRAME["level"], BY_SEX)), JOINT),
    "crosstab with rows in another order": (
        lambda: table(pd.crosstab(FRAME["level"], BY_SEX).loc[[2, 0, 1]]),
        JOINT,
    ),
    "crosstab with columns in another order": (
        lambda: table(pd.crosstab(FRAME["level"], BY_SEX)[[1, 0]]),
        JOINT,
    ),
    "crosstab of truth values": (lambda: table(pd.crosstab(FRAME["level"], FRAME["urban"])), JOINT),
    "crosstab with sums": (
        lambda: table(pd.crosstab(FRAME["level"], BY_SEX, margins=True)),
        "'All'",
    ),
    "a cross table left flat": (
        lambda: table(FRAME.groupby(["level", "urban"]).size()),
        "not a flat list",
    ),
    # columns of people
    "shuffled people": (
        lambda: fitted(SHUFFLED["age"], SHUFFLED["said"]),
        pytest.approx(BY_AGE, rel=1e-6),
    ),
    "people of which some were left out": (lambda: fitted(KEPT[["age"]], KEPT["said"]), OF_KEPT),
    "one column shuffled and one not": (
        lambda: fitted(SHUFFLED["age"], FRAME["said"]),
        "its index is not that of reports",
    ),
    "people left out of one column alone": (
        lambda: fitted(FRAME["age"], KEPT["said"]),
        "its index is not that of reports",
    ),
    "reports in Int64": (lambda: fitted(AGE, FRAME["said"].astype("Int64")), BY_AGE),
    "reports in Int64 with one missing": (
        lambda: fitted(AGE, masked(SAID, "Int64")),
        "reports[2] = nan",
    ),
    "reports as objects": (lambda: fitted(AGE, FRAME["said"].astype(object)), BY_AGE),
    "reports as truth values that may be missing": (
        lambda: fitted(AGE, FRAME["said"].astype("boolean")),
        BY_AGE,
    ),
    "reports as categories": (lambda: fitted(AGE, FRAME["said"].astype("category")), BY_AGE),
    "reports as words": (
        lambda: fitted(AGE, FRAME["said"].map({0: "no", 1: "yes"})),
        "one whole number per person",
    ),
    "weights and strata of a frame": (
        lambda: weighted(FRAME["said"], pd.Series(WEIGHT), pd.Series(STRATA).astype(str)),
        pytest.approx(WEIGHTED),
    ),
    "weights with one missing": (
        lambda: weighted(FRAME["said"], masked(WEIGHT, "Float64"), None),
        "weights[2] = nan",
    ),
    "strata as categories": (
        lambda: weighted(SAID, WEIGHT, pd.Series(STRATA, dtype="category")),
        pytest.approx(WEIGHTED),
    ),
    "chances of being asked in Float64": (
        lambda: (
            estimate_total(
                transform_reports(W, FRAME["said"]), pd.Series([0.5] * N, dtype="Float64")
            ).value
        ),
        TOTAL,
    ),
    "two items of a frame": (
        lambda: (
            estimate_correlation(
                AnsweredItem(FRAME["said"], W), AnsweredItem(FRAME["age"].astype("Int64"))
            ).untruncated
        ),
        estimate_correlation(AnsweredItem(SAID, W), AnsweredItem(AGE)).untruncated,
    ),
    "anchored answers in Int64": (
        lambda: (
            estimate_weighted_anchored_crosswise(
                AnchoredCrosswise(0.25, 0.25),
                FRAME["said"].astype("Int64"),
                pd.Series(ANCHOR, dtype="Int64"),
                pd.Series(WEIGHT),
            ).naive_prevalence
        ),
        estimate_weighted_anchored_crosswise(
            AnchoredCrosswise(0.25, 0.25), SAID, ANCHOR, WEIGHT
        ).naive_prevalence,
    ),
    "numbers of two groups in Int64": (
        lambda: (
            estimate_two_group_means(
                GROUPS, pd.Series([2, 3, 0], dtype="Int64"), pd.Series([5, 4, 6], dtype="Int64")
            ).mean
        ),
        estimate_two_group_means(GROUPS, [2, 3, 0], [5, 4, 6]).mean,
    ),
    "numbers of which one is missing": (
        lambda: estimate_two_group_means(GROUPS, masked([2, 3, 0], "Int64"), [5, 4]),
        "finite numbers",
    ),
    # clusters
    "clusters as texts": (lambda: clustered(FRAME["town"]), pytest.approx(CLUSTERED)),
    "clusters as objects": (lambda: clustered(FRAME["town"].astype(object)), CLUSTERED),
    "clusters as pandas' texts": (lambda: clustered(FRAME["town"].astype("string")), CLUSTERED),
    "clusters as categories": (lambda: clustered(FRAME["town"].astype("category")), CLUSTERED),
    "clusters in Int64": (
        lambda: clustered(pd.Series([n // 2 % 3 for n in range(N)], dtype="Int64")),
        CLUSTERED,
    ),
    "a cluster that is missing": (lambda: clustered(masked(TOWN, "string")), "clusters[2] = None"),
    "groups of the population as categories": (
        lambda: poststratification_weights(
            pd.Series(["f", "m", "f"], dtype="category"), pd.Series({"m": 10.0, "f": 30.0})
        ).tolist(),
        [15, 10, 15],
    ),
    # covariates
    "truth values beside numbers": (
        lambda: fitted(FRAME[["age", "urban"]]),
        fitted(np.column_stack([AGE, URBAN])),
    ),
    "dummies": (
        lambda: fitted(pd.get_dummies(FRAME[["town"]], drop_first=True)),
        pytest.approx(BY_TOWN),
    ),
    "dummies of all categories": (
        lambda: fitted(pd.get_dummies(FRAME["town"])),
        "this column is determined by",
    ),
    "texts": (lambda: fitted(FRAME[["town"]]), pytest.approx(BY_TOWN)),
    "one column of texts": (lambda: fitted(FRAME["town"]), pytest.approx(BY_TOWN)),
    "categories": (lambda: fitted(FRAME[["town"]].astype("category")), pytest.approx(BY_TOWN)),
    "categories that no one has": (
        lambda: fitted(pd.Categorical(TOWN, ["tromso", *sorted(set(TOWN))]).astype(object)),
        "0/1 columns",
    ),
    "a column of categories that no one has": (
        lambda: fitted(
            pd.Series(pd.Categorical(TOWN, ["tromso", "bergen", "narvik", "oslo"]), name="town")
        ),
        pytest.approx(BY_TOWN),
    ),
    "a category that is missing": (
        lambda: fitted(masked(TOWN, "category").to_frame("town")),
        "column town, row 2 = None",
    ),
    "one category for all": (lambda: fitted(pd.Series(["oslo"] * N, name="town")), "same for all"),
    "categories without an intercept": (
        lambda: fitted(FRAME[["town"]], intercept=False),
        "no category is the reference",
    ),
    "numbers as texts": (lambda: fitted(FRAME["age"].astype(str)), "astype(float)"),
    "numbers in Int64": (lambda: fitted(FRAME[["age"]].astype("Int64")), BY_AGE),
    "numbers as objects": (lambda: fitted(FRAME[["age"]].astype(object)), BY_AGE),
    "a number that is missing": (
        lambda: fitted(masked(AGE, "Int64").to_frame("age")),
        "column age",
    ),
    "numbers and texts in one column": (
        lambda: fitted(pd.Series(["oslo", *AGE[1:]], name="age")),
        "column age, row 1 = ",
    ),
    "dates": (
        lambda: fitted(pd.Series(pd.date_range("2025-01-01", periods=N), name="day")),
        "days since the first",
    ),
    "columns without names": (
        lambda: fit_outcome_model(W, SAID, pd.DataFrame(np.column_stack([AGE, URBAN]))).names,
        ("intercept", "x1", "x2"),
    ),
    "columns whose names are numbers": (
        lambda: fit_outcome_model(W, SAID, pd.get_dummies(FRAME["level"])[[1, 2]]).names,
        ("intercept", "1", "2"),
    ),
    "two columns of one name": (
        lambda: fitted(pd.concat([FRAME["age"], FRAME["urban"].rename("age")], axis=1)),
        "this name is already used",
    ),
    "names for a frame": (
        lambda: fit_outcome_model(W, SAID, FRAME[["town"]], names=["home"]).names,
        ("intercept", "home[narvik]", "home[oslo]"),
    ),
    "typical people of a planned slope": (
        lambda: simulate_slope_power(
            W,
            FRAME[["town"]].head(12),
            [-1, 0, 1],
            tested=1,
            n=40,
            surveys=1,
            rng=np.random.default_rng(1),
        ).tested.split("["),
        ["town", "oslo]"],
    ),
    # drawing
    "true levels in a column": (
        lambda: len(draw_reports(W, FRAME["urban"], RNG)),
        N,
    ),
    "true levels of which one is missing": (
        lambda: draw_reports(W, masked(SAID, "Int64"), RNG),
        "true_levels[2] = nan",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_column_is_read_right_or_refused_in_words(name) -> None:
    compute, expected = CASES[name]
    if isinstance(expected, str):
        with pytest.raises(StatisticsError) as refusal:
            compute()
        assert expected in str(refusal.value)
    else:
        assert compute() == expected


def test_there_are_more_than_forty_of_them() -> None:
    assert len(CASES) > 40


ANCHORED = AnchoredCrosswise(0.2, 0.1)
FITS = {
    "outcome": lambda covariates: fit_outcome_model(W, SAID, covariates),
    "options": lambda covariates: fit_multinomial_model(W, SAID, covariates),
    "clusters": lambda covariates: fit_random_intercept_model(W, SAID, STRATA, covariates),
    "number": lambda covariates: fit_linear_predictor_model(W, SAID, AGE, covariates),
    "anchor": lambda covariates: fit_anchored_outcome_model(ANCHORED, SAID, ANCHOR, covariates),
}


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_every_model_names_its_coefficients_after_the_columns(fit) -> None:
    names = " ".join(fit(FRAME[["town", "urban"]]).names)
    assert all(name in names for name in ("intercept", "town[narvik]", "town[oslo]", "urban"))


@pytest.mark.parametrize("dtype", ["category", "object", "string"])
def test_predictions_take_categories_by_their_names_in_any_order_of_columns(dtype) -> None:
    model = fit_outcome_model(W, SAID, FRAME[["age", "town"]])
    people = pd.DataFrame({"town": ["oslo", "bergen"], "age": [30, 40]}).astype({"town": dtype})
    expected = model.predict([[30, 0, 1], [40, 0, 0]]).probabilities.tolist()
    assert model.predict(people).probabilities.tolist() == expected
    assert model.predict(people.iloc[1]).probabilities.tolist() == expected[1:]
    with pytest.raises(StatisticsError, match=r"column town, row 1 = 'rome' .* bergen, narvik"):
        model.predict(pd.DataFrame({"town": ["oslo", "rome"], "age": [30, 40]}))


def test_predictions_of_categories_that_are_numbers_take_the_numbers() -> None:
    frame = FRAME[["level"]].astype("category")
    model = fit_outcome_model(W, SAID, frame)
    assert model.names == ("intercept", "level[1]", "level[2]")
    by_number = model.predict(pd.DataFrame({"level": [2, 0]})).probabilities.tolist()
    assert by_number == model.predict(frame.iloc[[2, 0]]).probabilities.tolist()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False], "b"),
        (pd.array([1, 2], dtype="Int64"), "i"),
        (pd.array([1, None], dtype="Int64"), "f"),
        (pd.array([True, None], dtype="boolean"), "f"),
        (np.array([Fraction(1, 2), 1], dtype=object), "f"),
        (np.array(["a", "b"], dtype=object), "U"),
        (np.array(["a", None], dtype=object), "O"),
        (np.array([1, "a"], dtype=object), "O"),
        (np.array([2**80, 1], dtype=object), "O"),
    ],
)
def test_objects_that_are_all_numbers_or_all_texts_are_arrays_of_them(values, kind) -> None:
    assert plain_array(values).dtype.kind == kind


def test_what_stands_for_no_value_is_seen() -> None:
    assert all(map(is_missing, [None, float("nan"), pd.NA, pd.NaT, np.nan]))
    assert not any(map(is_missing, [0, "", False, "nan", 1.5]))


def test_a_frame_without_pandas_says_what_to_install(monkeypatch) -> None:
    real = builtins.__import__

    def no_pandas(name: str, *rest: object, **others: object) -> object:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **others)

    monkeypatch.setattr(builtins, "__import__", no_pandas)
    with pytest.raises(StatisticsError, match="needs pandas: install it"):
        frame_of({"a": [1]})
