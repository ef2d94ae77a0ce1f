"""`manage.py spool`: what waits, batches that are stuck, and answers whose key is lost.

The file's survey was launched with another directory of keys, so that here no key is gone for
certain; what becomes of those that are: the tests of a directory that is the right one, below.
"""

import io

import pytest
from django.core.management import CommandError, call_command

from surveys.authoring.services import close
from surveys.collecting import lost_batches
from surveys.collecting import spool as collecting_spool
from surveys.collecting.flushing import flush
from surveys.collecting.keys import batch_keys, key_directory
from surveys.collecting.refusals import Unavailable
from surveys.models import (
    AuditEntry,
    Response,
    SetAside,
    Spool,
    SubmissionKey,
    Survey,
    Waiting,
)
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.operations import losses
from surveys.operations.checks import spools
from surveys.operations.checks.database import balanced
from surveys.operations.checks.findings import Severity
from tests import kept
from tests.factories import make_open_survey, make_survey, make_user
from tests.rivals import at_once
from tests.stored import answer

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey


@pytest.fixture(autouse=True)
def keys(settings, tmp_path):
    settings.BATCH_KEYS_DIR = tmp_path / "batch-keys"
    return settings.BATCH_KEYS_DIR


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: make_open_survey(make_user(), title="Habits", batch_size=5))


def spool(*arguments: str) -> str:
    out = io.StringIO()
    call_command("spool", *arguments, stdout=out)
    return out.getvalue()


def lose_key(survey: Survey, keys) -> None:
    batch_keys.path_of(keys, Spool.objects.get(survey=survey).batch).unlink()


def test_open_surveys_are_listed_and_nothing_says_how_many_answers_wait(survey, owner):
    make_open_survey(owner, title="Another")
    before = spool()
    answer(survey, 3)
    assert spool() == before
    first, second = before.splitlines()
    assert '"Another"  in order' in first
    assert str(survey.pk) in second


def test_without_an_open_survey_it_says_so(survey, owner):
    close(survey=survey, by=owner)
    assert spool() == "No survey is open.\n"


@pytest.mark.both_databases
def test_a_whole_batch_that_is_stuck_is_named_and_flushed(survey, monkeypatch):
    with monkeypatch.context() as patched:
        # A process that was killed after it stored the last submission and before the batch.
        patched.setattr("surveys.collecting.services.flush_soon", lambda survey_id: None)
        monkeypatch.setattr("surveys.collecting.flushing.GATHERING", 0)
        answer(survey, 6)
    assert "stuck: run manage.py spool --flush" in spool()
    assert "6 answers" in spool("--flush")
    assert Response.objects.count() == 6
    assert not Waiting.objects.exists()


def test_a_batch_that_moves_on_a_moment_later_is_not_called_stuck(survey, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("surveys.collecting.services.flush_soon", lambda survey_id: None)
        answer(survey, 6)
    (state,) = spools.states()
    flush(survey.pk)  # what a thread beside the requests does
    assert not state.is_stuck


def test_flushing_leaves_a_partial_batch_waiting(survey):
    answer(survey, 4)
    assert "0 answers" in spool("--flush")
    assert Waiting.objects.count() == 4


def test_flushing_a_batch_whose_key_is_lost_says_what_is_lost_and_goes_on(
    survey, owner, keys, monkeypatch
):
    other = make_open_survey(owner, title="Zeal", batch_size=5)
    with monkeypatch.context() as patched:
        patched.setattr("surveys.collecting.services.flush_soon", lambda survey_id: None)
        monkeypatch.setattr("surveys.collecting.flushing.GATHERING", 0)
        answer(survey, 5)
        answer(other, 5)
    lose_key(survey, keys)
    with pytest.raises(CommandError, match='5 waiting answers to "Habits" cannot be read'):
        spool("--flush")
    assert Response.objects.filter(revision=other.revision).count() == 5
    assert Waiting.objects.filter(revision=survey.revision).count() == 5


def test_what_is_lost_is_given_up_counted_and_written_down(survey, keys):
    answer(survey, 3)
    lose_key(survey, keys)
    assert "because their key is lost: 3" in spool()
    words = spool("--write-off", str(survey.pk), "--yes")
    assert '3 acknowledged submissions to "Habits" cannot be read again' in words
    survey.refresh_from_db()
    assert survey.lost_answers == 3
    assert not Waiting.objects.exists()
    assert SubmissionKey.objects.count() == 3  # a repeat is still no new answer
    entry = AuditEntry.objects.first()
    assert (entry.action, entry.actor, entry.survey, entry.after) == (
        "gave up unreadable answers",
        None,
        survey.pk,
        {"lost": 3},
    )


def test_after_giving_up_the_survey_takes_answers_again(survey, keys):
    answer(survey, 3)
    lose_key(survey, keys)
    with pytest.raises(Unavailable):
        answer(survey, 1)
    spool("--write-off", str(survey.pk), "--yes")
    answer(survey, 5)
    assert Response.objects.count() == 5


def test_nothing_is_given_up_while_the_key_is_there(survey):
    answer(survey, 3)
    with pytest.raises(CommandError, match=r"all waiting answers .* can be read"):
        spool("--write-off", str(survey.pk), "--yes")
    assert Waiting.objects.count() == 3


def test_a_key_that_was_put_back_opens_what_waits(survey, keys):
    answer(survey, 4)
    path = batch_keys.path_of(keys, survey.spool.batch)
    kept = path.read_bytes()
    path.unlink()
    assert [state.lost for state in spools.states()] == [4]
    path.write_bytes(kept)
    answer(survey, 1)
    assert Response.objects.count() == 5


@pytest.mark.parametrize("damage", [b"", b"short", bytes(range(32))])
def test_a_damaged_key_counts_as_lost(survey, keys, damage, django_capture_on_commit_callbacks):
    answer(survey, 2)
    path = batch_keys.path_of(keys, survey.spool.batch)
    path.write_bytes(damage)
    assert "waiting answers that cannot be read, because their key is lost: 2" in spool()
    with django_capture_on_commit_callbacks(execute=True):
        spool("--write-off", str(survey.pk), "--yes")
    assert batch_keys.is_kept(keys, Spool.objects.get(survey=survey).batch)


def test_only_what_cannot_be_read_is_given_up(survey, keys):
    answer(survey, 2)
    damaged = Waiting.objects.first()
    Waiting.objects.filter(pk=damaged.pk).update(ciphertext=bytes(60))
    assert '1 acknowledged submission to "Habits"' in spool("--write-off", str(survey.pk), "--yes")
    answer(survey, 4)
    assert Response.objects.count() == 5


@pytest.mark.parametrize("said", ["no", "", "y", "YES!"])
def test_without_a_clear_yes_nothing_is_given_up(survey, keys, monkeypatch, said):
    answer(survey, 3)
    lose_key(survey, keys)
    monkeypatch.setattr("builtins.input", lambda question: said)
    with pytest.raises(CommandError, match="Nothing was given up"):
        spool("--write-off", str(survey.pk))
    assert Waiting.objects.count() == 3


def test_without_a_terminal_it_asks_for_yes_as_an_option(survey, keys, monkeypatch):
    answer(survey, 3)
    lose_key(survey, keys)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(CommandError, match="--yes"):
        spool("--write-off", str(survey.pk))


@pytest.mark.parametrize("name", ["", "x", "Habits", "\0", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_survey_is_refused_with_a_remedy(survey, name):
    with pytest.raises(CommandError, match=r"Run manage\.py spool to see these surveys"):
        spool("--write-off", name)


def test_only_the_owner_may_give_up_through_the_pages(survey, keys):
    answer(survey, 1)
    lose_key(survey, keys)
    with pytest.raises(NotAllowed):
        losses.give_up(survey=survey, by=make_user("eve"))
    assert losses.give_up(survey=survey, by=survey.owner) == 1


def test_giving_up_in_a_survey_that_was_deleted_says_so(owner):
    draft = make_survey(owner)
    Survey.objects.filter(pk=draft.pk).delete()
    for by in (owner, None):
        with pytest.raises(NotPossible, match="deleted in the meantime"):
            losses.give_up(survey=draft, by=by)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_two_who_give_up_at_once_count_the_loss_once(transactional_db, keys):
    survey = make_open_survey(make_user(), batch_size=5)
    answer(survey, 3)
    lose_key(survey, keys)

    def give_up() -> int:
        try:
            return losses.give_up(survey=survey)
        except NotPossible:
            return 0

    assert sorted(at_once(give_up, give_up)) == [0, 3]
    survey.refresh_from_db()
    assert survey.lost_answers == 3


@pytest.fixture
def other(owner) -> Survey:
    """Launched with this directory of keys, which is the one that the database knows."""
    key_directory.take_over()
    return make_open_survey(owner, title="Zeal", batch_size=5)


def set_aside(survey: Survey, keys, count: int = 3) -> bytes:
    """Answers whose key is gone; what its file was."""
    answer(survey, count)
    path = batch_keys.path_of(keys, Spool.objects.get(survey=survey).batch)
    kept = path.read_bytes()
    path.unlink()
    assert lost_batches.set_aside(survey.pk) == count
    return kept


@pytest.mark.both_databases
def test_answers_that_were_set_aside_are_taken_back_when_a_copy_of_their_key_returns(
    other, keys, tmp_path
):
    copy = tmp_path / "copy.keys"
    copy.write_bytes(set_aside(other, keys))
    answer(other, 1)
    with pytest.raises(CommandError, match="no key that is here opens"):
        spool("--recover", str(other.pk))
    assert "3 answers" in (words := spool("--recover", str(other.pk), "--key", str(copy)))
    assert f"Destroy {copy} now" in words
    assert (SetAside.objects.count(), Waiting.objects.count()) == (0, 4)
    answer(other, 1)
    assert Response.objects.count() == 5
    assert AuditEntry.objects.filter(action="took answers back", survey=other.pk).exists()
    with pytest.raises(CommandError, match="no answer to"):
        spool("--recover", str(other.pk), "--key", str(copy))


def test_answers_that_are_taken_back_fill_a_batch_at_once(other, keys, tmp_path):
    copy = tmp_path / "copy.keys"
    copy.write_bytes(set_aside(other, keys, 4))
    answer(other, 2)
    spool("--recover", str(other.pk), "--key", str(copy))
    assert (Waiting.objects.count(), Response.objects.count()) == (0, 6)


def test_a_key_file_of_before_there_were_slots_takes_them_back_too(other, keys, tmp_path):
    kept = set_aside(other, keys)
    batch = SetAside.objects.first().batch
    at = kept.index(batch.bytes) + batch_keys.ID_BYTES
    copy = tmp_path / f"{batch}.key"
    copy.write_bytes(kept[at : at + batch_keys.KEY_BYTES])
    assert "3 answers" in spool("--recover", str(other.pk), "--key", str(copy))


def test_of_a_closed_live_survey_they_are_stored_at_once(other, keys, owner, tmp_path):
    copy = tmp_path / "copy.keys"
    copy.write_bytes(set_aside(other, keys, 4))
    fifth = SetAside.objects.first()
    SetAside(revision=fifth.revision, batch=fifth.batch, ciphertext=fifth.ciphertext).save()
    close(survey=other, by=owner)
    assert f'{other.pk}  "Zeal"  5 answers set aside' in spool()
    assert "The answers are stored" in spool("--recover", str(other.pk), "--key", str(copy))
    assert Response.objects.count() == 5


def test_of_a_closed_live_survey_fewer_than_a_batch_are_not_stored_alone(
    other, keys, owner, tmp_path
):
    """The counts before and after would differ by their answers."""
    copy = tmp_path / "copy.keys"
    copy.write_bytes(set_aside(other, keys, 4))
    close(survey=other, by=owner)
    with pytest.raises(CommandError, match=f"--write-off {other.pk}"):
        spool("--recover", str(other.pk), "--key", str(copy))
    assert (SetAside.objects.count(), Response.objects.count()) == (4, 0)


@pytest.mark.parametrize("content", [b"", b"short", bytes(96)], ids=["empty", "short", "zeros"])
def test_a_file_without_the_key_takes_nothing_back(other, keys, tmp_path, content):
    set_aside(other, keys)
    (tmp_path / "copy.keys").write_bytes(content)
    with pytest.raises(CommandError, match="no key that is here opens"):
        spool("--recover", str(other.pk), "--key", str(tmp_path / "copy.keys"))
    with pytest.raises(CommandError, match="No such file"):
        spool("--recover", str(other.pk), "--key", str(tmp_path / "missing.keys"))
    assert SetAside.objects.count() == 3


def test_how_many_are_set_aside_is_listed_in_steps_while_the_survey_is_open(other, keys):
    set_aside(other, keys, 3)
    assert "fewer than 5 answers set aside" in spool()
    set_aside(other, keys, 4)
    assert "at least 5 answers set aside" in spool()


def test_what_was_set_aside_is_given_up_like_what_is_lost(other, keys):
    set_aside(other, keys)
    assert "3 acknowledged" in spool("--write-off", str(other.pk), "--yes")
    other.refresh_from_db()
    assert (SetAside.objects.count(), other.lost_answers) == (0, 3)
    assert [found.level for found in balanced()] == [Severity.OK]


def test_a_directory_whose_keys_are_all_lost_is_replaced_by_this_one(survey, owner, monkeypatch):
    """The file's survey knows another directory: of a machine that is gone, say."""
    answer(survey, 3)
    lose_key(survey, collecting_spool.keys_directory())
    monkeypatch.setattr("builtins.input", lambda question: "no")
    with pytest.raises(CommandError, match="Nothing was changed"):
        spool("--new-directory")
    assert "Run manage.py opening" in spool("--new-directory", "--yes")
    answer(survey, 5)
    assert (SetAside.objects.count(), Response.objects.count()) == (3, 5)
    assert AuditEntry.objects.filter(action="another directory of keys").exists()
    with pytest.raises(CommandError, match="already"):
        spool("--new-directory", "--yes")
