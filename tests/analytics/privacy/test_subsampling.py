"""Poisson-subsampled Gaussians: an upper bound, and close to the exact curve where it is known."""

import math

import pytest
from scipy.integrate import quad
from scipy.stats import norm

from analytics.privacy import (
    AccountingError,
    delta_of,
    epsilon_of,
    subsampled_delta,
    subsampled_epsilon,
)


def one_release(q: float, sd: float, epsilon: float) -> float:
    """The larger of the two hockey-stick divergences of one release, by quadrature."""
    factor = math.exp(epsilon)

    def included(x: float) -> float:
        return float((1 - q) * norm.pdf(x, 0, sd) + q * norm.pdf(x, 1, sd))

    def excluded(x: float) -> float:
        return float(norm.pdf(x, 0, sd))

    pairs = (included, excluded), (excluded, included)
    ends = -12 * sd, 12 * sd + 1
    return max(
        quad(lambda x, p=p, r=r: max(0.0, p(x) - factor * r(x)), *ends, limit=2000, epsabs=1e-13)[0]
        for p, r in pairs
    )


@pytest.mark.parametrize(("q", "sd"), [(0.1, 1.0), (0.5, 2.0), (0.9, 0.7), (0.01, 1.5)])
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.3])
def test_one_release_is_bounded_from_above_and_closely(q: float, sd: float, epsilon: float) -> None:
    exact, bound = one_release(q, sd, epsilon), subsampled_delta(q, sd, 1, epsilon)
    assert exact * (1 - 1e-6) - 1e-12 <= bound <= exact * 1.01 + 1e-9


@pytest.mark.parametrize(("sd", "releases"), [(1.0, 1), (10.0, 10), (5.0, 400)])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
def test_without_subsampling_it_is_the_gaussian_curve(
    sd: float, releases: int, delta: float
) -> None:
    exact = epsilon_of(math.sqrt(releases) / sd, delta)
    assert exact <= subsampled_epsilon(1, sd, releases, delta) <= exact * 1.001


def test_the_curve_itself_is_bounded_at_every_epsilon() -> None:
    for epsilon in (0.0, 0.5, 1.0, 2.0, 3.0):
        exact = delta_of(1.0, epsilon)
        assert exact <= subsampled_delta(1, 5.0, 25, epsilon) <= exact * 1.01 + 1e-9


def test_two_releases_are_the_convolution_of_one_with_itself() -> None:
    """Two releases at rate 1 and noise s are one release at noise s / sqrt(2)."""
    two, one = subsampled_epsilon(1, 3.0, 2, 1e-5), subsampled_epsilon(1, 3 / math.sqrt(2), 1, 1e-5)
    assert two == pytest.approx(one, rel=1e-3)


def test_a_larger_sample_more_releases_and_less_noise_all_cost_more() -> None:
    here = subsampled_epsilon(0.1, 1.5, 50, 1e-5)
    assert here < subsampled_epsilon(0.2, 1.5, 50, 1e-5)
    assert here < subsampled_epsilon(0.1, 1.5, 100, 1e-5)
    assert here < subsampled_epsilon(0.1, 1.2, 50, 1e-5)


def test_nobody_sampled_costs_nothing() -> None:
    assert subsampled_epsilon(0, 1.0, 100, 1e-5) == 0
    assert subsampled_delta(0, 1.0, 100, 0.0) == 0


def test_a_delta_that_rounding_could_reach_is_refused() -> None:
    with pytest.raises(AccountingError, match="give more than"):
        subsampled_epsilon(0.5, 1.0, 1000, 1e-14)


def test_bad_parameters_are_refused_by_name() -> None:
    for name, arguments in {
        "rate": (1.1, 1.0, 10, 1e-5),
        "sigma": (0.1, 0.01, 10, 1e-5),
        "releases": (0.1, 1.0, 0, 1e-5),
        "delta": (0.1, 1.0, 10, 0.0),
    }.items():
        with pytest.raises(AccountingError) as refusal:
            subsampled_epsilon(*arguments)
        assert refusal.value.argument == name
    with pytest.raises(AccountingError):
        subsampled_epsilon(math.nan, 1.0, 10, 1e-5)
    with pytest.raises(AccountingError):
        subsampled_epsilon(0.1, 1.0, 10**7, 1e-5)
