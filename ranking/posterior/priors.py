"""Fit a prior of ratings: pseudocounts ("ghost ratings"), by moments or maximum likelihood.

The average prior is the rating distribution of the *other* items, times a strength. The default
finds the strength from how much the items differ (linear empirical Bayes); Dirichlet-multinomial
maximum likelihood is offered beside it.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from ranking.posterior.checks import FloatArray, Numbers, checked_counts, checked_utilities
from ranking.posterior.components import VarianceComponents, variance_components
from ranking.posterior.dirichlet import Posterior, score_items
from ranking.posterior.errors import PriorError, RatingsError
from surveys.randomized_response.checks import checked_number
from surveys.randomized_response.messages import sentence

# With this many ghost ratings no item can stand out: a larger strength says nothing more.
LARGEST_STRENGTH = 1e4
INDISTINGUISHABLE = sentence(
    "These items are indistinguishable: they differ no more than chance makes them."
)
# Items whose ratings all agree leave the prior nothing to say, but scores need pseudocounts.
_SMALLEST_STRENGTH = 1e-9
_NEWTON_STEPS = 200
_HALVINGS = 60
# A step that promises less than this share of the log likelihood is lost in its rounding.
_ROUNDING = 1e-14


@dataclass(frozen=True)
class FittedPrior:
    """``pseudocounts`` (items, levels) or (levels,); ``strength`` is their sum for one item.

    ``centre_variance`` is the uncertainty of the average item's score, in squared utilities.
    """

    pseudocounts: FloatArray
    strength: float
    centre_variance: float = 0.0
    note: str = ""


def average_prior(counts: Numbers, strength: float) -> FittedPrior:
    """The pooled rating distribution of the other items, times ``strength`` >= 0.

    ``counts`` (items, levels). Raises RatingsError, PriorError if an item has no others.
    """
    observed = _checked_table(counts)
    size = _checked_strength(strength)
    return FittedPrior(_others(observed, np.ones(len(observed)), size), size)


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
    strength = _credibility(parts)
    scale = _precisions(parts.sizes, parts)
    note = INDISTINGUISHABLE if parts.between == 0 else ""
    centre_variance = 1 / float(parts.sizes @ scale) if parts.within > 0 else 0.0
    return FittedPrior(_others(observed, scale, strength), strength, centre_variance, note)


def posterior_under(prior: FittedPrior, counts: Numbers, utilities: Numbers) -> Posterior:
    """Scores with the uncertainty of the fitted centre added to their variances.

    The Dirichlet formula takes the prior as known; an item with n ratings leans on its centre with
    weight strength / (n + strength).
    """
    posterior = score_items(counts, prior.pseudocounts, utilities)
    lean = prior.strength / posterior.pseudocounts
    return replace(posterior, variances=posterior.variances + lean**2 * prior.centre_variance)


def maximum_likelihood_prior(counts: Numbers) -> FittedPrior:
    """Dirichlet-multinomial maximum likelihood by Newton's method in ln(alpha).

    Sums over items run over distinct counts only (Sklar, 2014); the Hessian is a diagonal plus a
    constant, so that a step costs O(levels) (Minka, 2000). Levels without a rating get 0. Where
    the likelihood grows without end the strength is 10^4, and the note says so.
    """
    observed = _checked_table(counts)
    used = observed.sum(axis=0) > 0
    if np.count_nonzero(used) < 2:
        raise RatingsError(
            "counts", observed.sum(axis=0).tolist(), sentence("all ratings agree: fix a prior")
        )
    alpha = np.zeros(observed.shape[1])
    alpha[used], note = _climb(_Likelihood.of(observed[:, used]))
    return FittedPrior(alpha, float(alpha.sum()), note=note)


def log_likelihood(counts: Numbers, alpha: Numbers) -> float:
    """Of a Dirichlet-multinomial law, without the coefficients that do not depend on alpha."""
    observed = _checked_table(counts)
    return _Likelihood.of(observed).value(np.asarray(alpha, dtype=float))


@dataclass(frozen=True)
class _Likelihood:
    """Distinct counts and how many items have them, per level and for the totals."""

    levels: tuple[tuple[FloatArray, FloatArray], ...]
    totals: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, counts: FloatArray) -> "_Likelihood":
        return cls(tuple(_tabulated(column) for column in counts.T), _tabulated(counts.sum(axis=1)))

    def value(self, alpha: FloatArray) -> float:
        parts = (
            w @ (scipy.special.gammaln(c + a) - scipy.special.gammaln(a))
            for a, (c, w) in zip(alpha, self.levels, strict=True)
        )
        total, weights = self.totals
        strength = alpha.sum()
        return float(
            sum(parts)
            - weights @ (scipy.special.gammaln(total + strength) - scipy.special.gammaln(strength))
        )

    def derivatives(self, alpha: FloatArray, order: int) -> tuple[FloatArray, float]:
        """Of each level's part and of the totals' part: order 0 the first, 1 the second."""
        total, weights = self.totals
        strength = alpha.sum()
        parts = [
            w @ (_polygamma(order, c + a) - _polygamma(order, a))
            for a, (c, w) in zip(alpha, self.levels, strict=True)
        ]
        both = _polygamma(order, total + strength) - _polygamma(order, strength)
        return np.array(parts), float(weights @ both)


def _climb(likelihood: _Likelihood) -> tuple[FloatArray, str]:
    """Newton steps on the logarithms, halved until the likelihood grows."""
    logs = np.zeros(len(likelihood.levels))
    value = likelihood.value(np.exp(logs))
    for _ in range(_NEWTON_STEPS):
        alpha = np.exp(logs)
        step, gain = _newton_step(likelihood, alpha)
        if gain <= _ROUNDING * max(1.0, abs(value)):
            return alpha, ""
        logs, value = _advanced(likelihood, logs, value, step)
        if np.exp(logs).sum() > LARGEST_STRENGTH:
            return LARGEST_STRENGTH * np.exp(logs) / np.exp(logs).sum(), INDISTINGUISHABLE
    raise PriorError(
        "counts", "(table)", sentence("the likelihood did not settle: use another prior")
    )


def _newton_step(likelihood: _Likelihood, alpha: FloatArray) -> tuple[FloatArray, float]:
    """Direction in ln(alpha), by Sherman and Morrison, and the gain that the slope foretells.

    Where the surface is not concave the gradient is followed, scaled to a step of one.
    """
    own, common = likelihood.derivatives(alpha, 0)
    gradient = alpha * (own - common)
    second, both = likelihood.derivatives(alpha, 1)
    diagonal = gradient + alpha**2 * second
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = alpha / diagonal
        correction = both * (scaled @ gradient) / (1 - both * (scaled @ alpha))
        step = -(gradient / diagonal + scaled * correction)
    if not np.isfinite(step).all() or step @ gradient <= 0:
        step = gradient / max(float(np.abs(gradient).max()), np.finfo(float).tiny)
    gain = float(step @ gradient)
    return step / max(1.0, float(np.abs(step).max()) / 2), gain


def _advanced(
    likelihood: _Likelihood, logs: FloatArray, value: float, step: FloatArray
) -> tuple[FloatArray, float]:
    for _ in range(_HALVINGS):
        moved = likelihood.value(np.exp(logs + step))
        if moved >= value:
            return logs + step, moved
        step = step / 2
    return logs, value


def _others(counts: FloatArray, scale: FloatArray, strength: float) -> FloatArray:
    """For every item the average rating distribution of the others, times the strength.

    ``scale`` (items,) is what each rating of an item counts. In place: a million items are large.
    """
    parts = counts * scale[:, None]
    np.subtract(parts.sum(axis=0), parts, out=parts)
    np.maximum(parts, 0.0, out=parts)  # differences of sums may round to less than nothing
    total = parts @ np.ones(counts.shape[1])
    if not total.min() > 0:
        remedy = sentence("no other item has ratings to learn from: fix the prior's pseudocounts")
        raise PriorError("counts", sentence("item {argmin}", argmin=int(np.argmin(total))), remedy)
    parts *= (strength / total)[:, None]
    return parts


def _credibility(parts: VarianceComponents) -> float:
    """Within / between; 10^4 where nothing differs at all, and never quite 0."""
    if parts.between_upper == 0:
        return LARGEST_STRENGTH
    return float(np.clip(parts.within / parts.between_upper, _SMALLEST_STRENGTH, LARGEST_STRENGTH))


def _precisions(sizes: FloatArray, parts: VarianceComponents) -> FloatArray:
    """What each rating counts: the precision of its item's mean, shared by the item's ratings."""
    if parts.between_upper == 0:
        return np.ones_like(sizes)
    return np.asarray(1 / (parts.within + sizes * parts.between_upper))


def _tabulated(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    distinct, times = np.unique(values[values > 0], return_counts=True)
    return distinct, times.astype(float)


def _polygamma(order: int, x: FloatArray | float) -> FloatArray:
    return np.asarray(scipy.special.psi(x) if order == 0 else scipy.special.polygamma(order, x))


def _checked_table(counts: Numbers) -> FloatArray:
    shape = np.shape(counts)
    if len(shape) != 2:
        raise RatingsError("counts", shape, sentence("give a table: one row of counts per item"))
    return checked_counts(counts, shape[1])


def _checked_strength(strength: float) -> float:
    size = float(checked_number("strength", strength, PriorError))
    if not size >= 0:
        raise PriorError(
            "strength", strength, sentence("give a number of ghost ratings of 0 or more")
        )
    return size
