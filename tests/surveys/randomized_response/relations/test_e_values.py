"""Which e-values are called: Benjamini and Hochberg's steps, refusals, false ones."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

from tests.randomized_response.errors import EstimationError
from tests.randomized_response.relations import e_benjamini_hochberg


def test_the_k_largest_are_called_if_the_kth_is_large_enough():
    """Against the definition, for all sets of four out of seven sizes at 5 %."""
    sizes = [0.0, 19.9, 20.0, 26.7, 40.0, 80.0, 1e300]
    for values in product(sizes, repeat=4):
        k = max((k for k in range(1, 5) if sorted(values)[-k] >= 4 / (k * 0.05)), default=0)
        expected = [k > 0 and value >= 4 / (k * 0.05) for value in values]
        assert list(e_benjamini_hochberg(values)) == expected


def test_of_one_it_is_markovs_bound_and_of_none_nothing():
    assert e_benjamini_hochberg([20.0]) == (True,)
    assert e_benjamini_hochberg([19.99]) == (False,)
    assert e_benjamini_hochberg([]) == ()


def test_few_of_those_called_are_false_however_they_depend():
    """The worst case: e-values of m where nothing is, all or none large, with mean 1; 5 sigma."""
    rng, failure, m = np.random.default_rng(73), 0.1, 10
    false = []
    for _ in range(2000):
        nothing = np.full(m - 1, 1 / failure) * (rng.random() < failure)
        called = e_benjamini_hochberg([1e9, *nothing], 1 - failure)
        false.append(sum(called[1:]) / max(1, sum(called)))
    assert np.mean(false) <= failure + 5 * sqrt(failure / 2000)


@pytest.mark.parametrize("bad", [[-1.0], [float("nan")], [[1.0]], 3.0])
def test_what_is_no_evidence_is_refused(bad):
    with pytest.raises(EstimationError, match="evidence"):
        e_benjamini_hochberg(bad)
