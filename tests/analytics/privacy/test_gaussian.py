"""The Gaussian curve: against its integral, its closed forms and its own inverse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from analytics.privacy import (
    AccountingError,
    compose,
    delta_of,
    epsilon_of,
    for_groups,
    log_delta,
    mu_for,
    mu_of,
    sigma_for,
)

mus = st.floats(1e-6, 30)
epsilons = st.floats(1e-6, 50)
deltas = st.floats(1e-50, 0.99)


def hockey_stick(mu: float, epsilon: float) -> float:
    """The divergence by quadrature of max(0, phi(x - mu) - e^epsilon phi(x))."""
    start = epsilon / mu + mu / 2

    def gain(x: float) -> float:
        return float(norm.pdf(x - mu) - math.exp(epsilon) * norm.pdf(x))

    return float(quad(gain, start, max(start, mu) + 12, epsabs=1e-15, epsrel=1e-11, limit=200)[0])


@pytest.mark.parametrize(
    ("mu", "epsilon"), [(0.01, 0.001), (0.3, 0.5), (1, 0), (1, 1), (1.001, 4), (3, 2), (6, 20)]
)
def test_delta_is_the_hockey_stick_divergence(mu: float, epsilon: float) -> None:
    assert delta_of(mu, epsilon) == pytest.approx(hockey_stick(mu, epsilon), rel=1e-8, abs=1e-15)


@given(mus)
def test_delta_at_epsilon_zero_is_the_total_variation(mu: float) -> None:
    assert delta_of(mu, 0) == pytest.approx(math.erf(mu / math.sqrt(8)), rel=1e-11)


def test_the_tail_keeps_its_digits_far_below_the_smallest_double() -> None:
    """At a = epsilon/mu - mu/2 = 60 the first two terms of both Mills ratios decide."""
    mu, start = 2.0, 60.0
    epsilon = mu * start + mu * mu / 2

    def mills(x: float) -> float:
        return 1 / x - 1 / x**3 + 3 / x**5 - 15 / x**7 + 105 / x**9

    expected = -(start**2) / 2 - math.log(math.sqrt(2 * math.pi))
    expected += math.log(mills(start) - mills(start + mu))
    assert log_delta(mu, epsilon) == pytest.approx(expected, abs=1e-8)
    assert delta_of(mu, epsilon) == 0


@pytest.mark.parametrize("start", [-0.4, 0.0, 3.0, 50.0, 150.0])
def test_the_two_ways_to_compute_delta_meet(start: float) -> None:
    """At mu = 1 the integral of the slope gives way to the difference."""
    below, above = (log_delta(mu, mu * start + mu * mu / 2) for mu in (1.0, 1 + 1e-12))
    assert below == pytest.approx(above, abs=1e-9)


@given(mus, deltas)
def test_epsilon_is_the_least_that_keeps_delta(mu: float, delta: float) -> None:
    epsilon = epsilon_of(mu, delta)
    assert log_delta(mu, epsilon) <= math.log(delta) + 1e-9
    if epsilon > 0:
        assert log_delta(mu, epsilon * (1 - 1e-6)) > math.log(delta)


@given(epsilons, deltas)
def test_calibrated_noise_is_enough_and_no_more(epsilon: float, delta: float) -> None:
    mu = mu_for(epsilon, delta)
    assert log_delta(mu, epsilon) <= math.log(delta)
    assert log_delta(mu * (1 + 1e-6), epsilon) > math.log(delta)


@given(mus, epsilons)
def test_delta_falls_as_epsilon_grows_and_rises_with_mu(mu: float, epsilon: float) -> None:
    here = log_delta(mu, epsilon)
    assert log_delta(mu, epsilon * 1.01) <= here <= log_delta(mu * 1.01, epsilon)


def test_noise_scales_with_sensitivity_and_beats_the_classical_rule() -> None:
    assert sigma_for(1, 1e-5, 7.5) == pytest.approx(7.5 * sigma_for(1, 1e-5), rel=1e-14)
    for epsilon in (0.1, 0.5, 0.99):
        assert sigma_for(epsilon, 1e-5) < math.sqrt(2 * math.log(1.25e5)) / epsilon


def test_releases_compose_like_one_release_with_the_inverse_variance_sum() -> None:
    sigmas = [3.0, 7.0, 0.5]
    one = 1 / math.sqrt(sum(1 / s**2 for s in sigmas))
    assert compose([mu_of(s) for s in sigmas]) == pytest.approx(mu_of(one), rel=1e-14)
    assert compose([]) == 0


def test_a_group_of_k_costs_k_times_mu() -> None:
    assert for_groups(0.3, 4) == pytest.approx(1.2)


def test_no_release_tells_nothing() -> None:
    assert delta_of(0, 0) == 0
    assert epsilon_of(0, 1e-5) == 0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, "1", None, True, 1e300])
def test_what_is_no_parameter_is_refused_by_name(bad: object) -> None:
    for name, call in {
        "mu": lambda: delta_of(bad, 1),  # type: ignore[arg-type]
        "epsilon": lambda: mu_for(bad, 1e-5),  # type: ignore[arg-type]
        "delta": lambda: epsilon_of(1, bad),  # type: ignore[arg-type]
        "sigma": lambda: mu_of(bad),  # type: ignore[arg-type]
        "mus[1]": lambda: compose([1, bad]),  # type: ignore[list-item]
    }.items():
        with pytest.raises(AccountingError) as refusal:
            call()
        assert refusal.value.argument == name


@pytest.mark.parametrize("delta", [0, 1, 1e-200])
def test_a_delta_of_zero_or_one_is_refused(delta: float) -> None:
    with pytest.raises(AccountingError, match="above 0 and below 1"):
        epsilon_of(1, delta)


def test_extreme_parameters_stay_finite() -> None:
    for mu, epsilon in [(1e-100, 1e12), (1e12, 0), (1e12, 1e12), (1e-100, 0), (1e6, 5e11)]:
        assert log_delta(mu, epsilon) <= 0
    for epsilon in (0, 1e-100, 1e12):
        assert np.isfinite([mu_for(epsilon, d) for d in (1e-100, 1 - 1e-15)]).all()
