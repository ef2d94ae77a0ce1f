"""P14: what is due is gone within a day, from the tables and from the bytes below them."""

import random
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils.formats import date_format

from surveys.authoring.services import close
from surveys.models import Addressee, Comment, Invitation, Mailing, SubmissionKey, Survey
from surveys.operations import retention
from tests.surveys.operations.test_retention import (
    TABLES,
    answer,
    days,
    open_survey,
    run,
    stored,
    today,
)
from tests.traces import files

pytestmark = pytest.mark.django_db(transaction=True)
SENTINEL = "the-sentinel-comment"
OTHER = "what-others-wrote-and-stays"


@pytest.fixture(autouse=True)
def _own_keys(settings, tmp_path) -> None:
    settings.BATCH_KEYS_DIR = tmp_path / "keys"


def write_comments(gone: Survey, kept: Survey, count: int = 4000) -> None:
    """Of two surveys, mixed and of many lengths, as years of use would leave them."""
    source = random.Random(14)
    comments = []
    for _ in range(count):
        survey, words = source.choice([(gone, SENTINEL), (kept, OTHER)])
        text = words + "." * source.randint(1, 700)
        key = UUID(int=source.getrandbits(128))
        comments.append(Comment(id=key, revision=survey.revision, question=2, text=text))
    for place in range(0, count, 20):
        Comment.objects.bulk_create(comments[place : place + 20])


def bytes_on_disk() -> bytes:
    """Everything that the database keeps in its files, the journal of SQLite among them."""
    if connection.vendor == "sqlite":
        name = str(connection.settings_dict["NAME"])
        return b"".join(content for path, content in files() if str(path).startswith(name))
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute(
            "SELECT name, pg_read_binary_file(place || '/' || name, true) FROM (SELECT 'base/' ||"
            " oid AS place FROM pg_database WHERE datname = current_database()) AS directory,"
            " pg_ls_dir(place) AS name"
        )
        found = {name: bytes(content or b"") for name, content in cursor.fetchall()}
        cursor.execute("SELECT pg_relation_filenode(oid)::text, relname FROM pg_class")
        named = dict(cursor.fetchall())
        for name, content in found.items():
            if SENTINEL.encode() in content:
                print(f"found in {name}: {named.get(name.partition('.')[0])}")
        return b"".join(found.values())


@pytest.mark.both_databases
def test_no_byte_of_an_erased_comment_is_left_in_the_databases_files(owner):
    gone, kept = open_survey(owner, delete_on=today()), open_survey(owner, delete_on=days(1))
    write_comments(gone, kept)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as the database does by itself, now and then
    run()
    found = bytes_on_disk()
    assert SENTINEL.encode() not in found
    assert OTHER.encode() in found


@pytest.mark.both_databases
def test_no_sample_of_what_people_wrote_is_kept_outside_of_its_table(owner):
    write_comments(*[open_survey(owner)] * 2)
    written = (
        ("surveys_comment", "text"),
        ("surveys_response", "answers"),
        ("surveys_waiting", "ciphertext"),
        ("surveys_setaside", "ciphertext"),
        ("surveys_addressee", "address"),
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        for table, column in written:
            assert not has_samples(cursor, table, column), table


def has_samples(cursor, table: str, column: str) -> bool:
    """SQLite takes samples of indexes alone, by their first column."""
    if connection.vendor == "postgresql":
        cursor.execute(
            "SELECT count(*) FROM pg_stats WHERE tablename = %s AND attname = %s", [table, column]
        )
        return cursor.fetchone() != (0,)
    indexed = connection.introspection.get_constraints(cursor, table).values()
    return any(one["columns"][0] == column for one in indexed if one["index"] or one["unique"])


@pytest.mark.both_databases
def test_the_day_begins_at_midnight_utc_and_its_answers_are_due_from_then_on(owner):
    survey = open_survey(owner, delete_on=days(10))
    midnight = datetime.combine(days(10), time(), UTC)
    assert not retention.keep_dates(now=midnight - timedelta(seconds=1)).done
    assert [due.survey for due in retention.keep_dates(now=midnight).done] == [survey.pk]
    assert not stored().total()


@pytest.mark.both_databases
def test_a_dry_run_lists_exactly_what_goes_row_for_row(owner):
    open_survey(owner, delete_on=days(-1), title="erase, open")
    closed = open_survey(owner, delete_on=today(), title="erase, closed")
    close(survey=closed, by=owner)
    open_survey(owner, close_on=days(-1), delete_on=days(9), title="close")
    open_survey(owner, delete_on=days(9), title="stay")
    before, listed = stored(), answer("--dry-run")["surveys"]
    assert answer()["surveys"] == listed
    assert [due["title"] for due in listed] == ["close", "erase, closed", "erase, open"]
    went = {name: sum(due["rows"].get(name, 0) for due in listed) for name in TABLES}
    moved = 2  # waited in the survey that closes
    went["waiting"] += moved
    went["responses"] -= moved
    went["comments"] -= moved  # everybody wrote one
    after = stored()
    assert went == {name: before[name] - after[name] for name in TABLES}


@pytest.mark.parametrize("how", ["by a person", "by the date"])
def test_tokens_and_addresses_are_gone_when_the_survey_closes(owner, how):
    survey = open_survey(owner, close_on=days(-1))
    if how == "by a person":
        close(survey=survey, by=owner)
    else:
        run()
    for model in (Invitation, Mailing, Addressee):
        assert not model.objects.exists()


@pytest.mark.both_databases
def test_after_launch_the_day_can_be_made_earlier_and_never_later_or_none(owner):
    survey = open_survey(owner, delete_on=days(10))
    row = Survey.objects.filter(pk=survey.pk)
    for refused in (days(11), None):
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
            row.update(delete_on=refused)
    row.update(delete_on=days(9))
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        row.update(delete_on=days(10))


@pytest.mark.both_databases
def test_submission_keys_are_erased_with_the_answers_that_they_protected(owner):
    open_survey(owner, delete_on=today())
    assert SubmissionKey.objects.exists()
    run()
    assert not SubmissionKey.objects.exists()


def test_respondents_read_the_day_before_they_answer(client, owner):
    survey = open_survey(owner, delete_on=days(10))
    page = client.get(reverse("respondent:start", args=[survey.pk])).content.decode()
    day = date_format(days(10), "DATE_FORMAT")
    assert "and so is everything that internal reports took from your texts" in page
    assert f"deleted on {day} at the latest" in page
