"""An opening key goes before its week is over only once a backup has all that it opened."""

import io
import zipfile

import pytest
from django.core.management import CommandError, call_command

from surveys.collecting.keys import opening_keys
from surveys.collecting.services import receive
from surveys.models import AuditEntry, Comment, Openings, Response, Survey
from surveys.models.queries import questionnaire_of
from surveys.operations.retention import keep_dates
from surveys.trust import sealing
from tests.bodies import body_of
from tests.factories import after_the_close, make_user, sealed_survey
from tests.surveys.operations.test_backup import back_up, room

__all__ = ["room"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def closed(room, settings) -> Survey:
    """A sealed survey that is closed and opened, with its opening key still there."""
    settings.OPENING_KEYS_DIR = room / "opening-keys"
    settings.RECOVERY_KEY = sealing.public_of(sealing.new_private())
    survey = sealed_survey(make_user())
    _, text = questionnaire_of(survey.revision).items
    for place in range(7):
        codes = [f"{place:05d}", text.encode("text")]
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
    return survey


def destroy_key(survey: Survey, *options: str) -> None:
    call_command("opening", "--destroy-key", str(survey.pk), *options, stdout=io.StringIO())


def has_key(survey: Survey) -> tuple[bool, bool]:
    """Whether the file and the copy in the database are there."""
    is_copied = Openings.objects.get(revision__survey=survey).recovery is not None
    return opening_keys.path_of(survey.pk).exists(), is_copied


@pytest.mark.both_databases
def test_an_opening_key_is_destroyed_early_once_a_backup_has_all_that_it_opened(closed, room):
    before = back_up(room)
    with pytest.raises(CommandError, match="is still needed"):
        destroy_key(closed, "--backup", str(before))
    keep_dates(now=after_the_close(closed))
    assert (Response.objects.count(), Comment.objects.count()) == (7, 7)
    with pytest.raises(CommandError, match="Name a backup"):
        destroy_key(closed)
    with pytest.raises(CommandError, match="before all answers were opened"):
        destroy_key(closed, "--backup", str(before))
    assert has_key(closed) == (True, True)
    before.unlink()
    destroy_key(closed, "--backup", str(back_up(room)))
    assert has_key(closed) == (False, False)
    assert AuditEntry.objects.filter(action="destroyed an opening key").exists()


@pytest.mark.both_databases
@pytest.mark.parametrize("table", ["surveys_response", "surveys_comment"])
def test_a_backup_that_lacks_one_opened_row_keeps_the_key(closed, room, table):
    keep_dates(now=after_the_close(closed))
    model = {"surveys_response": Response, "surveys_comment": Comment}[table]
    row = model.objects.first()
    kept = {field.attname: getattr(row, field.attname) for field in model._meta.fields}
    row.delete()
    lacking = back_up(room)
    model.objects.create(**kept)
    with pytest.raises(CommandError, match="lacks some of them"):
        destroy_key(closed, "--backup", str(lacking))
    assert has_key(closed) == (True, True)


def test_a_file_that_could_not_be_overwritten_is_not_called_destroyed(closed, room, settings):
    keep_dates(now=after_the_close(closed))
    saved = back_up(room)
    directory = settings.OPENING_KEYS_DIR
    directory.rename(room / "away")
    with pytest.raises(
        CommandError, match=r"next run of manage\.py opening that can reach the file"
    ):
        destroy_key(closed, "--backup", str(saved))
    (room / "away").rename(directory)
    assert has_key(closed) == (True, False)
    call_command("opening", stdout=io.StringIO())
    assert has_key(closed) == (False, False)


def test_a_damaged_backup_keeps_the_key(closed, room):
    keep_dates(now=after_the_close(closed))
    whole = back_up(room)
    damaged = room / "damaged.zip"
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(damaged, "w") as copy:
        copy.writestr("manifest.json", archive.read("manifest.json"))
        copy.writestr("database", archive.read("database")[:-100] + b"x" * 100)
    for file, words in ((damaged, "damaged"), (room / "none.zip", "none.zip")):
        with pytest.raises(CommandError, match=words):
            destroy_key(closed, "--backup", str(file))
    assert has_key(closed) == (True, True)
