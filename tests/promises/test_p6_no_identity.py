"""P6: no address, no agent, no cookie and no time of a respondent is written down anywhere."""

from collections.abc import Iterable
from datetime import datetime, time, timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import DateTimeField, Model
from django.utils import timezone

from surveys import models
from surveys.collecting import spool
from surveys.collecting.keys import batch_keys
from surveys.collecting.services import receive
from surveys.operations.openings import open_due
from tests import traces
from tests.analytics.releasing import answer, make_released_survey
from tests.bodies import body_of
from tests.factories import invite, make_invited_survey, make_open_survey, make_user
from tests.load import gunicorn
from tests.visitor import Visitor, status_of

pytestmark = pytest.mark.usefixtures("transactional_db")
# The columns that these tables have in the database; whoever adds one has to come here.
COLUMNS = {
    models.Response: {
        "id": "UUIDField",
        "revision_id": "UUIDField",
        "opening": "PositiveIntegerField",  # the number of the opening, the same for all its rows
        "answers": "TextField",
    },
    models.Comment: {
        "id": "UUIDField",
        "revision_id": "UUIDField",
        "question": "PositiveSmallIntegerField",
        "text": "TextField",
        "opening": "PositiveIntegerField",
    },
    models.Waiting: {"id": "UUIDField", "revision_id": "UUIDField", "ciphertext": "BinaryField"},
    models.SetAside: {
        "id": "UUIDField",
        "revision_id": "UUIDField",
        "batch": "UUIDField",  # which key is gone
        "ciphertext": "BinaryField",
    },
    models.Spool: {"survey_id": "UUIDField", "revision_id": "UUIDField", "batch": "UUIDField"},
    models.SubmissionKey: {
        "digest": "CharField",
        "content": "CharField",
        "revision_id": "UUIDField",
    },
    models.Invitation: {
        "digest": "CharField",
        "survey_id": "UUIDField",
        "redeemed": "BooleanField",
        "announced": "BooleanField",  # whether it was used before today, as the door says
        "request": "CharField",  # of what was signed for it: fits all answers alike
    },
}
ANSWERS = {
    models.Response,
    models.Comment,
    models.Waiting,
    models.SetAside,
    models.Spool,
    models.SubmissionKey,
}
STATUSES = {200, 302, 400, 403, 404, 405, 409, 413, 414, 415, 417, 429, 431, 500, 501}
INVITED = {models.Invitation, models.Mailing, models.Addressee}


def test_after_every_kind_of_request_nothing_names_the_visitor(tmp_path):
    look_for_the_visitor(tmp_path, visits=300)


def look_for_the_visitor(directory: Path, *, visits: int) -> None:
    """Send them, with every log switched on that can be, and look everywhere."""
    mails = directory / "mails"
    mails.mkdir()
    owner = make_user("root", superuser=True)
    arguments = ("--log-level", "debug", "--access-logfile", "-")
    variables = {
        "DJANGO_SETTINGS_MODULE": "tests.config.failing_settings",
        "MAIL_DIRECTORY": str(mails),
        "DENIABLE_SUBMISSIONS_PER_HOUR": str(visits // 60),
    }
    log = directory / "log.txt"
    with gunicorn(log, *arguments, workers=1, **variables) as server:
        visitor = make_visitor(f"http://127.0.0.1:{server.port}", owner, invitations=visits // 40)
        assert_the_server_knows(visitor)
        statuses = visitor.visit_all(visits)
        visitor.log_in(owner.username, "wrong")
        assert status_of(visitor.log_in(owner.username, "correct+horse")) == 302
        # The last batch of the invited may be whole: here one answer waits for certain.
        waiting = make_open_survey(owner, batch_size=20)
        path = f"/en/s/{waiting.pk}/send/"
        reply = visitor.send(visitor.post(path, body_of(waiting.revision)))
        assert status_of(reply) == 200, reply
    assert set(statuses) >= STATUSES, statuses
    assert_nothing_is_left(visitor, log.read_text(), mails)
    assert_the_log_is_of_use(log.read_text())


def make_visitor(url: str, owner, *, invitations: int) -> Visitor:
    """Two surveys: one whose answers are stored one by one, one where they wait for a batch."""
    invited = make_invited_survey(owner, batch_size=20)
    return Visitor(url, make_open_survey(owner), invited, invite(invited, invitations))


def assert_the_server_knows(visitor: Visitor) -> None:
    """Otherwise nothing could be found, whatever is written down."""
    reply = visitor.send(visitor.get("/fails/not/"))
    assert all(mark.encode() in reply for mark in visitor.marks), reply


def assert_nothing_is_left(visitor: Visitor, printed: str, mails: Path) -> None:
    """Neither in the database's rows, nor in any file, nor in the log, nor in a mail."""
    assert models.Response.objects.count() > 5
    assert models.Waiting.objects.exists()
    assert Session.objects.exists()
    marked = [row for row in traces.rows() if traces.found(visitor.marks, row.encode())]
    assert marked == []
    kept = [(path, traces.found(visitor.marks, text)) for path, text in traces.files()]
    assert len(kept) > 10
    assert [(path, marks) for path, marks in kept if marks] == []
    lines = [line for line in printed.splitlines() if traces.found(visitor.marks, line.encode())]
    assert lines == []
    assert list(mails.iterdir()) == []


def assert_the_log_is_of_use(printed: str) -> None:
    """It says what failed and where, when workers started and stopped, and nothing of requests."""
    for line in (
        "Booting worker with pid",
        "Handling signal: term",
        "  RuntimeError\n",
        "  LookupError\n  ",
        "  after RuntimeError\n",
        "django.db.utils.",
        "tests/config/failing.py:",
        "django.security.DisallowedHost",
    ):
        assert line in printed, line
    assert "Invalid request" not in printed
    assert "SuspiciousOperation" not in printed
    assert "(status 404)" not in printed


@pytest.mark.both_databases
@pytest.mark.parametrize("model", COLUMNS, ids=lambda model: model.__name__)
def test_a_table_of_answers_has_these_columns_and_no_other(model):
    with connection.cursor() as cursor:
        described = connection.introspection.get_table_description(cursor, model._meta.db_table)
    assert {column.name for column in described} == set(COLUMNS[model])
    columns = [field.column for field in model._meta.concrete_fields]
    fields = [f.target_field if f.is_relation else f for f in model._meta.concrete_fields]
    kinds = [field.get_internal_type() for field in fields]
    assert dict(zip(columns, kinds, strict=True)) == COLUMNS[model]


@pytest.mark.both_databases
def test_no_table_of_answers_and_no_table_of_invitations_refer_to_each_other():
    """Each knows its survey or its revision, which all its rows share."""
    assert referred(*ANSWERS) == {"surveys_revision", "surveys_survey"}
    assert referred(*INVITED) == {"surveys_survey"}
    assert referred(models.Invitation) == {"surveys_survey"}


def referred(*tables: type[Model]) -> set[str]:
    """The tables with which the database knows a relation, in either direction."""
    here = names(tables)
    with connection.cursor() as cursor:
        pairs = {
            (table, other)
            for table in connection.introspection.table_names(cursor)
            for _, other in connection.introspection.get_relations(cursor, table).values()
        }
    return {to for to_and_fro in pairs for to in to_and_fro if here & set(to_and_fro)} - here


def names(tables: Iterable[type[Model]]) -> set[str]:
    return {table._meta.db_table for table in tables}


def test_services_are_not_told_who_asks():
    """What receives a submission is given its bytes, not the request that carried them.

    ``admit`` is the page's own answer to whether its sender may go on.
    """
    assert set(receive.__annotations__) == {"survey_id", "body", "admit", "return"}


@pytest.mark.both_databases
def test_an_answer_that_finds_the_keys_gone_writes_its_moment_into_no_table(settings, tmp_path):
    """Its request sets the lost batch aside and holds the opening; the timer writes it down."""
    settings.BATCH_KEYS_DIR = tmp_path / "keys"
    survey = make_released_survey(make_user(), opening="every", opening_days=7, last_day=27)
    answer(survey, [(0, 0, 20)] * 3)
    # Two weeks: an opening that is due today has its hour only at three in the morning.
    models.Openings.objects.update(since=timezone.now().date() - timedelta(days=15))
    batch_keys.destroy(spool.keys_directory(), models.Spool.objects.get().batch)
    before = moments()
    answer(survey, [(0, 0, 20)])
    assert models.SetAside.objects.count() == 3
    assert models.Openings.objects.get().fell_back_to is not None
    assert [moment for moment in moments() - before if moment.time() != time()] == []
    for _ in range(2):
        open_due(timezone.now())
    entries = models.AuditEntry.objects.filter(action="set answers aside", survey=survey.pk)
    assert [entry.after for entry in entries] == [{"at_least": 0}]


def moments() -> set[datetime]:
    """Every moment that stands in any table."""
    return {
        moment
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, DateTimeField)
        for moment in model._default_manager.values_list(field.attname, flat=True)
        if moment is not None
    }
