"""OutcomePosterior: draws from the posterior of a randomized outcome's coefficients.

Coefficients have independent normal priors. The posterior is the likelihood of the reports, which
is not concave, times the prior. Draws are those of a Metropolis-Hastings chain whose proposals do
not depend on where it is: from Student's t around the posterior's maximum, scaled by the
information there. The likelihood is bounded and the prior's tails are lighter than those of the
proposals, so the chain is uniformly ergodic (Mengersen and Tweedie 1996, theorem 2.1). The R
package rr draws from the same posterior by random walks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..checks import FloatArray, checked_level, checked_positive_number, require_generator
from ..columns import checked_floats, require_aligned
from ..designs.design import DesignLike
from ..errors import ConvergenceError, RegressionError
from ..frames import frame_of
from ..labels import index_of
from ..printing import Cell, html_report, report
from ..threads import on_one_thread
from .covariates import INTERCEPT, columns_from, prediction_rows
from .devices import IntArray, checked_reports, device_of
from .factors import Factor
from .links import link_called, link_named
from .outcome_likelihood import OutcomeData, OutcomePoint, Reports, Truth
from .scoring import Box, Flat, Unsettled, maximise, part_within

_MOST_DRAWS = 1_000_000
_LONGEST_MOVE = 3.0
# Of Student's t: tails heavier than any normal prior's, and a variance.
_DEGREES = 5.0
# Draws times people whose likelihoods are worked out together: 8 MB an array.
_TOGETHER = 1_000_000
# Of the beginning: a proposal drawn far out is left within a few steps, or some tens.
_LEFT_OUT = 100
_HEAD = ("name", "mean", "sd", "low", "high", "effective draws")
_COLUMNS = ("mean", "sd", "low", "high", "effective_draws")


@dataclass(frozen=True)
class OutcomePosterior:
    """``draws`` (draws, p) of the coefficients in ``names``, from the posterior.

    ``acceptance``: the share of proposals that the chain accepted, some .8 where the posterior is
    nearly normal. Below a tenth, draw more, and look at ``effective_draws``.
    """

    names: tuple[str, ...]
    draws: FloatArray = field(repr=False)
    link: str
    acceptance: float
    n: int
    factors: tuple[Factor, ...] = field(repr=False, compare=False)

    @property
    def mean(self) -> FloatArray:
        """Posterior means: (p,)."""
        return np.asarray(self.draws.mean(axis=0))

    @property
    def sd(self) -> FloatArray:
        """Posterior standard deviations: (p,)."""
        return np.asarray(self.draws.std(axis=0))

    def intervals(self, level: float = 0.95) -> FloatArray:
        """Credible intervals (p, 2) with equal tails. Raises EstimationError for the level."""
        return _tails(self.draws, checked_level(level))

    @cached_property
    def effective_draws(self) -> FloatArray:
        """How many independent draws say as much about each mean: (p,)."""
        return np.array([_effective_draws(column) for column in self.draws.T])

    def predict(
        self, covariates: ArrayLike | None = None, level: float = 0.95
    ) -> "PosteriorPredictions":
        """Probability of a true yes for rows of covariates (rows, p), without the intercept.

        None predicts for a model without covariates. Raises RegressionError and EstimationError.
        """
        rows = prediction_rows(covariates, self.factors, intercept=INTERCEPT in self.names)
        shares = link_called(self.link).probability(self.draws @ rows.T)
        return PosteriorPredictions(shares, checked_level(level))

    def to_frame(self) -> Any:
        """A pandas frame by name: mean, sd, low, high (level 0.95), effective_draws."""
        return frame_of(dict(zip(_COLUMNS, self._numbers.T, strict=True)), self.names)

    def __str__(self) -> str:
        """A line per coefficient; low and high are the ends of the interval at level 0.95."""
        return report(self._title, _HEAD, self._rows)

    def _repr_html_(self) -> str:
        return html_report(self._title, _HEAD, self._rows)

    @property
    def _title(self) -> str:
        counts = f"n = {self.n}, draws = {len(self.draws)}"
        return f"{counts}, accepted = {self.acceptance:.2g}, link {self.link}"

    @property
    def _numbers(self) -> FloatArray:
        return np.column_stack([self.mean, self.sd, self.intervals(), self.effective_draws])

    @property
    def _rows(self) -> list[tuple[Cell, ...]]:
        rows = zip(self.names, self._numbers.tolist(), strict=True)
        return [(name, *numbers[:-1], round(numbers[-1])) for name, numbers in rows]


@dataclass(frozen=True)
class PosteriorPredictions:
    """``draws`` (draws, rows) of each row's probability of a true yes."""

    draws: FloatArray = field(repr=False)
    level: float

    @property
    def probabilities(self) -> FloatArray:
        """Posterior means: (rows,)."""
        return np.asarray(self.draws.mean(axis=0))

    @property
    def standard_deviations(self) -> FloatArray:
        """(rows,)"""
        return np.asarray(self.draws.std(axis=0))

    @property
    def low(self) -> FloatArray:
        """Lower ends of the credible intervals with equal tails: (rows,)."""
        return _tails(self.draws, self.level)[:, 0]

    @property
    def high(self) -> FloatArray:
        """Upper ends: (rows,)."""
        return _tails(self.draws, self.level)[:, 1]

    def __str__(self) -> str:
        columns = (self.probabilities, self.standard_deviations, self.low, self.high)
        rows = enumerate(np.column_stack(columns).tolist())
        head = ("row", "probability", "sd", "low", "high")
        return report("", head, [(str(i), *numbers) for i, numbers in rows])


@on_one_thread
def fit_outcome_posterior(
    designs: DesignLike | Sequence[DesignLike],
    reports: ArrayLike,
    covariates: ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    prior_mean: ArrayLike = 0.0,
    prior_sd: ArrayLike = 10.0,
    names: Sequence[str] | None = None,
    link: str = "logit",
    draws: int = 4000,
) -> OutcomePosterior:
    """Draw from the posterior of b in P(true yes) = h(b0 + b'x).

    ``prior_mean`` and ``prior_sd``: of the normal priors, one number or one per coefficient,
    the intercept first, in the units of the covariates. ``draws``: 100 to 1,000,000. All else as
    ``fit_outcome_model``. Raises its errors but SeparationError, as a prior holds every
    coefficient back: one that is too wide for that ends in a ConvergenceError.

    >>> import numpy as np
    >>> from randomized_response.designs import Warner
    >>> from randomized_response.regression import fit_outcome_posterior
    >>> reports, older = [0] * 35 + [1] * 15 + [0] * 20 + [1] * 30, [0] * 50 + [1] * 50
    >>> rng = np.random.default_rng(1)
    >>> model = fit_outcome_posterior(Warner(0.9), reports, older, rng=rng, prior_sd=2.5)
    >>> model.mean.round(1).tolist(), model.sd.round(1).tolist()
    ([-1.1, 1.6], [0.4, 0.6])
    """
    require_aligned(RegressionError, reports=reports, designs=designs, covariates=covariates)
    codes = checked_reports(reports)
    columns = columns_from(covariates, len(codes), names, intercept=True)
    prior = _checked_prior(prior_mean, prior_sd, columns.names)
    count = _checked_draws(draws)
    require_generator(rng)
    data = OutcomeData(columns, device_of(designs, codes), link_named(link))
    scaled = columns.transform / prior[1][:, None]
    center = np.asarray(np.linalg.solve(columns.transform, prior[0]))
    posterior = _Posterior(data, center, scaled.T @ scaled)
    chain, acceptance = posterior.chain(count, rng)
    return OutcomePosterior(
        columns.names, chain @ columns.transform.T, link, acceptance, columns.n, columns.factors
    )


def _checked_prior(
    mean: ArrayLike, sd: ArrayLike, names: Sequence[str]
) -> tuple[FloatArray, FloatArray]:
    """(p,) each; a column of pandas by its labels. Raises RegressionError."""
    parts, count = [], len(names)
    for name, values in (("prior_mean", mean), ("prior_sd", sd)):
        labels = index_of(values)
        if labels is not None and list(labels) != list(names):
            remedy = f"label it by the coefficients, in this order: {', '.join(names)}"
            raise RegressionError(f"the index of {name}", [str(x) for x in labels], remedy)
        numbers = checked_floats(name, values, RegressionError)
        if numbers.shape not in ((), (count,)) or not np.isfinite(numbers).all():
            remedy = f"give one finite number, or {count}: the intercept's first"
            raise RegressionError(name, numbers.tolist(), remedy)
        parts.append(np.broadcast_to(numbers, (count,)))
    if not (parts[1] > 0).all():
        raise RegressionError("prior_sd", parts[1].tolist(), "give numbers above 0")
    return parts[0], parts[1]


def _checked_draws(draws: int) -> int:
    count = checked_positive_number("draws", draws, RegressionError)
    if not 100 <= count <= _MOST_DRAWS:
        raise RegressionError("draws", draws, f"give 100 to {_MOST_DRAWS}")
    return count


@dataclass(frozen=True)
class _Point:
    """The posterior at orthogonal coefficients, as ``maximise`` asks for it."""

    posterior: "_Posterior"
    outcome: OutcomePoint

    @property
    def parameters(self) -> FloatArray:
        return self.outcome.parameters

    @property
    def log_likelihood(self) -> float:
        prior = float(self.posterior.log_prior(self.parameters[None])[0])
        return self.outcome.log_likelihood + prior

    @cached_property
    def score(self) -> FloatArray:
        away = self.parameters - self.posterior.center
        return np.asarray(self.outcome.score - self.posterior.precision @ away)

    @cached_property
    def observed(self) -> FloatArray:
        return self.outcome.observed + self.posterior.precision

    @cached_property
    def expected(self) -> FloatArray:
        return self.outcome.expected + self.posterior.precision


@dataclass(frozen=True)
class _Posterior:
    """Reports, and a normal prior in orthogonal coordinates: ``center`` (p,), precision (p, p)."""

    data: OutcomeData
    center: FloatArray
    precision: FloatArray

    def at(self, parameters: FloatArray) -> _Point:
        return _Point(self, self.data.at(parameters))

    def log_prior(self, parameters: FloatArray) -> FloatArray:
        """Up to a constant, of rows of parameters (rows, p): (rows,)."""
        away = parameters - self.center
        return np.asarray(-0.5 * np.einsum("ij,jk,ik->i", away, self.precision, away))

    def log_density(self, parameters: FloatArray) -> FloatArray:
        """Of the posterior, up to a constant, of rows of parameters (rows, p): (rows,)."""
        rows = max(1, _TOGETHER // self.data.columns.n)
        parts = np.array_split(parameters, -(-len(parameters) // rows))
        chances = np.concatenate([*map(self._log_chances, parts)])
        return np.asarray(self.log_prior(parameters) + chances)

    def _log_chances(self, parameters: FloatArray) -> FloatArray:
        eta = parameters @ self.data.columns.orthogonal
        reports = Reports(self.data.device, Truth(eta, self.data.link))
        return np.asarray(np.log(reports.probability).sum(axis=1))

    def maximum(self) -> _Point:
        """From the prior's centre. Raises ConvergenceError."""
        box = Box.of(self.data.columns.count)
        try:
            return maximise(self.at, self.center, box, _safe_part)[0]
        except (Flat, Unsettled) as failure:
            remedy = "the posterior has no maximum that could be reached: give a narrower prior"
            raise ConvergenceError("posterior", "no maximum", remedy) from failure

    def chain(self, draws: int, rng: np.random.Generator) -> tuple[FloatArray, float]:
        """States (draws, p), and the share of proposals that were accepted.

        The chain begins at a proposal, and what it did at first is left out.
        """
        maximum, count = self.maximum(), draws + _LEFT_OUT
        root = np.asarray(np.linalg.cholesky(maximum.observed))
        normal = rng.standard_normal((count, len(self.center)))
        steps = normal * np.sqrt(_DEGREES / rng.chisquare(_DEGREES, count))[:, None]
        proposals = maximum.parameters + _turned(root, steps)
        tails = -0.5 * (_DEGREES + steps.shape[1]) * np.log1p((steps**2).sum(axis=1) / _DEGREES)
        states = _accepted(self.log_density(proposals) - tails, rng)[_LEFT_OUT:]
        return proposals[states], float(np.mean(states == np.arange(_LEFT_OUT, count)))


def _turned(root: FloatArray, steps: FloatArray) -> FloatArray:
    """Steps (count, p) with the inverse of the information L L' as their covariance."""
    return np.asarray(scipy.linalg.solve_triangular(root, steps.T, lower=True, trans="T").T)


def _accepted(log_weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """The number of the proposal in which the chain stands at each step: (steps,)."""
    state, weights = 0, log_weights.tolist()
    states = np.empty(len(weights), dtype=np.int64)
    for proposal, threshold in enumerate(np.log(rng.random(len(weights))).tolist()):
        if threshold < weights[proposal] - weights[state]:
            state = proposal
        states[proposal] = state
    return states


def _safe_part(point: _Point, step: FloatArray) -> float:
    move = float(np.abs(step @ point.posterior.data.columns.orthogonal).max(initial=0.0))
    return part_within(_LONGEST_MOVE, move)


def _tails(draws: FloatArray, level: float) -> FloatArray:
    """Ends of the intervals with equal tails, of each column: (columns, 2)."""
    return np.asarray(np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0).T)


def _effective_draws(column: FloatArray) -> float:
    """The draws by the sum of their autocorrelations, as far as sums of pairs are above 0.

    Source: Geyer (1992), section 3.3, the initial positive sequence.
    """
    away = column - column.mean()
    # Twice as long, so that the end is not followed by the beginning.
    transformed = np.fft.rfft(away, 2 * len(away))
    products = np.fft.irfft(transformed * transformed.conj())[: len(away)]
    if not products[0] > 0:
        return 1.0
    pairs = (products[0::2][: len(away) // 2] + products[1::2][: len(away) // 2]) / products[0]
    end = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    return float(min(len(away), len(away) / max(2 * pairs[:end].sum() - 1, 1e-12)))
