"""GibbsScores from randomized ratings: hidden true ratings and the prior's alpha, sampled in steps.

Model: item i has true rating shares p_i ~ Dirichlet(alpha); a rating with true level x is reported
as y with probability M[y, x]. Data augmentation (Tanner and Wong, 1987): given p_i, the reports of
level y split over the true levels multinomially with weights M[y, x] p_ix; given the split, p_i is
Dirichlet. alpha itself is unknown: its mean is uniform on the simplex, and 1/(1 + alpha0) uniform
on (0, 1) (Christiansen and Morris, 1997), moved by random walks in ln(alpha).
"""

from dataclasses import dataclass, field

import numpy as np
import scipy

from ranking.posterior.checks import FloatArray, Numbers, checked_counts, checked_utilities
from ranking.posterior.dirichlet import Posterior
from ranking.posterior.errors import RatingsError, UtilityError
from surveys.randomized_response.checks import checked_level, checked_positive_number
from surveys.randomized_response.designs import DesignLike, channel_of

MOST_ITEMS = 2000
_WALKS = 5
_AIM = 0.3
# Rounding may make a share 0, from which no path leads back and whose logarithm is no number.
_SMALLEST_SHARE = 1e-300


@dataclass(frozen=True)
class GibbsScores:
    """``draws`` (kept sweeps, items) of the scores; ``posterior`` has their two moments."""

    draws: FloatArray
    low: float
    high: float

    @property
    def posterior(self) -> Posterior:
        missing = np.full(self.draws.shape[1], np.nan)
        moments = self.draws.mean(axis=0), self.draws.var(axis=0, ddof=1)
        return Posterior(*moments, missing, self.low, self.high)

    def intervals(self, level: float = 0.95) -> FloatArray:
        """Shape (items, 2): central quantiles of the draws."""
        tail = (1 - checked_level(level)) / 2
        return np.asarray(np.quantile(self.draws, [tail, 1 - tail], axis=0).T)


def sample_hidden_ratings(
    design: DesignLike,
    counts: Numbers,
    utilities: Numbers,
    *,
    rng: np.random.Generator,
    sweeps: int = 2000,
    burn_in: int = 1000,
    declines: bool = False,
) -> GibbsScores:
    """Draw scores of at most 2,000 items from counts of reported ratings (items, levels).

    With ``declines`` the design's last level is "not rated", which has no utility: every sweep's
    score is the mean utility among those who rated, by the item's own share of them.

    Raises RatingsError (too many items, fractions), UtilityError, DesignError.
    """
    u, matrix = checked_utilities(utilities), channel_of(design).matrix
    if matrix.shape[1] != len(u) + declines:
        remedy = f"give {matrix.shape[1] - declines}, one per level"
        raise UtilityError("utilities", len(u), remedy)
    reported = _checked_reports(counts, matrix.shape[0])
    state = _State.at_start(matrix, reported, rng)
    for _ in range(checked_positive_number("burn_in", burn_in)):
        state.sweep(adapting=True)
    kept = np.empty((checked_positive_number("sweeps", sweeps), len(reported)))
    for number in range(len(kept)):
        state.sweep(adapting=False)
        rated = state.shares[:, : len(u)]
        kept[number] = rated @ u / rated.sum(axis=1)
    return GibbsScores(kept, float(u.min()), float(u.max()))


@dataclass
class _State:
    """Where the chain is. Arrays: matrix (reported, true), reports (items, reported)."""

    matrix: FloatArray
    reports: FloatArray
    rng: np.random.Generator
    shares: FloatArray
    logs: FloatArray
    step: float = field(default=0.3)

    @classmethod
    def at_start(
        cls, matrix: FloatArray, reports: FloatArray, rng: np.random.Generator
    ) -> "_State":
        levels = matrix.shape[1]
        shares = np.full((len(reports), levels), 1 / levels)
        return cls(matrix, reports, rng, shares, np.zeros(levels))

    def sweep(self, *, adapting: bool) -> None:
        self.shares = self._drawn_shares(self._split())
        totals = np.log(self.shares).sum(axis=0)
        density, accepted = self._log_density(self.logs, totals), 0
        for _ in range(_WALKS):
            before, density = density, self._walk(density, totals)
            accepted += density != before
        if adapting:
            self.step *= 1.05 if accepted > _AIM * _WALKS else 0.95

    def _split(self) -> FloatArray:
        """True counts given the reports and the shares: (items, true levels)."""
        weights = self.matrix[None] * self.shares[:, None, :]
        weights /= np.maximum(weights.sum(axis=2, keepdims=True), _SMALLEST_SHARE)
        drawn = self.rng.multinomial(self.reports.astype(np.int64), weights)
        return np.asarray(drawn.sum(axis=1), dtype=float)

    def _drawn_shares(self, counts: FloatArray) -> FloatArray:
        gammas = self.rng.standard_gamma(counts + np.exp(self.logs))
        gammas = np.maximum(gammas, _SMALLEST_SHARE)
        return np.asarray(gammas / gammas.sum(axis=1, keepdims=True))

    def _walk(self, density: float, totals: FloatArray) -> float:
        """Move or stay; the log density where the chain is afterwards."""
        moved = self.logs + self.step * self.rng.standard_normal(len(self.logs)) * self._scale
        there = self._log_density(moved, totals)
        if np.log(self.rng.random()) < there - density:
            self.logs, density = moved, there
        return density

    @property
    def _scale(self) -> float:
        """With more items alpha is better known, so that shorter steps are accepted."""
        return float(2 / np.sqrt(len(self.shares)))

    def _log_density(self, logs: FloatArray, totals: FloatArray) -> float:
        """Of ln(alpha) given the sums (levels,) of the logarithms of all shares.

        The prior of alpha: mean uniform on the simplex, alpha0 with density 1/(1 + alpha0)^2, so
        alpha has density (1 + alpha0)^-2 alpha0^(1 - levels); times alpha for the logarithms.
        """
        alpha = np.exp(logs)
        strength = float(alpha.sum())
        if not 0 < strength < 1e8:
            return -np.inf
        items = len(self.shares)
        fit = items * (scipy.special.gammaln(strength) - scipy.special.gammaln(alpha).sum())
        fit += float((alpha - 1) @ totals)
        levels = len(alpha)
        return float(fit - 2 * np.log1p(strength) + (1 - levels) * np.log(strength) + logs.sum())


def _checked_reports(counts: Numbers, levels: int) -> FloatArray:
    reports = checked_counts(counts, levels)
    if len(reports) > MOST_ITEMS:
        remedy = f"use linear Bayes for more than {MOST_ITEMS:,} items"
        raise RatingsError("counts", len(reports), remedy)
    if (reports != np.floor(reports)).any():
        raise RatingsError("counts", "(fractions)", "hidden ratings need whole numbers of reports")
    return reports
