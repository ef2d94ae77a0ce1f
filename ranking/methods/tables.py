"""RankedTable: items in order with scores, intervals, ghosts, chances; also from Gibbs draws."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ranking.methods.registry import Method
from ranking.posterior import ordering
from ranking.posterior.checks import FloatArray, checked_counts
from ranking.posterior.dirichlet import (
    DRAWS,
    FEWEST_FOR_BETA,
    Posterior,
    beats,
    beats_binary,
    sample_scores,
)
from ranking.posterior.errors import PriorError, RatingsError
from ranking.posterior.gibbs import GibbsScores, sample_hidden_ratings
from ranking.posterior.linear_bayes import corrected_utilities, linear_bayes
from ranking.posterior.ordering import Ranking
from ranking.posterior.priors import FittedPrior, posterior_under
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.messages import sentence

IntegerArray = NDArray[np.int64]
# Up to so many items with hardly any ratings have intervals from draws; with more, all intervals
# are Beta ones, because an order by lower ends needs one rule for all.
MOST_SAMPLED = 1000
# Draws of one item are the same whenever the same table is shown.
_SEED = 20


@dataclass(frozen=True)
class RankedTable:
    """Items and their order. ``counts`` (items, reported levels) and all arrays are by item.

    ``prior`` is None for randomized ratings; ``draws`` are those of Gibbs sampling, if it was used.
    """

    counts: FloatArray
    method: Method
    posterior: Posterior
    prior: FittedPrior | None = None
    draws: GibbsScores | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def sizes(self) -> FloatArray:
        """Ratings of each item; reports of "not rated" are among them if they are randomized."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def ranking(self) -> Ranking:
        spread = self.posterior.high - self.posterior.low
        if self.method.order == "score":
            return ordering.rank(self.posterior.scores, spread=spread)
        return ordering.rank(self.intervals(np.arange(len(self)))[:, 0], spread=spread)

    @cached_property
    def sampled(self) -> NDArray[np.bool_]:
        """Which items have intervals from draws."""
        few = self.posterior.pseudocounts < FEWEST_FOR_BETA
        is_limit = self.prior is not None and self.prior.is_limit
        if is_limit or self.counts.shape[1] == 2 or np.count_nonzero(few) > MOST_SAMPLED:
            return np.zeros(len(self), dtype=bool)
        return few

    @cached_property
    def is_tied(self) -> NDArray[np.bool_]:
        ranks = self.ranking.ranks
        return np.asarray(np.bincount(ranks, minlength=len(self) + 1)[ranks] > 1)

    def intervals(self, items: IntegerArray) -> FloatArray:
        """Shape (items, 2): low and high ends at the method's level."""
        level = self.method.level
        if self.draws is not None:
            return self.draws.intervals(level)[items]
        ends = self.posterior[items].intervals(level)
        for row in np.flatnonzero(self.sampled[items]):
            ends[row] = self._drawn_interval(int(items[row]))
        return ends

    def _drawn_interval(self, item: int) -> FloatArray:
        """Quantiles of draws, with the uncertainty of the fitted centre added."""
        prior = self.ghosts(item)
        rng = np.random.default_rng((_SEED, item))
        drawn = sample_scores(
            self.counts[[item]], prior, self.method.utilities, draws=DRAWS, rng=rng
        )[:, 0]
        if self.prior is not None and np.any(self.prior.centre_variance):
            lean = self.prior.strength / self.posterior.pseudocounts[item]
            variances = np.broadcast_to(self.prior.centre_variance, len(self))
            drawn += lean * np.sqrt(variances[item]) * rng.standard_normal(DRAWS)
        tail = (1 - self.method.level) / 2
        ends = np.quantile(drawn, [tail, 1 - tail])
        return np.asarray(np.clip(ends, self.posterior.low, self.posterior.high))

    def ghosts(self, item: int) -> FloatArray:
        """The pseudocounts that one item starts with, by level; none for randomized ratings."""
        if self.prior is None:
            return np.zeros(self.counts.shape[1])
        pseudocounts = self.prior.pseudocounts
        return np.asarray(pseudocounts[item] if pseudocounts.ndim == 2 else pseudocounts)

    @cached_property
    def average_ghosts(self) -> FloatArray | None:
        """The pseudocounts of an average item; None where the prior has no finite strength."""
        if self.prior is None or self.prior.is_limit:
            return None
        pseudocounts = self.prior.pseudocounts
        return np.asarray(pseudocounts.mean(axis=0) if pseudocounts.ndim == 2 else pseudocounts)

    @cached_property
    def prior_means(self) -> FloatArray | None:
        """Each item's mean utility under its prior, (items,): nan without ghost ratings."""
        if self.prior is None:
            return None
        means = self.prior.shares @ np.array(self.method.utilities)
        return np.asarray(np.broadcast_to(means, len(self)))

    def beats(self, firsts: IntegerArray, seconds: IntegerArray) -> FloatArray:
        """P(first is better than second), pair by pair.

        Exact where the posterior is a Beta law: two levels, open, and a prior taken as known.
        """
        if self.draws is not None:
            drawn = self.draws.draws
            gap = drawn[:, firsts] - drawn[:, seconds]
            return np.asarray((gap > 0).mean(axis=0) + (gap == 0).mean(axis=0) / 2)
        chances = beats(self.posterior[firsts], self.posterior[seconds])
        if self._is_beta:
            for pair, (first, second) in enumerate(zip(firsts, seconds, strict=True)):
                chances[pair] = self._exact_chance(first, second, float(chances[pair]))
        return chances

    @property
    def _is_beta(self) -> bool:
        if self.prior is None or self.prior.is_limit or np.any(self.prior.centre_variance):
            return False
        return self.counts.shape[1] == 2

    def _exact_chance(self, first: int, second: int, otherwise: float) -> float:
        upwards = 1 if self.method.utilities[1] > self.method.utilities[0] else -1
        pairs = [(self.counts[i] + self.ghosts(i))[::upwards] for i in (first, second)]
        return beats_binary(*pairs) if min(pair.min() for pair in pairs) > 0 else otherwise

    def plausible_ranks(self, items: IntegerArray) -> tuple[IntegerArray, IntegerArray]:
        """Best and worst plausible rank of the chosen items among all, at the method's level."""
        return ordering.rank_intervals(self.posterior, items, self.method.level)

    @cached_property
    def comparison(self) -> dict[str, FloatArray]:
        """Scores that others use, by name.

        Of randomized ratings only the corrected mean says anything; nan without reports.
        """
        utilities = np.array(self.method.utilities)
        if self.method.channel is None:
            scores = {
                "mean": ordering.mean_scores(self.counts, utilities),
                "wilson": ordering.wilson_scores(self.counts, utilities, self.method.level),
            }
            if self.sizes.sum() > 0:
                scores["weighted"] = ordering.weighted_ratings(self.counts, utilities)
            return scores
        if self.method.declines:
            return {}
        corrected = corrected_utilities(self.method.channel, utilities)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.asarray(self.counts @ corrected / self.sizes)
        return {"corrected mean": means}


def rank_table(counts: Sequence[Sequence[float]] | FloatArray, method: Method) -> RankedTable:
    """Score and order items from counts (items, reported levels), real numbers of at least 0.

    Raises RatingsError, PriorError, UtilityError, DesignError.
    """
    levels = len(method.utilities) + method.declines
    observed = checked_counts(counts, levels)
    if method.channel is not None:
        return RankedTable(observed, method, _randomized(method.channel, observed, method))
    utilities = np.array(method.utilities)
    prior = method.prior.fit(observed, utilities)
    _require_something(observed, prior, method)
    return RankedTable(observed, method, posterior_under(prior, observed, utilities), prior)


def rank_by_gibbs(
    counts: Sequence[Sequence[float]] | FloatArray, method: Method, *, rng: np.random.Generator
) -> RankedTable:
    """The same for randomized ratings of at most 2,000 items, over the hidden true ratings.

    Raises RatingsError, UtilityError, DesignError.
    """
    return table_of_draws(counts, method, hidden_scores(counts, method, rng=rng))


def hidden_scores(
    counts: Sequence[Sequence[float]] | FloatArray,
    method: Method,
    *,
    rng: np.random.Generator,
    sweeps: int = 2000,
) -> GibbsScores:
    """Draws of the scores by Gibbs sampling; they depend on the method's utilities and channel.

    Half as many sweeps before the kept ones find the start.

    Raises RatingsError, UtilityError, DesignError.
    """
    if method.channel is None:
        remedy = sentence("Gibbs sampling works only for randomized ratings")
        raise RatingsError("counts", sentence("(open ratings)"), remedy)
    return sample_hidden_ratings(
        method.channel,
        counts,
        method.utilities,
        rng=rng,
        sweeps=sweeps,
        burn_in=max(sweeps // 2, 1),
        declines=method.declines,
    )


def table_of_draws(
    counts: Sequence[Sequence[float]] | FloatArray, method: Method, drawn: GibbsScores
) -> RankedTable:
    """Items ordered by draws of their scores. Raises RatingsError."""
    observed = checked_counts(counts, len(method.utilities) + method.declines)
    return RankedTable(observed, method, drawn.posterior, draws=drawn)


def _require_something(counts: FloatArray, prior: FittedPrior, method: Method) -> None:
    """Raises PriorError for items that have neither ratings nor ghost ratings."""
    without = np.count_nonzero(counts.sum(axis=1) + prior.pseudocounts.sum(axis=-1) <= 0)
    if without:
        remedy = sentence(
            "{without:,} item(s) have no ratings: give every item some ghost ratings",
            without=int(without),
        )
        raise PriorError("prior", method.prior.code, remedy)


def _randomized(channel: Channel, counts: FloatArray, method: Method) -> Posterior:
    utilities = np.array(method.utilities)
    if method.declines:
        return _among_raters(channel, counts, utilities)
    return linear_bayes(channel, counts, utilities)


def _among_raters(channel: Channel, counts: FloatArray, utilities: FloatArray) -> Posterior:
    """Scores of those who rated, when "not rated" is the last level of the channel.

    The score is a ratio, E[u; rated] / P(rated). With c the ratio over all items, linear Bayes on
    u - c (0 for "not rated") estimates P(rated) (score - c), which we divide by the share of all
    reports that are ratings, corrected and taken as common to all items (a ratio linearised at
    its pooled value: Cochran, Sampling Techniques, 1977, 6.3).
    """
    rated = np.append(np.ones(len(utilities)), 0.0)
    pooled = counts.sum(axis=0)
    if not pooled.sum() > 0:
        raise RatingsError("counts", 0, sentence("there are no ratings yet: collect at least one"))
    inverse = channel.inverse @ (pooled / pooled.sum())
    share = float(rated @ inverse)
    if share <= 0:
        remedy = sentence(
            "no ratings are left after the correction for the randomizing (channel). Collect "
            "more ratings"
        )
        raise RatingsError("counts", f"a share of {share:.3f}", remedy)
    low, high = float(utilities.min()), float(utilities.max())
    centre = float(np.clip(np.append(utilities, 0.0) @ inverse / share, low, high))
    gains = np.append(utilities - centre, 0.0)
    posterior = linear_bayes(channel, counts, gains)
    return replace(
        posterior,
        scores=centre + posterior.scores / share,
        variances=posterior.variances / share**2,
        low=low,
        high=high,
    )
