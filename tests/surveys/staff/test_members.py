"""Who works on a survey: added, changed, removed, handed over; each with a clear answer."""

from functools import partial
from html import unescape
from uuid import uuid4

import pytest
from django.urls import reverse

from surveys.models import AuditEntry, Membership, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.access import may, role_of
from surveys.staff.members.services import add_member, change_role, hand_over
from surveys.staff.roles import Ability, Role
from tests import factories, kept
from tests.rivals import at_once

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey


@pytest.fixture
def grace(db):
    return factories.make_user("grace")


@pytest.fixture
def page(client, survey):
    """Sends one of the page's forms as the owner and returns what the reply says."""
    client.force_login(survey.owner)

    def send(name: str, *keys: object, **fields: str) -> str:
        address = reverse(f"surveys:{name}", args=[survey.pk, *keys])
        reply = client.post(address, fields, follow=True)
        assert reply.status_code == 200
        return unescape(reply.content.decode())

    return send


def last_entry() -> tuple[str, object, object]:
    return AuditEntry.objects.values_list("action", "before", "after")[0]


def test_somebody_is_added_by_their_user_name(page, survey, grace):
    words = page("add-member", username="grace", role="analyst")
    assert "grace is an analyst of this survey now" in words
    assert role_of(grace, survey) == Role.ANALYST
    assert last_entry() == ("member added", None, {"account": grace.pk, "role": "analyst"})


def test_a_role_is_changed(page, survey, grace):
    member = Membership.objects.create(survey=survey, user=grace, role="analyst")
    assert "grace is an editor" in page("change-member", member.pk, role="editor")
    assert role_of(grace, survey) == Role.EDITOR
    before, after = ({"account": grace.pk, "role": role} for role in ("analyst", "editor"))
    assert last_entry() == ("role changed", before, after)


def test_a_role_that_stays_as_it_was_is_no_entry(page, survey, grace):
    member = Membership.objects.create(survey=survey, user=grace, role="analyst")
    page("change-member", member.pk, role="analyst")
    assert last_entry()[0] == "launched"


def test_a_member_is_removed_and_sees_nothing_any_more(page, survey, grace, client):
    member = Membership.objects.create(survey=survey, user=grace, role="editor")
    assert "grace has no role" in page("remove-member", member.pk)
    assert last_entry() == ("member removed", {"account": grace.pk, "role": "editor"}, None)
    client.force_login(grace)
    assert client.get(reverse("surveys:dashboard", args=[survey.pk])).status_code == 404


def test_handing_over_makes_a_new_owner_and_an_editor_of_the_old_one(page, survey, owner, grace):
    Membership.objects.create(survey=survey, user=grace, role="analyst")
    words = page("hand-over", **{"owner-username": "grace"})
    assert "grace owns this survey now. ada is now an editor of this survey." in words
    survey.refresh_from_db()
    assert survey.owner == grace
    assert role_of(owner, survey) == Role.EDITOR
    assert not survey.memberships.filter(user=grace).exists()
    assert last_entry() == ("handed over", {"owner": owner.pk}, {"owner": grace.pk})


def test_a_superuser_hands_over_what_somebody_else_owns(survey, owner, grace):
    root = factories.make_user("root", superuser=True)
    hand_over(survey=survey, username="grace", by=root)
    survey.refresh_from_db()
    assert (survey.owner, role_of(owner, survey)) == (grace, Role.EDITOR)


@pytest.mark.parametrize(
    ("username", "words"),
    [
        ("nobody", 'There is no account with the user name "nobody"'),
        ("Grace", "Check the spelling, including capital letters"),
        ("gone", "gone is not active and cannot log in"),
        ("ada", "ada owns this survey"),
        ("", "This field is required"),
        ("   ", "This field is required"),
        ("x" * 151, "at most 150 characters"),
        ("'; DROP TABLE auth_user; --", "There is no account"),
        ("<script>alert(1)</script>", "There is no account"),
        ("😀", "There is no account"),
        ("\ud7ff\uffff", "There is no account"),
    ],
)
@pytest.mark.parametrize("form", ["add-member", "hand-over"])
def test_whoever_cannot_be_named_gets_a_reason_beside_the_field(
    page, survey, grace, username, words, form
):
    gone = factories.make_user("gone")
    gone.is_active = False
    gone.save()
    fields = {"username": username, "role": "editor", "owner-username": username}
    assert words in page(form, **fields)
    assert not Membership.objects.exists()
    survey.refresh_from_db()
    assert survey.owner.username == "ada"
    assert last_entry()[0] == "launched"


@pytest.mark.both_databases
def test_a_nul_in_a_name_is_refused_before_the_database(client, survey):
    client.force_login(survey.owner)
    address = reverse("surveys:add-member", args=[survey.pk])
    reply = client.post(address, {"username": "gr\0ace", "role": "editor"})
    assert reply.status_code in (200, 400)
    assert not Membership.objects.exists()


@pytest.mark.both_databases
def test_a_name_is_found_however_its_letters_were_encoded(page, survey):
    user = factories.make_user("ren\u00e9e")
    page("add-member", username="rene\u0301e", role="analyst")
    assert role_of(user, survey) == Role.ANALYST


def test_adding_a_member_twice_says_where_the_role_is_changed(page, survey, grace):
    page("add-member", username="grace", role="analyst")
    words = page("add-member", username="grace", role="editor")
    assert "grace is already a member. To change the role, use the list of members." in words
    assert role_of(grace, survey) == Role.ANALYST


@pytest.mark.parametrize("role", ["", "owner", "superuser", "\x1f", "editor,analyst"])
def test_a_role_that_there_is_not_is_refused(page, survey, grace, role):
    words = page("add-member", username="grace", role=role)
    assert ("is required" if role == "" else "valid choice") in words
    member = Membership.objects.create(survey=survey, user=grace, role="analyst")
    assert "choose editor or analyst" in page("change-member", member.pk, role=role)
    with pytest.raises(NotPossible, match="Choose editor or analyst"):
        change_role(survey=survey, member_id=member.pk, role=role, by=survey.owner)
    assert Membership.objects.get().role == "analyst"


@pytest.mark.parametrize("form", ["change-member", "remove-member"])
def test_a_member_who_is_gone_or_belongs_to_another_survey_is_not_touched(
    page, survey, owner, grace, form
):
    elsewhere = factories.make_survey(owner)
    member = Membership.objects.create(survey=elsewhere, user=grace, role="analyst")
    for key in (member.pk, uuid4()):
        assert "removed in the meantime" in page(form, key, role="editor")
    assert Membership.objects.get().role == "analyst"


def test_a_survey_is_not_handed_to_somebody_who_cannot_open_the_admin(page, survey, grace):
    grace.is_staff = False
    grace.save()
    words = page("hand-over", **{"owner-username": "grace"})
    assert "grace cannot open the admin" in words
    assert survey.owner.username == "ada"


def test_whoever_handed_over_can_no_longer_rule(page, survey, owner, grace):
    page("hand-over", **{"owner-username": "grace"})
    survey.refresh_from_db()
    assert not may(owner, survey, Ability.RULE)
    assert may(owner, survey, Ability.EDIT)


def test_changing_anything_takes_a_post(client, survey, grace):
    client.force_login(survey.owner)
    Membership.objects.create(survey=survey, user=grace, role="analyst")
    members = reverse("surveys:members", args=[survey.pk])
    for name in ("add-member", "hand-over"):
        assert client.get(reverse(f"surveys:{name}", args=[survey.pk])).url == members
    for name in ("change-member", "remove-member"):
        address = reverse(f"surveys:{name}", args=[survey.pk, Membership.objects.get().pk])
        assert client.get(address).url == members
    assert Membership.objects.get().role == "analyst"


def test_the_page_lists_everybody_and_marks_who_cannot_log_in(client, survey, grace):
    Membership.objects.create(survey=survey, user=grace, role="analyst")
    grace.is_active = False
    grace.save()
    client.force_login(survey.owner)
    words = client.get(reverse("surveys:members", args=[survey.pk])).content.decode()
    assert "grace (not active)" in words
    assert "Role of grace" in words
    assert ">ada<" in words


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_the_same_person_added_by_many_at_once_is_a_member_once(transactional_db):
    owner = factories.make_user()
    survey = factories.make_survey(owner)
    factories.make_user("grace")

    def add(role: str) -> str:
        try:
            add_member(survey=survey, username="grace", role=role, by=owner)
        except NotPossible as problem:
            return str(problem)
        return "added"

    answers = at_once(*(partial(add, role) for role in ["editor", "analyst"] * 3))
    assert answers.count("added") == 1
    assert all("is already a member" in answer for answer in answers if answer != "added")
    assert Membership.objects.count() == 1
    assert AuditEntry.objects.filter(action="member added").count() == 1


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_survey_that_is_handed_to_two_people_at_once_has_one_owner(transactional_db):
    owner = factories.make_user()
    survey = factories.make_survey(owner)
    names = ["grace", "mary"]
    for name in names:
        factories.make_user(name)

    def hand(name: str) -> str:
        try:
            return hand_over(survey=survey, username=name, by=owner).username
        except NotAllowed:
            return "refused"

    answers = at_once(*(partial(hand, name) for name in names))
    stored = Survey.objects.get()
    assert sorted(answers) == sorted([stored.owner.username, "refused"])
    assert stored.memberships.get().user == owner
