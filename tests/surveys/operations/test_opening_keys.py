"""Opening keys: recovered with the recovery key, given up, destroyed; openings begin on time."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from surveys.collecting.keys import opening_keys
from surveys.collecting.services import receive
from surveys.models import AuditEntry, Openings, Response, Sealed, Survey
from surveys.models.queries import opened_responses, questionnaire_of
from surveys.operations.checks.opening_keys import openable, prompt
from surveys.operations.opening_keys import KEPT_FOR, destroy_old
from surveys.operations.retention import close_and_open, keep_dates
from surveys.trust import sealing
from tests.bodies import body_of
from tests.factories import after_the_close, sealed_survey

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def keys(settings, tmp_path):
    settings.OPENING_KEYS_DIR = tmp_path / "opening-keys"
    return settings.OPENING_KEYS_DIR


@pytest.fixture
def recovery(settings, tmp_path):
    """The file of a recovery key that is set."""
    out = StringIO()
    call_command("opening", "--new-recovery-key", str(tmp_path / "recovery"), stdout=out)
    line = next(line for line in out.getvalue().splitlines() if line.startswith("DENIABLE_"))
    settings.RECOVERY_KEY = bytes.fromhex(line.partition("=")[2])
    return tmp_path / "recovery"


def answered(owner) -> Survey:
    survey = sealed_survey(owner)
    for _ in range(7):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    return survey


def test_a_lost_opening_key_is_recovered_and_everything_opens(owner, recovery):
    survey = answered(owner)
    opening_keys.path_of(survey.pk).unlink()
    kept = keep_dates(now=after_the_close(survey))
    assert "its opening key is not in" in kept.problems[0]
    assert not Response.objects.exists()
    call_command("opening", "--recover", str(survey.pk), "--key", str(recovery), stdout=StringIO())
    keep_dates(now=after_the_close(survey))
    assert opened_responses(survey.revision.pk).count() == 7


def test_another_recovery_key_recovers_nothing(owner, recovery, tmp_path):
    survey = answered(owner)
    opening_keys.path_of(survey.pk).unlink()
    (tmp_path / "other").write_text(sealing.new_private().hex())
    with pytest.raises(CommandError, match="does not open the copy"):
        call_command("opening", "--recover", str(survey.pk), "--key", str(tmp_path / "other"))


def test_what_was_sealed_for_a_lost_key_is_given_up_and_nothing_else(owner):
    survey = answered(owner)
    with pytest.raises(CommandError, match="can be opened"):
        call_command("opening", "--write-off", str(survey.pk), "--yes")
    opening_keys.path_of(survey.pk).unlink()
    keep_dates(now=after_the_close(survey))
    call_command("opening", "--write-off", str(survey.pk), "--yes", stdout=StringIO())
    assert not Sealed.objects.exists()
    assert Survey.objects.get().lost_answers == 7
    assert AuditEntry.objects.filter(action="gave up sealed answers").exists()


def test_both_copies_are_destroyed_a_week_after_the_close_and_not_earlier(owner, recovery, keys):
    survey = answered(owner)
    keep_dates(now=after_the_close(survey))
    closed_on = Survey.objects.get().closed_on
    destroy_old(closed_on + KEPT_FOR - timedelta(days=1))
    assert list(keys.iterdir())
    destroy_old(closed_on + KEPT_FOR)
    assert not list(keys.iterdir())
    assert Openings.objects.get().recovery is None


def test_doctor_warns_without_a_recovery_key_and_names_a_lost_opening_key(owner, settings):
    survey = answered(owner)
    (fine, warning, _) = openable()
    assert (fine.level, warning.level) == ("ok", "warning")
    settings.RECOVERY_KEY = bytes(32)
    opening_keys.path_of(survey.pk).unlink()
    (lost, _) = openable()
    assert lost.level == "problem"
    assert str(survey.pk) in lost.remedy


def test_doctor_names_a_survey_that_was_launched_before_there_was_a_recovery_key(
    owner, settings, recovery
):
    key, settings.RECOVERY_KEY = settings.RECOVERY_KEY, b""
    before = answered(owner)
    settings.RECOVERY_KEY = key
    sealed_survey(owner, title="After")
    (fine, uncopied) = openable()
    assert (fine.level, uncopied.level) == ("ok", "warning")
    assert f'"{before}" has no copy' in uncopied.text
    assert f"--copy-key {before.pk}" in uncopied.remedy


def test_doctor_names_openings_that_are_an_hour_late(owner, monkeypatch):
    survey = answered(owner)
    due = questionnaire_of(survey.revision).opening.closes_at(survey.close_on)
    for late, found in ((timedelta(minutes=59), []), (timedelta(minutes=61), [str(survey)])):
        monkeypatch.setattr(timezone, "now", lambda late=late: due + late)
        assert [title for title in found if title in next(prompt()).text] == found
        assert len(list(prompt())) == len(found)
    assert "manage.py opening" in next(prompt()).remedy
    close_and_open(now=due + timedelta(minutes=61))
    assert list(prompt()) == []


def test_the_command_of_the_timer_closes_and_opens_at_the_hour_and_not_before(owner, monkeypatch):
    survey = answered(owner)
    due = questionnaire_of(survey.revision).opening.closes_at(survey.close_on)
    out = StringIO()
    for now in (due - timedelta(seconds=1), due):
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        call_command("opening", stdout=out)
    assert out.getvalue().splitlines() == [
        "No opening is due.",
        f'Closed "{survey}" {survey.pk}',
        f'Opened "{survey}" {survey.pk}',
    ]
    assert opened_responses(survey.revision.pk).count() == 7


def test_a_key_from_before_is_copied_for_the_recovery_key_and_then_recovered(
    owner, settings, recovery
):
    key, settings.RECOVERY_KEY = settings.RECOVERY_KEY, b""
    survey = answered(owner)
    with pytest.raises(CommandError, match="Set DENIABLE_RECOVERY_KEY first"):
        call_command("opening", "--copy-key", str(survey.pk))
    settings.RECOVERY_KEY = key
    call_command("opening", "--copy-key", str(survey.pk), stdout=StringIO())
    assert [finding.level for finding in openable()] == ["ok"]
    with pytest.raises(CommandError, match="has a copy already"):
        call_command("opening", "--copy-key", str(survey.pk))
    opening_keys.path_of(survey.pk).unlink()
    call_command("opening", "--recover", str(survey.pk), "--key", str(recovery), stdout=StringIO())
    keep_dates(now=after_the_close(survey))
    assert opened_responses(survey.revision.pk).count() == 7
    with pytest.raises(CommandError, match="no opening key that is still needed"):
        call_command("opening", "--copy-key", str(survey.pk))
