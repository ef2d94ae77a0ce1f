"""Rules with brackets, pages of 4,000 characters, and a mark of what an import lost."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn, WidenColumn


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
        WidenColumn(
            "question",
            "help",
            models.CharField(blank=True, max_length=4000, verbose_name="help"),
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
