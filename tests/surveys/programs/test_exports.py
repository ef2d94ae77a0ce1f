"""Files of all answers by programs: those of the pages, for the person of the token alone."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.models import AuditEntry, Export
from surveys.programs.openapi import document
from surveys.results.taking.formats import KINDS
from surveys.results.taking.queries import is_written_down
from surveys.results.taking.services import write
from surveys.web.requests import RESUMABLE
from tests import factories
from tests.stored import store_rows
from tests.surveys.programs.asking import Program, refusal
from tests.surveys.programs.holding import token_of

pytestmark = pytest.mark.django_db
ROW = "010100000001035"


@pytest.fixture
def survey(owner, settings, tmp_path):
    settings.EXPORTS_DIR = tmp_path
    survey = factories.make_open_survey(owner, batch_size=1)
    store_rows(survey.revision, [ROW] * 20)
    return survey


@pytest.fixture
def program(client, survey) -> Program:
    return Program(token_of(survey.owner, survey, "rows"), client)


def ask(program: Program, survey, body: bytes = b'{"kind": "csv-codes"}'):
    return program.ask("POST", f"surveys/{survey.pk}/exports", body)


def test_a_file_is_asked_for_written_and_taken_as_on_the_page(program, survey, client):
    reply = ask(program, survey)
    assert reply.status_code == 202
    at = reply.headers["Location"]
    assert reply.json()["state"] == "being_written"
    refusal(program.get(f"{at}/file"), 404)
    assert ask(program, survey).headers["Location"] == at  # begun once
    write(Export.objects.get().pk)
    facts = program.get(at).json()
    assert (facts["state"], facts["written"], facts["total"]) == ("ready", 20, 20)
    assert program.get(f"surveys/{survey.pk}/exports").json()["exports"] == [facts]
    content = b"".join(program.get(f"{at}/file").streaming_content)
    assert len(content) == facts["size"]
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:export", args=[survey.pk, facts["id"]]))
    assert b"".join(page.streaming_content) == content
    assert getattr(page, RESUMABLE)
    actions = AuditEntry.objects.filter(action="responses downloaded")
    assert {entry.survey for entry in actions} == {survey.pk}


def test_a_file_is_taken_in_ranges(program, survey):
    at = ask(program, survey).headers["Location"]
    write(Export.objects.get().pk)
    full = b"".join(program.get(f"{at}/file").streaming_content)
    part = program.get(f"{at}/file", Range="bytes=5-9")
    assert (part.status_code, b"".join(part.streaming_content)) == (206, full[5:10])
    last = program.get(f"{at}/file", Range="bytes=-4")
    assert b"".join(last.streaming_content) == full[-4:]
    beyond = program.get(f"{at}/file", Range=f"bytes={len(full)}-")
    refusal(beyond, 416)
    assert beyond.headers["Content-Range"] == f"bytes */{len(full)}"


@pytest.mark.parametrize("kind", KINDS)
def test_the_document_names_the_types_of_files_and_what_ranges_are_answered(kind):
    path = "/surveys/{survey_id}/exports/{key}/file"
    answers = document()["paths"][path]["get"]["responses"]
    assert {"200", "206", "416"} <= set(answers)
    for status in ("200", "206"):
        assert KINDS[kind].content_type.partition(";")[0] in answers[status]["content"]


def taken_by(survey) -> list[object]:
    entries = AuditEntry.objects.filter(action="responses downloaded", survey=survey.pk)
    return [entry.after for entry in entries.order_by("pk")]


def test_parts_of_a_file_leave_one_entry_of_a_day_for_each_token(program, survey, client):
    at = ask(program, survey).headers["Location"]
    write(Export.objects.get().pk)
    program.ask("HEAD", f"{at}/file")
    program.get(f"{at}/file", Range="bytes=99999999-")
    assert taken_by(survey) == []
    for part in ("bytes=1-", "bytes=0-0", "bytes=-4"):
        program.get(f"{at}/file", Range=part)
    letters = program.token.removeprefix("deniable_")[:8]
    first = {"file": Export.objects.get().pk.hex[:8], "token": letters}
    assert taken_by(survey) == [first]
    other = Program(token_of(survey.owner, survey, "rows"), client)
    other.get(f"{at}/file", Range="bytes=5-")
    assert taken_by(survey) == [
        first,
        {**first, "token": other.token.removeprefix("deniable_")[:8]},
    ]
    program.get(f"{at}/file")
    assert len(taken_by(survey)) == 3


def test_parts_of_another_day_or_person_are_written_down_anew(program, survey):
    at = ask(program, survey).headers["Location"]
    write(Export.objects.get().pk)
    program.get(f"{at}/file", Range="bytes=1-")
    (after,) = taken_by(survey)
    asked = {"by": survey.owner, "after": after}
    assert is_written_down("responses", survey, **asked)
    tomorrow = timezone.now() + timedelta(days=1)
    assert not is_written_down("responses", survey, **asked, now=tomorrow)
    asked["by"] = factories.make_user("grace")
    assert not is_written_down("responses", survey, **asked)


def test_a_file_of_another_person_or_survey_is_not_there(program, survey, client, owner):
    at = ask(program, survey).headers["Location"]
    write(Export.objects.get().pk)
    grace = factories.make_user("grace")
    survey.memberships.create(user=grace, role="analyst")
    theirs = Program(token_of(grace, survey, "rows"), client)
    for path in (at, f"{at}/file", f"surveys/{survey.pk}/exports/{uuid4()}"):
        refusal(theirs.get(path), 404)
    assert theirs.get(f"surveys/{survey.pk}/exports").json() == {"exports": []}
    other = factories.make_open_survey(owner)
    mine = Program(token_of(owner, other, "rows"), client)
    refusal(mine.get(at.replace(str(survey.pk), str(other.pk))), 404)


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        (b'{"kind": "texts"}', 422, "/kind"),
        (b'{"kind": 3}', 422, "/kind"),
        (b'{"kind": null}', 422, "/kind"),
        (b"{}", 422, "/kind"),
        (b'{"kind": "csv", "since": "2026-01-01"}', 422, "/since"),
        (b"[]", 422, ""),
        (b"", 415, ""),
        (b'{"kind": "csv", "kind": "csv"}', 400, ""),
        (b'{"kind": NaN}', 400, ""),
        (b'{"kind": 9007199254740993}', 400, ""),
        (b'{"kind": ' + b"9" * 100_000 + b"}", 400, ""),
        (b"[" * 10_000 + b"]" * 10_000, 400, ""),
        (b'{"kind": "\xff"}', 400, ""),
        (b'{"x": "' + b"a" * 3 * 1024 * 1024 + b'"}', 413, ""),
    ],
    ids=range(14),
)
def test_a_body_that_cannot_be_read_is_refused_with_its_place(
    program, survey, body, status, pointer
):
    assert refusal(ask(program, survey, body), status)["pointer"] == pointer
    assert not Export.objects.exists()


def test_a_draft_has_no_files(client, owner):
    draft = factories.make_survey(owner)
    program = Program(token_of(owner, draft, "rows"), client)
    refusal(ask(program, draft), 404)
    refusal(program.get(f"surveys/{draft.pk}/exports"), 404)
