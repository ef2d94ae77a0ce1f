import math

import numpy as np
import pytest
from scipy.stats import binom

from tests.randomized_response.designs import OLH, PrefixHashing
from tests.randomized_response.errors import (
    CountsError,
    DesignError,
    EstimationError,
    StatisticsError,
)
from tests.randomized_response.estimates import find_heavy_hitters
from tests.randomized_response.estimates.local.heavy_hitters import _limit

LONG = PrefixHashing.from_epsilon(24, 3.0, first=6, step=6)
SHORT = PrefixHashing.from_epsilon(8, 2.0, first=4, step=4)


def test_common_items_of_a_large_domain_are_called_with_their_shares() -> None:
    """30 and 20 of 100 people have two of 2^24 items, all others an item of their own."""
    rng = np.random.default_rng(61)
    others = rng.integers(0, 2**24, 3000)
    items = np.concatenate([np.repeat([9_000_000, 123_456], [1800, 1200]), others])
    called = find_heavy_hitters(LONG, LONG.draw(items, rng), kept=16)
    assert called.items == (9_000_000, 123_456)
    for number, share in enumerate((0.3, 0.2)):
        interval = called.interval(number)
        assert interval.contains(share)
        assert interval.low < called.shares[number] < interval.high
        assert called.shares[number] >= called.called_from


@pytest.mark.parametrize(("least", "share"), [(0.0, 0.0), (0.2, 0.2)])
def test_items_at_most_as_common_as_stated_are_called_at_most_at_the_stated_rate(
    least, share
) -> None:
    """100 surveys; at a rate of 1 in 4 at most 25 may call one, and five sd more here."""
    rng, false = np.random.default_rng(62), 0
    for _ in range(100):
        items = np.where(rng.random(300) < share, 77, 200)
        called = find_heavy_hitters(SHORT, SHORT.draw(items, rng), least=least, rate=0.25, kept=4)
        false += bool(set(called.items) - {200})
    assert false <= 25 + 5 * math.sqrt(100 * 0.25 * 0.75)


@pytest.mark.parametrize("least", [0.0, 0.1])
def test_the_limit_is_the_smallest_count_with_a_chance_within_the_rate(least) -> None:
    support = SHORT.support
    p = float(support.if_other) + least * float(support.slope)
    for n, chance in ((40, 1e-3), (1000, 1e-6), (3, 1e-9)):
        limit = _limit(support, n, least, chance)
        assert binom.sf(limit - 1, n, p) <= chance < binom.sf(limit - 2, n, p)


def test_few_people_call_nothing_and_say_from_which_share_they_would() -> None:
    rng = np.random.default_rng(63)
    called = find_heavy_hitters(SHORT, SHORT.draw(rng.integers(0, 256, 30), rng), rate=1e-6)
    assert called.items == ()
    assert called.called_from > 0.5
    assert "Called from" in str(called)


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda: find_heavy_hitters(OLH(4, 3, 0.6), [[0, 0, 0]]), DesignError),
        (lambda: find_heavy_hitters(SHORT, np.zeros((0, 4), dtype=int)), CountsError),
        (lambda: find_heavy_hitters(SHORT, [[0, 0, 0, 0]]), CountsError),
        (lambda: find_heavy_hitters(SHORT, [[0, 0, 0, 0]], kept=0), EstimationError),
        (lambda: find_heavy_hitters(SHORT, [[0, 0, 0, 0]], rate=0), EstimationError),
        (lambda: find_heavy_hitters(SHORT, [[0, 0, 0, 0]], least=1.5), StatisticsError),
        (
            lambda: find_heavy_hitters(PrefixHashing((30,), 3, 0.6), [[0, 0, 0, 0, 0]]),
            EstimationError,
        ),
    ],
)
def test_what_cannot_be_searched_is_refused(ask, error) -> None:
    with pytest.raises(error):
        ask()
