"""A database that is older than an opening does not draw the tables of that opening once more."""

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.urls import reverse
from django.utils import timezone

from analytics.models import OpeningRelease, Report
from analytics.queries import result_of, schedule_of
from surveys.authoring.services import stop
from surveys.collecting import lost_batches
from surveys.collecting.keys import batch_keys
from surveys.collecting.spool import keys_directory
from surveys.models import AuditEntry, Openings, SetAside, Spool, Survey, releasing
from surveys.operations import fallbacks
from surveys.operations.checks import opening_keys as checks
from surveys.operations.openings import open_due
from tests.analytics.releasing import answer, fix_noise, fixed_noise, make_released_survey
from tests.factories import make_open_survey
from tests.installations import Installation
from tests.postgresql import path_with_programs
from tests.surveys.operations.test_backup import rewrite

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = [(place % 3, place % 2, 18 + place % 60) for place in range(40)]
AS_OF = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def usual_releaser():
    before = releasing.registered()
    yield
    releasing.register(before)


@pytest.fixture
def survey(owner) -> Survey:
    """Four openings, of which the first is due."""
    fix_noise(fixed_noise())
    made = make_released_survey(owner, opening="every", opening_days=7, last_day=27)
    answer(made, PEOPLE)
    make_due()
    return made


def make_due() -> None:
    """The last opening, or the launch, was two weeks and a day ago.

    The opening of eight days ago would have its hour later today, before three in the morning.
    """
    Openings.objects.update(since=timezone.now().date() - timedelta(days=15))


def opening(*arguments: str) -> str:
    out = io.StringIO()
    call_command("opening", *arguments, stdout=out)
    return out.getvalue()


def published(survey: Survey, place: Path) -> Path:
    """What people have who downloaded the tables."""
    release = result_of(Report.objects.get(pk=schedule_of(survey).pk))
    place.write_text(json.dumps({"release": release.to_document()}))
    return place


@pytest.mark.both_databases
def test_after_a_fallback_a_due_opening_waits_and_is_drawn_once_it_is_confirmed(survey):
    assert f'Openings of "{survey}" {survey.pk} are held' in opening("--hold", AS_OF.isoformat())
    with pytest.raises(CommandError, match=f"manage.py opening --confirm-draw {survey.pk}"):
        opening()
    assert not OpeningRelease.objects.exists()
    opening("--confirm-draw", str(survey.pk), "--yes")
    opening()
    assert OpeningRelease.objects.count() == 1
    entries = AuditEntry.objects.filter(survey=survey.pk).order_by("at")
    assert list(entries.values_list("action", flat=True))[-2:] == [
        "held openings",
        "let openings go on",
    ]


def test_an_opening_that_runs_waits_too(survey):
    Openings.objects.update(round=2, left=40, keep=20, since=timezone.now().date())
    opening("--hold", AS_OF.isoformat())
    assert "was put back" in " ".join(open_due(timezone.now()).problems)
    assert not OpeningRelease.objects.exists()


@pytest.mark.parametrize("said", ["no", "", "Yes"])
def test_without_a_clear_yes_it_goes_on_waiting(survey, monkeypatch, said):
    opening("--hold", AS_OF.isoformat())
    monkeypatch.setattr("builtins.input", lambda question: said)
    with pytest.raises(CommandError, match="stay held"):
        opening("--confirm-draw", str(survey.pk))


def test_what_cannot_have_been_drawn_is_not_held(survey, owner):
    """An opening of a day that has not come, and a survey whose answers all can read."""
    Openings.objects.update(since=timezone.now().date())
    make_open_survey(owner)
    assert "no opening" in opening("--hold", AS_OF.isoformat())
    with pytest.raises(CommandError, match="no opening of"):
        opening("--confirm-draw", str(survey.pk), "--yes")
    with pytest.raises(CommandError, match="is not a time"):
        opening("--hold", "yesterday")


def test_published_tables_of_a_later_opening_refuse_a_second_draw_for_good(survey, tmp_path):
    with transaction.atomic():  # the database falls back to before the draw
        open_due(timezone.now())
        later = published(survey, tmp_path / "release.json")
        transaction.set_rollback(True)
    opening("--hold", AS_OF.isoformat())
    for given in (["--published", str(later)], []):
        with pytest.raises(CommandError, match="was drawn after the state"):
            opening("--confirm-draw", str(survey.pk), "--yes", *given)
    assert open_due(timezone.now()).problems
    stop(survey=survey, by=survey.owner)
    assert not open_due(timezone.now()).problems
    assert not OpeningRelease.objects.exists()


def test_published_tables_of_an_opening_that_is_still_known_refuse_nothing(survey, tmp_path):
    open_due(timezone.now())
    known, other = published(survey, tmp_path / "release.json"), tmp_path / "other.json"
    make_due()
    opening("--hold", AS_OF.isoformat())
    other.write_text("{}")
    with pytest.raises(CommandError, match="no file of released tables"):
        opening("--confirm-draw", str(survey.pk), "--yes", "--published", str(other))
    opening("--confirm-draw", str(survey.pk), "--yes", "--published", str(known))
    open_due(timezone.now())
    assert OpeningRelease.objects.count() == 2


def test_keys_that_show_a_fallback_hold_a_due_opening_by_themselves(survey):
    answer(survey, PEOPLE[:3])
    batch_keys.destroy(keys_directory(), Spool.objects.get().batch)
    lost_batches.set_aside(survey.pk)
    (found,) = checks.on_hold()
    assert f"--confirm-draw {survey.pk}" in found.remedy
    assert open_due(timezone.now()).problems
    assert not OpeningRelease.objects.exists()


@pytest.mark.both_databases
@pytest.mark.parametrize("first", ["the timer", "an answer"])
def test_they_hold_it_where_nothing_waits_too_whoever_comes_first(survey, first):
    """Sealed surveys have the key of their batch from the launch on: one that is gone was spent."""
    batch_keys.destroy(keys_directory(), Spool.objects.get().batch)
    if first == "an answer":
        answer(survey, PEOPLE[:1])
    assert open_due(timezone.now()).problems
    assert not OpeningRelease.objects.exists()
    assert len(list(checks.on_hold())) == 1
    answer(survey, PEOPLE[:1])
    assert not SetAside.objects.exists()
    assert len(open_due(timezone.now()).problems) == 1


def test_the_dashboard_says_that_no_opening_goes_on(survey, client):
    client.force_login(survey.owner)
    address = reverse("surveys:dashboard", args=[survey.pk])
    assert "Openings are paused" not in client.get(address).content.decode()
    fallbacks.hold(AS_OF)
    assert "Openings are paused" in client.get(address).content.decode()


@pytest.fixture
def backup(survey, tmp_path, settings, monkeypatch) -> Path:
    """A backup from before the opening that is due."""
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        monkeypatch.setenv("PATH", path_with_programs(connection.pg_version // 10_000))
    place = tmp_path / "before.zip"
    call_command("backup", str(place), stdout=io.StringIO())
    return place


@pytest.mark.both_databases
def test_a_backup_is_not_put_back_over_a_database_that_has_drawn_since(survey, backup):
    open_due(timezone.now())
    with pytest.raises(CommandError, match=f'Openings drew tables of "{survey}" after this backup'):
        call_command("restore", str(backup), "--replace")
    assert OpeningRelease.objects.count() == 1


@pytest.mark.both_databases
@pytest.mark.parametrize("options", [(), ("--hold-drawn",)], ids=["plain", "held"])
def test_a_backup_of_an_older_version_is_not_put_back_over_a_draw_at_all(survey, backup, options):
    """It has no column yet in which the draw could be kept in mind."""
    applied = MigrationLoader(connection).applied_migrations
    older = rewrite(backup, migrations=[".".join(key) for key in applied if key[1] < "0049"])
    open_due(timezone.now())
    with pytest.raises(CommandError, match="with the version that made it") as refused:
        call_command("restore", str(older), "--replace", *options, stdout=io.StringIO())
    assert str(survey) in str(refused.value)
    assert OpeningRelease.objects.count() == 1


@pytest.mark.both_databases
def test_a_draw_that_is_known_stays_known_when_the_next_answer_finds_its_batch_gone(survey, backup):
    """Another reason to hold the opening, which knows less, takes nothing back."""
    open_due(timezone.now())
    call_command("restore", str(backup), "--replace", "--hold-drawn", stdout=io.StringIO())
    assert Openings.objects.get().drawn_then == 1
    answer(survey, PEOPLE[:3])
    batch_keys.destroy(keys_directory(), Spool.objects.get().batch)
    answer(survey, PEOPLE[:1])
    assert SetAside.objects.count() == 3
    with pytest.raises(CommandError, match="was drawn after the state"):
        opening("--confirm-draw", str(survey.pk), "--yes")
    opening("--hold", AS_OF.isoformat())
    with pytest.raises(CommandError, match="was drawn after the state"):
        opening("--confirm-draw", str(survey.pk), "--yes")
    assert Openings.objects.get().fell_back_to == AS_OF


@pytest.mark.audit
def test_a_restored_backup_names_the_surveys_whose_opening_waits(survey, backup, tmp_path):
    second = Installation(tmp_path)
    try:
        done = second.run("restore", str(backup))
        assert done.returncode == 0, done.stderr
        assert f'Openings of "{survey}" are held' in done.stdout
        assert "may have been drawn after" in second.run("opening").stderr
        assert second.ask("SELECT COUNT(*) FROM analytics_openingrelease") == 0
        held = second.run("doctor").stdout
        assert f"manage.py opening --confirm-draw {survey.pk}" in held
    finally:
        second.remove()
