"""Posterior: an item's Dirichlet, its score, sampled scores, intervals, chance to beat another.

With pseudocounts alpha = counts + prior, alpha0 their sum and m = alpha / alpha0, the utility of a
rating drawn from the item has posterior mean s = u.m and posterior variance
(u^2.m - s^2) / (alpha0 + 1) (Ng, Tian and Tang, Dirichlet and Related Distributions, 2011, 2.1).
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from ranking.posterior.checks import (
    FloatArray,
    Numbers,
    checked_counts,
    checked_pseudocounts,
    checked_utilities,
)
from ranking.posterior.errors import PriorError, RatingsError
from surveys.randomized_response.checks import checked_level
from surveys.randomized_response.messages import sentence

# Below this many pseudocounts the Beta with the right two moments has the wrong shape.
FEWEST_FOR_BETA = 5.0
DRAWS = 4000
_INVERSE_TOLERANCE = 1e-8
_BISECTIONS = 60
# A logit of a Beta variable has tails no heavier than exponential: e^-40 is left out.
_UNDERFLOW = -600.0
_REACH, _STEPS_PER_DEVIATION, _COARSEST_STEP = 40.0, 8.0, 0.25


@dataclass(frozen=True)
class Posterior:
    """Scores of items: arrays of shape (items,); ``low`` and ``high`` are the extreme utilities.

    ``pseudocounts`` are alpha0, or nan where the score is not a Dirichlet one.
    """

    scores: FloatArray
    variances: FloatArray
    pseudocounts: FloatArray
    low: float
    high: float

    @property
    def standard_deviations(self) -> FloatArray:
        return np.sqrt(self.variances)

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, items: slice | NDArray[np.int64]) -> "Posterior":
        """The posterior of some of the items."""
        return Posterior(
            self.scores[items], self.variances[items], self.pseudocounts[items], self.low, self.high
        )

    def intervals(self, level: float = 0.95) -> FloatArray:
        """Shape (items, 2): the Beta on [low, high] with that mean and variance."""
        tail = (1 - checked_level(level)) / 2
        first, second = self._beta()
        ends = [_beta_quantile(first, second, p) for p in (tail, 1 - tail)]
        return self.low + (self.high - self.low) * np.stack(ends, axis=1)

    def _beta(self) -> tuple[FloatArray, FloatArray]:
        """Parameters by the method of moments, of the score stretched to [0, 1].

        Linear scores may leave the range, and more spread than a Beta has makes it two points: such
        scores are moved to the nearest Beta.
        """
        width = self.high - self.low
        mean = np.clip((self.scores - self.low) / width, 1e-12, 1 - 1e-12)
        spread = np.maximum(self.variances, 1e-300) / width**2
        size = np.maximum(mean * (1 - mean) / spread - 1, 1e-9)
        return mean * size, (1 - mean) * size


def score_items(counts: Numbers, prior: Numbers, utilities: Numbers) -> Posterior:
    """Score and variance of every item.

    ``counts`` (items, levels) and ``prior`` (levels,) or (items, levels): integers or reals of at
    least 0; ``utilities`` (levels,): any finite numbers that are not all equal. Raises
    RatingsError, PriorError, UtilityError; an item without ratings and prior has no score.
    """
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    pseudocounts = checked_pseudocounts(prior, observed)
    low = float(u.min())
    # Above the lowest one: utilities far from 0 would lose their variance to rounding.
    powers = np.stack([np.ones_like(u), u - low, (u - low) ** 2], axis=1)
    sums = observed @ powers
    sums += pseudocounts @ powers
    total = sums[:, 0]
    if not total.min() > 0:
        remedy = sentence(
            "item {argmin} has no ratings. Give this item more than 0 ghost ratings",
            argmin=int(np.argmin(total)),
        )
        raise PriorError("prior", 0, remedy)
    above = sums[:, 1] / total
    variances = np.maximum(sums[:, 2] / total - above**2, 0.0) / (total + 1)
    return Posterior(low + above, variances, total, low, float(u.max()))


def sample_scores(
    counts: Numbers, prior: Numbers, utilities: Numbers, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draws from the posterior of every item's score, shape (draws, items)."""
    u = checked_utilities(utilities)
    observed = checked_counts(counts, len(u))
    alpha = observed + checked_pseudocounts(prior, observed)
    gammas = rng.standard_gamma(alpha, size=(draws, *alpha.shape))
    total = gammas.sum(axis=-1)
    # With tiny pseudocounts all gammas may underflow: then one level has all the weight.
    rare = np.argwhere(total == 0)
    for draw, item in rare:
        gammas[draw, item, rng.choice(len(u), p=alpha[item] / alpha[item].sum())] = 1.0
    return np.asarray((gammas @ u) / gammas.sum(axis=-1))


def beats(first: Posterior, second: Posterior) -> FloatArray:
    """P(score of first > score of second), item by item, by the normal approximation.

    Exact to 0.002 for ten or more pseudocounts each; ``beats_binary`` is exact for two levels.
    """
    gap = first.scores - second.scores
    spread = np.sqrt(first.variances + second.variances)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = scipy.special.ndtr(gap / spread)
    return np.where(spread > 0, chance, (np.sign(gap) + 1) / 2)


def beats_binary(first: Numbers, second: Numbers) -> float:
    """P(share of up of first > that of second) for pseudocounts [down, up] > 0, exactly.

    One minus or plus the integral of one density times the other's distribution function, over the
    logit: the integrand is analytic there, so the trapezoidal rule converges exponentially
    (Trefethen and Weideman, 2014). The narrower one is the density.
    """
    a, b = (_checked_pair(name, pair) for name, pair in (("first", first), ("second", second)))
    if _logit_deviation(a) <= _logit_deviation(b):
        return _chance_above(a, b)
    return 1 - _chance_above(b, a)


def _checked_pair(name: str, pair: Numbers) -> FloatArray:
    values: FloatArray = checked_counts(np.asarray([pair]), 2)[0]
    if values.min() <= 0:
        raise RatingsError(
            name, values.tolist(), sentence("give two numbers of ghost ratings above 0: [down, up]")
        )
    return values


def _logit_deviation(pair: FloatArray) -> float:
    return float(np.sqrt(scipy.special.polygamma(1, pair).sum()))


def _chance_above(density: FloatArray, other: FloatArray) -> float:
    """P(X > Y) for X with the given density: its integral against Y's distribution function."""
    down, up = density
    deviation = _logit_deviation(density)
    step = min(_COARSEST_STEP, deviation / _STEPS_PER_DEVIATION)
    centre = float(scipy.special.digamma(up) - scipy.special.digamma(down))
    reach = np.arange(-_REACH * deviation, _REACH * deviation + step, step)
    logits = centre + reach
    exponent = up * scipy.special.log_expit(logits) + down * scipy.special.log_expit(-logits)
    weights = np.exp(exponent - exponent.max())
    return float(weights @ _distribution(logits, other) / weights.sum())


def _distribution(logits: FloatArray, pair: FloatArray) -> FloatArray:
    """P(logit of the share of up <= each logit), from the nearer end so that nothing cancels."""
    down, up = pair
    lower = _tail(np.minimum(logits, 0.0), up, down)
    upper = _tail(np.minimum(-logits, 0.0), down, up)
    return np.where(logits <= 0, lower, 1 - upper)


def _tail(logits: FloatArray, first: float, second: float) -> FloatArray:
    """Beta distribution function at expit(logits); its leading term where that underflows."""
    far = np.exp(
        first * np.minimum(logits, _UNDERFLOW) - np.log(first) - scipy.special.betaln(first, second)
    )
    return np.where(
        logits < _UNDERFLOW, far, scipy.special.betainc(first, second, scipy.special.expit(logits))
    )


def _beta_quantile(first: FloatArray, second: FloatArray, p: float) -> FloatArray:
    """betaincinv, checked against the forward function: SciPy's inverse fails at some arguments."""
    inverse: FloatArray = np.asarray(scipy.special.betaincinv(first, second, p))
    wrong = ~(np.abs(scipy.special.betainc(first, second, inverse) - p) <= _INVERSE_TOLERANCE)
    if wrong.any():
        inverse[wrong] = _bisected(first[wrong], second[wrong], p)
    return inverse


def _bisected(first: FloatArray, second: FloatArray, p: float) -> FloatArray:
    low, high = np.zeros_like(first), np.ones_like(first)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        above = scipy.special.betainc(first, second, middle) > p
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray((low + high) / 2)
