"""Texts that the server cannot read: checked by length alone, stored sealed, opened elsewhere."""

import base64
import json

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.models import AuditEntry, Comment, Membership, Sealed, SealedText
from surveys.models.queries import published_document, questionnaire_of
from surveys.operations.retention import keep_dates
from surveys.questionnaire.refusals import Malformed
from surveys.questionnaire.submission import body_length
from surveys.staff.roles import Role
from surveys.trust.bundles import HPKE
from surveys.trust.refusals import NotOpened
from surveys.trust.sealed_files import SealedFile
from tests.bodies import body_of
from tests.days import DAY, today
from tests.factories import after_the_close, make_user
from tests.locked_texts import answers_with, locked_survey, sealed_in_page
from tests.posting import post
from tests.surveys.authoring.text_keys import new_key
from tests.traces import files

pytestmark = pytest.mark.django_db(transaction=True)
FIRST, SECOND = new_key("Registry"), new_key("Institute")
WORDS = ["", "yes", "ä" * 40, "second of two"]


def send(survey, *texts: str) -> None:
    for codes in answers_with(survey, texts):
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))


def file_of(client, survey, number: int = 2):
    return client.get(reverse("surveys:sealed-texts", args=[survey.pk, number]))


@pytest.mark.both_databases
def test_from_the_page_to_the_keys_no_text_is_readable_and_all_come_back(client, owner):
    survey = locked_survey(owner, FIRST, SECOND)
    send(survey, *WORDS, "a sentinel of ours")
    receive(survey_id=survey.pk, body=body_of(survey.revision, ["01", ""], own_coin=True))
    assert Sealed.objects.filter(kind="text").count() == 5
    assert not SealedText.objects.exists()
    keep_dates(now=after_the_close(survey))
    assert not Sealed.objects.exists()
    assert not Comment.objects.exists()
    stored = [bytes(one.content) for one in SealedText.objects.all()]
    assert (len(stored), {len(one) for one in stored}) == (6, {4 * 40 + 2 * 48})
    assert not any(b"a sentinel of ours" in content for _, content in files())
    client.force_login(owner)
    sealed = SealedFile.read(file_of(client, survey).content)
    assert sorted(sealed.opened_by([SECOND, FIRST]).texts) == sorted(
        [*WORDS, "a sentinel of ours", ""]
    )
    for alone in (FIRST, SECOND):
        with pytest.raises(NotOpened):
            sealed.opened_by([alone])


def test_what_is_sent_twice_is_dropped_and_counted_where_it_is_opened(client, owner):
    survey = locked_survey(owner, FIRST)
    again = sealed_in_page(survey, "once")
    for _ in range(3):
        receive(survey_id=survey.pk, body=body_of(survey.revision, ["00", again]))
    keep_dates(now=after_the_close(survey))
    client.force_login(owner)
    opened = SealedFile.read(file_of(client, survey).content).opened_by([FIRST])
    assert (opened.texts, opened.repeated) == (("once",), 2)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda value: value[:-1],
        lambda value: value + "A",
        lambda value: "." + value[1:],
        lambda value: "%2F" + value[3:],
        lambda value: "+" + value[1:],
        lambda value: "",
    ],
)
def test_another_length_or_letter_is_refused_and_nothing_is_stored(owner, spoil):
    survey = locked_survey(owner, FIRST)
    body = body_of(survey.revision, ["00", spoil(sealed_in_page(survey, "x"))])
    with pytest.raises(Malformed):
        receive(survey_id=survey.pk, body=body)
    assert not survey.revision.waiting.exists()


def test_a_text_by_own_coin_is_refused_since_the_server_would_read_it(owner):
    survey = locked_survey(owner, FIRST)
    for text in ("readable", sealed_in_page(survey, "x")):
        body = body_of(survey.revision, ["00", text], own_coin=True)
        with pytest.raises(Malformed):
            receive(survey_id=survey.pk, body=body)


def test_garbage_of_the_right_length_counts_as_unreadable_and_stops_nothing(client, owner):
    survey = locked_survey(owner, FIRST)
    good = sealed_in_page(survey, "x")
    garbage = base64.urlsafe_b64encode(b"\xff" * (4 * 40 + 48)).decode().rstrip("=")
    assert len(garbage) == len(good)
    for value in (good, garbage):
        receive(survey_id=survey.pk, body=body_of(survey.revision, ["00", value]))
    keep_dates(now=after_the_close(survey))
    client.force_login(owner)
    opened = SealedFile.read(file_of(client, survey).content).opened_by([FIRST])
    assert (opened.texts, opened.unreadable) == (("x",), 1)


@pytest.mark.usefixtures("_static_files")
def test_the_receipt_by_own_coin_says_that_a_text_was_not_asked(owner):
    """The page seals even what is empty: no code but this one's is."""
    survey = locked_survey(owner, FIRST)
    page = post(survey, body_of(survey.revision, ["01", ""], own_coin=True)).content.decode()
    assert "<b><bdi>(not asked)</bdi></b>" in page
    assert "(left empty)" not in page
    locked = body_of(survey.revision, ["01", sealed_in_page(survey, "")], key="1" * 32)
    assert "(locked: this server cannot read it)" in post(survey, locked).content.decode()


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("file", [HPKE.path, "surveys/collecting/seal.js"])
def test_a_server_without_the_file_that_locks_says_so_and_takes_what_open_pages_send(
    client, owner, monkeypatch, caplog, file
):
    survey = locked_survey(owner, FIRST)
    monkeypatch.delitem(staticfiles_storage.hashed_files, file)
    for name in ("start", "how-it-works", "check"):
        reply = client.get(reverse(f"respondent:{name}", args=[survey.pk]))
        assert reply.status_code == 503
        assert "a file of its page is missing on this server" in reply.content.decode()
    assert "was not built or not collected" in caplog.text
    assert client.get(reverse("respondent:own-coin", args=[survey.pk])).status_code == 200
    send(survey, "from a page that was open")
    assert survey.revision.waiting.count() == 1


def test_the_same_body_by_own_coin_counts_once_though_each_seal_differs(owner):
    survey = locked_survey(owner, FIRST)
    body = body_of(survey.revision, ["00", ""], own_coin=True)
    for _ in range(2):
        receive(survey_id=survey.pk, body=body)
    assert survey.revision.waiting.count() == 1


def test_all_bodies_are_equally_long(owner):
    survey = locked_survey(owner, FIRST, SECOND)
    lengths = {len(body_of(survey.revision, codes)) for codes in answers_with(survey, WORDS)}
    assert lengths == {body_length(questionnaire_of(survey.revision))}


def test_with_openings_every_few_days_texts_wait_for_the_close(owner):
    weekly = {"opening": "every", "opening_days": 7, "planned_responses": 100_000}
    survey = locked_survey(owner, FIRST, **weekly)
    send(survey, *["text"] * 20)
    keep_dates(now=after_the_close(survey))
    assert SealedText.objects.filter(opening=survey.revision.openings.done).count() == 20


def test_the_file_has_the_launched_document_and_texts_in_no_order_of_arrival(client, owner):
    survey = locked_survey(owner, FIRST)
    send(survey, *WORDS)
    keep_dates(now=after_the_close(survey))
    client.force_login(owner)
    reply = file_of(client, survey)
    document = json.loads(reply.content)
    assert document["revision"] == published_document(survey.pk)
    assert document["texts"] == sorted(document["texts"])
    assert reply["Content-Disposition"].endswith('-texts-2.json"')
    assert AuditEntry.objects.filter(action="texts downloaded", actor=owner.pk).count() == 1
    assert [file_of(client, survey, number).status_code for number in (0, 1, 3)] == [404] * 3


def test_texts_are_for_the_owner_alone(client, owner):
    survey = locked_survey(owner, FIRST)
    assert file_of(client, survey).status_code == 302
    client.force_login(make_user("stranger"))
    assert file_of(client, survey).status_code == 404
    for role in (Role.EDITOR, Role.ANALYST):
        member = make_user(role.value)
        Membership.objects.create(survey=survey, user=member, role=role)
        client.force_login(member)
        assert file_of(client, survey).status_code == 403
    assert not AuditEntry.objects.filter(action="texts downloaded").exists()


def test_before_the_close_the_file_is_empty_and_on_the_date_of_deletion_it_goes(client, owner):
    survey = locked_survey(owner, FIRST, delete_on=today() + 60 * DAY)
    send(survey, *["text"] * 5)
    client.force_login(owner)
    assert json.loads(file_of(client, survey).content)["texts"] == []
    keep_dates(now=after_the_close(survey))
    assert SealedText.objects.count() == 5
    keep_dates(now=after_the_close(survey) + 30 * DAY)
    assert not SealedText.objects.exists()


def test_a_survey_that_is_destroyed_unread_leaves_no_texts(owner):
    survey = locked_survey(owner, FIRST, below_k="destroy")
    send(survey, "text")
    keep_dates(now=after_the_close(survey))
    assert not SealedText.objects.exists()
    assert not Sealed.objects.exists()
