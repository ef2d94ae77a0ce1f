"""The pages for invitations: who may open them, and what they tell."""

import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.services import close, launch
from surveys.collecting.openings import count_anew
from surveys.collecting.services import receive, redeem
from surveys.fieldwork.invitations import issue
from surveys.fieldwork.mailings import (
    erase_addresses,
    prepare_mailing,
    retry_failed,
    send_mailing,
    settle_uncertain,
    stop_mailing,
)
from surveys.models import Addressee, Invitation, Mailing, Membership, Survey
from surveys.models.refusals import NotAllowed
from surveys.questionnaire import tokens
from tests import factories
from tests.bodies import body_of
from tests.surveys.fieldwork import mailing as mailings
from tests.surveys.fieldwork.inviting import ACTIONS, hand_in, make_sheets, page_of, words
from tests.surveys.fieldwork.mailing import CODE, people

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=factories.make_invited_survey)]


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
        reply = client.post(address)
        assert reply.status_code == 403, address
        assert f'href="{reverse("login")}?' in words(reply), address
    assert Invitation.objects.count() == 0


def test_the_services_ask_again_whoever_calls_them(survey):
    eve = person(survey, "analyst")
    mailing = mailings.prepare(survey, people(1))
    prepare = {"subject": "x", "message": "{link}", "addresses": ["a@example.org"]}
    steer = {"mailing": mailing, "by": eve}
    calls = [
        lambda: issue(survey=survey, number=1, by=eve),
        lambda: prepare_mailing(survey=survey, by=eve, **prepare),
        lambda: send_mailing(link="", later=print, **steer),
        lambda: retry_failed(link="", later=print, **steer),
        lambda: stop_mailing(**steer),
        lambda: settle_uncertain(arrived=True, **steer),
        lambda: erase_addresses(**steer),
    ]
    for call in calls:
        with pytest.raises(NotAllowed):
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
        assert as_owner.get(address).status_code == 302, address
    assert Invitation.objects.count() == 0
    assert Addressee.objects.count() == 1
    assert mailings.run_all() == 0
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
    made = issue(survey=survey, number=5, by=survey.owner)
    redeem(survey_id=survey.pk, token=made[0])
    assert "used: at least <strong>0</strong>" in words(as_owner.get(page_of(survey)))
    receive(survey_id=survey.pk, body=body_of(survey.revision, invitation=made[1]))
    count_anew(survey, timezone.now().date())
    page = words(as_owner.get(page_of(survey)))
    assert "issued: <strong>5</strong>, used: at least <strong>1</strong>" in page
    assert "Deniable knows nothing else about invitations" in page
    assert "only with an invitation" in page
    assert not CODE.search(page)


def test_an_open_survey_is_labelled_and_offers_its_link_instead(client, owner):
    survey = factories.make_open_survey(owner)
    client.force_login(owner)
    page = words(client.get(page_of(survey)))
    assert ">everyone with the link<" in page
    assert f"http://testserver/en/s/{survey.pk}/" in page
    assert "Make sheets" not in page
    make_sheets(client, survey)
    assert Invitation.objects.count() == 0
    assert "invitation would have no effect" in words(client.get(page_of(survey)))


def test_a_draft_prepares_sheets_that_work_after_launch(client, owner):
    draft = factories.make_survey(
        owner,
        invitation_only=True,
        opening=Survey.Opening.CLOSE,
        close_on=timezone.now().date() + timedelta(days=9),
    )
    factories.add_question(draft)
    client.force_login(owner)
    assert "Their codes work as soon as the survey is launched" in words(client.get(page_of(draft)))
    code = CODE.search(words(make_sheets(client, draft, 1)))[0]
    revision = launch(survey=draft, by=owner)
    body = body_of(revision, invitation=tokens.canonical(code))
    receive(survey_id=draft.pk, body=body)
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
    issue(survey=survey, number=5, by=survey.owner)
    close(survey=survey, by=survey.owner)
    page = words(as_owner.get(page_of(survey)))
    assert "issued: <strong>5</strong>, used: <strong>0</strong>" in page
    assert "You can no longer invite people" in page
    make_sheets(as_owner, survey)
    assert "This survey is closed" in words(as_owner.get(page_of(survey)))
    assert hand_in(as_owner, survey, pasted="ada@example.org").status_code == 409
    assert not Invitation.objects.exists()
    assert not Addressee.objects.exists()
