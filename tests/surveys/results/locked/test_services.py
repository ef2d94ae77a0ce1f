"""Trustees' files: taken once their proofs hold, never replaced; the last share opens counts."""

import json
from datetime import UTC, datetime, time

import pytest

from surveys.models import AuditEntry, Survey, Tally, TallyFile
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.operations.retention import keep_dates
from surveys.results.locked import services
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.files import BallotList
from tests.counting import NAMES, secret_of
from tests.days import DAY, today
from tests.factories import make_user
from tests.rivals import at_once
from tests.tallied import (
    NOISE,
    closed_survey,
    files_of,
    hand_in,
    listed,
    noise_of,
    share_of,
    totals,
)

pytestmark = pytest.mark.django_db
ANSWERS = (0, 0, 2, 5, 6, 6)
TRUTH = [2, 0, 1, 0, 0, 1, 2]


def make_closed():
    return closed_survey(make_user("ruth"), *ANSWERS, delete_on=today() + 60 * DAY)


@pytest.fixture(scope="module")
def made(made_once):
    return made_once(make_closed)


@pytest.fixture
def closed(made, db):
    """As it is at the close, in each test."""
    return Survey.objects.get(pk=made.pk)


def stored() -> list[tuple[str, int]]:
    """Kind and trustee of the files that were taken."""
    files = TallyFile.objects.exclude(kind="total").order_by("kind", "trustee")
    return list(files.values_list("kind", "trustee"))


def refused(survey, file, words: str) -> None:
    """Nothing is kept, and nothing is written down as taken."""
    before, entries = stored(), AuditEntry.objects.count()
    with pytest.raises((NotPossible, TrustRefusal), match=words):
        hand_in(survey, file)
    assert stored() == before
    assert AuditEntry.objects.count() == entries
    assert not Tally.objects.exclude(counts=None).exists()


@pytest.mark.both_databases
def test_the_last_share_opens_the_truth_with_the_noise_of_all(closed):
    noise_1, noise_2, share_1, share_2 = files_of(closed)
    assert hand_in(closed, noise_2, noise_1).kind == "noise"
    assert not hand_in(closed, share_2).is_opened
    assert Tally.objects.get().counts is None
    taken = hand_in(closed, share_1)
    assert (taken.kind, taken.trustee, taken.is_opened) == ("share", NAMES[0], True)
    tally = Tally.objects.get()
    assert tally.counts == [sum(parts) for parts in zip(TRUTH, NOISE[1], NOISE[2], strict=True)]
    assert (tally.ballots, tally.opened_on) == (6, today())
    assert tally.digest == listed(closed).digest.hex()
    actions = AuditEntry.objects.filter(survey=closed.pk).values_list("action", flat=True)
    assert list(actions).count("trustee's file taken") == 4
    assert list(actions).count("locked totals opened") == 1


def test_the_same_file_again_changes_nothing_also_in_other_words_of_json(closed):
    assert hand_in(closed, noise_of(closed, 1)).is_new
    entries = AuditEntry.objects.count()
    again = json.dumps(noise_of(closed, 1), indent=3).encode()
    assert not hand_in(closed, again).is_new
    assert stored() == [("noise", 1)]
    assert AuditEntry.objects.count() == entries


def test_a_trustee_s_noise_and_share_are_never_replaced(closed):
    hand_in(closed, noise_of(closed, 1), noise_of(closed, 2), share_of(closed, 2))
    other = listed(closed).noise_file(1, [0] * 7)
    refused(
        closed,
        other,
        "another noise file of Ada was uploaded before. Noise files are never replaced",
    )
    # Shares are drawn anew by a tool that kept no record.
    again = totals(closed).share_file(2, secret_of(NAMES[1]))
    refused(closed, again, "another share file of Grace was uploaded before")


def test_shares_come_after_all_noise(closed):
    hand_in(closed, noise_of(closed, 1))
    refused(
        closed,
        share_of(closed, 1),
        "all noise files must be uploaded first. Missing: the noise of Grace",
    )


def test_a_share_of_other_noise_opens_nothing(closed):
    other = totals(closed, noise_of(closed, 1), listed(closed).noise_file(2, [0] * 7))
    hand_in(closed, noise_of(closed, 1), noise_of(closed, 2))
    refused(closed, other.share_file(1, secret_of(NAMES[0])), "other noise files")
    refused(closed, totals(closed).share_file(1, secret_of(NAMES[1])), "proof is not valid")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("revision", "00" * 32, "another survey"),
        ("table", 2, "another table"),
        ("list", "00" * 32, "another list"),
        ("trustee", 2, "proof is not valid"),  # noise copied from another trustee
        ("trustee", 3, "does not come from a trustee of this table"),
        ("trustee", 0, "does not come from a trustee of this table"),
        ("trustee", True, "does not come from a trustee of this table"),
        ("trustee", "1", "does not come from a trustee of this table"),
        ("deniable", "share 1", "Missing: the noise of Ada, Grace"),
        ("deniable", "noise 2", "does not come from a trustee"),
        ("deniable", ["noise 1"], "does not come from a trustee"),
        ("cells", [], "does not belong to a count of locked answers"),
        ("cells", ["00"] * 7, "The noise of a cell has the wrong length"),
        ("more", 1, "does not belong to a count of locked answers"),
    ],
)
def test_a_file_of_something_else_is_refused_in_words(closed, name, value, words):
    refused(closed, {**noise_of(closed, 1), name: value}, words)


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 10**5, b'{"deniable": 1e999}', b" " * 10**6],
)
def test_garbage_is_refused(closed, content):
    refused(
        closed,
        content,
        "This file does not (come from a trustee|belong to a count of locked answers)",
    )


def test_noise_of_another_list_or_out_of_its_range_is_refused(closed):
    other = BallotList(listed(closed).plan, 6, bytes(32), listed(closed).totals)
    refused(closed, other.noise_file(1, NOISE[1]), "another list")
    forged = {**noise_of(closed, 1), "list": listed(closed).digest.hex()}
    forged["cells"] = other.noise_file(1, NOISE[1])["cells"]
    refused(closed, forged, "proof is not valid")


def test_before_the_close_and_of_other_tables_there_is_nothing_to_open(owner, closed):
    for number in (0, 2, 10**9):
        with pytest.raises(NotPossible, match="This table has no locked answers to open"):
            services.take_file(survey=closed, number=number, content=b"{}", by=closed.owner)
    few = closed_survey(owner, 0, 0, 0)
    with pytest.raises(NotPossible, match="This table has no locked answers to open"):
        hand_in(few, noise_of(closed, 1))


def test_the_owner_alone_takes_files(closed):
    with pytest.raises(NotAllowed):
        hand_in(closed, noise_of(closed, 1), by=make_user("stranger"))
    assert stored() == []


@pytest.mark.audit
@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_of_many_uploads_at_once_each_file_is_stored_once():
    closed = make_closed()
    noise_1, noise_2, *shares = files_of(closed)
    other = listed(closed).noise_file(1, [0] * 7)

    def attempt(file) -> str:
        try:
            return "new" if hand_in(closed, file).is_new else "same"
        except NotPossible:
            return "refused"

    acts = [lambda one=one: attempt(one) for one in (noise_1, noise_1, other, noise_2, noise_2)]
    said = at_once(*acts)
    assert said.count("new") == 2
    assert stored() == [("noise", 1), ("noise", 2)]
    if bytes(TallyFile.objects.get(kind="noise", trustee=1).content) != services.canonical(noise_1):
        return  # the other noise was faster: these shares are of a total that it is not in
    said = at_once(*(lambda one=one: attempt(one) for one in (*shares, *shares)))
    assert sorted(said) == ["new", "new", "same", "same"]
    assert Tally.objects.get().counts
    assert AuditEntry.objects.filter(action="locked totals opened").count() == 1


def test_on_the_date_of_deletion_files_go_and_counts_stay(closed):
    hand_in(closed, *files_of(closed))
    counts = Tally.objects.get().counts
    keep_dates(now=datetime.combine(today() + 61 * DAY, time(1), UTC))
    assert not TallyFile.objects.exists()
    assert Tally.objects.get().counts == counts
    with pytest.raises(NotPossible):
        hand_in(closed, noise_of(closed, 1))
