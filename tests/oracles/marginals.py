"""Weighted marginals: whole tables of counts, each with its own weight, under Laplace noise.

A strategy of marginals with weights th_S >= 0, sum 1, has L1 sensitivity 1. All marginals commute,
so that A'A has one eigenvalue on the interactions of each set A of questions,

    x_A = sum_{S >= A} th_S^2 c_S,   c_S = the product of the levels outside S,

and the error is sum_A v_A / x_A, where v_A sums the same over the tables asked, times the dimension
of the interactions (McKenna, Miklau, Hay, Machanavajjhala 2018). Not convex: the best
of several starts is kept, the full table (the identity) always among them. Under Gaussian noise
residuals are better (``residuals``).
"""

import math
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter

import numpy as np

from analytics.workloads.asks import Ask, Tables
from analytics.workloads.checks import FloatArray, WorkloadError
from analytics.workloads.windows import descend

Places = tuple[int, ...]

# 2^d marginals: 4,096 weights for 12 questions.
MOST_QUESTIONS = 12
_STARTS = 30
_STEPS = 2_000


@dataclass(frozen=True, eq=False)
class WeightedMarginals:
    """Marginals by the positions of their questions, with weights above 0 that sum to 1; E_1."""

    weights: dict[Places, float]
    error: float


def plan_marginals(
    tables: Tables, rng: np.random.Generator, starts: int = _STARTS
) -> WeightedMarginals:
    """The best weights found for tables of counts. Raises WorkloadError for other asks."""
    _check(tables)
    sets = [
        chosen
        for size in range(len(tables.sizes) + 1)
        for chosen in combinations(range(len(tables.sizes)), size)
    ]
    problem = _MarginalProblem.of(tables, sets)
    best = min((problem.descend(start) for start in problem.starts(rng, starts)), key=itemgetter(1))
    weights = np.where(best[0] > 1e-9, best[0], 0.0)
    weights /= weights.sum()
    kept = {chosen: float(th) for chosen, th in zip(sets, weights, strict=True) if th > 0}
    return WeightedMarginals(kept, problem.error(weights))


@dataclass(frozen=True, eq=False)
class _MarginalProblem:
    """``holds[A, S]`` is 1 where marginal S holds the set A; ``cells`` c_S; ``asked`` v_A."""

    holds: FloatArray
    cells: FloatArray
    asked: FloatArray

    @classmethod
    def of(cls, tables: Tables, sets: list[Places]) -> "_MarginalProblem":
        sizes = tables.sizes
        cells = {
            chosen: float(math.prod(n for i, n in enumerate(sizes) if i not in chosen))
            for chosen in sets
        }
        pairs = list(zip(tables.tables, tables.weights, strict=True))
        asked = [
            math.prod(sizes[i] - 1 for i in chosen)
            * sum(weight**2 * cells[table] for table, weight in pairs if set(chosen) <= set(table))
            for chosen in sets
        ]
        masks = np.array([sum(1 << i for i in chosen) for chosen in sets])
        holds = (masks[:, None] & masks) == masks[:, None]
        return cls(holds.astype(float), np.array([cells[s] for s in sets]), np.array(asked, float))

    def error(self, weights: FloatArray) -> float:
        """E_1 of weights with sum 1; infinite where something asked is not answered."""
        values = self.holds @ (weights**2 * self.cells)
        wanted = self.asked > 0
        if not (values[wanted] > 0).all():
            return math.inf
        return float((self.asked[wanted] / values[wanted]).sum())

    def starts(self, rng: np.random.Generator, number: int) -> list[FloatArray]:
        """Logarithms of weights: near the full table, even, and at random."""
        count = len(self.cells)
        full = np.full(count, -8.0)
        full[-1] = 0.0
        spread = rng.uniform(0.5, 6.0, number)
        return [full, np.zeros(count), *(rng.normal(0, sd, count) for sd in spread)]

    def descend(self, logs: FloatArray) -> tuple[FloatArray, float]:
        """The weights at the end of a descent in their logarithms, and log E_1."""
        point, least = descend(self._slope, logs, _STEPS)
        weights = np.exp(point - point.max())
        return weights / weights.sum(), least

    def _slope(self, logs: FloatArray) -> tuple[float, FloatArray]:
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        # A floor far below any weight that matters keeps the slope finite.
        values = self.holds @ (weights**2 * self.cells) + 1e-30
        error = float((self.asked / values).sum())
        by_weight = -2 * weights * self.cells * (self.holds.T @ (self.asked / values**2)) / error
        slope = weights * (by_weight - float(weights @ by_weight))
        return math.log(error), np.asarray(slope)


def _check(tables: Tables) -> None:
    if len(tables.sizes) > MOST_QUESTIONS:
        raise WorkloadError("sizes", len(tables.sizes), f"at most {MOST_QUESTIONS} questions")
    if any(ask is not Ask.COUNTS for ask in tables.asks):
        raise WorkloadError("asks", tables.asks, "weighted marginals answer counts alone")
