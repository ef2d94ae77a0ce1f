"""The list of a survey's questions as rows: number, words, kind, odds, rule, problems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.draft.languages import missing_in
from surveys.authoring.draft.reasons import Reason
from surveys.authoring.drafts import NotReady, draft_questionnaire, item_of
from surveys.models import Condition, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.wording import odds
from surveys.wording.language.messages import translated

JOINS = {Question.Joins.ALL: gettext_lazy("and"), Question.Joins.ANY: gettext_lazy("or")}


@dataclass(frozen=True)
class QuestionRow:
    """One question of the list; ``odds`` is empty as long as it is not finished.

    ``missing_in`` says how many of its texts each further language lacks.
    """

    number: int
    question: Question
    odds: str
    rule: str
    problems: tuple[str, ...]
    complete_in: tuple[str, ...] = ()
    missing_in: tuple[tuple[str, int], ...] = ()

    @property
    def anchor(self) -> str:
        """The name of its row, so that a page can lead back to it."""
        return f"question-{self.question.pk}"

    @property
    def kind(self) -> str:
        return self.question.get_kind_display().split(":")[0]


@dataclass(frozen=True)
class QuestionList:
    """All questions of a survey; what one person's answers tell together, or what is missing."""

    rows: tuple[QuestionRow, ...]
    problems: tuple[str, ...]
    total: str

    @property
    def unfinished(self) -> int:
        return sum(bool(row.problems) for row in self.rows)


def question_list(survey: Survey) -> QuestionList:
    """The list as it stands; a launched survey has no problems."""
    questions = list(survey.questions.prefetch_related("options", "conditions"))
    numbers = {question.pk: number for number, question in enumerate(questions, start=1)}
    try:
        questionnaire, reasons = _questionnaire(survey, questions), []
        words = [odds.epsilon_words(item) for item in questionnaire.items]
    except NotReady as problem:
        questionnaire, reasons = None, problem.reasons
        words = [_odds(question) for question in questions]
    about, others = _by_question(reasons, questions)
    rows = (
        QuestionRow(number, question, phrase, rule_line(question, numbers), about[number], *spoken)
        for number, (question, phrase, spoken) in enumerate(
            zip(questions, words, _languages(survey, questions), strict=True), start=1
        )
    )
    total = odds.total_words(questionnaire) if questionnaire else ""
    return QuestionList(tuple(rows), others, total)


def _languages(
    survey: Survey, questions: Sequence[Question]
) -> Iterator[tuple[tuple[str, ...], tuple[tuple[str, int], ...]]]:
    """Of each question, the languages that have all its texts, and those that lack some."""
    if survey.state != Survey.State.DRAFT:  # launch has seen to it
        yield from [(survey.languages, ())] * len(questions)
        return
    own = survey.languages[:1]
    for lacking in missing_in(survey, questions):
        complete = tuple(language for language, count in lacking.items() if not count)
        yield (*own, *complete), tuple(pair for pair in lacking.items() if pair[1])


def _questionnaire(survey: Survey, questions: list[Question]) -> Questionnaire:
    """Raises NotReady."""
    if survey.state == Survey.State.DRAFT:
        return draft_questionnaire(survey, questions)
    return questionnaire_of(survey.revision)


def _by_question(
    reasons: Sequence[str], questions: Sequence[Question]
) -> tuple[dict[int, tuple[str, ...]], tuple[str, ...]]:
    """Reasons against a launch by the number of the question that they are about; the others."""
    of_questions = [why for why in reasons if isinstance(why, Reason) and why.question]
    about = {
        number: tuple(
            translated(reason.why) for reason in of_questions if reason.question == number
        )
        for number in range(1, len(questions) + 1)
    }
    others = tuple(translated(why) for why in reasons if why not in of_questions)
    return about, others


def _odds(question: Question) -> str:
    try:
        return odds.epsilon_words(item_of(question))
    except NotReady:
        return ""


def rule_line(question: Question, numbers: Mapping[UUID, int]) -> str:
    """Whom it is asked: "if 3 is Yes and 4 is less than 30"; empty if all people are asked."""
    parts = [_condition(row, numbers) for row in question.conditions.all()]
    return f" {JOINS[Question.Joins(question.rule_joins)]} ".join(parts)


def _condition(row: Condition, numbers: Mapping[UUID, int]) -> str:
    values = f" {gettext('or')} ".join(
        part.strip() for part in row.value.split("|") if part.strip()
    )
    source = numbers.get(row.source_id, gettext("another survey's question"))
    return f"{source} {row.get_comparison_display()} {values}".strip()
