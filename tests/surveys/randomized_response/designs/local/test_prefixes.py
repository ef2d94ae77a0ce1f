import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.randomized_response.designs import PrefixHashing
from tests.randomized_response.designs.local import hashing, prefixes
from tests.randomized_response.designs.local.hashing import PRIME, collision_probability
from tests.randomized_response.errors import DesignError, ReportError, SamplingError
from tests.surveys.randomized_response.designs.local.laws import (
    exact_largest_ratio,
    law_over_every_draw,
)


@pytest.fixture
def small_prime(monkeypatch) -> int:
    """The same family over a prime small enough to try all its functions."""
    for module in (hashing, prefixes):
        monkeypatch.setattr(module, "PRIME", 11)
    return 11


def test_all_functions_and_draws_give_exactly_the_stated_support_and_epsilon(small_prime) -> None:
    protocol = PrefixHashing((2, 3), 3, Fraction(1, 2))
    combinations = 2 * small_prime**2 * 2 * 2
    laws = [law_over_every_draw(protocol.draw, item, combinations) for item in range(8)]
    assert exact_largest_ratio(laws) == protocol.largest_ratio == 2
    p, q = protocol.support.fractions
    for item, law in enumerate(laws):
        reports = np.array(list(law))
        times = np.array([int(chance * combinations) for chance in law.values()])
        for number, length in enumerate(protocol.lengths):
            expected = [q] * 2**length
            expected[item >> (3 - length)] = p
            drew = reports[:, 0] == number
            rows = np.repeat(reports[drew], times[drew], axis=0)
            n, counts = protocol.counted(rows, number, np.arange(2**length))
            assert [Fraction(int(count), n) for count in counts] == expected


@pytest.mark.parametrize("buckets", [2, 3, 4])
def test_prefixes_of_several_pieces_share_a_bucket_as_often_as_short_ones(
    small_prime, monkeypatch, buckets
) -> None:
    monkeypatch.setattr(prefixes, "_PIECE", 2)
    protocol = PrefixHashing((4,), buckets, Fraction(9, 10))
    factors = np.array(list(product(range(small_prime), repeat=protocol.pieces + 1))).T
    assert protocol.pieces == 2
    for one, other in ((0, 1), (1, 4), (3, 12), (14, 15)):
        first, second = (protocol._hashed(list(factors), np.array(v)) for v in (one, other))
        shared = Fraction(int((first == second).sum()), small_prime**3)
        assert shared == collision_probability(buckets)


@given(st.integers(0, 2**62 - 1))
def test_items_of_62_digits_are_hashed_without_overflow(item) -> None:
    protocol = PrefixHashing((30, 62), 5, Fraction(9, 10))
    factors = [PRIME - 1, PRIME - 2, PRIME - 3, PRIME - 4]
    pieces = [item >> 25 * i & (2**25 - 1) for i in range(3)]
    expected = sum(a * w for a, w in zip(factors, pieces, strict=False)) + factors[-1]
    arrays = [np.array([factor]) for factor in factors]
    assert protocol._hashed(arrays, np.array([item]))[0] == expected % PRIME % 5


def test_prefixes_grow_by_steps_up_to_the_whole_item() -> None:
    assert PrefixHashing.from_epsilon(30, 1.0).lengths == (8, 12, 16, 20, 24, 28, 30)
    assert PrefixHashing.from_epsilon(5, 1.0).lengths == (5,)


@given(st.integers(1, 62), st.floats(0.01, 10))
def test_the_epsilon_asked_for_is_never_exceeded(bits, epsilon) -> None:
    protocol = PrefixHashing.from_epsilon(bits, epsilon)
    assert protocol.largest_ratio <= 1 + Fraction(math.expm1(epsilon))
    assert protocol.epsilon == pytest.approx(epsilon, rel=1e-12)


SHORT = PrefixHashing((4, 8), 3, 0.6)


@pytest.mark.parametrize("items", [[256], [-1], [0.5], ["a"], [[1]], [None]])
def test_what_is_no_item_is_refused(items) -> None:
    with pytest.raises(SamplingError):
        SHORT.draw(items, np.random.default_rng(1))


@pytest.mark.parametrize(
    "reports", [[[2, 0, 0, 0]], [[0, PRIME, 0, 0]], [[0, 0, 0, 3]], [[0, 0, 0]], [[0.0] * 4]]
)
def test_what_is_no_report_is_refused(reports) -> None:
    with pytest.raises(ReportError):
        SHORT.counted(np.array(reports), 0, np.arange(16))


@pytest.mark.parametrize(
    ("build", "argument"),
    [
        (lambda: PrefixHashing((), 3, 0.6), "lengths"),
        (lambda: PrefixHashing((8, 4), 3, 0.6), "lengths"),
        (lambda: PrefixHashing((4, 63), 3, 0.6), "lengths"),
        (lambda: PrefixHashing(8, 3, 0.6), "lengths"),
        (lambda: PrefixHashing((4, 8), 1, 0.6), "buckets"),
        (lambda: PrefixHashing((4, 8), 2, 0.5), "p_true - p_other"),
        (lambda: PrefixHashing.from_epsilon(63, 1.0), "bits"),
        (lambda: PrefixHashing.from_epsilon(8, 1.0, step=0), "step"),
        (lambda: PrefixHashing.from_epsilon(8, 0), "epsilon"),
    ],
)
def test_what_cannot_be_a_protocol_is_refused_and_the_argument_named(build, argument) -> None:
    with pytest.raises(DesignError) as refused:
        build()
    assert refused.value.argument == argument
