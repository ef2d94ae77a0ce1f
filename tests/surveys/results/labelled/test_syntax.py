"""Syntax files label every column of the file of codes and work out the debiased ones."""

import pytest
from django.urls import reverse

from surveys import PROGRAM
from surveys.definitions.names import is_reserved
from surveys.models import AuditEntry, Survey
from surveys.models.queries import questionnaire_of
from surveys.results.columns import MISSING
from surveys.results.labelled.syntax import LANGUAGES
from surveys.results.labelled.variables import described
from tests import factories, kept
from tests.families import make_hidden_draft
from tests.stored import store_rows
from tests.surveys.results.labelled.reading import (
    spss_columns,
    stata_columns,
    texts_in,
)
from tests.surveys.results.test_debiased_columns import (
    answered,
    codebook,
    csv_columns,
    every_kind_draft,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
owner, survey = kept.owner, kept.survey
PEOPLE = 20
LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    return made_once(lambda: answered(every_kind_draft(factories.make_user()), PEOPLE))


def syntax(client, survey: Survey, language: str, query: str = "?columns=reports") -> str:
    client.force_login(survey.owner)
    reply = client.get(reverse(f"surveys:syntax-{language}", args=[survey.pk]) + query)
    assert reply.status_code == 200
    return reply.content.decode()


def names_and_labels(survey: Survey) -> dict[str, str]:
    questions = list(described(questionnaire_of(survey.revision)))
    columns = [column for question in questions for column in question.debiased]
    labels = {each.name: each.label for question in questions for each in question.variables}
    return labels | {column.name: column.label for column in columns}


def test_every_column_has_a_label_and_reports_say_that_they_are_none(client, survey):
    labels, book = names_and_labels(survey), codebook(client, survey)
    names = csv_columns(client, survey, "?values=codes")
    assert set(labels) == {name for name in names if not name.endswith(MISSING)}
    for entry in book["columns"]:
        columns = [part["column"] for part in entry.get("columns", [entry])]
        for name in columns:
            is_report = labels[name].startswith("REPORTED, not true: ")
            assert is_report == (entry["protected"] and not name.endswith("_item")), name
            assert entry["text"] in labels[name]
        for one in entry.get("debiased", ()):
            assert labels[one["column"]].startswith("Debiased: its mean estimates ")


def test_names_are_those_that_every_program_takes(survey):
    for name in names_and_labels(survey):
        assert len(name) <= 32
        assert not is_reserved(name)
        assert name[0].isalpha()


@LANGUAGE
def test_the_script_has_the_labels_of_columns_and_values(client, survey, language):
    texts = texts_in(syntax(client, survey, language), language)
    shown = {text.removesuffix("…") for text in texts}
    longest = {"R": 10_000, "do": 79, "sps": 250}[language]
    for label in names_and_labels(survey).values():
        assert any(text and label[:longest].startswith(text[:longest]) for text in shown), label
    assert {"reported Yes", "not asked", "not sent", "declined"} <= set(texts)


def test_every_code_of_the_file_has_a_value_or_a_reason(client, survey):
    cells = csv_columns(client, survey, "?values=codes&columns=reports")
    questions = described(questionnaire_of(survey.revision))
    for variable in (each for question in questions for each in question.variables):
        sent = set(cells[variable.name]) - set(variable.missing)
        assert max(map(len, cells[variable.name])) <= variable.width
        if variable.content.value == "codes":
            assert sent <= set(variable.values), variable.name
            assert not set(variable.values) & set(variable.missing)


def test_stata_and_spss_work_out_the_columns_of_the_file(client, survey):
    """Neither is run: their commands are read as their manuals say."""
    check_columns(client, survey)


def test_they_look_up_the_codes_of_several_questions_together(client, owner):
    check_columns(client, answered(make_hidden_draft(owner, batch_size=1), PEOPLE))


def check_columns(client, survey: Survey) -> None:
    full = csv_columns(client, survey, "?values=codes")
    reports = csv_columns(client, survey, "?values=codes&columns=reports")
    assert set(full) > set(reports)
    for language, read in (("do", stata_columns), ("sps", spss_columns)):
        columns_of = read(syntax(client, survey, language))
        for place in range(PEOPLE):
            columns = columns_of({name: cells[place] for name, cells in reports.items()})
            assert set(columns) == set(full) - set(reports)
            for name, number in columns.items():
                cell = full[name][place]
                assert (number is None) == (not cell), name
                assert number is None or abs(number - float(cell)) < 1e-12 * max(1, abs(number))


def test_spss_reads_the_columns_of_either_file_by_their_places(client, survey):
    for query in ("", "?columns=reports"):
        script = syntax(client, survey, "sps", query)
        places = script.split("/VARIABLES=\n")[1].split(".\n")[0].splitlines()
        header = list(csv_columns(client, survey, f"?values=codes&{query.removeprefix('?')}"))
        assert len(places) == len(header)
        named = [(line.split()[0], name) for line, name in zip(places, header, strict=True)]
        assert all(place.startswith("@c") or place == name for place, name in named)


@LANGUAGE
def test_the_file_says_what_made_it_and_has_no_answers(client, owner, language):
    """Nothing of it changes with the answers, so that no entry of the audit log names it."""
    draft = factories.make_survey(owner, batch_size=1)
    factories.add_question(draft, required=True)
    made = factories.launched(draft)
    before = syntax(client, made, language)
    assert PROGRAM in before.splitlines()[0] + before.splitlines()[1]
    store_rows(made.revision, ["00", "01", "01"])
    assert syntax(client, made, language) == before
    assert not AuditEntry.objects.filter(action__endswith="downloaded").exists()


@LANGUAGE
def test_of_a_survey_without_columns_there_is_no_syntax(client, owner, language):
    draft = factories.make_survey(owner)
    factories.add_question(draft, text="Tell us.", kind="text", design="direct")
    made = factories.launched(draft)
    client.force_login(owner)
    assert client.get(reverse(f"surveys:syntax-{language}", args=[made.pk])).status_code == 404
    client.force_login(factories.make_user("stranger"))
    assert client.get(reverse(f"surveys:syntax-{language}", args=[made.pk])).status_code == 404


def test_the_dashboard_leads_to_the_files_and_these_to_the_syntax(client, survey):
    client.force_login(survey.owner)
    files = reverse("surveys:exports", args=[survey.pk])
    assert files in client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    page = client.get(files).content.decode()
    for language in LANGUAGES:
        assert reverse(f"surveys:syntax-{language}", args=[survey.pk]) in page
