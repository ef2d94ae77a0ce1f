"""From a draft to a Questionnaire, kind by kind; reasons why a question or survey is not ready."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import override

from surveys.authoring.draft import ratings
from surveys.authoring.draft.anchors import anchor_reasons, known_share
from surveys.authoring.draft.arms import arm_reasons, arms_of
from surveys.authoring.draft.behind import placed, with_hidden
from surveys.authoring.draft.budgets import (
    budget_of_draft,
    budget_reasons,
    plan_reasons,
    release_reasons,
    releases_of,
)
from surveys.authoring.draft.designs import LONG_LISTS, Answers, device_of, exposure_reason
from surveys.authoring.draft.languages import arms_in, missing_reasons, put_into, translations_of
from surveys.authoring.draft.layout import layout_of, layout_reasons, link_reasons
from surveys.authoring.draft.openings import opening_of, opening_reasons
from surveys.authoring.draft.quotes import quoting, quoting_as
from surveys.authoring.draft.reasons import Reason, of_question
from surveys.authoring.draft.rules import rules_of
from surveys.authoring.draft.surveys import subset_reasons, survey_reasons
from surveys.authoring.kinds import days, numbers, several, trust
from surveys.authoring.kinds.silent import page_reasons
from surveys.collecting.scripts import scripts_of, too_long
from surveys.kinds.levels.promise import Level, level_code
from surveys.kinds.long_list.promise import MOST_OPTIONS
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.silent.promise import ConsentQuestion, InformationQuestion
from surveys.kinds.text.promise import OtherQuestion, TextQuestion
from surveys.models import Question, Survey
from surveys.questionnaire import tokens
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds import question as promised
from surveys.questionnaire.kinds.question import DECLINED_LABEL
from surveys.questionnaire.messages import message
from surveys.questionnaire.pace import minutes_of
from surveys.questionnaire.sharing import sharing_reasons
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import message_of, translated

NO_AND_YES = (message("No"), message("Yes"))
MAXIMUM_OPTIONS = 20  # that are shown one below the other
LONGEST_TEXT = 2000
LONGEST_LIST = 8000  # characters of all options together, so that the page stays light


class NotReady(ValueError):
    """A draft cannot be launched; ``reasons`` says everything that is missing."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


def draft_questionnaires(survey: Survey) -> tuple[Questionnaire, ...]:
    """A draft in each of its languages, the author's own first. Raises NotReady.

    They differ in their texts alone; a launched document holds them all.
    """
    reasons: list[str] = []
    questions = _questions(survey)
    try:
        first = draft_questionnaire(survey, questions)
    except NotReady as problem:
        reasons += problem.reasons
    reasons += missing_reasons(survey, questions)
    if reasons:
        raise NotReady(reasons)
    others = [_translated(survey.pk, language, first) for language in survey.languages[1:]]
    return (first, *others)


def _translated(survey_id: UUID, language: str, first: Questionnaire) -> Questionnaire:
    """The same questionnaire in another language. Raises NotReady.

    What rules say of answers is said of their codes, which are the same in all languages.
    """
    survey = Survey.objects.get(pk=survey_id)  # anew, because its words are replaced
    questions = _questions(survey)
    known = translations_of(survey, language)
    put_into(known, survey, questions)
    with override(language):
        items, reasons = _items_of(questions)
        reasons += layout_reasons(questions)
        if not reasons:
            items, reasons = as_in(first, questions, items)
    if reasons:
        raise NotReady(
            [
                sentence("In the language {language}: {reason}", language=language, reason=reason)
                for reason in reasons
            ]
        )
    return worded(first, language, survey, questions, items)


def worded(
    first: Questionnaire,
    language: str,
    survey: Survey,
    questions: Sequence[Question],
    items: Sequence[promised.Question],
) -> Questionnaire:
    """A questionnaire with these items, and with the words of rows that are in this language."""
    return replace(
        first,
        title=survey.title,
        introduction=survey.introduction,
        organisation=survey.organisation,
        contact=survey.contact,
        items=tuple(items),
        layout=layout_of(questions, survey.end_link),
        arms=arms_in(translations_of(survey, language), first.arms),
        language=language,
    )


def as_in(
    first: Questionnaire, questions: Sequence[Question], items: Sequence[promised.Question]
) -> tuple[list[promised.Question], list[str]]:
    """The questions with the rules, and so the families, of the first language."""
    pairs = zip(items, first.items, strict=True)
    found, reasons = placed(questions, [replace(item, rule=one.rule) for item, one in pairs])
    quoted, more = quoting_as(found, first.items)
    return quoted, reasons + more


def _questions(survey: Survey) -> list[Question]:
    return list(survey.questions.prefetch_related("options", "conditions__source"))


def _items_of(questions: Sequence[Question]) -> tuple[list[promised.Question], list[str]]:
    """The questions as they would be promised, and every reason why one is not ready."""
    items: list[promised.Question] = []
    reasons: list[str] = []
    for number, question in enumerate(questions, start=1):
        try:
            items.append(item_of(question))
        except NotReady as problem:
            reasons += [of_question(number, question.text, why) for why in problem.reasons]
    return items, reasons


def draft_questionnaire(survey: Survey, questions: list[Question] | None = None) -> Questionnaire:
    """The questionnaire of a draft in its author's language. Raises NotReady with every reason.

    ``questions`` are its questions in their order, where they were read already.
    """
    asked = _questions(survey) if questions is None else questions
    reasons = _reasons(survey, asked)  # in the language of the page
    with override(survey.language):
        return _draft_questionnaire(survey, asked, reasons)


def _reasons(survey: Survey, questions: list[Question]) -> list[str]:
    """Why it is not ready, before any question is looked at by itself."""
    today = timezone.now().date()
    return [
        *survey_reasons(survey, questions, today),
        *budget_reasons(survey, questions),
        *opening_reasons(survey, questions, today),
        *release_reasons(survey, questions),
        *layout_reasons(questions),
        *link_reasons(survey.end_link),
        *arm_reasons(survey),
    ]


def _draft_questionnaire(
    survey: Survey, questions: list[Question], reasons: list[str]
) -> Questionnaire:
    items, unready = _items_of(questions)
    reasons += unready
    if not unready:
        reasons += subset_reasons(survey, sum(item.is_randomized for item in items))
        reasons += sharing_reasons(items)
        reasons += _nothing_asked(items)
        items, against = rules_of(survey, questions, items)
        items, more = quoting(items, layout_of(questions))
        reasons += [*against, *more, *anchor_reasons(items)]
    if reasons:
        raise NotReady(reasons)
    drafted = assembled(survey, questions, items)
    if reasons := [*plan_reasons(drafted), *_script_reasons(drafted)]:
        raise NotReady(reasons)
    return drafted


def assembled(
    survey: Survey, questions: Sequence[Question], items: Sequence[promised.Question]
) -> Questionnaire:
    """What a draft's questions make together, as they would be promised; nothing is checked."""
    return Questionnaire(
        title=survey.title,
        introduction=survey.introduction,
        organisation=survey.organisation,
        contact=survey.contact,
        minutes=minutes_of(survey.introduction, items, survey.asked),
        items=tuple(items),
        invitation_only=survey.invitation_only,
        batch_size=survey.batch_size,
        delete_on=survey.delete_on.isoformat() if survey.delete_on else None,
        budget=budget_of_draft(survey),
        code_length=survey.code_length or tokens.LONG,
        opening=opening_of(survey),
        asked=survey.asked,
        planned=survey.planned_responses,
        releases=releases_of(survey, timezone.now().date()),
        layout=layout_of(questions, survey.end_link),
        language=survey.language,
        arms=arms_of(survey),
    )


def item_of(question: Question) -> promised.Question:
    """One question as it would be promised. Raises NotReady with every reason why not."""
    kind = DRAFTS[Question.Kind(question.kind)]
    reasons = [*_common_reasons(question), *kind.reasons(question)]
    if reasons:
        raise NotReady(reasons)
    try:
        return kind.build(question)
    except ValueError as problem:
        raise NotReady([message_of(problem)]) from problem


def placed_item(question: Question) -> promised.Question:
    """One question as it would be promised among the others of its survey, so in its family.

    As it would be on its own where another one is not ready. Raises NotReady if it is not itself.
    """
    alone = item_of(question)
    questions = _questions(question.survey)
    items, unready = _items_of(questions)
    if unready:
        return alone
    found, reasons = rules_of(question.survey, questions, items)
    return alone if reasons else found[questions.index(question)]


def rule_reasons(survey: Survey) -> list[str]:
    """Why launch would refuse rules and quotes; empty while some question is not ready itself."""
    questions = list(survey.questions.prefetch_related("options", "conditions__source"))
    try:
        items = [item_of(question) for question in questions]
    except NotReady:
        return []
    ruled, reasons = rules_of(survey, questions, items)
    return reasons + quoting(ruled, layout_of(questions))[1]


def _common(question: Question) -> dict[str, Any]:
    return dict(
        id=str(question.pk),
        text=question.text,
        help=question.help,
        required=question.required,
        kind=question.kind,
        design=question.design,
        known_yes=known_share(question),
    )


def _number(question: Question) -> promised.Question:
    return numbers.number_item(question, _common(question))


def _day(question: Question) -> promised.Question:
    if question.design == Question.Design.DIRECT:
        return days.day_item(question, _common(question))
    levels = _levels(days.periods(question), DECLINED_LABEL, question.required)
    return _with_device(question, levels, tuple(range(len(levels))))


def _day_reasons(question: Question) -> Iterator[str]:
    found = list(days.day_reasons(question))
    yield from found or _design_reasons(question, _day)


def _text(question: Question) -> promised.Question:
    return TextQuestion(**_common(question), longest=question.longest)


def _other(question: Question) -> promised.Question:
    return OtherQuestion(**_common(question), longest=question.longest)


def _information(question: Question) -> promised.Question:
    return InformationQuestion(**_common(question))


def _consent(question: Question) -> promised.Question:
    return ConsentQuestion(**_common(question))


def _ticks(question: Question) -> promised.Question:
    levels = _levels(NO_AND_YES, DECLINED_LABEL, question.required)
    return several.ticks_item(question, _common(question), levels)


def _ticks_reasons(question: Question) -> Iterator[str]:
    found = list(several.ticks_reasons(question))
    yield from found or _design_reasons(question, _ticks)


def _matrix(question: Question) -> promised.Question:
    levels = _levels(_scale(question), DECLINED_LABEL, question.required)
    return several.matrix_item(question, _common(question), levels)


def _matrix_reasons(question: Question) -> Iterator[str]:
    found = list(several.matrix_reasons(question))
    yield from found or _design_reasons(question, _matrix)


def _ranking(question: Question) -> promised.Question:
    return several.ranking_item(question, _common(question), DECLINED_LABEL)


def _ranking_reasons(question: Question) -> Iterator[str]:
    found = list(several.ranking_reasons(question))
    yield from found or _design_reasons(question, _ranking)


def _rating(question: Question) -> promised.Question:
    levels = _levels(_scale(question), ratings.NOT_RATED, question.required)
    return ratings.rating_item(question, _common(question), levels)


def _yes_no(question: Question) -> promised.Question:
    levels = _levels(NO_AND_YES, DECLINED_LABEL, question.required)
    return _with_device(question, levels, (1, 0, *range(2, len(levels))))


def _choice(question: Question) -> promised.Question:
    levels = _levels(_scale(question), DECLINED_LABEL, question.required)
    return _with_device(question, levels, tuple(range(len(levels))))


def _trust(question: Question) -> promised.Question:
    levels = _levels(trust.BELIEVED, DECLINED_LABEL, question.required)
    return _with_device(question, levels, tuple(range(len(levels))))


def _honest(question: Question) -> promised.Question:
    return NumberQuestion(**_common(question), number=trust.OF_100)


def _with_device(
    question: Question, levels: tuple[Level, ...], display: tuple[int, ...]
) -> promised.Question:
    """Raises ValueError if its design cannot be drawn."""
    levels, display, hidden = with_hidden(question, levels, display)
    device = device_of(question, Answers(tuple(level.text for level in levels), display))
    common = _common(question)
    if hidden:  # with an answer more, it is neither a yes or no nor a scale
        common |= {"hidden": hidden} | ({"kind": Question.Kind.CHOICE} if hidden.is_own else {})
    return device.kind(**common, levels=levels, display=display, **device.parts)


def _script_reasons(drafted: Questionnaire) -> Iterator[str]:
    """A page that runs more than a person can read is not launched."""
    if reason := too_long(scripts_of(drafted)):
        yield reason


def _nothing_asked(items: list[promised.Question]) -> Iterator[str]:
    if items and not any(item.is_sent for item in items):
        yield sentence("Add a question: nothing is sent of pages of information and consent.")


def _common_reasons(question: Question) -> Iterator[str]:
    if not question.text.strip():
        yield Reason(sentence("Write the question."), "text")
    if question.adaptive and question.kind != Question.Kind.RATING:
        yield sentence(
            "Only ratings can show promising items more often: choose the kind “Rating of items”, "
            "or clear the mark."
        )


def _yes_no_reasons(question: Question) -> Iterator[str]:
    yield from _design_reasons(question, _yes_no)


def _choice_reasons(question: Question) -> Iterator[str]:
    """Of a question with fewer than two answers no design can be judged."""
    yield from _option_reasons(question)
    if len(_scale(question)) + (not question.required) >= 2:
        yield from _design_reasons(question, _choice)


def _number_reasons(question: Question) -> Iterator[str]:
    bad = list(numbers.number_reasons(question))
    yield from bad
    if not bad and question.design == Question.Design.K_ARY:
        found = list(numbers.rounded_reasons(question))
        yield from found or _design_reasons(question, _number)


def _text_reasons(question: Question) -> Iterator[str]:
    if question.design != Question.Design.DIRECT:
        yield sentence("Free text can only be asked directly.")
    if not 1 <= question.longest <= LONGEST_TEXT:
        yield sentence("A text may have 1 to {longest_text} characters.", longest_text=LONGEST_TEXT)


def _option_reasons(question: Question) -> Iterator[str]:
    texts = [option.text.strip().casefold() for option in question.options.all()]
    most = MOST_OPTIONS if question.design in LONG_LISTS else MAXIMUM_OPTIONS
    if not 2 <= len(texts) <= most:
        yield Reason(
            sentence(
                "Offer between 2 and {most} options; it has {count}.", most=most, count=len(texts)
            ),
            "option_lines",
        )
    if MAXIMUM_OPTIONS < len(texts) <= MOST_OPTIONS and question.design not in LONG_LISTS:
        yield sentence(
            "A design for long lists takes up to {most_options}.", most_options=MOST_OPTIONS
        )
    if sum(map(len, texts)) > LONGEST_LIST:
        yield sentence(
            "The options have more than {longest:,} characters together: shorten them.",
            longest=LONGEST_LIST,
        )
    if len({option.position for option in question.options.all()}) < len(texts):
        yield sentence("Two options have the same position; number them in the order to be shown.")
    if len(set(texts)) < len(texts):
        yield Reason(sentence("Two options read the same."), "option_lines")
    declining = translated(DECLINED_LABEL)
    if not question.required and declining.casefold() in texts:
        yield sentence(
            '"{declining}" is offered already, because the question is not required.',
            declining=declining,
        )


def _design_reasons(
    question: Question, build: Callable[[Question], promised.Question]
) -> Iterator[str]:
    if question.design == Question.Design.DIRECT:
        return
    try:
        reason = exposure_reason(question, build(question).epsilon)
    except ValueError as problem:
        reason = message_of(problem)
    if reason:
        yield reason


def _scale(question: Question) -> list[str]:
    return [option.text.strip() for option in question.options.all()]


def _levels(texts: Sequence[str], declining: str, required: bool) -> tuple[Level, ...]:
    levels = [Level(level_code(index), translated(text)) for index, text in enumerate(texts)]
    if not required:
        levels.append(Level(level_code(len(texts)), translated(declining), declines=True))
    return tuple(levels)


@dataclass(frozen=True)
class DraftKind:
    """How a draft's question becomes one that is promised, and what keeps it from that."""

    build: Callable[[Question], promised.Question]
    reasons: Callable[[Question], Iterator[str]]


# One entry for each kind that an author can choose; a test asks for all of them.
DRAFTS: dict[Question.Kind, DraftKind] = {
    Question.Kind.YES_NO: DraftKind(_yes_no, _yes_no_reasons),
    Question.Kind.CHOICE: DraftKind(_choice, _choice_reasons),
    Question.Kind.SCALE: DraftKind(_choice, _choice_reasons),
    Question.Kind.NUMBER: DraftKind(_number, _number_reasons),
    Question.Kind.DATE: DraftKind(_day, _day_reasons),
    Question.Kind.TEXT: DraftKind(_text, _text_reasons),
    Question.Kind.OTHER: DraftKind(_other, _text_reasons),
    Question.Kind.RATING: DraftKind(_rating, ratings.rating_reasons),
    Question.Kind.TICKS: DraftKind(_ticks, _ticks_reasons),
    Question.Kind.MATRIX: DraftKind(_matrix, _matrix_reasons),
    Question.Kind.RANKING: DraftKind(_ranking, _ranking_reasons),
    Question.Kind.TRUST: DraftKind(_trust, trust.trust_reasons),
    Question.Kind.HONEST: DraftKind(_honest, trust.trust_reasons),
    Question.Kind.INFORMATION: DraftKind(_information, page_reasons),
    Question.Kind.CONSENT: DraftKind(_consent, page_reasons),
}
