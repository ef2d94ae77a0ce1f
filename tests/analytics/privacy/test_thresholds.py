"""A word that one respondent alone wrote comes out with probability at most delta."""

import math

import numpy as np
import pytest
from scipy.special import log_ndtr, logsumexp
from scipy.stats import norm

from analytics.privacy import NoiseError, lattice_threshold, weigh_words, weighted_threshold


@pytest.mark.parametrize("sigma", [0.05, 1.0, 5.0])
def test_the_chance_that_any_own_word_comes_out_is_delta_at_the_worst_number_of_words(
    sigma: float,
) -> None:
    delta, words = 1e-6, np.arange(1, 301)
    tau = weighted_threshold(sigma, delta, 300)
    chances = -np.expm1(words * log_ndtr((tau - 1 / np.sqrt(words)) / sigma))
    assert chances.max() == pytest.approx(delta, rel=1e-6)


def test_one_word_is_the_plain_gaussian_quantile() -> None:
    assert weighted_threshold(2.0, 1e-5, 1) == pytest.approx(1 + 2 * norm.isf(1e-5), rel=1e-12)


def test_a_tiny_delta_keeps_its_digits() -> None:
    assert weighted_threshold(1.0, 1e-60, 1) == pytest.approx(1 + norm.isf(1e-60), rel=1e-10)


@pytest.mark.parametrize("sd", [1.0, 2.5, 20.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
def test_the_lattice_threshold_holds_for_the_discrete_noise_itself(sd: float, delta: float) -> None:
    """Exact enumeration: t words, each of count floor(unit / sqrt t) plus discrete noise > tau."""
    unit, most = 64, 50
    tau = lattice_threshold(sd, delta, most, unit)
    noise = np.arange(-2000, 2001)
    logs = -(noise**2) / (2 * sd * sd)
    logs = logs - logsumexp(logs)
    for t, weight in enumerate(weigh_words(np.arange(1, most + 1), unit), start=1):
        above = float(np.exp(logsumexp(logs[noise + weight > tau])))
        assert -math.expm1(t * math.log1p(-above)) <= delta


def test_the_lattice_threshold_is_within_half_a_unit_of_the_continuous_one() -> None:
    gap = lattice_threshold(3000.0, 1e-6, 300, 1024) - weighted_threshold(3000.0, 1e-6, 300, 1024)
    assert -0.5 <= gap < 0.5


def test_bad_parameters_are_refused() -> None:
    for call in (
        lambda: weighted_threshold(0, 1e-6, 10),
        lambda: weighted_threshold(math.nan, 1e-6, 10),
        lambda: weighted_threshold(1, 0, 10),
        lambda: weighted_threshold(1, 1e-6, 0),
        lambda: weighted_threshold(1, 1e-6, 10**7),
        lambda: lattice_threshold(5, 0.02, 10, 1024),
    ):
        with pytest.raises(NoiseError):
            call()
