"""Openings that wait since the database fell back, where they would draw released tables again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0048_set_aside")]

    operations = [
        migrations.AddField("openings", "fell_back_to", models.DateTimeField(null=True)),
        migrations.AddField("openings", "drawn_then", models.PositiveIntegerField(null=True)),
    ]
