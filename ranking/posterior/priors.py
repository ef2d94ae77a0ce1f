"""Fit a prior of ratings: pseudocounts ("ghost ratings"), by moments or maximum likelihood.

The average prior is the rating distribution of the *other* items, times a strength. The default
finds the strength from how much the items differ (linear empirical Bayes); Dirichlet-multinomial
maximum likelihood is offered beside it.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from ranking.posterior.checks import FloatArray, Numbers, checked_counts, checked_utilities
from ranking.posterior.components import VarianceComponents, variance_components
from ranking.posterior.dirichlet import Posterior, score_items
from ranking.posterior.errors import PriorError, RatingsError
from ranking.posterior.likelihood import Likelihood, maximize
from surveys.randomized_response.checks import checked_number
from surveys.randomized_response.messages import sentence

# With this many ghost ratings no item can stand out: a larger strength says nothing more.
LARGEST_STRENGTH = 1e4
INDISTINGUISHABLE = sentence(
    "The data show no real differences: these items differ no more than by chance."
)
ITEMS_AGREE = sentence(
    "No item has two different ratings, so maximum likelihood learns no ghost ratings. The "
    "score of an item is the mean of its own ratings, and the intervals are too narrow. For "
    "intervals that are wide enough, choose fixed ghost ratings."
)
# Items whose ratings all agree leave the prior nothing to say, but scores need pseudocounts.
_SMALLEST_STRENGTH = 1e-9


@dataclass(frozen=True)
class FittedPrior:
    """``pseudocounts`` (items, levels) or (levels,); ``strength`` is their sum for one item.

    ``centre_variance``, one number or (items,), is the uncertainty of the prior mean, in squared
    utilities. An infinite strength says that the items do not differ; ``pseudocounts`` are then
    those of ``LARGEST_STRENGTH``.
    """

    pseudocounts: FloatArray
    strength: float
    centre_variance: float | FloatArray = 0.0
    note: str = ""

    @property
    def is_limit(self) -> bool:
        return math.isinf(self.strength)

    @property
    def shares(self) -> FloatArray:
        """The mean of the prior: shares by level that sum to 1, in the shape of the pseudocounts.

        nan where there are no pseudocounts.
        """
        total = self.pseudocounts.sum(axis=-1, keepdims=True)
        return self.pseudocounts / np.where(total > 0, total, np.nan)


def average_prior(counts: Numbers, strength: float) -> FittedPrior:
    """The pooled rating distribution of the other items, times ``strength`` >= 0.

    ``counts`` (items, levels). Raises RatingsError, PriorError if an item has no others.
    """
    observed = _checked_table(counts)
    size = _checked_strength(strength)
    return FittedPrior(others(observed, np.ones(len(observed)), size), size)


def linear_empirical_bayes(counts: Numbers, utilities: Numbers) -> FittedPrior:
    """Strength = within-item variance / between-item variance of the utility, at most 10^4.

    Under a Dirichlet law with alpha0 pseudocounts that ratio is alpha0 (Buehlmann and Straub's
    credibility estimators, 1970). We divide by the upper estimate, tau^2 plus one standard error:
    with few items tau^2 is 0 now and then, which would make all of them alike with certainty. Items
    count with their precision in the average. Raises RatingsError if fewer than two items have
    ratings, or none has two.
    """
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    parts = variance_components(observed, u)
    strength = credibility(parts)
    scale = precisions(parts.sizes, parts)
    note = INDISTINGUISHABLE if parts.between == 0 else ""
    centre_variance = 1 / float(parts.sizes @ scale) if parts.within > 0 else 0.0
    return FittedPrior(others(observed, scale, strength), strength, centre_variance, note)


def posterior_under(prior: FittedPrior, counts: Numbers, utilities: Numbers) -> Posterior:
    """Scores with the uncertainty of the fitted centre added to their variances.

    The Dirichlet formula takes the prior as known; an item with n ratings leans on its centre with
    weight strength / (n + strength). With a strength without end all items share one distribution,
    for which all ratings count together: every score is the pooled mean.
    """
    if prior.is_limit:
        return _posterior_of_one(counts, utilities)
    posterior = score_items(counts, prior.pseudocounts, utilities)
    lean = prior.strength / posterior.pseudocounts
    return replace(posterior, variances=posterior.variances + lean**2 * prior.centre_variance)


def _posterior_of_one(counts: Numbers, utilities: Numbers) -> Posterior:
    """The same for every item: all ratings as those of one item, under a prior of nothing."""
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    pooled = score_items(observed.sum(axis=0, keepdims=True), np.zeros(len(u)), u)
    return pooled[np.zeros(len(observed), dtype=np.int64)]


def maximum_likelihood_prior(counts: Numbers) -> FittedPrior:
    """Dirichlet-multinomial maximum likelihood (``ranking.posterior.likelihood`` has its theory).

    Levels without a rating get 0. Where the likelihood grows without end, or is largest above 10^4,
    the strength is infinite and the note calls the items indistinguishable. Where all ratings of
    each item agree the likelihood grows as the strength falls to 0: 10^-9 stands for it. Raises
    RatingsError if all ratings of all items agree.
    """
    observed = _checked_table(counts)
    used = observed.sum(axis=0) > 0
    if np.count_nonzero(used) < 2:
        raise RatingsError(
            "counts",
            observed.sum(axis=0).tolist(),
            sentence("all ratings are equal. Choose fixed ghost ratings"),
        )
    best = maximize(observed[:, used], LARGEST_STRENGTH)
    shares = np.zeros(observed.shape[1])
    shares[used] = best.shares
    if math.isinf(best.strength):
        return FittedPrior(LARGEST_STRENGTH * shares, math.inf, note=INDISTINGUISHABLE)
    if best.strength == 0:
        return FittedPrior(_SMALLEST_STRENGTH * shares, _SMALLEST_STRENGTH, note=ITEMS_AGREE)
    return FittedPrior(best.strength * shares, best.strength)


def log_likelihood(counts: Numbers, alpha: Numbers) -> float:
    """Of a Dirichlet-multinomial law, without the coefficients that do not depend on alpha."""
    observed = _checked_table(counts)
    return Likelihood.of(observed).value(np.asarray(alpha, dtype=float))


def others(counts: FloatArray, scale: FloatArray, strength: float) -> FloatArray:
    """For every item the average rating distribution of the others, times the strength.

    ``scale`` (items,) is what each rating of an item counts. In place: a million items are large.
    """
    parts = counts * scale[:, None]
    np.subtract(parts.sum(axis=0), parts, out=parts)
    np.maximum(parts, 0.0, out=parts)  # differences of sums may round to less than nothing
    total = parts @ np.ones(counts.shape[1])
    if not total.min() > 0:
        remedy = sentence(
            "no other item has ratings, so no ghost ratings can be learned. Choose fixed ghost "
            "ratings"
        )
        raise PriorError("counts", sentence("item {argmin}", argmin=int(np.argmin(total))), remedy)
    parts *= (strength / total)[:, None]
    return parts


def credibility(parts: VarianceComponents) -> float:
    """Within / between; 10^4 where nothing differs at all, and never quite 0."""
    if parts.between_upper == 0:
        return LARGEST_STRENGTH
    return float(np.clip(parts.within / parts.between_upper, _SMALLEST_STRENGTH, LARGEST_STRENGTH))


def precisions(sizes: FloatArray, parts: VarianceComponents) -> FloatArray:
    """What each rating counts: the precision of its item's mean, shared by the item's ratings."""
    if parts.between_upper == 0:
        return np.ones_like(sizes)
    return np.asarray(1 / (parts.within + sizes * parts.between_upper))


def _checked_table(counts: Numbers) -> FloatArray:
    shape = np.shape(counts)
    if len(shape) != 2:
        raise RatingsError("counts", shape, sentence("give a table: one row of counts per item"))
    return checked_counts(counts, shape[1])


def _checked_strength(strength: float) -> float:
    size = float(checked_number("strength", strength, PriorError))
    if not size >= 0:
        raise PriorError(
            "strength", strength, sentence("the number of ghost ratings must be 0 or more")
        )
    return size
