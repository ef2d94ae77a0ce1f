"""P15: what opening locked totals costs is set aside from the launch on."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from analytics.checks import within_budget
from analytics.privacy.accounting import Adjacency, Cost
from analytics.privacy.lattice import charged_mu
from analytics.queries import account_of, reserved
from analytics.sources.locked_tables import cost_of_table, locked_cost
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.plans.tallies import LockedTable
from tests.factories import launched, make_open_survey
from tests.surveys.authoring.trustees import counted_draft

pytestmark = pytest.mark.django_db
TABLE = LockedTable(1, (5, 6), 12, "9/2")


@pytest.mark.parametrize(
    ("adjacency", "moved"), [(Adjacency.ADD_OR_REMOVE, 1.0), (Adjacency.REPLACE, math.sqrt(2))]
)
def test_a_table_costs_what_its_noise_hides_of_one_person(adjacency, moved):
    cost = cost_of_table(TABLE, adjacency)
    assert cost == Cost.of(charged_mu(moved, 4.5), 12e-12)
    assert cost.threshold_delta == Decimal("1.2e-11")


def test_more_noise_costs_less_and_cells_cost_their_tails_alone():
    cost = cost_of_table(TABLE, Adjacency.REPLACE)
    noisier = LockedTable(1, (5, 6), 12, "9")
    assert cost_of_table(noisier, Adjacency.REPLACE).mu_squared < cost.mu_squared / 3
    larger = cost_of_table(LockedTable(1, (5, 6), 24, "9/2"), Adjacency.REPLACE)
    assert larger == Cost(cost.mu_squared, cost.threshold_delta * 2)


def test_what_opening_costs_is_set_aside_so_that_no_report_spends_it(owner):
    survey = launched(counted_draft(owner))
    cost = locked_cost(questionnaire_of(survey.revision), Adjacency.REPLACE)
    assert reserved(survey.revision) == cost
    account = account_of(survey)
    assert account.left == account.budget.left(cost)
    part = Fraction(cost.mu_squared) / Fraction(account.budget.limit.mu_squared)
    assert not account.can_pay(1 - part * Fraction(99, 100))
    assert account.can_pay(1 - part * Fraction(101, 100))
    assert [finding.text for finding in within_budget()] == ["no account is overspent"]


def test_a_survey_that_counts_nothing_locked_sets_nothing_aside(owner):
    assert reserved(make_open_survey(owner).revision) == Cost()
