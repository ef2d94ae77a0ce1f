"""Strata and clusters from direct questions: the errors of a sample as it was drawn."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.samples import (
    Margin,
    estimate_weighted_distribution,
    rake,
    survey_sample,
)
from surveys.results.analyses.queries import CrossCounts
from surveys.results.analyses.weighted_people import NEGATIVE, SampleDesign
from surveys.results.analyses.weighting import TOO_FEW_UNITS, WITHHELD, weighted_report
from surveys.results.analyses.weights_kind import WeightsForm
from surveys.results.reading import Reading
from tests import factories, kept
from tests.stored import store_rows
from tests.surveys.results.analyses.asked import crossed, items_of, page_of

owner = kept.owner
survey = kept.survey
COINS, REGION, SCHOOL, SEX, WEIGHT = 1, 2, 3, 4, 5
REGIONS = {"00": ("00", "01", "02"), "01": ("03", "04", "05")}


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """1 through two coins; 2 a region, 3 one of six schools, 4 a sex, 5 a weight."""
    return made_once(make_school_survey)


def make_school_survey() -> Survey:
    draft = factories.make_survey(factories.make_user())
    direct, kinds = Question.Design.DIRECT, Question.Kind
    factories.add_question(draft, required=True)
    for text, answers in (
        ("Region?", ("North", "South")),
        ("School?", tuple("ABCDEF")),
        ("Sex?", ("Female", "Male")),
    ):
        factories.add_question(
            draft, *answers, text=text, kind=kinds.CHOICE, design=direct, required=True
        )
    factories.add_question(
        draft, text="Weight?", kind=kinds.NUMBER, design=direct, minimum=0, maximum=9, required=True
    )
    return factories.launched(draft)


def people() -> list[tuple[str, str, str, str, str]]:
    """Report, region, school, sex, weight: at least ten of each kind in each school."""
    rows = []
    for region, schools in REGIONS.items():
        for at, school in enumerate(schools):
            for sex, weight in product(("00", "01"), ("1", "3")):
                no, yes = 10 + 2 * at, 6 + 16 * at + 4 * (sex == "01") + (region == "01")
                rows += [("00", region, school, sex, weight)] * no
                rows += [("01", region, school, sex, weight)] * yes
    return rows


def counts_of(*places: int) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for row in people():
        key = tuple(row[place - 1] for place in places)
        found[key] = found.get(key, 0) + 1
    return found


def column(place: int) -> np.ndarray:
    return np.array([row[place - 1] for row in people()])


def assert_same(survey, report, sample) -> None:
    reports = (column(COINS) == "01").astype(int)
    expected = estimate_weighted_distribution(items_of(survey, COINS)[0].channel, reports, sample)
    for row, level in zip(report.rows, (1, 0), strict=True):
        assert row.share == pytest.approx(expected.shares[level], abs=1e-9)
        assert row.standard_error == pytest.approx(expected.standard_errors[level], abs=1e-9)
        ends = expected.interval(level)
        assert (row.interval.low, row.interval.high) == pytest.approx((ends.low, ends.high))


def test_strata_and_clusters_alone(survey) -> None:
    counts = crossed(survey, (COINS, REGION, SCHOOL), counts_of(COINS, REGION, SCHOOL))
    report = weighted_report(counts, Reading(), SampleDesign(strata=1, clusters=2))
    sample = survey_sample(np.ones(len(people())), strata=column(REGION), clusters=column(SCHOOL))
    assert_same(survey, report, sample)
    plain = survey_sample(np.ones(len(people())))
    reports = (column(COINS) == "01").astype(int)
    alone = estimate_weighted_distribution(items_of(survey, COINS)[0].channel, reports, plain)
    # Schools differ much, so that what is drawn are schools.
    assert report.rows[0].standard_error > 1.5 * alone.standard_errors[1]
    assert any("2 strata, 6 clusters" in note for note in report.notes)


def test_clusters_of_people_who_are_raked(survey) -> None:
    shares = {"00": 30.0, "01": 70.0}
    counts = crossed(survey, (COINS, SEX, SCHOOL), counts_of(COINS, SEX, SCHOOL))
    report = weighted_report(counts, Reading(), SampleDesign([shares], clusters=2))
    base = survey_sample(np.ones(len(people())), clusters=column(SCHOOL))
    sample = rake(base, [Margin(column(SEX), {"00": 0.3, "01": 0.7})])
    assert_same(survey, report, sample)


def test_strata_that_are_also_the_question_of_the_weights(survey) -> None:
    shares = {"00": 30.0, "01": 70.0}
    counts = crossed(survey, (COINS, REGION, SCHOOL), counts_of(COINS, REGION, SCHOOL))
    report = weighted_report(counts, Reading(), SampleDesign([shares], strata=1, clusters=2))
    base = survey_sample(np.ones(len(people())), strata=column(REGION), clusters=column(SCHOOL))
    assert_same(survey, report, rake(base, [Margin(column(REGION), {"00": 0.3, "01": 0.7})]))


def test_weights_that_are_a_number(survey) -> None:
    counts = crossed(survey, (COINS, WEIGHT, SCHOOL), counts_of(COINS, WEIGHT, SCHOOL))
    report = weighted_report(counts, Reading(), SampleDesign(has_weight=True, clusters=2))
    sample = survey_sample(column(WEIGHT).astype(float), clusters=column(SCHOOL))
    assert_same(survey, report, sample)


def test_schools_of_a_few_are_pooled_so_that_no_error_is_about_them(survey) -> None:
    """One of two in small schools says yes: which one, neither shares nor errors tell."""
    whole = counts_of(COINS, SCHOOL)
    kept = {key: n for key, n in whole.items() if key[1] not in ("04", "05")}
    one = kept | {("01", "04"): 1, ("00", "05"): 1}
    other = kept | {("00", "04"): 1, ("01", "05"): 1}
    reports = [
        weighted_report(crossed(survey, (COINS, SCHOOL), each), Reading(), SampleDesign(clusters=1))
        for each in (one, other)
    ]
    assert reports[0] == reports[1]
    assert any(note.startswith("Combined into one group") for note in reports[0].notes)


def test_within_a_stratum_neither(survey) -> None:
    """A school of the North has one pupil in the South."""
    whole = counts_of(COINS, REGION, SCHOOL)
    one, other = (whole | {(y, "01", "00"): 1, (z, "01", "03"): whole[z, "01", "03"] + 1}
                  for y, z in (("00", "01"), ("01", "00")))  # fmt: skip
    reports = [
        weighted_report(
            crossed(survey, (COINS, REGION, SCHOOL), each),
            Reading(),
            SampleDesign(strata=1, clusters=2),
        )
        for each in (one, other)
    ]
    assert reports[0] == reports[1]


def test_weights_of_a_few_within_a_school_pool_schools(survey) -> None:
    whole = counts_of(COINS, WEIGHT, SCHOOL)
    few = {key: n for key, n in whole.items() if key[1:] != ("3", "05")} | {("01", "3", "05"): 1}
    report = weighted_report(
        crossed(survey, (COINS, WEIGHT, SCHOOL), few),
        Reading(),
        SampleDesign(has_weight=True, clusters=2),
    )
    assert any("F" in note and note.startswith("Combined") for note in report.notes)
    assert any("5 clusters" in note for note in report.notes)


# The next smallest school, with which hers is taken together.
NEXT = {("00", "01"): SampleDesign(strata=1, clusters=2), ("01", "03"): SampleDesign(clusters=2)}


@pytest.mark.parametrize(("place", "design"), NEXT.items())
def test_alone_in_the_school_that_is_shown_first_no_one_is_told(survey, place, design) -> None:
    """Not even by the order in which sums are made."""
    whole = {key: n for key, n in counts_of(COINS, REGION, SCHOOL).items() if key[2] != "00"}
    no, yes = ("00", *place), ("01", *place)
    one = {("00", "00", "00"): 1} | whole | {yes: whole[yes] + 1}
    other = {("01", "00", "00"): 1} | whole | {no: whole[no] + 1}
    reports = [
        weighted_report(crossed(survey, (COINS, REGION, SCHOOL), each), Reading(), design)
        for each in (one, other)
    ]
    assert reports[0] == reports[1]


def test_one_cluster_has_no_error(survey) -> None:
    counts = {("00", "00"): 30, ("01", "00"): 30}
    report = weighted_report(
        crossed(survey, (COINS, SCHOOL), counts), Reading(), SampleDesign(clusters=1)
    )
    assert (report.problem, report.rows) == (TOO_FEW_UNITS, ())
    few = {("00", "00"): 3, ("01", "01"): 4}
    report = weighted_report(
        crossed(survey, (COINS, SCHOOL), few), Reading(), SampleDesign(clusters=1)
    )
    assert report.problem == WITHHELD


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("by=none", "by", "or strata, or clusters"),
        ("by=none&strata=2&clusters=2", "clusters", "different questions"),
        ("by=none&strata=5", "strata", "not one of the available"),
        ("by=none&margins=North: 1&strata=2", "by", "these shares belong to"),
    ],
)
def test_what_says_nothing_of_a_sample_is_refused(survey, query, field, words) -> None:
    items = questionnaire_of(survey.revision).items
    errors = WeightsForm(QueryDict(query), items=items).errors
    assert field in errors
    assert words in str(errors[field])


def test_without_a_direct_choice_there_are_no_strata_to_choose(owner) -> None:
    draft = factories.make_survey(owner)
    factories.add_question(draft)
    factories.add_question(
        draft, text="Weight?", kind=Question.Kind.NUMBER, design="direct", minimum=0, maximum=9
    )
    items = questionnaire_of(factories.launched(draft).revision).items
    form = WeightsForm(QueryDict("by=2"), items=items)
    assert [value for value, _ in form.fields["by"].choices] == ["2"]
    assert form.is_valid()
    assert not {"strata", "clusters"} & set(form.fields)
    alone = WeightsForm(QueryDict(""), items=items[:1])
    assert not alone.has_choices


def test_a_weight_that_may_be_below_0_is_refused_by_its_question(owner) -> None:
    """Of answers a single one below 0 would be told."""
    draft = factories.make_survey(owner)
    factories.add_question(draft, required=True)
    factories.add_question(
        draft, text="Weight?", kind=Question.Kind.NUMBER, design="direct", minimum=-5, maximum=9
    )
    item, weight = questionnaire_of(factories.launched(draft).revision).items
    counts = CrossCounts((1, 2), item, (weight,), Counter({("00", "01"): 60, ("01", "02"): 60}))
    report = weighted_report(counts, Reading(), SampleDesign(has_weight=True))
    assert report.problem == NEGATIVE


def test_page_and_files_name_the_questions(client, survey) -> None:
    store_rows(survey.revision, ["".join(row) for row in people()])
    query = f"?by=none&strata={REGION}&clusters={SCHOOL}"
    page = page_of(client, survey, "weighted", query)
    assert "2 strata, 6 clusters" in page
    told = client.get(reverse("surveys:weighted-json", args=[survey.pk]) + query).json()
    assert (told["weights_from"], told["strata"], told["clusters"]) == ("", "Region?", "School?")
    shown = {row["answer"]: row for row in told["findings"] if "shoplifted" in row["question"]}
    counts = crossed(survey, (COINS, REGION, SCHOOL), counts_of(COINS, REGION, SCHOOL))
    report = weighted_report(counts, Reading(), SampleDesign(strata=1, clusters=2))
    assert shown["Yes"]["standard_error"] == pytest.approx(report.rows[0].standard_error)
