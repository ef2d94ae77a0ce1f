"""R's survey gives the estimates and standard errors of the dashboard, from the file alone."""

import csv
import json
from pathlib import Path

import pytest

from surveys.models import Survey
from tests.audit.programs import r_prints
from tests.surveys.results.test_debiased_columns import (
    CLOSE,
    MAKERS,
    answered,
    csv_columns,
    on_the_dashboard,
)

pytestmark = [pytest.mark.audit, pytest.mark.django_db]
# A mean of one column, or a ratio of two over the rows that have both.
SURVEY = r"""
suppressPackageStartupMessages(library(survey))
arguments <- commandArgs(TRUE)
table <- read.csv(arguments[1], check.names = FALSE)
asked <- jsonlite::fromJSON(arguments[2], simplifyVector = FALSE)
estimate <- function(names) {
  rows <- table[stats::complete.cases(table[unlist(names)]), , drop = FALSE]
  design <- svydesign(ids = ~1, weights = rep(1, nrow(rows)), data = rows)
  of <- function(name) as.formula(paste0("~`", name, "`"))
  found <- if (length(names) == 1) svymean(of(names[[1]]), design) else
    svyratio(of(names[[1]]), of(names[[2]]), design)
  c(as.numeric(coef(found)), as.numeric(SE(found)))
}
cat(jsonlite::toJSON(lapply(asked, estimate), digits = NA))
"""


@pytest.fixture(params=MAKERS)
def survey(request, owner) -> Survey:
    return answered(MAKERS[request.param](owner))


def test_every_row_of_the_dashboard_comes_from_r_s_survey_too(client, survey, tmp_path):
    columns = csv_columns(client, survey)
    rows = list(on_the_dashboard(survey))
    asked = [list(names) for names, _, _ in rows]
    for names in asked:
        if names[1:] and names[1].endswith("_declined"):  # among those who answered
            cells = columns[names[1]]
            names[1] = f"{names[0]}_answered"
            columns[names[1]] = [cell and repr(1 - float(cell)) for cell in cells]
    path = tmp_path / "responses.csv"
    _write(path, columns, {name for names in asked for name in names})
    found = json.loads(r_prints(SURVEY, path, json.dumps(asked)))
    assert len(found) == len(rows) > 0
    for (names, value, error), (mean, standard_error) in zip(rows, found, strict=True):
        assert (mean, standard_error) == pytest.approx((value, error), abs=CLOSE), names


def _write(path: Path, columns: dict[str, list[str]], names: set[str]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(sorted(names))
        writer.writerows(zip(*(columns[name] for name in sorted(names)), strict=True))
