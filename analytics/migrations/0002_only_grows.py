"""The ledger only grows, its terms never change, and a stored report is never replaced."""

from django.db import migrations

LEDGER_MESSAGE = "the privacy ledger is only ever added to"
REPORT_MESSAGE = "what a report released never changes"
DOCUMENT_CHANGES = (
    "OLD.document IS NOT NULL AND (NEW.document IS NULL"
    " OR CAST(NEW.document AS text) <> CAST(OLD.document AS text))"
)
BUDGET, EXPENDITURE, REPORT = "analytics_budget", "analytics_expenditure", "analytics_report"


def triggers():
    """(name, table, event, condition, message) of each."""
    for table in (BUDGET, EXPENDITURE):
        for event in ("UPDATE", "DELETE"):
            name = f"{table.removeprefix('analytics_')}_{event.lower()}"
            yield name, table, event, "TRUE", LEDGER_MESSAGE
    yield "report_document_stays", REPORT, "UPDATE", DOCUMENT_CHANGES, REPORT_MESSAGE


def replacements():
    """SQLite's REPLACE deletes the row that is in the way without asking a DELETE trigger."""
    yield "budget_is_not_replaced", BUDGET, "id = NEW.id"
    yield "expenditure_is_not_replaced", EXPENDITURE, "id = NEW.id OR report_id = NEW.report_id"
    yield "report_is_not_replaced", REPORT, "id = NEW.id"


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, table, event, condition, message in triggers():
            schema_editor.execute(_sqlite(name, table, event, condition, message))
        for name, table, same in replacements():
            there = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"
            schema_editor.execute(_sqlite(name, table, "INSERT", there, LEDGER_MESSAGE))
        return
    for name, table, event, condition, message in triggers():
        kept = "OLD" if event == "DELETE" else "NEW"
        schema_editor.execute(
            f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {condition} THEN RAISE EXCEPTION '{message}'"
            f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {kept}; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION refuse_{name}()"
        )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, *_ in (*triggers(), *replacements()):
            schema_editor.execute(f"DROP TRIGGER {name}")
        return
    for name, table, *_ in triggers():
        schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
        schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


def _sqlite(name, table, event, condition, message):
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition}"
        f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
    )


class Migration(migrations.Migration):
    dependencies = [("analytics", "0001_reports")]
    operations = [migrations.RunPython(create, drop)]
