"""The document of the interface that is kept in the repository is the program's own."""

import json

import jsonschema
import pytest

from surveys.programs.openapi import document
from surveys.programs.registry import registered
from tests import factories
from tests.conftest import ROOT
from tests.surveys.programs.asking import Program
from tests.surveys.programs.holding import token_of

KEPT = ROOT / "docs" / "schemas" / "api.json"


def written() -> str:
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def test_the_document_in_the_repository_is_that_of_the_program():
    """After a change that is wanted: ``python -m tests.surveys.programs.write_document``."""
    assert KEPT.read_text() == written()


def test_the_program_hands_its_document_out_without_a_token(client, db):
    reply = client.get("/api/v1/openapi.json")
    assert reply.json() == json.loads(KEPT.read_text())
    assert not reply.cookies


def test_every_schema_in_it_is_one():
    book = document()
    assert book["openapi"] == "3.1.0"
    for schema in book["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_reference_in_it_leads_somewhere():
    book = document()
    text = json.dumps(book)
    names = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names <= set(book["components"]["schemas"])


def test_every_operation_has_a_name_of_its_own_and_says_its_scope():
    operations = [one for verbs in document()["paths"].values() for one in verbs.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names) == len(registered())
    assert all("Scope: " in one["description"] for one in operations)


SENDING = [route for route in registered() if route.sends is not None]


@pytest.mark.django_db
@pytest.mark.parametrize("route", SENDING, ids=lambda route: route.resource)
def test_what_the_document_gives_as_an_example_is_taken(client, owner, route):
    survey = factories.make_open_survey(owner)
    if route.resource == "definition-write":
        survey = factories.make_survey(owner, batch_size=10)
    one = None if route.resource == "survey-make" else survey
    program = Program(token_of(owner, one, route.scope), client)
    path = route.path.replace("<uuid:survey_id>", str(survey.pk))
    operation = document()["paths"][f"/{route.path}".replace("<uuid:survey_id>", "{survey_id}")]
    example = operation[route.verb.lower()]["requestBody"]["content"]["application/json"]["example"]
    tag = program.get(path).headers.get("ETag", "")
    reply = program.ask(route.verb, path, json.dumps(example).encode(), If_Match=tag)
    assert reply.status_code == route.status, reply.content


def test_the_page_on_programs_names_every_address_and_scope():
    words = (ROOT / "docs" / "programs.md").read_text()
    for route in registered():
        path = route.path.replace("<uuid:survey_id>", "{id}").replace("<uuid:key>", "{key}")
        assert path in words, path
