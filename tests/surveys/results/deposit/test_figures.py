"""The scripts of a deposit give the figures of the dashboard from its unpacked files alone."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse

from surveys.models import Survey
from tests.surveys.results.deposit.depositing import MAKERS, anchored, randomized_draft, unpack
from tests.surveys.results.test_debiased_columns import CLOSE, answered, on_the_dashboard

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
Row = dict[str, str]


@pytest.fixture(params=MAKERS)
def survey(request, owner) -> Survey:
    return answered(MAKERS[request.param](owner))


def worked_out(folder: Path) -> list[Row]:
    """What the script prints that has nothing but the folder."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", folder / "figures.py"],
        capture_output=True,
        encoding="utf-8",
        check=True,
        cwd="/",
        env={},
    )
    assert done.stderr.endswith(" figures, 0 differ from the page.\n")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_every_figure_is_that_of_the_dashboard(survey, tmp_path):
    rows = worked_out(unpack(survey, tmp_path))
    for row in rows:
        for name in ("estimate", "standard_error"):
            if stated := row[f"{name}_on_page"]:
                assert float(row[name]) == pytest.approx(float(stated), abs=CLOSE), row
    found = [(float(row["estimate"]), float(row["standard_error"])) for row in rows]
    shown = [pair for _, *pair in on_the_dashboard(survey)]
    assert len(found) >= len(shown) > 0
    for value, error in shown:
        pairs = ((abs(value - a), abs(error - b)) for a, b in found)
        assert min(max(pair) for pair in pairs) < CLOSE


def test_figures_that_an_anchor_corrects_follow_from_the_rows(client, owner, tmp_path):
    survey = anchored(owner)
    rows = {row["label"]: row for row in worked_out(unpack(survey, tmp_path))}
    attended = rows["Attended"]
    corrected = rows["Yes to the question before, corrected for people who did not attend"]
    for row, share in ((attended, 0.8), (corrected, 0.2)):
        assert row["question"] == "q002"
        assert float(row["estimate"]) == pytest.approx(share, abs=CLOSE)
        assert float(row["estimate_on_page"]) == pytest.approx(share, abs=CLOSE)
    client.force_login(owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert "About 80 % of the people were attentive." in page
    assert "for inattentive people, 20.0 % answer Yes" in page


def test_what_an_anchor_cannot_correct_is_no_figure(owner, tmp_path):
    survey = anchored(owner, [*["0101"] * 30, *["0000"] * 30, *["0001"] * 5])
    rows = worked_out(unpack(survey, tmp_path))
    assert "Attended" in {row["label"] for row in rows}
    assert not any("corrected" in row["label"] for row in rows)


@pytest.mark.parametrize("people", [0, 1, 2, 3])
def test_of_few_people_it_works_out_what_the_dashboard_shows(owner, tmp_path, people):
    rows = worked_out(unpack(answered(randomized_draft(owner), people), tmp_path))
    assert bool(rows) == bool(people)


def test_the_script_ends_with_an_error_if_a_row_was_changed(survey, tmp_path):
    folder = unpack(survey, tmp_path)
    lines = (folder / "responses.csv").read_text().splitlines(keepends=True)
    (folder / "responses.csv").write_text("".join(lines[:-30]))
    done = subprocess.run([sys.executable, folder / "figures.py"], capture_output=True, check=False)
    assert done.returncode == 1
    assert b" 0 differ" not in done.stderr


def test_a_figure_names_the_column_whose_mean_it_is(survey, tmp_path):
    folder = unpack(survey, tmp_path)
    questions = json.loads((folder / "figures.json").read_text())["questions"]
    header = (folder / "responses.csv").read_text().splitlines()[0].split(",")
    terms = [term for one in questions for figure in one["figures"] for term in figure["means_of"]]
    named = [term["column"] for term in terms if "column" in term]
    assert len(named) > len(terms) / 4
    assert set(named) <= set(header)
    assert all(name in header for term in terms for name in term.get("of", ()))
