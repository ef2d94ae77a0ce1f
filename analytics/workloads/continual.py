"""Tables that are released again at each of a fixed number of openings, planned as one release.

At opening t the people b_t come to light; what is asked is the tables of all people so far, the
prefix sums over openings. The strategy over openings is the certified optimum for a CDF of as many
levels as there are openings (``neighbours``; Denisov, McMahan, Rush, Smith and Thakurta 2022), in
its lower triangular root C, X = C'C: row t needs nothing that comes after opening t. With J, which
reverses the order, and Cholesky's J X J = L L', C = J L' J. C is rounded to integers Z. The
integers, the residuals beside them and openings that do not take place are ours. For a set A of
questions, what is drawn at opening t is

    y_t = sum_{s <= t} Z_ts (x)_A R_i m_A(b_s) + noise,

once, with the residuals R of ``crosstabs``. A person is in one opening s and one cell: over all
openings together they move these integers by at most |Z_.s| prod |R_i| in L2, which is what is
charged, once, for the whole schedule.

With the openings D that took place, the tables of all people so far follow from
1' Z_DD^-1 y_D, for openings that did not take place brought no one: then y_D is Z_DD times the
blocks of D and noise, so that this is their sum and 1' Z_DD^-1 times noise: unbiased, with noise of
standard deviation sd_A |1' Z_DD^-1|.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from analytics.privacy.accounting import Adjacency
from analytics.privacy.checks import IntArray
from analytics.privacy.lattice import charged_mu, lattice_sd_for
from analytics.privacy.mechanisms import Noise
from analytics.workloads.asks import Ask, OneWay
from analytics.workloads.checks import FloatArray, StrategyError, WorkloadError
from analytics.workloads.crosstabs import TablePlan, residual_sums
from analytics.workloads.duals import strategy_of
from analytics.workloads.integers import BITS
from analytics.workloads.neighbours import optimum_of
from analytics.workloads.pairs import Places
from analytics.workloads.residuals import ResidualPlan
from surveys.randomized_response.messages import figure, sentence

# A year of daily openings is planned in 0.1 to 0.5 s; each of them is a line in a document.
MOST_OPENINGS = 400
# Integers over openings take 12 bits of 61, those of two questions 24: 2^25 people fit beside them.
MOST_TOGETHER = 2


@dataclass(frozen=True, eq=False)
class Schedule:
    """``strategy`` Z is openings x openings, lower triangular; ``tables`` has the noise of a row.

    Under REPLACE the number of people at each opening is public: its noise is 0.
    """

    strategy: IntArray
    tables: TablePlan

    @classmethod
    def of(
        cls,
        plan: ResidualPlan,
        openings: int,
        mu: float,
        adjacency: Adjacency = Adjacency.ADD_OR_REMOVE,
    ) -> "Schedule":
        """Noise for a charge of at most ``mu`` for all openings together.

        ``openings`` from 1 to 400. Raises WorkloadError, NoiseError, AccountingError,
        StrategyError.
        """
        if (widest := max(map(len, plan.tables.tables))) > MOST_TOGETHER:
            remedy = sentence("put up to {most} questions into one table", most=MOST_TOGETHER)
            raise WorkloadError(
                "tables", sentence("{count} questions in one table", count=widest), remedy
            )
        once = TablePlan.of(plan, mu, adjacency)
        made = cls(openings_strategy(openings), replace(once, noise={}))
        noise = {
            chosen: lattice_sd_for(made.sensitivity(chosen), mu * math.sqrt(share))
            for chosen, share in once.shares(plan, made._across).items()
        }
        if adjacency is Adjacency.REPLACE:
            noise[()] = 0.0
        return cls(made.strategy, replace(once, noise=noise))

    @property
    def openings(self) -> int:
        """How many releases there are at most."""
        return len(self.strategy)

    def sensitivity(self, chosen: Places) -> int:
        """How far one person moves all integers of a set over all openings, in L2, rounded up."""
        questions = (self.tables.questions[position].sensitivity_squared for position in chosen)
        squared = self._openings_squared * math.prod(questions)
        root = math.isqrt(squared)
        return root if root * root == squared else root + 1

    @cached_property
    def _openings_squared(self) -> int:
        """The largest squared norm of a column of Z, exactly."""
        columns: list[list[int]] = self.strategy.T.tolist()
        return max(sum(entry * entry for entry in column) for column in columns)

    @cached_property
    def _across(self) -> float:
        """The least product of two columns of Z, relative to the largest squared norm of one."""
        return int((self.strategy.T @ self.strategy).min()) / self._openings_squared

    @cached_property
    def mu(self) -> float:
        """What the schedule is charged, also if some openings do not take place, if planned anew.

        Under REPLACE the two respondents may be at different openings.
        """
        noisy = {chosen: sd for chosen, sd in self.tables.noise.items() if chosen or sd}
        charges = {chosen: charged_mu(self.sensitivity(chosen), sd) for chosen, sd in noisy.items()}
        return self.tables.together(charges, self._across)

    def weights(self, openings: Sequence[int]) -> FloatArray:
        """1' Z_DD^-1 for the openings D that took place, ascending from 0."""
        chosen = _checked_openings(openings, self.openings)
        square = self.strategy[np.ix_(chosen, chosen)].astype(np.float64)
        return np.asarray(np.linalg.solve(square.T, np.ones(len(chosen))))

    def after(self, openings: Sequence[int]) -> TablePlan:
        """The tables of all people of these openings, with the noise that is in them then."""
        spread = float(np.linalg.norm(self.weights(openings)))
        noise = {chosen: sd * spread for chosen, sd in self.tables.noise.items()}
        return replace(self.tables, noise=noise)


def openings_strategy(openings: int) -> IntArray:
    """Z: the lower triangular root of the best strategy for prefix sums, in 12 bits.

    Raises WorkloadError for less than 1 or more than 400 openings.
    """
    if not 1 <= openings <= MOST_OPENINGS:
        remedy = f"plan 1 to {MOST_OPENINGS} openings"
        raise WorkloadError("openings", openings, remedy)
    workload = OneWay(Ask.CDF, openings)
    root = strategy_of(workload, optimum_of(workload))
    turned = np.linalg.cholesky((root.T @ root)[::-1, ::-1])
    return np.rint(np.tril(turned.T[::-1, ::-1]) * 2.0**BITS).astype(np.int64)


def draw_opening(
    schedule: Schedule, opening: int, blocks: Mapping[int, Any], noise: Noise
) -> dict[Places, IntArray]:
    """What is drawn at one opening, from 0: a vector of integers for each set of questions.

    ``blocks`` are the people of this and of earlier openings, as rows of levels, by opening; it
    must never be drawn twice. Raises StrategyError (too many people for 64 bits), NoiseError.
    """
    people = sum(len(rows) for rows in blocks.values())
    _require_people(schedule, people)
    drawn: dict[Places, IntArray] = {}
    for chosen, sd in schedule.tables.noise.items():
        if not sd:
            drawn[chosen] = np.array([people], dtype=np.int64)
            continue
        exact = sum(
            int(schedule.strategy[opening, earlier]) * residual_sums(rows, chosen, schedule.tables)
            for earlier, rows in blocks.items()
        )
        drawn[chosen] = noise.added_to(np.asarray(exact), sd)
    return drawn


def totals(
    schedule: Schedule, drawn: Mapping[int, Mapping[Places, Any]]
) -> dict[Places, FloatArray]:
    """Estimates of (x)_A R_i m_A over all people so far, from what was drawn at each opening."""
    openings = sorted(drawn)
    weights = schedule.weights(openings)
    sums: dict[Places, FloatArray] = {}
    for chosen, sd in schedule.tables.noise.items():
        values = np.array([drawn[opening][chosen] for opening in openings], dtype=np.float64)
        # A public number is drawn as it is, of all people so far.
        sums[chosen] = weights @ values if sd else values[-1]
    return sums


def _require_people(schedule: Schedule, people: int) -> None:
    """Raises StrategyError for more people than fit 64 bits: their number alone decides."""
    most = schedule.tables.most_people // int(np.abs(schedule.strategy).max())
    if people > most:
        remedy = sentence(
            "choose fewer answers to count, because these tables can count at most {most} "
            "respondents",
            most=figure(most),
        )
        raise StrategyError("respondents", f"{people:,}", remedy)


def _checked_openings(openings: Sequence[int], number: int) -> list[int]:
    chosen = list(openings)
    is_ascending = all(opening < other for opening, other in pairwise(chosen))
    if not chosen or not is_ascending or not 0 <= chosen[0] <= chosen[-1] < number:
        remedy = f"name openings from 0 to {number - 1}, each once, in order"
        raise WorkloadError("openings", chosen, remedy)
    return chosen
