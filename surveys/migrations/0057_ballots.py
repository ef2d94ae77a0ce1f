"""Answers that trustees alone open, as totals, stored locked at the close.

PostgreSQL keeps no sample of them: one would outlive their erasure.
"""

import django.db.models.deletion
import uuid
from django.db import migrations, models


def never_sample(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE surveys_ballot ALTER COLUMN content SET STATISTICS 0")


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0056_locked_tables"),
    ]

    operations = [
        migrations.AlterField(
            model_name="sealed",
            name="kind",
            field=models.CharField(
                choices=[("row", "Row"), ("text", "Text"), ("kept", "Kept"), ("lock", "Ballot")],
                max_length=4,
            ),
        ),
        migrations.CreateModel(
            name="Ballot",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "table",
                    models.PositiveSmallIntegerField(help_text="The table's number, from 1."),
                ),
                ("opening", models.PositiveIntegerField(default=0, editable=False)),
                ("content", models.BinaryField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ballots",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["revision", "table"], name="surveys_bal_revisio_037a5b_idx"
                    )
                ],
            },
        ),
        migrations.RunPython(never_sample, migrations.RunPython.noop),
    ]
