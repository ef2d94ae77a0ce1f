"""How often intervals hold the true score, by simulation: catalogues drawn anew each time.

Each of the settings below must hold at least 92 % at a nominal 95 %. The bound allows five standard
errors of the simulation itself (scores of one catalogue share their centre, so that each catalogue
counts as one observation): chance breaks it less than once in a million settings.
"""

import math

import numpy as np
import pytest

from ranking.posterior.gibbs import sample_hidden_ratings
from ranking.posterior.linear_bayes import linear_bayes
from ranking.posterior.priors import linear_empirical_bayes, posterior_under
from surveys.randomized_response.designs import KAry

pytestmark = pytest.mark.audit

STARS = np.arange(1.0, 6)
BASE = np.array([0.1, 0.1, 0.2, 0.35, 0.25])
LEAST = 0.92
EPSILONS = {"open": None, "ln 3": math.log(3), "2": 2.0, "3": 3.0}
ITEMS = {30: 200, 500: 40}
ALIKE = {"different": 3.0, "as books are": 10.0, "nearly alike": 50.0}


def catalogue(strength: float, items: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """True shares (items, levels), and true ratings: 5 to 60 for each item."""
    shares = rng.dirichlet(strength * BASE, size=items)
    return shares, rng.multinomial(rng.integers(5, 61, size=items), shares)


def reported(design: KAry, ratings: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    matrix = design.channel.matrix
    return sum(rng.multinomial(ratings[:, x], matrix[:, x]) for x in range(len(matrix)))


def intervals(epsilon: float | None, ratings: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if epsilon is None:
        prior = linear_empirical_bayes(ratings, STARS)
        return posterior_under(prior, ratings, STARS).intervals()
    design = KAry.from_epsilon(5, epsilon)
    return linear_bayes(design, reported(design, ratings, rng), STARS).intervals()


def held(ends: np.ndarray, shares: np.ndarray) -> float:
    scores = shares @ STARS
    return float(((ends[:, 0] <= scores) & (scores <= ends[:, 1])).mean())


@pytest.mark.parametrize("alike", ALIKE)
@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_intervals_hold_the_true_scores(epsilon: str, items: int, alike: str) -> None:
    rng = np.random.default_rng()
    shares_held = []
    for _ in range(ITEMS[items]):
        shares, ratings = catalogue(ALIKE[alike], items, rng)
        shares_held.append(held(intervals(EPSILONS[epsilon], ratings, rng), shares))
    coverage = np.mean(shares_held)
    error = np.std(shares_held, ddof=1) / math.sqrt(len(shares_held))
    print(f"{epsilon}, {items} items {alike}: {coverage:.1%} (standard error {error:.2%})")
    assert coverage >= LEAST - 5 * error
    assert error < 0.01


@pytest.mark.parametrize("epsilon", ["ln 3", "3"])
def test_gibbs_intervals_hold_the_true_scores_too(epsilon: str) -> None:
    rng = np.random.default_rng()
    design = KAry.from_epsilon(5, EPSILONS[epsilon])
    shares_held = []
    for _ in range(40):
        shares, ratings = catalogue(10.0, 30, rng)
        drawn = sample_hidden_ratings(
            design, reported(design, ratings, rng), STARS, rng=rng, sweeps=1000, burn_in=500
        )
        shares_held.append(held(drawn.intervals(), shares))
    coverage = np.mean(shares_held)
    error = np.std(shares_held, ddof=1) / math.sqrt(len(shares_held))
    print(f"Gibbs, {epsilon}, 30 items: {coverage:.1%} (standard error {error:.2%})")
    assert coverage >= LEAST - 5 * error
