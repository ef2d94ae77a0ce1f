"""One account a survey, for texts and tables; what was promised for texts alone pays for no table.

Accounts that exist were opened on promises for texts alone, as their rows say: they are not
touched, and the database refuses a table release that draws on them.
"""

from django.db import migrations, models

BUDGET, EXPENDITURE, REPORT = "analytics_budget", "analytics_expenditure", "analytics_report"
MESSAGE = "what was promised for texts alone pays for no table"
FOR_TEXTS = f"EXISTS (SELECT 1 FROM {BUDGET} b WHERE {{which}} AND b.source = 'text')"
TABLES = "NEW.kind = 'tables'"
OWN_ACCOUNT = FOR_TEXTS.format(which="b.revision_id = NEW.revision_id")
PAID_FOR_TABLES = (
    f"EXISTS (SELECT 1 FROM {REPORT} r WHERE r.id = NEW.report_id AND r.kind = 'tables')"
)
ADJACENCIES = [
    ("add_or_remove_one", "One respondent more or fewer"),
    ("replace_one", "One respondent's answers replaced by other answers"),
]
SOURCES = [("all", "Free texts and tables of answers"), ("text", "Free texts alone")]


def triggers():
    """(name, table, event, condition) of each."""
    paid = f"{PAID_FOR_TABLES} AND {FOR_TEXTS.format(which='b.id = NEW.budget_id')}"
    yield "tables_expenditure", EXPENDITURE, "INSERT", paid
    yield "tables_set_aside", REPORT, "INSERT", f"{TABLES} AND {OWN_ACCOUNT}"
    yield "tables_charge", REPORT, "UPDATE", f"{TABLES} AND NEW.is_charged AND {OWN_ACCOUNT}"


def create(apps, schema_editor):
    for name, table, event, condition in triggers():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition}"
                f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
            )
            continue
        schema_editor.execute(
            f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF {condition} THEN RAISE EXCEPTION '{MESSAGE}'"
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
    dependencies = [
        ("analytics", "0003_charged_from_the_start"),
        ("surveys", "0020_budgets_for_tables"),
    ]

    operations = [
        migrations.AlterField(
            model_name="budget",
            name="adjacency",
            field=models.CharField(choices=ADJACENCIES, max_length=17),
        ),
        migrations.AlterField(
            model_name="budget",
            name="source",
            field=models.CharField(choices=SOURCES, max_length=10),
        ),
        migrations.AddConstraint(
            model_name="budget",
            constraint=models.UniqueConstraint(
                models.F("revision"), name="one_account_per_survey"
            ),
        ),
        migrations.RunPython(create, drop),
    ]
