"""What became of each table of locked answers after the close; what was opened never changes.

PostgreSQL keeps no sample of trustees' files: one would outlive their erasure.
"""

import uuid

import django.db.models.deletion
from django.db import migrations, models

from surveys.models.frozen_tables import Refuse

TALLY, FILE = "surveys_tally", "surveys_tallyfile"
MESSAGE = "what trustees opened never changes"
FILE_MESSAGE = "the file of a trustee never changes"
OPENED_ONCE = (
    "OLD.counts IS NOT NULL OR NEW.id <> OLD.id OR NEW.revision_id <> OLD.revision_id"
    ' OR NEW."table" <> OLD."table" OR NEW.ballots <> OLD.ballots OR NEW.digest <> OLD.digest'
)
# They go with the ballots, and not before.
HAS_BALLOTS = (
    f'EXISTS (SELECT 1 FROM surveys_ballot b JOIN {TALLY} t ON t.revision_id = b.revision_id'
    ' AND t."table" = b."table" WHERE t.id = OLD.tally_id)'
)
# SQLite's REPLACE deletes the row that is in the way without asking a DELETE trigger.
SAME_TABLE = (
    f"EXISTS (SELECT 1 FROM {TALLY} WHERE id = NEW.id"
    ' OR (revision_id = NEW.revision_id AND "table" = NEW."table"))'
)
SAME_FILE = (
    f"EXISTS (SELECT 1 FROM {FILE} WHERE id = NEW.id OR"
    " (tally_id = NEW.tally_id AND kind = NEW.kind AND trustee = NEW.trustee))"
)


def never_sample(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for column in ("content", "locked"):
            schema_editor.execute(f"ALTER TABLE {FILE} ALTER COLUMN {column} SET STATISTICS 0")


def key():
    return models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0058_digests_of_ballots")]

    operations = [
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", key()),
                (
                    "table",
                    models.PositiveSmallIntegerField(help_text="The table's number, from 1."),
                ),
                ("ballots", models.PositiveBigIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("counts", models.JSONField(null=True)),
                ("opened_on", models.DateField(null=True)),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tallies",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("revision", "table"), name="one_tally_of_a_table"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TallyFile",
            fields=[
                ("id", key()),
                (
                    "kind",
                    models.CharField(
                        choices=[("total", "Total"), ("noise", "Noise"), ("share", "Share")],
                        max_length=5,
                    ),
                ),
                ("trustee", models.PositiveSmallIntegerField()),
                ("content", models.BinaryField()),
                ("locked", models.BinaryField()),
                (
                    "tally",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="surveys.tally",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tally", "kind", "trustee"), name="one_file_of_each_trustee"
                    )
                ],
            },
        ),
        migrations.RunPython(never_sample, migrations.RunPython.noop),
        Refuse("tally_update", TALLY, "UPDATE", OPENED_ONCE, MESSAGE),
        Refuse("tally_delete", TALLY, "DELETE", "TRUE", MESSAGE),
        Refuse("tally_is_not_replaced", TALLY, "INSERT", {"sqlite": SAME_TABLE}, MESSAGE),
        Refuse("tally_file_update", FILE, "UPDATE", "TRUE", FILE_MESSAGE),
        Refuse("tally_file_delete", FILE, "DELETE", HAS_BALLOTS, FILE_MESSAGE),
        Refuse("tally_file_is_not_replaced", FILE, "INSERT", {"sqlite": SAME_FILE}, FILE_MESSAGE),
    ]
