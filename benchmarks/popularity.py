"""Orders of catalogues whose better items are rated more often, and of books with few ratings.

Run: ``python -m benchmarks.popularity [catalogues]``, 60 of each kind unless another number is
given: some 11 s in all. A catalogue has 1,700 items of Dirichlet shares and 3 to 60 ratings each;
the logarithms of these numbers are spread evenly and tied to the true scores by a normal copula.
Each method orders the items, and the order is compared with the true scores.

For books the expected NDCG is computed, not simulated: with one to four ratings, each number as
likely, there are 125 histograms, whose chance for each book follows from all of its ratings.
"""

import itertools
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtr, ndtri
from scipy.stats import kendalltau

from benchmarks.ranking import BOOKS, METHODS, STARS, discounted_gain, read_histograms
from ranking.posterior.checks import FloatArray

BASE = np.array([0.1, 0.1, 0.2, 0.35, 0.25])
CORRELATIONS = (0.0, 0.4, 0.7)
ALIKE = {"very different items": 5.0, "items as different as books": 15.0}
ITEMS, FEWEST, MOST = 1700, 3, 60
OURS = "Deniable (default)"
PEERS = ("mean", "Wilson", "IMDb weighted")
MOST_SEEN, SHOWN = 4, 100


@dataclass(frozen=True)
class Orders:
    """``scores`` (catalogues, methods, 2): Kendall's tau-b and NDCG at 100."""

    scores: FloatArray

    def of(self, method: str) -> FloatArray:
        return self.scores[:, list(METHODS).index(method)]

    def gains(self, peer: str) -> tuple[FloatArray, FloatArray]:
        """By how much ours is better, (2,), and the standard errors of that."""
        gaps = self.of(OURS) - self.of(peer)
        return gaps.mean(axis=0), gaps.std(axis=0, ddof=1) / math.sqrt(len(gaps))


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rng = np.random.default_rng(20)
    for (name, alike), correlation in itertools.product(ALIKE.items(), CORRELATIONS):
        print(f"{name}, correlation {correlation}: tau-b / NDCG@100, ours less theirs")
        print_orders(simulated(alike, correlation, number, rng))
    print("books rated one to four times: expected NDCG@100")
    for name, gain in expected_gains(read_histograms(BOOKS)).items():
        print(f"    {name:36} {gain:.4f}")


def print_orders(orders: Orders) -> None:
    for method in METHODS:
        tau, gain = orders.of(method).mean(axis=0)
        line = f"    {method:36} {tau:.4f} / {gain:.4f}"
        if method in PEERS:
            gaps, errors = orders.gains(method)
            pairs = zip(gaps, errors, strict=True)
            line += "   " + " / ".join(f"{gap:+.4f} ({error:.4f})" for gap, error in pairs)
        print(line)


def simulated(
    alike: float, correlation: float, catalogues: int, rng: np.random.Generator
) -> Orders:
    """Every method's orders of so many catalogues."""
    drawn = (catalogue(alike, correlation, rng) for _ in range(catalogues))
    return Orders(np.array([list(_judged(counts, truth)) for counts, truth in drawn]))


def catalogue(
    alike: float, correlation: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Counts (items, levels) and true scores (items,)."""
    shares = rng.dirichlet(alike * BASE, ITEMS)
    truth = shares @ STARS
    quality = ndtri((np.argsort(np.argsort(truth)) + 0.5) / ITEMS)
    fame = correlation * quality + math.sqrt(1 - correlation**2) * rng.standard_normal(ITEMS)
    logs = math.log(FEWEST) + ndtr(fame) * math.log((MOST + 1) / FEWEST)
    return rng.multinomial(np.exp(logs).astype(int), shares).astype(float), truth


def _judged(counts: FloatArray, truth: FloatArray) -> Iterator[tuple[float, float]]:
    for method in METHODS.values():
        scores = method(counts)
        tau = float(kendalltau(scores, truth).statistic)
        yield tau, discounted_gain(scores, truth, SHOWN)


def expected_gains(histograms: FloatArray) -> dict[str, float]:
    """NDCG at 100 of each method, and of the best order that these ratings allow."""
    shares = histograms / histograms.sum(axis=1, keepdims=True)
    truth = shares @ STARS
    seen = np.array(list(_few_ratings()), dtype=float)
    coefficients = gammaln(seen.sum(axis=1) + 1) - gammaln(seen + 1).sum(axis=1)
    chances = np.exp(np.log(shares) @ seen.T + coefficients) / MOST_SEEN
    books = chances.sum(axis=0)
    worths = truth @ chances / books - truth.min()
    # Priors are learned from a table with as many of each histogram as are expected.
    times = np.maximum(np.round(books), 1).astype(int)
    table, firsts = np.repeat(seen, times, axis=0), np.cumsum(times) - times
    scores = {name: method(table)[firsts] for name, method in METHODS.items()}
    best = float(np.sort(truth - truth.min())[::-1][:SHOWN] @ _discounts())
    return {
        name: _gain(order, books, worths) / best
        for name, order in (scores | {"the best order": worths}).items()
    }


def _few_ratings() -> Iterator[tuple[int, ...]]:
    for counts in itertools.product(range(MOST_SEEN + 1), repeat=len(STARS)):
        if 1 <= sum(counts) <= MOST_SEEN:
            yield counts


def _gain(scores: FloatArray, books: FloatArray, worths: FloatArray) -> float:
    """Discounted gain of the first hundred; books with the same score come in a random order."""
    discounts = np.append(0.0, np.cumsum(_discounts()))
    gain, start = 0.0, 0.0
    for score in np.unique(np.round(scores, 10))[::-1]:
        tied = np.round(scores, 10) == score
        stop = min(start + float(books[tied].sum()), float(SHOWN))
        share = np.interp([start, stop], np.arange(SHOWN + 1), discounts)
        gain += float(np.diff(share)[0]) * float(np.average(worths[tied], weights=books[tied]))
        start = stop
    return gain


def _discounts() -> FloatArray:
    return 1 / np.log2(np.arange(SHOWN) + 2)


if __name__ == "__main__":
    main()
