"""P12: whatever is acknowledged is counted exactly once, whatever happens to the server."""

import secrets
import threading

import pytest
from django.db import connections
from django.urls import reverse

from surveys import services
from surveys.models import Invitation, Question, Response, SubmissionKey, Survey, Waiting
from tests.factories import add_question, body_of, invite, make_survey
from tests.load import gunicorn, send_all

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def survey(owner) -> Survey:
    """Every submission says by its number which one it is."""
    draft = make_survey(owner, batch_size=20, invitation_only=True)
    add_question(
        draft,
        text="Which?",
        kind=Question.Kind.NUMBER,
        design=Question.Design.DIRECT,
        required=True,
        minimum=0,
        maximum=99_999,
    )
    services.launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


def bodies(survey: Survey, count: int) -> list[bytes]:
    return [
        body_of(survey.revision, [f"{place:05d}"], invitation=token)
        for place, token in enumerate(invite(survey, count))
    ]


def counted(survey: Survey, owner) -> list[str]:
    """After the close everything that was stored is in the responses."""
    services.close(survey=survey, by=owner)
    assert not Waiting.objects.exists()
    return sorted(Response.objects.values_list("answers", flat=True))


def at_once(*acts) -> None:
    """Run all at the same moment, each with a connection of its own."""
    start = threading.Barrier(len(acts))

    def run(act) -> None:
        start.wait()
        try:
            act()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_workers_killed_during_load_lose_and_double_nothing(survey, owner, tmp_path):
    sent = bodies(survey, 400)
    address = reverse("respondent:send", args=[survey.pk])
    kills = 0
    with gunicorn(tmp_path / "log.txt") as server:

        def kill_as_they_send(outcome) -> None:
            nonlocal kills
            for threshold in range(40, 400, 60):
                while len(outcome.acknowledged) < threshold:
                    outcome.lock.acquire(timeout=0.01) and outcome.lock.release()
                kills += server.kill_a_worker()

        outcome = send_all(address, server.port, sent, meanwhile=kill_as_they_send)
    assert kills >= 5
    assert (len(outcome.acknowledged), outcome.refused) == (len(sent), [])
    assert counted(survey, owner) == [f"{place:05d}" for place in range(len(sent))]


def test_the_same_body_from_many_at_once_is_counted_once_and_acknowledged_to_all(survey, owner):
    (body,) = bodies(survey, 1)
    replies = []
    send = lambda: replies.append(services.receive(survey_id=survey.pk, body=body))  # noqa: E731
    at_once(*[send] * 8)
    assert len(replies) == 8
    assert len(set(replies)) == 1
    assert SubmissionKey.objects.count() == 1
    assert counted(survey, owner) == ["00000"]


def test_one_invitation_used_by_many_at_once_counts_once(survey, owner):
    (token,) = invite(survey, 1)
    replies, refusals = [], []

    def send() -> None:
        body = body_of(survey.revision, ["00001"], invitation=token, key=secrets.token_hex(16))
        try:
            replies.append(services.receive(survey_id=survey.pk, body=body))
        except services.UsedInvitation as refusal:
            refusals.append(refusal)

    at_once(*[send] * 8)
    assert (len(replies), len(refusals)) == (1, 7)
    assert Invitation.objects.get().redeemed
    assert SubmissionKey.objects.count() == 1
    assert counted(survey, owner) == ["00001"]


def test_a_submission_that_meets_the_close_is_counted_or_refused_and_never_both(survey, owner):
    sent = bodies(survey, 60)
    acknowledged, refused = [], []

    def send(body: bytes) -> None:
        try:
            services.receive(survey_id=survey.pk, body=body)
            acknowledged.append(body)
        except services.NotOpen:
            refused.append(body)

    def send_some(part: list[bytes]) -> None:
        for body in part:
            send(body)

    def close() -> None:
        while not acknowledged:
            connections["default"].close_if_unusable_or_obsolete()
        services.close(survey=survey, by=owner)

    at_once(lambda: send_some(sent[::2]), lambda: send_some(sent[1::2]), close)
    rows = sorted(Response.objects.values_list("answers", flat=True))
    assert rows == sorted(body[-5:].decode() for body in acknowledged)
    assert len(acknowledged) + len(refused) == len(sent)
    assert not Waiting.objects.exists()
    assert not SubmissionKey.objects.count() - len(rows)


def test_two_workers_that_store_a_batch_at_once_store_it_once(survey, owner):
    for body in bodies(survey, 19):
        services.receive(survey_id=survey.pk, body=body)
    (last,) = [body_of(survey.revision, ["00019"], invitation=invite(survey, 1)[0])]
    flush = lambda: services.flush(survey.pk)  # noqa: E731
    at_once(lambda: services.receive(survey_id=survey.pk, body=last), flush, flush, flush)
    assert Response.objects.count() == 20
    assert counted(survey, owner) == [f"{place:05d}" for place in range(20)]
