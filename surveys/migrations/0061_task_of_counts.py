"""A count that was queued before the upgrade is found by the new name of its room."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

BEFORE, NOW = (f"surveys.{room}.tasks.count_together" for room in ("tallies", "counts"))


def rename(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _rename(apps, BEFORE, NOW)


def name_as_before(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _rename(apps, NOW, BEFORE)


def _rename(apps: Apps, old: str, new: str) -> None:
    results = apps.get_model("django_tasks_database", "DBTaskResult")
    results.objects.filter(task_path=old).update(task_path=new)


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0060_frozen_keys"),
        ("django_tasks_database", "0001_initial"),
    ]

    operations = [migrations.RunPython(rename, name_as_before)]
