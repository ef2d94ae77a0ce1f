"""The codebook to read has every column and code, and the numbers that the dashboard shows."""

import re

import pytest
from django.urls import reverse

from surveys import PROGRAM
from surveys.models import AuditEntry, Survey
from surveys.models.queries import questionnaire_of
from surveys.results.handover.markdown import codebook_markdown, escaped, table
from surveys.results.handover.report import question_tables
from surveys.results.labelled.variables import described
from surveys.results.queries import reading_now
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
from surveys.web.drawing.figures import FigureTable
from tests import factories, kept
from tests.stored import store_rows
from tests.surveys.results.test_debiased_columns import answered, every_kind_draft

owner, survey = kept.owner, kept.survey


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    return made_once(lambda: answered(every_kind_draft(factories.make_user()), 40))


def rows(page: str) -> list[tuple[str, ...]]:
    """The cells of every line of a table."""
    tables = (line for line in page.splitlines() if line.startswith("| "))
    lines = (line for line in tables if not line.startswith("| ---"))
    return [tuple(map(plain, re.split(r"(?<!\\) \| ", line[2:-2]))) for line in lines]


def plain(text: str) -> str:
    return re.sub(r"\\([\\`*_{}\[\]<>()#~|&!$])", r"\1", text)


@pytest.mark.django_db
@pytest.mark.one_database
def test_it_has_the_columns_the_codes_and_the_numbers_of_the_dashboard(client, survey):
    client.force_login(survey.owner)
    reply = client.get(reverse("surveys:codebook-md", args=[survey.pk]))
    page, found = reply.content.decode(), set(rows(reply.content.decode()))
    assert PROGRAM in page
    for question in described(questionnaire_of(survey.revision)):
        for column in (*question.variables, *question.debiased):
            assert (column.name, column.label) in found
        for variable in question.variables:
            assert set(variable.values.items()) <= found
    reports = all_reports(survey.revision, reading_now(survey, survey.revision))
    shown = [one for report, _ in reports for one in question_tables(report)]
    assert len(shown) > 10
    for one in shown:
        assert set(one.rows) <= found
    assert AuditEntry.objects.filter(action="report downloaded").count() == 1


@pytest.mark.django_db
def test_of_too_few_people_it_shows_no_number_and_not_how_few_they_are(owner):
    draft = factories.make_survey(owner, batch_size=5)
    car = factories.add_question(draft, text="A car?", design="direct", required=True)
    factories.add_condition(factories.add_question(draft, text="Ever towed?"), car)
    made = factories.launched(draft)
    store_rows(made.revision, ["0101"] * 4 + ["00--"] * 6)
    few = codebook_markdown(made.revision, Reading()).split("## q002")[1]
    assert "Too few people have been asked this question so far" in few
    assert "| Estimate |" not in few
    assert not re.search(r"\b[46]\b", few.split("Made with")[0])
    store_rows(made.revision, ["0101"])
    enough = codebook_markdown(made.revision, Reading()).split("## q002")[1]
    assert "| Estimate |" in enough


HOSTILE = ["a | b", "*x* _y_ `z`", "<script>", "one\ntwo", "# 1", "[a](b)", "\\|", "$x$ ![i](j)"]


@pytest.mark.parametrize("text", HOSTILE)
def test_words_of_authors_stay_words(text):
    assert plain(escaped(text)) == text.replace("\n", " ")
    assert len(rows(table(FigureTable((text, "b"), ((text, text),))))) == 2
    assert not re.search(r"(?<!\\)(?:\\\\)*[<*`|_\[]", escaped(text))
