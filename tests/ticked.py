"""Surveys with multiple choice: ticks alone, or with a question that reads them."""

from surveys.models import Question, Survey
from tests import factories


def asked(owner, *options: str, **fields: object) -> Survey:
    """A launched survey with ticks alone."""
    draft = factories.make_survey(owner)
    factories.add_ticks(draft, *options, **fields)
    return factories.launched(draft)


def routed(owner, comparison: str, value: str, **fields: object) -> Survey:
    """Ticks that are asked directly, and a question that reads them."""
    draft = factories.make_survey(owner)
    ticks = factories.add_ticks(draft, design=Question.Design.DIRECT, **fields)
    late = {"text": "Was it late?", "design": Question.Design.DIRECT, "same_screen": True}
    question = factories.add_question(draft, **late)
    factories.add_condition(question, ticks, comparison, value)
    return draft
