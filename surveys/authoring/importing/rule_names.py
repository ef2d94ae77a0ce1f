"""NamedQuestions: the questions of a draft as rules over names call them, and their rules so."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from uuid import UUID

from surveys.authoring.draft.building import special_lines
from surveys.authoring.draft.trees import Tree, folded
from surveys.authoring.importing.texts import yes_and_no
from surveys.definitions.rules.text import written
from surveys.definitions.rules.tree import RuleTree, all_of, any_of, negated, rule_from
from surveys.models import Condition, Option, Question
from surveys.questionnaire.kinds.question import field_name

IS = Condition.Comparison
LIMITS = (IS.LESS, IS.MOST, IS.MORE, IS.LEAST)


@dataclass(frozen=True)
class NamedQuestions:
    """All questions of a draft in their order, with options; ``language`` is its author's.

    A question without a name has the one that files give it by its number.
    """

    questions: tuple[Question, ...]
    language: str

    @cached_property
    def names(self) -> dict[UUID, str]:
        return {
            question.pk: question.name or field_name(index)
            for index, question in enumerate(self.questions)
        }

    @cached_property
    def _by_key(self) -> dict[UUID, Question]:
        return {question.pk: question for question in self.questions}

    def exported(self, tree: Tree | None) -> RuleTree | None:
        """Raises ValueError for a condition that names no answer of a question of this survey."""
        # What was typed may be no value of a definition, or too much for one.
        return rule_from(folded(tree, self._atom, _joined).to_json()) if tree else None

    def text(self, tree: Tree | None) -> str:
        """The text of a rule; what names no answer stands in quotation marks, to be mended."""
        return written(folded(tree, self._atom_or_words, _joined)) if tree else ""

    def _atom_or_words(self, row: Condition) -> RuleTree:
        try:
            return self._atom(row)
        except ValueError:
            name = self.names.get(row.source_id, "?")
            return RuleTree("is", name, '"{}"'.format(row.value.replace('"', "”")))

    def _atom(self, row: Condition) -> RuleTree:
        source = self._by_key.get(row.source_id)
        if source is None:
            raise ValueError("a condition that reads another survey's question")
        name, comparison = self.names[row.source_id], IS(row.comparison)
        if comparison in (IS.ANSWERED, IS.MISSING):
            return RuleTree(comparison, name)
        if comparison in (IS.MARKED, IS.FEWER):
            marked = RuleTree("marked", name, least=int(row.value))
            return marked if comparison == IS.MARKED else negated(marked)
        values = self._values(source, row.value)
        if comparison in LIMITS:
            (value,) = values
            return RuleTree(comparison, name, value)
        is_ticked = source.kind == Question.Kind.TICKS
        named = any_of(*(RuleTree("chosen" if is_ticked else "is", name, each) for each in values))
        if named is None:
            raise ValueError("a condition without an answer")
        return named if comparison == IS.IS else _opposite(named)

    def _values(self, source: Question, typed: str) -> list[str]:
        answers = values_by_words(source, self.language)
        is_number = source.kind == Question.Kind.NUMBER
        return [_value(answers, part, is_number=is_number) for part in typed.split("|")]


def _joined(word: str, parts: Sequence[RuleTree]) -> RuleTree:
    """Rules joined by the word of a branch."""
    if word == "not":
        return negated(parts[0])
    together = all_of(*parts) if word == Question.Joins.ALL else any_of(*parts)
    return together or parts[0]


def _opposite(named: RuleTree) -> RuleTree:
    """By the word for it where one answer is named."""
    if named.name == "is":
        return RuleTree("is_not", named.question, named.value)
    return negated(named)


def values_by_words(source: Question, language: str) -> dict[str, str]:
    """The values of a question's answers by their words, as conditions compare them."""
    return {words.strip().casefold(): value for value, words in words_by_value(source, language)}


def words_by_value(source: Question, language: str) -> Iterator[tuple[str, str]]:
    """The values of a question's answers, with their words."""
    if source.kind == Question.Kind.YES_NO:
        yield from yes_and_no(language).items()
    if source.kind == Question.Kind.NUMBER:
        yield from special_lines(source)
    for value, option in valued_options(source):
        yield value, option.text


def valued_options(question: Question) -> Iterator[tuple[str, Option]]:
    """Each option with its value, which is its number where it has no other."""
    for number, option in enumerate(question.options.all(), start=1):
        yield option.value or str(number), option


def _value(answers: Mapping[str, str], words: str, *, is_number: bool) -> str:
    """Raises ValueError for words that are no answer."""
    value = answers.get(words.strip().casefold())
    if value is None and is_number:
        return number_of(words.strip().replace(",", "."))
    if value is None:
        raise ValueError(words)
    return value


def number_of(number: Decimal | str | None) -> str:
    """As a definition writes it: without zeros at its end. Raises ValueError for no number."""
    if number is None:
        return ""
    try:
        return f"{Decimal(number).normalize():f}"
    except InvalidOperation:
        raise ValueError(number) from None
