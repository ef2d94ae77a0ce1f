import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import FLH, CountMeanSketch
from tests.randomized_response.designs.local.hashing import PRIME, collision_probability
from tests.randomized_response.errors import DesignError, ReportError
from tests.randomized_response.estimates import (
    conditional_frequency_variance,
    estimate_frequencies,
    maximum_likelihood_frequencies,
    total_frequency_variance,
)
from tests.surveys.randomized_response.designs.local.laws import (
    exact_largest_ratio,
    law_over_every_draw,
)

FAST = FLH(6, 3, Fraction(1, 2), functions=4, seed=7)
SKETCH = CountMeanSketch(5, 3, Fraction(3, 4), functions=2, seed=7)
# Combinations of their draws: function, then keep and step, or a number for each bit.
SMALL = [(FAST, 4 * 2 * 2), (SKETCH, 2 * 4**3)]


@pytest.mark.parametrize(("protocol", "combinations"), SMALL, ids=["fast", "sketch"])
def test_all_draws_give_exactly_the_stated_epsilon_and_the_support_of_the_pool(
    protocol, combinations
) -> None:
    options = range(protocol.options)
    laws = [law_over_every_draw(protocol.draw, v, combinations) for v in options]
    assert exact_largest_ratio(laws) == protocol.largest_ratio
    p = Fraction(protocol.support.if_true)
    apart = Fraction(1, 4)  # (1 - p) / (g - 1) of one, 1 - p of the other
    buckets = protocol._hashed(np.arange(protocol.functions)[:, None], np.arange(len(options)))
    for u, law in enumerate(laws):
        for v in options:
            together = Fraction(int((buckets[:, u] == buckets[:, v]).sum()), protocol.functions)
            seen = sum(c for r, c in law.items() if protocol.supports(np.array([r]))[0, v])
            assert seen == together * p + (1 - together) * apart


def test_over_all_pools_the_support_is_that_of_a_function_of_one_s_own() -> None:
    """p (1) and p' by the chance of a collision: what makes estimates unbiased."""
    for protocol, apart in ((FAST, Fraction(1, 4)), (SKETCH, Fraction(1, 4))):
        p, c = Fraction(protocol.support.if_true), collision_probability(protocol.buckets)
        assert protocol.support.if_other == c * p + (1 - c) * apart
        assert protocol.support.slope == (p - apart) * (1 - c)


@pytest.mark.parametrize(
    "protocol",
    [
        FLH.from_epsilon(20, 1.5, 50, 1),
        CountMeanSketch.from_epsilon(20, 1.5, 16, 50, 1),
    ],
    ids=["fast", "sketch"],
)
def test_counts_by_the_pool_are_those_of_single_reports(protocol) -> None:
    reports = protocol.draw(np.arange(20).repeat(20), np.random.default_rng(41))
    assert protocol.aggregate(reports).tolist() == protocol.supports(reports).sum(axis=0).tolist()


def test_the_pool_is_the_same_on_every_machine() -> None:
    a, b = FLH(4, 2, 0.75, 2, 0)._factors.tolist()
    # The first 8 and the next 8 bytes of SHA-256 of "0 0", modulo 2^26 - 5.
    assert (a[0], b[0]) == (59069408, 26949378)
    assert 0 <= min(a + b) <= max(a + b) < PRIME


def test_estimates_over_many_pools_have_at_most_the_stated_variance_and_no_bias() -> None:
    """All but a few chose option 1, which is the worst case; five standard errors."""
    rng, true = np.random.default_rng(42), np.repeat([0, 1], [100, 900])
    estimates = []
    for seed in range(120):
        protocol = FLH.from_epsilon(5, 2.0, 20, seed)
        counts = protocol.aggregate(protocol.draw(true, rng))
        estimates.append(estimate_frequencies(protocol, counts, 1000).frequencies)
    shares = np.array([0.1, 0.9, 0, 0, 0])
    spread = np.array(estimates).var(axis=0)
    error = 5 * np.sqrt(spread / 120)
    assert (np.abs(np.mean(estimates, axis=0) - shares) <= error).all()
    stated = conditional_frequency_variance(protocol, shares, 1000)
    assert (spread <= stated * 1.65).all()
    assert spread[0] == pytest.approx(stated[0], rel=0.65)
    own = conditional_frequency_variance(FLH.from_epsilon(5, 2.0, 2**16, 0), shares, 1000)
    assert stated[0] > 5 * own[0]


def test_intervals_hold_what_the_pool_puts_together() -> None:
    """Of 60 pools at most 3 + 3 sd miss; without the pool's part most do."""
    rng, true = np.random.default_rng(43), np.repeat([0, 1], [500, 4500])
    covered, alone = 0, 0
    for seed in range(60):
        protocol = FLH.from_epsilon(5, 2.0, 20, seed)
        estimate = estimate_frequencies(
            protocol, protocol.aggregate(protocol.draw(true, rng)), 5000
        )
        covered += estimate.interval(0).contains(0.1)
        alone += type(estimate)(estimate.support, estimate.counts, 5000).interval(0).contains(0.1)
    assert covered >= 52
    assert alone < 36


def test_the_likelihood_knows_the_pool_and_needs_no_such_part() -> None:
    protocol, rng = FLH.from_epsilon(5, 3.0, 20, 1), np.random.default_rng(44)
    reports = protocol.draw(rng.choice(5, 20_000, p=[0.1, 0.9, 0, 0, 0]), rng)
    shares = maximum_likelihood_frequencies(protocol, reports)
    assert np.abs(shares - [0.1, 0.9, 0, 0, 0]).max() < 0.03


def test_a_pool_adds_to_both_variances_what_does_not_shrink() -> None:
    few, many = (FLH.from_epsilon(9, 1.0, functions, 0) for functions in (10, 1000))
    assert few.shared_pool.variance == pytest.approx(100 * many.shared_pool.variance)
    for variance in (conditional_frequency_variance, total_frequency_variance):
        assert variance(few, [0.0], 10**12)[0] == pytest.approx(few.shared_pool.variance, rel=1e-6)


@given(st.integers(2, 50), st.floats(0.01, 15))
def test_the_epsilon_asked_for_is_never_exceeded(options, epsilon) -> None:
    stated = 1 + Fraction(math.expm1(epsilon))
    for protocol in (
        FLH.from_epsilon(options, epsilon, 3, 0),
        CountMeanSketch.from_epsilon(options, epsilon, 8, 3, 0),
    ):
        assert protocol.largest_ratio <= stated
        assert protocol.epsilon == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(
    ("protocol", "reports"),
    [
        (FAST, [[4, 0]]),
        (FAST, [[-1, 0]]),
        (FAST, [[0, 3]]),
        (FAST, [[0, 0, 0]]),
        (FAST, [[0.0, 0.0]]),
        (SKETCH, [[2, 0]]),
        (SKETCH, [[0, 8]]),
        (SKETCH, [[0, 256]]),
        (SKETCH, [[0]]),
    ],
)
def test_what_is_no_report_is_refused(protocol, reports) -> None:
    with pytest.raises(ReportError):
        protocol.aggregate(np.array(reports))


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: FLH(1, 3, 0.5, 4, 0), "options"),
        (lambda: FLH(PRIME + 1, 3, 0.5, 4, 0), "options"),
        (lambda: FLH(4, 1, 0.5, 4, 0), "buckets"),
        (lambda: FLH(4, 3, 0.5, 0, 0), "functions"),
        (lambda: FLH(4, 3, 0.5, 4, -1), "seed"),
        (lambda: FLH(4, 2, 0.5, 4, 0), "p_true - p_other"),
        (lambda: CountMeanSketch(4, 8, 0.5, 4, 0), "p_true - p_other"),
        (lambda: CountMeanSketch.from_epsilon(4, 0, 8, 4, 0), "epsilon"),
    ],
)
def test_what_cannot_be_a_protocol_is_refused_and_the_argument_named(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument
