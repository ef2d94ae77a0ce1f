"""The pages of a mailing: handing in addresses, the preview, sending, and erasing the list."""

import re

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile

from surveys.collecting.refusals import UnknownInvitation
from surveys.collecting.services import redeem
from surveys.models import Addressee, Invitation, Mailing
from surveys.questionnaire import tokens
from tests import factories
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.inviting import ACTIONS, hand_in, page_of, words
from tests.surveys.fieldwork.mailing import CODE, people

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=factories.make_invited_survey)]


def file(content: bytes, name: str = "list.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "text/csv")


# Handing in addresses


def test_an_uploaded_list_becomes_a_mailing_of_its_addresses_alone(as_owner, survey):
    content = "name,email\nLovelace,ada@example.org\nHopper,grace@example.org\n,ADA@example.org\n"
    page = words(hand_in(as_owner, survey, file=file(content.encode())))
    assert "Addresses saved: 2, repeated addresses merged: 1, other columns left out: 1." in page
    kept = Addressee.objects.values_list("address", flat=True)
    assert sorted(kept) == ["ada@example.org", "grace@example.org"]
    assert not any("Lovelace" in row for _, row in mailings.everything_stored())
    assert mail.outbox == []


def test_bad_lines_are_named_and_nothing_is_kept_until_they_are_right_or_left_out(as_owner, survey):
    pasted = "ada@example.org\nnobody\ngrace@example.org\n<b>@x"
    response = hand_in(as_owner, survey, pasted=pasted)
    assert response.status_code == 400
    assert "Line 2, 'nobody': an address has a name, an @ and a domain." in words(response)
    assert b"<b>" not in response.content
    assert pasted.splitlines()[2] in words(response)  # what was pasted is still there
    assert Mailing.objects.count() == 0
    assert "lines left out: 2." in words(hand_in(as_owner, survey, pasted=pasted, skip_bad="on"))
    assert Addressee.objects.count() == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not plain text"),
        (b"ada@example.org\0", "not plain text"),
        (b"", "no address in this list"),
        (b"email\n", "no address in this list"),
        (b"name,phone\nAda,1", "no column is called email"),
        (b"email\n" + b"x" * 200_000, "cannot be read"),
        (b"email\nnobody\n", "No line contains a usable address"),
        (b"".join(b"p%d@example.org\n" % n for n in range(100_000)), "more than 50,000"),
        (b"a@example.org\n" * 400_000, "larger than 5 MB"),
        (b"a@example.org\n" * 500_000, "larger than 5 MB"),
    ],
    ids=["picture", "nul", "empty", "header", "columns", "field", "none", "100000", "5.6M", "7M"],
)
def test_an_unusable_file_is_refused_in_words_and_loses_nothing_else(
    as_owner, survey, content, message
):
    response = hand_in(as_owner, survey, file=file(content), skip_bad="on", subject="My words")
    assert response.status_code == 400
    assert message in words(response)
    assert "My words" in words(response)
    assert Mailing.objects.count() == 0


def test_an_uploaded_list_is_never_written_to_a_temporary_file(
    as_owner, survey, tmp_path, settings
):
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "missing"  # writing there would fail
    content = b"".join(b"p%d@example.org%s\n" % (n, b" " * 480) for n in range(9_500))
    assert len(content) > 4_500_000
    assert "Addresses saved: 9,500" in words(hand_in(as_owner, survey, file=file(content)))
    assert hand_in(as_owner, survey, file=file(content * 2)).status_code == 400


def test_a_file_and_pasted_addresses_together_are_refused(as_owner, survey):
    page = words(hand_in(as_owner, survey, file=file(b"a@example.org"), pasted="b@example.org"))
    assert "Choose a file or paste addresses, not both." in page


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("message", "Please answer.", "Write {link} or {code}"),
        ("message", "Dear {name}, {link}", "{name} cannot be filled in"),
        ("message", "", "required"),
        ("message", "{link}" + "x" * 10_000, "at most 10000"),
        ("message", "{link}\0", "Null characters"),
        ("subject", "For {code}", "A subject cannot have placeholders"),
        ("subject", "a\r\nBcc: everybody@example.org", "on one line"),
        ("subject", "", "required"),
        ("subject", "x" * 201, "at most 200"),
    ],
)
def test_a_mail_that_cannot_be_sent_as_written_is_refused_in_words(
    as_owner, survey, field, text, message
):
    response = hand_in(as_owner, survey, pasted="ada@example.org", **{field: text})
    assert response.status_code == 400
    assert message in words(response)
    assert Mailing.objects.count() == 0


# Sending


def test_the_preview_shows_the_mail_with_a_code_that_works_nowhere(as_owner, survey):
    page = words(hand_in(as_owner, survey, pasted="ada@example.org\ngrace@example.org"))
    code = CODE.search(page)[0]
    assert f"Please answer: http://testserver/en/s/{survey.pk}/#{tokens.canonical(code)}" in page
    with pytest.raises(UnknownInvitation):
        redeem(survey_id=survey.pk, token=tokens.canonical(code))
    assert "Send to 2 addresses" in page
    assert mail.outbox == []


def test_a_mailing_from_upload_to_the_last_mail(as_owner, survey):
    hand_in(as_owner, survey, pasted="\n".join(people(25)))
    mailing = Mailing.objects.get()
    act = page_of(survey, "mailing-action", mailing.pk, "send")
    page = words(as_owner.post(act, follow=True))
    assert "0</strong> of 25 mails sent" in page
    assert "Stop the mailing</button>" in page
    mailings.run_all()
    assert "25</strong> of 25 mails sent" in words(
        as_owner.get(page_of(survey, "mailing", mailing.pk))
    )
    tokens_sent = [re.search(r"/#(\w{16})", message.body)[1] for message in mail.outbox]
    assert {tokens.digest(token) for token in tokens_sent} == set(mailings.physical_digests())
    assert all(f"http://testserver/en/s/{survey.pk}/#" in message.body for message in mail.outbox)


def test_fewer_than_twenty_mails_come_with_a_warning(as_owner, survey):
    few, many = mailings.prepare(survey, people(19)), mailings.prepare(survey, people(20))
    warning = "A person who can read the database before and after"
    assert warning in words(as_owner.get(page_of(survey, "mailing", few.pk)))
    assert warning not in words(as_owner.get(page_of(survey, "mailing", many.pk)))


@pytest.mark.parametrize("action", ACTIONS)
def test_a_button_that_does_not_apply_any_more_says_so_and_does_nothing(as_owner, survey, action):
    mailing = mailings.prepare(survey, people(1))
    Addressee.objects.all().delete()
    Mailing.objects.update(state=Mailing.State.DONE)
    address = page_of(survey, "mailing-action", mailing.pk, action)
    page = words(as_owner.post(address, follow=True))
    assert re.search("There is nothing to (send|stop|retry|decide)|Addresses erased: 0", page)
    assert not mailings.run_next()


def test_sending_twice_starts_once(as_owner, survey):
    mailing = mailings.prepare(survey, people(30))
    address = page_of(survey, "mailing-action", mailing.pk, "send")
    as_owner.post(address)
    assert "already being sent" in words(as_owner.post(address, follow=True))
    mailings.run_all()
    assert len(mail.outbox) == 30


@pytest.mark.parametrize(
    ("backend", "host"),
    [("console", "mail"), ("dummy", "mail"), ("smtp", "")],
)
def test_without_a_mail_server_the_page_says_so_and_offers_sheets(
    as_owner, survey, settings, backend, host
):
    mailing = mailings.prepare(survey, people(1))
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    settings.EMAIL_HOST = host
    assert "No mail server is set up" in words(as_owner.get(page_of(survey)))
    page = words(as_owner.get(page_of(survey, "mailing", mailing.pk)))
    assert "Send to" not in page
    assert page_of(survey) in page
    address = page_of(survey, "mailing-action", mailing.pk, "send")
    assert "No mail server is set up" in words(as_owner.post(address, follow=True))
    assert not mailings.run_next()


def test_the_address_list_can_be_erased_before_the_survey_closes(as_owner, survey):
    mailing = mailings.prepare(survey, people(25))
    mailings.start(mailing)
    mailings.run_all()
    page = as_owner.post(page_of(survey, "mailing-action", mailing.pk, "erase"), follow=True)
    assert "Addresses erased: 25." in words(page)
    assert not any("person1@" in row for _, row in mailings.everything_stored())
    assert Invitation.objects.count() == 25  # their invitations still work


def test_erasing_while_mails_are_sent_ends_the_mailing(as_owner, survey, settings):
    settings.MAILS_PER_MINUTE = 20
    mailing = mailings.prepare(survey, people(60))
    mailings.start(mailing)
    mailings.run_next()
    as_owner.post(page_of(survey, "mailing-action", mailing.pk, "erase"))
    mailings.run_all()
    assert len(mail.outbox) == 20 == Invitation.objects.count()


def test_an_unsent_mailing_is_discarded_whole(as_owner, survey):
    mailing = mailings.prepare(survey, people(3))
    as_owner.post(page_of(survey, "mailing-action", mailing.pk, "erase"), follow=True)
    assert not Mailing.objects.exists()
    assert not Addressee.objects.exists()
