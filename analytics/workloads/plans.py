"""Plans: the strategy for a workload, the error of every number, and what the best could do.

A budget is a mu of Gaussian differential privacy for the whole release. ``NoiseLaw.GAUSSIAN`` is
the default: at the rho = epsilon^2 / 2 of zCDP that epsilon-DP implies (Bun and Steinke 2016,
proposition 1.4) its variance is at most half of Laplace's, for every strategy, because a column's
L2 norm is at most its L1 norm. Laplace noise itself has a smaller rho, at which it may be better.
``NoiseLaw.LAPLACE`` is for promises of pure epsilon; a ledger in mu takes an epsilon-DP release as
mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)): the Gaussian trade-off curve (Dong, Roth and Su 2022)
through the corner (1 / (1 + e^epsilon), 1 / (1 + e^epsilon)) of that of epsilon-DP lies below it.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.special import erfinv, expit, ndtri

from analytics.privacy.accounting import Adjacency
from analytics.privacy.checks import checked_positive
from analytics.privacy.lattice import lattice_sd_for
from analytics.workloads.asks import Ask, OneWay, Workload
from analytics.workloads.checks import FloatArray, StrategyError, WorkloadError
from analytics.workloads.duals import GAP, MOST_OPTIMISED, Certified, optimum, strategy_of
from analytics.workloads.integers import IntegerStrategy, predicted, predicted_pure, rounded
from analytics.workloads.multiscale import Multiscale, multiscale
from analytics.workloads.neighbours import optimum_of
from analytics.workloads.strategies import expected_error, identity, sensitivity, total
from analytics.workloads.windows import plan_windows
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.threads import on_one_thread

_ORDERED = (Ask.CDF, Ask.RANGES)
# Of the bound beside a plan for thousands of levels.
_LARGE_GAP = 1e-5
_ROUNDING = 1e-9  # of an error: far above that of doubles, far below what a plan shows


class NoiseLaw(StrEnum):
    """The law of the noise: what a release promises decides."""

    GAUSSIAN = "gaussian"
    LAPLACE = "laplace"


@dataclass(frozen=True, eq=False)
class WorkloadPlan:
    """A strategy with sensitivity 1 and what it costs in error.

    ``error`` is E_p of the strategy; ``lower`` is what no strategy can go below, None for Laplace
    noise, where no useful bound is known; ``name`` is the strategy's own.
    """

    workload: Workload
    noise: NoiseLaw
    adjacency: Adjacency
    name: str
    strategy: FloatArray
    error: float
    lower: float | None

    @property
    def gap(self) -> float | None:
        """At most this share of the total squared error could still be saved."""
        return None if self.lower is None else max(self.error / self.lower - 1, 0.0)

    def integers(self) -> IntegerStrategy:
        """The strategy as it is released."""
        return rounded(self.strategy)

    def standard_errors(self, mu: float) -> FloatArray:
        """Of every number asked, (rows,), for Gaussian noise that costs ``mu``; nothing is spent.

        Raises StrategyError for a plan with Laplace noise.
        """
        if self.noise is not NoiseLaw.GAUSSIAN:
            raise StrategyError("noise", self.noise, "plan for Gaussian noise")
        return predicted(self.workload, self.integers(), mu, self.adjacency)

    def pure_standard_errors(self, epsilon: float) -> FloatArray:
        """Of every number asked, (rows,), for Laplace noise that costs ``epsilon``.

        Raises StrategyError for a plan with Gaussian noise.
        """
        if self.noise is not NoiseLaw.LAPLACE:
            raise StrategyError("noise", self.noise, "plan for Laplace noise")
        return predicted_pure(self.workload, self.integers(), epsilon, self.adjacency)

    def rms(self, budget: float) -> float:
        """The root mean squared error of a number: ``budget`` is mu (Gaussian) or epsilon."""
        amount = checked_positive("budget", budget, StrategyError)
        per_row = 1.0 if self.noise is NoiseLaw.GAUSSIAN else 2.0
        return math.sqrt(per_row * self.error / self.workload.rows) / amount

    def least_rms(self, mu: float) -> float | None:
        """What even the best strategy cannot go below."""
        if self.lower is None:
            return None
        return math.sqrt(self.lower / self.workload.rows) / checked_positive("mu", mu)


@dataclass(frozen=True, eq=False)
class RangesPlan:
    """A strategy without a matrix, for Gaussian noise on a CDF or ranges of thousands of levels.

    ``error`` is its E_2, with that sensitivity which is charged; ``lower`` is what no strategy can
    go below, None under replace-one. What is asked is read off as ranges: ``publish_ranges``.
    """

    workload: OneWay
    adjacency: Adjacency
    strategy: Multiscale
    error: float
    lower: float | None
    name: str = "multiscale"
    noise: NoiseLaw = NoiseLaw.GAUSSIAN

    @property
    def gap(self) -> float | None:
        """At most this share of the total squared error could still be saved."""
        return None if self.lower is None else max(self.error / self.lower - 1, 0.0)

    def standard_errors(self, mu: float, firsts: object, lasts: object) -> FloatArray:
        """Of the counts from level ``firsts`` to ``lasts``, for noise that costs ``mu``.

        Nothing is spent. Raises StrategyError for ranges upside down or outside.
        """
        variances = self.strategy.variances(firsts, lasts)
        sd = lattice_sd_for(self.strategy.sensitivity(2, self.adjacency), mu)
        return np.asarray(sd * np.sqrt(variances))

    def rms(self, mu: float) -> float:
        """The root mean squared error of a number asked."""
        checked = checked_positive("mu", mu, StrategyError)
        return math.sqrt(self.error / self.workload.rows) / checked

    def least_rms(self, mu: float) -> float | None:
        """What even the best strategy cannot go below."""
        if self.lower is None:
            return None
        return math.sqrt(self.lower / self.workload.rows) / checked_positive("mu", mu)


@on_one_thread
def plan_ranges(workload: OneWay, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE) -> RangesPlan:
    """The multiscale strategy for a CDF or ranges of 3 to 16,384 levels. Raises WorkloadError.

    Identity and total are no candidates: from 1,025 levels on they are many times worse.
    """
    strategy = multiscale(workload)
    is_hidden = adjacency is Adjacency.ADD_OR_REMOVE
    lower = optimum_of(workload, _LARGE_GAP).lower if is_hidden else None
    return RangesPlan(workload, adjacency, strategy, strategy.expected_error(adjacency), lower)


@on_one_thread
def plan(
    workload: Workload,
    noise: NoiseLaw = NoiseLaw.GAUSSIAN,
    adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
    rng: np.random.Generator | None = None,
) -> WorkloadPlan | RangesPlan:
    """The best of the strategies for this workload; identity and total are always candidates.

    Up to 1,024 cells; the Laplace search takes its starts from ``rng``. A CDF or ranges of more
    levels, up to 16,384, under Gaussian noise are planned by ``plan_ranges``; cross-tables of any
    size by ``residuals.plan_tables``. Raises WorkloadError, also where the number of
    respondents alone is asked under replace-one, which does not hide it.
    """
    if workload.cells > MOST_OPTIMISED:
        if noise is NoiseLaw.GAUSSIAN and isinstance(workload, OneWay) and workload.ask in _ORDERED:
            return plan_ranges(workload, adjacency)
        remedy = f"plan for at most {MOST_OPTIMISED:,} cells at once"
        raise WorkloadError("cells", f"{workload.cells:,}", remedy)
    certified = _certified(workload) if noise is NoiseLaw.GAUSSIAN else None
    candidates = {"identity": identity(workload.cells), "total": total(workload.cells)}
    if certified is not None:
        candidates["optimum"] = strategy_of(workload, certified)
    elif isinstance(workload, OneWay) and workload.ask in _ORDERED:
        seeded = np.random.default_rng(0) if rng is None else rng
        candidates["windows"] = plan_windows(workload, seeded).matrix()
    norm = 2 if noise is NoiseLaw.GAUSSIAN else 1
    errors = _errors(workload, candidates, norm, adjacency)
    least = min(error for error, _ in errors)
    # The search finds identity and total again, up to rounding: which is less differs by machine.
    error, name = next(candidate for candidate in errors if candidate[0] <= least * (1 + _ROUNDING))
    if error == 0:
        remedy = sentence(
            "publish the exact number at no cost, because this number does not change if one "
            "respondent is replaced by another"
        )
        raise WorkloadError("workload", sentence("the number of respondents"), remedy)
    chosen = candidates[name]
    lower = certified.lower if certified and adjacency is Adjacency.ADD_OR_REMOVE else None
    unit = chosen / sensitivity(chosen, norm, Adjacency.ADD_OR_REMOVE)
    return WorkloadPlan(workload, noise, adjacency, name, unit, error, lower)


def mu_of_epsilon(epsilon: float) -> float:
    """The mu that every epsilon-DP release has: what Laplace noise is charged in a ledger of mu."""
    checked = checked_positive("epsilon", epsilon)
    # Near 1/2 the quantile of a rounded probability loses digits, and rounding could charge less.
    small = 2 * math.sqrt(2) * float(erfinv(math.tanh(checked / 2)))
    exact = small if checked < 1 else float(-2 * ndtri(expit(-checked)))
    return exact * (1 + 1e-12)


def _certified(workload: Workload) -> Certified:
    if isinstance(workload, OneWay) and workload.ask in _ORDERED:
        return optimum_of(workload, GAP)
    return optimum(workload, GAP)


def _errors(
    workload: Workload, candidates: dict[str, FloatArray], norm: int, adjacency: Adjacency
) -> list[tuple[float, str]]:
    """The error of every candidate that answers the workload, with its name."""
    errors = []
    for name, strategy in candidates.items():
        try:
            errors.append((expected_error(workload, strategy, norm, adjacency), name))
        except StrategyError:
            # The total answers next to nothing; the identity answers everything.
            continue
    return errors
