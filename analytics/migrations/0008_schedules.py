"""What was promised for texts alone pays for no schedule, and what a schedule was made of stays."""

from django.db import migrations

BUDGET, EXPENDITURE, REPORT = "analytics_budget", "analytics_expenditure", "analytics_report"
MESSAGE = "what was promised for texts alone pays for no table"
SETTINGS_MESSAGE = "what was set aside for a report never changes"
FOR_TEXTS = f"EXISTS (SELECT 1 FROM {BUDGET} b WHERE {{which}} AND b.source = 'text')"
SCHEDULE = "NEW.kind = 'schedule'"
OWN_ACCOUNT = FOR_TEXTS.format(which="b.revision_id = NEW.revision_id")
PAID_FOR_SCHEDULE = (
    f"EXISTS (SELECT 1 FROM {REPORT} r WHERE r.id = NEW.report_id AND r.kind = 'schedule')"
)
CHANGED = (
    "'schedule' IN (OLD.kind, NEW.kind)"
    " AND CAST(OLD.settings AS text) <> CAST(NEW.settings AS text)"
)


def triggers():
    """(name, table, event, condition, message) of each."""
    paid = f"{PAID_FOR_SCHEDULE} AND {FOR_TEXTS.format(which='b.id = NEW.budget_id')}"
    yield "schedules_expenditure", EXPENDITURE, "INSERT", paid, MESSAGE
    yield "schedules_charge", REPORT, "INSERT", f"{SCHEDULE} AND {OWN_ACCOUNT}", MESSAGE
    yield "schedule_settings_stay", REPORT, "UPDATE", CHANGED, SETTINGS_MESSAGE


def create(apps, schema_editor):
    for name, table, event, condition, message in triggers():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition}"
                f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
            continue
        schema_editor.execute(
            f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {condition} THEN RAISE EXCEPTION '{message}'"
            f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION refuse_{name}()"
        )


def drop(apps, schema_editor):
    for name, table, *_ in triggers():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


class Migration(migrations.Migration):
    dependencies = [("analytics", "0007_opening_releases")]
    operations = [migrations.RunPython(create, drop)]
