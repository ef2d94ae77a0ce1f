"""A deposit's DDI is valid against the schema, and its scripts in R give the dashboard's figures.

DENIABLE_DDI names the folder of the schema of DDI-Codebook 2.5, which is not ours to copy.
"""

import csv
import io
import json
import os
from pathlib import Path

import pytest
from lxml import etree

from surveys.models import Survey
from surveys.results.deposit.figures import CORRECTED
from tests import factories
from tests.audit.programs import r_prints
from tests.conftest import ROOT
from tests.surveys.results.deposit.depositing import MAKERS, anchored, randomized_draft, unpack
from tests.surveys.results.test_debiased_columns import CLOSE, answered, every_kind_draft

pytestmark = [pytest.mark.audit, pytest.mark.django_db, pytest.mark.one_database]
DDI = "{ddi:codebook:2_5}"
# A text that XML, R and YAML could each read in a way of their own; one letter XML cannot hold.
AWKWARD = "A <b> & \"c\" 'd' ]]> \\n #{e}: \x0b 你好 🙂"
# Every debiased column by the command that stands in its derivation, beside that of the file.
COMMANDS = r"""
arguments <- commandArgs(TRUE)
rows <- read.csv(arguments[1], colClasses = "character", check.names = FALSE,
                 na.strings = character(0), encoding = "UTF-8")
commands <- jsonlite::fromJSON(arguments[2], simplifyVector = FALSE)
differs <- function(name) {
  found <- eval(parse(text = commands[[name]]), rows)
  stated <- suppressWarnings(as.numeric(rows[[name]]))
  any(is.na(found) != is.na(stated)) || any(abs(found - stated) > 1e-12, na.rm = TRUE)
}
cat(jsonlite::toJSON(Filter(differs, names(commands))))
"""


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    folder = os.environ.get("AUDITED_DDI")  # tests/settings.py renames it
    assert folder, "DENIABLE_DDI names the folder of the schema: make audit sets it"
    return etree.XMLSchema(file=ROOT / folder / "codebook.xsd")


@pytest.fixture(params=MAKERS)
def survey(request, owner) -> Survey:
    return answered(MAKERS[request.param](owner))


def read(folder: Path, schema: etree.XMLSchema) -> etree._ElementTree:
    """The DDI of a deposit, which is valid."""
    document = etree.parse(folder / "ddi.xml")
    assert schema.validate(document), schema.error_log
    return document


def test_the_ddi_of_every_kind_is_valid_and_has_every_column(survey, schema, tmp_path):
    folder = unpack(survey, tmp_path)
    document = read(folder, schema)
    header = (folder / "responses.csv").read_text().splitlines()[0].split(",")
    assert [one.get("name") for one in document.iter(f"{DDI}var")] == header
    size = document.find(f".//{DDI}caseQnty")
    assert size.text == str(len((folder / "responses.csv").read_text().splitlines()) - 1)


def test_its_commands_make_the_debiased_columns_of_the_file(survey, schema, tmp_path):
    folder = unpack(survey, tmp_path)
    variables = read(folder, schema).iter(f"{DDI}var")
    commands = {
        one.get("name"): one.findtext(f"{DDI}derivation/{DDI}drvcmd")
        for one in variables
        if one.find(f"{DDI}derivation") is not None
    }
    path = tmp_path / "commands.json"
    path.write_text(json.dumps(commands))
    assert json.loads(r_prints(COMMANDS, folder / "responses.csv", path)) == []
    if not commands:
        pytest.fail("no column is derived")


def test_a_report_says_its_channel_and_which_codes_are_no_answer(owner, schema, tmp_path):
    document = read(unpack(answered(randomized_draft(owner), 20), tmp_path), schema)
    (first,) = (one for one in document.iter(f"{DDI}var") if one.get("name") == "q001_rep")
    words = first.findtext(f"{DDI}codInstr")
    assert "two_coins" in words
    assert "if 01: 00 1/" in words
    assert [one.get("VALUE") for one in first.iter(f"{DDI}item")] == ["--"]
    for one in document.iter(f"{DDI}var"):  # which item was shown is no report, though drawn
        assert bool(one.findtext(f"{DDI}codInstr")) == one.get("name").endswith("_rep")


def test_surveys_without_rows_and_in_awkward_words_are_valid_too(owner, schema, tmp_path):
    draft = every_kind_draft(owner)
    draft.title = draft.introduction = AWKWARD
    draft.save()
    draft.questions.filter(kind="yes_no").update(text=AWKWARD)
    document = read(unpack(answered(draft, 20), tmp_path), schema)
    assert document.find(f"{DDI}fileDscr") is None
    assert "not randomized" in document.findtext(f".//{DDI}restrctn")
    assert document.findtext(f".//{DDI}titl") == AWKWARD.replace("\x0b", "")


def test_of_texts_alone_it_is_valid(owner, schema, tmp_path):
    draft = factories.make_survey(owner)
    factories.add_text(draft)
    assert read(unpack(factories.launched(draft), tmp_path), schema).find(f"{DDI}dataDscr") is None


def test_the_script_of_r_ends_well_where_there_is_no_answer(owner, tmp_path):
    survey = factories.launched(randomized_draft(owner))
    folder = unpack(survey, tmp_path)
    assert r_prints(f'source("{folder}/figures.R", chdir = TRUE)') == ""


def test_the_script_of_r_gives_the_figures_of_the_dashboard(survey, tmp_path):
    require_figures(unpack(survey, tmp_path))


def test_the_script_of_r_gives_what_an_anchor_corrects(owner, tmp_path):
    labels = require_figures(unpack(anchored(owner), tmp_path))
    assert {"Attended", CORRECTED} <= labels


def require_figures(folder: Path) -> set[str]:
    """Hold what the script prints to what stood on the page; the labels of all figures."""
    script = f'source("{folder}/figures.R", chdir = TRUE)'
    rows = list(csv.DictReader(io.StringIO(r_prints(script))))
    assert rows
    for row in rows:
        for name in ("estimate", "standard_error"):
            if (stated := row[f"{name}_on_page"]) != "NA":
                assert float(row[name]) == pytest.approx(float(stated), abs=CLOSE), row
    return {row["label"] for row in rows}
