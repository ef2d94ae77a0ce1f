"""A survey with a protected question, a place, a weight and a car, and its counts by hand."""

import csv
import io
from collections import Counter

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.results.analyses.queries import CrossCounts
from tests import factories
from tests.stored import store_rows


def make_asked_survey(owner: User) -> Survey:
    draft = factories.make_survey(owner)
    direct, kinds = Question.Design.DIRECT, Question.Kind
    factories.add_question(draft, required=True)
    factories.add_question(
        draft, "North", "South", "East", text="Where?", kind=kinds.CHOICE, design=direct
    )
    factories.add_question(
        draft, text="Weight?", kind=kinds.NUMBER, design=direct, minimum=0, maximum=9
    )
    factories.add_question(draft, text="Car?", design=direct, required=True)
    return factories.launched(draft)


def items_of(survey, *numbers: int) -> tuple[PromisedQuestion, ...]:
    items = questionnaire_of(survey.revision).items
    return tuple(items[number - 1] for number in numbers)


def crossed(survey, numbers: tuple[int, ...], counts) -> CrossCounts:
    item, *by = items_of(survey, *numbers)
    return CrossCounts(numbers, item, tuple(by), Counter(counts))


def store(survey, *codes: str, times: int) -> None:
    store_rows(survey.revision, ["".join(codes)] * times)


def make_answered_survey() -> Survey:
    survey = make_asked_survey(factories.make_user("grace"))
    for report, place, weight, car, times in (
        ("00", "00", "1", "00", 70),
        ("01", "00", "1", "00", 40),
        ("01", "01", "2", "01", 60),
        ("00", "01", "2", "01", 50),
        ("00", "02", "3", "00", 60),
        ("01", "02", "3", "00", 40),
        ("00", "01", "1", "01", 45),
        ("01", "01", "1", "01", 35),
        ("00", "00", "2", "00", 55),
        ("01", "00", "2", "00", 45),
        ("01", "03", "-", "01", 20),
    ):
        store(survey, report, place, weight, car, times=times)
    return survey


def page_of(client, survey, name: str, query: str = "") -> str:
    client.force_login(survey.owner)
    response = client.get(reverse(f"surveys:{name}", args=[survey.pk]) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def rows_of(client, survey, name: str, query: str) -> list[dict[str, str]]:
    client.force_login(survey.owner)
    response = client.get(reverse(f"surveys:{name}", args=[survey.pk]) + query)
    return list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))


@pytest.fixture(scope="module")
def launched_survey(made_once) -> Survey:
    """1 through two coins; 2: a place, 3: a weight, 4: a car, all asked directly."""
    return made_once(lambda: make_asked_survey(factories.make_user()))


@pytest.fixture(scope="module")
def answered_before(made_once) -> Survey:
    return made_once(make_answered_survey)


@pytest.fixture
def answered(answered_before, db) -> Survey:
    return Survey.objects.get(pk=answered_before.pk)
