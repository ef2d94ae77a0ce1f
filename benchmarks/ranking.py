"""How fast a million items are scored, and how well an order foretells ratings not yet seen.

Run: ``python -m benchmarks.ranking``. Times are medians of interleaved rounds; the peer is one bare
matrix product of the same counts. Orders are judged on star histograms of real books: a few ratings
of each are drawn without replacement, every method orders the books by them, and the order is
compared with the mean of the ratings that were held out.
"""

import csv
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from ranking.methods.registry import learned_prior
from ranking.posterior.checks import FloatArray
from ranking.posterior.dirichlet import score_items
from ranking.posterior.ordering import mean_scores, top, weighted_ratings, wilson_scores
from ranking.posterior.popularity import held_out_gain, popularity_prior
from ranking.posterior.priors import (
    linear_empirical_bayes,
    maximum_likelihood_prior,
    posterior_under,
)

BOOKS = Path(__file__).parent / "data" / "goodbooks_histograms.csv"
STARS = np.arange(1.0, 6)
ITEMS, ROUNDS, SPLITS = 10**6, 7, 10
# Ratings seen of each book: uneven, as catalogues are.
SEEN = {"very few": (0.0, 1.6), "few": (0.0, 2.5), "some": (1.0, 4.0), "many": (3.0, 6.0)}

METHODS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "Deniable (default)": lambda c: (
        posterior_under(learned_prior(c, STARS).fit(c, STARS), c, STARS).scores
    ),
    "Deniable (by how often rated)": lambda c: (
        posterior_under(popularity_prior(c, STARS), c, STARS).scores
    ),
    "Deniable (linear empirical Bayes)": lambda c: (
        posterior_under(linear_empirical_bayes(c, STARS), c, STARS).scores
    ),
    "Deniable (maximum likelihood)": lambda c: (
        posterior_under(maximum_likelihood_prior(c), c, STARS).scores
    ),
    "mean": lambda c: mean_scores(c, STARS),
    "Wilson": lambda c: wilson_scores(c, STARS),
    "IMDb weighted": lambda c: weighted_ratings(c, STARS),
}


def main() -> None:
    print_speed()
    print_orders()


def print_speed() -> None:
    """Seconds for a million items with five levels, beside a bare product."""
    counts = np.random.default_rng(1).integers(0, 100, (ITEMS, 5)).astype(float)
    powers = np.stack([np.ones(5), STARS, STARS**2], axis=1)
    prior = np.ones(5)
    tasks: dict[str, Callable[[], object]] = {
        "bare matrix product": lambda: counts @ powers,
        "score, variance and top 100": lambda: top(score_items(counts, prior, STARS).scores, 100),
        "empirical Bayes fit": lambda: linear_empirical_bayes(counts, STARS),
        "held-out likelihood": lambda: held_out_gain(counts, STARS),
        "fit by how often rated": lambda: popularity_prior(counts, STARS),
        "maximum likelihood fit": lambda: maximum_likelihood_prior(counts),
    }
    seconds = medians(tasks)
    bare = seconds["bare matrix product"]
    print(f"{ITEMS:,} items, 5 levels, median of {ROUNDS} rounds")
    for name, taken in seconds.items():
        print(f"  {name:30} {1000 * taken:8.1f} ms   ratio {taken / bare:6.1f}")


def medians(tasks: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds of every task; the rounds go through all of them in turn."""
    taken: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(ROUNDS + 1):
        for name, run in tasks.items():
            start = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def print_orders() -> None:
    """Kendall's tau-b and NDCG at 100 of each method, means over random splits."""
    histograms = read_histograms(BOOKS)
    print(f"\n{len(histograms):,} books, {SPLITS} splits: tau-b / NDCG@100 on held-out ratings")
    for name, reach in SEEN.items():
        rng = np.random.default_rng(20)
        splits = [list(judged(histograms, reach, rng)) for _ in range(SPLITS)]
        print(f"  {name} ratings seen (exp {reach[0]} to exp {reach[1]} for each book)")
        for place, method in enumerate(METHODS):
            tau, gain = np.mean([split[place] for split in splits], axis=0)
            print(f"    {method:36} {tau:.4f} / {gain:.4f}")


def judged(
    histograms: FloatArray, reach: tuple[float, float], rng: np.random.Generator
) -> Iterator[tuple[float, float]]:
    """(tau, NDCG) of every method on one split."""
    sizes = np.exp(rng.uniform(*reach, len(histograms))).astype(int)
    whole = histograms.astype(np.int64)
    seen = np.array(
        [rng.multivariate_hypergeometric(h, n) for h, n in zip(whole, sizes, strict=True)]
    )
    rest = whole - seen
    truth = rest @ STARS / rest.sum(axis=1)
    for method in METHODS.values():
        scores = method(seen.astype(float))
        yield float(kendalltau(scores, truth).statistic), discounted_gain(scores, truth, 100)


def discounted_gain(scores: FloatArray, truth: FloatArray, number: int) -> float:
    """NDCG; the gain is the held-out mean less the worst one (Järvelin and Kekäläinen, 2002)."""
    discounts = 1 / np.log2(np.arange(number) + 2)
    gains = truth - truth.min()
    best = np.sort(gains)[::-1][:number]
    return float(gains[top(scores, number)] @ discounts / (best @ discounts))


def read_histograms(path: Path) -> FloatArray:
    with path.open(newline="", encoding="utf-8") as file:
        rows = [[float(cell) for cell in row[1:6]] for row in list(csv.reader(file))[1:]]
    return np.array(rows)


if __name__ == "__main__":
    main()
