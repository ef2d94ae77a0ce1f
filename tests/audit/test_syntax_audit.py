"""R runs the script of a survey: labels, and columns and means that are those of our files."""

import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from django.urls import reverse

from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.results.labelled import r
from surveys.results.labelled.variables import Content, Described, Variable, described
from tests import factories
from tests.stored import store_rows
from tests.surveys.results.labelled.test_labels import HOSTILE
from tests.surveys.results.test_debiased_columns import MAKERS, answered, codes_of, csv_columns

pytestmark = [pytest.mark.audit, pytest.mark.django_db]
PATH = os.environ["PATH"]
CLOSE = 1e-12
# Every column as texts: numbers with all their digits, words of factors, bytes of labels.
SHOW = r"""
show <- function(x) {
  if (is.factor(x) || inherits(x, "Date")) x <- as.character(x)
  if (is.numeric(x)) x <- sprintf("%.17g", x)
  ifelse(is.na(x) | x == "NA", "", as.character(x))
}
quoted <- function(x) {
  codes <- sprintf("%02x", as.integer(charToRaw(enc2utf8(x))))
  paste0('"', paste(codes, collapse = ""), '"')
}
column <- function(name) {
  x <- responses[[name]]
  mean <- if (is.numeric(x) && any(!is.na(x))) sprintf("%.17g", mean(x, na.rm = TRUE)) else "null"
  paste0(quoted(name), ':{"label":', quoted(attr(x, "label")), ',"mean":', mean, ',"cells":[',
         paste(vapply(show(x), quoted, ""), collapse = ","), "]}")
}
cat("{", paste(vapply(names(responses), column, ""), collapse = ","), "}")
"""


def run(script: str, folder: Path) -> dict[str, dict]:
    """The data frame of a script; it fails where R is not installed."""
    (folder / "syntax.R").write_text(script + SHOW, encoding="utf-8")
    done = subprocess.run(
        ["Rscript", "--vanilla", "syntax.R"],
        cwd=folder,
        env={"PATH": PATH, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()

    def text(code: str) -> str:
        return bytes.fromhex(code).decode()

    return {
        text(name): {
            "label": text(column["label"]),
            "mean": column["mean"],
            "cells": [text(cell) for cell in column["cells"]],
        }
        for name, column in json.loads(done.stdout).items()
    }


def with_r(client, survey: Survey, folder: Path, query: str) -> dict[str, dict]:
    """What R has of a survey's file of codes, taken with this query."""
    client.force_login(survey.owner)
    script = client.get(reverse("surveys:syntax-R", args=[survey.pk])).content.decode()
    reply = client.get(reverse("surveys:responses", args=[survey.pk]) + query)
    name = reply["Content-Disposition"].split('"')[1]
    (folder / name).write_bytes(b"".join(reply.streaming_content))
    return run(script, folder)


@pytest.mark.parametrize("query", ["?values=codes", "?values=codes&columns=reports"])
@pytest.mark.parametrize("maker", MAKERS)
def test_r_has_our_columns_means_and_words(client, owner, tmp_path, maker, query):
    survey = answered(MAKERS[maker](owner))
    table = with_r(client, survey, tmp_path, query)
    codes = csv_columns(client, survey, "?values=codes")
    for question in described(questionnaire_of(survey.revision)):
        for column in question.debiased:
            expected = [float(cell) if cell else np.nan for cell in codes[column.name]]
            found = [float(cell) if cell else np.nan for cell in table[column.name]["cells"]]
            np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE)
            mean = np.nanmean(expected)
            assert table[column.name]["mean"] == pytest.approx(mean, rel=CLOSE, abs=CLOSE)
            assert table[column.name]["label"] == column.label
        for variable in question.variables:
            column = table[variable.name]
            assert column["label"] == variable.label
            sent = codes_of(variable, codes)
            assert column["cells"] == [shown(variable, code) for code in sent]
            why = table.get(f"{variable.name}_missing")
            assert (why is not None) == (len(set(variable.missing.values())) > 1)
            if why:
                reasons = [variable.missing.get(code) for code in sent]
                assert why["cells"] == [each.value if each else "" for each in reasons]


def shown(variable: Variable, code: str) -> str:
    """What R shows for a code."""
    if code in variable.missing:
        return ""
    if variable.content is Content.NUMBERS:
        return f"{float(code):.17g}"
    return str(variable.values.get(code, code))


@pytest.mark.parametrize("rows", [[], ["00"], ["--"] * 3])
def test_files_of_no_row_one_row_and_no_answer_are_read(client, owner, tmp_path, rows):
    draft = factories.make_survey(owner, batch_size=1)
    factories.add_question(draft)
    survey = factories.launched(draft)
    if rows:
        store_rows(survey.revision, rows)
    table = with_r(client, survey, tmp_path, "?values=codes&columns=reports")
    assert table["q001_rep"]["cells"] == ["reported No" if row == "00" else "" for row in rows]
    assert len(table["q001_yes"]["cells"]) == len(rows)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_r_has_any_label_letter_by_letter(tmp_path, text):
    variable = Variable("x", text, Content.CODES, {"--": None}, 2, {"00": f"a{text}", "01": "b"})
    script = "".join(r.script([Described((variable,))], "codes.csv"))
    with (tmp_path / "codes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["x"], ["00"], ["01"], ["--"]])
    column = run(script, tmp_path)["x"]
    assert column["label"] == text
    assert column["cells"] == [f"a{text}", "b", ""]


def test_the_file_of_words_is_refused_with_what_to_take(client, owner, tmp_path):
    survey = answered(MAKERS["anchor"](owner), 5)
    with pytest.raises(AssertionError, match="take the file of codes"):
        with_r(client, survey, tmp_path, "")
