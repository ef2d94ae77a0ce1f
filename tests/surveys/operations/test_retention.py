"""Retention: what is due on a day, that exactly this happens, and what cannot be done is said."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from functools import partial
from io import StringIO

import psycopg
import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from surveys.authoring.services import close, launch
from surveys.collecting import lost_batches, spool
from surveys.collecting.keys import batch_keys, key_directory
from surveys.collecting.queries import set_aside_count, waiting_count
from surveys.collecting.services import receive
from surveys.models import (
    Addressee,
    AuditEntry,
    Comment,
    Extract,
    Invitation,
    Mailing,
    Question,
    Response,
    SetAside,
    Spool,
    SubmissionKey,
    Survey,
    Waiting,
)
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotOpen
from surveys.operations import retention
from surveys.questionnaire import tokens
from surveys.results.queries import response_count
from tests.bodies import body_of
from tests.factories import add_question, make_survey
from tests.faults import refused
from tests.rivals import at_once

pytestmark = pytest.mark.django_db(transaction=True)
TABLES = {
    "responses": Response,
    "comments": Comment,
    "extracts": Extract,
    "waiting": Waiting,
    "set aside": SetAside,
    "submission keys": SubmissionKey,
    "invitations": Invitation,
    "addresses": Addressee,
    "mailings": Mailing,
}
BATCH = 5
READER = {
    "sqlite": "PRAGMA busy_timeout = 100",
    "postgresql": "SELECT 1",  # the run itself says how long it waits
}


@pytest.fixture(autouse=True)
def patience(monkeypatch) -> None:
    """Tests side by side share a server, and so each other's transactions, for as long as these."""
    monkeypatch.setattr(retention, "PATIENCE", 60.0)


@pytest.fixture(autouse=True)
def _own_keys(settings, tmp_path) -> None:
    settings.BATCH_KEYS_DIR = tmp_path / "keys"


def today() -> date:
    return timezone.now().date()


def days(number: int) -> date:
    return today() + timedelta(days=number)


def open_survey(owner, *, answers: int = BATCH + 2, **fields) -> Survey:
    """With one batch stored, two answers waiting, and three people invited by mail.

    Days that are over were not when people answered: they are set afterwards.
    """
    over = {name: fields.pop(name) for name in ("close_on", "delete_on") if _is_over(fields, name)}
    survey = make_survey(owner, **{"batch_size": BATCH, **fields})
    add_question(survey, required=True)
    add_question(survey, text="What else?", kind=Question.Kind.TEXT, design="direct", longest=20)
    revision = launch(survey=survey, by=owner)
    for number in range(answers):
        body = body_of(revision, ["00", f"text+{number}"], own_coin=True)
        receive(survey_id=survey.pk, body=body)
    for _ in range(3):
        Invitation.objects.create(survey=survey, digest=tokens.digest(tokens.new_token()))
    mailing = Mailing.objects.create(survey=survey, subject="Please answer", message="{link}")
    for name in ("ada", "bob", "eve"):
        Addressee.objects.create(mailing=mailing, address=f"{name}@example.org")
    Extract.objects.create(revision=revision, document={"topics": [["text"]]})
    Survey.objects.filter(pk=survey.pk).update(**over)
    return Survey.objects.get(pk=survey.pk)


def _is_over(fields, name: str) -> bool:
    return name in fields and fields[name] <= today()


def stored() -> Counter:
    """What there is, by table; empty tables are left out."""
    return +Counter({name: model.objects.count() for name, model in TABLES.items()})


def run(*options: str) -> str:
    output = StringIO()
    call_command("retention", *options, stdout=output)
    return output.getvalue()


def answer(*options: str) -> dict:
    return json.loads(run("--json", *options))


def test_a_survey_stays_open_on_its_last_day_and_closes_after_it(owner):
    last, over = open_survey(owner, close_on=today()), open_survey(owner, close_on=days(-1))
    run()
    last.refresh_from_db()
    over.refresh_from_db()
    assert (last.state, over.state) == ("open", "closed")
    assert over.closed_on == today()


def test_closing_by_the_date_stores_what_waits_and_erases_whom_it_invited(owner):
    survey = open_survey(owner, close_on=days(-1))
    run()
    kept = {"responses": 7, "comments": 7, "submission keys": 7, "extracts": 1}
    assert stored() == kept
    survey.refresh_from_db()
    assert (survey.invited, survey.redeemed) == (3, 0)
    assert not batch_keys.kept(spool.keys_directory())


@pytest.mark.both_databases
def test_everything_of_a_survey_goes_on_its_day_and_nothing_of_another(owner):
    gone, later = open_survey(owner, delete_on=today()), open_survey(owner, delete_on=days(1))
    before = stored()
    run()
    assert stored() == {name: count // 2 for name, count in before.items()}
    assert response_count(later.revision) == BATCH
    assert waiting_count(later.revision.pk) == 2
    gone.refresh_from_db()
    assert (gone.state, gone.erased_on) == ("closed", today())


def test_the_key_of_the_batch_that_waited_is_destroyed_and_others_are_kept(owner):
    gone, later = open_survey(owner, delete_on=today()), open_survey(owner)
    assert gone.spool.batch in batch_keys.kept(spool.keys_directory())
    run()
    assert batch_keys.kept(spool.keys_directory()) == set(
        batch_keys.beside(spool.keys_directory(), later.spool.batch)
    )


def test_what_was_promised_and_what_was_done_about_it_stay(owner):
    survey = open_survey(owner, delete_on=days(9))
    Survey.objects.filter(pk=survey.pk).update(delete_on=today())
    run()
    survey.refresh_from_db()
    assert questionnaire_of(survey.revision).delete_on == str(days(9))
    entries = AuditEntry.objects.filter(survey=survey.pk).order_by("pk")
    assert [entry.action for entry in entries] == ["launched", "erasing", "closed", "erased"]
    assert entries[1].before["rows"]["responses"] == BATCH
    assert {entry.actor for entry in entries[1:]} == {None}


def test_a_draft_is_never_erased_or_closed(owner):
    draft = make_survey(owner, close_on=days(-2), delete_on=days(-1))
    run()
    draft.refresh_from_db()
    assert (draft.state, draft.erased_on) == ("draft", None)


def test_a_survey_without_dates_is_left_alone(owner):
    open_survey(owner)
    before = stored()
    assert "No survey is due." in run()
    assert stored() == before


def test_a_dry_run_changes_nothing(owner):
    open_survey(owner, delete_on=today())
    open_survey(owner, close_on=days(-1))
    before, entries = stored(), AuditEntry.objects.count()
    run("--dry-run")
    assert (stored(), AuditEntry.objects.count()) == (before, entries)
    assert set(Survey.objects.values_list("state", flat=True)) == {"open"}


def test_running_it_again_finds_nothing_to_do(owner):
    open_survey(owner, delete_on=today())
    run()
    entries = AuditEntry.objects.count()
    assert answer()["surveys"] == []
    assert AuditEntry.objects.count() == entries


def test_a_closed_survey_is_erased_without_being_closed_again(owner):
    survey = open_survey(owner, delete_on=today())
    close(survey=survey, by=owner)
    report = answer()
    assert report["surveys"][0]["rows"]["responses"] == BATCH + 2
    assert AuditEntry.objects.filter(survey=survey.pk, action="closed").count() == 1


def test_a_key_out_of_reach_does_not_stop_the_others_and_the_command_says_what_to_do(
    owner, settings, tmp_path
):
    stuck, fine = open_survey(owner, close_on=days(-1)), open_survey(owner, close_on=days(-1))
    settings.BATCH_KEYS_DIR = tmp_path / "half a copy"
    shutil.copytree(tmp_path / "keys", settings.BATCH_KEYS_DIR)
    (settings.BATCH_KEYS_DIR / key_directory.MARK).unlink()
    batch_keys.path_of(settings.BATCH_KEYS_DIR, stuck.spool.batch).unlink()
    with pytest.raises(CommandError) as problem:
        run()
    words = str(problem.value)
    assert "2 answers wait" in words
    assert f"manage.py spool --write-off {stuck.pk}" in words
    stuck.refresh_from_db()
    fine.refresh_from_db()
    assert (stuck.state, fine.state) == ("open", "closed")
    assert waiting_count(stuck.revision.pk) == 2


@pytest.mark.both_databases
def test_a_survey_closes_on_its_day_with_answers_set_aside_whose_key_is_gone(owner):
    survey = open_survey(owner, close_on=days(-1))
    batch_keys.destroy(spool.keys_directory(), survey.spool.batch)
    run()
    survey.refresh_from_db()
    assert survey.state == "closed"
    assert set_aside_count(survey).in_words == "2 answers"


@pytest.mark.parametrize("is_set_aside", [False, True])
def test_a_lost_key_does_not_stop_erasing(owner, is_set_aside):
    survey = open_survey(owner, delete_on=today())
    batch_keys.destroy(spool.keys_directory(), survey.spool.batch)
    if is_set_aside:
        assert lost_batches.set_aside(survey.pk) == 2
    run()
    assert not stored().total()


@pytest.mark.both_databases
def test_an_interrupted_run_is_never_shown_as_complete_and_the_next_one_finishes(owner):
    survey, other = open_survey(owner, delete_on=today()), open_survey(owner, delete_on=today())
    Comment.objects.filter(revision=other.revision).delete()
    fault = pytest.raises(CommandError, match="the disk is broken")
    with refused("DELETE", "surveys_submissionkey"), fault:
        run()
    assert not Response.objects.exists()
    survey.refresh_from_db()
    assert (survey.state, survey.erased_on) == ("closed", None)
    assert [due["rows"]["responses"] for due in answer()["surveys"]] == [0, 0]
    survey.refresh_from_db()
    assert survey.erased_on == today()
    assert not stored().total()


def test_a_fault_in_one_survey_does_not_stop_the_others(owner):
    faulty, fine = open_survey(owner, delete_on=today()), open_survey(owner, delete_on=today())
    Addressee.objects.filter(mailing__survey=fine).delete()
    Mailing.objects.filter(survey=fine).delete()
    with refused("DELETE", "surveys_addressee"), pytest.raises(CommandError):
        run()
    for survey in (faulty, fine):
        survey.refresh_from_db()
    assert (faulty.state, faulty.erased_on) == ("open", None)
    assert fine.erased_on == today()


@pytest.mark.both_databases
def test_more_rows_than_one_block_go_too(owner, monkeypatch):
    monkeypatch.setattr(retention, "BLOCK", 2)
    open_survey(owner, delete_on=today())
    assert answer()["surveys"][0]["rows"]["submission keys"] == 7
    assert not stored().total()


def test_expired_logins_go_and_others_stay(owner):
    now = timezone.now()
    for name, day in (("old", now - timedelta(days=1)), ("new", now + timedelta(days=1))):
        Session.objects.create(session_key=name, session_data="", expire_date=day)
    assert answer("--dry-run")["expired_logins"] == 1
    assert answer()["expired_logins"] == 1
    assert [session.pk for session in Session.objects.all()] == ["new"]


def test_a_clock_far_ahead_erases_nothing_until_somebody_says_that_it_is_right(owner):
    open_survey(owner, delete_on=today())
    before, later = stored(), timezone.now() + timedelta(days=400)
    with pytest.raises(retention.ClockDoubted, match="--yes"):
        retention.keep_dates(now=later)
    assert stored() == before
    assert retention.foresee(now=later).problems
    retention.keep_dates(now=later, trust_clock=True)
    assert not stored().total()


def test_a_year_in_which_nobody_worked_is_not_taken_for_a_wrong_clock(owner, monkeypatch):
    open_survey(owner, delete_on=days(700))
    start = timezone.now()
    for month in range(1, 24):
        now = start + timedelta(days=31 * month)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        run()
    assert not stored().total()
    assert AuditEntry.objects.filter(action="dates kept").count() < 24


def test_the_command_names_the_moment_before_which_backups_must_go(owner):
    open_survey(owner, delete_on=today())
    words = run()
    assert "Backups" in words
    assert f"{today()}" in words
    assert "Backups" not in run()


def test_a_title_cannot_steer_the_terminal(owner):
    open_survey(owner, title="Habits\x1b[2J\nErase", delete_on=days(-1))
    assert "\x1b" not in run()


def test_an_erased_survey_takes_no_answers(owner):
    survey = open_survey(owner, delete_on=today())
    run()
    assert not Spool.objects.exists()
    with pytest.raises(NotOpen):
        receive(survey_id=survey.pk, body=body_of(survey.revision, ["00", ""], own_coin=True))


def dashboard(client, survey) -> str:
    client.force_login(survey.owner)
    return client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()


def test_the_dashboard_of_an_erased_survey_says_when_its_answers_were_deleted(client, owner):
    survey = open_survey(owner, delete_on=today())
    run()
    page = dashboard(client, survey)
    assert f"The answers were deleted on {date_format(today(), 'j F Y')}" in page
    assert "response" not in page.partition("<main")[2].lower().replace("respondents", "")


def test_a_dashboard_never_shows_estimates_from_the_half_that_is_not_deleted_yet(client, owner):
    survey = open_survey(owner, delete_on=today())
    page = dashboard(client, survey)
    assert f"The answers are being deleted (since {date_format(today(), 'j F Y')})" in page
    assert "Epsilon" not in page
    assert "Epsilon" in dashboard(client, open_survey(owner, delete_on=days(1)))


@pytest.mark.both_databases
def test_two_runs_at_the_same_moment_erase_once(owner):
    survey = open_survey(owner, delete_on=today())
    reports = at_once(*[partial(retention.keep_dates, now=timezone.now())] * 2)
    assert [report.problems for report in reports] == [[], []]
    went = Counter()
    for report in reports:
        for due in report.done:
            went.update(due.rows)
    assert (went["responses"], went["waiting"], stored().total()) == (BATCH, 2, 0)
    assert AuditEntry.objects.filter(survey=survey.pk, action="erased").count() == 1


@pytest.mark.both_databases
def test_while_somebody_reads_the_old_state_the_survey_stays_due(owner, monkeypatch):
    survey = open_survey(owner, delete_on=today())
    with reading_the_old_state("surveys_response"):
        run_impatiently(monkeypatch)
    survey.refresh_from_db()
    assert survey.erased_on is None
    run()
    survey.refresh_from_db()
    assert survey.erased_on == today()


@pytest.mark.both_databases
def test_an_old_view_of_another_table_keeps_the_rows_and_so_the_survey_due(owner, monkeypatch):
    """What a view of the database can still see is copied into PostgreSQL's new file."""
    survey = open_survey(owner, delete_on=today())
    repeatable = "BEGIN ISOLATION LEVEL REPEATABLE READ"
    begin = repeatable if connection.vendor == "postgresql" else "BEGIN"
    with reading_the_old_state("auth_user", begin=begin):
        run_impatiently(monkeypatch)
    survey.refresh_from_db()
    assert survey.erased_on is None
    run()
    survey.refresh_from_db()
    assert survey.erased_on == today()


@pytest.mark.both_databases
def test_a_transaction_in_another_database_keeps_the_rows_too_and_so_the_survey_due(
    owner, monkeypatch
):
    """On PostgreSQL a view reaches back to the oldest transaction of the whole server."""
    survey = open_survey(owner, delete_on=today())
    with writing_elsewhere() as is_seen:
        if is_seen:
            run_impatiently(monkeypatch)
            survey.refresh_from_db()
            assert survey.erased_on is None
    run()
    survey.refresh_from_db()
    assert survey.erased_on == today()


def run_impatiently(monkeypatch) -> None:
    with monkeypatch.context() as hurry:
        hurry.setattr(retention, "PATIENCE", 0.1)
        with pytest.raises(CommandError, match="remains"):
            run()


@contextmanager
def writing_elsewhere() -> Iterator[bool]:
    """An unfinished transaction in another database of the server; SQLite has no other."""
    if connection.vendor == "sqlite":
        yield False
        return
    parameters = {**connection.get_connection_params(), "dbname": "postgres"}
    with psycopg.connect(**parameters) as other:
        other.execute("SELECT pg_current_xact_id()")
        yield True


@contextmanager
def reading_the_old_state(table: str, begin: str = "BEGIN") -> Iterator[None]:
    """Somebody else's long query, for which this connection does not wait long."""
    reader = connection.copy()
    with connection.cursor() as cursor, reader.cursor() as other:
        cursor.execute(READER[connection.vendor])
        other.execute(begin)
        other.execute(f"SELECT COUNT(*) FROM {table}")
        try:
            yield
        finally:
            other.execute("ROLLBACK")
            reader.close()
            connection.close()
