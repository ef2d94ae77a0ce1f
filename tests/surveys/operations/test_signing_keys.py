"""The key that signs vouchers: missed by doctor, put back from its copy, destroyed at the close."""

import io

import pytest
from django.core.management import CommandError, call_command

from surveys.authoring.services import stop
from surveys.collecting import spool
from surveys.collecting.keys import signing_keys
from surveys.models import Invitation, Openings, Survey
from surveys.operations.checks.findings import Severity
from surveys.operations.checks.signing_keys import exchangeable
from surveys.operations.retention import close_and_open, keep_dates
from surveys.trust import sealing
from tests.factories import after_the_close, invite, make_user
from tests.vouching import Request, make_vouched_survey, vouched_body

pytestmark = pytest.mark.django_db


@pytest.fixture
def recovery(settings, tmp_path):
    """The file of the recovery key."""
    private = sealing.new_private()
    settings.RECOVERY_KEY = sealing.public_of(private)
    file = tmp_path / "recovery.key"
    file.write_text(private.hex())
    return file


def path_of(survey: Survey):
    return signing_keys.path_of(spool.keys_directory(), survey.pk)


def recover(survey: Survey, file) -> str:
    out = io.StringIO()
    call_command("vouchers", recover=str(survey.pk), key=str(file), stdout=out)
    return out.getvalue()


def levels() -> list[Severity]:
    return [finding.level for finding in exchangeable()]


def test_a_lost_key_is_found_missing_and_put_back(recovery):
    survey = make_vouched_survey(make_user())
    (token,) = invite(survey, 1)
    content = path_of(survey).read_bytes()
    assert levels() == [Severity.OK]
    path_of(survey).write_bytes(content[::-1])
    assert levels() == [Severity.PROBLEM]
    assert "Codes are exchanged again" in recover(survey, recovery)
    assert path_of(survey).read_bytes() == content
    assert levels() == [Severity.OK]
    Request.drawn(survey).exchanged(token)


def test_a_key_that_is_there_has_no_copy_or_is_another_survey_s_is_not_put_back(recovery, settings):
    survey = make_vouched_survey(make_user())
    with pytest.raises(CommandError, match="is in its directory already"):
        recover(survey, recovery)
    path_of(survey).unlink()
    recovery.write_text(sealing.new_private().hex())
    with pytest.raises(CommandError, match="does not open the copy"):
        recover(survey, recovery)
    with pytest.raises(CommandError, match="does not open the copy"):
        recover(survey, recovery.with_name("elsewhere"))
    Openings.objects.update(voucher_recovery=None)
    with pytest.raises(CommandError, match="has no copy"):
        recover(survey, recovery)
    with pytest.raises(CommandError, match="is not the key of a survey"):
        call_command("vouchers", recover="x", key=str(recovery))


def test_a_key_without_a_copy_is_named_and_gets_one(tmp_path, settings):
    survey = make_vouched_survey(make_user())
    assert levels() == [Severity.OK, Severity.WARNING]
    with pytest.raises(CommandError, match="Set DENIABLE_RECOVERY_KEY first"):
        call_command("vouchers", copy_key=str(survey.pk))
    private = sealing.new_private()
    settings.RECOVERY_KEY = sealing.public_of(private)
    (tmp_path / "recovery.key").write_text(private.hex())
    call_command("vouchers", copy_key=str(survey.pk), stdout=io.StringIO())
    assert levels() == [Severity.OK]
    with pytest.raises(CommandError, match="has a copy already"):
        call_command("vouchers", copy_key=str(survey.pk))
    content = path_of(survey).read_bytes()
    path_of(survey).unlink()
    recover(survey, tmp_path / "recovery.key")
    assert path_of(survey).read_bytes() == content


def test_at_the_close_the_key_its_copy_and_all_requests_are_gone(
    recovery, django_capture_on_commit_callbacks
):
    survey = make_vouched_survey(make_user(), batch_size=5)
    tokens = invite(survey, 3)
    for token in tokens[:2]:
        vouched_body(survey, token)
    assert Openings.objects.get().voucher_recovery
    with django_capture_on_commit_callbacks(execute=True):
        stop(survey=survey, by=survey.owner)
    survey.refresh_from_db()
    assert (survey.exchanged, survey.redeemed, survey.invited) == (2, 2, 3)
    assert not Invitation.objects.exists()
    assert Openings.objects.get().voucher_recovery is None
    assert not path_of(survey).exists()
    with pytest.raises(CommandError, match="signs no vouchers"):
        recover(survey, recovery)


def test_a_key_that_a_crash_left_is_destroyed_by_the_next_round(django_capture_on_commit_callbacks):
    survey = make_vouched_survey(make_user())
    content = path_of(survey).read_bytes()
    with django_capture_on_commit_callbacks(execute=True):
        stop(survey=survey, by=survey.owner)
    path_of(survey).write_bytes(content)
    keep_dates(now=after_the_close(survey))
    assert not path_of(survey).exists()


def test_a_survey_closes_once_the_last_voucher_is_taken():
    survey = make_vouched_survey(make_user(), opening_hour=0)
    midnight = after_the_close(survey).replace(hour=0)
    for minutes, is_closed in ((0, False), (9, False), (10, True)):
        close_and_open(now=midnight.replace(minute=minutes), trust_clock=True)
        survey.refresh_from_db()
        assert (survey.state == Survey.State.CLOSED) is is_closed
