"""The keys and locked tables of a launched survey: rows of a draft, which the launch freezes."""

from django.db import migrations

from surveys.models.frozen_tables import Refuse

MESSAGE = "the keys and locked tables of a launched survey never change"
TABLES = {
    "tally_trustee": "surveys_tallytrustee",
    "tally_table": "surveys_tallytable",
    "text_key": "surveys_textkey",
}
LAUNCHED = (
    "COALESCE((SELECT state FROM surveys_survey WHERE id = {row}.survey_id), 'draft') <> 'draft'"
)
ROWS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}
# SQLite's REPLACE deletes the row that is in the way without asking a DELETE trigger.
REPLACED = (
    "EXISTS (SELECT 1 FROM {table} k JOIN surveys_survey s ON s.id = k.survey_id"
    " WHERE k.id = NEW.id AND s.state <> 'draft')"
)


def refusals():
    for name, table in TABLES.items():
        for event, rows in ROWS.items():
            condition = " OR ".join(LAUNCHED.format(row=row) for row in rows)
            yield Refuse(f"{name}_{event.lower()}", table, event, condition, MESSAGE)
        replaced = {"sqlite": REPLACED.format(table=table)}
        yield Refuse(f"{name}_is_not_replaced", table, "INSERT", replaced, MESSAGE)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0059_tallies")]

    operations = [*refusals()]
