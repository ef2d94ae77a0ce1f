"""A reload or a stop of the server, while people send, loses nothing that it acknowledged."""

import hashlib
import os
import secrets
import signal
from concurrent.futures import ThreadPoolExecutor, as_completed

import pytest
from django.urls import reverse

from surveys.authoring.services import close
from surveys.collecting.pages import FORM
from surveys.models import Response, SubmissionKey, Survey, Waiting
from tests import patience
from tests.bodies import body_of
from tests.load import Outcome, gunicorn, post, send_all

# Answers wait for one another, so that a stop also meets a batch that is not full.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.survey(batch_size=20),
]
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def address(survey) -> str:
    return reverse("respondent:send", args=[survey.pk])


def bodies(survey: Survey, count: int) -> dict[str, bytes]:
    """Bodies by the digest that is kept of their key."""
    keys = [secrets.token_hex(16) for _ in range(count)]
    return {
        hashlib.sha256(bytes.fromhex(key)).hexdigest(): body_of(survey.revision, key=key)
        for key in keys
    }


def kept() -> set[str]:
    """The digests of what is stored; nothing is stored without one."""
    digests = set(SubmissionKey.objects.values_list("digest", flat=True))
    assert Response.objects.count() + Waiting.objects.count() == len(digests)
    return digests


@pytest.mark.audit
def test_a_reload_interrupts_nobody(survey, owner, address, tmp_path):
    sent = bodies(survey, 200)
    with gunicorn(tmp_path / "log.txt") as server:
        before = set(server.workers())

        def reload_as_they_send(outcome: Outcome) -> None:
            for threshold in (50, 100):
                outcome.wait_for(threshold)
                os.kill(server.process.pid, signal.SIGHUP)

        outcome = send_all(address, server.port, sent.values(), meanwhile=reload_as_they_send)
        assert set(server.workers()) - before
    assert (len(outcome.acknowledged), outcome.refused, outcome.sent_again) == (200, [], 0)
    assert kept() == set(sent)
    close(survey=survey, by=owner)
    assert Response.objects.count() == len(sent)


def test_a_stop_keeps_what_it_acknowledged_and_the_rest_can_be_sent_again(
    client, survey, owner, address, tmp_path
):
    sent = bodies(survey, 120)
    acknowledged = set()
    with gunicorn(tmp_path / "first.txt") as server, ThreadPoolExecutor(4) as people:
        replies = {
            people.submit(post, address, server.port, body): digest for digest, body in sent.items()
        }
        for reply in as_completed(replies):
            if reply.result() == 200:
                acknowledged.add(replies[reply])
                if len(acknowledged) == 50:
                    os.kill(server.process.pid, signal.SIGTERM)
        assert server.process.wait(patience.SECONDS) == 0
    assert 50 <= len(acknowledged) < 120
    assert acknowledged <= kept()
    for digest in set(sent) - acknowledged:
        again = client.post(address, sent[digest], content_type=FORM, headers=SAME_ORIGIN)
        assert again.status_code == 200
    assert kept() == set(sent)
    close(survey=survey, by=owner)
    assert Response.objects.count() == len(sent)
