"""What a protected question with follow-ups says first: its own answers, on all their ways."""

import re
from collections import Counter
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.drafts import draft_questionnaire
from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.drawing import draw_reports
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.results.figures.questions import question_figure, worded_rows
from surveys.results.overview import overview
from surveys.results.progress import progress_of
from surveys.results.queries import ItemCounts
from surveys.results.questions import all_reports, question_report
from surveys.results.reading import Reading
from surveys.results.rows.families import FamilyReport
from surveys.web.drawing.pictures import NARROW, WIDE
from surveys.wording.readings import error_words
from tests.bodies import first_code
from tests.factories import add_condition, add_question, add_questions, launched, make_survey
from tests.families import make_hidden_draft
from tests.stored import store_rows

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
HOW_OFTEN = ("Once", "Twice", "Three to five times", "More often", "I do not know")
AGES = ("11 or younger", "12 to 15", "16 to 20", "21 to 30", "Older")


def add_family(draft: Survey, each: int, asked_if: Question | None = None) -> None:
    """Yes asks how often, then at which age: each * each ways. No asks nothing, the last way."""
    first = add_question(draft, text="Have you ever shoplifted?", required=True)
    if asked_if is not None:
        add_condition(first, asked_if)
    for text, answers in (("How often?", HOW_OFTEN), ("At which age?", AGES)):
        asked = add_question(draft, *answers[:each], text=text, kind="choice", required=True)
        add_condition(asked, first)


@pytest.fixture
def survey(owner) -> Survey:
    draft = make_survey(owner)
    add_family(draft, 5)
    return launched(draft)


@pytest.fixture
def module(owner) -> Survey:
    """A direct question, 16 protected ones, and a family of three that the first one asks."""
    draft = make_survey(owner)
    car = add_question(draft, text="Do you own a car?", design="direct", required=True)
    add_questions(draft, *(((), {"text": f"Habit {number}?"}) for number in range(2, 18)))
    add_family(draft, 3, asked_if=car)
    return launched(draft)


def counted(survey: Survey, number: int, reported: dict[int, int]) -> ItemCounts:
    """Counts of a family of which each level was reported so often."""
    item = questionnaire_of(survey.revision).items[number - 1]
    codes = Counter({item.levels[at].code: count for at, count in reported.items()})
    return ItemCounts(item, codes, family=item, batch_size=1)


def all_yes(survey: Survey) -> ItemCounts:
    """25 people, all of them Yes: most say twice, by two coins."""
    truths = np.array([5 * 1 + 2] * 25)
    item = questionnaire_of(survey.revision).items[0]
    reports = draw_reports(item.integer_channel, truths, np.random.default_rng(5))
    return counted(survey, 1, Counter(reports.tolist()))


def labels(rows) -> list[str]:
    return [row.label for row in rows]


def test_where_all_say_yes_the_headline_is_yes_and_not_a_way(survey):
    report = question_report(1, all_yes(survey), Reading())
    yes, no = report.rows
    assert labels(report.rows) == ["Yes, with any follow-up answers", "No"]
    assert yes.share > max(way.share for way in report.ways)
    assert report.lead.startswith(
        f"Most frequent: Yes, with any follow-up answers, {yes.estimate_words} ("
    )
    assert yes.share + no.share == pytest.approx(1)
    assert len(report.ways) == 26


def test_an_answer_with_many_rare_ways_is_more_frequent_than_one_with_a_single_way(module):
    """No is the most frequent way while Yes is the most frequent answer."""
    ways = dict.fromkeys(range(9), 35)
    report = question_report(18, counted(module, 18, {**ways, 9: 120}), Reading())
    yes, no = report.rows
    assert max(report.ways, key=lambda way: way.share).label == "No"
    assert yes.share > no.share
    assert report.lead.startswith("Most frequent: Yes, with any follow-up answers")


def test_chart_and_first_table_have_the_answers_and_a_fold_has_the_ways(survey):
    report = question_report(1, all_yes(survey), Reading())
    assert report.drawn_rows == report.table_rows == report.rows
    assert report.other_rows == report.ways
    assert report.others_words == (
        "All 26 combinations of answers to question 1 and its follow-ups"
    )


def test_how_sure_speaks_of_the_answers(survey):
    report = question_report(1, all_yes(survey), Reading())
    wide = tuple(
        replace(way, shown=replace(way.shown, low=0.0, high=1.0), is_too_wide=True)
        for way in report.ways
    )
    progress = progress_of(survey, survey.revision)
    for ways in (report.ways, wide):
        found = overview(survey, progress, 25, [replace(report, ways=ways)])
        reach = max(row.interval.width / 2 for row in report.rows)
        assert found.reach == error_words(reach)
    assert not replace(report, ways=wide).is_too_wide


@pytest.mark.parametrize(
    "method", ["clopper-pearson", "confidence-sequence", "wald", "score", "chebyshev"]
)
def test_an_answers_interval_is_that_of_the_reports_of_all_its_ways(survey, method):
    """Two coins move a report into the ways of Yes with two probabilities: so it is a yes or no.

    With L ways, p - q = 1/2: P(report in S) = 1/2 pi + |S|/(2 L), of which pi is a linear map.
    """
    counts = all_yes(survey)
    report = question_report(1, counts, Reading(method))
    item = questionnaire_of(survey.revision).items[0]
    reported = counts.of_levels(item.levels)
    assert item.channel.rows[0][0] - item.channel.rows[0][1] == pytest.approx(0.5)
    channel = Channel.from_matrix([[27 / 52, 1 / 52], [25 / 52, 51 / 52]])  # rows: no, yes reported
    alone = DistributionEstimate(channel, (reported[25], sum(reported[:25])))
    yes = report.rows[0]
    exact = alone.interval(1, 0.95, method)
    assert (yes.interval.low, yes.interval.high) == pytest.approx((exact.low, exact.high))
    assert yes.share == pytest.approx(float(alone.shares[1]))
    assert yes.reported == sum(reported[:25])
    assert yes.standard_error == pytest.approx(float(alone.standard_errors[1]), abs=1e-9)


def test_an_answer_with_one_way_has_the_numbers_of_that_way(survey):
    report = question_report(1, all_yes(survey), Reading())
    no, way = report.rows[1], report.ways[25]
    assert (no.label, no.reported) == (way.label, way.reported) == ("No", no.reported)
    assert (no.share, no.interval.low, no.interval.high) == pytest.approx(
        (way.share, way.interval.low, way.interval.high)
    )


def test_the_words_of_a_picture_are_short_and_its_labels_whole(survey, owner):
    draft = make_survey(owner)
    long = [
        f"{letter} long answer that goes on and on: {'and on ' * 20}end" for letter in "ABCDEFG"
    ]
    add_question(draft, *long, text="Which?", kind="choice", design="direct", required=True)
    asked = launched(draft)
    item = questionnaire_of(asked.revision).items[0]
    counts = Counter({level.code: 10 + at for at, level in enumerate(item.levels)})
    report = question_report(1, ItemCounts(item, counts), Reading())
    figure = question_figure(report)
    assert labels(worded_rows(report.drawn_rows)) == long[4:]
    assert figure.words.endswith("The table also shows 4 smaller shares.")
    for width in (WIDE, NARROW):
        layers = figure.chart(width)["layer"]
        rows = next(one["data"]["values"] for one in layers if one["mark"]["type"] == "rule")
        assert [" ".join(row["lines"]) for row in rows] == long
    family = question_figure(question_report(1, all_yes(survey), Reading()))
    assert "→" not in family.words
    assert len(family.words) < 200


def rows_sent(survey: Survey, number: int, people: int) -> list[str]:
    """Rows in which everybody sends a way of Yes to the family, and the first of all else."""
    items = questionnaire_of(survey.revision).row.variables
    place = next(at for at, item in enumerate(items) if item.kind == "family")
    codes = [first_code(item, own_coin=False) for item in items]
    levels = items[place].levels
    return [
        "".join([*codes[:place], levels[at % 25].code, *codes[place + 1 :]]) for at in range(people)
    ]


def test_the_dashboard_and_the_report_to_hand_over_say_the_same_first(survey, client):
    store_rows(survey.revision, rows_sent(survey, 1, 25))
    client.force_login(survey.owner)
    page = words_of(client.get(reverse("surveys:dashboard", args=[survey.pk])))
    handed = words_of(client.get(reverse("surveys:report", args=[survey.pk])))
    (report, _), *others = all_reports(survey.revision, Reading("confidence-sequence"))
    assert isinstance(report, FamilyReport)
    results, tables = between(handed, "Results", "STROBE"), handed.partition(">Long tables<")[2]
    assert "Yes → Twice" not in results
    for head, folded in ((page, page), (results, tables)):
        assert report.lead in head
        before = folded.partition("Yes → Twice")[0]
        assert "Yes, with any follow-up answers" in before
        assert f"<summary>{report.others_words}</summary>" in before
        for follow_up, _ in others:
            assert follow_up.asked_words in head
            assert follow_up.lead in head


def between(page: str, heading: str, following: str) -> str:
    """What stands below a heading, up to the one that follows it."""
    return page.partition(f">{heading}<")[2].partition(f">{following}")[0]


def words_of(response) -> str:
    content = getattr(response, "streaming_content", None)
    text = (b"".join(content) if content else response.content).decode()
    return unescape(re.sub(r"\s+", " ", text))


def test_a_follow_up_leads_with_its_answers_among_those_asked(survey):
    item = questionnaire_of(survey.revision).items[1]
    counts = replace(all_yes(survey), item=item)
    report = question_report(2, counts, Reading())
    most = max(report.among_asked, key=lambda row: row.share)
    assert report.lead.startswith(f"Most frequent: {most.label}, {most.estimate_words} (")


def test_does_not_apply_is_no_headline(owner):
    """A report of its own behind a protected answer leads with the people who were asked."""
    item = draft_questionnaire(make_hidden_draft(owner)).items[2]
    codes = Counter(
        {level.code: count for level, count in zip(item.levels, (40, 30, 90), strict=True)}
    )
    report = question_report(3, ItemCounts(item, codes, batch_size=1), Reading())
    assert max(report.rows, key=lambda row: row.share).label == "Does not apply"
    fun = report.among_asked[0]
    assert report.lead.startswith(
        f"Most frequent: Fun, among the people asked, {fun.estimate_words} ("
    )


def test_how_many_were_asked_a_follow_up_is_what_its_family_says_of_yes(survey):
    counts = all_yes(survey)
    item = questionnaire_of(survey.revision).items[1]
    for method in ("clopper-pearson", "confidence-sequence"):
        yes = question_report(1, counts, Reading(method)).rows[0]
        words = question_report(2, replace(counts, item=item), Reading(method)).asked_words
        same = f"{yes.estimate_words}, {yes.low_words} to {yes.high_words}"
        assert f" of 25 people (estimated {same}) to whom the question applies" in words


def test_where_a_family_is_asked_of_some_its_answers_are_of_those_who_were(module):
    items = questionnaire_of(module.revision).items
    assert len(items) == 20
    family = items[17]
    codes = Counter({level.code: 4 for level in family.levels}) + Counter({family.not_asked: 50})
    report = question_report(18, ItemCounts(family, codes, batch_size=1), Reading())
    assert (report.n, report.not_asked) == (40, 50)
    assert report.rows[0].reported == 36
    assert sum(row.share for row in report.rows) == pytest.approx(1)
