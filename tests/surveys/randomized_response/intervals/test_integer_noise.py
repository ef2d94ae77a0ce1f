"""How far a count is off to which several people added noise: the exact law, and its margins."""

import math

import numpy as np
import pytest

from tests.randomized_response.errors import EstimationError
from tests.randomized_response.intervals.integer_noise import LARGEST_EXACT, SummedNoise


def summed(sigma: float, draws: int) -> np.ndarray:
    """The probability of each sum, by adding one person's noise after the other."""
    reach = math.ceil(14 * sigma) + 2
    one = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * sigma**2))
    one /= one.sum()
    law = one
    for _ in range(draws - 1):
        law = np.convolve(law, one)
    return law


@pytest.mark.parametrize("sigma", [0.05, 0.4, 1.0, 4.5, 30.0])
@pytest.mark.parametrize("draws", [1, 2, 7, 12])
def test_the_probability_is_that_of_the_sum(sigma, draws):
    law, noise = summed(sigma, draws), SummedNoise(sigma, draws)
    middle = len(law) // 2
    for width in (0, 1, 2, 5, round(noise.sd), round(2 * noise.sd)):
        exact = law[max(middle - width, 0) : middle + width + 1].sum()
        assert noise.coverage(width) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("sigma", [0.05, 1.0, 4.0, 700.0, 5_000.0])
def test_a_margin_is_the_least_that_reaches_its_level(level, sigma):
    noise = SummedNoise(sigma, 2)
    width = noise.half_width(level)
    assert noise.coverage(width) >= level
    assert width == 0 or noise.coverage(width - 1) < level


def test_where_the_exact_law_ends_the_other_one_says_the_same():
    exact, normal = SummedNoise(LARGEST_EXACT, 1), SummedNoise(LARGEST_EXACT * (1 + 1e-12), 1)
    for width in (0, 1, 500, 1_960, 4_000):
        assert exact.coverage(width) == pytest.approx(normal.coverage(width), abs=1e-6)


def test_the_stated_deviation_is_not_below_the_true_one():
    for sigma in (0.3, 1.0, 4.0):
        law = summed(sigma, 3)
        places = np.arange(len(law)) - len(law) // 2
        assert SummedNoise(sigma, 3).sd >= math.sqrt(float((law * places**2).sum())) - 1e-9


@pytest.mark.parametrize(
    ("sigma", "draws"), [(0, 1), (-1.0, 1), (math.inf, 1), (math.nan, 1), (1.0, 0)]
)
def test_what_is_no_noise_is_refused(sigma, draws):
    with pytest.raises(EstimationError):
        SummedNoise(sigma, draws)
