"""While a survey is open, means too have intervals that hold however often one looks."""

from collections import Counter

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.drafts import item_of
from surveys.authoring.services import launch
from surveys.collecting.services import receive
from surveys.models import Question, Survey
from surveys.results.figures.questions import question_figure
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import LIVE, Reading
from tests import factories
from tests.bodies import body_of
from tests.randomized_response.estimates import bounded_mean_interval, tilted_mean_interval
from tests.randomized_response.intervals.intervals import score_interval

pytestmark = pytest.mark.django_db
DESIGNS = Question.Design
OPEN, CLOSED = Reading(method=LIVE), Reading()


@pytest.fixture
def number(owner) -> ItemCounts:
    asked = factories.add_question(
        factories.make_survey(owner),
        text="How many days?",
        kind=Question.Kind.NUMBER,
        design=DESIGNS.DIRECT,
        minimum=0,
        maximum=30,
    )
    return ItemCounts(item_of(asked), Counter({"02": 40, "05": 30, "10": 30}))


def test_a_mean_of_numbers_is_read_by_a_sequence_and_for_one_look_once_the_survey_is_closed(number):
    expected = bounded_mean_interval([2, 5, 10], [40, 30, 30], 0, 30)
    once = tilted_mean_interval([2, 5, 10], [40, 30, 30], 0, 30)
    live, closed = (question_report(1, number, reading) for reading in (OPEN, CLOSED))
    assert live.mean_interval == (expected.low, expected.high)
    assert closed.mean_interval == (once.low, once.high)
    assert live.mean_interval[0] < closed.mean_interval[0] < 5.3
    assert 5.3 < closed.mean_interval[1] < live.mean_interval[1]
    assert f"Mean, 95 % interval, method: {OPEN.method_name}" in dict(live.statistics)
    assert "Mean, 95 % interval (tilting, for one look)" in dict(closed.statistics)


def test_a_mean_of_numbers_that_all_agree_has_an_interval(number):
    agreed = ItemCounts(number.item, Counter({"05": 20}))
    for reading in (OPEN, CLOSED):
        low, high = question_report(1, agreed, reading).mean_interval
        assert low < 5 < high
    single = question_report(1, ItemCounts(number.item, Counter({"05": 1})), CLOSED)
    assert single.mean_interval == pytest.approx((5 * 0.025, 30 - 25 * 0.025))


def ranking(owner, **fields: object):
    return item_of(factories.add_ranking(factories.make_survey(owner), *"abc", **fields))


def test_mean_ranks_of_whole_orders_are_read_by_a_sequence(owner):
    found = ranking(owner, design=DESIGNS.DIRECT)
    parts = ((30, 10, 0), (10, 20, 10), (0, 10, 30))
    counts = ItemCounts(found, Counter(asked=40), parts=parts)
    report = question_report(1, counts, OPEN)
    expected = bounded_mean_interval([1, 2, 3], [30, 10, 0], 1, 3)
    assert report.rows[0].interval == (expected.low, expected.high)
    assert OPEN.method_name in question_figure(report).method


def test_mean_ranks_of_whole_orders_are_read_for_one_look_once_the_survey_is_closed(owner):
    found = ranking(owner, design=DESIGNS.DIRECT)
    counts = ItemCounts(found, Counter(asked=40), parts=((40, 0, 0), (0, 40, 0), (0, 0, 40)))
    report = question_report(1, counts, CLOSED)
    expected = tilted_mean_interval([1], [40], 1, 3)
    assert report.rows[0].interval == (expected.low, expected.high)
    assert report.method_name == "tilting, for one look"


@pytest.mark.parametrize("reading", [OPEN, Reading()], ids=["all looks", "one look"])
def test_mean_ranks_from_pairs_are_means_of_one_score_for_each_report(owner, reading):
    """Thrice what a report adds to the share before, less a half, for the two pairs with a."""
    found, parts = ranking(owner), ((30, 50), (45, 15), (20, 90))
    report = question_report(1, ItemCounts(found, Counter(asked=250), parts=parts), reading)
    (first,) = (row for row in report.rows if row.label == "a")
    before = 3 * (found.channel.scores[0] - 0.5)
    scores = np.concatenate([before, before, np.zeros(2)])
    counts = tuple(count for row in parts for count in row)
    expected = score_interval(scores, counts, 0.95, reading.way)
    assert first.interval == pytest.approx((2 + expected.low, 2 + expected.high))
    assert first.interval[0] < first.mean < first.interval[1]


def test_a_pair_that_nearly_nobody_drew_leaves_its_things_without_an_interval(owner):
    found, parts = ranking(owner), ((30, 50), (0, 1), (20, 90))
    report = question_report(1, ItemCounts(found, Counter(asked=191), parts=parts), OPEN)
    assert {row.label: row.interval is None for row in report.rows} == {
        "a": True,
        "b": False,
        "c": True,
    }


def looking(page: str) -> str:
    """What the dashboard says about its intervals."""
    return page.split('id="looking"')[1].split("</details>")[0]


def test_the_page_says_of_means_what_their_table_shows(client, owner):
    draft = factories.make_survey(owner)
    fields = {"kind": Question.Kind.NUMBER, "design": DESIGNS.DIRECT, "minimum": 0, "maximum": 30}
    factories.add_question(draft, text="How many days?", **fields)
    launch(survey=draft, by=owner)
    survey = Survey.objects.get(pk=draft.pk)
    receive(survey_id=survey.pk, body=body_of(survey.revision, codes=["05"]))
    client.force_login(owner)
    address = reverse("surveys:dashboard", args=[survey.pk])
    shown = {
        LIVE: ("interval, method: Confidence sequence", "also have a confidence sequence"),
        "clopper-pearson": (
            "interval (tilting, for one look)",
            "For one look, the intervals for means",
        ),
    }
    for method, (named, said) in shown.items():
        page = " ".join(client.get(address, {"method": method}).content.decode().split())
        assert f"Mean, 95 % {named}" in page
        assert said in looking(page)
        assert "no such sequence" not in page
    assert ">tilting</button>" in looking(page)
