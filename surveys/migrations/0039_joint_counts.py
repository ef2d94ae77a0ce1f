"""How often the answers to several questions came together is kept, once it was counted."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0038_conditions_on_ticks")]

    operations = [
        migrations.CreateModel(
            name="JointCount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("questions", models.CharField(max_length=60)),
                ("opening", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveBigIntegerField(default=0)),
                ("as_of", models.DateField(null=True)),
                ("content", models.BinaryField(default=b"")),
                ("problem", models.CharField(default="", max_length=200)),
                ("asked_at", models.DateTimeField(null=True)),
                ("counted", models.PositiveBigIntegerField(default=0)),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="joint_counts",
                        to="surveys.revision",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("revision", "questions"), name="one_joint_count_per_choice"
                    )
                ]
            },
        ),
    ]
