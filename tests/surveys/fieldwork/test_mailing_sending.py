"""Sending a mailing: who gets what, what is stored of it, and what happens when it goes wrong."""

from functools import partial

import pytest
from django.core import mail
from django.core.management import call_command

from surveys.authoring.services import close
from surveys.collecting.refusals import UnknownInvitation
from surveys.collecting.services import redeem
from surveys.fieldwork import sending, tasks
from surveys.fieldwork.mailings import erase_addresses, retry_failed, settle_uncertain, stop_mailing
from surveys.fieldwork.queries import invitation_counts, mailing_of, refused_addresses
from surveys.models import AuditEntry, Invitation, Mailing
from surveys.models.queries import printed_digest
from surveys.questionnaire import tokens
from tests import factories
from tests.rivals import at_once
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.mail_backends import Wayward
from tests.surveys.fieldwork.mailing import CODE, LINK, people

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.survey(make=factories.make_invited_survey, contact="ask@example.org"),
]


@pytest.fixture(autouse=True)
def _wayward_mail(settings):
    settings.EMAIL_BACKEND = "tests.surveys.fieldwork.mail_backends.Wayward"
    settings.MAILS_PER_MINUTE = 20


def sent_tokens() -> list[str]:
    return [tokens.canonical(CODE.search(message.body)[0]) for message in mail.outbox]


def counts_of(mailing: Mailing):
    return mailing_of(mailing.survey, mailing.pk)


def send(survey, addresses) -> Mailing:
    mailing = mailings.prepare(survey, addresses)
    mailings.start(mailing)
    mailings.run_all()
    mailing.refresh_from_db()
    return mailing


def test_everybody_gets_one_mail_with_an_invitation_that_works(survey):
    mailing = send(survey, people(70))
    assert sorted(message.to for message in mail.outbox) == sorted([to] for to in people(70))
    assert len(set(sent_tokens())) == 70
    for token in sent_tokens():
        redeem(survey_id=survey.pk, token=token)
    counts = invitation_counts(survey)
    assert (counts.issued, counts.redeemed, counts.undelivered) == (70, 70, 0)
    assert mailing.state == Mailing.State.DONE


def test_a_mail_is_plain_text_with_the_link_and_no_trace_of_whose_it_is(survey):
    send(survey, people(3))
    for message, token in zip(mail.outbox, sent_tokens(), strict=True):
        text = message.message().as_string()
        assert message.body == f"Please answer: {LINK}#{token}\nor type {tokens.grouped(token)}.\n"
        assert message.message().get_content_type() == "text/plain"
        assert message.message()["Reply-To"] == "ask@example.org"
        named = message.message()["Message-ID"]
        assert not any(part in named for part in (token, str(survey.pk), survey.pk.hex, "person"))
        assert text.count(message.to[0]) == 1  # in To alone: no address in a link


def test_a_mail_has_the_code_by_which_its_survey_is_checked(survey):
    mailings.start(mailings.prepare(survey, people(20), message="{link} {check}"))
    mailings.run_all()
    assert all(message.body.endswith(printed_digest(survey.pk)) for message in mail.outbox)


def test_message_ids_of_one_mailing_share_nothing_but_the_senders_domain(survey, settings):
    settings.DEFAULT_FROM_EMAIL = "Deniable <ask@post.example.org>"
    send(survey, people(30))
    named = [message.message()["Message-ID"] for message in mail.outbox]
    assert all(name.endswith("@post.example.org>") for name in named)
    assert len({name[:9] for name in named}) == 30


def test_no_row_and_no_queued_task_holds_a_token_or_an_address_beside_a_digest(survey):
    send(survey, people(45) + people(5, "unknown") + people(5, "spam"))
    digests = [tokens.digest(token) for token in sent_tokens()]
    for table, row in mailings.everything_stored():
        if table != "surveys_addressee":
            assert "@example.org" not in row.replace("ask@example.org", ""), table
        assert not any(token in row or tokens.grouped(token) in row for token in sent_tokens())
        assert table == "surveys_invitation" or not any(digest in row for digest in digests)
        assert not CODE.search(row), table  # what a refusal quoted is not kept either


@pytest.mark.both_databases
def test_the_digests_of_a_batch_are_stored_sorted_before_the_first_mail(survey, settings):
    mailings.empty_invitations()
    mailing = mailings.prepare(survey, people(100))
    mailings.start(mailing)
    for batch in range(4):
        mailings.run_next()
        stored = mailings.physical_digests()
        new = stored[20 * batch :]
        assert len(new) == 20
        assert new == sorted(new)
        assert {tokens.digest(token) for token in sent_tokens()} == set(stored)


@pytest.mark.both_databases
def test_neither_the_lists_order_nor_the_stored_order_is_the_order_of_sending(survey, settings):
    mailings.empty_invitations()
    settings.MAILS_PER_MINUTE = 500
    send(survey, people(200))
    order = [message.to[0] for message in mail.outbox]
    digests = [tokens.digest(token) for token in sent_tokens()]
    assert order not in (people(200), sorted(people(200)))
    assert digests != sorted(digests)
    by_list = [digests[order.index(address)] for address in people(200)]
    hits = sum(a == b for a, b in zip(by_list, mailings.physical_digests(), strict=True))
    assert hits < 10  # 1 is expected; 10 or more once in a million runs


@pytest.mark.parametrize(
    ("waiting", "batches"),
    [(1, [1]), (19, [19]), (20, [20]), (39, [39]), (40, [20, 20]), (59, [20, 39]), (0, [])],
)
def test_no_batch_is_too_small_to_hide_in_unless_the_mailing_is(waiting, batches):
    found = []
    while waiting:
        found.append(sending._size(waiting))
        waiting -= found[-1]
    assert found == batches


@pytest.mark.parametrize(
    ("rate", "batch", "seconds"), [(60, 60, 60), (1, 20, 1200), (6000, 500, 5), (20, 20, 60)]
)
def test_runs_are_spaced_so_that_the_rate_holds_on_average(settings, rate, batch, seconds):
    settings.MAILS_PER_MINUTE = rate
    assert sending.mails_a_batch() == batch
    assert sending.pause().total_seconds() == seconds


def test_a_refused_address_is_listed_with_a_reason_and_its_invitation_is_withdrawn(survey):
    wayward = ["unknown@example.org", "greylisted@example.org", "spam@example.org"]
    mailing = send(survey, [*people(20), *wayward, "unsendable@example.org"])
    problems = {one.address: one.problem for one in refused_addresses(mailing)}
    assert set(problems) == {*wayward, "unsendable@example.org"}
    assert "(550). Check that the address is right." in problems["unknown@example.org"]
    assert "for now (451). Try again later." in problems["greylisted@example.org"]
    assert "(554)" in problems["spam@example.org"]
    assert Invitation.objects.count() == 20 == len(mail.outbox)
    assert set(mailings.physical_digests()) == {tokens.digest(token) for token in sent_tokens()}
    assert mailing.undelivered == 0


def test_an_invitation_that_a_refusing_server_has_read_is_not_given_to_anybody_else(
    survey, settings
):
    settings.MAILS_PER_MINUTE = 500
    Wayward.refused.clear()
    send(survey, [*people(25), *people(30, "spam")])
    read = [tokens.canonical(CODE.search(body)[0]) for body in Wayward.refused]
    assert len(set(read)) == 30
    assert not set(read) & set(sent_tokens())
    for token in read:
        with pytest.raises(UnknownInvitation):
            redeem(survey_id=survey.pk, token=token)


@pytest.mark.parametrize("end", ["disconnected", "spam"])
def test_a_batch_that_ends_after_its_first_mails_leaves_them_19_others_to_hide_among(survey, end):
    mailing = send(survey, [*people(1), *people(39, end)])
    told = counts_of(mailing)
    assert 0 < told.sent + told.sending <= 2
    assert Invitation.objects.count() >= sending.SMALLEST_BATCH


def test_the_failed_are_tried_again_and_the_others_are_not(survey, settings):
    mailing = send(survey, [*people(20), *people(3, "greylisted")])
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    retry_failed(mailing=mailing, link=LINK, later=tasks.send_later, by=survey.owner)
    mailings.run_all()
    assert sorted(message.to[0] for message in mail.outbox[20:]) == people(3, "greylisted")
    assert counts_of(mailing).failed == 0
    assert invitation_counts(survey).issued == 23


@pytest.mark.both_databases
def test_a_process_that_dies_in_the_middle_of_a_mail_never_sends_that_mail_again(survey):
    mailing = mailings.prepare(survey, [*people(30), "interrupted@example.org"])
    mailings.start(mailing)
    with pytest.raises(KeyboardInterrupt):
        mailings.run_all()
    assert counts_of(mailing).sending == 1
    mailings.run_all()
    mailing.refresh_from_db()
    assert mailing.state == Mailing.State.DONE
    addresses = [message.to[0] for message in mail.outbox]
    assert len(addresses) == len(set(addresses)) == 31
    assert counts_of(mailing).uncertain == 1
    # The interrupted one, and those that it and the ones before it hide among.
    assert 1 <= mailing.undelivered <= sending.SMALLEST_BATCH
    for token in sent_tokens():  # the mail that was on its way may have arrived
        redeem(survey_id=survey.pk, token=token)


def test_tokens_that_a_dead_process_took_along_are_counted_as_never_delivered(survey):
    mailing = mailings.prepare(survey, people(50))
    mailings.start(mailing)
    stop_mailing(mailing=mailing, by=survey.owner)
    Mailing.objects.update(state=Mailing.State.SENDING)
    batch = sending._next_batch(mailing.pk, LINK)  # and the process ends here, without a word
    assert len(batch.unused) == 20
    Mailing.objects.update(state=Mailing.State.STOPPED)
    mailings.start(mailing)
    mailings.run_all()
    counts = invitation_counts(survey)
    assert (counts.issued, counts.undelivered) == (70, 20)
    assert len(mail.outbox) == 50


@pytest.mark.parametrize("name", ["disconnected", "timeout"])
def test_a_broken_connection_stops_and_leaves_the_decision_to_the_owner(survey, name):
    mailing = send(survey, [f"{name}@example.org"])
    assert mailing.state == Mailing.State.STOPPED
    assert "It is unknown whether this mail arrived" in mailing.problem
    assert counts_of(mailing).uncertain == 1
    settle_uncertain(mailing=mailing, arrived=True, by=survey.owner)
    mailing.refresh_from_db()
    assert counts_of(mailing).sent == 1
    assert mailing.undelivered == 0


def test_the_owner_can_send_an_uncertain_mail_again(survey, settings):
    mailing = send(survey, ["timeout@example.org"])
    settle_uncertain(mailing=mailing, arrived=False, by=survey.owner)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mailings.start(mailing)
    mailings.run_all()
    assert [message.to for message in mail.outbox] == [["timeout@example.org"]]
    counts = invitation_counts(survey)
    assert (counts.issued, counts.undelivered) == (2, 1)


def test_a_server_that_is_away_is_tried_again_and_nothing_is_issued_meanwhile(survey, settings):
    settings.EMAIL_BACKEND = "tests.surveys.fieldwork.mail_backends.Unreachable"
    mailing = mailings.prepare(survey, people(30))
    mailings.start(mailing)
    for _ in range(3):
        assert mailings.run_next()
    mailing.refresh_from_db()
    assert "could not be reached" in mailing.problem
    assert Invitation.objects.count() == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mailings.run_all()
    mailing.refresh_from_db()
    assert (mailing.state, mailing.problem, len(mail.outbox)) == (Mailing.State.DONE, "", 30)


def test_a_server_that_turns_us_away_stops_the_mailing_and_nobody_is_lost(survey, settings):
    mailing = send(survey, ["sender@example.org"])
    assert "does not accept mail from this installation" in mailing.problem
    assert (mailing.state, mailing.undelivered) == (Mailing.State.STOPPED, 0)
    assert (counts_of(mailing).waiting, Invitation.objects.count()) == (1, 0)
    settings.EMAIL_BACKEND = "tests.surveys.fieldwork.mail_backends.Locked"
    other = send(survey, people(2))
    assert (other.state, counts_of(other).waiting) == (Mailing.State.STOPPED, 2)


def test_stopping_takes_effect_before_the_next_mail_and_continuing_sends_the_rest(survey):
    mailing = mailings.prepare(survey, people(60))
    mailings.start(mailing)
    mailings.run_next()
    stop_mailing(mailing=mailing, by=survey.owner)
    mailings.run_all()
    assert len(mail.outbox) == 20
    mailings.start(mailing)
    mailings.run_all()
    assert sorted(message.to[0] for message in mail.outbox) == sorted(people(60))


@pytest.mark.both_databases
def test_stopping_during_a_batch_sends_none_of_its_other_mails(survey):
    mailing = mailings.prepare(survey, people(25))
    mailings.start(mailing)
    batch = sending._next_batch(mailing.pk, LINK)
    first, *others = batch.addressees
    with sending._settling(batch):
        batch.addressees = [first]
        sending._send_all(batch, mail.get_connection())
        stop_mailing(mailing=mailing, by=survey.owner)
        batch.addressees = others
        sending._send_all(batch, mail.get_connection())
    assert [message.to for message in mail.outbox] == [[first[1]]]
    assert counts_of(mailing).waiting == 24
    assert Invitation.objects.count() == 1


def test_what_was_queued_before_a_stop_does_not_double_the_rate(survey):
    mailing = mailings.prepare(survey, people(100))
    mailings.start(mailing)
    mailings.run_next()
    stop_mailing(mailing=mailing, by=survey.owner)
    mailings.start(mailing)
    for _ in range(2):  # what was queued before the stop, and what continuing queued
        mailings.run_next()
    assert len(mail.outbox) == 40


def test_a_mailing_ends_with_its_survey_and_leaves_no_address_and_no_invitation(survey):
    mailing = mailings.prepare(survey, people(60))
    mailings.start(mailing)
    mailings.run_next()
    close(survey=survey, by=survey.owner)
    mailings.run_all()
    assert len(mail.outbox) == 20
    assert not Invitation.objects.exists()
    assert not any("person" in row for _, row in mailings.everything_stored())


@pytest.mark.both_databases
def test_closing_while_a_batch_is_being_sent_stops_it(survey, settings):
    mailing = mailings.prepare(survey, people(20))
    mailings.start(mailing)
    batch = sending._next_batch(mailing.pk, LINK)
    with sending._settling(batch):
        close(survey=survey, by=survey.owner)
        sending._send_all(batch, mail.get_connection())
    assert mail.outbox == []
    assert not Invitation.objects.exists()


def test_every_act_has_an_entry_that_holds_counts_alone(survey):
    mailing = send(survey, [*people(20), "greylisted@example.org"])
    erase_addresses(mailing=mailing, by=survey.owner)
    entries = list(AuditEntry.objects.filter(survey=survey.pk, action__contains="mailing"))
    assert {entry.action for entry in entries} == {
        "prepared a mailing",
        "started a mailing",
        "finished a mailing",
    }
    finished = next(entry for entry in entries if entry.action == "finished a mailing")
    assert finished.after["addresses"] == {"sent": 20, "failed": 1}
    assert finished.actor is None
    erased = AuditEntry.objects.get(action="erased an address list")
    assert erased.after["addresses"] == 21
    assert not any("@" in str(entry.after) for entry in entries)


@pytest.mark.django_db(transaction=True)
def test_the_worker_sends_a_mailing(survey, settings, capsys):
    mailings.start(mailings.prepare(survey, people(5)))
    with worker_signals_restored():
        call_command(
            "db_worker", batch=True, interval=0, startup_delay=False, reload=False, verbosity=0
        )
    assert len(mail.outbox) == 5


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_send_nobody_two_mails(survey, settings):
    settings.MAILS_PER_MINUTE = 100
    mailing = mailings.prepare(survey, people(100))
    mailings.start(mailing)
    batches = [sending._next_batch(mailing.pk, LINK) for _ in range(2)]

    def work(batch):
        with sending._settling(batch):
            sending._send_all(batch, mail.get_connection())

    at_once(*(partial(work, batch) for batch in batches))
    assert sorted(message.to[0] for message in mail.outbox) == sorted(people(100))
    assert counts_of(mailing).sent == 100
    mailing.refresh_from_db()
    # A worker that got fewer than 20 of the mails leaves its unused digests for them to hide among.
    assert 0 <= mailing.undelivered < 20
    assert Invitation.objects.count() == 100 + mailing.undelivered


def worker_signals_restored():
    """The worker takes the process's signals for itself."""
    import contextlib
    import signal

    @contextlib.contextmanager
    def restored():
        kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        kept[signal.SIGQUIT] = signal.getsignal(signal.SIGQUIT)
        try:
            yield
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)

    return restored()
