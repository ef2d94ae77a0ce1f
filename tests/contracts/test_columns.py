"""Arrays, lists and columns of a pandas frame are the same data to the statistics."""

import numpy as np
import pandas as pd
import pytest

from surveys.randomized_response.designs import Warner
from surveys.randomized_response.estimates import estimate_prevalence
from surveys.randomized_response.regression import fit_outcome_model
from surveys.randomized_response.samples import estimate_weighted_distribution

DESIGN = Warner(0.8)
PEOPLE = range(120)
FRAME = pd.DataFrame(
    {
        "said": [0, 1, 1, 0, 1, 0] * 20,
        "age": [n % 7 for n in PEOPLE],
        "weight": [1 + (n % 5) / 2 for n in PEOPLE],
    }
).sort_values("weight")  # its index is in another order than its rows
COLUMNS = {name: FRAME[name].to_numpy() for name in FRAME}
KINDS = [list, pd.Series, np.asarray]


@pytest.mark.parametrize("kind", KINDS)
def test_a_regression_is_the_same(kind):
    expected = fit_outcome_model(DESIGN, COLUMNS["said"], COLUMNS["age"])
    data = FRAME["said"], FRAME["age"]
    found = fit_outcome_model(DESIGN, *(kind(column) for column in data))
    assert found.coefficients.tolist() == expected.coefficients.tolist()


def test_a_frame_of_covariates_is_a_table_of_them():
    both = FRAME[["age", "weight"]]
    found = fit_outcome_model(DESIGN, FRAME["said"], both)
    expected = fit_outcome_model(DESIGN, COLUMNS["said"], both.to_numpy())
    assert found.coefficients.tolist() == expected.coefficients.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_weighted_estimate_and_an_estimate_from_counts_are_the_same(kind):
    found = estimate_weighted_distribution(DESIGN, kind(FRAME["said"]), kind(FRAME["weight"]))
    expected = estimate_weighted_distribution(DESIGN, COLUMNS["said"], COLUMNS["weight"])
    assert found.shares.tolist() == expected.shares.tolist()
    counts = FRAME["said"].value_counts().sort_index()
    assert estimate_prevalence(DESIGN, kind(counts)).counts == (60, 60)
