"""TableSchedule: the tables of a survey's openings, planned and charged as one, as a document.

What is drawn at an opening is kept as integers, set by set; the tables after some openings follow
from those of all of them, and cost nothing more (``workloads.continual``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from analytics.kinds.documents import DocumentError
from analytics.kinds.registry import SCHEDULE
from analytics.kinds.tables.asked import AskedTables
from analytics.kinds.tables.planned import DEVIATIONS
from analytics.kinds.tables.released import (
    NoisySet,
    TableRelease,
    asked_from,
    coded_from,
    integer_rows,
    questions_document,
    require_version,
)
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.checks import IntArray
from analytics.privacy.mechanisms import Noise
from analytics.workloads.continual import Schedule, draw_opening, totals
from analytics.workloads.crosstabs import TablePlan
from analytics.workloads.pairs import Places
from analytics.workloads.residuals import plan_tables
from surveys.randomized_response.messages import sentence

VERSION = 1
# The noise is calibrated for so much less than was promised, so that what is charged, rounded up,
# never exceeds it.
_KEPT_BACK = 1e-12

DrawnSets = dict[Places, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class TableSchedule:
    """Which tables, and their noise; ``epsilon`` is that of the whole schedule, at ``delta``."""

    asked: AskedTables
    schedule: Schedule
    epsilon: float
    delta: float
    mu_squared: Decimal

    @classmethod
    def of(cls, asked: AskedTables, openings: int, cost: Cost, terms: Budget) -> "TableSchedule":
        """The best schedule for at most ``cost``, which is in terms of the promised adjacency.

        Raises WorkloadError, StrategyError, NoiseError, AccountingError, BudgetError.
        """
        mu = cost.mu * (1 - _KEPT_BACK)
        plan = plan_tables(asked.workload, adjacency=terms.adjacency)
        made = Schedule.of(plan, openings, mu, terms.adjacency)
        charged = Cost.of(made.mu)
        epsilon = charged.epsilon(terms.delta)
        return cls(asked, made, epsilon, terms.delta, charged.mu_squared)

    @property
    def cost(self) -> Cost:
        """What all openings together are charged."""
        return Cost(self.mu_squared)

    def typical_margin(self, openings: Sequence[int]) -> float:
        """The 95 % margin of a number after these openings, in people, root mean square."""
        plan = self.schedule.after(openings)
        squares = np.concatenate([plan.variances(table) for table in self.asked.tables])
        return DEVIATIONS * float(np.sqrt(squares.mean()))

    def drawn(self, opening: int, blocks: Mapping[int, IntArray], noise: Noise) -> DrawnSets:
        """Draw one opening, from 0, once and for all: ``blocks`` are levels of people by opening.

        Raises StrategyError, NoiseError.
        """
        sets = draw_opening(self.schedule, opening, blocks, noise)
        return {chosen: tuple(values.tolist()) for chosen, values in sets.items()}

    def release(self, drawn: Mapping[int, DrawnSets]) -> TableRelease:
        """The tables of all people so far, from what was drawn at each opening, from 0."""
        values = totals(self.schedule, drawn)
        plan = self.schedule.after(sorted(drawn))
        sets = (
            NoisySet(chosen, sd, tuple(values[chosen].tolist()))
            for chosen, sd in plan.noise.items()
        )
        return TableRelease(
            asked=self.asked,
            sets=tuple(sets),
            residuals=self.residuals,
            adjacency=plan.adjacency,
            epsilon=self.epsilon,
            delta=self.delta,
            mu_squared=self.mu_squared,
            is_private=True,
        )

    @property
    def residuals(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The integer matrices of each question, as releases have them."""
        coded = self.schedule.tables.questions
        return tuple(integer_rows(question.residuals.tolist()) for question in coded)

    def to_document(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_document`` reads them."""
        plan = self.schedule.tables
        return {
            "version": VERSION,
            "kind": SCHEDULE.name,
            "adjacency": str(plan.adjacency),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "mu_squared": f"{self.mu_squared:f}",
            "strategy": self.schedule.strategy.tolist(),
            "questions": questions_document(self.asked, self.residuals),
            "tables": [list(table) for table in self.asked.tables],
            "noise": [
                {"questions": list(chosen), "lattice_sd": sd} for chosen, sd in plan.noise.items()
            ],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "TableSchedule":
        """The schedule that ``to_document`` wrote. Raises DocumentError."""
        require_version(document, VERSION)
        try:
            return cls(
                asked=asked_from(document),
                schedule=_schedule(document),
                epsilon=document["epsilon"],
                delta=document["delta"],
                mu_squared=Decimal(document["mu_squared"]),
            )
        except (KeyError, TypeError, ArithmeticError, ValueError) as problem:
            raise DocumentError(
                "document",
                problem,
                sentence("the content is not a stored schedule of openings"),
            ) from None


def _schedule(document: Mapping[str, Any]) -> Schedule:
    asked = asked_from(document)
    residuals = (integer_rows(entry["residuals"]) for entry in document["questions"])
    questions = tuple(map(coded_from, asked.variables, residuals))
    noise = {tuple(entry["questions"]): entry["lattice_sd"] for entry in document["noise"]}
    plan = TablePlan(asked.workload, questions, noise, Adjacency(document["adjacency"]))
    return Schedule(np.array(document["strategy"], dtype=np.int64), plan)
