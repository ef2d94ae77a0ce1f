"""Count the answers that are stored already, survey by survey: about 5 s for a million of them.

Each survey is one transaction, which holds its spool and its opening so that no answer is stored
meanwhile. If it is killed, the next run counts the surveys that are left: one is done if its
responses and texts are as many as were counted.
"""

from django.db import migrations, transaction
from django.db.models import Sum

from surveys.questionnaire.document import Questionnaire
from surveys.counts.cells import RESPONSES, WRITTEN, tallied

AT_ONCE = 5_000


def count_answers(apps, schema_editor):
    alias = schema_editor.connection.alias
    keys = apps.get_model("surveys", "Revision").objects.using(alias).order_by("pk")
    for key in list(keys.values_list("pk", flat=True)):
        with transaction.atomic(using=alias):
            _hold(apps, alias, key)
            if not _is_done(apps, alias, key):
                _count(apps, alias, key)


def _hold(apps, alias, key):
    for name, field in (("Spool", "revision_id"), ("Openings", "pk")):
        rows = apps.get_model("surveys", name).objects.using(alias).filter(**{field: key})
        list(rows.select_for_update())


def _rows(apps, alias, name, key):
    return apps.get_model("surveys", name).objects.using(alias).filter(revision=key)


def _is_done(apps, alias, key):
    kept = _rows(apps, alias, "AnswerCount", key)
    question, cell = RESPONSES
    counted = kept.filter(question=question, cell=cell).aggregate(all=Sum("count"))["all"]
    written = kept.filter(cell=WRITTEN).aggregate(all=Sum("count"))["all"]
    responses = _rows(apps, alias, "Response", key).count()
    return (counted, written or 0) == (responses, _rows(apps, alias, "Comment", key).count())


def _count(apps, alias, key):
    kept = _rows(apps, alias, "AnswerCount", key)
    kept.delete()
    document = apps.get_model("surveys", "Revision").objects.using(alias).get(pk=key).document
    states = apps.get_model("surveys", "Openings").objects.using(alias).filter(pk=key)
    rows = _rows(apps, alias, "Response", key).values_list("opening", "answers")
    texts = _rows(apps, alias, "Comment", key).values_list("opening", "question")
    found = tallied(
        Questionnaire.from_document(document),
        next(iter(states.values_list("done", flat=True)), 0),
        rows.iterator(AT_ONCE),
        texts.iterator(AT_ONCE),
    )
    kept.bulk_create(
        (
            kept.model(revision_id=key, opening=opening, question=number, cell=cell, count=count)
            for opening, cells in sorted(found.items())
            for (number, cell), count in sorted(cells.items())
            if count
        ),
        batch_size=1000,
    )


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("surveys", "0033_answer_counts")]

    operations = [migrations.RunPython(count_answers, migrations.RunPython.noop, elidable=True)]
