"""The noise of few people is as large as that of people drawn from the population."""

import math

import numpy as np
import pytest

from analytics.comparison.groups import KnownGroup, Scale
from analytics.comparison.noise import noise_of

DRAWS = 20_000


@pytest.mark.parametrize(("levels", "added"), [(2, 1), (3, 2 / 3), (5, 0.5)])
def test_a_group_is_drawn_anew_with_two_people_more_or_half_a_one_at_each_level(levels, added):
    counts = [4] + [0] * (levels - 1)
    _, chances = KnownGroup("a", counts).redrawn(1, np.random.default_rng(1))
    assert chances == pytest.approx((np.array(counts) + added) / (4 + levels * added))
    _, rated = KnownGroup("a", [4], patterns=np.eye(levels)[:1]).redrawn(
        1, np.random.default_rng(1)
    )
    assert rated == pytest.approx(chances)


def test_the_spread_of_people_drawn_from_their_own_answers_is_not_short():
    """The bound is 5 standard errors of a standard deviation: it fails once in 1.7 million."""
    sizes = (2, 3)
    groups = [KnownGroup(name, [n - 1, 1]) for name, n in zip("ab", sizes, strict=True)]
    noise = noise_of(*groups, Scale(np.arange(2.0)), DRAWS, np.random.default_rng(2))
    shares = [2 / (n + 2) for n in sizes]
    expected = sum(p * (1 - p) / (n - 1) for p, n in zip(shares, sizes, strict=True))
    assert noise.means.std() == pytest.approx(math.sqrt(expected), rel=5 / math.sqrt(2 * DRAWS))
