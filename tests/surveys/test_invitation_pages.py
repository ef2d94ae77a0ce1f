"""The pages for invitations: who may open them, what they hand out, what they refuse."""

import csv
import io
import re
import uuid
from html import unescape

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys import services, tokens
from surveys.models import Addressee, AuditEntry, Invitation, Mailing, Membership
from surveys.services import invitations as issuing
from tests import factories
from tests.surveys import mailing as mailings
from tests.surveys.mailing import CODE, MESSAGE, people

pytestmark = pytest.mark.django_db
ACTIONS = ("send", "stop", "retry", "take-as-sent", "send-again", "erase")


@pytest.fixture
def survey(owner):
    return factories.make_invited_survey(owner)


@pytest.fixture
def as_owner(client, survey):
    client.force_login(survey.owner)
    return client


def page_of(survey, name: str = "invitations", *more) -> str:
    return reverse(f"surveys:{name}", args=[survey.pk, *more])


def words(response) -> str:
    content = response.getvalue() if response.streaming else response.content
    return unescape(content.decode())


def make_sheets(client, survey, number: object = 3, **given):
    sent = {"number": str(number), "request": str(uuid.uuid4()), **given}
    return client.post(page_of(survey, "invitation-sheets"), sent)


def hand_in(client, survey, **given):
    sent = {"subject": "Please", "message": MESSAGE, **given}
    return client.post(page_of(survey, "new-mailing"), sent, follow=True)


def file(content: bytes, name: str = "list.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "text/csv")


# Who may


def reads(survey, mailing) -> list[str]:
    return [
        page_of(survey),
        page_of(survey, "new-mailing"),
        page_of(survey, "mailing", mailing.pk),
    ]


def writes(survey, mailing) -> list[str]:
    acts = [page_of(survey, "mailing-action", mailing.pk, action) for action in ACTIONS]
    return [page_of(survey, "invitation-sheets"), page_of(survey, "new-mailing"), *acts]


def person(survey, who: str):
    if who == "owner":
        return survey.owner
    user = factories.make_user(who, superuser=who == "superuser")
    if who in {"editor", "analyst"}:
        Membership.objects.create(survey=survey, user=user, role=who)
    return user


@pytest.mark.parametrize("who", ["owner", "editor", "superuser"])
def test_who_may_invite_opens_and_does_everything(client, survey, who):
    user = person(survey, who)
    client.force_login(user)
    mailing = mailings.prepare(survey, people(1))
    for address in reads(survey, mailing):
        assert client.get(address).status_code == 200, address
    assert len(CODE.findall(words(make_sheets(client, survey, 2)))) == 2
    for address in writes(survey, mailing):
        assert client.post(address).status_code in {302, 400}, address


@pytest.mark.parametrize(("who", "status"), [("analyst", 403), ("stranger", 404)])
def test_who_may_not_invite_learns_and_changes_nothing(client, survey, who, status):
    mailing = mailings.prepare(survey, people(1))
    client.force_login(person(survey, who))
    before = mailings.everything_stored()
    for address in reads(survey, mailing):
        response = client.get(address)
        assert response.status_code == status, address
        assert "person0@example.org" not in words(response)
    for address in writes(survey, mailing):
        given = {"number": "1", "request": str(uuid.uuid4()), "pasted": "a@example.org"}
        assert (
            client.post(address, given | {"subject": "x", "message": "{link}"}).status_code
            == status
        )
    unchanged = [row for row in before if row[0] != "django_session"]
    assert [row for row in mailings.everything_stored() if row[0] != "django_session"] == unchanged


def test_whoever_is_not_logged_in_is_asked_to_log_in(client, survey):
    mailing = mailings.prepare(survey, people(1))
    for address in reads(survey, mailing):
        assert client.get(address).url.startswith(reverse("login")), address
    for address in writes(survey, mailing):
        assert client.post(address).url.startswith(reverse("login")), address
    assert Invitation.objects.count() == 0


def test_the_services_ask_again_whoever_calls_them(survey):
    eve = person(survey, "analyst")
    mailing = mailings.prepare(survey, people(1))
    prepare = {"subject": "x", "message": "{link}", "addresses": ["a@example.org"]}
    steer = {"mailing": mailing, "by": eve}
    calls = [
        lambda: services.issue(survey=survey, number=1, by=eve),
        lambda: services.prepare_mailing(survey=survey, by=eve, **prepare),
        lambda: services.send_mailing(link="", later=print, **steer),
        lambda: services.retry_failed(link="", later=print, **steer),
        lambda: services.stop_mailing(**steer),
        lambda: services.settle_uncertain(arrived=True, **steer),
        lambda: services.erase_addresses(**steer),
    ]
    for call in calls:
        with pytest.raises(services.NotAllowed):
            call()


def test_a_mailing_is_found_only_below_its_own_survey(client, survey):
    other = factories.make_invited_survey(factories.make_user("eve"), title="Another")
    client.force_login(other.owner)
    mailing = mailings.prepare(survey, people(1))
    assert client.get(page_of(other, "mailing", mailing.pk)).status_code == 404
    assert client.post(page_of(other, "mailing-action", mailing.pk, "erase")).status_code == 404
    assert client.post(page_of(other, "mailing-action", uuid.uuid4(), "erase")).status_code == 404
    assert Addressee.objects.count() == 1


def test_nothing_is_changed_by_opening_an_address(as_owner, survey):
    mailing = mailings.prepare(survey, people(1))
    for address in set(writes(survey, mailing)) - set(reads(survey, mailing)):
        assert as_owner.get(address).status_code == 405, address
    assert (
        as_owner.post(page_of(survey, "mailing-action", mailing.pk, "no-such")).status_code == 404
    )


def test_the_dashboard_leads_there_for_who_may_invite(client, survey):
    for who, shown in (("owner", True), ("editor", True), ("analyst", False)):
        client.force_login(person(survey, who))
        dashboard = words(client.get(reverse("surveys:dashboard", args=[survey.pk])))
        assert (page_of(survey) in dashboard) is shown, who


# What is known


def test_the_page_says_how_many_were_issued_and_used_and_that_nothing_else_is_known(
    as_owner, survey
):
    made = services.issue(survey=survey, number=5, by=survey.owner)
    services.redeem(survey_id=survey.pk, token=made[0])
    page = words(as_owner.get(page_of(survey)))
    assert "<strong>5</strong> issued, <strong>1</strong> used" in page
    assert "Nothing else is known" in page
    assert "only with an invitation" in page
    assert not CODE.search(page)


def test_an_open_survey_is_labelled_and_offers_its_link_instead(client, owner):
    survey = factories.make_open_survey(owner)
    client.force_login(owner)
    page = words(client.get(page_of(survey)))
    assert ">open link<" in page
    assert f"http://testserver/en/s/{survey.pk}/" in page
    assert "Make sheets" not in page
    make_sheets(client, survey)
    assert Invitation.objects.count() == 0
    assert "invitation would have no effect" in words(client.get(page_of(survey)))


def test_a_draft_prepares_sheets_that_work_after_launch(client, owner):
    draft = factories.make_survey(owner, invitation_only=True)
    factories.add_question(draft)
    client.force_login(owner)
    assert "they work once the survey is launched" in words(client.get(page_of(draft)))
    code = CODE.search(words(make_sheets(client, draft, 1)))[0]
    revision = services.launch(survey=draft, by=owner)
    body = factories.body_of(revision, invitation=tokens.canonical(code))
    services.receive(survey_id=draft.pk, body=body)
    assert Invitation.objects.get().redeemed


def test_a_mailing_of_a_draft_is_prepared_but_not_sent(client, owner):
    draft = factories.make_survey(owner, invitation_only=True)
    client.force_login(owner)
    hand_in(client, draft, pasted="ada@example.org")
    mailing = Mailing.objects.get()
    assert "Launch the survey first" in words(client.get(page_of(draft, "mailing", mailing.pk)))
    client.post(page_of(draft, "mailing-action", mailing.pk, "send"))
    assert not mailings.run_next()


def test_a_closed_survey_invites_nobody_and_keeps_its_counts(as_owner, survey):
    services.issue(survey=survey, number=5, by=survey.owner)
    services.close(survey=survey, by=survey.owner)
    page = words(as_owner.get(page_of(survey)))
    assert "<strong>5</strong> issued, <strong>0</strong> used" in page
    assert "nobody can be invited any more" in page
    make_sheets(as_owner, survey)
    assert "This survey is closed" in words(as_owner.get(page_of(survey)))
    assert hand_in(as_owner, survey, pasted="ada@example.org").status_code == 409
    assert not Invitation.objects.exists()
    assert not Addressee.objects.exists()


# Code sheets


def test_each_sheet_has_a_link_a_picture_a_code_and_the_way_without_javascript(as_owner, survey):
    page = words(make_sheets(as_owner, survey, 3))
    codes = CODE.findall(page)
    assert len(codes) == 3 == page.count("<svg")
    for code in codes:
        token = tokens.canonical(code)
        assert f"http://testserver/en/s/{survey.pk}/#{token}" in page
        assert Invitation.objects.filter(pk=tokens.digest(token)).exists()
    assert page.count(f"/en/s/{survey.pk}/own-coin/") == 3
    assert page.count(survey.organisation) == 3
    assert "cannot be shown again" in page
    assert " style=" not in page


def test_a_code_of_a_sheet_counts_once(as_owner, survey):
    code = CODE.search(words(make_sheets(as_owner, survey, 1)))[0]
    for outcome in (None, services.UsedInvitation):
        body = factories.body_of(survey.revision, invitation=tokens.canonical(code))
        if outcome is None:
            services.receive(survey_id=survey.pk, body=body)
        else:
            with pytest.raises(outcome):
                services.receive(survey_id=survey.pk, body=body)


def test_the_table_holds_codes_and_links(as_owner, survey):
    response = make_sheets(as_owner, survey, 4, csv="1")
    assert response.headers["Content-Disposition"].endswith('-invitations.csv"')
    assert "no-store" in response.headers["Cache-Control"]
    rows = list(csv.DictReader(io.StringIO(words(response))))
    assert len(rows) == 4
    for row in rows:
        token = tokens.canonical(row["code"])
        assert row["link"].endswith(f"/#{token}")
        assert Invitation.objects.filter(pk=tokens.digest(token)).exists()


def test_tokens_are_stored_nowhere_and_digests_are_stored_sorted(as_owner, survey):
    codes = CODE.findall(words(make_sheets(as_owner, survey, 50)))
    stored = "\n".join(row for _, row in mailings.everything_stored())
    assert not any(code in stored or tokens.canonical(code) in stored for code in codes)
    digests = [tokens.digest(tokens.canonical(code)) for code in codes]
    assert mailings.physical_digests() == sorted(digests) != digests


@pytest.mark.parametrize(
    "number", ["0", "-1", "10001", "1e3", "ten", "", "9" * 40, "1.5", "٣", "\0"]
)
def test_a_number_that_is_none_makes_nothing_and_says_what_to_write(as_owner, survey, number):
    response = make_sheets(as_owner, survey, number)
    assert response.status_code == 400
    assert re.search("1 to 10,000|required|Null characters", words(response))
    assert Invitation.objects.count() == 0


def test_loading_the_reply_again_makes_no_more(as_owner, survey):
    once = str(uuid.uuid4())
    make_sheets(as_owner, survey, 3, request=once)
    make_sheets(as_owner, survey, 3, request=once)
    assert Invitation.objects.count() == 3
    assert "made already" in words(as_owner.get(page_of(survey)))
    make_sheets(as_owner, survey, 3)
    assert Invitation.objects.count() == 6


def test_a_survey_has_at_most_so_many_invitations(as_owner, survey):
    already = [Invitation(digest=f"{n:064x}", survey=survey) for n in range(99_998)]
    Invitation.objects.bulk_create(already)
    make_sheets(as_owner, survey, 3)
    assert "Ask for at most 2." in words(as_owner.get(page_of(survey)))
    assert Invitation.objects.count() == 99_998 == issuing.MOST_PER_SURVEY - 2


def test_issuing_is_in_the_audit_log_as_a_count(as_owner, survey):
    codes = CODE.findall(words(make_sheets(as_owner, survey, 7)))
    entry = AuditEntry.objects.get(action="issued invitations")
    assert (entry.actor, entry.survey) == (survey.owner.pk, survey.pk)
    assert entry.after["invitations"] == 7
    assert not any(tokens.canonical(code) in str(entry.after) for code in codes)


# Handing in addresses


def test_an_uploaded_list_becomes_a_mailing_of_its_addresses_alone(as_owner, survey):
    content = "name,email\nLovelace,ada@example.org\nHopper,grace@example.org\n,ADA@example.org\n"
    page = words(hand_in(as_owner, survey, file=file(content.encode())))
    assert "Addresses kept: 2, repeated ones merged: 1, other columns dropped: 1." in page
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
        (b"name,phone\nAda,1", "none is called email"),
        (b"email\n" + b"x" * 200_000, "cannot be read"),
        (b"email\nnobody\n", "No line holds a usable address"),
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
    content = b"".join(b"p%d@example.org%s\n" % (n, b" " * 80) for n in range(49_000))
    assert len(content) > 4_500_000
    assert "Addresses kept: 49,000" in words(hand_in(as_owner, survey, file=file(content)))
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
        ("subject", "For {code}", "Nothing is filled in here"),
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
    with pytest.raises(services.UnknownInvitation):
        services.redeem(survey_id=survey.pk, token=tokens.canonical(code))
    assert "Send to 2 addresses" in page
    assert mail.outbox == []


def test_a_mailing_from_upload_to_the_last_mail(as_owner, survey):
    hand_in(as_owner, survey, pasted="\n".join(people(25)))
    mailing = Mailing.objects.get()
    act = page_of(survey, "mailing-action", mailing.pk, "send")
    page = words(as_owner.post(act, follow=True))
    assert "0</strong> of 25 sent" in page
    assert ">Stop<" in page
    mailings.run_all()
    assert "25</strong> of 25 sent" in words(as_owner.get(page_of(survey, "mailing", mailing.pk)))
    tokens_sent = [re.search(r"/#(\w{28})", message.body)[1] for message in mail.outbox]
    assert {tokens.digest(token) for token in tokens_sent} == set(mailings.physical_digests())
    assert all(f"http://testserver/en/s/{survey.pk}/#" in message.body for message in mail.outbox)


def test_fewer_than_twenty_mails_come_with_a_warning(as_owner, survey):
    few, many = mailings.prepare(survey, people(19)), mailings.prepare(survey, people(20))
    warning = "Whoever can read the database before and after"
    assert warning in words(as_owner.get(page_of(survey, "mailing", few.pk)))
    assert warning not in words(as_owner.get(page_of(survey, "mailing", many.pk)))


@pytest.mark.parametrize("action", ACTIONS)
def test_a_button_that_does_not_apply_any_more_says_so_and_does_nothing(as_owner, survey, action):
    mailing = mailings.prepare(survey, people(1))
    Addressee.objects.all().delete()
    Mailing.objects.update(state=Mailing.State.DONE)
    address = page_of(survey, "mailing-action", mailing.pk, action)
    page = words(as_owner.post(address, follow=True))
    assert re.search("nothing to|There is no mail|Addresses erased: 0", page)
    assert not mailings.run_next()


def test_sending_twice_starts_once(as_owner, survey):
    mailing = mailings.prepare(survey, people(30))
    address = page_of(survey, "mailing-action", mailing.pk, "send")
    as_owner.post(address)
    assert "being sent already" in words(as_owner.post(address, follow=True))
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
    assert "No mail server is configured" in words(as_owner.get(page_of(survey)))
    page = words(as_owner.get(page_of(survey, "mailing", mailing.pk)))
    assert "Send to" not in page
    assert page_of(survey) in page
    address = page_of(survey, "mailing-action", mailing.pk, "send")
    assert "No mail server is configured" in words(as_owner.post(address, follow=True))
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
