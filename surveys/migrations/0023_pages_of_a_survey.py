"""Pages to read and to agree to. The column stays as it is, so that no trigger is dropped."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0022_daily_counts")]

    operations = [
        migrations.AlterField(
            model_name="question",
            name="kind",
            field=models.CharField(
                choices=[
                    ("yes_no", "Yes or no"),
                    ("choice", "Single choice"),
                    ("scale", "Scale (ordered choice)"),
                    ("number", "Number"),
                    ("text", "Free text"),
                    ("rating", "Rating of items"),
                    ("info", "Information: a page to read"),
                    ("agree", "Consent: without it, nothing is sent"),
                ],
                default="yes_no",
                max_length=6,
            ),
        ),
    ]
