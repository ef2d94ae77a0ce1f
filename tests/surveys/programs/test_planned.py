"""Plans and checks of definitions by programs: those of the pages, with nothing stored."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from surveys import PROGRAM
from surveys.models import AuditEntry, Question, Survey
from tests import factories
from tests.surveys.programs.asking import Program, refusal
from tests.surveys.programs.holding import token_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def program(client, owner) -> Program:
    return Program(token_of(owner, None, "read", "edit"), client)


def post(program: Program, path: str, content: object):
    return program.ask("POST", path, json.dumps(content).encode())


def without_days(checks: list[dict]) -> list[dict]:
    return [check for check in checks if check["key"] != "retention"]


def test_a_plan_is_that_of_the_command(program):
    asked = {"design": "k-ary", "levels": 3, "epsilon": 1.0, "error": "0.04"}
    reply = post(program, "plan", asked)
    assert reply.status_code == 200, reply.content
    options = [f"--{name}={value}" for name, value in asked.items()]
    printed = call_command("plan", *options, "--format=json", stdout=StringIO())
    assert reply.json() == {"program": PROGRAM, **json.loads(printed)}


@pytest.mark.parametrize(
    ("asked", "pointer", "status"),
    [
        ({"levels": 10**9}, "/levels", 409),
        ({"error": "x"}, "/error", 409),
        ({"design": "magic"}, "/design", 422),
        ({"error": True}, "/error", 422),
        ({"error": None}, "/error", 422),
        ({"error": ["0.1"]}, "/error", 422),
        ({"colour": "red"}, "/colour", 422),
        ([], "", 422),
    ],
)
def test_a_field_that_cannot_be_read_is_named(program, asked, pointer, status):
    assert refusal(post(program, "plan", asked), status)["pointer"] == pointer


def test_a_definition_is_analysed_as_its_draft_and_not_stored(client, owner, program):
    draft = factories.make_survey(owner, batch_size=10)
    factories.add_one_of_each(draft)
    own = Program(token_of(owner, draft, "read", "edit"), client)
    content = own.get(f"surveys/{draft.pk}/definition").content
    checks = own.get(f"surveys/{draft.pk}/checks").json()
    before = Survey.objects.count(), Question.objects.count()
    reply = program.ask("POST", "analyse", content)
    assert reply.status_code == 200, reply.content
    analysed = reply.json()
    assert analysed["questions"] == draft.questions.count()
    assert analysed["analysis"]["is_ready"] is checks["is_ready"] is True
    # A definition has no day of deletion.
    found, expected = (without_days(one["checks"]) for one in (analysed["analysis"], checks))
    assert found == expected
    assert (Survey.objects.count(), Question.objects.count()) == before
    assert not AuditEntry.objects.filter(action="created").exists()


def test_an_analysis_counts_as_ten_requests(program, settings):
    settings.API_RATE = 15
    said = [post(program, "analyse", {}).status_code for _ in range(6)]
    assert 429 in said[1:]
    assert said.count(422) <= 4  # of two minutes, where one ends meanwhile


def test_what_a_definition_misses_is_said(program, client, owner):
    draft = factories.make_survey(owner, batch_size=10)
    factories.add_question(draft, kind="choice")
    own = Program(token_of(owner, draft, "edit"), client)
    content = own.get(f"surveys/{draft.pk}/definition").content
    analysed = program.ask("POST", "analyse", content).json()["analysis"]
    assert analysed["is_ready"] is False
    assert analysed["checks"][0]["lines"]
