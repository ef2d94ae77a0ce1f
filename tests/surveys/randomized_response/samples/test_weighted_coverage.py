"""How often intervals of weighted and poststratified shares cover, and how wide they are.

A group of 10, 20 or 30 % of the sample stands for half of the population. Its weights go with the
answers (50 % of it say yes, 2 % of the others) or not (26 % of both). Limits allow five standard
errors of the simulation: one cell in 3.5 million fails by chance.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from tests.randomized_response.designs import Direct
from tests.randomized_response.intervals.intervals import beta_ends, clopper_pearson
from tests.randomized_response.samples import estimate_weighted_distribution

HALF = 0.5
SHARES = {"related": (0.5, 0.02), "unrelated": (0.26, 0.26)}
GROUPS = (0.1, 0.2, 0.3)
SIZES = (200, 1_000, 5_000)
LEAST, AVERAGE, WIDEST = 0.935, 0.945, 1.15
Z = 1.959963984540054


@dataclass(frozen=True)
class Draws:
    """People asked of the group and of the others, and how many of them say yes: (runs, 2)."""

    sizes: np.ndarray
    yes: np.ndarray

    def columns(self, run: int) -> tuple[np.ndarray, np.ndarray]:
        """Reports and groups of one run, a value a person."""
        no = self.sizes[run] - self.yes[run]
        counts = np.column_stack([no, self.yes[run]]).ravel()
        return np.repeat([0, 1, 0, 1], counts), np.repeat([0, 0, 1, 1], counts)


def drawn(group: float, shares: tuple[float, float], n: int, runs: int, rng) -> Draws:
    first = rng.binomial(n, group, runs)
    sizes = np.column_stack([first, n - first])
    return Draws(sizes, rng.binomial(sizes, shares))


def weighted(draws: Draws, group: float) -> tuple[np.ndarray, np.ndarray]:
    """Weighted shares and their linearised variances, (runs,)."""
    weights = np.array([HALF / group, HALF / (1 - group)])
    total, n = draws.sizes @ weights, draws.sizes.sum(axis=1)
    share = draws.yes @ weights / total
    no = draws.sizes - draws.yes
    squares = (draws.yes @ weights**2) * (1 - share) ** 2 + (no @ weights**2) * share**2
    return share, n / (n - 1) * squares / total**2


def ends_of(share: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """The package's ends at the effective n, (runs, 2); no cell here has a variance of 0."""
    worth = share * (1 - share) / variance
    return np.array([beta_ends(*pair, 0.95) for pair in zip(share * worth, worth, strict=True)])


def coverage_and_width(ends, truth, variance) -> tuple[float, float]:
    covered = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return float(covered.mean()), float(
        np.ptp(ends, axis=1).mean() / (2 * Z * variance**0.5).mean()
    )


def simulated(group: float, name: str, n: int, runs: int, rng) -> tuple[float, float]:
    """Coverage, and width over Wald's; a few runs are compared with the estimate of people."""
    draws = drawn(group, SHARES[name], n, runs, rng)
    share, variance = weighted(draws, group)
    ends = ends_of(share, variance)
    for run in range(3):
        reports, groups = draws.columns(run)
        weights = np.where(groups == 0, HALF / group, HALF / (1 - group))
        interval = estimate_weighted_distribution(Direct(2), reports, weights).interval(1)
        assert (interval.low, interval.high) == pytest.approx(tuple(ends[run]), abs=1e-9)
    return coverage_and_width(ends, np.mean(SHARES[name]), variance)


@pytest.mark.parametrize("name", SHARES)
def test_weighted_shares_cover_where_weights_go_with_answers_and_where_not(name) -> None:
    runs = 3_000
    coverage, width = simulated(0.1, name, 1_000, runs, np.random.default_rng(351))
    assert coverage > LEAST - 5 * math.sqrt(LEAST * (1 - LEAST) / runs)
    assert width < WIDEST


@pytest.mark.audit
def test_weighted_shares_cover_in_every_cell() -> None:
    rng, runs, found = np.random.default_rng(352), 20_000, []
    for group in GROUPS:
        for name in SHARES:
            for n in SIZES:
                coverage, width = simulated(group, name, n, runs, rng)
                found.append(coverage)
                print(f"{group:.0%} {name} n = {n}: {coverage:.4f}, {width:.3f} of Wald's width")
                assert coverage > LEAST - 5 * math.sqrt(LEAST * (1 - LEAST) / runs)
                assert width < WIDEST
    print(f"on average {np.mean(found):.4f}")
    assert np.mean(found) > AVERAGE


POSTSTRATA = {"two": ((0.1, 0.9), (0.5, 0.5)), "four": ((0.4, 0.3, 0.2, 0.1), (0.25,) * 4)}


def poststratified(name: str, share: float, n: int, runs: int, rng) -> tuple[float, float, float]:
    """Coverage of square-and-add and of Wald's interval, and the ratio of their widths."""
    parts, known = (np.array(row) for row in POSTSTRATA[name])
    sizes = rng.multinomial(n, parts, runs)
    # As on the pages, fewer than ten people are no group of their own.
    sizes = sizes[(sizes >= 10).all(axis=1)]
    yes = rng.binomial(sizes, share)
    pairs, places = np.unique(
        np.column_stack([yes.ravel(), sizes.ravel()]), axis=0, return_inverse=True
    )
    exact = [clopper_pearson(*pair) for pair in pairs.tolist()]
    ends = np.array([(one.low, one.high) for one in exact])[places].reshape(*sizes.shape, 2)
    means = yes / sizes
    apart = np.sqrt((((ends - means[..., None]) * known[:, None]) ** 2).sum(axis=1))
    centre = means @ known
    both = np.column_stack([centre - apart[:, 0], centre + apart[:, 1]])
    groups = np.repeat(np.arange(len(parts)), sizes[0])
    reports = np.concatenate([np.arange(m) < y for m, y in zip(sizes[0], yes[0], strict=True)])
    weights = (known / sizes[0])[groups]
    one = estimate_weighted_distribution(Direct(2), reports * 1, weights, poststrata=groups)
    assert (one.interval(1).low, one.interval(1).high) == pytest.approx(tuple(both[0]), abs=1e-9)
    variance = n / (n - 1) * (known**2 * means * (1 - means) / sizes).sum(axis=1)
    wald = np.abs(centre - share) <= Z * variance**0.5
    coverage, width = coverage_and_width(both, share, variance)
    return coverage, float(wald.mean()), width


@pytest.mark.audit
def test_poststratified_shares_cover_in_every_cell() -> None:
    rng, runs = np.random.default_rng(353), 20_000
    for name in POSTSTRATA:
        for share in (0.02, 0.2, 0.5):
            for n in (100, 200, 1_000, 5_000):
                coverage, wald, width = poststratified(name, share, n, runs, rng)
                print(
                    f"{name} groups, share {share}, n = {n}: {coverage:.4f}, Wald's {wald:.4f}, "
                    f"{width:.3f} of its width"
                )
                assert coverage > LEAST - 5 * math.sqrt(LEAST * (1 - LEAST) / runs)
                if wald > LEAST:
                    assert width < WIDEST
