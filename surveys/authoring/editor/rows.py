"""The list of a survey's questions as rows: number, words, kind, protection, rule, problems."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.draft.kinds import draft_kind
from surveys.authoring.draft.languages import missing_in
from surveys.authoring.draft.reasons import Reason
from surveys.authoring.draft.trees import Tree, folded, own_tree, section_tree
from surveys.authoring.drafts import NotReady, draft_questionnaire, item_of
from surveys.authoring.protection.ways import Trials, Way, without_coin_words
from surveys.kinds.counted.promise import sends_something
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.models import Condition, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.wording import odds
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal
from surveys.wording.learning import who_learns

JOINS = {Question.Joins.ALL: gettext_lazy("and"), Question.Joins.ANY: gettext_lazy("or")}


@dataclass(frozen=True)
class QuestionRow:
    """One question of the list; ``odds`` is empty as long as it is not finished.

    ``section_rule`` is that of the section which it begins. ``missing_in`` says how many of its
    texts each further language lacks. ``without`` is there where answers tell too much together:
    what leaving it out leads to.
    """

    number: int
    question: Question
    odds: str
    rule: str
    problems: tuple[str, ...]
    complete_in: tuple[str, ...] = ()
    missing_in: tuple[tuple[str, int], ...] = ()
    without: Way | None = None
    section_rule: str = ""

    @property
    def anchor(self) -> str:
        """The name of its row, so that a page can lead back to it."""
        return f"question-{self.question.pk}"

    @property
    def kind(self) -> str:
        return self.question.get_kind_display().split(":")[0]


@dataclass(frozen=True)
class QuestionList:
    """All questions of a survey; what one person's answers tell together, or what is missing.

    ``word`` is the one that respondents read for it; ``ways`` lead to a better one;
    ``without_coin`` says which questions people with a coin of their own are not asked.
    """

    rows: tuple[QuestionRow, ...]
    problems: tuple[str, ...]
    total: str
    word: str = ""
    ways: tuple[Way, ...] = ()
    without_coin: str = ""

    @property
    def unfinished(self) -> int:
        return sum(bool(row.problems) for row in self.rows)

    def left_out_by(self, code: str) -> QuestionRow | None:
        """The row whose button sends this code; None for what no row offers."""
        offering = (row for row in self.rows if row.without and row.without.change.code == code)
        return next(offering, None)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing before a launch; texts of the survey itself are not listed."""
        return not self.problems and not self.unfinished and not self.untranslated

    @property
    def untranslated(self) -> dict[str, int]:
        """How many texts of questions each further language lacks, of those that lack some."""
        counts: Counter[str] = Counter()
        for row in self.rows:
            counts.update(dict(row.missing_in))
        return dict(counts)


def question_list(survey: Survey) -> QuestionList:
    """The list as it stands; a launched survey has no problems, and no ways out."""
    questions = _questions(survey)
    prefetch_related_objects([survey], "budgets")  # each change that is tried asks for them
    listed, questionnaire = _listed(survey, questions)
    if questionnaire is None or survey.state != Survey.State.DRAFT:
        return listed
    trials = Trials(survey, questions, questionnaire)
    without = trials.leaving_out()
    rows = tuple(replace(row, without=without.get(row.question.pk)) for row in listed.rows)
    return replace(listed, rows=rows, ways=tuple(trials.ways()))


def told_list(survey: Survey) -> QuestionList:
    """The same without ways out, each of which puts the whole draft together once more."""
    return _listed(survey, _questions(survey))[0]


def _questions(survey: Survey) -> list[Question]:
    return list(survey.questions.prefetch_related("options", "conditions"))


def _listed(survey: Survey, questions: list[Question]) -> tuple[QuestionList, Questionnaire | None]:
    """The list without ways out, and what the questions make together unless one is missing."""
    try:
        questionnaire = _questionnaire(survey, questions)
    except NotReady as problem:
        return _unfinished_list(survey, questions, problem.reasons), None
    return _finished_list(survey, questions, questionnaire), questionnaire


def _finished_list(
    survey: Survey, questions: Sequence[Question], questionnaire: Questionnaire
) -> QuestionList:
    words = list(map(_protection, questionnaire.items, questions))
    rows = tuple(_rows(survey, questions, words))
    word = who_learns(questionnaire) if questionnaire.randomized else ""
    without = without_coin_words(questionnaire)
    return QuestionList(rows, (), odds.total_words(questionnaire), word, without_coin=without)


def _unfinished_list(
    survey: Survey, questions: Sequence[Question], reasons: Sequence[str]
) -> QuestionList:
    about, others = _by_question(reasons, questions)
    words = [_odds(question) for question in questions]
    rows = _rows(survey, questions, words)
    return QuestionList(tuple(replace(row, problems=about[row.number]) for row in rows), others, "")


def _rows(
    survey: Survey, questions: Sequence[Question], words: Sequence[str]
) -> Iterator[QuestionRow]:
    numbers = {question.pk: number for number, question in enumerate(questions, start=1)}
    spoken = _languages(survey, questions)
    for question, phrase, languages in zip(questions, words, spoken, strict=True):
        rule, of_section = rule_line(question, numbers), section_line(question, numbers)
        number = numbers[question.pk]
        yield QuestionRow(number, question, phrase, rule, (), *languages, section_rule=of_section)


def _protection(item: PromisedQuestion, question: Question) -> str:
    """What a report on it tells; of a family the report on all, and what each would tell alone."""
    if isinstance(item, FollowUpQuestion):
        return gettext(
            "sent as one answer with question {number}; epsilon of this question only: {epsilon}"
        ).format(number=item.family, epsilon=_epsilon_alone(question))
    if not sends_something(item):
        return gettext("nothing is sent")
    words = odds.epsilon_words(item)
    if isinstance(item, FamilyQuestion):
        alone = gettext("; epsilon of this question only, without its follow-ups: {epsilon}")
        return words + alone.format(epsilon=_epsilon_alone(question))
    return words


def _epsilon_alone(question: Question) -> str:
    """Of a question that is finished."""
    return decimal(item_of(question).epsilon, 2)


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
        item = item_of(question)
        return odds.epsilon_words(item) if sends_something(item) else gettext("nothing is sent")
    except NotReady:
        return ""


def rule_line(question: Question, numbers: Mapping[UUID, int]) -> str:
    """Whom it is asked: "if 3 is Yes and 4 is less than 30"; empty if all people are asked."""
    if draft_kind(question).stands_below:
        return gettext("the last option of question {number} was chosen").format(
            number=numbers[question.pk] - 1
        )
    tree = own_tree(question)
    return _tree_words(tree, numbers) if tree else ""


def section_line(question: Question, numbers: Mapping[UUID, int]) -> str:
    """Whom the section that begins here is asked; empty if all people are."""
    tree = section_tree(question)
    return _tree_words(tree, numbers) if tree else ""


def rules_line(question: Question, numbers: Mapping[UUID, int]) -> str:
    """Its own rule and that of the section that begins here, as far as there are any."""
    return "; ".join(filter(None, (rule_line(question, numbers), section_line(question, numbers))))


def _tree_words(tree: Tree, numbers: Mapping[UUID, int]) -> str:
    def joined(word: str, parts: Sequence[tuple[str, bool]]) -> tuple[str, bool]:
        """What joins several stands in brackets where it is part of another."""
        shown = [f"({text})" if is_joined else text for text, is_joined in parts]
        if word == "not":
            return gettext("not {condition}").format(condition=shown[0]), False
        return f" {JOINS[Question.Joins(word)]} ".join(shown), True

    return folded(tree, lambda row: (condition_words(row, numbers), False), joined)[0]


def condition_words(row: Condition, numbers: Mapping[UUID, int]) -> str:
    """One row of a rule, with the number of the question that it reads."""
    values = f" {gettext('or')} ".join(
        part.strip() for part in row.value.split("|") if part.strip()
    )
    source = numbers.get(row.source_id, gettext("another survey's question"))
    return f"{source} {row.get_comparison_display()} {values}".strip()
