"""A session that ends while a form is filled in costs nobody what they typed."""

import re
from decimal import Decimal
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import NoReverseMatch, reverse

from analytics.models import Report
from analytics.urls import urlpatterns as report_urls
from config.urls import accounts
from ranking.urls import urlpatterns as ranking_urls
from surveys.models import Survey
from surveys.urls import urlpatterns as survey_urls
from tests import factories
from tests.analytics import examples, reporting
from tests.analytics.pages.visits import asked
from tests.surveys.fieldwork import mailing as mailings

OWN = {"Sec-Fetch-Site": "same-origin"}
LOG_IN = {"login": "ada", "password": "correct horse"}
# Where a change is asked for by POST alone, and the page with its form.
FORMS = {
    "surveys:ask-export": "surveys:exports",
    "surveys:ask-deposit": "surveys:deposit",
    "surveys:save-plan": "surveys:planner",
    "surveys:add-member": "surveys:members",
    "surveys:hand-over": "surveys:members",
    "surveys:change-member": "surveys:members",
    "surveys:remove-member": "surveys:members",
    "surveys:make-token": "surveys:tokens",
    "surveys:revoke-token": "surveys:tokens",
    "surveys:revoke-all-tokens": "surveys:tokens",
    "surveys:revoke-survey-token": "surveys:survey-tokens",
    "surveys:revoke-all-survey-tokens": "surveys:survey-tokens",
    "surveys:invitation-sheets": "surveys:invitations",
    "surveys:mailing-action": "surveys:mailing",
    "ranking:save": "ranking:table",
    "analytics:ask": "analytics:overview",
    "analytics:cancel": "analytics:report",
    "analytics:repeat": "analytics:report",
    "analytics:names": "analytics:report",
    "analytics:give-permit": "analytics:overview",
    "analytics:close-permit": "analytics:permit",
    "admin:surveys_survey_copy": "admin:surveys_survey_change",
    "logout": "surveys:list",
    "admin:logout": "admin:index",
}


@pytest.fixture
def survey(db) -> Survey:
    """A survey of ada's with texts, a budget for reports on them, and invitations."""
    draft = factories.make_survey(factories.make_user(superuser=True), invitation_only=True)
    factories.add_question(draft)
    factories.add_text(draft)
    factories.add_budget(draft, epsilon=Decimal(20))
    return factories.launched(draft)


@pytest.fixture
def visitor() -> Client:
    """A browser that proves that its forms come from this site, as they must."""
    return Client(enforce_csrf_checks=True, headers=OWN)


def page_of(reply) -> str:
    return unescape(reply.content.decode())


def fields_of(reply) -> dict[str, str]:
    """What the form with “Send now” or “Continue” carries."""
    form = re.search(r'<form class="again".*?</form>', reply.content.decode(), re.S)[0]
    found = re.findall(r'name="([^"]*)" value="([^"]*)"', form)
    return {unescape(name): unescape(value) for name, value in found}


def opened(visitor: Client, address: str) -> dict[str, str]:
    """The token of a form on a page that a member of staff has open."""
    page = visitor.get(address).content.decode()
    return {
        "csrfmiddlewaretoken": re.findall(r'csrfmiddlewaretoken" value="(\w+)"', page)[-1],
    }


def log_in(visitor: Client, name: str = "ada") -> None:
    token = opened(visitor, reverse("login"))
    reply = visitor.post(reverse("login"), LOG_IN | {"login": name} | token)
    assert reply.status_code == 302


def end_sessions() -> None:
    Session.objects.all().delete()


def sent_after_the_session_ended(visitor: Client, page: str, address: str, **typed: str):
    log_in(visitor)
    typed |= opened(visitor, page)
    end_sessions()
    return visitor.post(address, typed)


def test_what_was_typed_comes_back_and_is_saved_after_logging_in_again(visitor, survey):
    planner, save = reverse("surveys:planner"), reverse("surveys:save-plan")
    typed = {"survey": str(survey.pk), "responses": "777", "reading": "once", "failure": "0.05"}
    reply = sent_after_the_session_ended(visitor, planner, save, **typed)
    assert reply.status_code == 403
    assert "You were logged out before the form was saved" in page_of(reply)
    assert typed.items() <= fields_of(reply).items()
    log_in(visitor)
    again = visitor.post(save, fields_of(reply))
    assert "before you logged in as ada" in page_of(again)
    survey.refresh_from_db()
    assert survey.planned_responses is None
    assert visitor.post(save, fields_of(again)).status_code == 302
    survey.refresh_from_db()
    assert survey.planned_responses == 777


def test_a_report_is_asked_for_as_it_was_typed(visitor, survey):
    overview, ask = (reverse(f"analytics:{n}", args=[survey.pk]) for n in ("overview", "ask"))
    log_in(visitor)
    reporting.write(survey, [reporting.a_comment(place) for place in range(600)])
    typed = asked(survey) | opened(visitor, overview)
    end_sessions()
    reply = visitor.post(ask, typed)
    log_in(visitor)
    again = visitor.post(ask, fields_of(reply))
    visitor.post(ask, fields_of(again))
    assert Report.objects.get().revision.survey == survey


def test_pressing_on_without_logging_in_keeps_what_was_typed(visitor, survey):
    planner, save = reverse("surveys:planner"), reverse("surveys:save-plan")
    reply = sent_after_the_session_ended(visitor, planner, save, responses="777")
    for _ in range(3):
        reply = visitor.post(save, fields_of(reply))
        assert "You were logged out" in page_of(reply)
    assert fields_of(reply)["responses"] == "777"


def test_another_person_who_logs_in_meanwhile_sends_nothing_unasked(visitor, survey):
    factories.make_user("grace", superuser=True)
    planner, save = reverse("surveys:planner"), reverse("surveys:save-plan")
    typed = {"survey": str(survey.pk), "responses": "777", "reading": "once", "failure": "0.05"}
    reply = sent_after_the_session_ended(visitor, planner, save, **typed)
    log_in(visitor, "grace")
    again = visitor.post(save, fields_of(reply))
    assert "before you logged in as grace" in page_of(again)
    survey.refresh_from_db()
    assert survey.planned_responses is None


def test_nothing_that_was_typed_is_kept_on_the_server(visitor, survey):
    sentinel = "Zyxoquartz"
    planner, save = reverse("surveys:planner"), reverse("surveys:save-plan")
    reply = sent_after_the_session_ended(visitor, planner, save, responses=sentinel)
    assert sentinel in page_of(reply)
    assert reply["Cache-Control"] == "no-store"
    assert sentinel not in str(mailings.everything_stored())
    assert not any(sentinel in morsel.value for morsel in visitor.cookies.values())
    assert sentinel not in re.search(r'href="(/accounts/login/[^"]*)"', page_of(reply))[1]


def test_several_values_and_lines_come_back_as_they_were(visitor, survey):
    address = reverse("surveys:new-mailing", args=[survey.pk])
    log_in(visitor)
    token = opened(visitor, address)
    end_sessions()
    message = 'Dear all,\n"quotes" & <b>signs</b>\n{link}'
    reply = visitor.post(address, {"subject": "s", "message": message, "twice": ["a", "b"]} | token)
    page = reply.content.decode()
    assert fields_of(reply)["message"] == message
    assert re.findall(r'name="twice" value="(\w)"', page) == ["a", "b"]
    assert "<b>signs" not in page


def test_a_file_has_to_be_chosen_again_and_the_page_says_so(visitor, survey):
    address = reverse("surveys:new-mailing", args=[survey.pk])
    log_in(visitor)
    token = opened(visitor, address)
    end_sessions()
    file = SimpleUploadedFile("people.csv", b"secret@example.org")
    reply = visitor.post(address, {"subject": "s", "file": file} | token)
    assert "people.csv" in page_of(reply)
    assert "secret@example.org" not in page_of(reply)


def test_passwords_are_never_shown_again(visitor, survey):
    address = reverse("admin:auth_user_add")
    typed = {"username": "new", "password1": "Zyxoquartz 7", "password2": "Zyxoquartz 7"}
    reply = sent_after_the_session_ended(visitor, address, address, **typed)
    assert fields_of(reply)["username"] == "new"
    assert "Zyxoquartz" not in page_of(reply)


def test_a_form_of_ones_own_account_is_not_shown_again(visitor, survey):
    address = reverse("account_change_password")
    log_in(visitor)
    typed = {"oldpassword": "correct horse", **opened(visitor, address)}
    end_sessions()
    reply = visitor.post(address, typed)
    assert reply.status_code == 302
    assert reply.url.startswith(reverse("login"))


def test_the_admins_forms_come_back_as_well(visitor, survey):
    address = reverse("admin:surveys_survey_add")
    reply = sent_after_the_session_ended(visitor, address, address, title="Typed for an hour")
    assert reply.status_code == 403
    log_in(visitor)
    again = visitor.post(address, fields_of(reply))
    form = visitor.post(address, fields_of(again))
    assert 'value="Typed for an hour"' in page_of(form)


def test_a_form_from_before_another_login_comes_back_at_once(visitor, survey):
    """Somebody logs in anew in a second tab; the first one's token is worth nothing then."""
    log_in(visitor)
    token = opened(visitor, reverse("surveys:planner"))
    visitor.post(reverse("logout"), token)
    log_in(visitor)
    typed = {"survey": str(survey.pk), "responses": "5", "reading": "once", "failure": "0.05"}
    reply = visitor.post(reverse("surveys:save-plan"), typed | token)
    assert "before you logged in as ada" in page_of(reply)
    assert typed.items() <= fields_of(reply).items()


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_a_form_of_another_site_is_never_offered_to_be_sent(visitor, survey, site):
    log_in(visitor)
    typed = {"survey": str(survey.pk), "responses": "5", "reading": "once", "failure": "0.05"}
    for cookies in ("kept", "left out, as browsers do"):
        reply = visitor.post(reverse("surveys:save-plan"), typed, headers={"Sec-Fetch-Site": site})
        assert reply.status_code == 403, cookies
        assert 'value="5"' not in page_of(reply)
        visitor.cookies.clear()


def test_the_login_in_the_second_tab_ends_on_a_page_that_says_to_go_back(visitor, survey):
    back = reverse("logged_in_again")
    assert visitor.get(back).url.startswith(reverse("login"))
    log_in(visitor)
    assert "You are logged in as ada" in page_of(visitor.get(back))


def addresses(survey) -> dict[str, str]:
    """Every address of the staff's pages."""
    draft = factories.make_survey(survey.owner)
    values = {
        "survey_id": survey.pk,
        "report_id": examples.store(survey, examples.a_report()).pk,
        "number": 1,
        "place": 1,
        "trustee": 1,
        "name": "spectrum",
        "action": "send",
        "member_id": uuid4(),
        "token_id": uuid4(),
        "key": uuid4(),
        "mailing_id": mailings.prepare(survey, ["a@example.org"]).pk,
        "question_id": factories.add_question(draft).pk,
    }
    found = {}
    rooms = {"surveys": survey_urls, "ranking": ranking_urls, "analytics": report_urls}
    for room, patterns in rooms.items():
        for pattern in patterns:
            kept = {name: values[name] for name in pattern.pattern.converters}
            found[f"{room}:{pattern.name}"] = reverse(f"{room}:{pattern.name}", kwargs=kept)
    for pattern in accounts:
        try:
            found[str(pattern.name)] = reverse(str(pattern.name))
        except (NoReverseMatch, AttributeError):
            continue
    found["admin:surveys_survey_copy"] = reverse("admin:surveys_survey_copy", args=[draft.pk])
    found["admin:logout"] = reverse("admin:logout")
    found["of the draft"] = reverse("admin:surveys_survey_change", args=[draft.pk])
    return found


def test_no_address_answers_a_visit_with_a_blank_405(client, survey):
    client.force_login(survey.owner)
    for name, address in addresses(survey).items():
        reply = client.get(address)
        assert reply.status_code != 405, name


@pytest.mark.parametrize("name", FORMS)
def test_a_visit_to_an_address_of_changes_leads_to_its_form_and_changes_nothing(
    client, survey, name
):
    client.force_login(survey.owner)
    every = addresses(survey)
    before = mailings.everything_stored()
    form = every.get(FORMS[name], every["of the draft"])
    if FORMS[name] == "admin:index":
        form = reverse("admin:index")
    for visit in (client.get, client.head):
        reply = visit(every[name])
        assert (reply.status_code, reply.url) == (302, form)
    assert client.put(every[name]).status_code == 405
    assert mailings.everything_stored() == before
