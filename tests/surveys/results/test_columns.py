"""Files call a question as its author named it; what is derived from a name never takes another."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from tests import factories
from tests.bodies import body_of
from tests.families import make_family_draft
from tests.posting import post
from tests.surveys.results.test_debiased_columns import (
    CLOSE,
    answered,
    by_hand,
    codebook,
    csv_columns,
    debiased_names,
    every_kind_draft,
    mean,
)
from tests.tour import RESPONDENT

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PEOPLE = 20


def add_named(draft: Survey, name: str | None, **fields: object) -> Question:
    return factories.add_question(
        draft, text=f"Question {draft.questions.count()}?", name=name, required=True, **fields
    )


def named_in_order(draft: Survey, *names: str) -> Survey:
    """The questions of a draft with these names, as far as there are so many."""
    questions = list(draft.questions.all())
    for question, name in zip(questions, names, strict=False):
        question.name = name
    Question.objects.bulk_update(questions, ["name"])
    return draft


@pytest.fixture
def draft(owner) -> Survey:
    return factories.make_survey(owner)


def test_columns_have_the_names_of_their_questions(client, draft):
    add_named(draft, "affair")
    add_named(draft, None)
    add_named(draft, "age", kind="number", design="direct", minimum=1, maximum=9)
    survey = answered(draft, PEOPLE)
    assert list(csv_columns(client, survey)) == [
        *("affair_rep", "affair_yes", "q002_rep", "q002_yes", "age", "age_missing")
    ]
    entries = codebook(client, survey)["columns"]
    assert [entry["name"] for entry in entries] == ["affair", "q002", "age"]
    assert entries[2]["column_of_reasons"] == "age_missing"


def test_what_is_derived_is_numbered_where_a_question_has_its_name(client, draft):
    add_named(draft, "mood")
    for name in ("mood_rep", "MOOD_YES", "mood_yes_2"):
        add_named(draft, name, design="direct")
    survey = answered(draft, PEOPLE)
    assert list(csv_columns(client, survey)) == [
        *("mood_rep_2", "mood_yes_3", "mood_rep", "MOOD_YES", "mood_yes_2")
    ]
    (column,) = codebook(client, survey)["columns"][0]["debiased"]
    assert column["look_ups"][0]["of"] == ["mood_rep_2"]


def test_with_the_longest_names_columns_are_cut_and_still_differ(client, owner):
    """Stata takes 32 characters, and knows no file with two columns of one name."""
    names = (f"{'x' * 22}{number:02}" for number in range(100))
    survey = answered(named_in_order(every_kind_draft(owner), *names), PEOPLE)
    columns, reports = csv_columns(client, survey), csv_columns(client, survey, "?values=codes")
    assert max(map(len, columns)) == 32
    assert len({name.casefold() for name in columns}) == len(columns)
    book = codebook(client, survey)
    assert set(debiased_names(book)) <= set(columns)
    for entry in book["columns"]:
        for column in entry.get("debiased", ()):
            assert list(reports[column["column"]]) == by_hand(column, reports)


def test_each_question_of_a_family_names_its_own_columns(client, owner):
    draft = named_in_order(make_family_draft(owner), "age", "smoke", "how_often")
    names = list(csv_columns(client, answered(draft, PEOPLE)))
    assert names[:3] == ["age", "smoke_rep", "smoke_1"]
    assert "how_often_asked" in names


def test_the_document_has_names_and_the_pages_of_respondents_none(client, draft):
    add_named(draft, "secret_word", design="direct")
    add_named(draft, None)
    survey = factories.launched(draft)
    named, plain = survey.revision.document["items"]
    assert (named["name"], "name" in plain) == ("secret_word", False)
    assert questionnaire_of(survey.revision).to_document() == survey.revision.document
    for name in RESPONDENT:
        page = client.get(reverse(f"respondent:{name}", args=[survey.pk]))
        assert page.status_code == 200
        assert "secret_word" not in page.content.decode(), name
    receipt = post(survey, body_of(survey.revision))
    assert "Question 0?" in receipt.content.decode()
    assert "secret_word" not in receipt.content.decode()


def test_the_command_estimates_from_a_column_by_its_name(client, draft, tmp_path):
    add_named(draft, "affair")
    survey, output = answered(draft, 200), io.StringIO()
    responses, book = tmp_path / "codes.csv", tmp_path / "codebook.json"
    reports = csv_columns(client, survey, "?values=codes")["affair_rep"]
    responses.write_text("\n".join(["affair_rep", *reports]))
    book.write_text(json.dumps(codebook(client, survey)))
    files = {"input": str(responses), "codebook": str(book), "reports": "affair_rep"}
    call_command("estimate", stdout=output, **files)
    estimates = [row["estimate"] for row in json.loads(output.getvalue())["estimates"]]
    share, _ = mean(csv_columns(client, survey)["affair_yes"])
    assert any(estimate == pytest.approx(share, abs=CLOSE) for estimate in estimates)
