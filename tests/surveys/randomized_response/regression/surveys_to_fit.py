"""Surveys drawn from a known truth, and derivatives by differences."""

from collections.abc import Callable

import numpy as np

from tests.randomized_response.designs import DesignLike, channel_of
from tests.randomized_response.regression.links import LINKS


def draw_reported(design: DesignLike, true: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One reported level per true level, by the inverse of the channel's distribution function."""
    cumulative = np.cumsum(channel_of(design).matrix, axis=0)
    return (rng.random(len(true)) >= cumulative[:-1, true]).sum(axis=0)


def draw_survey(
    design: DesignLike,
    coefficients: list[float],
    n: int,
    rng: np.random.Generator,
    link: str = "logit",
) -> tuple[np.ndarray, np.ndarray]:
    """Reports (n,) and covariates (n, p): a normal one, then coins, for one intercept and p."""
    covariates = np.column_stack(
        [rng.normal(size=n)] + [rng.random(n) < 0.5 for _ in coefficients[2:]]
    )
    eta = coefficients[0] + covariates @ np.array(coefficients[1:])
    true = rng.random(n) < LINKS[link].probability(eta)
    return draw_reported(design, true.astype(int), rng), covariates


def numeric_gradient(
    function: Callable[[np.ndarray], float], at: np.ndarray, step: float = 1e-5
) -> np.ndarray:
    """Central differences: (q,) or, for a function with values (m,), (m, q)."""
    steps = step * np.eye(len(at))
    return np.array([(function(at + s) - function(at - s)) / (2 * step) for s in steps]).T
