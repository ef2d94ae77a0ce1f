"""Weighted marginals: whole tables of counts, each with its own weight, under Laplace noise.

A strategy of marginals with weights th_S >= 0, sum 1, has L1 sensitivity 1. All marginals commute,
so that A'A has one eigenvalue on the interactions of each set A of questions,

    x_A = sum_{S >= A} th_S^2 c_S,   c_S = the product of the levels outside S,

and the error is sum_A v_A / x_A, where v_A sums the same over the tables asked, times the dimension
of the interactions (McKenna, Miklau, Hay, Machanavajjhala 2018). Not convex: the best
of several starts is kept, the full table (the identity) always among them. No descent changes which
few marginals a strategy holds: from the best ends, and from the tables themselves, marginals are
joined or left out and questions changed or moved while that gains. Under Gaussian noise residuals
are better (``residuals``).

Nothing is certified: the dual of this problem is that of its convex hull, where the squares of the
weights are what is shared. It is tight only where one marginal is best by itself.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
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
# A weight that answers something, and a share of the error that is worth another step.
_USED = 1e-6
_GAIN = 1e-6
_CLIMBED = 6


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
    descents = sorted(map(problem.descend, problem.starts(rng, starts)), key=itemgetter(1))
    ends = list(dict.fromkeys(_used(weights) for weights, _ in descents))
    asked = frozenset(order for order, chosen in enumerate(sets) if chosen in set(tables.tables))
    climbed = map(problem.climbed, dict.fromkeys([asked, *ends[:_CLIMBED]]))
    weights, _ = min([*climbed, problem.rounded(descents[0][0])], key=itemgetter(1))
    kept = {chosen: float(th) for chosen, th in zip(sets, weights, strict=True) if th > 0}
    return WeightedMarginals(kept, problem.error(weights))


@dataclass(frozen=True, eq=False)
class _MarginalProblem:
    """``holds[A, S]`` is 1 where marginal S holds the set A; ``cells`` c_S; ``asked`` v_A.

    ``masks`` are the questions of each marginal as bits.
    """

    holds: FloatArray
    cells: FloatArray
    asked: FloatArray
    masks: tuple[int, ...] = ()

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
        counts = np.array([cells[s] for s in sets])
        return cls(holds.astype(float), counts, np.array(asked, float), tuple(masks.tolist()))

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

    def climbed(self, used: frozenset[int]) -> tuple[FloatArray, float]:
        """Weights and E_1 after changes of the marginals that are used, while they gain."""
        best = self._on(used)
        while True:
            tried = (self._on(others) for others in self._next(_used(best[0])))
            gaining = next((each for each in tried if each[1] < best[1] * (1 - _GAIN)), None)
            if gaining is None:
                return best
            best = gaining

    def _on(self, used: frozenset[int]) -> tuple[FloatArray, float]:
        """The best weights of these marginals alone, and E_1."""
        chosen = sorted(used)
        part = _MarginalProblem(self.holds[:, chosen], self.cells[chosen], self.asked)
        weights = np.zeros(len(self.cells))
        if not part.holds[self.asked > 0].any(axis=1).all():
            return weights, math.inf
        weights[chosen], _ = part.descend(-np.log(self.cells[chosen]) / 3)
        return self.rounded(weights)

    def rounded(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """Without weights that answer nothing, and E_1."""
        kept = np.where(weights > _USED, weights, 0.0)
        kept /= kept.sum()
        return kept, self.error(kept)

    def _next(self, used: frozenset[int]) -> Iterator[frozenset[int]]:
        """Two joined, a question moved to another, the number, one left out, a question changed."""
        order_of = {mask: order for order, mask in enumerate(self.masks)}
        questions = [1 << bit for bit in range(max(self.masks).bit_length())]
        named = [self.masks[order] for order in used]
        for first, second in permutations(named, 2):
            rest = [mask for mask in named if mask not in (first, second)]
            yield frozenset(order_of[mask] for mask in (*rest, first | second))
            for question in questions:
                if first & question and not second & question:
                    moved = (first & ~question, second | question)
                    yield frozenset(order_of[mask] for mask in (*rest, *moved))
        yield used | {order_of[0]}
        for mask in named:
            rest = [other for other in named if other != mask]
            yield frozenset(order_of[other] for other in rest)
            for question in questions:
                yield frozenset(order_of[other] for other in (*rest, mask ^ question))
                yield frozenset(order_of[other] for other in (*named, mask ^ question))

    def _slope(self, logs: FloatArray) -> tuple[float, FloatArray]:
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        # A floor far below any weight that matters keeps the slope finite.
        values = self.holds @ (weights**2 * self.cells) + 1e-30
        error = float((self.asked / values).sum())
        by_weight = -2 * weights * self.cells * (self.holds.T @ (self.asked / values**2)) / error
        slope = weights * (by_weight - float(weights @ by_weight))
        return math.log(error), np.asarray(slope)


def _used(weights: FloatArray) -> frozenset[int]:
    return frozenset(np.flatnonzero(weights > _USED).tolist())


def _check(tables: Tables) -> None:
    if len(tables.sizes) > MOST_QUESTIONS:
        raise WorkloadError("sizes", len(tables.sizes), f"at most {MOST_QUESTIONS} questions")
    if any(ask is not Ask.COUNTS for ask in tables.asks):
        raise WorkloadError("asks", tables.asks, "weighted marginals answer counts alone")
