"""The law of W1 when groups do not differ: exact for small groups, else drawn.

Independence survives the channel: a group is independent of the true answer if and only if it is of
the reported one. So stored counts are split at random, and the test keeps its level uncorrected.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analytics.comparison.checks import FloatArray, IntArray, checked_counts
from analytics.comparison.groups import KnownGroup, Scale, distances_of, estimated_law, laws_of
from analytics.comparison.transport import positions_of, signed_distance
from surveys.randomized_response.estimates import project_to_simplex

# A tie counts as at least as large; rounding must not hide it.
SLACK = 1e-12
# Different (people so far, distance so far) that an exact law may hold: some 100 MB.
MOST_STATES = 2_000_000
# Numbers drawn at once: 32 MB.
MOST_DRAWN = 4_000_000
# With more levels than this it is quicker to shuffle people than to draw level by level.
FEW_LEVELS = 100


def exact_p_value(a: ArrayLike, b: ArrayLike, positions: ArrayLike | None = None) -> float | None:
    """Return P(W1 of a random split >= observed) over all splits with the same sizes.

    Level by level: the state is how many people of the first group came so far, and the distance
    so far; equal states are added up. None where there would be more than ``MOST_STATES``.
    Raises ComparisonError.
    """
    first = checked_counts("a", a)
    second = checked_counts("b", b, len(first))
    places = positions_of(positions, len(first))
    table = np.stack([first, second])
    observed = float(signed_distance(first / first.sum() - second / second.sum(), places))
    law = _law_of_splits(table, np.diff(places))
    if law is None:
        return None
    distances, chances = law
    return float(min(1.0, chances[distances >= observed - SLACK * max(1.0, observed)].sum()))


def null_draws(
    first: KnownGroup, second: KnownGroup, scale: Scale, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return W1 of ``draws`` random splits of the people of two groups that are exchangeable."""
    pooled = first.counts + second.counts
    law = estimated_law(first, scale).size  # refuses another scale
    method: Literal["marginals", "count"] = "marginals" if len(pooled) <= FEW_LEVELS else "count"
    parts = []
    for size in batches(draws, max(law, len(pooled))):
        split = rng.multivariate_hypergeometric(pooled, first.n, size=size, method=method)
        ends = first.frequencies_of(split), second.frequencies_of(pooled - split)
        parts.append(_distances(first, second, scale, *ends))
    return np.concatenate(parts)


def parametric_null_draws(
    first: KnownGroup, second: KnownGroup, scale: Scale, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return W1 of ``draws`` pairs of groups that share one true law, each with its own channel.

    The law is the pooled estimate, made presentable. Groups with different channels cannot be
    permuted, so that this level is approximate.
    """
    estimates = [g.n * g.shares(g.frequencies) for g in (first, second)]
    pooled = project_to_simplex((estimates[0] + estimates[1]) / (first.n + second.n))
    parts = []
    for size in batches(draws, scale.levels):
        reports = [
            rng.multinomial(g.n, _law(g.reports(pooled)), size=size) / g.n for g in (first, second)
        ]
        parts.append(_distances(first, second, scale, *reports))
    return np.concatenate(parts)


def batches(draws: int, width: int) -> Iterator[int]:
    """Sizes of batches of rows of ``width`` numbers that sum to ``draws`` and fit memory."""
    most = max(1, MOST_DRAWN // max(width, 1))
    while draws > 0:
        yield min(draws, most)
        draws -= most


def drawn_p_value(null: FloatArray, observed: float) -> float:
    """Return (1 + draws at least as large) / (1 + draws): never 0, and exact in level.

    Source: Phipson and Smyth (2010).
    """
    larger = int((null >= observed - SLACK * max(1.0, observed)).sum())
    return (1 + larger) / (1 + len(null))


def enough_draws(draws: int, pairs: int) -> int:
    """So many draws, or more: with fewer, no p-value of that many pairs could reach 0.05."""
    return max(draws, 20 * pairs - 1)


def holm(p_values: ArrayLike) -> FloatArray:
    """Return p-values corrected for many comparisons, in their order (Holm 1979)."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def _distances(
    first: KnownGroup, second: KnownGroup, scale: Scale, law: FloatArray, other_law: FloatArray
) -> FloatArray:
    laws = [laws_of(g.shares(f), scale) for g, f in ((first, law), (second, other_law))]
    return distances_of(laws[0] - laws[1], scale)


def _law(shares: FloatArray) -> FloatArray:
    """Shares without what rounding left below 0, summing to 1: what a draw needs."""
    positive = np.maximum(shares, 0.0)
    law: FloatArray = positive / positive.sum()
    return law


def _law_of_splits(table: IntArray, gaps: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """(distances, chances) of the first row's splits of all columns, merged where equal."""
    n, m = table.sum(axis=1)
    columns = table.sum(axis=0)
    drawn, distances = np.zeros(1, dtype=np.int64), np.zeros(1)
    logs = np.zeros(1)
    before = 0
    for position, column in enumerate(columns):
        more = np.arange(column + 1)
        drawn, distances, logs = (
            (drawn[:, None] + more).ravel(),
            np.repeat(distances, column + 1),
            (logs[:, None] + _log_choose(column, more)).ravel(),
        )
        before += column
        possible = (drawn <= n) & (before - drawn <= m)
        drawn, distances, logs = drawn[possible], distances[possible], logs[possible]
        if position < len(gaps):
            apart = np.abs(drawn * (n + m) - before * n) / (n * m)
            distances = distances + apart * gaps[position]
        drawn, distances, logs = _merged(drawn, distances, logs)
        if len(drawn) * (columns[min(position + 1, len(columns) - 1)] + 1) > MOST_STATES:
            return None
    return distances, np.exp(logs - _log_choose(n + m, n))


def _merged(
    drawn: IntArray, distances: FloatArray, logs: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """States that differ by rounding alone become one, their chances added up."""
    scale = max(1.0, float(distances.max(initial=0.0)))
    rounded = np.round(distances / scale, 11)
    order = np.lexsort((rounded, drawn))
    drawn, distances = drawn[order], distances[order]
    logs, rounded = logs[order], rounded[order]
    is_new = np.concatenate([[True], (np.diff(drawn) != 0) | (np.diff(rounded) != 0)])
    starts = np.flatnonzero(is_new)
    return drawn[starts], distances[starts], np.logaddexp.reduceat(logs, starts)


def _log_choose(n: ArrayLike, k: ArrayLike) -> FloatArray:
    total, part = np.asarray(n, dtype=np.float64), np.asarray(k, dtype=np.float64)
    logs: FloatArray = (
        scipy.special.gammaln(total + 1)
        - scipy.special.gammaln(part + 1)
        - scipy.special.gammaln(total - part + 1)
    )
    return logs
