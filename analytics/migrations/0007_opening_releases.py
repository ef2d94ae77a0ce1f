"""What openings release of a schedule of tables: drawn once each, only ever added."""

import uuid

import django.db.models.deletion
from django.db import migrations, models

TABLE = "analytics_openingrelease"
MESSAGE = "what an opening released never changes"
# SQLite's REPLACE deletes the row that is in the way without asking a DELETE trigger.
SAME = "id = NEW.id OR (report_id = NEW.report_id AND place = NEW.place)"
NAMES = {"UPDATE": "opening_release_update", "DELETE": "opening_release_delete"}
NOT_REPLACED = "opening_release_is_not_replaced"


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for event, name in NAMES.items():
            schema_editor.execute(_sqlite(name, event, "TRUE"))
        there = f"EXISTS (SELECT 1 FROM {TABLE} WHERE {SAME})"
        schema_editor.execute(_sqlite(NOT_REPLACED, "INSERT", there))
        return
    for event, name in NAMES.items():
        schema_editor.execute(
            f"CREATE FUNCTION refuse_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" RAISE EXCEPTION '{MESSAGE}'"
            f" USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE}"
            f" FOR EACH ROW EXECUTE FUNCTION refuse_{name}()"
        )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in (*NAMES.values(), NOT_REPLACED):
            schema_editor.execute(f"DROP TRIGGER {name}")
        return
    for name in NAMES.values():
        schema_editor.execute(f"DROP TRIGGER {name} ON {TABLE}")
        schema_editor.execute(f"DROP FUNCTION refuse_{name}()")


def _sqlite(name, event, condition):
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE} WHEN {condition}"
        f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("analytics", "0006_private_trees"),
        ("surveys", "0026_released_tables_alone"),
    ]

    operations = [
        migrations.CreateModel(
            name="OpeningRelease",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("opening", models.PositiveIntegerField()),
                ("place", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="opening_releases",
                        to="analytics.report",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "constraints": [
                    models.UniqueConstraint(
                        fields=("report", "place"), name="one_release_of_an_opening"
                    )
                ],
            },
        ),
        migrations.RunPython(create, drop),
    ]
