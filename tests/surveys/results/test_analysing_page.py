"""What docs/analysing.md prints of debiased columns runs on files as they are downloaded."""

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.drawing import draw_reports
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests import factories
from tests.conftest import ROOT
from tests.stored import store_rows

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = (ROOT / "docs" / "analysing.md").read_text()
(PROGRAM,) = re.findall(r"^```python columns\.py\n(.*?)^```$", PAGE, re.M | re.S)
(COMMAND,) = re.findall(r"^manage\.py columns .*$", PAGE, re.M)
PEOPLE = 2_000


@pytest.fixture
def survey(owner) -> Survey:
    """Of those with Yes to the second question two in three have Yes to the first, else a fifth."""
    draft = factories.make_survey(owner)
    factories.add_question(draft, required=True)
    factories.add_question(draft, text="Do you own a car?", design="direct", required=True)
    survey, rng = factories.launched(draft), np.random.default_rng(8)
    owns = rng.random(PEOPLE) < 0.5
    truth = rng.random(PEOPLE) < np.where(owns, 2 / 3, 1 / 5)
    channel = questionnaire_of(survey.revision).items[0].integer_channel
    reports = draw_reports(channel, truth.astype(int), rng)
    rows = (f"{told:02d}{int(car):02d}" for told, car in zip(reports, owns, strict=True))
    store_rows(survey.revision, rows)
    return survey


def download(client, survey: Survey, folder: Path, query: str = "") -> bytes:
    client.force_login(survey.owner)
    for name, file in (
        ("responses", "my-survey-responses.csv"),
        ("codebook", "my-survey-codebook.json"),
    ):
        reply = client.get(reverse(f"surveys:{name}", args=[survey.pk]) + query)
        (folder / file).write_bytes(b"".join(reply))
    return (folder / "my-survey-responses.csv").read_bytes()


def test_the_program_prints_the_estimate_of_the_dashboard_and_right_regressions(
    client, survey, tmp_path
):
    download(client, survey, tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    first, *_, last = done.stdout.splitlines()
    row = question_report(1, next(iter(item_counts(survey.revision))), Reading()).rows[0]
    assert list(map(float, first.split())) == pytest.approx([row.share, row.standard_error])
    coefficients, errors = ast.literal_eval(last.replace("array", ""))
    truth = np.log([1 / 4, 8])  # the odds of the others, and how many times those of owners are
    assert (np.abs(coefficients - truth) < 4 * np.array(errors)).all()
    assert max(errors) < 0.4


def test_the_command_makes_the_file_with_columns(client, survey, tmp_path, monkeypatch):
    full = download(client, survey, tmp_path)
    assert download(client, survey, tmp_path, "?columns=reports") != full
    monkeypatch.chdir(tmp_path)
    call_command(*shlex.split(COMMAND)[1:])
    assert Path("my-survey-columns.csv").read_bytes() == full


@pytest.mark.audit
def test_the_mean_in_r_is_the_estimate(client, survey, tmp_path):
    download(client, survey, tmp_path)
    (line,) = re.findall(r"In R, `(mean\([^`]*)`", PAGE)
    code = f'responses <- read.csv("my-survey-responses.csv"); cat(format({line}, digits = 15))'
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", code], cwd=tmp_path, check=True, capture_output=True
    )
    row = question_report(1, next(iter(item_counts(survey.revision))), Reading()).rows[0]
    assert float(done.stdout) == pytest.approx(row.share, rel=1e-12)
