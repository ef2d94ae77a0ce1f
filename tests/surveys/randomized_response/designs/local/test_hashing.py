import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import BLH, OLH
from tests.randomized_response.designs.local import hashing
from tests.randomized_response.designs.local.hashing import (
    PRIME,
    best_buckets,
    collision_probability,
)
from tests.randomized_response.errors import DesignError, ReportError
from tests.surveys.randomized_response.designs.local.laws import (
    exact_largest_ratio,
    expected_counts,
    law_over_every_draw,
)


def hash_option(option: int, multiplier: int, shift: int, buckets: int) -> int:
    """h(option), in whole numbers without limits."""
    return (multiplier * option + shift) % hashing.PRIME % buckets


@pytest.fixture
def small_prime(monkeypatch) -> int:
    """The same family over a prime small enough to try all its functions."""
    monkeypatch.setattr(hashing, "PRIME", 13)
    return 13


def test_the_modulus_is_prime_and_a_browser_computes_the_hash_without_rounding() -> None:
    assert all(PRIME % divisor for divisor in range(2, math.isqrt(PRIME) + 1))
    assert (PRIME - 1) * (PRIME - 1) + PRIME - 1 < 2**53


@pytest.mark.parametrize("buckets", [2, 3, 4, 5, 12, 13])
def test_two_options_share_a_bucket_with_exactly_the_stated_probability(
    small_prime, buckets
) -> None:
    functions = list(product(range(small_prime), repeat=2))
    for one, other in ((0, 1), (2, 7), (11, 12)):
        shared = sum(
            hash_option(one, a, b, buckets) == hash_option(other, a, b, buckets)
            for a, b in functions
        )
        assert Fraction(shared, len(functions)) == collision_probability(buckets)


@given(st.integers(2, 2**16))
def test_sharing_a_bucket_is_hardly_likelier_than_one_in_g(buckets) -> None:
    assert 0 <= collision_probability(buckets) - Fraction(1, buckets) < Fraction(1, 10**11)


# (protocol, combinations of its randomized bucket: denominator of p times g - 1)
SMALL = [(BLH(4, Fraction(3, 4)), 4), (OLH(4, 3, Fraction(1, 2)), 4), (OLH(5, 5, 0.5), 8)]


@pytest.mark.parametrize(("protocol", "combinations"), SMALL, ids=str)
def test_all_functions_and_draws_give_exactly_the_stated_support_and_epsilon(
    small_prime, protocol, combinations
) -> None:
    laws = [
        law_over_every_draw(protocol.draw, v, small_prime**2 * combinations)
        for v in range(protocol.options)
    ]
    assert exact_largest_ratio(laws) == protocol.largest_ratio
    for level, law in enumerate(laws):
        expected = [protocol.support.if_other] * protocol.options
        expected[level] = protocol.support.if_true
        found = expected_counts(law, lambda r: protocol.supports(np.array([r]))[0].tolist())
        assert [float(f) for f in found] == pytest.approx([float(e) for e in expected], abs=1e-15)


def test_the_hash_is_fixed_for_all_time_and_all_machines() -> None:
    assert [hash_option(v, 60_000_000, 66_000_000, 5) for v in range(8)] == [0, 1, 2, 3, 4, 0, 1, 2]
    # -v - 1 modulo 67,108,859 is 67,008,859 for v = 99,999, which is 1 modulo 7.
    assert hash_option(99_999, PRIME - 1, PRIME - 1, 7) == 1


def test_aggregation_supports_what_the_hash_says() -> None:
    protocol = OLH.from_epsilon(30, 1.5)
    reports = protocol.draw(np.arange(30).repeat(300), np.random.default_rng(40))
    counts = Counter(
        v
        for a, b, y in reports.tolist()
        for v in range(30)
        if hash_option(v, a, b, protocol.buckets) == y
    )
    assert protocol.aggregate(reports).tolist() == [counts[v] for v in range(30)]
    assert protocol.supports(reports).sum(axis=0).tolist() == [counts[v] for v in range(30)]


@given(st.floats(0.01, 10))
def test_no_other_number_of_buckets_has_a_smaller_variance(epsilon) -> None:
    def variance(buckets: int) -> float:
        p, q = math.exp(epsilon) / (math.exp(epsilon) + buckets - 1), 1 / buckets
        return q * (1 - q) / (p - q) ** 2

    chosen = OLH.from_epsilon(9, epsilon).buckets
    for other in {2, max(2, chosen - 1), chosen + 1, round(math.exp(epsilon)) + 1}:
        assert variance(chosen) <= variance(other) * (1 + 1e-9)
    assert abs(chosen - 1 - math.exp(epsilon)) <= 1


@given(st.integers(2, 50), st.floats(0.01, 20))
def test_local_hashing_never_spends_more_than_the_epsilon_asked_for(options, epsilon) -> None:
    stated = 1 + Fraction(math.expm1(epsilon))
    for protocol in (BLH.from_epsilon(options, epsilon), OLH.from_epsilon(options, epsilon)):
        assert protocol.largest_ratio <= stated
        assert protocol.epsilon == pytest.approx(epsilon, rel=1e-12)


def test_at_odds_of_1_45_three_buckets_beat_the_usual_two() -> None:
    assert round(1.45) + 1 == 2
    assert best_buckets(Fraction(145, 100)) == 3


def test_enormous_epsilons_stop_at_the_largest_number_of_buckets() -> None:
    assert best_buckets(Fraction(10) ** 300) == hashing.LARGEST_BUCKETS


@pytest.mark.parametrize(
    "reports",
    [
        [[0, 0, 3]],
        [[0, 0, -1]],
        [[PRIME, 0, 0]],
        [[0, -1, 0]],
        [[0, 0]],
        [0, 0, 0],
        [[0.0, 0.0, 0.0]],
        [["a", "b", "c"]],
    ],
)
def test_what_is_no_report_is_refused(reports) -> None:
    with pytest.raises(ReportError):
        OLH(5, 3, 0.6).aggregate(np.array(reports))


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: BLH(1, 0.7), "options"),
        (lambda: BLH(PRIME + 1, 0.7), "options"),
        (lambda: BLH(4, 1.7), "p_truth"),
        (lambda: BLH(4, Fraction(1, 2)), "p_true - p_other"),
        (lambda: OLH(4, 1, 0.7), "buckets"),
        (lambda: OLH(4, 2.5, 0.7), "buckets"),
        (lambda: OLH(4, 2**20, 0.7), "buckets"),
        (lambda: OLH.from_epsilon(4, 0), "epsilon"),
        (lambda: OLH.from_epsilon(4, 1.0, 1), "buckets"),
        (lambda: BLH.from_epsilon(4, math.inf), "epsilon"),
    ],
)
def test_what_cannot_be_a_protocol_is_refused_and_the_argument_named(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument
