"""A draft as respondents would meet it, also while some of its questions are unfinished."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

from surveys.authoring.draft.languages import arms_in, put_into, translations_of
from surveys.authoring.draft.layout import layout_of
from surveys.authoring.draft.quotes import quoting
from surveys.authoring.draft.rules import rules_of
from surveys.authoring.drafts import (
    NotReady,
    as_in,
    assembled,
    draft_questionnaire,
    item_of,
    worded,
)
from surveys.kinds.counted.promise import sends_something
from surveys.kinds.silent.promise import InformationQuestion
from surveys.models import Question, Survey
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds import question as promised
from surveys.randomized_response.messages import sentence
from surveys.web.locales import speaking
from surveys.wording.language.messages import translated

UNFINISHED = sentence("This question is not finished: {reasons}")


def preview_of(survey: Survey) -> tuple[Questionnaire, list[str]]:
    """What respondents would see, and everything that is missing before launch.

    A question that is not finished is a page that says what it needs, and a rule that cannot be
    read asks all people. Raises NotReady for a draft without a finished question.
    """
    questions = list(survey.questions.prefetch_related("options", "conditions"))
    try:
        return draft_questionnaire(survey, questions), []
    except NotReady as problem:
        missing = problem.reasons
    with speaking(survey):
        drafted = as_far_as_finished(survey, questions)
    if not any(map(sends_something, drafted.items)):
        raise NotReady(missing)
    return drafted, missing


def as_far_as_finished(survey: Survey, questions: Sequence[Question]) -> Questionnaire:
    """What the questions make together as they are, in the language that is active."""
    drafted = [_item(question) for question in questions]
    ruled, _ = rules_of(survey, questions, drafted)
    quoting_items, _ = quoting(ruled, layout_of(questions))
    return assembled(_asking(survey, ruled), questions, quoting_items, survey.budgets.first())


def preview_in(survey: Survey, language: str) -> tuple[Questionnaire, list[str]]:
    """The same in another language; a text that is not translated stands as its author wrote it.

    What its rules say of answers is read in the author's language. Raises NotReady.
    """
    first, missing = preview_of(survey)
    if language == first.language:
        return first, missing
    worded_survey = Survey.objects.get(pk=survey.pk)  # anew, because its words are replaced
    questions = list(worded_survey.questions.prefetch_related("options", "conditions"))
    known = translations_of(worded_survey.pk, language)
    put_into(known, worded_survey, questions)
    with speaking(survey, language):
        items, _ = as_in(first, questions, [_item(question) for question in questions])
        renamed = replace(first, language=language, arms=arms_in(known, first.arms))
        return worded(renamed, worded_survey, questions, items), missing


def _asking(survey: Survey, items: Sequence[promised.Question]) -> Survey:
    """The survey; without a number of protected questions to ask of which there are too few."""
    shown = copy(survey)
    if survey.asked and survey.asked >= sum(item.is_randomized for item in items):
        shown.asked = None
    return shown


def _item(question: Question) -> promised.Question:
    try:
        return item_of(question)
    except NotReady as problem:
        return InformationQuestion(
            id=str(question.pk),
            text=question.text or "-",
            help=translated(UNFINISHED.format(reasons=" ".join(map(translated, problem.reasons)))),
            required=False,
            kind=Question.Kind.INFORMATION,
            design=Question.Design.DIRECT,
        )
