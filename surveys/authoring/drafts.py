"""From a draft to a Questionnaire, kind by kind; reasons why a question or survey is not ready."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID

from django.utils import timezone

from surveys.authoring.draft.anchors import anchor_reasons
from surveys.authoring.draft.arms import arm_reasons, arms_of
from surveys.authoring.draft.behind import placed
from surveys.authoring.draft.budgets import (
    budget_of_draft,
    budget_reasons,
    plan_reasons,
    release_reasons,
    releases_of,
)
from surveys.authoring.draft.explanations import explanation_reasons
from surveys.authoring.draft.kinds import draft_kind
from surveys.authoring.draft.languages import arms_in, missing_reasons, put_into, translations_of
from surveys.authoring.draft.layout import layout_of, layout_reasons, link_reasons
from surveys.authoring.draft.names import names_twice, refusal_of_name
from surveys.authoring.draft.openings import opening_of, opening_reasons
from surveys.authoring.draft.quotes import quoting, quoting_as
from surveys.authoring.draft.reasons import Reason, of_question
from surveys.authoring.draft.rules import rules_of
from surveys.authoring.draft.surveys import (
    seal_reasons,
    seals_of,
    subset_reasons,
    survey_reasons,
    unchecked_reasons,
    voucher_reasons,
    vouchers_of,
)
from surveys.authoring.draft.tallies import tally_of, tally_reasons
from surveys.collecting.scripts import lightened, scripts_of, too_long
from surveys.kinds.counted.promise import sends_something
from surveys.models import PrivacyBudget, Question, Survey
from surveys.questionnaire import tokens
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.explanations import explanations_of
from surveys.questionnaire.kinds import question as promised
from surveys.questionnaire.pace import minutes_of
from surveys.questionnaire.sharing import sharing_reasons
from surveys.randomized_response.messages import sentence
from surveys.web.locales import offers_informal, speaking
from surveys.wording.language.messages import message_of

UNFINISHED = sentence(
    "An import lost a part of this question. Check the question, and remove its mark “not "
    "finished”."
)


class NotReady(ValueError):
    """A draft cannot be launched; ``reasons`` says everything that is missing."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


class DraftRows(Protocol):
    """The rows of a draft, in a database or in none."""

    def anew(self) -> tuple[Survey, list[Question]]:
        """The survey and its questions, for one whose words are replaced."""
        ...

    def translations(self, language: str) -> Mapping[str, str]:
        """What its texts are called in this language, by the digests of the texts."""
        ...


@dataclass(frozen=True)
class StoredRows:
    """Those of a draft in the database."""

    survey_id: UUID

    def anew(self) -> tuple[Survey, list[Question]]:
        survey = Survey.objects.get(pk=self.survey_id)
        return survey, _questions(survey)

    def translations(self, language: str) -> Mapping[str, str]:
        return translations_of(self.survey_id, language)


def draft_questionnaires(
    survey: Survey, unstored: DraftRows | None = None
) -> tuple[Questionnaire, ...]:
    """A draft in each of its languages, the author's own first. Raises NotReady.

    They differ in their texts alone; a launched document holds them all. ``unstored`` are the rows
    of one that is in no database.
    """
    reasons: list[str] = []
    rows = unstored or StoredRows(survey.pk)
    questions = unstored.anew()[1] if unstored else _questions(survey)
    try:
        first = draft_questionnaire(survey, questions)
    except NotReady as problem:
        reasons += problem.reasons
    reasons += missing_reasons(survey, questions, rows.translations)
    if reasons:
        raise NotReady(reasons)
    others = [_translated(rows, language, first) for language in survey.languages[1:]]
    return (first, *others)


def _translated(rows: DraftRows, language: str, first: Questionnaire) -> Questionnaire:
    """The same questionnaire in another language. Raises NotReady.

    What rules say of answers is said of their codes, which are the same in all languages.
    """
    survey, questions = rows.anew()
    known = rows.translations(language)
    put_into(known, survey, questions)
    with speaking(survey, language):
        items, reasons = _items_of(questions)
        reasons += [*layout_reasons(questions), *explanation_reasons(survey)]
        if not reasons:
            items, reasons = as_in(first, questions, items)
    if reasons:
        raise NotReady(
            [
                sentence("In the language {language}: {reason}", language=language, reason=reason)
                for reason in reasons
            ]
        )
    arms = arms_in(known, first.arms)
    return worded(replace(first, language=language, arms=arms), survey, questions, items)


def worded(
    first: Questionnaire,
    survey: Survey,
    questions: Sequence[Question],
    items: Sequence[promised.Question],
) -> Questionnaire:
    """A questionnaire with these items, and with the words of rows that are in its language."""
    # As the first language's were: all languages draw in one place.
    translated_items = lightened(replace(first, items=_promised(survey, items))).items
    return replace(
        first,
        title=survey.title,
        introduction=survey.introduction,
        organisation=survey.organisation,
        contact=survey.contact,
        items=translated_items,
        layout=layout_of(questions, survey.end_link),
        explanations=explanations_of(survey.explanations),
    )


def as_in(
    first: Questionnaire, questions: Sequence[Question], items: Sequence[promised.Question]
) -> tuple[list[promised.Question], list[str]]:
    """The questions with the rules, and so the families, of the first language."""
    pairs = zip(items, first.items, strict=True)
    worded_items, reasons = placed(
        questions, [replace(item, rule=original.rule) for item, original in pairs]
    )
    quoted, more = quoting_as(worded_items, first.items)
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
    budget = survey.budgets.first()
    reasons = _reasons(survey, asked, budget)  # in the language of the page
    with speaking(survey):
        return _draft_questionnaire(survey, asked, budget, reasons)


def _reasons(survey: Survey, questions: list[Question], budget: PrivacyBudget | None) -> list[str]:
    """Why it is not ready, before any question is looked at by itself."""
    today = timezone.now().date()
    return [
        *survey_reasons(survey, questions, today),
        *budget_reasons(budget, survey, questions),
        *opening_reasons(survey, questions, today),
        *release_reasons(budget, survey, questions),
        *names_twice(questions),
        *_unfinished(questions),
        *layout_reasons(questions),
        *link_reasons(survey.end_link),
        *explanation_reasons(survey),
        *arm_reasons(survey),
        *voucher_reasons(survey),
    ]


def _draft_questionnaire(
    survey: Survey,
    questions: list[Question],
    budget: PrivacyBudget | None,
    reasons: list[str],
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
    drafted = lightened(assembled(survey, questions, items, budget))
    checked = (plan_reasons, seal_reasons, unchecked_reasons, _script_reasons)
    reasons += [reason for reasons_of in checked for reason in reasons_of(drafted)]
    if reasons := [*reasons, *tally_reasons(survey, drafted)]:
        raise NotReady(reasons)
    return drafted


def assembled(
    survey: Survey,
    questions: Sequence[Question],
    items: Sequence[promised.Question],
    budget: PrivacyBudget | None,
) -> Questionnaire:
    """What a draft's questions make together, as they would be promised; nothing is checked."""
    drafted = Questionnaire(
        title=survey.title,
        introduction=survey.introduction,
        organisation=survey.organisation,
        contact=survey.contact,
        minutes=minutes_of(survey.introduction, items, survey.asked),
        items=_promised(survey, items),
        invitation_only=survey.invitation_only,
        batch_size=survey.batch_size,
        delete_on=survey.delete_on.isoformat() if survey.delete_on else None,
        budget=budget_of_draft(budget),
        code_length=survey.code_length or tokens.LONG,
        opening=opening_of(survey),
        asked=survey.asked,
        planned=survey.planned_responses,
        releases=releases_of(survey, timezone.now().date()),
        layout=layout_of(questions, survey.end_link),
        language=survey.language,
        arms=arms_of(survey),
        seals=seals_of(survey, items),
        vouchers=vouchers_of(survey),
        publish_rows=survey.publish_rows,
        marked_up=survey.marked_up,
        informal=survey.informal and offers_informal(survey.languages),
        explanations=explanations_of(survey.explanations),
    )
    return replace(drafted, tally=tally_of(survey, drafted))


def _promised(survey: Survey, items: Sequence[promised.Question]) -> tuple[promised.Question, ...]:
    """The questions, with the marks of their texts read where the survey has any."""
    return tuple(map(promised.with_marks, items) if survey.marked_up else items)


def item_of(question: Question) -> promised.Question:
    """One question as it would be promised. Raises NotReady with every reason why not."""
    kind = draft_kind(question)
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
    ruled, reasons = rules_of(question.survey, questions, items)
    return alone if reasons else ruled[questions.index(question)]


def rule_reasons(survey: Survey) -> list[str]:
    """Why launch would refuse rules and quotes; empty while some question is not ready itself."""
    questions = list(survey.questions.prefetch_related("options", "conditions__source"))
    try:
        items = [item_of(question) for question in questions]
    except NotReady:
        return []
    ruled, reasons = rules_of(survey, questions, items)
    return reasons + quoting(ruled, layout_of(questions))[1]


def _unfinished(questions: Sequence[Question]) -> Iterator[str]:
    for number, question in enumerate(questions, start=1):
        if question.unfinished:
            yield of_question(number, question.text, Reason(UNFINISHED, "unfinished"))


def _script_reasons(drafted: Questionnaire) -> Iterator[str]:
    """A page that runs more than a person can read is not launched."""
    if reason := too_long(scripts_of(drafted)):
        yield reason


def _nothing_asked(items: list[promised.Question]) -> Iterator[str]:
    if items and not any(map(sends_something, items)):
        yield sentence(
            "This survey has only pages of information and consent, which send no answers. Add "
            "a question."
        )


def _common_reasons(question: Question) -> Iterator[str]:
    if not question.text.strip():
        yield Reason(sentence("Write the question."), "text")
    if question.kind not in Question.PAGES and len(question.help) > Question.LONGEST_HELP:
        words = sentence(
            "The help text of this question is too long. Shorten the help text to {most} "
            "characters.",
            most=Question.LONGEST_HELP,
        )
        yield Reason(words, "help")
    if question.name and (refusal := refusal_of_name(question.name)):
        yield Reason(refusal, "name")
    if question.adaptive and "adaptive" not in draft_kind(question).fields:
        yield sentence(
            "Only ratings can show promising items more often. Choose the kind “Rating of items”, "
            "or remove the tick for promising items."
        )
    if question.counted_table and "counted_table" not in draft_kind(question).fields:
        yield Reason(
            sentence(
                "Only a yes-or-no question, a single choice or a scale can be counted while its "
                "answers are locked. Empty “table of locked answers (number)” for this question."
            ),
            "counted_table",
        )
