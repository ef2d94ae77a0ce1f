"""R's haven reads files for SPSS and Stata: every cell and label, and why answers are missing."""

import json
import math
import zipfile
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.results.columns import MISSING
from surveys.results.labelled.data_files import LabelledFiles, zipped
from surveys.results.labelled.variables import Content, Described, Reason, Variable, described
from surveys.results.taking import files
from tests import factories
from tests.audit.programs import r_prints
from tests.surveys.results.labelled.test_data_files import LABELS, LETTERS
from tests.surveys.results.test_debiased_columns import (
    answered,
    codes_of,
    csv_columns,
    every_kind_draft,
)

pytestmark = [pytest.mark.audit, pytest.mark.django_db]
PEOPLE = 40
# Numbers with all their digits; of Stata's missing values the letter. Days are since 1970.
HAVEN = r"""
arguments <- commandArgs(TRUE)
spss <- grepl("sav$", arguments[1])
table <- if (spss) haven::read_sav(arguments[1], user_na = TRUE) else haven::read_dta(arguments[1])
shown <- function(x) {
  if (is.character(x)) return(x)
  cells <- sprintf("%.17g", as.numeric(x))
  cells[is.na(x)] <- ""
  tagged <- if (is.double(x)) haven::is_tagged_na(x) else FALSE
  ifelse(tagged, haven::na_tag(x), cells)
}
column <- function(x) {
  labels <- attr(x, "labels")
  list(label = attr(x, "label"), cells = I(shown(unclass(x))), values = I(shown(labels)),
       words = I(as.character(names(labels))), missing = I(as.numeric(attr(x, "na_values"))),
       range = I(as.numeric(attr(x, "na_range"))))
}
cat(jsonlite::toJSON(lapply(table, column), auto_unbox = TRUE, digits = NA, null = "null"))
"""


@pytest.fixture(autouse=True)
def directory(settings, tmp_path) -> Path:
    settings.EXPORTS_DIR = tmp_path / "exports"
    return settings.EXPORTS_DIR


@pytest.fixture
def survey(owner) -> Survey:
    """Every kind and design, and a number with answers beside it."""
    draft = every_kind_draft(owner)
    factories.add_serial_number(draft, width=3)
    draft.questions.filter(kind="number", design="direct").update(
        special="[1000] Do not know\n[1001] Refused", required=False
    )
    return answered(draft, PEOPLE)


def haven(content: bytes, ending: str, folder: Path) -> dict[str, Any]:
    """The columns of the only file of a zip."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        path = archive.extract(f"responses-1.{ending}", folder)
    columns: dict[str, Any] = json.loads(r_prints(HAVEN, path))
    return columns


def is_expected(variable: Variable, code: str, cell: str, ending: str) -> bool:
    """Whether haven's cell is what the code says."""
    if variable.content is Content.TEXTS:
        return cell == ("" if code in variable.missing else code)
    if code in variable.missing and ending == "dta":
        return cell == "abcdef"[list(Reason).index(variable.missing[code])]
    if variable.content is Content.DAYS:
        is_missing = code in variable.missing
        return is_missing or float(cell) == (date.fromisoformat(code) - date(1970, 1, 1)).days
    if code in variable.missing:
        return float(cell) == variable.missing_numbers[variable.missing[code]]
    return float(cell) == float(code)


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_every_cell_and_label_is_read(client, survey, tmp_path, ending):
    content = b"".join(part for part, _ in zipped(survey.revision, ending, files.scratch))
    columns = haven(content, ending, tmp_path)
    codes = csv_columns(client, survey, "?values=codes")
    assert list(columns) == [name for name in codes if not name.endswith(MISSING)]
    count = 0
    for question in described(questionnaire_of(survey.revision)):
        for variable in question.variables:
            found = columns[variable.name]
            assert found["label"], variable.name
            for code, cell in zip(codes_of(variable, codes), found["cells"], strict=True):
                assert is_expected(variable, code, cell, ending), (variable.name, code, cell)
                count += 1
            if variable.content is Content.CODES:
                words = dict(zip(found["values"], found["words"], strict=True))
                assert {f"{int(code)}": text for code, text in variable.values.items()}.items() <= (
                    words.items()
                )
        for column in question.debiased:
            cells = zip(columns[column.name]["cells"], codes[column.name], strict=True)
            assert all(math.isclose(float(one), float(two)) for one, two in cells if one and two)
    assert count > 40 * PEOPLE
    assert {"1000", "1001"} & {code for cells in codes.values() for code in cells}


@pytest.mark.parametrize("ending", ["sav", "dta"])
@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
def test_labels_in_any_language_are_whole_or_cut_at_a_letter(tmp_path, ending, label):
    missing = {"--": Reason.NOT_ASKED, "-": Reason.DECLINED, "": Reason.NOT_SENT}
    variable = Variable("tea_rep", label, Content.CODES, missing, 2, {"00": "No", "01": label})
    made = LabelledFiles(ending, [Described((variable,), ())], files.scratch)
    content = b"".join(part for part, _ in made.added([])) + made.rest()
    found = haven(content, ending, tmp_path)["tea_rep"]
    words = dict(zip(found["values"], found["words"], strict=True))
    line = label.replace("\r", " ").replace("\n", " ")
    for shown in (found["label"], words["1"]):
        assert shown == line or (shown[-1] == "…" and line.startswith(shown[:-1]))
    reasons = [reason.value for reason in missing.values()]
    if ending == "dta":
        assert [words[LETTERS[reason]] for reason in missing.values()] == reasons
    else:
        numbers = variable.missing_numbers.values()
        assert [words[str(number)] for number in numbers] == reasons
        assert sorted(found["missing"]) == sorted(numbers)
