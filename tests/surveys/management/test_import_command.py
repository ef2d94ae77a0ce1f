"""`manage.py import FILE`: with --plan it asks no database, with --owner it makes a draft."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from surveys.definitions.documents import schema as draft_schema
from surveys.definitions.imports.plans import schema
from surveys.models import Survey
from tests.conftest import ROOT
from tests.factories import make_user
from tests.surveys.definitions.imports.making import dictionary, workbook

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
    assert remark["outcome"] == "The question is left out: locations identify people."
    assert remark["remedy"] == "Ask this question in another way, if possible."


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
    assert plan["remarks"][0]["remedy"] == "Save the workbook as .xlsx, without a password."


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"gone\.xlsx' cannot be read \(No such file"):
        call_command("import", str(tmp_path / "gone.xlsx"), "--plan")


@pytest.mark.parametrize("options", [[], ["--plan", "--owner", "ada"]])
def test_a_plan_or_an_owner_is_asked_for(form, options):
    with pytest.raises(CommandError, match="--plan"):
        call_command("import", str(form), *options)


@pytest.mark.django_db
class TestWithAnOwner:
    """`--owner` makes a draft, and says what is lost and where to go on."""

    def test_a_draft_is_made_and_each_remark_has_a_line(self, form):
        make_user("ada")
        into = io.StringIO()
        call_command("import", str(form), "--owner", "ada", stdout=into)
        survey = Survey.objects.get()
        assert (survey.owner.username, survey.questions.get().name) == ("ada", "q1")
        lost, made = into.getvalue().splitlines()
        assert lost.startswith(
            "survey, row 3, type: “geopoint”: The question is left out: locations identify"
        )
        assert "now a draft of ada. Questions: 1; not finished: 0; remarks: 1." in made
        assert made.endswith(reverse("admin:surveys_survey_questions", args=[survey.pk]))

    def test_an_unknown_account_is_named_before_the_file_is_read(self, tmp_path):
        with pytest.raises(CommandError, match="There is no account 'eve'"):
            call_command("import", str(tmp_path / "gone.xlsx"), "--owner", "eve")

    def test_a_file_that_stops_the_import_stores_nothing(self, tmp_path):
        make_user("ada")
        path = tmp_path / "none.txt"
        path.write_bytes(b"no form")
        into = io.StringIO()
        with pytest.raises(CommandError, match="cannot be imported"):
            call_command("import", str(path), "--owner", "ada", stdout=into)
        assert into.getvalue().startswith(
            "the whole file: The file is not a form in a format that Deniable knows"
        )
        assert not Survey.objects.exists()


def test_the_published_schema_is_the_programs():
    assert json.loads(PUBLISHED.read_text()) == schema(), "python -m benchmarks.schemas"
