"""Every role with every scope, at every address: no more than the pages show the same person."""

from uuid import uuid4

import pytest

from surveys.models import Survey
from surveys.models.refusals import NotAllowed
from surveys.programs.registry import registered
from surveys.programs.routing.routes import Route
from surveys.programs.tokens.scopes import NEEDS, Scope
from surveys.staff.access import may
from surveys.staff.roles import ALLOWED, Ability, Role
from tests import factories
from tests.stored import store_rows
from tests.surveys.programs.asking import Program, refusal
from tests.surveys.programs.holding import token_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
# What a page asks for besides the scope's own ability.
MORE = {"checks": Ability.EDIT}
WHO = ("owner", "superuser", "editor", "analyst", "stranger")


def person(who: str, survey: Survey):
    if who == "owner":
        return survey.owner
    made = factories.make_user(who, superuser=who == "superuser")
    if who in ("editor", "analyst"):
        survey.memberships.create(user=made, role=who)
    return made


def role(who: str) -> Role | None:
    return None if who == "stranger" else Role.OWNER if who == "superuser" else Role(who)


def path_of(route: Route, survey: Survey) -> str:
    path = route.path.replace("<uuid:survey_id>", str(survey.pk))
    return path.replace("<uuid:key>", str(uuid4()))


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("is_draft", [True, False], ids=["draft", "answered"])
def test_a_role_and_a_scope_open_what_both_allow(client, owner, settings, who, scope, is_draft):
    settings.API_RATE = 1000
    survey = factories.make_survey(owner) if is_draft else factories.make_open_survey(owner)
    if not is_draft:
        store_rows(survey.revision, ["010100000001035"] * 20)
    someone, their = person(who, survey), role(who)
    if their is None or NEEDS[scope] not in ALLOWED[their]:
        with pytest.raises(NotAllowed):
            token_of(someone, survey, scope)
        return
    program = Program(token_of(someone, survey, scope), client)
    for route in registered():
        reply = program.ask(route.verb, path_of(route, survey), b"{}", If_Match='"x"')
        needs = MORE.get(route.resource, NEEDS[scope])
        is_allowed = route.scope is scope and may(someone, survey, needs)
        if not is_allowed or route.resource == "survey-make":  # takes a token for drafts
            refusal(reply, 403)
        else:
            assert reply.status_code in (200, 202, 404, 409, 412, 422), (route, reply.content)


def test_the_table_of_what_each_route_needs_is_whole():
    scopes = {route.resource: route.scope for route in registered()}
    assert None not in scopes.values()
    assert {name for name, scope in scopes.items() if scope == "rows"} == {
        *("exports", "export", "export-ask", "export-file")
    }
    assert {name for name, scope in scopes.items() if scope == "edit"} == {
        *("definition", "definition-write", "survey-make")
    }


def test_nothing_is_offered_that_a_person_confirms_or_that_tells_of_one():
    words = " ".join(f"{route.verb} {route.path}" for route in registered())
    for name in ("launch", "close", "member", "invit", "text", "row", "since", "hook", "DELETE"):
        assert name not in words
