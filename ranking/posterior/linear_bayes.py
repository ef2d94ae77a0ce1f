"""Scores from randomized ratings: linear Bayes on corrected utilities.

A linear score stays linear under a channel M: replace the utility u by u M^-1 and the mean over
reported ratings is unbiased for the mean over true ones. Putting debiased counts into the Dirichlet
formula would claim the certainty that the channel took away.
"""

import numpy as np

from ranking.posterior.checks import FloatArray, Numbers, checked_counts, checked_utilities
from ranking.posterior.components import variance_components
from ranking.posterior.dirichlet import Posterior
from ranking.posterior.errors import UtilityError
from surveys.randomized_response.designs import DesignLike, channel_of


def corrected_utilities(design: DesignLike, utilities: Numbers) -> FloatArray:
    """u M^-1, shape (reported levels,): for k-ary designs (u_y - q sum u) / (p - q).

    Raises UtilityError, and DesignError if the channel cannot be inverted.
    """
    u = checked_utilities(utilities)
    inverse = channel_of(design).inverse
    if len(u) != len(inverse):
        raise UtilityError("utilities", len(u), f"give {len(inverse)}, one per level of the design")
    # M's columns sum to 1, so that a common shift of u passes through and need not be rounded.
    return np.asarray(u.min() + (u - u.min()) @ inverse)


def linear_bayes(design: DesignLike, counts: Numbers, utilities: Numbers) -> Posterior:
    """Best linear scores from counts of *reported* ratings, shape (items, levels).

    Shrinkage uses tau^2 plus one of its standard errors, because tau^2 estimated as 0 would make
    all items alike with certainty; sd^2 adds the uncertainty of the common mean (statistics.md,
    3; Morris, 1983, for the argument). Items without ratings get the common mean.
    """
    corrected = corrected_utilities(design, utilities)
    reported = checked_counts(counts, len(corrected))
    parts = variance_components(reported, corrected)
    sizes, within, between = reported.sum(axis=1), parts.within, parts.between_upper
    weights = sizes / (within + sizes * between) if within > 0 else sizes
    means = np.where(sizes > 0, parts.means, 0.0)
    centre = float(weights @ means / weights.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        shrinkage = np.where(sizes > 0, between / (between + within / sizes), 0.0)
    if within == 0:
        shrinkage = (sizes > 0).astype(float)
    scores = centre + shrinkage * (means - centre)
    variances = between * (1 - shrinkage) + (1 - shrinkage) ** 2 / weights.sum()
    u = checked_utilities(utilities)
    missing = np.full_like(scores, np.nan)
    return Posterior(scores, variances, missing, float(u.min()), float(u.max()))
