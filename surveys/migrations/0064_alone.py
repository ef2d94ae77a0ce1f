"""Options of a multiple choice that can only be ticked alone."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn


class Migration(migrations.Migration):
    dependencies = [("surveys", "0063_brackets_and_marks")]

    operations = [AddColumn("option", "stands_alone", models.BooleanField(default=False))]
