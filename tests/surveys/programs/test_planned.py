"""Plans and checks of definitions by programs: those of the pages, with nothing stored."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from surveys import PROGRAM
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


@pytest.mark.parametrize("value", [1e300, -1e300, 2.0**60])
def test_a_number_that_programs_read_differently_is_refused(program, value):
    assert refusal(post(program, "plan", {"error": value}), 422)["pointer"] == "/error"


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
