"""The worker as it is run, a real mail server, and a kill in the middle of a mail."""

import os
import quopri
import signal
import subprocess

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from surveys.collecting.services import redeem
from surveys.fieldwork.queries import invitation_counts, mailing_of, refused_addresses
from surveys.models import Mailing
from surveys.questionnaire import tokens
from tests import conftest, factories, patience, roles
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.mailing import CODE, people
from tests.surveys.fieldwork.smtp_server import Post, smtp_server

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.survey(make=factories.make_invited_survey),
]


@pytest.fixture
def post():
    with smtp_server() as running:
        yield running


def start_worker(post: Post) -> subprocess.Popen[str]:
    """`manage.py db_worker` with production's settings; it ends when nothing is due."""
    command = ["manage.py", "db_worker", "--batch", "--interval", "0", "--no-startup-delay"]
    python, role = roles.worker()
    variables = {
        **conftest.environment(),
        **role,
        "DENIABLE_EMAIL_URL": f"smtp://127.0.0.1:{post.port}",
        "DENIABLE_MAIL_FROM": "Surveys <surveys@example.org>",
    }
    return subprocess.Popen(
        [python, *command],
        cwd=conftest.ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def work(post: Post) -> str:
    """Let a worker do what is queued, as if the pause before it were over."""
    DBTaskResult.objects.filter(status="READY").update(run_after=timezone.now())
    output, _ = start_worker(post).communicate(timeout=patience.SECONDS)
    return output


def sent_tokens(post: Post) -> list[str]:
    texts = [quopri.decodestring(text).decode() for _, text in post.mails]
    return [tokens.canonical(CODE.search(text)[0]) for text in texts]


def test_a_mailing_goes_through_a_real_mail_server_and_the_output_names_nobody(survey, post):
    post.on_recipient = lambda address: (
        b"550 no such user" if address.startswith("unknown") else b"250 OK"
    )
    post.on_mail = lambda address: b"554 spam" if address.startswith("spam") else b"250 OK"
    mailing = mailings.prepare(
        survey, [*people(30), *people(2, "unknown"), *people(2, "spam"), "ada@bücher.example"]
    )
    mailings.start(mailing)
    output = work(post)
    served = [*people(30), "ada@xn--bcher-kva.example"]
    assert sorted(to for to, _ in post.mails) == sorted(served)
    assert {tokens.digest(token) for token in sent_tokens(post)} == set(mailings.physical_digests())
    refused = {one.address: one.problem for one in refused_addresses(mailing)}
    assert sorted(refused) == [*people(2, "spam"), *people(2, "unknown")]
    assert "(550)" in refused["unknown0@example.org"]
    assert "(554)" in refused["spam1@example.org"]
    assert "@" not in output
    assert not any(token in output for token in sent_tokens(post))


@pytest.mark.audit
def test_a_worker_killed_in_the_middle_of_a_mail_sends_nobody_two_and_loses_nobody(survey, post):
    mailing = mailings.prepare(survey, people(30))
    mailings.start(mailing)
    worker = start_worker(post)
    doomed = []

    def kill_at_the_tenth(address: str) -> bytes | None:
        if len(post.mails) == 9 and not doomed:
            doomed.append(address)
            os.kill(worker.pid, signal.SIGKILL)
            return None
        return b"250 OK"

    post.on_mail = kill_at_the_tenth
    assert worker.wait(patience.SECONDS) == -signal.SIGKILL
    counts = mailing_of(survey, mailing.pk)
    assert (counts.sent, counts.sending, counts.waiting) == (9, 1, 20)

    work(post)
    counts = mailing_of(survey, mailing.pk)
    assert counts.mailing.state == Mailing.State.DONE
    assert (counts.sent, counts.uncertain, counts.waiting) == (29, 1, 0)
    assert sorted([*(to for to, _ in post.mails), *doomed]) == sorted(people(30))
    issued = invitation_counts(survey)
    assert (issued.issued, issued.undelivered, counts.lost) == (50, 21, 20)
    for token in sent_tokens(post):
        redeem(survey_id=survey.pk, token=token)
