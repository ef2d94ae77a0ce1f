"""Duals: the least error of Gaussian noise for any workload, with a certificate.

The least E_2 of a workload with Gram matrix V is min tr(V X^-1) over X > 0 with diag X <= 1, where
X = A'A. Its dual is max over mu >= 0, sum mu = 1, of (tr M)^2 with

    M = (D^1/2 V D^1/2)^1/2,   D = diag mu

(Yuan, Yang, Zhang and Hao 2016 solve the primal; the dual with uniform mu is the singular value
bound of Li and Miklau 2013). Every mu certifies both sides: X = D^-1/2 M D^-1/2, scaled to a
largest diagonal entry of 1, has the error ``upper`` = tr M max(M_ii / mu_i), and no strategy has
less than ``lower`` = (tr M)^2 / sum mu. With V = F'F and F of full row rank this is
X = F' (F D F')^-1/2 F, which divides by no weight: many are next to 0 where the workload has a
lower rank than cells, and what they divide would be rounding.

At the optimum mu is proportional to diag M, so that mu <- diag M is iterated (Denisov, McMahan,
Rush, Smith and Thakurta 2022); in logarithms, and with Anderson's mixing (Walker and Ni 2011),
because plain steps shrink the gap of a CDF by a tenth only.

Where replacing a respondent is hidden, their number is public, and the distance of two columns is
what counts: (e_a - e_b)' X (e_a - e_b) <= 1 for all pairs of cells. The number answers along 1 for
free, so that V is taken beside it. Weights mu_ab of pairs, and L = sum mu_ab (e_a - e_b)(e_a -
e_b)' for D, certify in the same way: tr V X^+ tr L X >= (tr (F L F')^1/2)^2, tr L X <= sum mu.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analytics.workloads.asks import Workload
from analytics.workloads.checks import FloatArray, WorkloadError
from surveys.randomized_response.checks import checked_number

# The gap at which a plan counts as best possible.
GAP = 1e-6
# Steps that Anderson's mixing looks back: 4 to 10 take 7 to 40 steps, more takes no fewer.
_MEMORY = 8
_MOST_STEPS = 500
# Steps without a better plan after which the mixing starts afresh from a plain step.
_PATIENCE = 12
# A cell whose level need not be held down has a weight of 0 at the optimum: it stops at rounding,
# from where it comes back within the steps if it was thrown there.
_LEAST_LOG = -36.0
_TINY = 1e-300
_ROUNDING = 8 * np.finfo(float).eps
# One step takes 0.3 s at this size, and a workload of lower rank than cells hundreds of them.
MOST_OPTIMISED = 1_024
# Directions of the mixing that differ by rounding alone are dropped.
_RCOND = 1e-10
# Cells that nothing asks for, relative to the one that is asked most.
_UNASKED = 1e-14

Diagonal = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Certified:
    """No strategy has an E_2 below ``lower``, and one has ``upper``, by weights ``mu`` of cells.

    Of pairs of cells where replacing a respondent is hidden.
    """

    mu: FloatArray
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """At most this share of the error could still be saved."""
        return max(self.upper / self.lower - 1, 0.0)


def best(diagonal: Diagonal, cells: int, gap: float = GAP, steps: int = _MOST_STEPS) -> Certified:
    """Weights within ``gap`` of the optimum, or the best of ``steps``, which say their gap.

    ``diagonal`` takes mu (cells,) to diag M, all above 0. Raises WorkloadError for a gap that
    rounding cannot reach (below 1e-9) or that says nothing (1 and above).
    """
    goal = float(checked_number("gap", gap, WorkloadError))
    if not 1e-9 <= goal < 1:
        raise WorkloadError("gap", gap, "give a relative gap from 1e-9 to below 1")
    logs, certified = np.zeros(cells), Certified(np.ones(cells), 0.0, math.inf)
    tried: list[FloatArray] = []
    reached: list[FloatArray] = []
    lower, since = 0.0, 0
    for _ in range(steps):
        mu = np.exp(np.maximum(logs - logs.max(), _LEAST_LOG))
        mu /= mu.sum()
        there = diagonal(mu)
        trace = float(there.sum())
        upper = trace * float((there / mu).max())
        lower = max(lower, trace**2)
        since += 1
        if upper < certified.upper:
            certified, since = Certified(mu, lower, upper), 0
        if certified.upper / lower - 1 < goal:
            break
        memory = _MEMORY if since < _PATIENCE else 1
        tried = [*tried, np.log(mu)][-memory:]
        reached = [*reached, np.log(np.maximum(there / trace, _TINY))][-memory:]
        logs = _mixed(tried, reached)
    return Certified(certified.mu, lower, certified.upper)


def singular_value_bound(workload: Workload) -> float:
    """||W||_*^2 / cells: no strategy has a smaller E_2 (Li and Miklau 2013). Dense algebra."""
    values = np.linalg.eigvalsh(workload.gram())
    return float(np.sqrt(np.maximum(values, 0)).sum() ** 2 / workload.cells)


def optimum(workload: Workload, gap: float = GAP, steps: int = _MOST_STEPS) -> Certified:
    """The certified optimum of any workload with at most 1,024 cells. Raises WorkloadError.

    ``mu`` is 0 for cells that nothing asks for. Where the workload has a lower rank than cells, the
    last digits of the gap take long: ``gap`` says what was reached.
    """
    if workload.cells > MOST_OPTIMISED:
        remedy = f"this method plans for at most {MOST_OPTIMISED:,} cells"
        raise WorkloadError("cells", f"{workload.cells:,}", remedy)
    gram = workload.gram()
    asked = _asked(gram)
    diagonal = _dense_diagonal(gram[np.ix_(asked, asked)])
    certified = best(diagonal, int(asked.sum()), gap, steps)
    mu = np.zeros(len(gram))
    mu[asked] = certified.mu
    return Certified(mu, certified.lower, certified.upper)


def replaced_optimum(workload: Workload, gap: float = GAP, steps: int = _MOST_STEPS) -> Certified:
    """The certified optimum where replacing a respondent is hidden and their number is public.

    ``mu`` are weights of pairs of cells, in the order of ``numpy.triu_indices``: at most 1,024
    cells. Raises WorkloadError, also where only the number of respondents is asked.
    """
    if workload.cells > MOST_OPTIMISED:
        remedy = f"this method plans for at most {MOST_OPTIMISED:,} cells"
        raise WorkloadError("cells", f"{workload.cells:,}", remedy)
    gram = workload.gram()
    rest = gram - gram.mean(axis=0)
    rest -= rest.mean(axis=1)[:, None]
    if np.abs(rest).max() <= _UNASKED * np.abs(gram).max():
        raise WorkloadError("workload", gram.shape, "ask for more than the number of respondents")
    factor, (first, second) = _factor(rest), np.triu_indices(len(gram), 1)

    def diagonal(mu: FloatArray) -> FloatArray:
        pairs = np.zeros_like(gram)
        pairs[first, second] = pairs[second, first] = mu
        values, vectors = np.linalg.eigh(factor @ (np.diag(pairs.sum(axis=0)) - pairs) @ factor.T)
        half = (_raised(values) ** -0.25)[:, None] * (vectors.T @ factor)
        ideal = half.T @ half
        own = ideal.diagonal()
        return np.asarray(mu * (own[first] + own[second] - 2 * ideal[first, second]))

    return best(diagonal, len(first), gap, steps)


def strategy_of(workload: Workload, certified: Certified) -> FloatArray:
    """A strategy A with A'A = D^-1/2 M D^-1/2 scaled to a largest column norm of 1; rows x cells.

    A = (F D F')^-1/4 F, as many rows as the workload's rank.
    """
    asked = certified.mu > 0
    factor = _factor(workload.gram()[np.ix_(asked, asked)])
    values, vectors = _spectrum(factor, certified.mu[asked])
    ideal = (vectors * values**-0.25) @ vectors.T @ factor
    strategy = np.zeros((len(factor), len(asked)))
    strategy[:, asked] = ideal / np.linalg.norm(ideal, axis=0).max()
    return strategy


def _asked(gram: FloatArray) -> np.ndarray:
    diagonal = gram.diagonal()
    if not diagonal.max() > 0:
        raise WorkloadError("workload", gram.shape, "ask for something: every row is 0")
    return np.asarray(diagonal > _UNASKED * diagonal.max())


def _dense_diagonal(gram: FloatArray) -> Diagonal:
    factor = _factor(gram)

    def diagonal(mu: FloatArray) -> FloatArray:
        values, vectors = _spectrum(factor, mu)
        return np.asarray(mu * ((factor.T @ vectors) ** 2 @ values**-0.5))

    return diagonal


def _factor(gram: FloatArray) -> FloatArray:
    """F with F'F = V: a row for each eigenvalue of V that is more than rounding."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > _ROUNDING * len(values) * values[-1]
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)


def _spectrum(factor: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues and eigenvectors of F D F', none of them below rounding.

    Those that are raised lower ``lower``. They come of weights that leave out a direction which is
    asked for: it is divided by their root, so that ``upper`` is far from the best.
    """
    values, vectors = np.linalg.eigh((factor * mu) @ factor.T)
    return _raised(values), vectors


def _raised(values: FloatArray) -> FloatArray:
    return np.asarray(np.maximum(values, _ROUNDING * len(values) * values[-1]))


def _mixed(tried: list[FloatArray], reached: list[FloatArray]) -> FloatArray:
    """The next point: that combination of the last steps whose residual is least.

    Residuals count by the cells' weights, which Walker and Ni do not have: in logarithms a weight
    on its way to 0 moves by the same amount in every step, so that counted alike it would take the
    mixing from all others.
    """
    if len(tried) == 1:
        return reached[0]
    steps = np.array(reached)
    residuals = steps - np.array(tried)
    mu = np.exp(tried[-1])
    changes = np.diff(residuals, axis=0) * mu
    weights = np.linalg.lstsq(changes.T, residuals[-1] * mu, rcond=_RCOND)[0]
    return np.asarray(steps[-1] - weights @ np.diff(steps, axis=0))
