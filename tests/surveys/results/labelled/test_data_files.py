"""Files for SPSS and Stata have all answers, why others are missing, and labels in any language."""

import io
import math
import sys
import zipfile
from collections import Counter
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyreadstat
import pytest
from django.urls import reverse

from surveys.models import Export, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.files.debiased import DebiasedColumn, LookUp
from surveys.results.columns import MISSING
from surveys.results.labelled import data_files
from surveys.results.labelled.data_files import LabelledFiles, zipped
from surveys.results.labelled.variables import Content, Described, Reason, Variable, described
from surveys.results.taking import files, services
from surveys.results.taking.queries import SILENCE
from tests import factories, kept
from tests.stored import store_rows
from tests.surveys.results.test_debiased_columns import (
    answered,
    codes_of,
    csv_columns,
    every_kind_draft,
)

owner, survey = kept.owner, kept.survey
PEOPLE = 40
ENDING = pytest.mark.parametrize("ending", ["sav", "dta"])
LETTERS = {Reason.NOT_ASKED: "a", Reason.DECLINED: "b", Reason.NOT_SENT: "c"}
FIRST = {"sav": date(1582, 10, 14), "dta": date(1960, 1, 1)}
LABELS = {
    "English": 'Have you ever said "no" to C:\\tea\\, =1+1?',
    "German": "Haben Sie schon über Ihr Gewicht gelogen?",
    "Turkish": "Hiç kilonuz hakkında yalan söylediniz mi?",
    "Arabic": "هل كذبت يومًا بشأن وزنك؟",
    "Japanese": "体重について嘘をついたことがありますか？",
    "line ends": "one\ntwo\r\nthree",
    "emoji": "👩\u200d💻 or 🇩🇪",
    "long": "ü" * 300,
}


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    return made_once(lambda: answered(every_kind_draft(factories.make_user()), PEOPLE))


@pytest.fixture(autouse=True)
def directory(settings, tmp_path) -> Path:
    settings.EXPORTS_DIR = tmp_path / "exports"
    return settings.EXPORTS_DIR


def read(content: bytes, folder: Path) -> list[tuple[Any, Any]]:
    """Each file of a zip: its table, as numbers, and what it says of its columns."""
    tables = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        for number, name in enumerate(archive.namelist(), start=1):
            ending = name.rpartition(".")[2]
            assert name == f"responses-{number}.{ending}"
            path = archive.extract(name, folder)
            reader = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta}[ending]
            tables.append(reader(path, user_missing=True, disable_datetime_conversion=True))
    return tables


def taken(survey: Survey, ending: str, folder: Path) -> list[tuple[Any, Any]]:
    parts = list(zipped(survey.revision, ending, files.scratch))
    assert sum(rows for _, rows in parts) == survey.revision.responses.count()
    assert not list(files.directory().iterdir())
    return read(b"".join(content for content, _ in parts), folder)


def expected(variable: Variable, code: str, ending: str) -> Any:
    """What a program has for a code."""
    if variable.content is Content.TEXTS:
        return "" if code in variable.missing else code
    if code in variable.missing:
        reason = variable.missing[code]
        return LETTERS[reason] if ending == "dta" else variable.missing_numbers[reason]
    if variable.content is Content.DAYS:
        days = (date.fromisoformat(code) - FIRST[ending]) // timedelta(1)
        return days if ending == "dta" else 86_400 * days
    return float(code)


@ENDING
@pytest.mark.django_db
@pytest.mark.one_database
def test_a_file_has_every_answer_reason_and_debiased_number(client, survey, tmp_path, ending):
    ((table, about),) = taken(survey, ending, tmp_path)
    codes = csv_columns(client, survey, "?values=codes")
    assert about.column_names == [name for name in codes if not name.endswith(MISSING)]
    for question in described(questionnaire_of(survey.revision)):
        for variable in question.variables:
            found = table[variable.name].tolist()
            cells = [expected(variable, code, ending) for code in codes_of(variable, codes)]
            assert found == cells, variable.name
            assert about.column_names_to_labels[variable.name]
        for column in question.debiased:
            for number, cell in zip(table[column.name], codes[column.name], strict=True):
                assert (number == float(cell)) if cell else math.isnan(number)


@ENDING
@pytest.mark.django_db
@pytest.mark.one_database
def test_more_rows_make_numbered_parts_that_have_all_of_them(survey, tmp_path, ending, monkeypatch):
    ((whole, about),) = taken(survey, ending, tmp_path)
    monkeypatch.setattr(data_files, "MOST_CELLS", 17 * len(about.column_names))
    monkeypatch.setattr(data_files, "BLOCK", 5)
    tables = [table for table, _ in taken(survey, ending, tmp_path)]
    assert [len(table) for table in tables] == [15, 15, 10]

    def rows(table) -> Counter:
        return Counter(map(repr, table.astype(str).itertuples(index=False, name=None)))

    assert sum((rows(table) for table in tables), Counter()) == rows(whole)


@ENDING
@pytest.mark.parametrize("rows", [[], ["00"], ["--"] * 3])
@pytest.mark.django_db
def test_files_of_no_row_one_row_and_no_answer_can_be_read(owner, tmp_path, ending, rows):
    draft = factories.make_survey(owner, batch_size=1)
    factories.add_question(draft, required=True)
    made = factories.launched(draft)
    if rows:
        store_rows(made.revision, rows)
    ((table, about),) = taken(made, ending, tmp_path)
    assert about.column_names == ["q001_rep", "q001_yes"]
    mark = {"sav": -99, "dta": "a"}[ending]
    assert table.q001_rep.tolist() == [0 if row == "00" else mark for row in rows]


@ENDING
@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
def test_labels_are_read_again_whole_or_cut_between_letters(tmp_path, ending, label):
    missing = {"--": Reason.NOT_ASKED, "": Reason.NOT_SENT}
    variable = Variable("tea_rep", label, Content.CODES, missing, 2, {"00": "No", "01": label})
    look_up = LookUp(("tea_rep",), {"00": 0, "01": 1})
    question = Described((variable,), (DebiasedColumn("tea_yes", label, (look_up,)),))
    made = LabelledFiles(ending, [question], files.scratch)
    content = b"".join(part for part, _ in made.added([])) + made.rest()
    ((_, about),) = read(content, tmp_path)
    line = label.replace("\r", " ").replace("\n", " ")
    words = about.variable_value_labels["tea_rep"]
    for shown in (*about.column_names_to_labels.values(), words[1]):
        assert shown == line or (shown[-1] == "…" and line.startswith(shown[:-1]))
    marks = {"sav": {-99: "not asked", -97: "not sent"}, "dta": {"a": "not asked", "c": "not sent"}}
    assert {code: words[code] for code in marks[ending]} == marks[ending]
    if len(label) < 80:
        assert {*about.column_names_to_labels.values(), words[1]} == {line}
    else:
        sizes = {"sav": ("ü" * 126 + "…", "ü" * 58 + "…"), "dta": ("ü" * 79 + "…", line)}
        assert (about.column_names_to_labels["tea_rep"], words[1]) == sizes[ending]


@pytest.mark.django_db
@pytest.mark.one_database
def test_the_worker_writes_the_zip_and_its_owner_takes_it(client, survey, tmp_path):
    export = services.ask(survey, "sav", by=survey.owner, later=lambda key: None)
    services.write(export.pk)
    client.force_login(survey.owner)
    reply = client.get(reverse("surveys:export", args=[survey.pk, export.pk]))
    assert reply["Content-Disposition"].endswith('-responses.sav.zip"')
    ((table, _),) = read(b"".join(reply.streaming_content), tmp_path)
    assert len(table) == Export.objects.get().written == PEOPLE


@pytest.mark.django_db
@pytest.mark.one_database
def test_without_the_library_the_page_says_what_to_install_and_offers_labels(
    client, survey, monkeypatch
):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    export = services.ask(survey, "dta", by=survey.owner, later=lambda key: None)
    services.write(export.pk)
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:exports", args=[survey.pk])).content.decode()
    assert "the optional package “labelled” is not installed" in page
    assert reverse("surveys:syntax-do", args=[survey.pk]) in page


@pytest.mark.django_db
@pytest.mark.one_database
def test_a_file_that_a_killed_worker_left_is_destroyed(survey, directory):
    with files.scratch() as path:
        path.write_bytes(b"answers")
        files.destroy_scratch(path.stat().st_mtime)
        assert path.exists()  # it may still be written
        files.destroy_scratch(path.stat().st_mtime + SILENCE.total_seconds())
        assert not list(directory.iterdir())


@pytest.mark.django_db
@pytest.mark.one_database
def test_what_an_export_that_is_given_up_wrote_is_gone(survey, directory, monkeypatch):
    @contextmanager
    def watched():
        with files.scratch() as path:
            yield path

    parts = zipped(survey.revision, "sav", watched)
    for content, _ in parts:
        if content:  # the file is copied into the zip
            assert len(list(directory.iterdir())) == 1
            break
    parts.close()
    assert not list(directory.iterdir())
