"""What earlier versions promised for texts alone keeps its meaning in the survey's one account."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from analytics.models import Budget, Expenditure, Report
from analytics.queries import account_of
from analytics.services import ledger
from surveys.models import Survey
from surveys.models.refusals import NotPossible
from tests.analytics import reporting
from tests.factories import add_budget, add_text, launched_before, make_survey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
BEFORE = "0003_charged_from_the_start"


@pytest.fixture
def earlier() -> Iterator[None]:
    """The ledger's tables as they were before there were tables of answers."""
    call_command("migrate", "analytics", BEFORE, interactive=False, verbosity=0)
    yield
    migrate()


def migrate() -> None:
    call_command("migrate", "analytics", interactive=False, verbosity=0)


@pytest.fixture
def survey(owner) -> Survey:
    """A survey whose document is of an earlier version, with comments."""
    draft = make_survey(owner)
    add_text(draft)
    add_budget(draft, epsilon=Decimal(20))
    survey = launched_before(draft)
    reporting.write(survey, [reporting.a_comment(n) for n in range(600)], question=1)
    return survey


def tables_of(report: Report) -> Report:
    """A report on tables that costs as much as this one."""
    values = {field.attname: getattr(report, field.attname) for field in Report._meta.fields}
    return Report(**{**values, "id": Report._meta.pk.get_default(), "kind": "tables"})


def refused() -> AbstractContextManager[object]:
    return pytest.raises(DatabaseError, match="texts alone pays for no table")


def test_an_account_of_an_earlier_version_is_taken_over_unchanged(earlier, survey):
    paid = reporting.ask_and_make(survey)
    before, rows = account_of(survey), list(Expenditure.objects.values())
    migrate()
    assert account_of(survey) == before
    assert list(Expenditure.objects.values()) == rows
    assert Budget.objects.get().source == "text"
    assert account_of(survey).lines[0].report == paid.pk
    assert reporting.ask_and_make(survey).state == "done"
    assert len(account_of(survey).lines) == 2


def test_no_table_draws_on_what_was_promised_for_texts_alone(survey):
    report = reporting.ask_and_make(survey)
    with pytest.raises(NotPossible, match="only for reports on texts"):
        ledger.require_tables(survey.revision)
    with refused(), transaction.atomic():
        tables_of(report).save(force_insert=True)
    amounts = {"mu_squared": "0.1", "threshold_delta": "0"}
    with refused(), transaction.atomic():
        # As if the report had been stored before the account was opened.
        run_without("tables_set_aside", lambda: tables_of(report).save(force_insert=True))
        tables = Report.objects.get(kind="tables")
        Expenditure.objects.create(budget=Budget.objects.get(), report=tables, **amounts)
    with refused(), transaction.atomic():
        run_without("tables_set_aside", lambda: tables_of(report).save(force_insert=True))
        Report.objects.filter(kind="tables").update(is_charged=True, beat=None)
    assert not Report.objects.filter(kind="tables").exists()


def run_without(trigger: str, action: Callable[[], None]) -> None:
    """Do something that this trigger would refuse; the caller rolls back this and the trigger."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"ALTER TABLE analytics_report DISABLE TRIGGER {trigger}")
        else:
            cursor.execute(f"DROP TRIGGER {trigger}")
    action()


def test_a_survey_has_one_account(survey):
    reporting.ask(survey)
    revision = survey.revision
    with pytest.raises(DatabaseError), transaction.atomic():
        Budget.objects.create(
            revision=revision, source="all", epsilon="20", delta="0.1", adjacency="replace_one"
        )
