"""Answers beside the field of a number, such as “Do not know”."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn


class Migration(migrations.Migration):
    dependencies = [("surveys", "0066_rule_trees")]

    operations = [
        AddColumn(
            "question",
            "special",
            models.TextField(
                blank=True,
                help_text=(
                    "Number only: up to three answers in place of a number, one on each line. "
                    "Before each stands its code in brackets, a number outside the bounds: [999] "
                    "Do not know. Means leave them out. Files have the codes, and people who "
                    "answer by hand write them."
                ),
                max_length=1000,
                null=True,
                verbose_name="answers beside the number",
            ),
        )
    ]
