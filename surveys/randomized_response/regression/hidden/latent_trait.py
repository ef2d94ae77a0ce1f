"""A hidden trait of k levels, and of an outcome it explains: the likelihood and its best maximum.

Each person's likelihood is a sum over the true levels t,

    sum_t P(report | t) P(t | z) f(outcome | t, x),

with a multinomial logit for the trait and, if there is an outcome, a normal or logistic model in
which the trait is a predictor. With w_t the probability of t given everything seen and g_t the
log of a summand, the score is sum w_t g_t' and the information is (Louis 1982)

    sum w_t (-g_t'') - sum w_t g_t' g_t'^T + s s^T.

Beside the trait it may be hidden, too, whether a person attends to the questions at all, by a
logistic curve of its own covariates. Then the sum goes over both, and people who do not attend
have the chances of guesses in place of P(report | t).

Each person counts as often as a weight says; without weights once.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from ...checks import FloatArray
from ..covariances import Counted, Drawn
from ..scoring import Box, ByPerson, Flat, Unsettled, maximise, part_within
from .outcome_families import Family, OutcomeTerms

# Part of the largest expected information below which the observed one is none.
_UNIDENTIFIED = 1e-8
_EM_STEPS = 25
_LONGEST_MOVE = 3.0
# ln of a residual deviation, as a part of the outcome's own, that only rounding keeps above 0.
_REVEALED = float(np.log(1e-6))


@dataclass(frozen=True)
class TraitOutcome:
    """An outcome (n,) with its family and orthogonal covariates (p, n)."""

    values: FloatArray
    family: Family
    rows: FloatArray


@dataclass(frozen=True)
class TraitData:
    """``reports`` (k, n): P(report | level t); ``rows`` (p, n): covariates of the trait.

    ``attention`` (r, n): covariates of attending, where that is hidden too; ``reports`` (2 k, n)
    are then those of people who attend, and below those of people who do not.
    Parameters, in order: (k - 1) blocks of p for the levels 1 to k - 1 against level 0, r of
    attention, then the outcome's coefficients, the trait's effects on it, and ln sigma. Of level t
    the effects count as row t of ``contrasts`` (k, effects) says: each level above 0 has its own
    where that is None, and levels that stand for several traits together share those of each.
    """

    reports: FloatArray
    rows: FloatArray
    outcome: TraitOutcome | None = None
    weights: FloatArray | None = None
    attention: FloatArray | None = None
    contrasts: FloatArray | None = None

    def weighted(self, values: FloatArray) -> FloatArray:
        """Values of people, (..., n), times their weights."""
        return values if self.weights is None else values * self.weights

    @property
    def levels(self) -> int:
        return int(self.reports.shape[0]) // (1 if self.attention is None else 2)

    @cached_property
    def level_effects(self) -> FloatArray:
        """How each level counts the effects: (k, effects)."""
        return np.eye(self.levels)[:, 1:] if self.contrasts is None else self.contrasts

    @property
    def effects(self) -> int:
        """How many effects the trait has on the outcome."""
        return int(self.level_effects.shape[1])

    @property
    def trait_size(self) -> int:
        return (self.levels - 1) * int(self.rows.shape[0])

    @property
    def outcome_start(self) -> int:
        """Where the outcome's coefficients begin."""
        return self.trait_size + (0 if self.attention is None else int(self.attention.shape[0]))

    @property
    def effects_start(self) -> int:
        """Where the trait's effects on the outcome begin."""
        return self.outcome_start + (0 if self.outcome is None else int(self.outcome.rows.shape[0]))

    @property
    def size(self) -> int:
        if self.outcome is None:
            return self.outcome_start
        return self.effects_start + self.effects + self.has_spread

    @property
    def has_spread(self) -> bool:
        """Whether the last parameter is ln sigma of the outcome."""
        return self.outcome is not None and self.outcome.family.spread

    def at(self, parameters: FloatArray) -> "TraitPoint":
        """The likelihood at a parameter vector (q,)."""
        return TraitPoint(self, parameters)


@dataclass(frozen=True)
class TraitPoint(ByPerson):
    """The likelihood and its derivatives at one parameter vector."""

    data: TraitData
    parameters: FloatArray

    @property
    def log_likelihood(self) -> float:
        total = float(self.data.weighted(self._log_each).sum())
        return total if np.isfinite(total) else -np.inf

    @cached_property
    def person_scores(self) -> FloatArray:
        """Unweighted, (q, n)."""
        pairs = zip(self._classes, self._gradients, strict=True)
        return np.asarray(sum(w * gradient for w, gradient in pairs))

    @cached_property
    def observed(self) -> FloatArray:
        """(q, q)"""
        information, weighted = self._complete(expected=False), self.data.weighted
        for w, gradient in zip(self._classes, self._gradients, strict=True):
            information -= (gradient * weighted(w)) @ gradient.T
        return np.asarray(information + weighted(self.person_scores) @ self.person_scores.T)

    @cached_property
    def expected(self) -> FloatArray:
        """The expected information if the truth were known: with it, steps are EM's (Lange 1995).

        Never indefinite, and larger than what the reports hold: it leads uphill from anywhere.
        """
        return self._complete(expected=True)

    @property
    def covariance(self) -> FloatArray:
        """Inverse of the observed information: (q, q)."""
        return np.asarray(np.linalg.inv(self.observed), dtype=np.float64)

    @cached_property
    def posterior(self) -> FloatArray:
        """P(level | report, outcome, covariates): (k, n)."""
        if self.data.attention is None:
            return self._classes
        return np.asarray(self._classes.reshape(2, self.data.levels, -1).sum(axis=0))

    @cached_property
    def attentive(self) -> FloatArray:
        """P(attends | covariates): (n,); 1 where that is not hidden."""
        if self.data.attention is None:
            return np.ones(self.data.rows.shape[1])
        return np.asarray(np.exp(self._log_attention[0]))

    @cached_property
    def _classes(self) -> FloatArray:
        """The same of a level, and of whether a person attends: (k, n) or (2 k, n)."""
        return np.asarray(np.exp(self._log_joint - self._log_each))

    @cached_property
    def _log_shares(self) -> FloatArray:
        """ln P(t | z): (k, n), level 0 being the reference."""
        data = self.data
        blocks = self.parameters[: data.trait_size].reshape(data.levels - 1, -1)
        eta = np.vstack([np.zeros(data.rows.shape[1]), blocks @ data.rows])
        return np.asarray(scipy.special.log_softmax(eta, axis=0))

    @cached_property
    def _log_attention(self) -> FloatArray:
        """ln P(attends) and ln P(does not): (2, n)."""
        data = self.data
        if data.attention is None:
            return np.zeros((0, data.rows.shape[1]))
        zeta = self.parameters[data.trait_size : data.outcome_start] @ data.attention
        return np.asarray(scipy.special.log_expit([zeta, -zeta]))

    @cached_property
    def _terms(self) -> list[OutcomeTerms]:
        outcome, data = self.data.outcome, self.data
        if outcome is None:
            return []
        start = data.effects_start
        base = self.parameters[data.outcome_start : start] @ outcome.rows
        effects = data.level_effects @ self.parameters[start : start + data.effects]
        sigma = float(self.parameters[-1]) if outcome.family.spread else 0.0
        return [outcome.family.terms(outcome.values, base + effect, sigma) for effect in effects]

    @cached_property
    def _log_joint(self) -> FloatArray:
        # A level that cannot make the report has ln 0, which is minus infinity as it should be.
        with np.errstate(divide="ignore"):
            reports = np.log(self.data.reports)
        if self.data.attention is None:
            joint = reports + self._log_shares
        else:
            joint = reports + np.vstack([self._log_shares + each for each in self._log_attention])
        for c in range(len(joint)):
            if self._terms:
                joint[c] += self._terms[c % self.data.levels].log_density
        return np.asarray(joint)

    @cached_property
    def _log_each(self) -> FloatArray:
        return np.asarray(scipy.special.logsumexp(self._log_joint, axis=0))

    @cached_property
    def _gradients(self) -> list[FloatArray]:
        return [_gradient(self, c) for c in range(len(self.data.reports))]

    def _complete(self, *, expected: bool) -> FloatArray:
        """Information about everything if the truth were seen, averaged over what is not."""
        data = self.data
        information = np.zeros((data.size, data.size))
        information[: data.trait_size, : data.trait_size] = _logit_information(
            data.rows, np.exp(self._log_shares[1:]), data.weighted
        )
        if data.attention is not None:
            part = slice(data.trait_size, data.outcome_start)
            information[part, part] = _logit_information(
                data.attention, self.attentive[None], data.weighted
            )
        for t, term in enumerate(self._terms):
            parts = term.expected if expected else term.curvature
            _add_outcome(self, information, t, parts)
        return information


def _gradient(point: TraitPoint, c: int) -> FloatArray:
    """Of the class c, whose level is t: (q, n)."""
    data, shares, t = point.data, np.exp(point._log_shares[1:]), c % point.data.levels
    gradient = np.zeros((data.size, data.rows.shape[1]))
    belongs = (np.arange(1, data.levels) == t)[:, None]
    trait = (belongs - shares)[:, None, :] * data.rows
    gradient[: data.trait_size] = trait.reshape(data.trait_size, -1)
    if data.attention is not None:
        attends = float(c < data.levels)
        gradient[data.trait_size : data.outcome_start] = data.attention * (
            attends - point.attentive
        )
    if data.outcome is not None:
        term, start = point._terms[t], data.effects_start
        gradient[data.outcome_start : start] = data.outcome.rows * term.by_eta
        effects = slice(start, start + data.effects)
        gradient[effects] = data.level_effects[t][:, None] * term.by_eta
        if data.outcome.family.spread:
            gradient[-1] = term.by_sigma
    return gradient


def _add_outcome(
    point: TraitPoint,
    information: FloatArray,
    t: int,
    parts: tuple[FloatArray, FloatArray, FloatArray],
) -> None:
    data, outcome = point.data, point.data.outcome
    if outcome is None:
        return
    belongs = data.weighted(point.posterior[t])
    by_eta, mixed, by_sigma = (belongs * part for part in parts)
    counted = np.flatnonzero(data.level_effects[t])
    positions = np.append(
        np.arange(data.outcome_start, data.effects_start), data.effects_start + counted
    )
    shares = np.repeat(data.level_effects[t][counted][:, None], outcome.rows.shape[1], axis=1)
    rows = np.vstack([outcome.rows, shares])
    information[np.ix_(positions, positions)] += (rows * by_eta) @ rows.T
    if outcome.family.spread:
        side = rows @ mixed
        information[positions, -1] += side
        information[-1, positions] += side
        information[-1, -1] += by_sigma.sum()


def _logit_information(
    rows: FloatArray, shares: FloatArray, weighted: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Of a multinomial logit: covariates (p, n), shares (k - 1, n) of the levels above 0."""
    blocks = [
        [(rows * weighted(shares[i] * ((i == j) - shares[j]))) @ rows.T for j in range(len(shares))]
        for i in range(len(shares))
    ]
    return np.block(blocks)


class Revealed(Exception):
    """The outcome is explained by the trait alone: the likelihood has no upper bound."""


def best_maximum(data: TraitData, starts: list[FloatArray]) -> tuple[TraitPoint, int]:
    """The highest maximum and its iterations; a start that finds none is passed over.

    Raises Flat where the likelihood does not hold a coefficient back, Unsettled without a maximum,
    and at once Revealed where the residual variance of an outcome with variance 1 falls to 0.
    """
    maxima: list[tuple[TraitPoint, int]] = []
    failed: list[Flat | Unsettled] = []
    box = Box.of(data.size)
    for start in starts:
        try:
            point, iterations = maximise(data.at, start, box, _safe_part)
            _check_identified(point)
            maxima.append((point, iterations))
        except (Flat, Unsettled) as failure:
            failed.append(failure)
    if not maxima:
        raise failed[0]
    return max(maxima, key=lambda maximum: maximum[0].log_likelihood)


def trait_covariance(point: TraitPoint, drawn: Drawn | Counted | None) -> tuple[FloatArray, float]:
    """Of all parameters (q, q), and its degrees of freedom; ``drawn``: people who have weights."""
    if not isinstance(drawn, Drawn):
        return point.covariance / (1.0 if drawn is None else drawn.unit), np.inf
    degrees = drawn.degrees(point.data.size - point.data.has_spread)

    def refitted(weights: FloatArray) -> FloatArray:
        return best_maximum(replace(point.data, weights=weights), [point.parameters])[0].parameters

    return drawn.covariance(point, refitted), degrees


def starting_trait(data: TraitData, attentive: float = 1.0) -> FloatArray:
    """The trait's parameters at which all people have the shares of a few EM steps: (size,).

    ``attentive``: the share of people who attend, where that is hidden.
    """
    reports, shares = data.reports, np.full(data.levels, 1 / data.levels)
    if data.attention is not None:
        attended, guessed = reports[: data.levels], reports[data.levels :]
        reports = attentive * attended + (1 - attentive) * guessed
    for _ in range(_EM_STEPS):
        joint = shares[:, None] * reports
        shares = data.weighted(joint / joint.sum(axis=0)).mean(axis=1)
    # From close to 0 the likelihood may lead to 0 although its maximum is elsewhere.
    shares = (shares + 1 / len(shares)) / 2
    eta = np.log(shares[1:] / shares[0])
    return np.asarray(np.outer(eta, data.rows.mean(axis=1)).ravel())


def _check_identified(point: TraitPoint) -> None:
    """EM's steps end wherever the slope is 0; a maximum needs the observed information, too.

    Effects on a numeric outcome count in residual deviations: a small deviation makes the
    information about them large, and that about the trait no smaller.
    """
    data, units = point.data, np.ones_like(point.parameters)
    if data.has_spread:
        units[data.outcome_start : -1] = np.exp(point.parameters[-1])
    values, vectors = np.linalg.eigh(point.observed * np.outer(units, units))
    largest = float((point.expected.diagonal() * units**2).max())
    if not values[0] > _UNIDENTIFIED * largest:
        raise Flat(units * vectors[:, 0], point.parameters)


def _safe_part(point: TraitPoint, step: FloatArray) -> float:
    """No linear predictor of the trait moves further at once than a few units."""
    data = point.data
    if data.has_spread and point.parameters[-1] < _REVEALED:
        raise Revealed
    blocks = step[: data.trait_size].reshape(data.levels - 1, -1)
    move = float(np.abs(blocks @ data.rows).max(initial=0.0))
    move = max(move, float(np.abs(step[data.trait_size :]).max(initial=0.0)))
    return part_within(_LONGEST_MOVE, move)
