"""`manage.py import FILE --plan` prints what a form becomes, and asks no database."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from surveys.definitions.documents import schema as draft_schema
from surveys.definitions.forms.plans import schema
from tests.conftest import ROOT
from tests.surveys.definitions.forms.making import dictionary, workbook

PUBLISHED = ROOT / "docs" / "schemas" / "plan.json"
FORM = workbook(
    {"type": "text", "name": "q1", "label": "Why?"},
    {"type": "geopoint", "name": "q2", "label": "Where?"},
)


def printed(path, *options: str) -> dict:
    into = io.StringIO()
    try:
        call_command("import", str(path), "--plan", *options, stdout=into)
    finally:
        plan = json.loads(into.getvalue() or "{}")
        if plan:
            drafts = Resource.from_contents(draft_schema())
            registry = Registry().with_resource("urn:deniable:draft:1", drafts)
            Draft202012Validator(schema(), registry=registry).validate(plan)
    return plan


@pytest.fixture
def form(tmp_path):
    path = tmp_path / "form.xlsx"
    path.write_bytes(FORM)
    return path


def test_the_plan_has_the_draft_the_places_and_all_remarks(form):
    plan = printed(form)
    assert plan["summary"] == {"asked": 2, "held": 1, "changed": 0, "left_out": 1, "stops": 0}
    assert plan["definition"]["sections"][0]["questions"][0]["name"] == "q1"
    assert plan["questions"] == [
        {"name": "q1", "sheet": "survey", "row": 2, "column": "name", "whole": True}
    ]
    (remark,) = plan["remarks"]
    assert (remark["grade"], remark["sheet"], remark["row"]) == ("left_out", "survey", 3)
    assert (remark["column"], remark["text"]) == ("type", "geopoint")
    assert remark["outcome"] == "It is left out: places name people."
    assert remark["remedy"] == "Ask in another way, if it can be asked."


def test_the_language_of_a_file_that_names_none_is_chosen(tmp_path):
    path = tmp_path / "dictionary.csv"
    path.write_bytes(dictionary({"field_name": "a"}))
    assert printed(path, "--language", "de")["definition"]["languages"] == ["de"]


def test_a_form_that_cannot_be_imported_is_printed_too_and_ends_with_an_error(tmp_path, capsys):
    path = tmp_path / "old.xls"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    into = io.StringIO()
    with pytest.raises(CommandError, match="cannot be imported") as refusal:
        call_command("import", str(path), "--plan", stdout=into)
    assert refusal.value.returncode == 1
    plan = json.loads(into.getvalue())
    assert plan["definition"] is None
    assert plan["remarks"][0]["remedy"] == "Save it as .xlsx, without a password."


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"gone\.xlsx' cannot be read: No such file"):
        call_command("import", str(tmp_path / "gone.xlsx"), "--plan")


def test_without_plan_nothing_happens(form):
    with pytest.raises(CommandError, match="--plan"):
        call_command("import", str(form))


def test_the_published_schema_is_the_programs():
    assert json.loads(PUBLISHED.read_text()) == schema(), "python -m benchmarks.schemas"
