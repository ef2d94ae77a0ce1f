"""Submissions that no key opens for now, and which directory has the keys.

What was sealed is sampled by PostgreSQL's planner no more than what waits.
"""

import uuid

import django.db.models.deletion
from django.db import migrations, models


def never(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE surveys_setaside ALTER COLUMN ciphertext SET STATISTICS 0")


class Migration(migrations.Migration):
    dependencies = [("surveys", "0047_no_samples_of_contents")]

    operations = [
        migrations.CreateModel(
            name="SetAside",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("batch", models.UUIDField()),
                ("ciphertext", models.BinaryField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="set_aside",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="KeyDirectory",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                ("mark", models.UUIDField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="one_directory_of_keys"
                    )
                ],
            },
        ),
        migrations.RunPython(never, migrations.RunPython.noop),
    ]
