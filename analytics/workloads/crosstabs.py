"""Cross-tables released set by set: integer residuals, each with its own noise, then every table.

For a set A of questions the counts m_A of its table are taken through one integer matrix R_i a
question, (levels - 1) x levels, close to 2^bits times a root of F_i (``residuals``), and noise is
added to (x)_A R_i m_A. The share of mu^2 of a set is x_A p_A; the shares sum to 1. Where one
respondent is replaced by another, charge and shares are those of the worst pair (``pairs``). With
[C_i c_i] = W_i [R_i; 1']^-1, what a table S asks is

    (x)_{i in S} W_i m_S = sum_{A in S} ((x)_{i in A} C_i (x)_{i in S, not in A} c_i) (x)_A R_i m_A,

because C_i R_i + c_i 1' = W_i exactly: unbiased for any R_i, and every total agrees with every
other, for each set is drawn once. The domain of all questions together is never built.

The empty set is the number of respondents. Where replacing one respondent is hidden, that number is
public: it is released as it is, with a noise of 0, at no cost.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from analytics.privacy.accounting import Adjacency
from analytics.privacy.checks import IntArray, checked_positive
from analytics.privacy.errors import NoiseError
from analytics.privacy.gaussian import compose
from analytics.privacy.lattice import charged_mu, lattice_sd_for
from analytics.privacy.mechanisms import Noise
from analytics.workloads.asks import OneWay, Tables, kronecker
from analytics.workloads.checks import FloatArray, StrategyError, WorkloadError
from analytics.workloads.integers import BITS, IntegerStrategy
from analytics.workloads.pairs import Places, replaced
from analytics.workloads.residuals import Base, ResidualPlan
from surveys.randomized_response.messages import figure, sentence

# Products of integer matrices and counts stay exact in 64 bits, with room for the noise.
_LARGEST_SUM = 2**61
# Of all questions of a table together: 2^25 = 33 million respondents fit beside them.
_BITS_OF_A_TABLE = 36
# The widest lattice noise is 1e15 (``privacy.checks``); entries round up, noise is up to 5 % wider.
_WIDEST_NOISE = 5e14
# So much less than mu is planned for, that what is charged, rounded up, never exceeds it.
_ROUNDING = 1e-12
_TOO_WIDE = sentence("put fewer questions into one table, or give the release more of the budget")


@dataclass(frozen=True, eq=False)
class Coded:
    """One question: its integer residuals R, levels - 1 rows, and C and c of what is asked."""

    residuals: IntArray
    by_residuals: FloatArray
    by_total: FloatArray

    @classmethod
    def of(cls, ask: OneWay, base: Base, bits: int = BITS) -> "Coded":
        """A root of F = X - 1 1' / tau in ``bits``, and the inverse that makes up for rounding.

        Raises StrategyError where so few bits cannot tell the levels apart.
        """
        rest = base.gram - 1 / base.tau
        values, vectors = np.linalg.eigh(rest)
        root = np.sqrt(np.maximum(values[1:], 0))[:, None] * vectors[:, 1:].T
        residuals = np.rint(root * 2.0**bits).astype(np.int64)
        square = np.vstack([residuals, np.ones((1, ask.cells), dtype=np.int64)])
        if np.linalg.matrix_rank(square) < ask.cells:
            raise StrategyError(
                "tables",
                sentence(
                    "{count} answers with {bits} bits of precision", count=ask.cells, bits=bits
                ),
                _TOO_WIDE,
            )
        answered = ask.matrix() @ np.linalg.inv(square)
        return cls(residuals, answered[:, :-1], answered[:, -1:])

    @cached_property
    def sensitivity_squared(self) -> int:
        """The largest squared norm of a column of R, exactly; 0 for a question with one level."""
        return IntegerStrategy(self.residuals).sensitivity_squared() if len(self.residuals) else 0

    @cached_property
    def agreement(self) -> float:
        """The least product of two columns of R, relative to that norm; 1 for one level."""
        if not len(self.residuals):
            return 1.0
        return int((self.residuals.T @ self.residuals).min()) / self.sensitivity_squared


@dataclass(frozen=True, eq=False)
class TablePlan:
    """How tables are released: the coded questions, and the noise of each set, in lattice units.

    A noise of 0 is that of the number of respondents where it is public; no other set has it.
    """

    tables: Tables
    questions: tuple[Coded, ...]
    noise: dict[Places, float]
    adjacency: Adjacency

    @classmethod
    def of(
        cls, plan: ResidualPlan, mu: float, adjacency: Adjacency = Adjacency.ADD_OR_REMOVE
    ) -> "TablePlan":
        """Noise for a charge of at most ``mu``. Raises NoiseError, AccountingError, WorkloadError,
        StrategyError (no integers of 64 bits for so wide a table at so small a charge).

        The number of respondents does not change where one is replaced by another: it gets neither
        noise nor charge, and the other sets share all of mu. Where nothing else is asked, there is
        nothing to plan (WorkloadError).
        """
        known = zip(
            plan.tables.asks, plan.tables.sizes, plan.bases, _bits(plan, mu, adjacency), strict=True
        )
        questions = tuple(
            Coded.of(OneWay(ask, size), base, bits) for ask, size, base, bits in known
        )
        made = cls(plan.tables, questions, {}, adjacency)
        for chosen, share in made.shares(plan).items():
            part = mu * math.sqrt(share)
            made.noise[chosen] = lattice_sd_for(made.sensitivity(chosen), part)
        if adjacency is Adjacency.REPLACE:
            made.noise[()] = 0.0
        return made

    def shares(self, plan: ResidualPlan, across: float = 1.0) -> dict[Places, float]:
        """The best shares of mu^2: what each set is charged for one respondent more or fewer.

        They come to 1 together, as ``together`` adds them, for the integers that are released.
        Raises WorkloadError where no set is left.
        """
        shares = _shares(plan, self.adjacency)
        if self.adjacency is Adjacency.ADD_OR_REMOVE:
            return shares
        charges = {chosen: math.sqrt(share) for chosen, share in shares.items()}
        spent = self.together(charges, across) ** 2 * (1 + _ROUNDING)
        return {chosen: share / spent for chosen, share in shares.items()}

    def together(self, charges: Mapping[Places, float], across: float = 1.0) -> float:
        """mu of all sets, from what each is charged for one respondent more or fewer.

        ``across`` is for tables at openings: see ``pairs.replaced``.
        """
        if self.adjacency is Adjacency.ADD_OR_REMOVE:
            return compose(charges.values())
        return replaced(charges, [question.agreement for question in self.questions], across)

    def sensitivity(self, chosen: Places) -> int:
        """How far one respondent moves a set's integers, in L2, rounded up."""
        squared = math.prod(self.questions[position].sensitivity_squared for position in chosen)
        root = math.isqrt(squared)
        return root if root * root == squared else root + 1

    @cached_property
    def mu(self) -> float:
        """What all sets together are charged, if this was planned anew.

        Documents say what they were charged: until replacing a respondent was charged by the worst
        pair, that was twice what one more or fewer costs.
        """
        noisy = {chosen: sd for chosen, sd in self.noise.items() if chosen or sd}
        return self.together(
            {chosen: charged_mu(self.sensitivity(chosen), sd) for chosen, sd in noisy.items()}
        )

    @cached_property
    def most_people(self) -> int:
        """So many respondents fit 64 bits with any answers, also if all gave the same."""
        largest = [int(np.abs(question.residuals).max(initial=1)) for question in self.questions]
        return _LARGEST_SUM // max(math.prod(largest[p] for p in chosen) for chosen in self.noise)

    def require_people(self, number: int) -> None:
        """Raises StrategyError for more respondents than fit: their number alone decides."""
        if number > self.most_people:
            remedy = sentence(
                "put fewer questions into one table, because these tables can count at most "
                "{most} respondents",
                most=figure(self.most_people),
            )
            raise StrategyError("respondents", f"{number:,}", remedy)

    def variances(self, table: Places) -> FloatArray:
        """The variance of every number of a table, flat, known before anything is spent."""
        return sum(
            (sd**2 * self._spread(table, chosen) for chosen, sd in self._inside(table)),
            start=np.zeros(1),
        )

    def estimate(self, table: Places, released: dict[Places, FloatArray]) -> FloatArray:
        """What a table asks, flat in the order of its questions, from the released sets."""
        return sum(
            (self._taken(table, chosen, released[chosen]) for chosen, _ in self._inside(table)),
            start=np.zeros(1),
        )

    def _inside(self, table: Places) -> list[tuple[Places, float]]:
        questions = set(table)
        return [(chosen, sd) for chosen, sd in self.noise.items() if questions.issuperset(chosen)]

    def _spread(self, table: Places, chosen: Places) -> FloatArray:
        squares = (
            (q.by_residuals**2).sum(axis=1) if position in chosen else (q.by_total**2)[:, 0]
            for position, q in ((position, self.questions[position]) for position in table)
        )
        return kronecker(squares, np.ones(1))

    def _taken(self, table: Places, chosen: Places, values: FloatArray) -> FloatArray:
        shape = [len(self.questions[p].residuals) if p in chosen else 1 for p in table]
        array = np.asarray(values, dtype=np.float64).reshape(shape)
        for axis, position in enumerate(table):
            coded = self.questions[position]
            matrix = coded.by_residuals if position in chosen else coded.by_total
            array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
        return array.ravel()


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """One table: which questions, its numbers and their standard errors, both flat."""

    questions: Places
    values: FloatArray
    standard_errors: FloatArray


@dataclass(frozen=True, eq=False)
class PublishedTables:
    """All tables, the sets behind them, noisy unless public, and what they were charged."""

    tables: tuple[PublishedTable, ...]
    released: dict[Places, IntArray]
    mu: float
    is_private: bool


def publish_tables(plan: TablePlan, rows: Any, noise: Noise) -> PublishedTables:
    """Draws the noise of every set once, and works out every table.

    ``rows`` holds the levels of each respondent, respondents x questions, from 0: a skipped
    question is a level of its own, otherwise some tables would miss people. No respondents is
    no error. No answers within their levels make it fail: a refusal here
    would tell of answers. Raises WorkloadError, NoiseError, StrategyError (``require_people``).
    """
    levels = _checked_rows(rows, plan.tables.sizes)
    plan.require_people(len(levels))
    released: dict[Places, IntArray] = {}
    for chosen, sd in plan.noise.items():
        exact = residual_sums(levels, chosen, plan)
        is_public = not chosen and not sd and plan.adjacency is Adjacency.REPLACE
        released[chosen] = exact if is_public else noise.added_to(exact, sd)
    values = {chosen: noisy.astype(np.float64) for chosen, noisy in released.items()}
    tables = tuple(
        PublishedTable(table, plan.estimate(table, values), np.sqrt(plan.variances(table)))
        for table in plan.tables.tables
    )
    return PublishedTables(tables, released, plan.mu, noise.is_private)


def residual_sums(levels: IntArray, chosen: Places, plan: TablePlan) -> IntArray:
    """(x)_A R_i m_A, flat, in exact integers."""
    shape = tuple(plan.tables.sizes[position] for position in chosen)
    index = np.ravel_multi_index([levels[:, p] for p in chosen], shape) if chosen else None
    if index is None:
        return np.array([len(levels)], dtype=np.int64)
    array = np.bincount(index, minlength=math.prod(shape)).astype(np.int64).reshape(shape)
    # No sum on the way is above people times the product of the largest entries (most_people).
    for axis, position in enumerate(chosen):
        residuals = plan.questions[position].residuals
        array = np.moveaxis(np.tensordot(residuals, array, axes=(1, axis)), 0, axis)
    return array.ravel()


def _shares(plan: ResidualPlan, adjacency: Adjacency) -> dict[Places, float]:
    """The share of mu^2 of each set that gets noise. Raises WorkloadError where none is left.

    Under add-or-remove they sum to 1.
    """
    if adjacency is Adjacency.ADD_OR_REMOVE:
        spent = sum(plan.shares.values()) * (1 + _ROUNDING)
        return {chosen: share / spent for chosen, share in plan.shares.items()}
    if not any(plan.shares):
        remedy = sentence(
            "publish the exact number at no cost, because this number does not change if one "
            "respondent is replaced by another"
        )
        raise WorkloadError("tables", sentence("the number of respondents"), remedy)
    return plan.replacing.shares


def _bits(plan: ResidualPlan, mu: float, adjacency: Adjacency) -> list[int]:
    """The bits of each question's integers: 12, fewer in wide tables and for very little mu.

    A set's sensitivity is at most about 2 to the power of all its bits. These are at most
    ``_BITS_OF_A_TABLE``, and few enough that the noise of its part of mu is within reach. At a mu
    of 0.3 this widens the typical margin of counts by less than 0.05 % up to 4 questions of few
    levels, 0.5 % for 4 of 11 levels, 2 % for 5 or 6, and 4.3 % for 7 of 4; of cumulative counts by
    up to 11 %. Two levels lose nothing: their integers are in proportion in any case.
    """
    checked_positive("mu", mu, NoiseError)
    bits = [BITS] * len(plan.tables.sizes)
    for chosen, share in _shares(plan, adjacency).items():
        most = max(math.log2(mu / 2 * math.sqrt(share) * _WIDEST_NOISE), 0)
        room = math.floor(min(most, _BITS_OF_A_TABLE))
        if room < len(chosen):
            raise StrategyError(
                "tables", sentence("{count} questions together", count=len(chosen)), _TOO_WIDE
            )
        for position in chosen:
            bits[position] = min(bits[position], room // len(chosen))
    return bits


def _checked_rows(rows: Any, sizes: Sequence[int]) -> IntArray:
    levels = np.asarray(rows)
    if levels.size == 0:
        return np.zeros((0, len(sizes)), dtype=np.int64)
    if levels.ndim != 2 or levels.shape[1] != len(sizes) or levels.dtype.kind not in "iu":
        raise WorkloadError("rows", levels.shape, f"give whole levels, {len(sizes)} a respondent")
    outside = (levels < 0) | (levels >= np.asarray(sizes))
    if outside.any():
        question = int(np.argmax(outside.any(axis=0)))
        remedy = f"levels of question {question} go from 0 to {sizes[question] - 1}"
        raise WorkloadError("rows", "a level outside its question", remedy)
    return levels.astype(np.int64)
