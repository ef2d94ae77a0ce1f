"""Opening keys go with what they sealed: the order, who carries it out, and what a kill leaves."""

import os
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.utils import timezone

from surveys.authoring.services import stop
from surveys.collecting import openings
from surveys.collecting.keys import opening_keys
from surveys.collecting.services import receive
from surveys.models import AuditEntry, Openings, Sealed, SpentOpeningKey, Survey
from surveys.models.queries import opened_responses
from surveys.operations.checks.opening_keys import SOON, destroyed
from surveys.operations.retention import ClockDoubted, close_and_open, keep_dates
from surveys.trust import sealing
from tests.bodies import body_of
from tests.factories import after_the_close, sealed_survey
from tests.faults import refused
from tests.surveys.collecting.test_openings import answer, at, every, with_one_commit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def keys(settings, tmp_path):
    settings.BATCH_KEYS_DIR = tmp_path / "batch-keys"
    settings.OPENING_KEYS_DIR = tmp_path / "opening-keys"
    settings.RECOVERY_KEY = sealing.public_of(sealing.new_private())
    return settings.OPENING_KEYS_DIR


def answered(owner, people: int = 5, **fields: object) -> Survey:
    survey = sealed_survey(owner, **fields)
    for _ in range(people):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    return survey


def copies(survey: Survey) -> tuple[bool, bool, bool]:
    """Whether something is sealed, and whether the database and the directory have its key."""
    sealed = Sealed.objects.filter(revision=survey.revision).exists()
    recovery = Openings.objects.get(revision=survey.revision).recovery
    return sealed, recovery is not None, opening_keys.path_of(survey.pk).exists()


ALL, FILE_ALONE, NONE = (True, True, True), (False, False, True), (False, False, False)


def timer() -> None:
    call_command("opening", stdout=StringIO())


def named() -> list[str]:
    return [finding.level for finding in destroyed()]


@pytest.mark.both_databases
def test_stopping_at_once_needs_no_key_directory_and_the_timer_overwrites_the_file(
    owner, keys, tmp_path
):
    survey = answered(owner)
    assert copies(survey) == ALL
    private = opening_keys.path_of(survey.pk).read_bytes()
    keys.rename(tmp_path / "elsewhere")  # the web service may not see it
    stop(survey=survey, by=owner)
    (tmp_path / "elsewhere").rename(keys)
    assert copies(survey) == FILE_ALONE
    os.link(opening_keys.path_of(survey.pk), tmp_path / "same-bytes-of-the-disk")
    timer()
    assert copies(survey) == NONE
    assert (tmp_path / "same-bytes-of-the-disk").read_bytes() != private


@pytest.mark.both_databases
def test_too_few_are_destroyed_with_their_key_by_the_run_that_closes(owner):
    survey = answered(owner, 4, below_k=Survey.BelowK.DESTROY)
    keep_dates(now=after_the_close(survey))
    assert AuditEntry.objects.filter(action__startswith="destroyed unread").exists()
    assert copies(survey) == NONE


def test_after_an_ordinary_close_there_is_no_order(owner):
    survey = answered(owner)
    keep_dates(now=after_the_close(survey))
    assert copies(survey) == (False, True, True)
    assert not SpentOpeningKey.objects.exists()
    assert opened_responses(survey.revision.pk).count() == 5


def test_answers_that_are_erased_take_the_key_with_them_in_its_week(owner):
    survey = answered(owner)
    keep_dates(now=after_the_close(survey))
    day = survey.close_on + timedelta(days=2)
    Survey.objects.filter(pk=survey.pk).update(delete_on=day)
    keep_dates(now=after_the_close(survey) + timedelta(days=1))
    assert Survey.objects.get().erased_on == day
    assert copies(survey) == NONE


@pytest.mark.both_databases
def test_rows_and_both_copies_go_together_or_stay_together(owner):
    survey = answered(owner)
    with refused("INSERT", "surveys_spentopeningkey"), pytest.raises(DatabaseError):
        stop(survey=survey, by=owner)
    assert copies(survey) == ALL
    assert Survey.objects.get().state == Survey.State.OPEN


class Killed(RuntimeError):
    pass


@pytest.mark.parametrize("at", ["before it is overwritten", "before it is removed", "afterwards"])
def test_a_kill_while_the_file_goes_is_followed_by_a_repeat(owner, monkeypatch, at):
    survey = answered(owner)
    stop(survey=survey, by=owner)
    private, path = opening_keys.path_of(survey.pk).read_bytes(), opening_keys.path_of(survey.pk)

    def killed(*_: object) -> None:
        raise Killed

    def destroyed_and_killed(key: object, real=opening_keys.destroy) -> None:
        real(key)
        raise Killed

    with monkeypatch.context() as patch:
        if at == "before it is overwritten":
            patch.setattr(os, "fsync", killed)
        elif at == "before it is removed":
            patch.setattr("pathlib.Path.unlink", killed)
        else:
            patch.setattr(opening_keys, "destroy", destroyed_and_killed)
        with pytest.raises(Killed):
            timer()
    assert SpentOpeningKey.objects.get().is_gone is False
    assert path.exists() == (at != "afterwards")
    assert not path.exists() or path.read_bytes() != private
    timer()
    assert copies(survey) == NONE
    assert SpentOpeningKey.objects.get().is_gone is True


@pytest.mark.both_databases
def test_doctor_names_an_order_that_waits_and_after_two_minutes_it_is_a_problem(owner, keys):
    survey = answered(owner)
    assert named() == []
    stop(survey=survey, by=owner)
    (finding,) = destroyed()
    assert (finding.level, str(keys) in finding.text) == ("warning", True)
    assert f'"{survey}"' in finding.text
    assert "manage.py opening" in finding.remedy
    SpentOpeningKey.objects.update(since=timezone.now() - SOON - timedelta(seconds=1))
    assert named() == ["problem"]
    timer()
    assert named() == []


def test_while_the_directory_is_away_the_order_waits_and_is_named(owner, keys, tmp_path):
    survey = answered(owner)
    keys.rename(tmp_path / "away")
    stop(survey=survey, by=owner)
    timer()
    assert named() == ["warning"]
    (tmp_path / "away").rename(keys)
    timer()
    assert named() == []
    assert copies(survey) == NONE


def test_a_file_that_comes_back_with_its_disk_is_destroyed_again(owner):
    survey = answered(owner)
    private = opening_keys.path_of(survey.pk).read_bytes()
    stop(survey=survey, by=owner)
    timer()
    opening_keys.keep(survey.pk, private)
    timer()
    assert copies(survey) == NONE


def test_a_file_that_cannot_be_overwritten_is_told_and_holds_up_no_other(owner):
    stuck, other = answered(owner), answered(owner)
    for survey in (stuck, other):
        stop(survey=survey, by=owner)
    opening_keys.path_of(stuck.pk).unlink()
    opening_keys.path_of(stuck.pk).mkdir()
    with pytest.raises(CommandError, match=f"{stuck.pk}.opening could not be overwritten"):
        timer()
    assert copies(other) == NONE
    assert named() == ["warning"]


def test_a_clock_in_doubt_keeps_no_key(owner):
    survey = answered(owner)
    stop(survey=survey, by=owner)
    with pytest.raises(ClockDoubted):
        close_and_open(now=timezone.now() + timedelta(days=800))
    assert copies(survey) == NONE


def test_a_long_opening_of_another_survey_does_not_keep_the_key(owner, monkeypatch):
    long = answered(owner, 20)
    stopped = answered(owner, close_on=long.close_on + timedelta(days=30))
    monkeypatch.setattr(openings, "CHUNK", 5)
    real = openings._open_rows

    def in_between(*arguments: object) -> None:
        if not SpentOpeningKey.objects.exists():
            stop(survey=stopped, by=owner)
        else:
            assert copies(stopped) == NONE
        real(*arguments)

    monkeypatch.setattr(openings, "_open_rows", in_between)
    keep_dates(now=after_the_close(long))
    assert opened_responses(long.revision.pk).count() == 20


def test_an_opening_that_was_under_way_when_the_survey_was_stopped_ends_without_the_key(
    owner, monkeypatch
):
    survey = every(owner)
    answer(survey, 40)
    monkeypatch.setattr(openings, "CHUNK", 16)
    openings.begin(survey.pk, at(survey, 7))
    with_one_commit(monkeypatch, lambda: openings.run(survey))
    assert Openings.objects.get().is_running
    stop(survey=survey, by=owner)
    assert close_and_open(now=timezone.now()).problems == []
    assert not Openings.objects.get().is_running
    assert copies(survey) == NONE
