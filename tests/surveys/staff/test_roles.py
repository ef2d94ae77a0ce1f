"""Who may do what: every page, download, form and admin page asks for an ability."""

from uuid import uuid4

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from analytics.urls import urlpatterns as analytics_urlpatterns
from ranking.urls import urlpatterns as ranking_urlpatterns
from surveys.authoring.editor.copies import copy_questions, copy_survey
from surveys.authoring.editor.orders import arrange_questions
from surveys.authoring.services import close, delete_survey, launch
from surveys.models import Membership, Question, Survey
from surveys.models.refusals import NotAllowed
from surveys.planning.services import set_plan
from surveys.staff.access import role_of, surveys_for
from surveys.staff.members.services import add_member, change_role, hand_over, remove_member
from surveys.staff.roles import ALLOWED, ROLES_WITH, Ability, Role
from surveys.urls import urlpatterns
from tests import factories, kept
from tests.question_forms import question_form, survey_form
from tests.surveys.authoring.asking import confirm

pytestmark = pytest.mark.django_db
READ, EDIT, INVITE, RULE = Ability
owner, survey = kept.owner, kept.survey
# What each address below a survey needs; one that is not here fails the first test.
NEEDS = {
    "dashboard": READ,
    "chart": READ,
    "responses": READ,
    "responses-parquet": READ,
    "exports": READ,
    "ask-export": READ,
    "export": READ,
    "deposit": READ,
    "ask-deposit": READ,
    "codebook": READ,
    **dict.fromkeys(("codebook-md", "syntax-R", "syntax-do", "syntax-sps"), READ),
    "texts": RULE,
    "sealed-texts": RULE,
    "locked-table": RULE,
    "locked": READ,
    "take-trustee-file": RULE,
    "trustee-noise": RULE,
    "trustee-share": RULE,
    "locked-csv": READ,
    "locked-json": READ,
    "break-down": READ,
    "break-down-picture": READ,
    "break-down-csv": READ,
    "break-down-json": READ,
    "weighted": READ,
    "weighted-csv": READ,
    "weighted-json": READ,
    "regression": READ,
    "regression-picture": READ,
    "regression-csv": READ,
    "regression-json": READ,
    "trial": EDIT,
    "ranking:overview": READ,
    "ranking:table": READ,
    "ranking:fragment": READ,
    "ranking:save": EDIT,
    "ranking:history": READ,
    "ranking:picture": READ,
    "ranking:csv": READ,
    "ranking:json": READ,
    "ranking:parquet": READ,
    "ranking:histograms": READ,
    "members": RULE,
    "add-member": RULE,
    "hand-over": RULE,
    "change-member": RULE,
    "remove-member": RULE,
    "survey-tokens": RULE,
    "revoke-survey-token": RULE,
    "revoke-all-survey-tokens": RULE,
    "audit": RULE,
    "audit-csv": RULE,
    "report": READ,
    "invitations": INVITE,
    "invitation-sheets": INVITE,
    "new-mailing": INVITE,
    "mailing": INVITE,
    "mailing-action": INVITE,
    "reminders": INVITE,
    "send-reminders": INVITE,
    "reminders-csv": INVITE,
    "reminders-ics": INVITE,
    "reminders-svg": INVITE,
    **{
        f"analytics:{name}": READ
        for name in (
            *("overview", "compare", "ledger", "ledger-picture", "groups", "ask-groups"),
            *("compare-groups", "clouds", "ask-clouds", "releases", "release", "release-csv"),
            *("release-covariance", "release-json", "release-parquet", "report", "progress"),
            *("cancel", "repeat", "again", "csv", "json", "picture", "permit"),
        )
    },
    "analytics:ask": EDIT,
    "analytics:names": EDIT,
    "analytics:give-permit": EDIT,
    "analytics:permit-file": EDIT,
    "analytics:close-permit": EDIT,
    "analytics:tree": RULE,
    "analytics:ask-tree": RULE,
    "analytics:private-tree": READ,
    "analytics:ask-private-tree": RULE,
    "analytics:publish": RULE,
}
IN_THE_ADMIN = {
    "surveys_survey_change": READ,
    "surveys_survey_history": RULE,
    "surveys_survey_delete": RULE,
    "surveys_survey_launch": RULE,
    "surveys_survey_preview": EDIT,
    "surveys_survey_preview_own_coin": EDIT,
}
OF_A_QUESTION = {"surveys_question_change": READ, "surveys_question_delete": EDIT}
# Somebody who may, asking for a mailing or a member that does not exist, by GET, or with no form.
ANSWERED = {200, 302, 400, 404, 405}


@pytest.fixture
def people(survey):
    """Somebody for each role, and a stranger; all of them staff without Django's permissions."""
    found = {"owner": survey.owner, "stranger": factories.make_user("eve")}
    for role in Membership.Role:
        found[role.value] = factories.make_user(role.value)
        Membership.objects.create(survey=survey, user=found[role.value], role=role)
    return found


def addresses(survey: Survey) -> dict[str, str]:
    values = {
        "survey_id": survey.pk,
        "number": 1,
        "place": 1,
        "trustee": 1,
        "member_id": uuid4(),
        "token_id": uuid4(),
        "key": uuid4(),
        "mailing_id": uuid4(),
        "report_id": uuid4(),
        "name": "topic-1",
        "action": "start",
    }
    found = {}
    rooms = {
        "surveys:": urlpatterns,
        "ranking:": ranking_urlpatterns,
        "analytics:": analytics_urlpatterns,
    }
    for room, patterns in rooms.items():
        for pattern in patterns:
            wanted = {name: values[name] for name in pattern.pattern.converters}
            if "survey_id" in wanted:
                address = reverse(f"{room}{pattern.name}", kwargs=wanted)
                found[f"{room.removeprefix('surveys:')}{pattern.name}"] = address
    return found


def may(role: str, ability: Ability) -> bool:
    return ability in ALLOWED[Role(role)]


def test_the_table_of_roles():
    assert {role: {a.value for a in abilities} for role, abilities in ALLOWED.items()} == {
        "owner": {"read", "edit", "invite", "rule"},
        "editor": {"read", "edit", "invite"},
        "analyst": {"read"},
    }
    assert ROLES_WITH[RULE] == {Role.OWNER}


def test_every_address_below_a_survey_has_its_ability(survey):
    assert set(addresses(survey)) == set(NEEDS)


@pytest.mark.parametrize("ability", Ability)
@pytest.mark.parametrize("method", ["get", "post"])
def test_every_page_asks_for_its_ability(survey, people, ability, method):
    """The least role that may opens it; the greatest that may not and a stranger do not.

    Each role may do all that the next one may, by ``test_the_table_of_roles``.
    """
    least, *refused = around(ability)
    clients = {who: Client() for who in (least, *refused)}
    for who, client in clients.items():
        client.force_login(people[who])
    known = addresses(survey)
    for name in (name for name, needed in NEEDS.items() if needed is ability):
        for who, client in clients.items():
            status = getattr(client, method)(known[name]).status_code
            if who == "stranger":
                assert status in (404, 405), (name, who)
            elif who == least:
                assert status in ANSWERED, (name, who)
            else:
                assert status in (403, 405), (name, who)


def around(ability: Ability) -> list[str]:
    """The least role with an ability, the greatest without it, and a stranger."""
    order = [role.value for role in Role]  # from the one that may do the most
    able = [who for who in order if may(who, ability)]
    assert able == order[: len(able)]
    return [able[-1], *order[len(able) :][:1], "stranger"]


@pytest.mark.parametrize("name", ["dashboard", "texts", "members", "audit", "audit-csv"])
def test_nobody_with_a_role_meets_only_closed_doors(client, survey, people, name):
    """The other half of the test above: whoever may, sees the page itself."""
    allowed = [user for who, user in people.items() if who != "stranger" and may(who, NEEDS[name])]
    for user in [*allowed, factories.make_user("root", superuser=True)]:
        client.force_login(user)
        assert client.get(addresses(survey)[name]).status_code == 200


def test_a_refusal_is_a_page_in_words(client, survey, people):
    client.force_login(people["analyst"])
    reply = client.get(reverse("surveys:members", args=[survey.pk]))
    assert reply.status_code == 403
    assert "ask the survey's owner" in reply.content.decode().replace("&#x27;", "'")


def test_the_admins_pages_ask_for_their_ability(client, survey, people):
    draft = factories.make_survey(survey.owner)
    question = factories.add_question(draft)
    Membership.objects.filter(survey=survey).update(survey=draft)
    targets = {reverse(f"admin:{n}", args=[draft.pk]): a for n, a in IN_THE_ADMIN.items()}
    targets |= {reverse(f"admin:{n}", args=[question.pk]): a for n, a in OF_A_QUESTION.items()}
    for address, needed in targets.items():
        for who, user in people.items():
            client.force_login(user)
            status = client.get(address, follow=True).status_code
            if who == "stranger":
                assert status == 404, (who, address)
            else:
                assert status == (200 if may(who, needed) else 403), (who, address)


NO_ROWS = {
    f"{rows}-{count}_FORMS": 0
    for rows in ("questions", "budgets", "text_keys", "trustees", "locked_tables")
    for count in ("TOTAL", "INITIAL")
}


def said(reply) -> str:
    return " ".join(str(message) for message in get_messages(reply.wsgi_request))


@pytest.mark.parametrize("role", ["editor", "analyst", "stranger"])
def test_only_who_may_edit_changes_a_draft_in_the_admin(client, survey, people, role):
    draft = factories.make_survey(survey.owner)
    question = factories.add_question(draft)
    Membership.objects.filter(survey=survey).update(survey=draft)
    client.force_login(people[role])
    client.post(
        reverse("admin:surveys_survey_change", args=[draft.pk]), survey_form(draft, title="New")
    )
    move = reverse("admin:surveys_survey_questions", args=[draft.pk])
    expected = {"editor": 302, "analyst": 403, "stranger": 404}[role]
    assert client.post(move).status_code == expected
    fields = question_form(text="New?", design="direct")
    client.post(reverse("admin:surveys_question_change", args=[question.pk]), fields)
    client.post(reverse("admin:surveys_question_add"), {**fields, "survey": draft.pk})
    draft.refresh_from_db()
    question.refresh_from_db()
    changed = role == "editor"
    assert (draft.title == "New", question.text == "New?") == (changed, changed)
    assert draft.questions.count() == 1 + changed


def test_an_editor_neither_launches_nor_closes_nor_deletes(client, survey, owner):
    draft, running = factories.make_survey(owner), survey
    factories.add_question(draft)
    editor = factories.make_user("editor")
    for survey in (draft, running):
        Membership.objects.create(survey=survey, user=editor, role=Membership.Role.EDITOR)
    client.force_login(editor)
    page = client.get(reverse("admin:surveys_survey_change", args=[draft.pk])).content.decode()
    assert "_launch" not in page
    assert 'name="title"' in page
    for survey, button in ((draft, "_launch"), (running, "_close")):
        address = reverse("admin:surveys_survey_change", args=[survey.pk])
        reply = client.post(address, survey_form(survey, **{button: "1"}))
        assert "Ask the owner of the survey" in said(reply)
    listing = reverse("admin:surveys_survey_changelist")
    chosen = {"_selected_action": [draft.pk, running.pk]}
    for action in ("launch", "close"):
        for survey in (draft, running):
            one = {"action": action, "_selected_action": [survey.pk]}
            assert "Ask the owner of the survey" in said(client.post(listing, one))
    client.post(listing, {"action": "delete_selected", "post": "yes", **chosen})
    states = Survey.objects.order_by("state").values_list("state", flat=True)
    assert list(states) == [Survey.State.DRAFT, Survey.State.OPEN]


def test_after_launch_an_editor_plans_and_the_owner_alone_moves_the_dates(client, survey, people):
    address = reverse("admin:surveys_survey_change", args=[survey.pk])
    fields = {"planned_responses": 77, "close_on": "2999-01-01", "delete_on": "2999-02-01"}
    sent = {**NO_ROWS, **fields}
    client.force_login(people["editor"])
    client.post(address, sent)
    survey.refresh_from_db()
    assert (survey.planned_responses, survey.close_on, survey.delete_on) == (77, None, None)
    client.force_login(people["owner"])
    reply = client.post(address, sent)
    confirm(client, survey, "delete_by", reply.url.split("/")[-2])
    survey.refresh_from_db()
    assert (str(survey.close_on), str(survey.delete_on)) == ("2999-01-01", "2999-02-01")


def test_staff_without_any_role_have_an_empty_admin_in_which_they_can_make_a_survey(client, survey):
    client.force_login(factories.make_user("new"))
    listing = client.get(reverse("admin:surveys_survey_changelist")).content.decode()
    assert survey.title not in listing
    reply = client.post(reverse("admin:surveys_survey_add"), survey_form(survey, title="Mine"))
    assert reply.status_code == 302
    assert Survey.objects.get(title="Mine").owner.username == "new"


def test_whoever_is_no_staff_reads_their_surveys_but_has_no_admin(client, survey, people):
    analyst = people["analyst"]
    analyst.is_staff = False
    analyst.save()
    client.force_login(analyst)
    assert client.get(addresses(survey)["dashboard"]).status_code == 200
    listing = client.get(reverse("admin:surveys_survey_changelist"))
    assert listing.status_code == 302
    assert "login" in listing.url


def test_an_account_that_is_not_active_has_no_role(survey, people):
    editor = people["editor"]
    editor.is_active = False
    editor.save()
    assert role_of(editor, survey) is None
    assert not surveys_for(editor).exists()


def test_the_list_and_the_planner_show_what_somebody_may_do_there(client, survey, people):
    edit = reverse("admin:surveys_survey_change", args=[survey.pk])
    for who, editable in (("owner", True), ("editor", True), ("analyst", False)):
        client.force_login(people[who])
        assert (edit in client.get(reverse("surveys:list")).content.decode()) is editable, who
        planner = client.get(reverse("surveys:planner")).content.decode()
        assert (f'value="{survey.pk}"' in planner) is editable, who
        given = {"survey": survey.pk, "responses": 50, "reading": "once", "failure": "0.05"}
        client.post(reverse("surveys:save-plan"), given)
        survey.refresh_from_db()
        assert (survey.planned_responses == 50) is editable, who
        Survey.objects.update(planned_responses=None)


def test_the_dashboard_links_only_to_what_may_be_opened(client, survey, people):
    for who, rules in (("owner", True), ("editor", False), ("analyst", False)):
        client.force_login(people[who])
        page = client.get(addresses(survey)["dashboard"]).content.decode()
        for name in ("members", "audit"):
            assert (addresses(survey)[name] in page) is rules, (who, name)


def test_services_refuse_whoever_lacks_the_ability(survey, people):
    draft = factories.make_survey(survey.owner)
    question = factories.add_question(draft)
    Membership.objects.create(survey=draft, user=people["analyst"], role="analyst")
    Membership.objects.create(survey=draft, user=people["editor"], role="editor")
    ruled = (
        lambda by: launch(survey=draft, by=by),
        lambda by: close(survey=survey, by=by),
        lambda by: delete_survey(survey=draft, by=by),
        lambda by: add_member(survey=survey, username="eve", role="editor", by=by),
        lambda by: change_role(survey=survey, member_id=uuid4(), role="editor", by=by),
        lambda by: remove_member(survey=survey, member_id=uuid4(), by=by),
        lambda by: hand_over(survey=survey, username="eve", by=by),
    )
    edited = (
        lambda by: set_plan(survey=survey, responses=5, by=by),
        lambda by: arrange_questions(survey=draft, shown=[question.pk], order=[question.pk], by=by),
        lambda by: copy_questions(questions=[question], to=draft, by=by),
        lambda by: copy_survey(survey=draft, by=by),
    )
    for attempt in ruled:
        for who in ("editor", "analyst", "stranger"):
            with pytest.raises(NotAllowed):
                attempt(people[who])
    for attempt in edited:
        for who in ("analyst", "stranger"):
            with pytest.raises(NotAllowed):
                attempt(people[who])
        attempt(people["editor"])


def test_a_role_that_was_lost_since_the_page_was_opened_counts_no_more(survey, owner):
    """The service looks at the survey as it is, not as the caller remembers it."""
    stale = Survey.objects.get(pk=survey.pk)
    hand_over(survey=survey, username=factories.make_user("grace").username, by=owner)
    with pytest.raises(NotAllowed):
        close(survey=stale, by=owner)


def test_a_question_of_the_admins_list_belongs_to_a_survey_that_may_be_seen(client, survey):
    client.force_login(factories.make_user("eve"))
    page = client.get(reverse("admin:surveys_question_changelist")).content.decode()
    assert Question.objects.first().text not in page
