"""What the page of an import shows is kept beside the file, which it read whole each time."""

from django.db import migrations, models

from ranking.methods.histograms import read_histograms

PREVIEWED = 20


def fill(apps, schema_editor):
    PendingImport = apps.get_model("ranking", "PendingImport")
    for pending in PendingImport.objects.iterator(1):
        found = read_histograms(bytes(pending.content), form=pending.form, counts=False)
        pairs = zip(found.names[:PREVIEWED], found.counts[:PREVIEWED], strict=True)
        pending.items = len(found)
        pending.preview = [(name, list(map(int, counts))) for name, counts in pairs]
        pending.save(update_fields=["items", "preview"])


class Migration(migrations.Migration):

    dependencies = [
        ("ranking", "0003_name_of_an_import"),
    ]

    operations = [
        migrations.AddField(
            model_name="pendingimport",
            name="items",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="pendingimport",
            name="preview",
            field=models.JSONField(default=list),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
