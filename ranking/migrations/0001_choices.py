"""Who chose which utilities and prior: rows that are only ever added, held by triggers."""

import django.db.models.deletion
from django.db import migrations, models

MESSAGE = "the history of a ranking is only ever added to"
TABLE = "ranking_rankingchoice"
TRIGGERS = (("ranking_choice_update", "UPDATE"), ("ranking_choice_delete", "DELETE"))
# SQLite's REPLACE deletes the row that is in the way without asking a DELETE trigger.
NOT_REPLACED = (
    f"CREATE TRIGGER ranking_choice_is_not_replaced BEFORE INSERT ON {TABLE}"
    f" WHEN EXISTS (SELECT 1 FROM {TABLE} WHERE id = NEW.id)"
    f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
)


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name, event in TRIGGERS:
            schema_editor.execute(
                f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE}"
                f" BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
            )
        schema_editor.execute(NOT_REPLACED)
        return
    schema_editor.execute(
        "CREATE FUNCTION refuse_ranking_choice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    for name, event in TRIGGERS:
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {TABLE}"
            " FOR EACH ROW EXECUTE FUNCTION refuse_ranking_choice()"
        )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in ("ranking_choice_is_not_replaced", *(name for name, _ in TRIGGERS)):
            schema_editor.execute(f"DROP TRIGGER {name}")
        return
    for name, _ in TRIGGERS:
        schema_editor.execute(f"DROP TRIGGER {name} ON {TABLE}")
    schema_editor.execute("DROP FUNCTION refuse_ranking_choice()")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('surveys', '0010_ratings'),
    ]

    operations = [
        migrations.CreateModel(
            name='RankingChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.UUIDField(help_text="The question's key in the questionnaire.")),
                ('utilities', models.CharField(max_length=300)),
                ('prior', models.CharField(max_length=300)),
                ('order', models.CharField(max_length=8)),
                ('actor', models.PositiveBigIntegerField(help_text='Null: Deniable itself.', null=True)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ranking_choices', to='surveys.revision')),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['revision', 'question', '-id'], name='ranking_ran_revisio_755d01_idx')],
            },
        ),
        migrations.CreateModel(
            name='PendingImport',
            fields=[
                ('catalogue', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='pending_import', serialize=False, to='surveys.catalogue')),
                ('form', models.CharField(max_length=4)),
                ('content', models.BinaryField()),
            ],
        ),
        migrations.RunPython(create, drop),
    ]
