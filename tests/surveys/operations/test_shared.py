"""``doctor`` names what this server does not share with the others of its database."""

import pytest
from django.db import connection
from django.utils import timezone

from surveys.collecting.services import receive
from surveys.models import Export
from surveys.operations.checks.findings import Severity
from surveys.operations.checks.shared import shared
from surveys.results.taking import files
from tests.bodies import body_of
from tests.factories import add_one_of_each, launched_before, make_open_survey, make_survey

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey(owner, settings, tmp_path):
    settings.EXPORTS_DIR = tmp_path / "exports"
    return make_open_survey(owner)


def named() -> list[str]:
    """The settings that the check names."""
    found = list(shared())
    if [one.level for one in found] == [Severity.OK]:
        return []
    assert {one.level for one in found} == {Severity.WARNING}
    words = " ".join(one.text + one.remedy for one in found)
    names = ("DENIABLE_SECRET_KEY", "DENIABLE_BATCH_KEYS_DIR", "DENIABLE_EXPORTS_DIR")
    return [name for name in names if name in words]


def test_where_all_is_here_nothing_is_named(survey, client):
    client.force_login(survey.owner)
    files.write(_finished(survey).pk, [b"a"])
    assert named() == []


def test_logins_under_another_secret(survey, client, settings):
    client.force_login(survey.owner)
    settings.SECRET_KEY = "another " * 10
    assert named() == ["DENIABLE_SECRET_KEY"]
    client.force_login(survey.owner)  # here, after a change of the secret
    assert named() == []


def test_keys_of_batches_that_are_elsewhere(survey, settings, tmp_path):
    settings.BATCH_KEYS_DIR = tmp_path / "empty"
    assert named() == ["DENIABLE_BATCH_KEYS_DIR"]


def test_a_survey_of_an_earlier_version_has_no_key_to_miss_before_its_first_answer(
    owner, settings, tmp_path
):
    settings.BATCH_KEYS_DIR = tmp_path / "keys"
    draft = make_survey(owner, batch_size=5)
    add_one_of_each(draft)
    survey = launched_before(draft)
    assert named() == []
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    assert named() == []
    settings.BATCH_KEYS_DIR = tmp_path / "elsewhere"
    assert named() == ["DENIABLE_BATCH_KEYS_DIR"]


def test_files_of_exports_that_are_elsewhere(survey):
    _finished(survey)
    assert named() == ["DENIABLE_EXPORTS_DIR"]


@pytest.mark.both_databases
def test_what_each_server_counts_by_itself_is_said_where_there_may_be_several(survey, settings):
    settings.SUBMISSIONS_PER_HOUR = 600
    (found,) = shared()
    is_said = "divide the value of DENIABLE_SUBMISSIONS_PER_HOUR" in found.text
    assert is_said == (connection.vendor == "postgresql")
    settings.SUBMISSIONS_PER_HOUR = 0
    (found,) = shared()
    assert "DENIABLE_SUBMISSIONS_PER_HOUR" not in found.text


def _finished(survey) -> Export:
    now = timezone.now()
    return Export.objects.create(
        revision=survey.revision,
        person=survey.owner,
        kind="csv",
        total=1,
        written=1,
        size=1,
        heard_at=now,
        finished_at=now,
    )
