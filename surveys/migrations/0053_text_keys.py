"""Keys for sealed texts, as drafts choose them."""

import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0052_program_versions")]

    operations = [
        migrations.CreateModel(
            name="TextKey",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("layer", models.PositiveSmallIntegerField()),
                ("name", models.CharField("who holds it", max_length=80)),
                ("key", models.CharField("key", max_length=64)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="text_keys",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={
                "verbose_name": "key for sealed texts",
                "verbose_name_plural": "keys for sealed texts",
                "ordering": ["layer"],
                "constraints": [
                    models.UniqueConstraint(fields=("survey", "layer"), name="one_key_per_layer"),
                    models.UniqueConstraint(
                        fields=("survey", "key"),
                        name="two_different_keys",
                        violation_error_message="This key is there already: the second one has to "
                        "be another person's.",
                    ),
                ],
            },
        )
    ]
