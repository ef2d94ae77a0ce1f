"""A prior whose mean depends on how often an item is rated: regressed on ln n.

Where people rate what they chose to see, read or buy, better items are often rated more often. The
number of ratings n_i then says something about an item that its ratings do not. With y_i the mean
utility of its ratings, w the variance within items and x_i = ln max(n_i, 1),

    y_i | mu_i ~ (mu_i, w / n_i),    mu_i ~ (a + b x_i, tau^2):

the regression credibility of Hachemeister (1975) and the area model of Fay and Herriot (1979). a
and b are weighted least squares with the precisions 1 / (tau^2 + w / n_i), w and tau^2 are moments
(``ranking.posterior.components``), the strength is w / tau^2 as without a regression, with the same
standard error added to tau^2, and b = 0 gives the same prior.

Pseudocounts are the average shares p of the other items, tilted to the prior mean m_i:
pi_k in proportion to p_k exp(theta u_k), of all shares with that mean the nearest to p in Kullback
and Leibler's sense (Csiszar, 1975). A mean beyond the utilities that are used has no such shares:
it ends 99 % of the way to their end.

No item is in its own prior mean. With h_i the weight of y_i in its own fitted value f_i, the line
through the others foretells (f_i - h_i y_i) / (1 - h_i), with residual (y_i - f_i) / (1 - h_i) and
variance (tau^2 + w / n_i) / (1 - h_i) of y_i (Cook and Weisberg, 1982, section 2.2). So the
held-out likelihood of every item, each foretold from all others, takes O(items) steps and no
chance.

An item without ratings counts as rated once: nothing is known of b below that. None of this may be
used where n_i was decided by the ratings themselves, as in an adaptive display: given its ratings,
n_i then says nothing, and the line would count luck twice.
"""

import math
from dataclasses import dataclass

import numpy as np

from ranking.posterior.checks import FloatArray, Numbers, checked_counts, checked_utilities
from ranking.posterior.components import VarianceComponents, variance_components
from ranking.posterior.errors import RatingsError
from ranking.posterior.priors import FittedPrior, credibility, others, precisions
from surveys.randomized_response.messages import figure, sentence, together

# The regression is preferred where it makes the held-out ratings twenty times as likely: with no
# relation at all that happens in some 6 of 1,000 tables, so that a default does not come and go.
CLEARLY = math.log(20)
INDISTINGUISHABLE_OTHERWISE = sentence(
    "The number of ratings explains all differences between these items that the data show."
)
_NEAREST_TO_AN_END = 0.01
_NEWTON_STEPS, _LONGEST_STEP = 60, 2.0
_SAME_MEAN = 1e-13


def popularity_prior(counts: Numbers, utilities: Numbers) -> FittedPrior:
    """Pseudocounts (items, levels) whose mean is regressed on the logarithm of the ratings.

    ``counts`` (items, levels), ``utilities`` (levels,). Raises RatingsError where fewer than two
    items have ratings, none has two, or all but one are rated equally often.
    """
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    x = log_sizes(observed)
    parts = variance_components(observed, u, x)
    line = _Line.through(parts, x)
    strength = credibility(parts)
    average = others(observed, precisions(parts.sizes, parts), 1.0)
    pseudocounts = strength * tilted(average, u, line.held_out)
    note = _note(parts, line, x, float(np.ptp(u)))
    return FittedPrior(pseudocounts, strength, line.variances, note)


def held_out_gain(counts: Numbers, utilities: Numbers) -> float:
    """Log likelihood that the regression gains over one prior mean, on items held out one by one.

    Of item means under the normal law; in nats. Raises RatingsError as ``popularity_prior`` does.
    """
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    x = log_sizes(observed)
    with_slope, without = variance_components(observed, u, x), variance_components(observed, u)
    if without.between_upper == 0:
        return 0.0  # all ratings agree
    return _Line.through(with_slope, x).log_score - _Line.through(without, None).log_score


def prefers_popularity(counts: Numbers, utilities: Numbers) -> bool:
    """Whether held-out likelihood clearly prefers the regression; not where it cannot be fitted."""
    try:
        return held_out_gain(counts, utilities) > CLEARLY
    except RatingsError:
        return False


def log_sizes(counts: FloatArray) -> FloatArray:
    """ln n of each item, shape (items,); fewer than one rating count as one."""
    return np.asarray(np.log(np.maximum(counts.sum(axis=1), 1.0)))


def tilted(shares: FloatArray, utilities: FloatArray, means: FloatArray) -> FloatArray:
    """Shares (items, levels) in proportion to shares exp(theta u) with these means (items,).

    A mean at or beyond the lowest or highest utility with a share goes 99 % of the way there. By
    Newton's method on the logarithm of the moment generating function, which is convex.
    """
    width = float(np.ptp(utilities))
    z = (utilities - utilities.min()) / width
    wanted = _within_reach(shares, z, (means - utilities.min()) / width)
    theta = np.zeros(len(shares))
    for _ in range(_NEWTON_STEPS):
        weights = _weights(shares, z, theta)
        mean = weights @ z
        gap = wanted - mean
        if np.abs(gap).max() <= _SAME_MEAN:
            break
        variance = np.maximum(weights @ z**2 - mean**2, np.finfo(float).tiny)
        theta += np.clip(gap / variance, -_LONGEST_STEP, _LONGEST_STEP)
    return weights


def _weights(shares: FloatArray, z: FloatArray, theta: FloatArray) -> FloatArray:
    # Of two ends the one that is larger becomes exp(0): nothing overflows.
    exponents = theta[:, None] * z - np.maximum(theta, 0.0)[:, None]
    weights = shares * np.exp(exponents)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _within_reach(shares: FloatArray, z: FloatArray, means: FloatArray) -> FloatArray:
    low = np.where(shares > 0, z, np.inf).min(axis=1)
    high = np.where(shares > 0, z, -np.inf).max(axis=1)
    average = shares @ z
    near = _NEAREST_TO_AN_END
    return np.clip(means, low + near * (average - low), high - near * (high - average))


@dataclass(frozen=True)
class _Line:
    """Prior means from the other items: arrays (items,); without a regressor the line is level.

    ``fitted`` is the line through all items, ``held_out`` the one through the others at each item,
    and ``variances`` those of the latter; ``log_score`` is the log likelihood of what was held out.
    """

    fitted: FloatArray
    held_out: FloatArray
    variances: FloatArray
    log_score: float

    @classmethod
    def through(cls, parts: VarianceComponents, x: FloatArray | None) -> "_Line":
        rated = parts.sizes > 0
        y = np.where(rated, parts.means, 0.0)
        weights = parts.sizes * precisions(parts.sizes, parts)
        total = float(weights.sum())
        fitted = np.full(len(y), float(weights @ y) / total)
        spread = np.full(len(y), 1 / total)
        if x is not None:
            gaps = x - float(weights @ x) / total
            turn = float(weights @ gaps**2)
            fitted += gaps * float(weights @ (gaps * (y - fitted))) / turn
            spread += gaps**2 / turn
        own = weights * spread
        held_out = (fitted - own * y) / (1 - own)
        scores = np.log(weights[rated] * (1 - own[rated]))
        scores -= (weights * (y - fitted) ** 2 / (1 - own))[rated]
        variances = spread / (1 - own) if parts.within > 0 else np.zeros(len(y))
        return cls(fitted, held_out, variances, float(scores.sum() / 2))


def _note(parts: VarianceComponents, line: _Line, x: FloatArray, width: float) -> str:
    """Where the line starts and ends, to a thousandth of the range of the utilities."""
    ends = [int(np.argmin(x)), int(np.argmax(x))]
    digits = min(max(3 - math.floor(math.log10(width)), 0), 9)
    low, high = (figure(mean, f".{digits}f") for mean in line.fitted[ends])
    few, many = (figure(size, ".0f") for size in np.exp(x[ends]))
    relation = sentence(
        "The average of the ghost ratings (prior mean) depends on how often an item is rated. "
        "The average is {low} for items with {few} rating(s) and {high} for items with {many}.",
        low=low,
        high=high,
        few=few,
        many=many,
    )
    return together(relation, INDISTINGUISHABLE_OTHERWISE if parts.between == 0 else "")
