"""zCDP: exact for the discrete Gaussian, looser than the Gaussian curve; the published bound."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from analytics.privacy import (
    AccountingError,
    delta_from,
    delta_of,
    epsilon_from,
    epsilon_of,
    mu_with,
    published_epsilon,
    published_mu,
    renyi_epsilon,
    rho_for,
    rho_of,
    rho_of_lattice,
)


@given(st.floats(1e-6, 100))
def test_rho_and_mu_are_each_others_inverse(rho: float) -> None:
    assert rho_of(mu_with(rho)) == pytest.approx(rho, rel=1e-14)


@pytest.mark.parametrize(("sd", "shift"), [(1.0, 1), (3.0, 1), (3.0, 4), (10.0, 7)])
@pytest.mark.parametrize("alpha", [1.01, 2, 5, 30])
def test_the_renyi_divergence_of_the_discrete_gaussian_stays_below_its_rho(
    sd: float, shift: int, alpha: float
) -> None:
    reach = int(40 * sd + alpha * shift)
    k = np.arange(-reach, reach + 1)
    here, there = -((k - shift) ** 2) / (2 * sd**2), -(k**2) / (2 * sd**2)
    norm = logsumexp(there)
    divergence = (logsumexp(alpha * here + (1 - alpha) * there) - norm) / (alpha - 1)
    bound = alpha * rho_of_lattice(shift, sd)
    assert divergence <= bound * (1 + 1e-9)
    if alpha == int(alpha):  # then the tilted law is a lattice shift, and the bound is exact
        assert divergence == pytest.approx(bound, rel=1e-9)


@given(st.floats(1e-6, 20), st.floats(1e-30, 0.1))
def test_zcdp_lies_between_the_gaussian_curve_and_the_older_conversion(
    rho: float, delta: float
) -> None:
    exact = epsilon_of(mu_with(rho), delta)
    assert exact * (1 - 1e-9) <= epsilon_from(rho, delta) <= renyi_epsilon(rho, delta) * (1 + 1e-9)


@given(st.floats(1e-4, 10), st.floats(0.01, 20))
def test_delta_from_zcdp_is_the_least_over_all_orders(rho: float, epsilon: float) -> None:
    orders = 1 + np.geomspace(1e-6, 1e6, 20_001)
    logs = (orders - 1) * (orders * rho - epsilon) - np.log(orders - 1)
    logs += orders * np.log1p(-1 / orders)
    best = math.exp(min(0.0, float(logs.min())))
    assert delta_of(mu_with(rho), epsilon) <= delta_from(rho, epsilon) * (1 + 1e-9)
    assert delta_from(rho, epsilon) == pytest.approx(best, rel=1e-4)


@given(st.floats(0.01, 20), st.floats(1e-20, 0.01))
def test_the_rho_for_a_goal_reaches_it_and_no_more(epsilon: float, delta: float) -> None:
    assert epsilon_from(rho_for(epsilon, delta), delta) == pytest.approx(epsilon, rel=1e-8)


def test_the_published_bound_is_the_best_order_of_its_renyi_bound() -> None:
    mu = published_mu(0.5, 1e-5, 40)
    orders = 1 + np.geomspace(1e-3, 1e3, 200_001)
    best = (orders * mu**2 / 2 + math.log(1e6) / (orders - 1)).min()
    assert published_epsilon(0.5, 1e-5, 40, 1e-6) == pytest.approx(best, rel=1e-8)


def test_two_matrices_an_iteration_cost_as_much_as_twice_the_iterations() -> None:
    assert published_mu(0.3, 1e-5, 10, 2) == published_mu(0.3, 1e-5, 20, 1)


def test_nothing_released_costs_nothing() -> None:
    assert delta_from(0, 0) == 0
    assert epsilon_from(0, 1e-5) == 0


def test_bad_parameters_are_refused() -> None:
    for call in (
        lambda: rho_of(-1),
        lambda: epsilon_from(math.nan, 1e-5),
        lambda: rho_for(0, 1e-5),
        lambda: published_mu(0.5, 1e-5, 0),
        lambda: published_mu(0.5, 1.5, 3),
    ):
        with pytest.raises(AccountingError):
            call()
