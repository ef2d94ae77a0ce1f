"""From an editable draft to the questionnaire that respondents would be promised."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.utils import timezone

from surveys.authoring import draft_ratings
from surveys.authoring.draft_budgets import budget_reasons, text_budget_of
from surveys.authoring.draft_designs import LONG_LISTS, Answers, device_of, exposure_reason
from surveys.models import Question, Survey
from surveys.questionnaire.document import Questionnaire, level_code
from surveys.questionnaire.kinds import Item, Level
from surveys.questionnaire.long_lists import MOST_OPTIONS
from surveys.questionnaire.numbers import NumberRange

DECLINE_TEXT = "Prefer not to say"
MAXIMUM_QUESTIONS = 200
MAXIMUM_OPTIONS = 20  # that are shown one below the other
LONGEST_TEXT = 2000
LONGEST_LIST = 8000  # characters of all options together, so that the page stays light


class NotReady(ValueError):
    """A draft cannot be launched; ``reasons`` says everything that is missing."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


def draft_questionnaire(survey: Survey) -> Questionnaire:
    """The questionnaire of a draft as it stands. Raises NotReady with every reason why not."""
    questions = list(survey.questions.prefetch_related("options"))
    reasons = [*_survey_reasons(survey, questions), *budget_reasons(survey, questions)]
    items = []
    for number, question in enumerate(questions, start=1):
        try:
            items.append(item_of(question))
        except NotReady as problem:
            reasons += [f"Question {number} ({question.text}): {why}" for why in problem.reasons]
    if reasons:
        raise NotReady(reasons)
    return Questionnaire(
        title=survey.title,
        introduction=survey.introduction,
        organisation=survey.organisation,
        contact=survey.contact,
        minutes=survey.minutes,
        items=tuple(items),
        invitation_only=survey.invitation_only,
        batch_size=survey.batch_size,
        delete_on=survey.delete_on.isoformat() if survey.delete_on else None,
        text_budget=text_budget_of(survey),
    )


def item_of(question: Question) -> Item:
    """One question as it would be promised. Raises NotReady with every reason why not."""
    reasons = list(_question_reasons(question))
    if reasons:
        raise NotReady(reasons)
    if question.kind == Question.Kind.NUMBER:
        return Item(**_common(question), number=_number_range(question))
    if question.kind == Question.Kind.TEXT:
        return Item(**_common(question), longest=question.longest)
    if question.kind == Question.Kind.RATING:
        try:
            return draft_ratings.rating_item(question, _common(question), _levels(question))
        except ValueError as problem:
            raise NotReady([str(problem)]) from problem
    return _choice_item(question)


def _common(question: Question) -> dict[str, Any]:
    return dict(
        id=str(question.pk),
        text=question.text,
        help=question.help,
        required=question.required,
        kind=question.kind,
        design=question.design,
    )


def _choice_item(question: Question) -> Item:
    """A question with levels. Raises ValueError if its design cannot be drawn."""
    levels, display = _levels(question), _display(question)
    device = device_of(question, Answers(tuple(level.text for level in levels), display))
    return Item(**_common(question), levels=levels, display=display, **vars(device))


def _survey_reasons(survey: Survey, questions: list[Question]) -> Iterator[str]:
    for name, text in (
        ("the title", survey.title),
        ("why you ask (introduction)", survey.introduction),
        ("who asks", survey.organisation),
        ("where respondents can reach you (contact)", survey.contact),
    ):
        if not text.strip():
            yield f"Say {name}."
    today = timezone.now().date()
    if survey.close_on and survey.close_on < today:
        yield f"The last day, {survey.close_on}, is over: choose a later one, or none."
    if survey.delete_on and survey.delete_on <= today:
        yield f"The answers would be deleted on {survey.delete_on}: choose a day that is to come."
    if not questions:
        yield "Add at least one question."
    if len(questions) > MAXIMUM_QUESTIONS:
        yield f"Ask at most {MAXIMUM_QUESTIONS} questions; this draft has {len(questions)}."


def _question_reasons(question: Question) -> Iterator[str]:
    if not question.text.strip():
        yield "Write the question."
    if question.adaptive and question.kind != Question.Kind.RATING:
        yield (
            "Only ratings can show promising items more often: choose the kind “Rating of items”, "
            "or clear the mark."
        )
    if question.kind == Question.Kind.NUMBER:
        yield from _number_reasons(question)
        return
    if question.kind == Question.Kind.TEXT:
        yield from _text_reasons(question)
        return
    if question.kind == Question.Kind.RATING:
        yield from draft_ratings.rating_reasons(question)
        return
    if question.kind in (Question.Kind.CHOICE, Question.Kind.SCALE):
        yield from _option_reasons(question)
    if not question.required or question.kind == Question.Kind.YES_NO or question.options.all():
        yield from _design_reasons(question)


def _number_reasons(question: Question) -> Iterator[str]:
    if question.design != Question.Design.DIRECT:
        yield "A number can only be asked directly; offer ranges as a scale to protect it."
    if question.minimum is None or question.maximum is None:
        yield "Give the smallest and the largest number."
    elif question.minimum >= question.maximum:
        yield "The smallest number must be below the largest."
    elif any(
        bound != round(bound, question.decimal_places)
        for bound in (question.minimum, question.maximum)
    ):
        yield "The bounds have more decimal places than the answers may have."


def _text_reasons(question: Question) -> Iterator[str]:
    if question.design != Question.Design.DIRECT:
        yield "Free text can only be asked directly."
    if not 1 <= question.longest <= LONGEST_TEXT:
        yield f"A text may have 1 to {LONGEST_TEXT} characters."


def _option_reasons(question: Question) -> Iterator[str]:
    texts = [option.text.strip().casefold() for option in question.options.all()]
    most = MOST_OPTIONS if question.design in LONG_LISTS else MAXIMUM_OPTIONS
    if not 2 <= len(texts) <= most:
        yield f"Offer between 2 and {most} options; it has {len(texts)}."
    if MAXIMUM_OPTIONS < len(texts) <= MOST_OPTIONS and question.design not in LONG_LISTS:
        yield f"A design for long lists takes up to {MOST_OPTIONS}."
    if sum(map(len, texts)) > LONGEST_LIST:
        yield f"The options have more than {LONGEST_LIST:,} characters together: shorten them."
    if len({option.position for option in question.options.all()}) < len(texts):
        yield "Two options have the same position; number them in the order to be shown."
    if len(set(texts)) < len(texts):
        yield "Two options read the same."
    if not question.required and DECLINE_TEXT.casefold() in texts:
        yield f'"{DECLINE_TEXT}" is offered already, because the question is not required.'


def _design_reasons(question: Question) -> Iterator[str]:
    if question.design == Question.Design.DIRECT or len(_levels(question)) < 2:
        return
    try:
        reason = exposure_reason(question, _choice_item(question).epsilon)
    except ValueError as problem:
        reason = str(problem)
    if reason:
        yield reason


def _levels(question: Question) -> tuple[Level, ...]:
    if question.kind == Question.Kind.YES_NO:
        texts = ["No", "Yes"]
    else:
        texts = [option.text.strip() for option in question.options.all()]
    declining = DECLINE_TEXT
    if question.kind == Question.Kind.RATING:
        declining = draft_ratings.NOT_RATED
    levels = [Level(level_code(index), text) for index, text in enumerate(texts)]
    if not question.required:
        levels.append(Level(level_code(len(texts)), declining, declines=True))
    return tuple(levels)


def _display(question: Question) -> tuple[int, ...]:
    order = list(range(len(_levels(question))))
    if question.kind == Question.Kind.YES_NO:
        order[:2] = [1, 0]
    return tuple(order)


def _number_range(question: Question) -> NumberRange:
    minimum, maximum = (
        f"{Decimal(bound or 0):.{question.decimal_places}f}"
        for bound in (question.minimum, question.maximum)
    )
    return NumberRange(minimum, maximum, question.decimal_places)
