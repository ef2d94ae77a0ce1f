"""`manage.py estimate` and `regress` on every column of a survey's downloads, in every format."""

import io
import json

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.randomized_response.estimates import DistributionEstimate, estimate_distribution
from surveys.results.codebook.book import codebook
from surveys.results.columns import FileColumns
from surveys.results.exports import responses_csv, responses_parquet
from surveys.results.queries import item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests import factories, families
from tests.stored import store_rows
from tests.versions import filling

pytestmark = pytest.mark.django_db
FORMATS = ("words.csv", "codes.csv", "words.parquet")
PEOPLE = 80


@pytest.fixture
def answered(owner) -> Survey:
    """Every kind of question that has columns, with answers."""
    draft = factories.make_survey(owner)
    factories.add_one_of_each(draft)
    factories.add_other_designs(draft)
    factories.add_long_list(draft, *factories.PLACES[:30])
    factories.add_picked(draft, *factories.PLACES[:25])
    factories.add_long_scale(draft)
    factories.add_ticks(draft, design="direct")
    factories.add_ticks(draft)
    factories.add_rounded(draft)
    factories.add_ranking(draft)
    factories.add_ranking(draft, design="direct", required=False)
    factories.add_day(draft)
    factories.add_matrix(draft)
    factories.add_rating(draft, size=3)
    families.add_family(draft)
    survey, rng = factories.launched(draft), np.random.default_rng(4)
    items = questionnaire_of(survey.revision).items
    rows = ["".join(filling.CODES(item, rng, False) for item in items) for _ in range(PEOPLE)]
    store_rows(survey.revision, rows)
    return survey


@pytest.fixture(params=FORMATS)
def files(request, answered, tmp_path) -> dict[str, str]:
    """The download and its codebook, as options of the commands."""
    file, book = tmp_path / request.param, tmp_path / "book.json"
    book.write_text(json.dumps(codebook(answered.revision, responses=PEOPLE)))
    if file.suffix == ".parquet":
        file.write_bytes(b"".join(responses_parquet(answered.revision, debiased=True)))
    else:
        is_coded = file.stem == "codes"
        lines = responses_csv(answered.revision, codes=is_coded, debiased=True)
        file.write_text("".join(lines))
    return {"input": str(file), "codebook": str(book)}


def said(command: str, **options: str) -> dict:
    out = io.StringIO()
    call_command(command, stdout=out, **options)
    return json.loads(out.getvalue())


def shares(item, counts) -> dict[tuple[str, str], float]:
    """By part and answer, or by answer alone, as the dashboard estimates them."""
    if isinstance(item, PartsQuestion):
        return {
            (part, item.levels[level].text): float(share)
            for part, row in zip(item.parts, counts.parts, strict=True)
            for level, share in enumerate(DistributionEstimate(item.channel, row).shares)
        }
    if isinstance(item, ListQuestion):
        rows = question_report(1, counts, Reading()).rows
        return {("", row.label): row.share for row in rows}
    found = estimate_distribution(item.channel, counts.of_levels(item.reported_levels)).shares
    return {("", level.text): float(x) for level, x in zip(item.levels, found, strict=True)}


def test_each_question_has_the_estimates_of_the_dashboard(answered, files):
    names = FileColumns(questionnaire_of(answered.revision)).names
    estimated = 0
    for name, counts in zip(names, item_counts(answered.revision), strict=True):
        item = counts.item
        is_marked = isinstance(item, ListQuestion)
        if isinstance(item, RatingQuestion) or (is_marked and "codes" not in files["input"]):
            with pytest.raises(CommandError, match=r"rank|take the file of codes"):
                said("estimate", **files, reports=name)
            continue
        if not item.is_sent or item.kind == "date":
            with pytest.raises(CommandError, match=r"no levels to estimate|no column"):
                said("estimate", **files, reports=name)
            continue
        found, estimated = said("estimate", **files, reports=name)["estimates"], estimated + 1
        if isinstance(item, NumberQuestion | RoundedQuestion):
            report, (mean,) = question_report(1, counts, Reading()), found
            assert (mean["estimate"], mean["n"]) == (pytest.approx(report.mean), report.n)
            assert list(mean["interval"].values()) == pytest.approx(report.mean_interval)
        elif isinstance(item, GroupedQuestion):
            assert [row["name"] for row in found] == ["prevalence", "other_prevalence"]
        else:
            by_answer = {(row["label"], row["name"]): row["estimate"] for row in found}
            assert by_answer == pytest.approx(shares(item, counts)), name
    assert estimated > 15


def test_debiased_columns_have_the_mean_that_is_the_estimate(answered, files):
    questionnaire = questionnaire_of(answered.revision)
    names = FileColumns(questionnaire).names
    first = next(item_counts(answered.revision))
    expected = question_report(1, first, Reading())
    (mean,) = said("estimate", **files, reports=f"{names[0]}_yes")["estimates"]
    assert mean["estimate"] == pytest.approx(expected.rows[0].share)
    assert mean["standard_error"] == pytest.approx(expected.rows[0].standard_error)
    made = [column.name for columns in FileColumns(questionnaire).debiased.values()
            for column in columns]  # fmt: skip
    assert len(made) > 30
    for column in made[:: len(made) // 8]:
        (mean,) = said("estimate", **files, reports=column)["estimates"]
        assert mean["name"] == column
        assert 0 < mean["n"] <= PEOPLE


def test_a_regression_reads_words_codes_and_parquet_alike(answered, files):
    names = FileColumns(questionnaire_of(answered.revision)).names
    model = said("regress", **files, outcome=names[0], predictors=f"{names[6]},{names[5]}")
    assert [row["name"] for row in model["coefficients"]][:2] == ["intercept", names[6]]
    assert model["n"] + model["left_out"] == PEOPLE
    with pytest.raises(CommandError, match="holds randomized reports"):
        said("regress", **files, outcome=names[0], predictors=names[1])
