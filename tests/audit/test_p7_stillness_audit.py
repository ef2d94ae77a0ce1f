"""P7, between openings: no page, file or command of any role tells that people answered.

Every address that a GET reaches is asked, before and after a thousand answers of one day, by
everyone who may be there. The table of addresses is Django's own, so that none is forgotten.
"""

import re
from collections.abc import Iterator
from difflib import unified_diff
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from surveys.collecting.services import receive
from surveys.models import Membership, Response, Survey
from surveys.operations.retention import keep_dates
from tests.bodies import body_of
from tests.contracts.files import QUERIES
from tests.factories import (
    add_budget,
    add_long_list,
    add_one_of_each,
    add_rating,
    add_text,
    invite,
    launched,
    make_user,
)
from tests.promises.test_p7_openings import NONCES, draft

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
PEOPLE = 1_003  # the last three wait for their batch
OF_THE_MACHINE = re.compile(r"^\w+ +(disk|clock) .*\n", re.M)  # doctor's lines on room and time
OWN_VISIT = re.compile(r"^.*,audit log downloaded,.*\n", re.M)  # its download says its own moment
# Of one person alone and their login: nothing there is about a survey.
PRIVATE = ("login", "logout", "account_", "mfa_", "logged_in_again")
COMMANDS = (["spool"], ["doctor"], ["retention", "--dry-run"], ["opening"], ["ledger"])


@pytest.fixture
def survey(owner, request) -> Survey:
    """A survey with every kind of question that can be sealed, for invited people."""
    made = draft(owner, opening=request.param, invitation_only=True, planned_responses=2_000)
    add_one_of_each(made)
    add_long_list(made)
    add_text(made)
    add_rating(made, size=1, required=True)  # several would come in an order drawn for each page
    add_budget(made)
    return launched(made)


def patterns(found: list, space: str = "") -> Iterator[tuple[str, URLPattern]]:
    for one in found:
        if isinstance(one, URLResolver):
            inside = f"{one.namespace}:" if one.namespace else space
            yield from patterns(one.url_patterns, inside)
        elif one.name and not one.name.startswith(PRIVATE):
            yield space + one.name, one


def addresses(survey: Survey) -> dict[str, str]:
    """The address of every named page, with this survey's own parts; by name and part."""
    question = survey.questions.first()
    rated = survey.questions.exclude(catalogue=None).get()
    parts = {
        "survey_id": [survey.pk],
        "number": [1, rated.position + 1],
        "place": [1],
        "survey": [survey.pk],
    }
    objects = {
        "surveys_survey": survey.pk,
        "surveys_question": question.pk,
        "surveys_catalogue": rated.catalogue_id,
        "auth_user": make_user("absent").pk,  # others' pages say when they were here last
    }
    found: dict[str, str] = {}
    for name, pattern in patterns(get_resolver().url_patterns):
        names = list(pattern.pattern.converters)
        model = next((key for key in objects if f"{key}_" in name), "")
        for number in parts["number"] if "number" in names else [1]:
            values = {**{key: one[0] for key, one in parts.items()}, "number": number}
            values["object_id"] = objects.get(model, 0)
            known = {key: values[key] for key in names if key in values}
            try:
                address = reverse(name, kwargs=known)
            except NoReverseMatch:
                continue  # of a report, a mailing or a member: there is none
            found[f"{name} {number}"] = address + QUERIES.get(name, "")
    return found


def said(client, user, pages: dict[str, str]) -> dict[str, str]:
    """What each page says to one person, without what is drawn for each page anew.

    That they looked, which the audit log notes with the time, is undone.
    """
    client.logout()
    if user:
        client.force_login(user)
    found = {}
    for name, address in pages.items():
        with transaction.atomic():
            reply = client.get(address)
            text = OWN_VISIT.sub("", NONCES.sub("", reply.getvalue().decode("latin-1")))
            transaction.set_rollback(True)
        found[f"{user} {name}"] = f"{reply.status_code} {reply.get('Location', '')} {text}"
    return found


def printed() -> dict[str, str]:
    found = {}
    for command in COMMANDS:
        out = StringIO()
        try:
            call_command(*command, stdout=out, stderr=out)
        except SystemExit as ended:  # doctor says by its status that something is wrong
            out.write(str(ended.code))
        found[" ".join(command)] = OF_THE_MACHINE.sub("", out.getvalue())
    return found


def everything(client, roles: list, pages: dict[str, str]) -> dict[str, str]:
    found = {}
    for user in roles:
        found |= said(client, user, pages)
    return found | printed()


def moved(before: str, after: str) -> list[str]:
    """The lines that differ, so that a failure says what moved."""
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line[:300] for line in lines]


def answer(survey: Survey, tokens: list[str]) -> None:
    for token in tokens:
        receive(survey_id=survey.pk, body=body_of(survey.revision, invitation=token))


@pytest.mark.parametrize("survey", ["close", "every"], indirect=True)
def test_no_page_file_or_command_tells_of_a_thousand_answers_of_one_day(
    client, owner, survey, capsys
):
    tokens = invite(survey, PEOPLE)
    roles = [owner, make_user("root", superuser=True), make_user("stranger"), None]
    for role in Membership.Role:
        roles.append(make_user(role.value))
        Membership.objects.create(survey=survey, user=roles[-1], role=role)
    pages = addresses(survey)
    keep_dates(now=timezone.now())
    before = everything(client, roles, pages)
    answer(survey, tokens)
    keep_dates(now=timezone.now())
    after = everything(client, roles, pages)
    shown = [name for name, text in before.items() if text.startswith("200")]
    with capsys.disabled():
        print(f"\n{len(pages)} addresses, {len(before)} replies, {len(shown)} of them shown")
    assert len(shown) > 200
    assert not Response.objects.exists()
    assert {name: told for name in before if (told := moved(before[name], after[name]))} == {}
