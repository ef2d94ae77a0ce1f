"""The day and size of each opening: intervals that hold at all planned openings need them.

Openings of surveys that are there already are not known by size. Nor are the days that their launch
planned for, so that these surveys are read as before.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0050_planned_looks")]

    operations = [
        migrations.AddField("openings", "looks", models.JSONField(null=True)),
        migrations.AlterField(
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
                help_text="Once: the exact interval, at the first opening with the planned number "
                "of responses, else at the close. At openings: intervals that hold at all openings "
                "together, and need more people. All the time: at all looks together, and need "
                "most. The planner compares them.",
                max_length=8,
            ),
        ),
    ]
