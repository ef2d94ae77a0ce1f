"""The examples of docs/api.md are what the program answers, but for keys, days and its version."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from surveys.models import Export, Survey
from surveys.programs.openapi import document
from surveys.results.taking.services import write
from tests import factories
from tests.stored import store_rows
from tests.surveys.programs.asking import Program
from tests.surveys.programs.holding import token_of

KEPT = Path(__file__).parent / "examples.json"
WRITE = "WRITE_EXAMPLES"  # as write_document sets it
KEY = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
VERSION = re.compile(r"Deniable \d[\w.]*")
LONG = re.compile(r"\d+\.\d{5,}")  # the last digits of a sum depend on the processor
MOST_LINES, MOST_LETTERS = 36, 100
BY_CAR = "question=1&by=2"
PLAN = {"design": "two-coins", "error": 0.05}


def masked(text: str) -> str:
    """Keys are random and days are of today: all examples have the same ones; short numbers."""
    text = KEY.sub("0e5c6a4e-7d7b-4a0c-9c4f-2f1f5a1b7c3d", text)
    text = LONG.sub(lambda number: f"{float(number[0]):.4f}", text)
    return VERSION.sub("Deniable", DAY.sub("2026-12-31", text))


def shown(content: str) -> list[str]:
    """What is answered, a field a line; the rest of what is long is left out."""
    if content.startswith("{"):
        content = json.dumps(json.loads(content), indent=2, ensure_ascii=False)
    lines = masked(content).splitlines()
    cut = [f"{one[:MOST_LETTERS]}…" if len(one) > MOST_LETTERS else one for one in lines]
    return [*cut[:MOST_LINES], "…"] if len(cut) > MOST_LINES else cut


def habits(owner: Any) -> Survey:
    """A draft of two questions: one with coins, one asked directly."""
    draft = factories.make_survey(owner, title="Habits", batch_size=10)
    factories.add_question(draft, text="Did you ever ride without a ticket?", required=True)
    factories.add_question(draft, text="Do you own a car?", design="direct", required=True)
    return draft


def asked(
    program: Program, operation: str, path: str, body: Any = None, **headers: str
) -> dict[str, Any]:
    """One request with what was answered, as the page shows both."""
    verb = operation.partition("_")[0].upper()
    sent = b"" if body is None else json.dumps(body).encode()
    reply: Any = program.ask(verb, path, sent, **headers)
    content = b"".join(reply.streaming_content) if reply.streaming else reply.content
    return {
        "operation": operation,
        "path": KEY.sub("$key", KEY.sub("$survey", path, count=1)),
        "headers": {name.replace("_", "-"): value for name, value in headers.items()},
        "body": json.loads(masked(json.dumps(body))),
        "status": reply.status_code,
        "answer": shown(content.decode()),
    }


def of_results(program: Program, survey: Survey) -> Iterator[dict[str, Any]]:
    at = f"surveys/{survey.pk}"
    yield asked(program, "get_me", "me")
    yield asked(program, "get_surveys", "surveys?limit=10")
    yield asked(program, "get_survey", at)
    yield asked(program, "get_estimates", f"{at}/estimates?level=90")
    yield asked(program, "get_breakdowns", f"{at}/breakdowns?{BY_CAR}")
    for name in ("codebook", "openings", "ledger"):
        yield asked(program, f"get_{name}", f"{at}/{name}")
    yield asked(program, "post_plan", "plan", PLAN)


def of_files(program: Program, survey: Survey) -> Iterator[dict[str, Any]]:
    at = f"surveys/{survey.pk}/exports"
    yield asked(program, "post_export-ask", at, {"kind": "csv"})
    key = Export.objects.get().pk
    write(key)
    yield asked(program, "get_exports", at)
    yield asked(program, "get_export", f"{at}/{key}")
    yield asked(program, "get_export-file", f"{at}/{key}/file", Range="bytes=0-22")


def of_drafts(program: Program, draft: Survey) -> Iterator[dict[str, Any]]:
    at = f"surveys/{draft.pk}"
    yield asked(program, "get_checks", f"{at}/checks")
    yield asked(program, "get_definition", f"{at}/definition")
    read: Any = program.get(f"{at}/definition")
    content, tag = read.json(), read.headers["ETag"]
    yield asked(program, "put_definition-write", f"{at}/definition", content, If_Match=tag)
    yield asked(program, "post_survey-make", "surveys", content)
    yield asked(program, "post_analyse", "analyse", content)


@pytest.mark.django_db
@pytest.mark.one_database
def test_every_operation_has_an_example_that_the_program_answers(client, owner, settings, tmp_path):
    settings.EXPORTS_DIR = tmp_path
    draft, survey = habits(owner), factories.launched(habits(owner))
    store_rows(survey.revision, ["0101", "0000", "0100", "0101"] * 100)
    program = Program(token_of(owner, survey, "read", "edit", "rows"), client)
    author = Program(token_of(owner, None, "read", "edit"), client)
    examples = [
        *of_results(program, survey),
        *of_files(program, survey),
        *of_drafts(author, draft),
    ]
    if os.environ.get(WRITE) == "on":
        KEPT.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n")
    assert json.loads(KEPT.read_text()) == examples
    operations = [one for verbs in document()["paths"].values() for one in verbs.values()]
    assert {one["operation"] for one in examples} == {one["operationId"] for one in operations}
    assert {one["status"] for one in examples} <= {200, 201, 202, 206}
