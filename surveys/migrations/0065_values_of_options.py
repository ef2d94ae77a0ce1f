"""What files call an option."""

from django.db import migrations, models

from surveys.models.frozen_tables import AddColumn


class Migration(migrations.Migration):
    dependencies = [("surveys", "0064_alone")]

    operations = [
        AddColumn("option", "value", models.CharField(blank=True, max_length=24, null=True))
    ]
