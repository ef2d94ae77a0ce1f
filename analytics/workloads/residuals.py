"""Cross-tables with Gaussian noise in closed form: one weight for each set of questions.

Each question i has a Gram matrix X_i with unit diagonal: the identity for unordered levels, or the
optimum of its own CDF or ranges for ordered ones. With tau_i = 1' X_i^-1 1,

    E_i = 1 1' / tau_i,   F_i = X_i - E_i >= 0,
    X = sum_A x_A (x)_{i in A} F_i (x)_{i not in A} E_i,

over the sets A of questions that some table holds. The sensitivity squared is sum x_A p_A, the
error sum v_A / x_A, where p_A is the product of 1 - 1/tau_i in A and 1/tau_i outside, and v_A
sums, over the tables, the product of f_i in A and e_i outside: e_i = u_i' V_i u_i for u_i =
X_i^-1 1 / sqrt tau_i, f_i = tr(V_i X_i^-1) - e_i, V_i the Gram matrix of what the table asks of
question i. By Cauchy and Schwarz the best is

    x_A = sqrt(v_A / p_A) / sum_B sqrt(v_B p_B),   E_2 = (sum_A sqrt(v_A p_A))^2.

With identities alone this is the optimum over all strategies, the singular value bound, as in
ResidualPlanner (Xiao, He, Zhang, Kifer 2023); ordered bases are ours. All this is about adding or
removing a respondent; where one is replaced, the same matrices get other weights (``pairs``).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from analytics.privacy.accounting import Adjacency
from analytics.workloads.asks import Ask, OneWay, Tables
from analytics.workloads.checks import FloatArray, WorkloadError, checked_dense
from analytics.workloads.duals import GAP, best, strategy_of
from analytics.workloads.neighbours import optimum_of
from analytics.workloads.pairs import PairWeights, Places, pair_weights
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.threads import on_one_thread

# Sets of questions that one plan holds: 20 questions up to 3 together need 1,351.
MOST_SETS = 200_000
_ORDERED = (Ask.CDF, Ask.RANGES)
_POWERS = tuple(tenths / 10 for tenths in range(11))


@dataclass(frozen=True, eq=False)
class Base:
    """The Gram matrix X of one question, unit diagonal, and its inverse."""

    gram: FloatArray
    inverse: FloatArray

    @classmethod
    def identity(cls, levels: int) -> "Base":
        """Every level by itself."""
        return cls(np.eye(levels), np.eye(levels))

    @classmethod
    def for_ask(cls, ask: Ask, levels: int) -> "Base":
        """The identity for counts and totals; for a CDF or ranges what is best for them alone."""
        if ask not in _ORDERED or levels < 3:
            return cls.identity(levels)
        workload = OneWay(ask, checked_dense(levels))
        strategy = strategy_of(workload, optimum_of(workload))
        # Equal norms: raising a column costs nothing and only helps.
        scaled = strategy / np.linalg.norm(strategy, axis=0)
        gram = scaled.T @ scaled
        return cls(gram, np.linalg.inv(gram))

    @property
    def tau(self) -> float:
        """1' X^-1 1: 1 / tau of the unit diagonal belongs to the question's total."""
        return float(self.inverse.sum())

    @property
    def agreement(self) -> float:
        """The least entry of F relative to its diagonal; 1 for a single level (``pairs``)."""
        rest = 1 - 1 / self.tau
        return float(self.gram.min() - 1 / self.tau) / rest if len(self.gram) > 1 else 1.0

    def by_itself(self, asked: FloatArray) -> "Base":
        """The best power X^q, q from 0 to 1, where replacing a respondent is hidden (``pairs``).

        With its diagonal scaled to 1, the error of one question by itself is 2 (1 - min X) f. The
        identity, q = 0, is best for 3 levels; 10 levels gain 4 % of a margin. In tables with other
        questions X itself is best, to 1 %.
        """
        values, vectors = np.linalg.eigh(self.gram)
        bases = []
        for power in _POWERS:
            gram = (vectors * values**power) @ vectors.T
            lengths = np.sqrt(gram.diagonal())
            gram = gram / np.outer(lengths, lengths)
            bases.append(Base(gram, np.linalg.inv(gram)))
        return min(bases, key=lambda base: (1 - base.gram.min()) * base.shares(asked)[1])

    def shares(self, asked: FloatArray) -> tuple[float, float]:
        """e and f for the Gram matrix of what is asked: the error by the total, and by the rest."""
        along = self.inverse.sum(axis=1)
        by_total = float(along @ asked @ along) / self.tau
        return by_total, max(float(np.sum(asked * self.inverse)) - by_total, 0.0)


@dataclass(frozen=True, eq=False)
class ResidualPlan:
    """Weights x_A of sets of questions, at a sensitivity of 1, and the error E_2."""

    tables: Tables
    bases: tuple[Base, ...]
    weights: dict[Places, float]
    error: float

    @cached_property
    def shares(self) -> dict[Places, float]:
        """x_A p_A, the share of mu^2 of each set: they sum to 1."""
        taus = [base.tau for base in self.bases]
        return {
            chosen: weight
            * math.prod((1 - 1 / t) if i in chosen else 1 / t for i, t in enumerate(taus))
            for chosen, weight in self.weights.items()
        }

    @cached_property
    def replacing(self) -> PairWeights:
        """The best shares, and their error, where replacing a respondent is hidden.

        The number of respondents is public then, and has no share.
        """
        root = math.sqrt(self.error)
        errors = {chosen: share * root for chosen, share in self.shares.items()}
        return pair_weights(errors, [base.agreement for base in self.bases])

    def residual_variances(self) -> dict[Places, float]:
        """ResidualPlanner's sigma^2 a set at rho = 1/2: noise sigma^2 Sub Sub' of its residual.

        For identities, where x_A = prod_{i not in A} n_i / sigma_A^2.
        """
        sizes = self.tables.sizes
        return {
            chosen: math.prod(n for x, n in enumerate(sizes) if x not in chosen) / weight
            for chosen, weight in self.weights.items()
        }

    def row_variances(self) -> tuple[float, ...]:
        """The mean variance of a row of each table at rho = 1/2, unweighted, in their order."""
        spread = _Spread.of(self.tables, self.bases)
        logs = {chosen: 1 / weight for chosen, weight in self.weights.items()}
        return tuple(
            sum(value * logs[chosen] for chosen, value in of_table.items()) / part.rows
            for of_table, part in zip(spread.by_table, self.tables.parts, strict=True)
        )


@dataclass(frozen=True, eq=False)
class _Spread:
    """p_A, and v_A of each table by itself (unweighted)."""

    prices: dict[Places, float]
    by_table: tuple[dict[Places, float], ...]

    @classmethod
    def of(cls, tables: Tables, bases: Sequence[Base]) -> "_Spread":
        sets = sorted(set(_subsets(tables.tables)))
        inside = [1 - 1 / base.tau for base in bases]
        outside = [1 / base.tau for base in bases]
        prices = {
            chosen: math.prod(inside[n] if n in chosen else outside[n] for n in range(len(bases)))
            for chosen in sets
        }
        shares = _shares(tables, bases)
        by_table = tuple(_of_table(table, bases, shares) for table in tables.tables)
        return cls(prices, by_table)

    def totals(self, weights: Sequence[float]) -> dict[Places, float]:
        """v_A: the tables' errors, each times its weight squared."""
        totals = dict.fromkeys(self.prices, 0.0)
        for of_table, weight in zip(self.by_table, weights, strict=True):
            for chosen, value in of_table.items():
                totals[chosen] += weight**2 * value
        return totals


@on_one_thread
def plan_tables(
    tables: Tables, ordered: bool = True, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE
) -> ResidualPlan:
    """The closed form for these tables. With ``ordered`` false every base is an identity.

    ``adjacency`` decides the bases of ordered questions in tables of their own. Levels: at most
    4,096 of an ordered question. Raises WorkloadError.
    """
    bases = _bases(tables, ordered, adjacency)
    spread = _Spread.of(tables, bases)
    error, weights = _best(spread, spread.totals(tables.weights))
    return ResidualPlan(tables, bases, weights, error)


def plan_worst(tables: Tables, gap: float = GAP) -> tuple[ResidualPlan, float, float]:
    """The plan whose largest mean variance of a table's rows is least, at rho = 1/2; identities.

    Returns the plan and a bracket: a lower bound and what the plan reaches. The dual takes weights
    l >= 0 of the tables, with sum 1, to E_2 of the mean variances weighted by l; as in ``duals``,
    the weights are proportional to l_S times the variance of table S at the optimum.
    """
    bases = _bases(tables, ordered=False)
    spread = _Spread.of(tables, bases)
    means = np.array([
        [of_table.get(chosen, 0.0) / part.rows for chosen in spread.prices]
        for of_table, part in zip(spread.by_table, tables.parts, strict=True)
    ])  # fmt: skip
    prices = np.array(list(spread.prices.values()))

    def diagonal(weights: FloatArray) -> FloatArray:
        asked = weights @ means
        ratio = np.sqrt(np.divide(prices, asked, out=np.zeros_like(asked), where=asked > 0))
        return np.asarray(weights * (means @ ratio))

    certified = best(diagonal, len(tables.tables), gap)
    pairs = zip(certified.mu, tables.parts, strict=True)
    error, weights = _best(spread, spread.totals([math.sqrt(mu / part.rows) for mu, part in pairs]))
    return ResidualPlan(tables, bases, weights, error), certified.lower, certified.upper


def _bases(
    tables: Tables, ordered: bool, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE
) -> tuple[Base, ...]:
    pairs = list(zip(tables.asks, tables.sizes, strict=True))
    if not ordered:
        return tuple(Base.identity(size) for _, size in pairs)
    made = {pair: Base.for_ask(*pair) for pair in set(pairs)}
    if adjacency is Adjacency.ADD_OR_REMOVE:
        return tuple(made[pair] for pair in pairs)
    joined = {position for table in tables.tables if len(table) > 1 for position in table}
    alone = {pairs[position] for position in range(len(pairs)) if position not in joined}
    by_itself = {
        pair: made[pair].by_itself(OneWay(*pair).gram()) if pair[0] in _ORDERED else made[pair]
        for pair in alone
    }
    return tuple(
        (made if position in joined else by_itself)[pair] for position, pair in enumerate(pairs)
    )


def _best(spread: _Spread, totals: dict[Places, float]) -> tuple[float, dict[Places, float]]:
    root = {chosen: math.sqrt(totals[chosen] * spread.prices[chosen]) for chosen in spread.prices}
    total = sum(root.values())
    # Sets that cost nothing or that no table asks for take no part (questions with one level).
    return total**2, {
        chosen: value / spread.prices[chosen] / total for chosen, value in root.items() if value > 0
    }


def _subsets(tables: Sequence[Places]) -> Iterator[Places]:
    """Every set of questions that some table holds, the empty one included."""
    if sum(2 ** len(table) for table in tables) > MOST_SETS:
        raise WorkloadError("tables", len(tables), sentence("choose fewer or smaller tables"))
    for table in tables:
        for size in range(len(table) + 1):
            yield from combinations(table, size)


def _shares(tables: Tables, bases: Sequence[Base]) -> list[tuple[float, float]]:
    """(e, f) of each question, where a table holds it."""
    made: dict[tuple[Ask, Base], tuple[float, float]] = {}
    for ask, size, base in zip(tables.asks, tables.sizes, bases, strict=True):
        if (ask, base) not in made:
            made[ask, base] = base.shares(OneWay(ask, size).gram())
    return [made[pair] for pair in zip(tables.asks, bases, strict=True)]


def _of_table(
    table: Places, bases: Sequence[Base], shares: Sequence[tuple[float, float]]
) -> dict[Places, float]:
    """v_A of one table: e_i = tau_i and f_i = 0 for the questions that it does not hold."""
    outside = math.prod(base.tau for position, base in enumerate(bases) if position not in table)
    return {
        chosen: outside * math.prod(shares[position][position in chosen] for position in table)
        for size in range(len(table) + 1)
        for chosen in combinations(table, size)
    }
