"""Plans and checks of definitions by programs: those of the pages, with nothing stored."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from surveys import PROGRAM
from surveys.authoring.draft.languages import source_texts
from surveys.models import AuditEntry, Survey
from tests import factories
from tests.surveys.programs.asking import Program, refusal
from tests.surveys.programs.holding import token_of
from tests.surveys.programs.test_results import fits
from tests.surveys.results.test_debiased_columns import every_kind_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def program(client, owner) -> Program:
    return Program(token_of(owner, None, "read", "edit"), client)


def post(program: Program, path: str, content: object):
    return program.ask("POST", path, json.dumps(content).encode())


def comparable(checks: list[dict]) -> list[dict]:
    """A definition has no days; the page's own drawn keys compress to a few bytes more or less."""
    kept = [check for check in checks if check["key"] != "retention"]
    for check in kept:
        if check["key"] == "weight":
            check["lines"] = [re.sub("[0-9]+ KB", "KB", line) for line in check["lines"]]
    return kept


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


def two_languages(owner) -> Survey:
    draft = factories.make_survey(owner, batch_size=10, also_in="de")
    factories.add_one_of_each(draft)
    for text in source_texts(draft, list(draft.questions.all())):
        draft.translations.create(
            language="de", digest=text.digest, text=f"Auf Deutsch: {text.text}"[: text.longest]
        )
    return draft


def with_rules(owner) -> Survey:
    draft = two_languages(owner)
    first, second, *_ = draft.questions.all()
    factories.add_condition(second, first)
    return draft


DRAFTS = {
    "rules": with_rules,
    "one of each": lambda owner: factories.add_one_of_each(
        factories.make_survey(owner, batch_size=10)
    ),
    "every kind": every_kind_draft,
    "two languages": two_languages,
    "unfinished": lambda owner: factories.add_question(
        factories.make_survey(owner, batch_size=10), kind="choice"
    ),
}


@pytest.mark.parametrize("make", DRAFTS.values(), ids=DRAFTS)
def test_a_definition_is_analysed_as_its_draft_and_nothing_is_written(client, owner, program, make):
    make(owner)
    draft = Survey.objects.filter(owner=owner, state="draft").get()
    Survey.objects.filter(pk=draft.pk).update(batch_size=10)
    own = Program(token_of(owner, draft, "read", "edit"), client)
    content = own.get(f"surveys/{draft.pk}/definition").content
    checks = own.get(f"surveys/{draft.pk}/checks").json()
    mine = Program(token_of(owner, None, "read"), client)
    assert mine.ask("POST", "analyse", content).status_code == 200  # its use is written down
    with CaptureQueriesContext(connection) as asked:
        reply = mine.ask("POST", "analyse", content)
    fits(reply.json(), "/analyse", "post")
    analysis = reply.json()["analysis"]
    assert reply.json()["questions"] == draft.questions.count()
    assert analysis["is_ready"] == checks["is_ready"]
    assert comparable(analysis["checks"]) == comparable(checks["checks"])
    words = {query["sql"].split()[0] for query in asked.captured_queries}
    assert words <= {"SELECT"}
    assert not AuditEntry.objects.filter(action="created").exists()


def test_what_no_definition_is_is_not_analysed(program):
    assert refusal(program.ask("POST", "analyse", b"[]"), 422)["errors"]
