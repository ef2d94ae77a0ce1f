"""Tables of locked answers: what opening their totals costs a survey's account."""

import math
from collections.abc import Collection
from fractions import Fraction

from analytics.privacy.accounting import Adjacency, Cost, total
from analytics.privacy.lattice import charged_mu
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.tallies import LockedTable, tables_of

# What the noise of a cell, cut off at ten deviations, may add to the chance of failure.
TAILS_DELTA = 1e-12


def locked_cost(
    questionnaire: Questionnaire, adjacency: Adjacency, numbers: Collection[int] | None = None
) -> Cost:
    """What its tables cost together, all or those with these numbers. Raises NoiseError."""
    tables = tables_of(questionnaire.tally)
    chosen = [table for table in tables if numbers is None or table.table in numbers]
    return total(cost_of_table(table, adjacency) for table in chosen)


def cost_of_table(table: LockedTable, adjacency: Adjacency) -> Cost:
    """What is charged when the totals of a table are opened. Raises NoiseError.

    A person is in one cell, so that adding one moves one count by 1; another answer moves two. Each
    trustee adds all the noise, so the noise of one who is honest is what counts.
    """
    moved = 1.0 if adjacency is Adjacency.ADD_OR_REMOVE else math.sqrt(2)
    mu = charged_mu(moved, float(Fraction(table.sigma)))
    return Cost.of(mu, table.cells * TAILS_DELTA)
