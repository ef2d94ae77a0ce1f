"""What a table release was asked for never changes; no account takes the place of a survey's own.

The settings of a table release say which tables are drawn and who may open its page. On SQLite, an
INSERT OR REPLACE with another id would put an account with other terms in the place of one that
nothing was spent of yet: its survey has one account, so that the old row is deleted unasked.
"""

from django.db import migrations

BUDGET, REPORT = "analytics_budget", "analytics_report"
SETTINGS = "report_settings_stay"
CHANGED = (
    "'tables' IN (OLD.kind, NEW.kind)"
    " AND CAST(OLD.settings AS text) <> CAST(NEW.settings AS text)"
)
SETTINGS_MESSAGE = "what was set aside for a report never changes"
REPLACED = "budget_is_not_replaced"
LEDGER_MESSAGE = "the privacy ledger is only ever added to"
EARLIER, SAME = "id = NEW.id", "id = NEW.id OR revision_id = NEW.revision_id"


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(
            f"CREATE TRIGGER {SETTINGS} BEFORE UPDATE ON {REPORT} WHEN {CHANGED}"
            f" BEGIN SELECT RAISE(ABORT, '{SETTINGS_MESSAGE}'); END"
        )
        _refuse_replacing(schema_editor, SAME)
        return
    schema_editor.execute(
        f"CREATE FUNCTION refuse_{SETTINGS}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF {CHANGED} THEN RAISE EXCEPTION '{SETTINGS_MESSAGE}'"
        f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
    )
    schema_editor.execute(
        f"CREATE TRIGGER {SETTINGS} BEFORE UPDATE ON {REPORT}"
        f" FOR EACH ROW EXECUTE FUNCTION refuse_{SETTINGS}()"
    )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TRIGGER {SETTINGS}")
        _refuse_replacing(schema_editor, EARLIER)
        return
    schema_editor.execute(f"DROP TRIGGER {SETTINGS} ON {REPORT}")
    schema_editor.execute(f"DROP FUNCTION refuse_{SETTINGS}()")


def _refuse_replacing(schema_editor, same):
    schema_editor.execute(f"DROP TRIGGER {REPLACED}")
    schema_editor.execute(
        f"CREATE TRIGGER {REPLACED} BEFORE INSERT ON {BUDGET}"
        f" WHEN EXISTS (SELECT 1 FROM {BUDGET} WHERE {same})"
        f" BEGIN SELECT RAISE(ABORT, '{LEDGER_MESSAGE}'); END"
    )


class Migration(migrations.Migration):
    dependencies = [("analytics", "0004_one_account")]
    operations = [migrations.RunPython(create, drop)]
