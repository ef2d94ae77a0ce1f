"""A plan says how it is read and how sure it wants to be; its one look is kept as it was.

Until now the planner worked out how many people one look takes: so the plans that are there are
read once. An open survey that has its planned number already is read all the time: the first
opening that had it is over, and what it showed was not kept.

SQLite would rebuild the table of surveys for a new column with a default, and lose its triggers:
such columns are added with the statement that both databases know. PostgreSQL keeps no sample of
the counts: one would outlive their erasure.
"""

from decimal import Decimal

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

RESPONSES, CELL, SHOWN = 0, "", 0


def read_all_the_time(apps, schema_editor):
    """Those whose planned number came before looks were kept."""
    Survey, Count = apps.get_model("surveys", "Survey"), apps.get_model("surveys", "AnswerCount")
    for survey in Survey.objects.filter(state="open", planned_responses__isnull=False).iterator():
        total = Count.objects.filter(
            revision__survey=survey, opening=SHOWN, question=RESPONSES, cell=CELL
        )
        if sum(total.values_list("count", flat=True)) >= survey.planned_responses:
            Survey.objects.filter(pk=survey.pk).update(planned_reading="always")


def never_sample(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for column in ("responses", "content"):
            schema_editor.execute(
                f"ALTER TABLE surveys_plannedlook ALTER COLUMN {column} SET STATISTICS 0"
            )


class Migration(migrations.Migration):
    dependencies = [("surveys", "0049_held_openings")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE surveys_survey ADD COLUMN planned_reading varchar(8)"
                    " DEFAULT 'once' NOT NULL",
                    "ALTER TABLE surveys_survey DROP COLUMN planned_reading",
                ),
                migrations.RunSQL(
                    "ALTER TABLE surveys_survey ADD COLUMN planned_failure numeric(10, 9)"
                    " DEFAULT 0.05 NOT NULL",
                    "ALTER TABLE surveys_survey DROP COLUMN planned_failure",
                ),
            ],
            state_operations=[
                migrations.AddField(
                    "survey",
                    "planned_reading",
                    models.CharField(
                        "results are read",
                        choices=[
                            ("once", "once"),
                            ("openings", "at openings, every N days"),
                            ("always", "all the time"),
                        ],
                        default="once",
                        help_text="Once: the exact interval, at the first opening with the planned "
                        "number of responses, else at the close. All the time: intervals that hold "
                        "at all looks together, and need more people. At openings: the same so "
                        "far. The planner compares them.",
                        max_length=8,
                    ),
                ),
                migrations.AddField(
                    "survey",
                    "planned_failure",
                    models.DecimalField(
                        decimal_places=9, default=Decimal("0.05"), editable=False, max_digits=10
                    ),
                ),
            ],
        ),
        migrations.AddField(
            "survey",
            "planned_error",
            models.DecimalField(
                "wanted error, in points",
                blank=True,
                decimal_places=4,
                help_text="How far each interval of a share may go to either side: 5 for ± 5 "
                "points. With it, pages say if the results are sure enough. The planner fills it "
                "in.",
                max_digits=7,
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(Decimal("0.0001")),
                    django.core.validators.MaxValueValidator(Decimal("99.9999")),
                ],
            ),
        ),
        migrations.CreateModel(
            name="PlannedLook",
            fields=[
                (
                    "revision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="planned_look",
                        serialize=False,
                        to="surveys.revision",
                    ),
                ),
                ("planned", models.PositiveIntegerField()),
                ("responses", models.PositiveBigIntegerField()),
                ("is_at_close", models.BooleanField(default=False)),
                ("as_of", models.DateField(null=True)),
                ("content", models.BinaryField()),
            ],
        ),
        migrations.RunPython(never_sample, migrations.RunPython.noop),
        migrations.RunPython(read_all_the_time, migrations.RunPython.noop),
    ]
