"""Least values of functions of many numbers at once."""

import numpy as np
import pytest

from tests.randomized_response.roots import find_least


@pytest.mark.parametrize("at", [0.0, 0.003, 0.3, 0.77, 1.0])
def test_the_least_value_of_a_curve_is_found_wherever_it_lies(at) -> None:
    """Skewed, so that no parabola is the curve itself."""

    def curve(x: np.ndarray) -> np.ndarray:
        return 60 * (x - at) ** 2 + 20 * np.abs(x - at) ** 3 * np.sign(x - at)

    assert find_least(curve, -0.4, 1.5) == pytest.approx(0, abs=1e-5)


def test_no_value_is_below_the_least_and_an_end_counts() -> None:
    assert find_least(lambda x: x, 0.25, 2.0) == 0.25
    assert find_least(lambda x: -x, 0.25, 2.0) == -2.0
    assert find_least(lambda x: np.full_like(x, 3.0), 0, 1) == 3.0


def test_values_without_a_bound_beside_the_least_are_no_obstacle() -> None:
    """Where a share is impossible, evidence against it is infinite."""
    found = find_least(
        lambda x: np.where(x > 0, np.where(x < 1, (x - 0.5) ** 2, np.inf), np.inf), 0, 1
    )
    assert found == pytest.approx(0, abs=1e-9)
