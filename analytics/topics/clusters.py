"""k-means clusters of rows: labels, centres, spread, and how stable they are over starts (Rand)."""

import warnings
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import ClusterError, kmeans2
from scipy.special import comb

from analytics.topics.checks import FloatArray, TopicsError, checked_topics

_STARTS = 10
_ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class Clusters:
    """``labels`` (rows,) from 0, the largest cluster first; ``centres`` (k, dimensions).

    ``spread`` is the sum of squared distances. ``stability`` is the mean adjusted Rand index over
    all pairs of starts: 1 if every start finds the same clusters, about 0 if they are arbitrary.
    """

    labels: NDArray[np.int64]
    centres: FloatArray
    spread: float
    stability: float


def cluster(
    rows: FloatArray, k: int, rng: np.random.Generator, *, starts: int = _STARTS
) -> Clusters:
    """The best of several k-means++ starts (Arthur and Vassilvitskii 2007), with their stability.

    ``rows`` is (n, dimensions), finite; give rows of length 1 (``svd.unit_rows``), or a few long
    ones pull all others into one cluster. k is at most the number of different rows. The same
    ``rng`` gives the same clusters. Raises TopicsError.
    """
    points = np.asarray(rows, dtype=np.float64)
    if points.ndim != 2 or not np.isfinite(points).all():
        raise TopicsError("rows", points.shape, "give a table of finite numbers")
    count = checked_topics(k, len(np.unique(points, axis=0)))
    if starts < 1:
        raise TopicsError("starts", starts, "give at least 1 start")
    runs = [_run(points, count, rng) for _ in range(starts)]
    labels, centres, spread = min(runs, key=lambda run: run[2])
    order = np.argsort(-np.bincount(labels, minlength=count), kind="stable")
    rank = np.argsort(order)
    return Clusters(rank[labels], centres[order], spread, _stability([run[0] for run in runs]))


def adjusted_rand(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Agreement of two partitions, corrected for chance (Hubert and Arabie 1985, equation 5)."""
    table = np.zeros((first.max() + 1, second.max() + 1), dtype=np.int64)
    np.add.at(table, (first, second), 1)
    together = comb(table, 2).sum()
    a, b = comb(table.sum(axis=1), 2).sum(), comb(table.sum(axis=0), 2).sum()
    expected = a * b / max(comb(len(first), 2), 1.0)
    most = (a + b) / 2
    return float((together - expected) / (most - expected)) if most != expected else 1.0


def _run(
    points: FloatArray, k: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], FloatArray, float]:
    for _ in range(_ITERATIONS):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                centres, labels = kmeans2(
                    points, k, iter=_ITERATIONS, minit="++", missing="raise", rng=rng
                )
        except ClusterError:  # a start that lost a cluster is no clustering into k
            continue
        spread = float(((points - centres[labels]) ** 2).sum())
        return labels.astype(np.int64), np.asarray(centres), spread
    raise TopicsError("k", k, "k-means loses clusters every time; ask for fewer")


def _stability(labels: list[NDArray[np.int64]]) -> float:
    pairs = [adjusted_rand(a, b) for a, b in combinations(labels, 2)]
    return float(np.mean(pairs)) if pairs else 1.0
