"""P13 in the database: keys and locked tables of a launched survey stay as they were launched."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction

from surveys.models import TallyTable, TallyTrustee, TextKey
from tests.factories import launched
from tests.surveys.authoring.trustees import counted_draft

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both_databases,
]
CHANGES = {
    TallyTrustee: {"position": 9, "name": "Eve", "key": "00" * 32, "proof": "00" * 64},
    TallyTable: {"table": 9, "sigma": "1"},
    TextKey: {"layer": 2, "name": "Eve", "key": "00" * 32},
}


@pytest.fixture
def draft(owner):
    draft = counted_draft(owner)
    TextKey.objects.create(survey=draft, layer=1, name="Ada", key="11" * 32)
    return draft


def stored() -> list[list[dict[str, object]]]:
    return [list(model.objects.order_by("pk").values()) for model in CHANGES]


@pytest.mark.parametrize("model", CHANGES, ids=lambda model: model.__name__)
def test_a_draft_s_keys_and_tables_change_and_a_launched_survey_s_do_not(draft, owner, model):
    other = counted_draft(owner, title="A draft")
    TextKey.objects.create(survey=other, layer=1, name="Ada", key="11" * 32)
    launched(draft)
    theirs, ours = model.objects.filter(survey=draft), model.objects.filter(survey=other)
    mine = ours.first()
    attempts: list[Callable[[], object]] = [
        *(
            lambda name=name, value=value: theirs.update(**{name: value})
            for name, value in CHANGES[model].items()
        ),
        theirs.delete,
        lambda: theirs.update(survey=other),
        lambda: ours.update(survey=draft),
        lambda: model.objects.create(survey=draft, **CHANGES[model]),
    ]
    before = stored()
    for attempt in attempts:
        with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
            attempt()
    assert stored() == before
    if connection.vendor == "sqlite":
        table = model._meta.db_table
        with pytest.raises(DatabaseError, match="never change"), connection.cursor() as cursor:
            cursor.execute(f"REPLACE INTO {table} SELECT * FROM {table}")
    for name, value in CHANGES[model].items():
        assert model.objects.filter(pk=mine.pk).update(**{name: value}) == 1
    other.delete()
    assert not ours.exists()
