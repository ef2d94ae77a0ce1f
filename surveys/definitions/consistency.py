"""What the parts of a definition must have to do with one another: names, languages, fields."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from surveys.definitions.definition import (
    LONGEST_HELP,
    LONGEST_QUESTION,
    MOST_QUESTIONS,
    Definition,
    DraftDesign,
    DraftQuestion,
)
from surveys.definitions.kinds import FIELDS, PAGES, PARAMETERS, SOMETIMES, WITH_OPTIONS
from surveys.definitions.names import repeated
from surveys.definitions.rules.tree import RuleTree
from surveys.definitions.shapes import DraftProblem, Texts, below
from surveys.randomized_response.messages import sentence


def problems_of(definition: Definition) -> Iterator[DraftProblem]:
    """All that contradicts itself. A draft may be unfinished, such as without a bound."""
    placed = list(_placed(definition))
    names = [question.name for _, question in placed]
    for name in repeated(names):
        again = [pointer for pointer, each in placed if each.name == name][-1]
        words = sentence(
            "Another question also has the name “{name}”. Change one of the two names.", name=name
        )
        yield DraftProblem(below(again, "name"), words)
    if len(placed) > MOST_QUESTIONS:
        yield DraftProblem(
            "/sections",
            sentence(
                "There are {count} questions, but a survey can have at most {most}. Divide the "
                "questions between two surveys.",
                count=len(placed),
                most=MOST_QUESTIONS,
            ),
        )
    for name in repeated([each.name for each in definition.explanations]):
        words = sentence(
            "The explanation “{name}” is written twice. Remove one of the two.", name=name
        )
        yield DraftProblem("/explanations", words)
    yield from _of_languages(definition)
    known = frozenset(names)
    for at, section in enumerate(definition.sections):
        yield from _of_rule(section.rule, below(below("/sections", at), "rule"), known)
    for pointer, question in placed:
        yield from _of_rule(question.rule, below(pointer, "rule"), known)
        yield from _of_question(question, pointer)


def _placed(definition: Definition) -> Iterator[tuple[str, DraftQuestion]]:
    """Each question, after its pointer."""
    for at, section in enumerate(definition.sections):
        for number, question in enumerate(section.questions):
            yield f"/sections/{at}/questions/{number}", question


def _of_languages(definition: Definition) -> Iterator[DraftProblem]:
    first, *_ = definition.languages
    if len(set(definition.languages)) < len(definition.languages):
        yield DraftProblem(
            "/languages", sentence("One of the languages is listed twice. Remove the repetition.")
        )
    texts: list[tuple[str, Texts]] = [("/title", definition.title)]
    texts += [(below(pointer, "text"), question.text) for pointer, question in _placed(definition)]
    for pointer, text in texts:
        if first not in text:
            words = sentence(
                "The text in the author's language, “{first}”, is missing. Add this text."
            )
            yield DraftProblem(pointer, words.format(first=first))


def _of_rule(rule: RuleTree | None, pointer: str, known: frozenset[str]) -> Iterator[DraftProblem]:
    for name in sorted(rule.questions - known) if rule else ():
        words = sentence(
            "The condition depends on “{name}”, but no question has this name.", name=name
        )
        yield DraftProblem(pointer, words)


def _of_question(question: DraftQuestion, pointer: str) -> Iterator[DraftProblem]:
    usual = {each.name: each.default for each in fields(DraftQuestion)}
    for name in sorted(SOMETIMES - FIELDS[question.kind]):
        if getattr(question, name) != usual[name]:
            words = sentence(
                "A question of the kind “{kind}” cannot have “{name}”. Remove “{name}”."
            )
            yield DraftProblem(below(pointer, name), words.format(kind=question.kind, name=name))
    longest = max(map(len, question.text.values()))
    if question.kind not in PAGES and longest > LONGEST_QUESTION:
        words = sentence(
            "The text of a question can have at most {most} characters. Shorten the text."
        )
        yield DraftProblem(below(pointer, "text"), words.format(most=LONGEST_QUESTION))
    longest = max(map(len, question.help.values()), default=0)
    if question.kind not in PAGES and longest > LONGEST_HELP:
        words = sentence(
            "The help of a question can have at most {most} characters. Shorten the help."
        )
        yield DraftProblem(below(pointer, "help"), words.format(most=LONGEST_HELP))
    yield from _of_design(question.design, below(pointer, "design"))
    if question.kind in WITH_OPTIONS:
        yield from _of_values([each.value for each in question.options], below(pointer, "options"))
        yield from _of_values([each.value for each in question.rows], below(pointer, "rows"))


def _of_values(values: Sequence[str], pointer: str) -> Iterator[DraftProblem]:
    for value in repeated(values):
        words = sentence(
            "The value “{value}” is used twice. Change one of the two values.", value=value
        )
        yield DraftProblem(pointer, words)


def _of_design(design: DraftDesign, pointer: str) -> Iterator[DraftProblem]:
    usual = DraftDesign()
    for each in fields(DraftDesign):
        is_its_own = each.name == "name" or each.name in PARAMETERS[design.name]
        if not is_its_own and getattr(design, each.name) != getattr(usual, each.name):
            words = sentence("The design “{design}” cannot have “{name}”. Remove “{name}”.")
            yield DraftProblem(
                below(pointer, each.name), words.format(design=design.name, name=each.name)
            )
