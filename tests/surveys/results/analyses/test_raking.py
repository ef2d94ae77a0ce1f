"""Weights from several questions reach the known shares of each, by raking."""

import csv
import io

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from surveys.models.queries import questionnaire_of
from surveys.randomized_response.samples import (
    Margin,
    estimate_weighted_distribution,
    rake,
    survey_sample,
)
from surveys.results.analyses.weighted_people import SampleDesign
from surveys.results.analyses.weighting import UNREACHABLE, WITHHELD, weighted_report
from surveys.results.analyses.weights_kind import WeightsForm
from surveys.results.disclosure import LEAST_GROUP
from surveys.results.reading import Reading
from surveys.wording.language.numbers import percent
from tests import kept
from tests.stored import store_rows
from tests.surveys.results.analyses import asked as answers
from tests.surveys.results.analyses.asked import crossed, items_of

owner = kept.owner
asked = survey = kept.survey
launched_survey = answers.launched_survey
PLACES, CARS = {"00": 20.0, "01": 50.0, "02": 30.0}, {"00": 450.0, "01": 550.0}
RAKED = SampleDesign([PLACES, CARS])
# Reports of the first question by place and car: no, yes.
TABLE = {
    ("00", "00"): (30, 20),
    ("00", "01"): (20, 25),
    ("01", "00"): (15, 25),
    ("01", "01"): (35, 40),
    ("02", "00"): (12, 18),
    ("02", "01"): (22, 11),
}
COUNTS = {
    (report, *groups): n
    for groups, counts in TABLE.items()
    for report, n in zip(("00", "01"), counts, strict=True)
}


def by_hand(survey, places: dict[str, float], merged: dict[str, str] | None = None):
    """The package's estimate from one row a person."""
    rows = [
        (place, car, y)
        for (place, car), each in TABLE.items()
        for y, n in enumerate(each)
        for _ in range(n)
    ]
    place, car, reports = (np.array(column) for column in zip(*rows, strict=True))
    if merged:
        place = np.array([merged.get(each, each) for each in place])
    shares = {name: size / 100 for name, size in places.items()}
    margins = [Margin(place, shares), Margin(car, {"00": 0.45, "01": 0.55})]
    sample = rake(survey_sample(np.ones(len(rows))), margins)
    return estimate_weighted_distribution(items_of(survey, 1)[0].channel, reports, sample)


def test_the_page_has_the_estimate_of_raked_people(asked) -> None:
    report = weighted_report(crossed(asked, (1, 2, 4), COUNTS), Reading(), RAKED)
    expected = by_hand(asked, PLACES)
    for row, level in zip(report.rows, (1, 0), strict=True):
        assert row.share == pytest.approx(expected.shares[level], abs=1e-9)
        assert row.standard_error == pytest.approx(expected.standard_errors[level], abs=1e-9)
        interval = expected.interval(level)
        assert (row.interval.low, row.interval.high) == pytest.approx(
            (interval.low, interval.high), abs=1e-9
        )
    assert report.effective_n == pytest.approx(expected.effective_n)
    assert (report.n, report.left_out) == (273, 0)


def test_a_combination_of_few_is_pooled_before_people_are_raked(asked) -> None:
    """Two people of the East without a car would have weights of their own."""
    counts = {**COUNTS, ("00", "02", "00"): 1, ("01", "02", "00"): 1}
    report = weighted_report(crossed(asked, (1, 2, 4), counts), Reading(), RAKED)
    assert any("2. East" in note for note in report.notes)
    assert report.effective_n >= LEAST_GROUP


def test_one_persons_combination_does_not_tell_the_answer(asked) -> None:
    """The shares with her No and with her Yes differ as those of one among a pool."""
    moved = []
    for answer in ("00", "01"):
        counts = {key: n for key, n in COUNTS.items() if key[1:] != ("02", "00")}
        counts[answer, "02", "00"] = 1
        report = weighted_report(crossed(asked, (1, 2, 4), counts), Reading(), RAKED)
        moved.append(report.rows[0].share)
    # Alone in her combination she would make up .3 x .45 of all; a coin doubles what one moves.
    assert abs(moved[0] - moved[1]) < 2 * 0.8 / 50


def test_people_of_whom_one_question_is_not_known_are_left_out_and_counted(asked) -> None:
    declined = next(level.code for level in items_of(asked, 2)[0].levels if level.declines)
    counts = {**COUNTS, ("00", declined, "00"): 20, ("01", declined, "01"): 20}
    report = weighted_report(crossed(asked, (1, 2, 4), counts), Reading(), RAKED)
    assert (report.n, report.left_out) == (273, 40)


def test_a_survey_of_a_few_is_withheld(asked) -> None:
    counts = {("00", "00", "00"): 3, ("01", "01", "01"): 4}
    report = weighted_report(crossed(asked, (1, 2, 4), counts), Reading(), RAKED)
    assert report.problem == WITHHELD


def test_an_answer_of_the_population_that_no_person_gave_is_a_problem(asked) -> None:
    counts = {key: n for key, n in COUNTS.items() if key[1] != "02"}
    report = weighted_report(crossed(asked, (1, 2, 4), counts), Reading(), RAKED)
    assert (report.problem, report.rows) == (UNREACHABLE, ())
    # Nor can weights be found where each place has one kind of people alone.
    apart = {(y, p, c): 20 for y in ("00", "01") for p, c in (("00", "00"), ("01", "01"))}
    shares = [{"00": 20.0, "01": 80.0}, {"00": 50.0, "01": 50.0}]
    report = weighted_report(crossed(asked, (1, 2, 4), apart), Reading(), SampleDesign(shares))
    assert (report.problem, report.rows) == (UNREACHABLE, ())


WRITTEN = {
    "by": "2",
    "margins": "North: 20\nSouth: 50\nEast: 30",
    "by_2": "4",
    "margins_2": "No: 450\nYes: 550",
}


def form_of(survey, **changes: str) -> WeightsForm:
    query = QueryDict(mutable=True)
    query.update({**WRITTEN, **changes})
    return WeightsForm(query, items=questionnaire_of(survey.revision).items)


def test_the_form_reads_the_shares_of_each_question(asked) -> None:
    form = form_of(asked)
    assert form.is_valid(), form.errors
    assert form.numbers == [2, 4]
    assert form.population == [PLACES, CARS]


def test_there_are_as_many_fields_as_questions_to_choose_from(asked) -> None:
    """A place and a car: no third question. A survey with one question asks for no second."""
    items = questionnaire_of(asked.revision).items
    both = WeightsForm(QueryDict(), items=items)
    assert [name for name in both.fields if name.startswith("by")] == ["by", "by_2"]
    one = WeightsForm(QueryDict(), items=items[:3])
    assert [name for name in one.fields if name.startswith(("by", "margins"))] == ["by", "margins"]


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"by_2": "2"}, "by_2", "already chosen"),
        ({"by_2": ""}, "by_2", "Choose the question"),
        ({"margins_2": ""}, "margins_2", "Enter a share for each answer"),
        ({"margins_2": "Perhaps: 1"}, "margins_2", "cannot be read"),
        ({"by": "3", "margins": ""}, "by", "no other question can be added"),
        ({"by_2": "3"}, "by_2", "not one of the available choices"),
        ({"by_2": "1"}, "by_2", "not one of the available choices"),
    ],
)
def test_what_cannot_be_raked_is_refused_at_its_field(asked, changes, field, words) -> None:
    form = form_of(asked, **changes)
    assert not form.is_valid()
    assert words in " ".join(form.errors[field])


def test_page_and_file_have_the_same_numbers(client, asked) -> None:
    client.force_login(asked.owner)
    rows = [f"{y}{place}2{car}" for (y, place, car), n in COUNTS.items() for _ in range(n)]
    store_rows(asked.revision, rows)
    query = QueryDict(mutable=True)
    query.update(WRITTEN)
    page = client.get(f"{reverse('surveys:weighted', args=[asked.pk])}?{query.urlencode()}")
    text = page.content.decode()
    file = client.get(f"{reverse('surveys:weighted-csv', args=[asked.pk])}?{query.urlencode()}")
    written = b"".join(file.streaming_content).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(written)))
    expected = by_hand(asked, PLACES)
    share = next(float(row["weighted"]) for row in rows if row["answer"] == "Yes")
    assert share == pytest.approx(expected.shares[1], abs=1e-9)
    assert percent(share) in text
    assert "Kish" in text
