"""The maximiser on functions whose maxima are known."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from tests.randomized_response.regression.scoring import Box, Flat, Unsettled, maximise

FREE = Box(np.full(2, -np.inf), np.full(2, np.inf))


@dataclass(frozen=True)
class Valley:
    """Minus Rosenbrock's function: a curved ridge, not concave, highest (0) at (1, 1)."""

    parameters: np.ndarray

    @property
    def log_likelihood(self) -> float:
        x, y = self.parameters
        return float(-((1 - x) ** 2) - 100 * (y - x * x) ** 2)

    @property
    def score(self) -> np.ndarray:
        x, y = self.parameters
        return np.array([2 * (1 - x) + 400 * x * (y - x * x), -200 * (y - x * x)])

    @property
    def observed(self) -> np.ndarray:
        x, y = self.parameters
        return np.array([[2 + 1200 * x * x - 400 * y, -400 * x], [-400 * x, 200.0]])

    @property
    def expected(self) -> np.ndarray:
        """Gauss and Newton's matrix, never indefinite."""
        x, _ = self.parameters
        return np.array([[2 + 800 * x * x, -400 * x], [-400 * x, 200.0]])


@dataclass(frozen=True)
class Slope:
    """An exponential approach to 0 that is never reached: the information vanishes."""

    parameters: np.ndarray

    @property
    def log_likelihood(self) -> float:
        return float(-np.exp(-self.parameters).sum())

    @property
    def score(self) -> np.ndarray:
        return np.exp(-self.parameters)

    @property
    def observed(self) -> np.ndarray:
        return np.diag(np.exp(-self.parameters))

    expected = observed


@dataclass(frozen=True)
class Millions(Valley):
    """The same of so many answers that rounding takes more than the last steps gain."""

    @property
    def log_likelihood(self) -> float:
        noise = 2e-5 * np.sin(1e9 * self.parameters.sum())
        return float(super().log_likelihood - 1e8 + noise)


@dataclass(frozen=True)
class Cliff(Valley):
    """Claims a slope that leads nowhere."""

    @property
    def log_likelihood(self) -> float:
        return -float(np.abs(self.parameters).sum())

    @property
    def score(self) -> np.ndarray:
        return np.ones(2)


def whole(point, step) -> float:
    return 1.0


@pytest.mark.parametrize("start", [(-1.2, 1.0), (3.0, -4.0), (0.0, 0.0), (1.0, 1.0)])
def test_the_maximum_of_a_function_that_is_not_concave_is_found(start) -> None:
    point, iterations = maximise(Valley, np.array(start), FREE, whole)
    assert point.parameters == pytest.approx([1, 1], abs=1e-6)
    assert iterations < 100


def test_rounding_among_millions_of_answers_does_not_end_the_search() -> None:
    for turn in np.linspace(0, 6, 25):
        point, _ = maximise(Millions, np.array([np.cos(turn), np.sin(turn)]), FREE, whole)
        assert point.parameters == pytest.approx([1, 1], abs=1e-6)


def test_a_parameter_stops_at_its_bound_while_the_others_go_on() -> None:
    box = Box(np.array([-np.inf, -np.inf]), np.array([0.5, np.inf]))
    point, _ = maximise(Valley, np.array([-1.0, 1.0]), box, whole)
    assert point.parameters == pytest.approx([0.5, 0.25], abs=1e-6)
    assert box.free(point).tolist() == [False, True]


def test_no_step_is_longer_than_what_is_called_safe() -> None:
    visited = [np.array([-1.2, 1.0])]

    def at(parameters: np.ndarray) -> Valley:
        visited.append(parameters)
        return Valley(parameters)

    longest = 0.1
    maximise(at, visited[0], FREE, lambda p, step: min(1.0, longest / np.linalg.norm(step)))
    steps = [np.linalg.norm(b - a) for a, b in pairwise(visited)]
    # A shortened trial may be followed by a longer one from elsewhere: two safe steps at most.
    assert max(steps) <= 2 * longest + 1e-12


def test_a_likelihood_without_a_maximum_is_called_flat() -> None:
    with pytest.raises(Flat) as caught:
        maximise(Slope, np.zeros(2), FREE, whole)
    assert caught.value.parameters.min() > 10


def test_a_slope_that_leads_nowhere_does_not_go_on_for_ever() -> None:
    with pytest.raises(Unsettled):
        maximise(Cliff, np.zeros(2), FREE, whole)
