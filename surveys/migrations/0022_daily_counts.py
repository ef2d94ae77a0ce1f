"""What pages said of each day's progress is kept: at least so many answers, in steps of a batch."""

import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0021_asked_subsets")]

    operations = [
        migrations.CreateModel(
            name="DailyCount",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField()),
                ("at_least", models.PositiveIntegerField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="daily_counts",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("revision", "day"), name="one_count_per_day")
                ]
            },
        ),
    ]
