"""P12: whatever is acknowledged is counted exactly once, whatever happens to the server."""

import secrets
import threading
from collections import Counter
from functools import partial

import pytest
from django.urls import reverse

from surveys.authoring import services as authoring_services
from surveys.collecting import spool as collecting_spool
from surveys.collecting.queries import set_aside_count
from surveys.collecting.refusals import UsedInvitation
from surveys.collecting.services import receive
from surveys.models import Invitation, Response, SubmissionKey, Survey, Waiting
from surveys.models.refusals import NotOpen
from surveys.operations.checks.database import balanced
from surveys.operations.checks.findings import Severity
from surveys.operations.retention import keep_dates
from surveys.trust.sealed_files import SealedFile
from tests import factories, patience
from tests.bodies import body_of
from tests.factories import add_serial_number, after_the_close, invite
from tests.fallback import Snapshot
from tests.load import gunicorn, send_all
from tests.locked_texts import answers_with, locked_survey
from tests.rivals import at_once
from tests.surveys.authoring.text_keys import new_key

# Every submission says by its number which one it is.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.both_databases,
    pytest.mark.survey(
        make=factories.launched_with(partial(add_serial_number, width=5)),
        batch_size=20,
        invitation_only=True,
    ),
]


def bodies(survey: Survey, count: int) -> list[bytes]:
    return [
        body_of(survey.revision, [f"{place:05d}"], invitation=token)
        for place, token in enumerate(invite(survey, count))
    ]


def counted(survey: Survey, owner) -> list[str]:
    """After the close everything that was stored is in the responses."""
    authoring_services.close(survey=survey, by=owner)
    assert not Waiting.objects.exists()
    return sorted(Response.objects.values_list("answers", flat=True))


@pytest.mark.kills
@pytest.mark.parametrize(
    ("people", "times", "arguments"),
    # Loaded once, before workers are forked, the application is up again sooner.
    [(60, 1, ["--preload"]), pytest.param(400, 6, [], marks=pytest.mark.audit)],
)
def test_workers_killed_during_load_lose_and_double_nothing(
    survey, owner, tmp_path, people, times, arguments
):
    sent = bodies(survey, people)
    address = reverse("respondent:send", args=[survey.pk])
    kills = 0
    with gunicorn(tmp_path / "log.txt", *arguments) as server:

        def kill_as_they_send(outcome) -> None:
            nonlocal kills
            for time in range(times):
                outcome.wait_for(people * (time + 1) // (times + 2))
                kills += server.kill_a_worker()

        outcome = send_all(address, server.port, sent, meanwhile=kill_as_they_send)
    assert kills >= max(1, times - 1)
    assert (len(outcome.acknowledged), outcome.refused) == (len(sent), [])
    assert counted(survey, owner) == [f"{place:05d}" for place in range(len(sent))]


@pytest.mark.kills
@pytest.mark.audit
def test_workers_killed_during_load_lose_and_double_no_sealed_text(owner, client, tmp_path):
    key = new_key()
    survey = locked_survey(owner, key, batch_size=20)
    texts = [f"text {place}" for place in range(200)]
    sent = [body_of(survey.revision, codes) for codes in answers_with(survey, texts)]
    with gunicorn(tmp_path / "log.txt") as server:

        def kill_as_they_send(outcome) -> None:
            for place in range(4):
                outcome.wait_for(len(sent) * (place + 1) // 6)
                server.kill_a_worker()

        address = reverse("respondent:send", args=[survey.pk])
        outcome = send_all(address, server.port, sent, meanwhile=kill_as_they_send)
    assert (len(outcome.acknowledged), outcome.refused) == (len(sent), [])
    keep_dates(now=after_the_close(survey))
    client.force_login(owner)
    file = client.get(reverse("surveys:sealed-texts", args=[survey.pk, 2])).content
    opened = SealedFile.read(file).opened_by([key])
    assert (sorted(opened.texts), opened.repeated) == (sorted(texts), 0)


def test_the_same_body_from_many_at_once_is_counted_once_and_acknowledged_to_all(survey, owner):
    (body,) = bodies(survey, 1)
    replies = at_once(*[partial(receive, survey_id=survey.pk, body=body)] * 8)
    assert len(replies) == 8
    assert len(set(replies)) == 1
    assert SubmissionKey.objects.count() == 1
    assert counted(survey, owner) == ["00000"]


def test_one_invitation_used_by_many_at_once_counts_once(survey, owner):
    (token,) = invite(survey, 1)

    def send() -> str:
        body = body_of(survey.revision, ["00001"], invitation=token, key=secrets.token_hex(16))
        try:
            receive(survey_id=survey.pk, body=body)
        except UsedInvitation:
            return "refused"
        return "acknowledged"

    assert Counter(at_once(*[send] * 8)) == {"acknowledged": 1, "refused": 7}
    assert Invitation.objects.get().redeemed
    assert SubmissionKey.objects.count() == 1
    assert counted(survey, owner) == ["00001"]


def test_a_submission_that_meets_the_close_is_counted_or_refused_and_never_both(survey, owner):
    sent = bodies(survey, 60)
    acknowledged, refused, begun = [], [], threading.Event()

    def send(bodies: list[bytes]) -> None:
        for body in bodies:
            try:
                receive(survey_id=survey.pk, body=body)
                acknowledged.append(body)
                begun.set()
            except NotOpen:
                refused.append(body)

    def close() -> None:
        assert begun.wait(patience.SECONDS)
        authoring_services.close(survey=survey, by=owner)

    at_once(partial(send, sent[::2]), partial(send, sent[1::2]), close)
    rows = sorted(Response.objects.values_list("answers", flat=True))
    assert rows == sorted(body[-5:].decode() for body in acknowledged)
    assert len(acknowledged) + len(refused) == len(sent)
    assert not Waiting.objects.exists()
    assert not SubmissionKey.objects.count() - len(rows)


def test_two_workers_that_store_a_batch_at_once_store_it_once(survey, owner):
    *first, last = bodies(survey, 20)
    for body in first:
        receive(survey_id=survey.pk, body=body)
    flush = partial(collecting_spool.flush, survey.pk)
    at_once(partial(receive, survey_id=survey.pk, body=last), flush, flush, flush)
    flush()  # one that counted before the last one came makes the others leave it to the next
    assert Response.objects.count() == 20
    assert counted(survey, owner) == [f"{place:05d}" for place in range(20)]


def test_after_a_fallback_each_answer_is_counted_once_or_told_as_lost(survey, owner):
    """The database falls back behind a batch that was stored, and whose key is gone.

    People who sent before it keep their acknowledgement, those who sent after it send again.
    """
    sent = bodies(survey, 42)
    before, after, new = sent[:15], sent[15:25], sent[25:]
    send = partial(send_in_turn, survey)
    send(before)
    snapshot = Snapshot()
    send(after)
    assert Response.objects.count() == 20
    snapshot.put_back()
    assert send([*new, *after, *before, *new]) == 59
    assert set_aside_count(survey).in_words == "fewer than 20 answers"
    kept = [body[-5:].decode() for body in [*after, *new]]
    assert counted(survey, owner) == sorted(kept)
    survey.refresh_from_db()
    assert set_aside_count(survey).in_words == "15 answers"
    assert Survey.objects.get().redeemed == len(sent)
    assert [found.level for found in balanced()] == [Severity.OK]


def test_at_a_fallback_many_who_send_at_once_are_each_counted_once(survey, owner):
    sent = bodies(survey, 100)
    send_in_turn(survey, sent[:15])
    snapshot = Snapshot()
    send_in_turn(survey, sent[15:40])
    snapshot.put_back()
    shares = [sent[15 + place :: 4] for place in range(4)]
    at_once(*[partial(send_in_turn, survey, share) for share in shares])
    assert counted(survey, owner) == [f"{place:05d}" for place in range(15, 100)]
    assert [found.level for found in balanced()] == [Severity.OK]


def send_in_turn(survey: Survey, sent: list[bytes]) -> int:
    """Send them and return how many were acknowledged: all, or it fails."""
    for body in sent:
        receive(survey_id=survey.pk, body=body)
    return len(sent)
