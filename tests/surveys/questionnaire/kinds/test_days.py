"""Dates, asked directly, or through a device as one of a few periods."""

import math
import re
from collections import Counter
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from django.urls import reverse

from surveys.authoring.drafts import item_of
from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Question
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.refusals import BadAnswers, BadDate
from surveys.questionnaire.submission import parse
from surveys.results.codebook.book import codebook
from surveys.results.queries import ItemCounts, item_counts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from tests import factories
from tests.bodies import body_of
from tests.posting import send_alike

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
DESIGNS = Question.Design
DECLINED = "x" * 10


def item(owner, **fields: object):
    return item_of(factories.add_day(factories.make_survey(owner), **fields))


@pytest.mark.parametrize("code", ["2025-03-15", "2026-01-31", DECLINED])
def test_a_day_of_the_range_is_stored_as_it_is_written(owner, code):
    found = item(owner)
    assert isinstance(found, DayQuestion)
    assert found.read([code], own_coin=False) == code
    assert len(code) == found.width


def test_with_an_own_hand_dashes_decline_and_a_wrong_date_says_what_to_write(owner):
    found = item(owner)
    assert found.read(["----------"], own_coin=True) == DECLINED
    assert found.read(["2025-04-01"], own_coin=True) == "2025-04-01"
    for other_length in ("---", "+2025-04-01", "2025-04-01+"):
        with pytest.raises(BadDate):
            found.read([other_length], own_coin=True)
    with pytest.raises(BadDate, match="from 2025-03-15 to 2026-01-31"):
        found.read(["2025-02-31"], own_coin=True)


@pytest.mark.parametrize(
    ("last", "count", "first_words", "last_words"),
    [
        (date(2025, 12, 31), 10, "2025-03", "2025-12"),
        (date(2027, 10, 1), 32, "2025-03", "2027-10"),
        (date(2027, 11, 1), 12, "2025-01 to 2025-03", "2027-10 to 2027-12"),
        (date(2033, 1, 1), 9, "2025", "2033"),
        (date(2056, 1, 1), 32, "2025", "2056"),
    ],
)
def test_periods_are_the_shortest_of_which_there_are_at_most_32(
    owner, last, count, first_words, last_words
):
    found = item(owner, design=DESIGNS.TWO_COINS, required=True, last_day=last)
    assert isinstance(found, LevelQuestion)
    texts = [level.text for level in found.levels]
    assert (len(texts), texts[0], texts[-1]) == (count, first_words, last_words)


def test_a_period_through_a_device_is_a_choice_with_its_channel(owner):
    found = item(owner, design=DESIGNS.K_ARY, epsilon=Decimal(2))
    assert found.levels[-1].declines
    assert 1.99 < found.epsilon <= 2
    report = question_report(1, ItemCounts(found, Counter({"00": 30, "01": 20})), Reading())
    assert [row.label for row in report.rows[:2]] == ["2025-03", "2025-04"]


def test_who_was_not_asked_is_counted_apart(owner):
    found = item(owner)
    codes = Counter({"2025-06-01": 2, DECLINED: 3, found.not_asked: 4})
    report = question_report(1, ItemCounts(found, codes), Reading())
    assert (report.n, report.declined, report.not_asked) == (2, 3, 4)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 40, 101])
def test_quartiles_of_days_are_those_of_numpy_rounded_down(owner, n):
    found, rng = item(owner), np.random.default_rng(n)
    given = date(2025, 3, 15).toordinal() + rng.integers(0, 300, n)
    codes = Counter(date.fromordinal(day).isoformat() for day in given.tolist())
    shown = dict(question_report(1, ItemCounts(found, codes), Reading()).statistics)
    quartiles = np.quantile(given, [0.25, 0.5, 0.75], method="lower").tolist()
    names = ("Lower quartile", "Median", "Upper quartile")
    assert [shown[name] for name in names] == [
        date.fromordinal(day).isoformat() for day in quartiles
    ]
    assert shown["Mean"] == date.fromordinal(math.floor(given.mean())).isoformat()


def asked_of_drivers(owner, **fields: object):
    """A launched survey that asks a date only of people who own a car."""
    draft = factories.make_survey(owner)
    car = factories.add_question(draft, text="Do you own a car?", design=DESIGNS.DIRECT)
    factories.add_condition(factories.add_day(draft, **fields), car)
    return factories.launched(draft)


def by_hand(survey, car: str, typed: str) -> str:
    """The code of a date as it was typed into the form for one's own coin."""
    body = body_of(survey.revision, [car, typed], own_coin=True)
    questionnaire = questionnaire_of(survey.revision)
    return parse(body, questionnaire=questionnaire, revision=str(survey.revision.pk)).codes[1]


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("required", [True, False])
def test_by_hand_a_date_with_a_rule_is_answered_declined_or_left_as_it_is(client, owner, required):
    survey = asked_of_drivers(owner, required=required)
    reply = client.get(reverse("respondent:own-coin", args=[survey.pk]))
    page = re.sub(r"\s+", " ", reply.content.decode())
    assert "Otherwise leave this question as it is" in page
    (field,) = re.findall(r'<input id="q002" [^>]*>', page)
    assert " required" not in field
    (untouched,) = re.findall(' value="([^"]*)"', field) or [""]
    assert by_hand(survey, "00", untouched) == "-" * 10
    assert by_hand(survey, "01", "2025-04-01") == "2025-04-01"
    if required:
        with pytest.raises(BadAnswers):
            by_hand(survey, "01", untouched)
    else:
        assert by_hand(survey, "01", untouched) == DECLINED


@pytest.mark.usefixtures("_static_files")
def test_dates_have_one_length_and_are_summed_up(client, owner):
    draft = factories.make_survey(owner)
    factories.add_day(draft)
    survey = factories.launched(draft)
    given = ["2025-03-15", "2025-03-31", "2025-06-01", "2026-01-31", DECLINED]
    send_alike(client, survey, *([code] for code in given))
    (counts,) = item_counts(survey.revision)
    report = question_report(1, counts, Reading())
    assert (report.n, report.declined) == (4, 1)
    assert dict(report.statistics) == {
        "Answers": "4",
        "Mean": "2025-06-27",
        "Earliest": "2025-03-15",
        "Lower quartile": "2025-03-15",
        "Median": "2025-03-31",
        "Upper quartile": "2025-06-01",
        "Latest": "2026-01-31",
    }
    assert [bar.count for bar in report.bins] == [2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    assert report.bins[0].label == "2025-03"
    (column,) = codebook(survey.revision, responses=5)["columns"]
    assert (column["first"], column["last"], column["declined"]) == (given[0], given[3], DECLINED)
    client.force_login(owner)
    assert client.get(reverse("surveys:chart", args=[survey.pk, 1])).status_code == 200
    assert (
        "2025-06-27" in client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    )
