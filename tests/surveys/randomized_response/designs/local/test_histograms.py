import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import SHE, DBitFlip
from tests.randomized_response.errors import CountsError, DesignError, EstimationError, ReportError
from tests.randomized_response.estimates import estimate_histogram, estimate_prevalence
from tests.surveys.randomized_response.designs.local.laws import (
    Law,
    assert_means,
    assert_variances,
    exact_largest_ratio,
)


def window(protocol: SHE, level: int) -> Law:
    """P(report) for all reports of numbers from -3 to 4."""
    law = {}
    for report in product(range(-3, 5), repeat=protocol.options):
        noise = (y - (v == level) for v, y in enumerate(report))
        law[report] = math.prod(protocol.noise_chance(d) for d in noise)
    return law


@pytest.mark.parametrize("ratio", [Fraction(1, 2), Fraction(9, 10)])
def test_two_levels_of_a_sum_change_by_one_which_is_exactly_the_stated_epsilon(ratio) -> None:
    protocol = SHE(3, ratio)
    laws = [window(protocol, level) for level in range(3)]
    assert exact_largest_ratio(laws) == protocol.largest_ratio == 1 / ratio**2


def test_geometric_noise_has_the_stated_variance_which_is_below_that_of_laplace() -> None:
    protocol = SHE(3, Fraction(1, 2))
    chances = [(d, protocol.noise_chance(d)) for d in range(-80, 81)]
    assert float(sum(p for _, p in chances)) == pytest.approx(1)
    assert float(sum(d * d * p for d, p in chances)) == pytest.approx(protocol.noise_variance)
    for epsilon in (0.1, 1.0, 4.0):
        assert SHE.from_epsilon(3, epsilon).noise_variance < 8 / epsilon**2
    assert float(SHE.from_epsilon(3, 0.01).noise_variance) == pytest.approx(8e4, rel=1e-4)


def test_drawn_sums_have_the_stated_means_and_variances() -> None:
    """Within five standard errors."""
    protocol = SHE.from_epsilon(4, 1.5)
    reports = protocol.draw(np.full(20_000, 2), np.random.default_rng(31))
    assert_means(reports, [0, 0, 1, 0], [float(protocol.noise_variance)] * 4)
    assert_variances(reports, [float(protocol.noise_variance)] * 4)
    assert protocol.aggregate(reports).tolist() == reports.sum(axis=0).tolist()


def test_shares_of_a_summed_histogram_are_unbiased_with_the_stated_covariance() -> None:
    protocol, rng = SHE.from_epsilon(3, 2.0), np.random.default_rng(32)
    shares, n = np.array([0.5, 0.3, 0.2]), 30
    reports = protocol.draw(rng.choice(3, 2000 * n, p=shares), rng).reshape(2000, n, 3)
    estimates = [estimate_histogram(protocol, sums, n) for sums in reports.sum(axis=1)]
    found = np.array([estimate.shares for estimate in estimates])
    covariance = (np.diag(shares) - np.outer(shares, shares)) / n
    covariance += np.eye(3) * float(protocol.noise_variance) / n
    assert_means(found, shares, np.diag(covariance))
    assert_variances(found, np.diag(covariance))
    stated = np.array([estimate.covariance for estimate in estimates])
    error = 5 * stated.std(axis=0) / math.sqrt(2000)
    assert (np.abs(stated.mean(axis=0) - covariance) <= error + 1e-12).all()
    covered = [estimate.interval(1).contains(0.3) for estimate in estimates]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.03)


def bits_law(protocol: DBitFlip, level: int) -> Law:
    """P(report): the levels asked are drawn evenly, their bits independently."""
    p, law = Fraction(protocol.p_keep), {}
    drawn = list(combinations(range(protocol.options), protocol.asked))
    for asked in drawn:
        for bits in product((0, 1), repeat=protocol.asked):
            report = [-1] * protocol.options
            chance = Fraction(1, len(drawn))
            for v, bit in zip(asked, bits, strict=True):
                report[v] = bit
                chance *= p if bit == (v == level) else 1 - p
            law[tuple(report)] = chance
    return law


@pytest.mark.parametrize("asked", [1, 2, 3, 4])
def test_one_bit_loses_half_of_what_two_or_more_lose(asked) -> None:
    protocol = DBitFlip(4, asked, Fraction(3, 4))
    laws = [bits_law(protocol, level) for level in range(4)]
    assert exact_largest_ratio(laws) == protocol.largest_ratio == (3 if asked == 1 else 9)


def test_drawn_bits_follow_that_law() -> None:
    """Each report as often as it should be, within five standard errors."""
    protocol = DBitFlip(4, 2, Fraction(3, 4))
    reports = protocol.draw(np.full(20_000, 1), np.random.default_rng(33))
    law = bits_law(protocol, 1)
    seen = np.array([(reports == np.array(report)).all(axis=1) for report in law]).T
    chances = np.array([float(p) for p in law.values()])
    assert_means(seen, chances, chances * (1 - chances))


def test_each_level_is_a_question_of_yes_and_no_to_the_people_who_were_asked_it() -> None:
    protocol, rng = DBitFlip.from_epsilon(5, 2, 3.0), np.random.default_rng(34)
    true = rng.choice(5, 20_000, p=[0.4, 0.3, 0.2, 0.1, 0.0])
    counts = protocol.aggregate(protocol.draw(true, rng))
    assert counts.sum() == 40_000
    for level, share in enumerate([0.4, 0.3, 0.2, 0.1, 0.0]):
        estimate = estimate_prevalence(protocol.design, counts[level])
        assert abs(estimate.prevalence - share) <= 5 * estimate.standard_error


@given(st.integers(2, 40), st.floats(0.01, 20), st.integers(1, 2))
def test_the_epsilon_asked_for_is_never_exceeded(options, epsilon, asked) -> None:
    stated = 1 + Fraction(math.expm1(epsilon))
    for protocol in (
        SHE.from_epsilon(options, epsilon),
        DBitFlip.from_epsilon(options, asked, epsilon),
    ):
        assert protocol.largest_ratio <= stated
        assert protocol.epsilon == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda: SHE(3, 0.5).aggregate(np.array([[0, 1]])), ReportError),
        (lambda: SHE(3, 0.5).aggregate(np.array([[0.0, 1.0, 0.5]])), ReportError),
        (lambda: SHE(2, 0.5).aggregate(np.array([[0, 2**60]])), ReportError),
        (lambda: DBitFlip(3, 2, 0.75).aggregate(np.array([[0, 1, 1]])), ReportError),
        (lambda: DBitFlip(3, 2, 0.75).aggregate(np.array([[0, 2, -1]])), ReportError),
        (lambda: SHE(3, 1), DesignError),
        (lambda: SHE(1, 0.5), DesignError),
        (lambda: DBitFlip(3, 4, 0.75), DesignError),
        (lambda: DBitFlip(3, 2, 0.5), DesignError),
        (lambda: estimate_histogram(SHE(3, 0.5), [1, 2], 10), CountsError),
        (lambda: estimate_histogram(SHE(3, 0.5), [1, 2, 0.5], 10), CountsError),
        (lambda: estimate_histogram(SHE(3, 0.5), [1, 0, 0], 1), EstimationError),
        (lambda: estimate_histogram(DBitFlip(3, 2, 0.75), [1, 2, 3], 10), DesignError),
    ],
)
def test_what_cannot_be_used_is_refused(ask, error) -> None:
    with pytest.raises(error):
        ask()
