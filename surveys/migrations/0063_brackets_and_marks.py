"""Rules with brackets, and a mark of questions that an import could not take over whole."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn


class Migration(migrations.Migration):
    dependencies = [("surveys", "0062_question_names")]

    operations = [
        AddColumn(
            "question",
            "unfinished",
            models.BooleanField(blank=True, null=True, verbose_name="not finished"),
        ),
        AddColumn(
            "condition",
            "bracket",
            models.PositiveSmallIntegerField(
                blank=True,
                choices=[(1, "A"), (2, "B"), (3, "C"), (4, "D"), (5, "E")],
                null=True,
                verbose_name="in bracket",
            ),
        ),
        # Its choices alone, which no database knows.
        migrations.AlterField(
            "condition",
            "comparison",
            models.CharField(
                choices=[
                    ("is", "is"),
                    ("is_not", "is not, or is missing"),
                    ("less", "is less than"),
                    ("most", "is at most"),
                    ("more", "is more than"),
                    ("least", "is at least"),
                    ("marked", "has at least so many ticks"),
                    ("fewer", "has fewer ticks, or is missing"),
                    ("answered", "was given"),
                    ("missing", "is missing"),
                ],
                default="is",
                max_length=8,
                verbose_name="comparison",
            ),
        ),
    ]
