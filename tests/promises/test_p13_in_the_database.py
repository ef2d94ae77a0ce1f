"""P13 in the database: what a launched survey promised stays, through the ORM and through SQL."""

import json
from collections.abc import Callable

import pytest
from django.db import connection

from surveys.authoring.services import launch, stop
from surveys.models import (
    AuditEntry,
    Option,
    PrivacyBudget,
    Question,
    Revision,
    Survey,
)
from surveys.staff.audit.services import record
from tests.days import DAY, today
from tests.factories import (
    add_budget,
    add_one_of_each,
    add_text,
    make_survey,
    make_user,
)
from tests.promises.undoing import (
    BUDGET,
    CHANNELS,
    DELETE_ON,
    PROMISES,
    make_promised,
    new_key,
    refused,
    run,
    stored,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def launched(owner) -> Survey:
    return make_promised(owner)


def test_the_database_refuses_to_change_a_promise(launched):
    for name, value in PROMISES.items():
        with refused():
            Survey.objects.filter(pk=launched.pk).update(**{name: value})
        with refused():
            written = json.dumps(value) if isinstance(value, dict) else value
            run(f"UPDATE surveys_survey SET {name} = %s", written)


def test_the_database_refuses_to_forget_the_day_of_deletion(launched):
    with refused():
        Survey.objects.filter(pk=launched.pk).update(delete_on=None)


def test_a_survey_that_draws_questions_asks_all_of_them_no_more_and_the_other_way_round(
    launched, owner
):
    with refused():
        Survey.objects.filter(pk=launched.pk).update(asked=None)
    whole = make_survey(owner)
    add_one_of_each(whole)
    launch(survey=whole, by=owner)
    with refused():
        Survey.objects.filter(pk=whole.pk).update(asked=2)


def test_the_database_takes_what_may_change(launched, owner):
    later = make_user("grace")
    Survey.objects.filter(pk=launched.pk).update(
        owner=later, planned_responses=9, close_on=today() + 8 * DAY, delete_on=DELETE_ON - DAY
    )
    stop(survey=launched, by=later)
    launched.refresh_from_db()
    assert launched.state == Survey.State.CLOSED


def test_a_closed_survey_is_not_opened_again(launched, owner):
    stop(survey=launched, by=owner)
    for state in (Survey.State.OPEN, Survey.State.DRAFT):
        with refused():
            Survey.objects.filter(pk=launched.pk).update(state=state)
        with refused():
            run("UPDATE surveys_survey SET state = %s", state)


def test_a_launched_survey_is_not_a_draft_again(launched):
    with refused():
        run("UPDATE surveys_survey SET state = 'draft'")


def test_the_database_refuses_to_change_a_question(launched):
    for name, value in {**CHANNELS, "position": 6}.items():
        with refused():
            Question.objects.filter(survey=launched).update(**{name: value})
        with refused():
            run(f"UPDATE surveys_question SET {name} = %s", value)


@pytest.mark.parametrize("model", [Question, Option])
def test_the_database_refuses_to_add_delete_or_move_questions_and_options(launched, owner, model):
    parent = "survey" if model is Question else "question"
    draft = make_survey(owner)
    add_one_of_each(draft)
    theirs = model.objects.filter(**{f"{parent}__in": _parents(launched, model)})
    ours = model.objects.filter(**{f"{parent}__in": _parents(draft, model)})
    attempts: list[Callable[[], object]] = [
        lambda: theirs.delete(),
        lambda: theirs.update(**{parent: _parents(draft, model)[0]}),
        lambda: ours.update(**{parent: _parents(launched, model)[0]}),
        lambda: model.objects.create(**{parent: _parents(launched, model)[0]}, text="New"),
        lambda: run(f"DELETE FROM {model._meta.db_table}"),
    ]
    for attempt in attempts:
        with refused():
            attempt()


def test_the_database_refuses_to_change_a_budget(launched):
    for name, value in BUDGET.items():
        with refused():
            PrivacyBudget.objects.update(**{name: value})
        with refused():
            run(f"UPDATE surveys_privacybudget SET {name} = %s", str(value))


def test_the_database_refuses_to_add_delete_or_move_a_budget(launched, owner):
    draft, unprotected = make_survey(owner), make_survey(owner)
    add_text(unprotected)
    launch(survey=unprotected, by=owner)
    ours, theirs = add_budget(draft), launched.budgets.get()
    attempts: list[Callable[[], object]] = [
        lambda: theirs.delete(),
        lambda: run("DELETE FROM surveys_privacybudget"),
        lambda: PrivacyBudget.objects.filter(pk=theirs.pk).update(survey=make_survey(owner)),
        lambda: PrivacyBudget.objects.filter(pk=ours.pk).update(survey=unprotected),
        lambda: add_budget(unprotected),
    ]
    for attempt in attempts:
        with refused():
            attempt()
    assert not unprotected.budgets.exists()


def _parents(survey: Survey, model: type) -> list[object]:
    return [survey] if model is Question else list(survey.questions.filter(kind="scale"))


def test_the_database_refuses_to_change_or_delete_a_revision(launched):
    with refused():
        Revision.objects.update(document={})
    with refused():
        run("UPDATE surveys_revision SET document = '{}'")
    with refused():
        run("DELETE FROM surveys_revision")
    with refused():
        Revision.objects.filter(survey=launched)._raw_delete(connection.alias)


def test_a_draft_does_not_take_a_launched_surveys_key(launched, owner):
    draft = make_survey(owner)
    with refused():
        run("UPDATE surveys_survey SET id = %s WHERE id = %s", stored(new_key()), stored(draft.pk))


@pytest.mark.parametrize("model", [Survey, Revision, PrivacyBudget, AuditEntry])
def test_no_row_is_replaced(launched, model):
    """SQLite's REPLACE deletes what is in the way; PostgreSQL knows ON CONFLICT only."""
    columns = ", ".join(field.column for field in model._meta.concrete_fields)
    table = model._meta.db_table
    copied = f"INTO {table} ({columns}) SELECT {columns} FROM {table} WHERE TRUE"
    key = model._meta.pk.column
    told = {Survey: "title", Revision: "document", PrivacyBudget: "adjacency", AuditEntry: "action"}
    changed = told[model]
    if connection.vendor == "sqlite":
        with refused():
            run(f"REPLACE {copied}")
        return
    with refused():
        run(f"INSERT {copied} ON CONFLICT ({key}) DO UPDATE SET {changed} = '\"forged\"'")


def test_another_revision_does_not_push_the_first_one_out(launched):
    verb = "REPLACE" if connection.vendor == "sqlite" else "INSERT"
    with refused(by="never changes|duplicate key"):
        run(
            f"{verb} INTO surveys_revision (id, survey_id, document, launched_at) "
            "SELECT %s, survey_id, '{}', launched_at FROM surveys_revision",
            stored(new_key()),
        )


def test_the_audit_log_only_grows(launched, owner):
    record("looked", by=owner, survey=launched)
    entries = AuditEntry.objects.order_by()
    attempts: list[Callable[[], object]] = [
        lambda: entries.update(action="forged"),
        lambda: entries.delete(),
        lambda: entries.first().delete(),
        lambda: run("UPDATE surveys_auditentry SET actor = NULL"),
        lambda: run("DELETE FROM surveys_auditentry"),
    ]
    for attempt in attempts:
        with refused():
            attempt()
    assert list(entries.order_by("pk").values_list("action", flat=True)) == ["launched", "looked"]
