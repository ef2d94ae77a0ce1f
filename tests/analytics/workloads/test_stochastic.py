"""The stochastic method, and a test for each correction of its published formulas."""

import numpy as np
import pytest
from scipy.optimize import minimize

from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import StrategyError
from analytics.workloads.duals import optimum
from analytics.workloads.strategies import (
    expected_error,
    hierarchy,
    identity,
    sensitivity,
    total,
)
from tests.oracles.stochastic import (
    GAUSSIAN,
    LAPLACE,
    RADEMACHER,
    normalised,
    probe_spread,
    probed_error,
    searched,
    through_normalisation,
)


def differences(function, point):
    """Central differences of a function of a matrix."""
    slope = np.zeros_like(point)
    for place in np.ndindex(point.shape):
        step = np.zeros_like(point)
        step[place] = 1e-6
        slope[place] = (function(point + step) - function(point - step)) / 2e-6
    return slope


def test_the_gradient_has_the_shape_of_the_strategy_and_is_not_its_transpose(rng):
    asked, strategy, probe = rng.normal(size=(3, 4)), rng.normal(size=(4, 4)), rng.normal(size=4)
    _, gradient = probed_error(asked, strategy, probe)
    numeric = differences(lambda a: probed_error(asked, a, probe)[0], strategy)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4 * np.abs(numeric).max())
    assert np.abs(gradient.T - numeric).max() > 0.1 * np.abs(numeric).max()


@pytest.mark.parametrize("norm", [1, 2])
def test_the_gradient_goes_through_the_normalisation_of_signed_columns(norm, rng):
    asked, probe = rng.normal(size=(3, 4)), rng.normal(size=6)
    parameters = rng.normal(size=(6, 4))

    def value(point):
        return probed_error(asked, normalised(point, norm), probe)[0]

    _, gradient = probed_error(asked, normalised(parameters, norm), probe)
    found = through_normalisation(parameters, gradient, norm)
    numeric = differences(value, parameters)
    np.testing.assert_allclose(found, numeric, rtol=1e-4, atol=1e-4 * np.abs(numeric).max())


def test_signed_parameters_keep_the_sensitivity_where_the_published_norm_breaks_it():
    signed = np.array([[2.0, 1.0], [-1.5, 1.0], [1.0, 1.0]])
    published = signed / signed.sum(axis=0)
    assert sensitivity(published, 1) > 2.9
    assert sensitivity(normalised(signed, 1), 1) == pytest.approx(1)


def test_only_the_variance_of_the_probes_scales_the_estimate_and_rademacher_spreads_least(rng):
    workload, strategy = OneWay(Ask.RANGES, 8), hierarchy(8, 2)
    assert probe_spread(workload, strategy, LAPLACE)[0] == 2
    spreads = [probe_spread(workload, strategy, law)[1] for law in (RADEMACHER, GAUSSIAN, LAPLACE)]
    assert spreads == sorted(spreads)
    draws = np.array([
        probed_error(workload.matrix(), strategy, rng.choice([-1.0, 1.0], len(strategy)))[0]
        for _ in range(500)
    ])  # fmt: skip
    trace = expected_error(workload, strategy, 1) / sensitivity(strategy, 1) ** 2
    assert draws.mean() == pytest.approx(trace, rel=5 * spreads[0] / 500**0.5)


def test_antithetic_probes_say_the_same_twice(rng):
    """C is even in y: the published remedy of -y draws nothing new."""
    asked, strategy, probe = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=5)
    first, second = (probed_error(asked, strategy, sign * probe)[0] for sign in (1, -1))
    assert first == pytest.approx(second, rel=1e-12)


def test_the_published_error_of_a_strategy_that_does_not_answer_is_far_too_small():
    """||W A^+ y||^2 forgets the bias: a total would answer four counts at an error of 1/4."""
    workload, strategy = OneWay(Ask.COUNTS, 4), total(4)
    published = probed_error(np.eye(4), strategy, [1.0])[0]
    assert published == pytest.approx(0.25)
    with pytest.raises(StrategyError, match="does not follow"):
        expected_error(workload, strategy, 1)


def test_the_gradient_has_a_third_term_unless_the_strategy_answers_the_workload(rng):
    """Published: it vanishes at full column rank. It does wherever W A^+ A = W, and only there."""
    strategy, probe = rng.normal(size=(3, 5)), rng.normal(size=3)
    answered = rng.normal(size=(2, 3)) @ strategy
    for asked, vanishes in ((answered, True), (rng.normal(size=(2, 5)), False)):
        inverse = np.linalg.pinv(strategy)
        upward = np.outer(2 * asked.T @ asked @ inverse @ probe, probe)
        third = inverse.T @ inverse @ upward.T @ (np.eye(5) - inverse @ strategy)
        assert (np.abs(third).max() < 1e-9) == vanishes


def test_the_published_derivative_of_the_norm_holds_for_l1_alone(rng):
    """1 (G . P) D^2 is the slope of 1 / sum P; the L2 norm's goes along the column instead."""
    asked, probe = rng.normal(size=(3, 4)), rng.normal(size=6)
    parameters = rng.random((6, 4))
    for norm in (1, 2):
        scale = 1 / np.linalg.norm(parameters, norm, axis=0)
        _, gradient = probed_error(asked, parameters * scale, probe)
        published = gradient * scale - (gradient * parameters).sum(axis=0) * scale**2
        right = through_normalisation(parameters, gradient, norm)
        assert np.allclose(published, right) == (norm == 1)


@pytest.mark.audit  # of the published search, which no plan uses
def test_fixed_probes_are_fitted_instead_of_averaged(rng):
    """Published: the same probes in every step. The error on them falls far below the truth."""
    workload, cells, rows = OneWay(Ask.CDF, 8), 8, 4
    asked, fixed = workload.matrix(), rng.choice([-1.0, 1.0], (4, 12))

    def on_probes(flat):
        parameters = np.vstack([np.eye(cells), flat.reshape(rows, cells)])
        strategy = normalised(parameters, 2)
        pairs = [probed_error(asked, strategy, probe) for probe in fixed]
        slope = through_normalisation(parameters, sum(one for _, one in pairs) / len(fixed), 2)
        return sum(value for value, _ in pairs) / len(fixed), slope[cells:].ravel()

    start, enough = rng.random(rows * cells), {"maxfun": 1000}
    found = minimize(on_probes, start, jac=True, method="L-BFGS-B", options=enough)
    strategy = normalised(np.vstack([np.eye(cells), found.x.reshape(rows, cells)]), 2)
    assert found.fun < 0.5 * optimum(workload).lower
    assert expected_error(workload, strategy, 2) > 2 * found.fun
    fresh = searched(workload, rows, 2, rng, steps=200)
    assert expected_error(workload, fresh, 2) < expected_error(workload, strategy, 2)


def test_the_search_never_ends_worse_than_the_identity_and_keeps_sensitivity_1(rng):
    workload = OneWay(Ask.CDF, 12)
    found = searched(workload, 2, 2, rng, steps=150)
    assert sensitivity(found, 2) == pytest.approx(1)
    assert expected_error(workload, found, 2) < expected_error(workload, identity(12), 2)


REFUSED = {
    "an empty column": lambda: normalised([[0.0, 1.0]], 1),
    "no rows": lambda: searched(OneWay(Ask.CDF, 3), 0, 1, np.random.default_rng(0)),
    "letters": lambda: probed_error([[1.0]], [["x"]], [1.0]),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_searched_is_refused(ask):
    with pytest.raises(StrategyError, match="cannot be used"):
        ask()
