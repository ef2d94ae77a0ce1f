"""P14: what was destroyed, unread or on its day, is in no table, no statistics and under no key."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from importlib import import_module
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from analytics.models import OpeningRelease
from surveys.authoring.services import stop
from surveys.collecting.services import receive
from surveys.models import AnswerCount, Openings, Question, Sealed, Survey
from surveys.operations import retention
from surveys.operations.retention import keep_dates
from surveys.trust import sealing
from tests import canaries
from tests.analytics import releasing
from tests.bodies import body_of
from tests.factories import (
    add_question,
    launched,
    make_open_survey,
    make_survey,
)
from tests.faults import refused

pytestmark = pytest.mark.django_db(transaction=True)
ROLES = Path(__file__).parents[2] / "deploy" / "postgresql-roles.sql"
SALARIES = [str(12_345 + 97 * place) for place in range(60)]


@pytest.fixture(autouse=True)
def keys(settings, tmp_path, monkeypatch):
    """A directory of keys and a recovery key of this test's own; tests side by side have time."""
    monkeypatch.setattr(retention, "PATIENCE", 60.0)
    settings.BATCH_KEYS_DIR = tmp_path / "batch-keys"
    settings.OPENING_KEYS_DIR = tmp_path / "opening-keys"
    settings.RECOVERY_KEY = sealing.public_of(sealing.new_private())
    return settings.OPENING_KEYS_DIR


def today() -> date:
    return timezone.now().date()


def asked_for_salaries(owner, *, people: int = 60, **fields: object) -> Survey:
    """Sixty people and one direct number each."""
    draft = make_survey(owner, **fields)
    add_question(
        draft,
        text="What do you earn?",
        kind=Question.Kind.NUMBER,
        design=Question.Design.DIRECT,
        required=True,
        minimum=0,
        maximum=99_999,
    )
    survey = launched(draft)
    for salary in SALARIES[:people]:
        receive(survey_id=survey.pk, body=body_of(survey.revision, [salary]))
    return survey


def analyze() -> None:
    """As the database does by itself, now and then."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def sampled(table: str, column: str) -> str:
    """What the planner of PostgreSQL keeps of a column; SQLite keeps samples of indexes."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT most_common_vals::text, histogram_bounds::text FROM pg_stats"
                " WHERE tablename = %s AND attname = %s",
                [table, column],
            )
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE name = 'sqlite_stat4'")
        return " ".join(str(value) for row in cursor.fetchall() for value in row)


@pytest.mark.both_databases
def test_what_was_stopped_at_once_is_under_no_key_and_in_no_statistics(owner, keys):
    survey = asked_for_salaries(
        owner, opening="close", batch_size=5, close_on=today() + timedelta(days=30)
    )
    contents = [bytes(one).hex() for one in Sealed.objects.values_list("content", flat=True)]
    assert len(contents) == 60
    analyze()
    stop(survey=survey, by=owner)
    keep_dates(now=timezone.now())
    analyze()
    assert not Sealed.objects.exists()
    kept = sampled("surveys_sealed", "content")
    assert [content for content in contents if content in kept] == []
    assert list(keys.iterdir()) == []
    assert Openings.objects.get().recovery is None


@pytest.mark.both_databases
@pytest.mark.noise(fails=0, law="nothing is asked of what is drawn")
def test_the_last_release_takes_with_it_what_it_counted_and_the_key(owner, keys):
    """Of a survey whose direct answers come to light as released tables alone."""
    survey = releasing.make_released_survey(owner)
    releasing.answer(survey, [(0, 1, 30), (1, 0, 40), (2, 1, 50), (0, 0, None), (1, 1, 60)] * 4)
    releasing.let_pass(survey, 29)
    assert Sealed.objects.exists()
    assert list(keys.iterdir()) != []
    with refused("INSERT", "surveys_spentopeningkey"):
        assert keep_dates(now=releasing.at(survey, 31)).problems
    assert Sealed.objects.filter(kind=Sealed.Kind.KEPT).count() == 20
    assert Openings.objects.get().recovery is not None
    releasing.let_pass(survey, 31)
    assert not Sealed.objects.exists()
    assert list(keys.iterdir()) == []
    assert Openings.objects.get().recovery is None
    assert OpeningRelease.objects.count() == 1


@pytest.mark.both_databases
def test_no_erased_salary_is_in_the_statistics_of_counts(owner):
    survey = asked_for_salaries(owner, delete_on=today() + timedelta(days=1))
    assert AnswerCount.objects.filter(cell__in=SALARIES).count() == 60
    analyze()
    Survey.objects.filter(pk=survey.pk).update(delete_on=today())
    keep_dates(now=timezone.now())
    analyze()
    assert not AnswerCount.objects.exists()
    kept = sampled("surveys_answercount", "cell")
    assert [salary for salary in SALARIES if salary in kept] == []


@pytest.mark.both_databases
def test_what_was_sampled_before_is_forgotten_when_the_tables_are_migrated(owner):
    """PostgreSQL: samples as they were taken until now, then the migration's own step."""
    step = import_module("surveys.migrations.0047_no_samples_of_contents")
    planted = canaries.plant(make_open_survey(owner), 60)
    try:
        with connection.schema_editor() as editor:
            step.as_before(None, editor)
        analyze()
        before = canaries.in_samples(planted)
        assert bool(before) == (connection.vendor == "postgresql")
    finally:
        with connection.schema_editor() as editor:
            step.forget(None, editor)
    assert canaries.in_samples(planted) == set()
    analyze()
    assert canaries.in_samples(planted) == set()


@contextmanager
def as_service(*, may_rewrite: bool) -> Iterator[None]:
    """As the account that serves pages, with the rights of deploy/postgresql-roles.sql."""
    steps = [ROLES.read_text(), "SET ROLE deniable_service"]
    if not may_rewrite:
        steps.insert(1, "REVOKE MAINTAIN ON ALL TABLES IN SCHEMA public FROM deniable_service")
    with connection.cursor() as cursor:
        for step in steps if connection.vendor == "postgresql" else []:
            cursor.execute(step)
        try:
            yield
        finally:
            if connection.vendor == "postgresql":
                cursor.execute("RESET ROLE")


@pytest.mark.both_databases
def test_an_account_that_may_not_rewrite_the_tables_leaves_the_survey_due_and_says_so(owner):
    """A warning of PostgreSQL alone would pass for an erasure; SQLite knows no accounts."""
    survey = asked_for_salaries(owner, people=1, delete_on=today() + timedelta(days=1))
    Survey.objects.filter(pk=survey.pk).update(delete_on=today())
    with as_service(may_rewrite=False):
        problems = keep_dates(now=timezone.now()).problems
    if connection.vendor == "postgresql":
        assert "may not write the table surveys_response anew" in problems[0]
        assert Survey.objects.get().erased_on is None
    with as_service(may_rewrite=True):
        assert keep_dates(now=timezone.now()).problems == []
    assert Survey.objects.get().erased_on == today()
