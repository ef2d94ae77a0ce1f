"""Shorter codes for surveys from now on, and what the door may say of used ones.

Both columns of the survey are added without a default, so that SQLite does not rebuild its table,
which would drop its triggers. Drafts from before keep null: codes of 28 characters may have been
handed out for them already.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0014_openings")]

    operations = [
        migrations.AddField(
            "survey", "code_length", models.PositiveSmallIntegerField(editable=False, null=True)
        ),
        # Python sets the default; the database knows none.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "survey",
                    "code_length",
                    models.PositiveSmallIntegerField(default=16, editable=False, null=True),
                )
            ]
        ),
        migrations.AddField("survey", "announced_on", models.DateField(editable=False, null=True)),
        migrations.AddField("invitation", "announced", models.BooleanField(default=False)),
    ]
