"""A survey with a protected question, a place, a weight and a car, and its counts by hand."""

from collections import Counter

from django.contrib.auth.models import User

from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.results.analyses.queries import CrossCounts
from tests import factories


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
