"""How often each answer came is kept, so that no page counts all responses."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0032_rankings")]

    operations = [
        migrations.CreateModel(
            name="AnswerCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("opening", models.PositiveIntegerField(default=0)),
                ("question", models.PositiveSmallIntegerField()),
                ("cell", models.TextField()),
                ("count", models.PositiveBigIntegerField()),
                (
                    "revision",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="answer_counts",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("revision", "opening", "question", "cell"),
                        name="one_count_per_cell",
                    )
                ]
            },
        ),
    ]
