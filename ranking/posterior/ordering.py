"""From scores to ranks: ties, rank intervals; Wilson, mean, weighted ratings.

Comparison scores are for reference: the mean, Wilson's lower bound and the weighted rating known
from film charts.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from ranking.posterior.checks import FloatArray, Numbers, checked_counts, checked_utilities
from ranking.posterior.dirichlet import Posterior
from ranking.posterior.errors import RatingsError
from surveys.randomized_response.checks import checked_level, checked_number
from surveys.randomized_response.intervals.intervals import normal_quantile
from surveys.randomized_response.messages import sentence

IntegerArray = NDArray[np.int64]

# Scores closer than this, relative to the range of utilities, differ by rounding only.
SAME_SCORE = 1e-12
_GRID = 128
# Items whose probabilities change slowly over all of the grid need few points of it.
_NODES, _SMOOTH_WIDTH = 40, 16.0
_QUANTILES = 101
_REACH = 5.0
_BISECTIONS = 50
_CHUNK = 1 << 20
# Where a score is known almost exactly G is a stair: places of the table on each of its steps.
_STAIR, _NARROW = np.linspace(-2.5, 2.5, 11), 2.0
_MOST_ON_STAIRS = 1 << 21


@dataclass(frozen=True)
class Ranking:
    """``order``: indices of items, best first; ``ranks`` (items,): 1 = best, ties share one."""

    order: IntegerArray
    ranks: IntegerArray


def rank(values: FloatArray, *, spread: float | None = None) -> Ranking:
    """Order by falling value; equal ones (within 1e-12 of ``spread``) share the better rank.

    ``values`` (items,): finite. Items in a tie keep their order. Raises RatingsError.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise RatingsError("values", values.shape, sentence("give one finite value per item"))
    order = np.argsort(-values, kind="stable")
    sorted_values = values[order]
    width = spread if spread is not None else float(np.ptp(values)) if len(values) else 0.0
    is_new = np.ones(len(values), dtype=bool)
    is_new[1:] = sorted_values[:-1] - sorted_values[1:] > SAME_SCORE * width
    places = np.maximum.accumulate(np.where(is_new, np.arange(len(values)), 0)) + 1
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = places
    return Ranking(order.astype(np.int64), ranks)


def top(values: FloatArray, number: int) -> IntegerArray:
    """Indices of the best ``number`` items, best first, without sorting the others."""
    size = min(number, len(values))
    if size == len(values):
        return rank(values).order
    best = np.sort(np.argpartition(-values, size)[:size])
    return np.asarray(best[np.argsort(-values[best], kind="stable")], dtype=np.int64)


def rank_intervals(
    posterior: Posterior, items: IntegerArray, level: float = 0.95
) -> tuple[IntegerArray, IntegerArray]:
    """Lowest and highest plausible rank of the chosen items among all, each of shape (items,).

    Given its own score x, the number of items above an item is a sum of independent events, with
    mean G(x) and variance H(x); both are tabulated and its normal law is averaged over the item's
    posterior. Scores are taken as normal. Cost: all items x 40 to 128 normal probabilities, and up
    to two million for a finer table where scores are known better than its steps are wide.
    """
    chosen = np.asarray(items, dtype=np.int64)
    confidence = checked_level(level)
    mean, deviation = posterior.scores, posterior.standard_deviations
    points = _quantile_points(mean[chosen], deviation[chosen])
    above, spread = _numbers_above(mean, deviation, points)
    own = _own_part(mean[chosen], deviation[chosen], points)
    centre = 1 + np.maximum(above - own, 0.0)
    width = np.sqrt(np.maximum(spread - own * (1 - own), 0.0))
    tail = (1 - confidence) / 2
    low = _mixture_quantile(centre, width, tail)
    high = _mixture_quantile(centre, width, 1 - tail)
    last = len(posterior)
    return _whole(np.floor(low + 0.5), last), _whole(np.ceil(high - 0.5), last)


def wilson_scores(counts: Numbers, utilities: Numbers, level: float = 0.95) -> FloatArray:
    """Lower Wilson bound of the mean utility stretched to [0, 1]; 0 without ratings.

    For more than two levels this treats shares of a thumb up as thumbs, as it is often done.
    """
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    n = observed.sum(axis=1)
    size = np.where(n > 0, n, 1.0)
    share = observed @ ((u - u.min()) / np.ptp(u)) / size
    ratio = normal_quantile(checked_level(level)) ** 2 / size
    half = np.sqrt(ratio * share * (1 - share) + ratio**2 / 4)
    return np.where(n > 0, (share + ratio / 2 - half) / (1 + ratio), 0.0)


def mean_scores(counts: Numbers, utilities: Numbers) -> FloatArray:
    """Mean utility of the ratings; the lowest utility without ratings."""
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    n = observed.sum(axis=1)
    means: FloatArray = observed @ u / np.where(n > 0, n, 1.0)
    return np.where(n > 0, means, u.min())


def weighted_ratings(counts: Numbers, utilities: Numbers, votes: float | None = None) -> FloatArray:
    """n/(n+m) mean + m/(n+m) grand mean, as film charts publish it; m = ``votes``.

    By default m is the median number of ratings. Raises RatingsError if nothing is rated.
    """
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    n = observed.sum(axis=1)
    if not n.sum() > 0:
        raise RatingsError("counts", 0, sentence("there are no ratings yet: collect at least one"))
    chosen = float(np.median(n)) if votes is None else float(checked_number("votes", votes))
    grand = float(observed.sum(axis=0) @ u / n.sum())
    size = np.maximum(n + chosen, np.finfo(float).tiny)
    return np.where(n + chosen > 0, (observed @ u + chosen * grand) / size, grand)


def _quantile_points(mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Midpoints of equally probable parts of each item's posterior: (items, quantiles)."""
    parts = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    return np.asarray(mean[:, None] + deviation[:, None] * scipy.special.ndtri(parts))


def _numbers_above(
    mean: FloatArray, deviation: FloatArray, points: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """G and H at the points, interpolated from a grid over their range."""
    low, high = float(points.min()), float(points.max())
    grid = np.linspace(low, high, _GRID) if high > low else np.array([low, low + 1e-9])
    grid = np.union1d(grid, _stairs(mean, deviation, grid))
    expected, variance = np.zeros(len(grid)), np.zeros(len(grid))
    far = mean + _REACH * deviation < low
    sure = mean - _REACH * deviation > high
    expected += np.count_nonzero(sure)
    smooth = deviation * _SMOOTH_WIDTH >= high - low
    is_open = ~far & ~sure
    nodes = (low + high) / 2 - (high - low) / 2 * np.cos((np.arange(_NODES) + 0.5) * np.pi / _NODES)
    if high > low:
        above = _sums(mean, deviation, np.flatnonzero(is_open & smooth), nodes)
        expected, variance = np.stack([expected, variance]) + _interpolated(nodes, above, grid)
    else:
        smooth[:] = False
    above = _sums(mean, deviation, np.flatnonzero(is_open & ~smooth), grid)
    expected, variance = np.stack([expected, variance]) + above
    return np.interp(points, grid, expected), np.interp(points, grid, variance)


def _stairs(mean: FloatArray, deviation: FloatArray, grid: FloatArray) -> FloatArray:
    """Places around the scores that are known better than two steps of the grid are wide.

    In a large catalogue there are places around some of them only.
    """
    narrow = deviation < _NARROW * (grid[1] - grid[0])
    places = (mean[narrow, None] + deviation[narrow, None] * _STAIR).ravel()
    places = np.sort(places[(places > grid[0]) & (places < grid[-1])])
    most = min(len(places), _MOST_ON_STAIRS // len(mean))
    return np.asarray(places[np.linspace(0, len(places) - 1, most).astype(np.int64)])


def _sums(
    mean: FloatArray, deviation: FloatArray, items: IntegerArray, at: FloatArray
) -> FloatArray:
    """What these items add to G and H at some places, shape (2, places)."""
    sums = np.zeros((2, len(at)))
    for part in np.array_split(items, max(1, len(items) * len(at) // _CHUNK)):
        chance = _chance_above(mean[part], deviation[part], at)
        sums += chance.sum(axis=0), (chance * (1 - chance)).sum(axis=0)
    return sums


def _interpolated(nodes: FloatArray, values: FloatArray, at: FloatArray) -> FloatArray:
    """The polynomial through values (2, nodes) at Chebyshev's nodes, at other places.

    For normal probabilities over at most sixteen standard deviations it is exact to 1e-6 each.
    """
    # SciPy's interpolate takes a third of a second to load; only large tables are interpolated.
    from scipy.interpolate import BarycentricInterpolator

    polynomial = BarycentricInterpolator(nodes, values.T)
    return np.asarray(polynomial(at).T)


def _chance_above(mean: FloatArray, deviation: FloatArray, grid: FloatArray) -> FloatArray:
    scale = np.maximum(deviation, np.finfo(float).tiny)[:, None]
    return np.asarray(scipy.special.ndtr((mean[:, None] - grid) / scale))


def _own_part(mean: FloatArray, deviation: FloatArray, points: FloatArray) -> FloatArray:
    """What an item itself adds to the number above its own score."""
    scale = np.maximum(deviation, np.finfo(float).tiny)[:, None]
    return np.asarray(scipy.special.ndtr((mean[:, None] - points) / scale))


def _mixture_quantile(centre: FloatArray, width: FloatArray, p: float) -> FloatArray:
    """Quantile of an equal mixture of normal laws, for each row, by bisection."""
    scale = np.maximum(width, 1e-9)
    low = (centre - 8 * scale).min(axis=1)
    high = (centre + 8 * scale).max(axis=1)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        below = scipy.special.ndtr((middle[:, None] - centre) / scale).mean(axis=1) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)


def _whole(ranks: FloatArray, last: int) -> IntegerArray:
    return np.asarray(np.clip(ranks, 1, last), dtype=np.int64)
