"""What opened totals tell of one person: the law of a trustee's noise, summed as it is drawn.

Nothing here is computed by what charges: masses are summed one by one, and the hockey-stick
divergence over every total that there can be. The proofs are in docs/privacy-proofs.md, section 10.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from analytics.privacy.accounting import Adjacency
from analytics.privacy.gaussian import delta_of
from analytics.sources.locked_tables import TAILS_DELTA, cost_of_table
from surveys.questionnaire.plans.tallies import LEAST_CELLS, MOST_BITS, TAILS, LockedTable
from surveys.trust.tally.noises import noise_bits

ADD, REPLACE = Adjacency.ADD_OR_REMOVE, Adjacency.REPLACE
MOVED = {ADD: 1, REPLACE: 2}  # cells
SIGMAS = ["1", "3/2", "8/5", "4", "9/2"]
LEAST_BITS = noise_bits(Fraction(1))


def masses(sigma: float, first: int, last: int) -> np.ndarray:
    """Of the noise before anything is cut off, from ``first`` to ``last``.

    The sum of all weights is not below sigma times the root of two pi (Poisson), and not above it
    by a part in 10^8 for a sigma of 1 or more.
    """
    weights = np.exp(-(np.arange(first, last + 1, dtype=float) ** 2) / (2 * sigma * sigma))
    return weights / (sigma * math.sqrt(2 * math.pi))


def cut_and_edge(sigma: float, half: int) -> tuple[float, float]:
    """The chance to be drawn anew, and that of the largest number that is kept."""
    # Two deviations further out there is less than a billionth of what is cut off.
    outer = masses(sigma, half - 1, half + math.ceil(2 * sigma))
    return float(outer[1] + 2 * outer[2:].sum()), float(outer[0])


def added_chance(sigma: float, half: int, moved: int) -> float:
    """What the cut adds to delta, for any epsilon (proposition 12)."""
    cut, edge = cut_and_edge(sigma, half)
    kept = (1 - cut) ** moved
    return moved * (cut + edge) / kept


def kept_law(sigma: float, half: int, moved: int = 0) -> np.ndarray:
    """The masses of the noise as it is drawn, moved, on -half - 1 to half."""
    whole = masses(sigma, -half, half - 1)
    law = np.zeros(2 * half + 2)
    law[1 + moved : 1 + moved + 2 * half] = whole / whole.sum()
    return law


def divergence(here: np.ndarray, there: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(here - math.exp(epsilon) * there, 0).sum())


def told(sigma: float, half: int, adjacency: Adjacency, epsilon: float) -> float:
    """The least delta with which the totals are (epsilon, delta)-DP, over all of them."""
    plain = kept_law(sigma, half)
    pairs = [
        (kept_law(sigma, half, -1), plain),
        (kept_law(sigma, half, 1), plain),
    ]
    if adjacency is REPLACE:  # one cell loses the person, another one gains them
        (down, _), (up, _) = pairs
        pairs = [(np.multiply.outer(down, up), np.multiply.outer(plain, plain))]
    both_ways = [pair for one, other in pairs for pair in ((one, other), (other, one))]
    return max(divergence(one, other, epsilon) for one, other in both_ways)


def table(sigma: str, cells: int = LEAST_CELLS) -> LockedTable:
    return LockedTable(1, (1,), cells, sigma)


def halves(sigma: str) -> tuple[float, int]:
    return float(Fraction(sigma)), 2 ** (noise_bits(Fraction(sigma)) - 1)


def test_what_is_cut_off_adds_less_than_a_ten_millionth_of_what_is_charged_for_it():
    """For each number of bits the widest noise that it may hold, which loses most."""
    found = {
        bits: added_chance(2 ** (bits - 1) / TAILS, 2 ** (bits - 1), 2)
        for bits in range(LEAST_BITS, MOST_BITS + 1)
    }
    assert max(found, key=found.__getitem__) == LEAST_BITS == 5
    assert found[LEAST_BITS] < LEAST_CELLS * TAILS_DELTA / 10**7
    # The table of the page.
    printed = {5: 4.1e-20, 6: 1.1e-21, 7: 1.5e-22, 9: 4.0e-23, 24: 3.0e-23}
    for bits, number in printed.items():
        assert found[bits] == pytest.approx(number, rel=0.02), bits


@pytest.mark.parametrize("bits", range(1, LEAST_BITS + 2))
def test_less_than_2_in_ten_to_the_22_are_drawn_anew_for_any_noise(bits):
    half = 2 ** (bits - 1)
    weights = np.exp(-(np.arange(2 * half + 1.0) ** 2) / (2 * (half / TAILS) ** 2))
    cut = weights[half:].sum() + weights[half + 1 :].sum()
    assert 1e-23 < cut / (weights[0] + 2 * weights[1:].sum()) < 2e-22


@pytest.mark.parametrize("bits", [5, 6, 9])
def test_wider_noise_in_the_same_bits_loses_more(bits):
    half = 2 ** (bits - 1)
    narrowest = max(1.0, half / 2 / TAILS)
    sigmas = np.linspace(narrowest, half / TAILS, 9)
    lost = [added_chance(float(sigma), half, 2) for sigma in sigmas]
    assert lost == sorted(lost)


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
def test_totals_tell_what_is_charged_and_hardly_less(sigma, adjacency):
    cost = cost_of_table(table(sigma), adjacency)
    mu, tails = math.sqrt(cost.mu_squared), float(cost.threshold_delta)
    number, half = halves(sigma)
    for epsilon in (*np.linspace(0, mu * mu / 2 + 6 * mu, 41), 20.0):
        assert told(number, half, adjacency, epsilon) <= delta_of(mu, epsilon) + tails
    # The median test attains the charge; two cells, each of whole people, come close to it.
    least = 1 - 1e-6 if adjacency is ADD else 0.9
    assert told(number, half, adjacency, 0) >= least * delta_of(mu, 0)


@pytest.mark.parametrize("half", [3, 4, 6])
@pytest.mark.parametrize("sigma", ["1", "8/5", "3"])
@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
def test_the_bound_for_cut_tails_holds_where_they_are_cut_so_early_that_it_shows(
    half, sigma, adjacency
):
    mu = math.sqrt(cost_of_table(table(sigma), adjacency).mu_squared)
    number = float(Fraction(sigma))
    more = added_chance(number, half, MOVED[adjacency])
    shows = False
    for epsilon in np.linspace(0, 8, 33):
        exact, charged = told(number, half, adjacency, epsilon), delta_of(mu, epsilon)
        assert exact <= charged + more
        shows |= exact > charged
    assert shows


@pytest.mark.parametrize("other", [0.5, 1.5, 40.0])
def test_what_other_trustees_add_tells_nothing_more(other):
    """Noise of any width, also of a liar who adds next to none."""
    number, half = halves("3/2")
    theirs = kept_law(other, half)
    for epsilon in np.linspace(0, 3, 7):
        alone = divergence(kept_law(number, half, 1), kept_law(number, half), epsilon)
        together = divergence(
            np.convolve(kept_law(number, half, 1), theirs),
            np.convolve(kept_law(number, half), theirs),
            epsilon,
        )
        assert together <= alone * (1 + 1e-12) + 1e-15


@pytest.mark.parametrize("sigma", ["2", "4", "9/2"])
@pytest.mark.parametrize("adjacency", [ADD, REPLACE])
def test_half_the_noise_tells_more_than_is_charged(sigma, adjacency):
    cost = cost_of_table(table(sigma), adjacency)
    number, half = halves(sigma)
    allowed = delta_of(math.sqrt(cost.mu_squared), 0) + float(cost.threshold_delta)
    assert told(number, half, adjacency, 0) <= allowed
    assert told(number / 2, half, adjacency, 0) > 1.5 * allowed
