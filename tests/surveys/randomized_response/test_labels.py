"""Counts, tables and rows of pandas are read by their labels, or refused with what to give."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from tests.randomized_response.designs import (
    SUE,
    Direct,
    DiscretisedScrambling,
    KAry,
    UnrelatedQuestionTwoGroups,
    Warner,
)
from tests.randomized_response.errors import CountsError, EstimationError, RegressionError
from tests.randomized_response.estimates import (
    conditional_variance,
    estimate_distribution,
    estimate_frequencies,
    estimate_prevalence,
    estimate_two_groups,
)
from tests.randomized_response.regression import fit_multinomial_model, fit_outcome_model
from tests.randomized_response.relations import compare_with_direct, estimate_cross_table
from tests.randomized_response.samples import poststratification_weights

REPORTS = pd.Series([1] * 90 + [0] * 10)


@pytest.mark.parametrize(
    "counts",
    [
        REPORTS.value_counts(),
        REPORTS.astype(bool).value_counts(),
        REPORTS.astype(float).value_counts(),
        REPORTS.astype("category").value_counts(),
        Counter(REPORTS.tolist()),
    ],
)
def test_counts_go_to_the_levels_that_their_labels_name(counts):
    assert estimate_prevalence(Direct(2), counts).prevalence == 0.9


def test_a_level_without_a_label_has_no_reports():
    counts = pd.Series([2, 0, 1, 1, 2, 2]).value_counts()
    assert estimate_distribution(KAry(5, 0.7), counts).counts == (1, 2, 3, 0, 0)
    assert estimate_frequencies(SUE(4, 0.75), counts, 6).counts == (1, 2, 3, 0)


@pytest.mark.parametrize(
    ("counts", "refused"),
    [
        (REPORTS.map({1: "yes", 0: "no"}).value_counts(), "'yes'"),
        (REPORTS.replace({1: 2}).value_counts(), "2"),
        (REPORTS.replace({1: 0.5}).value_counts(), "0.5"),
        (REPORTS.replace({1: np.nan}).value_counts(dropna=False), "nan"),
        (REPORTS.astype("Int64").replace({1: pd.NA}).value_counts(dropna=False), "<NA>"),
        (pd.DataFrame({"y": REPORTS}).value_counts(), "(1,)"),
        ({"1": 90, "0": 10}, "'1'"),
    ],
)
def test_a_label_that_names_no_level_is_refused(counts, refused):
    with pytest.raises(CountsError) as error:
        estimate_prevalence(Direct(2), counts)
    assert str(error.value) == (
        f"a label of counts = {refused} cannot be used: "
        "label the levels 0 to 1, or give a list in that order"
    )


def test_true_and_false_are_levels_of_a_yes_no_question_alone():
    with pytest.raises(CountsError, match="label the levels 0 to 2"):
        estimate_distribution(KAry(3, 0.7), {False: 3, True: 4})


def test_two_counts_of_one_level_are_refused():
    with pytest.raises(CountsError, match="there twice"):
        estimate_prevalence(Direct(2), pd.Series([5, 4, 3], index=[0, 1, 0]))


def test_a_table_where_counts_are_wanted_is_refused_and_its_rows_are_read():
    said, group = pd.Series([1, 0, 1, 1, 0, 1, 1]), pd.Series([2, 2, 1, 1, 1, 1, 2])
    table = pd.crosstab(group, said)[[1, 0]]
    design = UnrelatedQuestionTwoGroups(p_sensitive_1=0.75, p_sensitive_2=0.25)
    with pytest.raises(CountsError, match=r"counts_1 = 'DataFrame' .* counts_1\.loc\[label\]"):
        estimate_two_groups(design, table, table)
    found = estimate_two_groups(design, table.loc[1], table.loc[2])
    assert (found.counts_1, found.counts_2) == ((1, 3), (1, 2))


def test_each_form_of_a_question_is_read_by_its_labels():
    by_labels = compare_with_direct(Warner(0.75), {1: 40, 0: 60}, REPORTS.value_counts())
    assert by_labels == compare_with_direct(Warner(0.75), [60, 40], [10, 90])


ANSWERS = pd.Series([0, 0, 0, 1, 1, 2])
GROUPS = pd.Series(["f", "f", "m", "m", "m", "m"])
COUNTS = (2, 1, 0, 2, 0, 1)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1]])
def test_a_cross_table_is_read_by_its_labels_in_both_directions(order):
    table = pd.crosstab(ANSWERS, GROUPS.map({"f": 0, "m": 1})).loc[order, [1, 0]]
    found = estimate_cross_table(KAry(3, 0.7), Warner(0.8), table)
    assert found.joint.counts == COUNTS


def test_groups_asked_directly_may_have_names_and_keep_the_order_of_the_table():
    table = pd.crosstab(ANSWERS, GROUPS).loc[[1, 0, 2]]
    assert estimate_cross_table(KAry(3, 0.7), Direct(2), table).joint.counts == COUNTS
    turned = estimate_cross_table(KAry(3, 0.7), Direct(2), table[["m", "f"]])
    assert turned.joint.counts == (1, 2, 2, 0, 1, 0)


def test_names_of_randomized_groups_and_sums_at_the_margin_are_refused():
    with pytest.raises(CountsError, match="'f'"):
        estimate_cross_table(KAry(3, 0.7), Warner(0.8), pd.crosstab(ANSWERS, GROUPS))
    table = pd.crosstab(ANSWERS, GROUPS, margins=True)
    with pytest.raises(CountsError, match="'All'"):
        estimate_cross_table(KAry(3, 0.7), Direct(2), table)


def test_rows_of_a_list_are_read_by_their_labels():
    rows = [pd.Series([1, 2], index=[1, 0]), {1: 2}, [0, 1]]
    assert estimate_cross_table(KAry(3, 0.7), Direct(2), rows).joint.counts == (2, 1, 0, 2, 0, 1)


def test_shares_are_read_by_their_labels():
    shares = REPORTS.replace({1: 2}).value_counts(normalize=True)
    by_position = conditional_variance(KAry(3, 0.7), [0.1, 0, 0.9], 10)
    assert conditional_variance(KAry(3, 0.7), shares, 10).tolist() == by_position.tolist()
    with pytest.raises(EstimationError, match="label the levels"):
        conditional_variance(KAry(3, 0.7), {"a": 1.0}, 10)


def test_shares_of_a_grid_are_read_by_their_labels():
    design = DiscretisedScrambling.from_epsilon(0, 2, 1, 1.0)
    shares = {2: 0.9, 0: 0.1}
    assert design.mean_variance(shares, 10) == design.mean_variance([0.1, 0, 0.9], 10)


def test_sizes_of_groups_may_be_a_column():
    sizes = pd.Series({"m": 10.0, "f": 30.0})
    found = poststratification_weights(["f", "m", "f"], sizes)
    assert found.tolist() == [15, 10, 15]


def people() -> pd.DataFrame:
    rows = range(200)
    table = {"age": [n % 7 for n in rows], "kids": [n % 3 for n in rows]}
    return pd.DataFrame(table).assign(said=[int(n % 5 < 2) for n in rows])


@pytest.mark.parametrize("fit", [fit_outcome_model, fit_multinomial_model])
def test_a_frame_of_covariates_keeps_its_names_for_predictions(fit):
    frame = people()
    model = fit(Warner(0.9), frame["said"], frame[["age", "kids"]])
    assert [name.rpartition(" ")[2] for name in model.names] == ["intercept", "age", "kids"]

    def predicted(covariates):
        found = model.predict(covariates)
        return (found[0] if isinstance(found, tuple) else found.probabilities).tolist()

    expected = predicted(frame[["age", "kids"]].to_numpy()[:9])
    assert predicted(frame[["kids", "age", "said"]].head(9)) == expected
    assert predicted(frame[["kids", "age"]].loc[3]) == expected[3:4]
    with pytest.raises(RegressionError, match="the model has these: age, kids"):
        model.predict(frame[["kids", "said"]])


def test_one_covariate_keeps_its_name():
    frame = people()
    model = fit_outcome_model(Warner(0.9), frame["said"], frame["age"])
    assert model.names == ("intercept", "age")
    assert fit_outcome_model(Warner(0.9), frame["said"], frame["age"], names=["years"]).names == (
        "intercept",
        "years",
    )


def test_a_model_of_numbered_columns_reads_a_frame_by_position():
    frame = people()
    model = fit_outcome_model(Warner(0.9), frame["said"], frame[["age", "kids"]].to_numpy())
    turned = model.predict(frame[["kids", "age"]]).probabilities
    assert (
        turned.tolist() == model.predict(frame[["kids", "age"]].to_numpy()).probabilities.tolist()
    )
