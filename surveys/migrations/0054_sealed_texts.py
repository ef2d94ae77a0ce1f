"""Texts that only the holders of the researchers' keys open, stored at the close.

PostgreSQL keeps no sample of them: one would outlive their erasure.
"""

import uuid

import django.db.models.deletion
from django.db import migrations, models


def never_sample(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE surveys_sealedtext ALTER COLUMN content SET STATISTICS 0")


class Migration(migrations.Migration):
    dependencies = [("surveys", "0053_text_keys")]

    operations = [
        migrations.CreateModel(
            name="SealedText",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "question",
                    models.PositiveSmallIntegerField(help_text="The question's number, from 1."),
                ),
                ("opening", models.PositiveIntegerField(default=0, editable=False)),
                ("content", models.BinaryField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sealed_texts",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["revision", "question"], name="surveys_sea_revisio_68efd4_idx")],
            },
        ),
        migrations.RunPython(never_sample, migrations.RunPython.noop),
    ]
