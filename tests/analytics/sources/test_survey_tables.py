"""Direct answers as levels to tabulate: who gave none is counted, and what cannot be is refused."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from analytics.kinds.settings import SettingsError
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.sources.survey_tables import asked_of, rows_of
from analytics.workloads.asks import Ask
from surveys.models import Openings, Question
from surveys.models.queries import questionnaire_of
from surveys.results.queries import response_count
from tests.analytics.answering import AGE, CHEAT, MOOD, MOODS, TOWN, TOWNS
from tests.analytics.tabulating import ASKED, make_tabulated_survey
from tests.factories import add_question, launched, make_survey
from tests.stored import store_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey(owner):
    return make_tabulated_survey(owner, 0)


def store(survey, *codes: str) -> None:
    revision = survey.revision
    store_rows(revision, codes)


def one(question: int, **more) -> TableSettings:
    return TableSettings((TableQuestion(question, **more),), ((question,),))


def levels_of(survey, settings: TableSettings) -> tuple[str, ...]:
    return asked_of(questionnaire_of(survey.revision), settings).variables[0].levels


def test_levels_are_in_their_order_and_who_declined_comes_last(survey):
    assert levels_of(survey, one(TOWN)) == TOWNS  # required: no one declines
    assert levels_of(survey, one(MOOD)) == (*MOODS, "Prefer not to say")


def test_a_number_is_cut_into_intervals_and_who_declined_comes_last(survey):
    levels = levels_of(survey, one(AGE, cuts=("30", "45")))
    assert levels == ("18 to 29", "30 to 44", "45 to 99", "No answer")
    assert levels_of(survey, one(AGE, cuts=("18", "99"))) == ("18 to 98", "99", "No answer")


def test_a_number_that_is_not_cut_has_a_level_for_each(survey):
    levels = levels_of(survey, one(AGE, ask=Ask.CDF))
    assert levels == (*map(str, range(18, 100)), "No answer")


def test_decimals_are_cut_between_their_digits(owner):
    draft = make_survey(owner)
    kinds, designs = Question.Kind, Question.Design
    number = {"kind": kinds.NUMBER, "design": designs.DIRECT, "required": True}
    add_question(draft, minimum=Decimal("-1.5"), maximum=2, decimal_places=1, **number)
    survey = launched(draft)
    assert levels_of(survey, one(1, cuts=("0",))) == ("-1.5 to -0.1", "0 to 2.0")
    store(survey, "-1.5", "-0.1", "00.0", "02.0")
    assert rows_of(survey.revision, one(1, cuts=("0",))).ravel().tolist() == [0, 0, 1, 1]


def test_every_respondent_is_in_one_level_of_every_question(survey):
    store(survey, "00000018", "01030129", "02010030", "00040144", "010200--")
    rows = rows_of(survey.revision, ASKED)
    expected = [[0, 0, 0], [1, 3, 0], [2, 1, 1], [0, 4, 1], [1, 2, 3]]
    assert sorted(rows.tolist()) == sorted(expected)
    assert response_count(survey.revision) == 5


def test_nobody_is_no_row(survey):
    assert rows_of(survey.revision, ASKED).shape == (0, 3)
    assert response_count(survey.revision) == 0


def test_what_is_not_opened_yet_is_not_counted(survey):
    number = Openings.objects.get(revision=survey.revision).done + 1
    store_rows(survey.revision, ["00000018"], opening=number)
    store(survey, "01000018")
    assert rows_of(survey.revision, one(TOWN)).tolist() == [[1]]
    assert response_count(survey.revision) == 1


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        (one(CHEAT), "choose direct questions with numbers or with answers to choose from"),
        (one(5), "choose direct questions"),
        (one(99), "choose direct questions"),
        (one(TOWN, ask=Ask.RANGES), "have no order, so choose “Count each answer”"),
        (one(TOWN, cuts=("1",)), "only questions with numbers can be divided into groups"),
        (one(AGE, cuts=("17",)), "new groups must begin between 18 and 99"),
        (one(AGE, cuts=("30.5",)), "Whole numbers only"),
        (one(AGE, cuts=("1e400",)), "new groups must begin between 18 and 99"),
    ],
)
def test_what_cannot_be_tabulated_is_refused_with_the_reason(survey, settings, remedy):
    with pytest.raises(SettingsError, match=remedy):
        asked_of(questionnaire_of(survey.revision), settings)


def test_a_number_of_ten_thousand_values_must_be_cut(owner):
    draft = make_survey(owner)
    kinds, designs = Question.Kind, Question.Design
    add_question(draft, kind=kinds.NUMBER, design=designs.DIRECT, minimum=1, maximum=10_000)
    survey = launched(draft)
    with pytest.raises(SettingsError, match="this question has 10,000 different numbers"):
        levels_of(survey, one(1))
    assert len(levels_of(survey, one(1, cuts=("5000",)))) == 3


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        ({"tables": ()}, "choose at least one table"),
        ({"tables": ((TOWN,), (TOWN,))}, "each table only once"),
        ({"tables": ((MOOD, TOWN),)}, "list each question of a table only once"),
        ({"tables": ((TOWN, TOWN),)}, "list each question of a table only once"),
        ({"tables": ((TOWN, CHEAT),)}, "only numbers of questions that you chose"),
        ({"tables": ((TOWN,),)}, "put each of these questions into at least one table, or leave"),
        ({"questions": ()}, "choose 1 to 40 questions"),
        ({"questions": (TableQuestion(TOWN),) * 2}, "each question only once"),
    ],
)
def test_settings_that_are_none_are_refused(change, remedy):
    with pytest.raises(SettingsError, match=remedy):
        replace(ASKED, **change)


@pytest.mark.parametrize("cuts", [("NaN",), ("x",), ("5", "5"), ("6", "5"), ("Infinity",)])
def test_cuts_that_are_none_or_upside_down_are_refused(cuts):
    with pytest.raises(SettingsError, match="cuts"):
        TableQuestion(AGE, cuts=cuts)


def test_settings_read_back():
    assert TableSettings.from_data(ASKED.to_data()) == ASKED
    with pytest.raises(SettingsError):
        TableSettings.from_data({"questions": []})


def test_yes_and_no_are_ordered_and_counted(owner):
    draft = make_survey(owner)
    add_question(draft, design=Question.Design.DIRECT, required=True)
    survey = launched(draft)
    store(survey, "00", "01", "01")
    assert levels_of(survey, one(1, ask=Ask.CDF)) == ("No", "Yes")
    assert np.bincount(rows_of(survey.revision, one(1)).ravel()).tolist() == [1, 2]
