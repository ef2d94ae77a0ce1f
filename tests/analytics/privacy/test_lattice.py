"""The price of lattice noise, against the discrete mechanism itself by enumeration."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri_exp

from analytics.privacy import NoiseError, charged_mu, delta_of, epsilon_of, lattice, lattice_sd_for

SDS = [1.0, 1.5, 3.0, 10.0, 30.0]


def masses(sd: float, shift: int, reach: int) -> np.ndarray:
    weights = np.exp(-((np.arange(-reach, reach + 1) - shift) ** 2) / (2 * sd * sd))
    return weights / weights.sum()


def discrete_delta(sd: float, shift: tuple[int, ...], epsilon: float) -> float:
    """The hockey-stick divergence of the discrete mechanism, summed over the whole lattice."""
    reach = int(9 * sd) + 2 * max(shift) + 2
    here, there = np.ones(1), np.ones(1)
    for s in shift:
        here = np.multiply.outer(here, masses(sd, s, reach)).ravel()
        there = np.multiply.outer(there, masses(sd, 0, reach)).ravel()
    return float(np.maximum(here - math.exp(epsilon) * there, 0).sum())


@pytest.mark.parametrize("sd", SDS)
@pytest.mark.parametrize("shift", [1, 2, 7])
def test_the_discrete_curve_never_exceeds_the_charged_one(sd: float, shift: int) -> None:
    mu = charged_mu(shift, sd)
    for epsilon in np.linspace(0, mu * mu / 2 + 6 * mu, 301):
        discrete = discrete_delta(sd, (shift,), epsilon)
        assert discrete <= delta_of(mu, epsilon) * (1 + 1e-9) + 1e-15


@pytest.mark.parametrize("shift", [(1, 1), (1, 2), (3, 4)])
def test_the_charge_holds_in_two_dimensions(shift: tuple[int, int]) -> None:
    sd, mu = 2.0, charged_mu(math.hypot(*shift), 2.0)
    for epsilon in np.linspace(0, mu * mu / 2 + 5 * mu, 60):
        assert discrete_delta(sd, shift, epsilon) <= delta_of(mu, epsilon) * (1 + 1e-9) + 1e-14


@pytest.mark.parametrize(("sd", "factor"), [(3.0, 1.16), (30.0, 1.0014)])
def test_the_continuous_charge_would_be_exceeded_by_the_measured_factor(
    sd: float, factor: float
) -> None:
    """In delta, down to 10^-10: the reason why s / sigma may not be charged."""
    epsilons = np.linspace(0, epsilon_of(1 / sd, 1e-10), 1000)
    ratios = [discrete_delta(sd, (1,), e) / delta_of(1 / sd, e) for e in epsilons]
    assert max(ratios) >= factor


@pytest.mark.parametrize("sd", SDS)
def test_the_charge_is_tight(sd: float) -> None:
    """A mu smaller by one part in 10^7 is exceeded: at epsilon = 0 the median test attains it."""
    mu = lattice.step(sd) * (1 - 1e-7)
    assert discrete_delta(sd, (1,), 0.0) > delta_of(mu, 0.0)


@pytest.mark.parametrize("sd", [1.0, 3.0, 12.5, 40.0])
def test_the_largest_step_is_the_central_one(sd: float) -> None:
    """P(K >= 1) = (1 - P(0)) / 2 gives the middle step in closed form."""
    centre = 1 / np.exp(-(np.arange(-999, 1000) ** 2) / (2 * sd * sd)).sum()
    middle = -2 * float(ndtri_exp(math.log((1 - centre) / 2)))
    assert lattice.step(sd) == pytest.approx(middle, rel=2e-9)
    assert lattice.step(sd) >= middle


@pytest.mark.parametrize("sd", [2.0, 5.0, 20.0, 39.0])
def test_the_bound_for_wide_noise_is_above_the_enumeration(sd: float) -> None:
    assert lattice._wide_step(sd) > lattice._enumerated_step(sd)


@pytest.mark.parametrize("sd", [1.0, 3.0, 8.0])
def test_the_tail_bound_is_above_every_later_step(sd: float) -> None:
    first = math.ceil(sd + 0.5)
    steps = np.diff(-ndtri_exp(lattice._log_survival(sd, 4000)))[first - 1 :]
    bounds = [lattice._later_step(sd, t) for t in range(first, first + len(steps))]
    assert (steps <= np.asarray(bounds) * (1 + 1e-9)).all()
    assert bounds[-1] * sd - 1 < 1e-3


@given(st.floats(1, 1e9), st.integers(1, 2**40))
def test_the_charge_is_above_the_continuous_one_and_close_to_it(sd: float, moved: int) -> None:
    ratio = charged_mu(moved, sd) * sd / moved
    assert 1 < ratio < 1 + max(1.2 / sd**2, 0.05 / sd**2) + 1e-8


@settings(max_examples=50)
@given(st.integers(1, 2**20), st.floats(0.01, 5))
def test_calibrated_lattice_noise_is_charged_what_was_asked(moved: int, mu: float) -> None:
    sd = lattice_sd_for(moved, mu)
    charge = charged_mu(moved, sd)
    assert charge <= mu
    assert sd == lattice.NARROWEST or charge >= mu * (1 - 1e-6)


@pytest.mark.parametrize("bad", [0.0, 0.99, -1.0, math.nan, math.inf, "3"])
def test_noise_below_one_unit_is_refused(bad: object) -> None:
    with pytest.raises(NoiseError) as refusal:
        charged_mu(1, bad)  # type: ignore[arg-type]
    assert refusal.value.argument == "lattice_sd"
