"""deploy/postgresql-roles.sql: the role that serves pages cannot get around a trigger."""

from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

pytestmark = pytest.mark.django_db
ROLES = Path(__file__).parents[3] / "deploy" / "postgresql-roles.sql"
AROUND = [
    "TRUNCATE analytics_expenditure",
    "TRUNCATE surveys_revision CASCADE",
    "ALTER TABLE analytics_expenditure DISABLE TRIGGER ALL",
    "DELETE FROM analytics_expenditure",
    "DELETE FROM surveys_auditentry",
    "UPDATE surveys_auditentry SET action = 'x'",
    "CREATE TABLE notes (text text)",
]


@pytest.fixture
def as_service():
    """The rights of the file; SQLite knows no roles, and no TRUNCATE."""
    if connection.vendor == "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute(ROLES.read_text())
        cursor.execute("SET LOCAL ROLE deniable_service")


@pytest.mark.parametrize("statement", AROUND[:3])
def test_no_statement_of_the_service_gets_around_a_trigger(as_service, statement):
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_on_postgresql_the_service_has_no_right_that_it_does_not_need(as_service):
    refused = AROUND if connection.vendor == "postgresql" else AROUND[:3]
    for statement in refused:
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def test_the_service_reads_writes_and_locks(as_service):
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM surveys_survey")
        cursor.execute("DELETE FROM surveys_waiting")
        if connection.vendor == "postgresql":
            cursor.execute("SELECT id FROM analytics_budget FOR UPDATE")
