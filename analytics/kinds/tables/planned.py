"""PlannedTables: how tables would be released for a cost, and their margins; nothing is spent."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from analytics.kinds.tables.asked import ORDERED, AskedTables, Variable
from analytics.privacy.accounting import Adjacency, Cost
from analytics.workloads.asks import Ask, OneWay, Tables
from analytics.workloads.checks import WorkloadError
from analytics.workloads.crosstabs import TablePlan
from analytics.workloads.duals import GAP, optimum, replaced_optimum
from analytics.workloads.neighbours import optimum_of
from analytics.workloads.residuals import ResidualPlan, plan_tables
from surveys.randomized_response.messages import sentence

# Standard normal: 95 of 100 intervals of so many standard errors hold.
DEVIATIONS = 1.959964
# Up to here the dual of all tables together takes a page a second, to a bracket of a hundredth: its
# lower end is then within 0.1 % of the optimum (0.8 s at 512 cells; 58 s to 1e-6).
_MOST_CERTIFIED = 512
_BRACKET = 1e-2
# Where replacing one is hidden, the dual has a weight for each pair of cells.
_MOST_PAIRED = 128
_SHARP = 0.9
# The noise is calibrated for so much less than was set aside, so that what is charged, rounded up,
# never exceeds it.
_KEPT_BACK = 1e-12


@dataclass(frozen=True)
class Forecast:
    """The 95 % margins of one table, in people: the typical one (root mean square), the largest."""

    table: tuple[int, ...]
    numbers: int
    typical: float
    largest: float


@dataclass(frozen=True, eq=False)
class PlannedTables:
    """Tables with the noise that a cost buys; nothing is spent by planning."""

    asked: AskedTables
    residual: ResidualPlan
    plan: TablePlan

    @classmethod
    def of(cls, asked: AskedTables, cost: Cost, adjacency: Adjacency) -> "PlannedTables":
        """Noise for at most ``cost``, which is in terms of ``adjacency``.

        Raises WorkloadError (nothing is left to spend, too large), NoiseError, StrategyError (too
        wide for so little).
        """
        mu = cost.mu * (1 - _KEPT_BACK)
        if mu <= 0:
            raise WorkloadError(
                "budget",
                0,
                sentence(
                    "give more than 0, because without any budget the noise is infinite and the "
                    "tables show nothing"
                ),
            )
        residual = _residual(asked, adjacency)
        return cls(asked, residual, TablePlan.of(residual, mu, adjacency))

    @property
    def cost(self) -> Cost:
        """What releasing it is charged: known exactly before the first draw."""
        return Cost.of(self.plan.mu)

    @cached_property
    def forecasts(self) -> tuple[Forecast, ...]:
        """The margins of each table."""
        return tuple(self._forecast(table) for table in self.asked.tables)

    @property
    def typical(self) -> float:
        """The margin over all numbers of all tables, root mean square, in people."""
        squares = sum(forecast.numbers * forecast.typical**2 for forecast in self.forecasts)
        return math.sqrt(squares / self.asked.numbers)

    @cached_property
    def least_typical(self) -> float | None:
        """What no strategy with Gaussian noise can go below at this cost; None where unknown."""
        is_replaced = self.plan.adjacency is Adjacency.REPLACE
        error = _least_replaced(self.asked) if is_replaced else _least_error(self.asked)
        if error is None:
            return None
        return min(DEVIATIONS * math.sqrt(error / self.asked.numbers) / self.plan.mu, self.typical)

    @property
    def is_sharp(self) -> bool:
        """Whether the bound says how good the plan is; for many mixed questions it does not."""
        return self.least_typical is not None and self.least_typical > _SHARP * self.typical

    def _forecast(self, table: tuple[int, ...]) -> Forecast:
        variances = self.plan.variances(table)
        typical, largest = math.sqrt(variances.mean()), math.sqrt(variances.max())
        return Forecast(table, variances.size, DEVIATIONS * typical, DEVIATIONS * largest)


@lru_cache(maxsize=32)
def _residual(asked: AskedTables, adjacency: Adjacency) -> ResidualPlan:
    return plan_tables(asked.workload, adjacency=adjacency)


@lru_cache(maxsize=32)
def _least_error(asked: AskedTables) -> float:
    """A lower bound of E_2 of all tables together.

    Counts alone: the closed form itself, which is the optimum over all strategies. Otherwise the
    dual where the cells are few; and each table by itself, as if the whole budget were its own:
    there the optimum of a product of asks is the product of their optima.
    """
    if _is_of_counts(asked):
        return _residual(asked, Adjacency.ADD_OR_REMOVE).error
    alone = sum(
        math.prod(_least_of(asked.variables[position]) for position in table)
        for table in asked.tables
    )
    joint = _joint(asked, _MOST_CERTIFIED)
    return max(alone, 0.0 if joint is None else optimum(joint, _BRACKET).lower)


@lru_cache(maxsize=32)
def _least_replaced(asked: AskedTables) -> float | None:
    """The same where replacing a respondent is hidden and their number is public; None: unknown.

    Counts alone: the bound of their weights holds for all strategies (``pairs``). Otherwise the
    dual where the cells are few.
    """
    if _is_of_counts(asked):
        return _residual(asked, Adjacency.REPLACE).replacing.lower
    joint = _joint(asked, _MOST_PAIRED)
    return None if joint is None else replaced_optimum(joint, _BRACKET).lower


def _is_of_counts(asked: AskedTables) -> bool:
    return all(
        asked.variables[position].ask is Ask.COUNTS for table in asked.tables for position in table
    )


def _joint(asked: AskedTables, most: int) -> Tables | None:
    """The workload of the questions that are in some table; None if their cells are many."""
    used = sorted({position for table in asked.tables for position in table})
    sizes = [len(asked.variables[position].levels) for position in used]
    if math.prod(sizes) > most:
        return None
    order_of: Mapping[int, int] = {position: order for order, position in enumerate(used)}
    tables = [[order_of[position] for position in table] for table in asked.tables]
    return Tables.of(sizes, tables, [asked.variables[position].ask for position in used])


@lru_cache(maxsize=256)
def _least(ask: Ask, levels: int) -> float:
    return optimum_of(OneWay(ask, levels), GAP).lower


def _least_of(variable: Variable) -> float:
    levels = len(variable.levels)
    return _least(variable.ask, levels) if variable.ask in ORDERED else float(levels)
