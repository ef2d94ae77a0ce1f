"""Drafts by programs: read, changed and put back; made; refused in words where they are wrong."""

import json
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.authoring.importing.fitting import FittedDraft
from surveys.authoring.importing.services import replace_draft, rows_of
from surveys.models import AuditEntry, Option, PrivacyBudget, Survey
from tests import factories
from tests.rivals import at_once
from tests.surveys.programs.asking import Program, refusal
from tests.surveys.programs.holding import token_of
from tests.surveys.results.test_debiased_columns import every_kind_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(owner) -> Survey:
    draft = factories.make_survey(owner, batch_size=10)
    factories.add_one_of_each(draft)
    factories.add_text(draft)
    return draft


@pytest.fixture
def program(client, draft) -> Program:
    return Program(token_of(draft.owner, draft, "edit"), client)


@pytest.fixture
def author(client, owner) -> Program:
    """A program with a token for drafts."""
    return Program(token_of(owner, None, "read", "edit"), client)


def at(draft: Survey) -> str:
    return f"surveys/{draft.pk}/definition"


def put(program: Program, draft: Survey, content: object, tag: str):
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return program.ask("PUT", at(draft), body, If_Match=tag)


def test_a_definition_that_is_read_and_put_back_changes_nothing(program, draft):
    read = program.get(at(draft))
    reply = put(program, draft, read.content, read.headers["ETag"])
    assert reply.status_code == 200
    assert reply.headers["ETag"] == read.headers["ETag"]
    assert reply.json()["remarks"] == []
    assert program.get(at(draft)).content == read.content


@pytest.mark.one_database
def test_every_kind_of_question_is_put_back_as_it_was(client, owner):
    draft = every_kind_draft(owner)
    Survey.objects.filter(pk=draft.pk).update(batch_size=10)  # of one there are no definitions
    program = Program(token_of(owner, draft, "edit"), client)
    read = program.get(at(draft))
    reply = put(program, draft, read.content, read.headers["ETag"])
    assert reply.status_code == 200, reply.content
    assert program.get(at(draft)).content == read.content


def test_a_changed_definition_opens_the_preview_of_what_it_says(program, draft, client):
    read = program.get(at(draft))
    content = read.json()
    content["sections"][0]["questions"][0]["text"]["en"] = "Have you ever borrowed a book?"
    reply = put(program, draft, content, read.headers["ETag"])
    assert reply.status_code == 200
    client.force_login(draft.owner)
    address = reverse("admin:surveys_survey_preview", args=[draft.pk])
    assert "Have you ever borrowed a book?" in client.get(address).content.decode()
    entry = AuditEntry.objects.filter(action="edited", survey=draft.pk).first()
    assert "borrowed a book" in json.dumps(entry.after)
    again = program.get(at(draft))
    assert again.headers["ETag"] == reply.headers["ETag"] != read.headers["ETag"]


def test_what_no_definition_has_stays(program, draft):
    Survey.objects.filter(pk=draft.pk).update(planned_responses=300, delete_on="2999-01-01")
    factories.add_budget(draft)
    read = program.get(at(draft))
    content = read.json() | {"title": {"en": "Another title"}}
    assert put(program, draft, content, read.headers["ETag"]).status_code == 200
    stored = Survey.objects.get(pk=draft.pk)
    assert (stored.title, stored.planned_responses) == ("Another title", 300)
    assert (str(stored.delete_on), stored.owner) == ("2999-01-01", draft.owner)
    assert PrivacyBudget.objects.filter(survey=draft).exists()


@pytest.mark.parametrize("tag", ["", "*"])
def test_without_the_tag_that_was_read_nothing_is_written(program, draft, tag):
    read = program.get(at(draft))
    refusal(put(program, draft, read.content, tag), 428)


def test_an_old_tag_writes_nothing_over_what_another_has_written(program, draft):
    read = program.get(at(draft))
    for title, status in (("First", 200), ("Second", 412)):
        content = read.json() | {"title": {"en": title}}
        assert put(program, draft, content, read.headers["ETag"]).status_code == status
    assert Survey.objects.get(pk=draft.pk).title == "First"
    weak = f"W/{program.get(at(draft)).headers['ETag']}"
    refusal(put(program, draft, read.content, weak), 412)


def test_an_old_tag_begins_no_transaction_for_which_submissions_would_wait(program, draft):
    read = program.get(at(draft))
    assert put(program, draft, read.content, '"old"').status_code == 412  # its use is written down
    with CaptureQueriesContext(connection) as asked:
        refusal(put(program, draft, read.content, '"old"'), 412)
    assert not [one for one in asked.captured_queries if "SAVEPOINT" in one["sql"]]


def changed_text(question):
    question.text = "Do you read?"
    question.save()


def moved(question):
    question.position = 90
    question.save()


def translated(question):
    question.survey.translations.create(language="de", digest="a" * 64, text="Lesen Sie?")


def without_options(question):
    Option.objects.filter(question__survey=question.survey).first().delete()


@pytest.mark.parametrize("change", [changed_text, moved, translated, without_options])
def test_what_changes_between_the_reading_and_the_lock_is_not_written_over(draft, change):
    as_read = rows_of(draft)
    assert rows_of(draft) == as_read
    change(draft.questions.first())
    assert rows_of(draft) != as_read
    empty = FittedDraft(Survey())
    assert not replace_draft(empty, survey=draft, as_read=as_read, by=draft.owner)
    assert draft.questions.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
def test_of_two_at_once_one_is_written_and_the_other_hears_of_it(program, draft):
    read = program.get(at(draft))

    def write(title: str) -> int:
        content = read.json() | {"title": {"en": title}}
        own = Program(program.token, Client())
        return put(own, draft, content, read.headers["ETag"]).status_code

    assert sorted(at_once(partial(write, "First"), partial(write, "Second"))) == [200, 412]
    assert Survey.objects.get(pk=draft.pk).title in ("First", "Second")


def test_what_was_launched_is_read_and_not_written(program, draft):
    read = program.get(at(draft))
    factories.launched(draft)
    refusal(put(program, draft, read.content, read.headers["ETag"]), 409)
    assert program.get(at(draft)).status_code == 200


def test_an_analyst_writes_no_draft_and_an_account_that_is_not_staff_neither(
    client, draft, program
):
    read = program.get(at(draft))
    grace = factories.make_user("grace")
    member = draft.memberships.create(user=grace, role="editor")
    theirs = Program(token_of(grace, draft, "edit"), client)
    grace.is_staff = False
    grace.save()
    refusal(put(theirs, draft, read.content, read.headers["ETag"]), 403)
    grace.is_staff = True
    grace.save()
    assert put(theirs, draft, read.content, read.headers["ETag"]).status_code == 200
    member.role = "analyst"
    member.save()
    refusal(put(theirs, draft, read.content, read.headers["ETag"]), 403)


def test_a_token_for_drafts_makes_one_and_a_token_of_a_survey_makes_none(author, program, draft):
    content = program.get(at(draft)).content
    refusal(program.ask("POST", "surveys", content), 403)
    reply = author.ask("POST", "surveys", content)
    assert reply.status_code == 201
    made = Survey.objects.get(pk=reply.json()["id"])
    assert reply.headers["Location"] == f"/api/v1/surveys/{made.pk}"
    assert (made.owner, made.state) == (draft.owner, "draft")
    assert author.get(reply.headers["Location"]).status_code == 200
    read = author.get(at(made))
    assert read.content == content
    assert read.headers["ETag"] == reply.headers["ETag"]
    assert AuditEntry.objects.filter(action="created", survey=made.pk).exists()


DEEP = b"[" * 10_000 + b"]" * 10_000
WRONG = {
    "no JSON": b"{",
    "not UTF-8": b'{"title": "\xff"}',
    "NaN": b'{"deniable_draft": NaN}',
    "duplicate keys": b'{"deniable_draft": 1, "deniable_draft": 1}',
    "a list": b"[]",
    "a number beyond 2^53": b'{"deniable_draft": 9007199254740993}',
    "a wrong type": b'{"deniable_draft": 1, "sections": 3}',
    "another program": b"type\tname\n",
}


@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_what_is_no_definition_is_refused_with_its_places(author, body):
    content = refusal(author.ask("POST", "surveys", body), 422)
    assert content["errors"]
    assert all(set(one) == {"pointer", "detail"} for one in content["errors"])
    assert not Survey.objects.exists()


BEYOND = {
    "nesting": DEEP,
    "a reserved name": b'{"name": "all"}',
    "a share above 1": b'{"known_share": "5/3"}',
    "a condition that is too deep": b'{"rule": '
    + b'{"not": ' * 9
    + b'{"answered": ["q"]}'
    + b"}" * 10,
}


@pytest.mark.parametrize("body", BEYOND.values(), ids=BEYOND)
def test_what_has_the_form_and_goes_beyond_a_draft_is_a_conflict(author, body):
    if body != DEEP:
        question = {"name": "q", "kind": "yes_no", "text": {"en": "Do you?"}, **json.loads(body)}
        content = {"deniable_draft": 1, "languages": ["en"], "title": {"en": "Habits"}}
        body = json.dumps({**content, "sections": [{"questions": [question]}]}).encode()
    assert refusal(author.ask("POST", "surveys", body), 409)["errors"]
    assert not Survey.objects.exists()


@pytest.mark.parametrize("tag", ["x", "W/", '"', '"a" "b"', '"a", "b"', '""', '"é"'])
def test_a_tag_of_another_form_is_named(program, draft, tag):
    read = program.get(at(draft))
    assert refusal(put(program, draft, read.content, tag), 422)["pointer"] == "If-Match"


def test_a_body_of_another_kind_or_too_large_is_not_read(author):
    refusal(author.ask("POST", "surveys", b"{}", Content_Type="text/plain"), 415)
    large = b'{"x": "' + b"a" * 3 * 1024 * 1024 + b'"}'
    refusal(author.ask("POST", "surveys", large), 413)
    assert not Survey.objects.exists()
