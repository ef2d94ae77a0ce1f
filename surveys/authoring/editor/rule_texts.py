"""RuleTexts: the rules of a question as its author types them, over names and values."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from surveys.authoring.draft.trees import lines_tree, own_tree, section_tree
from surveys.authoring.importing.conditions import RuleReader, Unsaid
from surveys.authoring.importing.exports import definition_of
from surveys.authoring.importing.rule_names import NamedQuestions, words_by_value
from surveys.authoring.importing.rules import Readable, give_rule, give_section_rule
from surveys.definitions.definition import DraftQuestion
from surveys.definitions.rules import text as rule_text
from surveys.definitions.rules.text import BadRuleText
from surveys.definitions.rules.tree import RuleTree
from surveys.models import Condition, Question, Survey
from surveys.randomized_response.messages import Message, sentence

ALWAYS = sentence(
    "This rule is always met. To ask all people, leave the text empty and remove all conditions."
)
# The fields of a question's form.
RULE_TEXTS = OWN_RULE, SECTION_RULE = ("rule_text", "section_rule")


@dataclass(frozen=True)
class NamedSource:
    """A question that a rule may read: what texts call it, and its answers by their values."""

    name: str
    key: UUID
    number: int
    text: str
    answers: tuple[tuple[str, str], ...]


class RuleTexts:
    """The rules of one question of a draft; a question that is not made yet comes last."""

    def __init__(self, survey: Survey, question: Question) -> None:
        self.survey, self.question = survey, question
        questions = survey.questions.prefetch_related("options", "conditions")
        self._named = NamedQuestions(tuple(questions), survey.languages[0])

    @property
    def own(self) -> str:
        """The text of its own rule; empty where it has none."""
        return self._named.text(own_tree(self._stored))

    @property
    def of_section(self) -> str:
        """The text of the rule of the section that begins with it."""
        return self._named.text(section_tree(self._stored))

    def of_lines(self, joins: str, rows: Iterable[Condition]) -> str:
        """The text of lines that are not stored yet."""
        return self._named.text(lines_tree(Question.Joins(joins), rows))

    def sources(self) -> Iterator[NamedSource]:
        """What its rules may read, in order."""
        for number, row in enumerate(self._earlier, start=1):
            answers = tuple(words_by_value(row, self.survey.languages[0]))
            yield NamedSource(self._named.names[row.pk], row.pk, number, row.text, answers)

    def conditions_for(self, typed: str, *, of_section: bool = False) -> list[Condition]:
        """Let the question have the rule that a text says, and return its conditions.

        Nothing is stored. An empty text is no rule. Raises BadRuleText.
        """
        if not typed:
            self._take_away(of_section=of_section)
            return []
        rule = rule_text.read(typed, self._problem)
        give = give_section_rule if of_section else give_rule
        rows = {self._named.names[row.pk]: row for row in self._earlier}
        language = self.survey.languages[0]
        answers = {name: dict(words_by_value(row, language)) for name, row in rows.items()}
        try:
            conditions = give(self.question, rule, Readable(self._drafted, rows, answers))
        except Unsaid as problem:
            raise BadRuleText(1, problem.words) from None
        if not conditions:
            raise BadRuleText(1, ALWAYS)
        return conditions

    def _take_away(self, *, of_section: bool) -> None:
        if of_section:
            self.question.section_shape = None
        else:
            self.question.rule_shape = None

    @cached_property
    def _stored(self) -> Question:
        """The question with its conditions as they are stored."""
        rows = {row.pk: row for row in self._named.questions}
        return rows.get(self.question.pk, self.question)

    @cached_property
    def _earlier(self) -> tuple[Question, ...]:
        rows = self._named.questions
        return rows[: rows.index(self.question)] if self.question in rows else rows

    @cached_property
    def _drafted(self) -> dict[str, DraftQuestion]:
        return {question.name: question for question in definition_of(self.survey).questions}

    def _problem(self, atom: RuleTree) -> Message | None:
        """What keeps a draft from having a comparison."""
        if atom.question not in [self._named.names[row.pk] for row in self._earlier]:
            words = sentence("No earlier question is called “{name}”. Check this name.")
            return words.format(name=atom.question)
        try:
            RuleReader(self._drafted).atom(atom)
        except Unsaid as problem:
            return problem.words
        return None
