"""What SQL cannot change: what a table release was asked for, and the terms of an account."""

import pytest
from django.db import DatabaseError, connection, transaction

from analytics.models import Budget, Report
from analytics.queries import account_of, release_open_to_all
from tests.analytics import tabulating

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.both_databases,
    pytest.mark.survey(make=tabulating.make_tabulated_survey, people=20),
]


def run(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def change(settings: str) -> None:
    """Write these settings over those of every report."""
    kind = "jsonb" if connection.vendor == "postgresql" else "text"
    run(f"UPDATE analytics_report SET settings = CAST('{settings}' AS {kind})")


@pytest.mark.parametrize("ask", [tabulating.ask, tabulating.release])
def test_what_a_table_release_was_asked_for_never_changes(survey, ask):
    report = ask(survey)
    opened = {**report.settings, "is_public": True}
    fewer = {**report.settings, "tables": report.settings["tables"][:1]}
    for settings in (opened, fewer, {}):
        with pytest.raises(DatabaseError, match="set aside"), transaction.atomic():
            Report.objects.update(settings=settings)
    with pytest.raises(DatabaseError, match="set aside"):
        change("{}")
    assert Report.objects.get().settings == report.settings
    assert release_open_to_all(report.pk) is None


def test_a_table_release_is_not_made_another_kind_to_change_it(survey):
    tabulating.ask(survey)
    with pytest.raises(DatabaseError, match="set aside"), transaction.atomic():
        Report.objects.update(kind="private_topics", settings={})


def test_no_account_takes_the_place_of_a_surveys_own_before_anything_is_spent(survey):
    tabulating.ask(survey)
    before = account_of(survey).budget
    columns = "revision_id, source, epsilon, delta, adjacency"
    replace = "INSERT OR REPLACE" if connection.vendor == "sqlite" else "INSERT"
    with pytest.raises(DatabaseError):
        run(
            f"{replace} INTO analytics_budget (id, {columns})"
            " SELECT id + 1, revision_id, 'all', '20', delta, adjacency FROM analytics_budget"
        )
    assert account_of(survey).budget == before
    assert Budget.objects.count() == 1
