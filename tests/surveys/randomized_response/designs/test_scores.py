"""Scores of channels with more reports than answers, against least squares and published errors."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import lstsq, null_space

from tests.randomized_response.designs import Channel, Purpose, gain_over_k_ary


def subsets(levels, size, odds):
    """All subsets of this size, with odds for those that hold the answer (Ye and Barg 2018)."""
    drawn = list(combinations(range(levels), size))
    weights = np.array([[odds if x in one else 1.0 for x in range(levels)] for one in drawn])
    return weights / weights.sum(axis=0)


UNEVEN = np.array([[0.5, 0.1, 0.1], [0.2, 0.4, 0.1], [0.2, 0.3, 0.2], [0.1, 0.2, 0.6]])


@pytest.mark.parametrize("matrix", [UNEVEN, subsets(4, 2, 3.0)], ids=["uneven", "subsets"])
def test_the_scores_are_those_of_least_squares_weighted_by_the_reports(matrix):
    roots = np.sqrt(matrix.mean(axis=1))
    found = lstsq(matrix / roots[:, None], np.diag(1 / roots))[0]
    scores = Channel(matrix.tolist()).scores
    np.testing.assert_allclose(scores, found, atol=1e-12)
    np.testing.assert_allclose(scores @ matrix, np.eye(matrix.shape[1]), atol=1e-12)


def test_no_other_unbiased_scores_have_less_variance_for_uniform_answers():
    """All others differ by what every column of the channel makes 0."""
    rng, seen = np.random.default_rng(5), UNEVEN.mean(axis=1)
    scores = Channel(UNEVEN.tolist()).scores
    silent = null_space(UNEVEN.T)

    def variances(tried):
        return (tried**2 @ seen) - (tried @ seen) ** 2

    for _ in range(20):
        other = scores + rng.normal(size=(3, silent.shape[1])) @ silent.T
        np.testing.assert_allclose(other @ UNEVEN, np.eye(3), atol=1e-12)
        assert (variances(other) > variances(scores)).all()


@pytest.mark.parametrize(("levels", "size"), [(7, 2), (7, 3), (9, 2)])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_what_subsets_gain_over_k_ary_response_is_the_published_ratio(levels, size, epsilon):
    """Ye and Barg (2018): subsets of d have (k-1)^2 (d e + k - d)^2 / (k d (k-d) (e-1)^2), e=e^eps.

    That is the risk of one person with uniform answers, of which 1 - 1/k is between people; k-ary
    response has d = 1.
    """
    k, e = levels, math.exp(epsilon)

    def published(d):
        risk = (k - 1) ** 2 * (d * e + k - d) ** 2 / (k * d * (k - d) * (e - 1) ** 2)
        return risk - (1 - 1 / k)

    gain = gain_over_k_ary(subsets(levels, size, e), Purpose.HISTOGRAM)
    assert gain == pytest.approx(published(1) / published(size), rel=1e-9)
