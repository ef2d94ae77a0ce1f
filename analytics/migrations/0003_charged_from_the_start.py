"""Reports are charged before they read a text, and keep what they release; amounts are held."""

import uuid

import django.db.models.deletion
from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn

EXPENDITURE, REPORT = "analytics_expenditure", "analytics_report"
KEPT = "analytics_keptrelease"
AMOUNTS = ("mu_squared", "threshold_delta")
# Digits with at most one point: no sign, no exponent, no NaN.
NO_AMOUNT = {
    "sqlite": (
        "NEW.{name} GLOB '*[^0-9.]*' OR NEW.{name} GLOB '*.*.*' OR NEW.{name} NOT GLOB '*[0-9]*'"
    ),
    "postgresql": "NEW.{name} !~ '^[0-9]+([.][0-9]+)?$'",
}
SET_ASIDE_CHANGES = " OR ".join(
    f"OLD.{name} <> NEW.{name}" for name in (*AMOUNTS, "revision_id", "kind", "question")
)
UNDONE = (
    "OLD.is_charged AND (NOT NEW.is_charged OR (NEW.state = 'done' AND OLD.state <> 'done'"
    f" AND NOT EXISTS (SELECT 1 FROM {EXPENDITURE} e WHERE e.report_id = NEW.id)))"
)
AMOUNT_MESSAGE = "an amount of the privacy ledger is a number of at least 0"
ASIDE_MESSAGE = "what was set aside for a report never changes"
CHARGE_MESSAGE = "a report that read texts stays charged"
KEPT_MESSAGE = "what a report released never changes"


def triggers(vendor):
    """(name, table, event, condition, message) of each."""
    amounts = " OR ".join(f"({NO_AMOUNT[vendor].format(name=name)})" for name in AMOUNTS)
    yield "expenditure_amount", EXPENDITURE, "INSERT", amounts, AMOUNT_MESSAGE
    yield "report_amount", REPORT, "INSERT", amounts, AMOUNT_MESSAGE
    yield "report_set_aside_stays", REPORT, "UPDATE", SET_ASIDE_CHANGES, ASIDE_MESSAGE
    yield "report_charge_stays", REPORT, "UPDATE", UNDONE, CHARGE_MESSAGE
    yield "report_is_not_deleted", REPORT, "DELETE", "OLD.is_charged", CHARGE_MESSAGE
    yield "kept_release_update", KEPT, "UPDATE", "TRUE", KEPT_MESSAGE


def create(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for name, table, event, condition, message in triggers(vendor):
        if vendor == "sqlite":
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition}"
                f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
            continue
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
    vendor = schema_editor.connection.vendor
    for name, table, *_ in triggers(vendor):
        if vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


class Migration(migrations.Migration):
    dependencies = [("analytics", "0002_only_grows")]

    operations = [
        AddColumn("report", "is_charged", models.BooleanField(default=False)),
        migrations.CreateModel(
            name="KeptRelease",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="releases",
                        to="analytics.report",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.AddConstraint(
            model_name="keptrelease",
            constraint=models.UniqueConstraint(
                fields=("report", "place"), name="one_release_at_a_place"
            ),
        ),
        migrations.RunPython(create, drop),
    ]
