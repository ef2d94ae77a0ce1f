"""Condition: which answers ask a question, as a tree over names; read from JSON and written to it.

A launched form has the same language over numbers and codes, in
``surveys.questionnaire.logic.rules``; here questions have names and options values, as the author
chose them::

    {"is": ["a", "1"]}            the answer to a is 1
    {"is_not": ["a", "1"]}        it is not 1, or it is missing
    {"less": ["c", "3"]}          it is below 3; also "most" (at most), "more", "least" (at least)
    {"chosen": ["b", "2"]}        2 is among the options that are ticked
    {"marked": ["b", 2]}          at least two are ticked
    {"answered": ["a"]}           there is an answer
    {"missing": ["a"]}            there is none
    {"not": condition} {"all": [condition, ...]} {"any": [condition, ...]}

Two values: what is compared with a missing answer is false, but for ``is_not`` and ``missing``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from surveys.definitions.names import is_value, name_problem
from surveys.questionnaire.logic.rules import DEEPEST, JOINS, MOST_NODES
from surveys.randomized_response.messages import Message, sentence

COMPARED = ("is", "is_not", "less", "most", "more", "least", "chosen")
BARE = ("answered", "missing")
LONGEST_VALUE = 32
MOST_TICKED = 32


class BadCondition(ValueError):
    """What is no condition, or is too large. Its words are a message."""

    def __init__(self, words: Message) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True)
class Condition:
    """One node: an atom about the answer to a question, or conditions that are joined.

    ``name`` is its key in JSON. Atoms have a ``question``, and a ``value`` to compare with or a
    number of ticks in ``least``; the others have ``parts``.
    """

    name: str
    question: str = ""
    value: str = ""
    least: int = 0
    parts: tuple["Condition", ...] = field(default=())

    def atoms(self) -> Iterator["Condition"]:
        """The atoms, from left to right."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.atoms()

    @property
    def questions(self) -> frozenset[str]:
        """The names of the questions that it reads."""
        return frozenset(atom.question for atom in self.atoms())

    @property
    def depth(self) -> int:
        return 1 + max((part.depth for part in self.parts), default=0)

    @property
    def nodes(self) -> int:
        return 1 + sum(part.nodes for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """The JSON that ``condition_from`` reads."""
        if self.name == "not":
            return {"not": self.parts[0].to_json()}
        if self.name in JOINS:
            return {self.name: [part.to_json() for part in self.parts]}
        compared: list[Any] = [self.value] if self.name in COMPARED else []
        return {self.name: [self.question, *compared, *([self.least] if self.least else [])]}


def negated(condition: Condition) -> Condition:
    """The condition turned over."""
    return Condition("not", parts=(condition,))


def all_of(*conditions: Condition | None) -> Condition | None:
    """A condition that holds where all of these do; None where there is none."""
    return _joined("all", [part for part in conditions if part is not None])


def any_of(*conditions: Condition) -> Condition | None:
    """A condition that holds where at least one of these does; None where there is none."""
    return _joined("any", list(conditions))


def _joined(name: str, parts: list[Condition]) -> Condition | None:
    flat = [inner for part in parts for inner in (part.parts if part.name == name else (part,))]
    once = tuple(dict.fromkeys(flat))
    if len(once) < 2:
        return once[0] if once else None
    return Condition(name, parts=once)


def renamed(condition: Condition, change: Callable[[Condition], Condition]) -> Condition:
    """A condition with each of its atoms changed."""
    if not condition.parts:
        return change(condition)
    return replace(condition, parts=tuple(renamed(part, change) for part in condition.parts))


def check_size(condition: Condition) -> None:
    """Raises BadCondition for one that is too deep or has too many parts."""
    if condition.depth > DEEPEST:
        raise BadCondition(
            sentence(
                "The condition has {count} levels, and may have {most}: make it flatter.",
                count=condition.depth,
                most=DEEPEST,
            )
        )
    if condition.nodes > MOST_NODES:
        raise BadCondition(
            sentence(
                "The condition has {count} parts, and may have {most}: split the question.",
                count=condition.nodes,
                most=MOST_NODES,
            )
        )


def condition_from(entry: Any) -> Condition:
    """Read a condition from JSON. Raises BadCondition for anything that is not one."""
    condition = _read(entry, DEEPEST)
    check_size(condition)
    return condition


def _read(entry: Any, levels: int) -> Condition:
    if not levels:
        raise BadCondition(
            sentence("A condition has at most {most} levels: make it flatter.", most=DEEPEST)
        )
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise BadCondition(
            sentence("Each part of a condition is one name with its arguments: {example}.").format(
                example='{"is": ["a", "1"]}'
            )
        )
    ((name, arguments),) = entry.items()
    if name == "not":
        return negated(_read(arguments, levels - 1))
    if name in JOINS:
        if not isinstance(arguments, list) or not 2 <= len(arguments) <= MOST_NODES:
            raise BadCondition(
                sentence("“{name}” joins a list of 2 or more conditions.", name=name)
            )
        return Condition(name, parts=tuple(_read(part, levels - 1) for part in arguments))
    return _atom(name, arguments)


def _atom(name: str, arguments: Any) -> Condition:
    if name not in (*COMPARED, *BARE, "marked"):
        raise BadCondition(sentence("There is no condition named “{name}”.", name=name))
    if not isinstance(arguments, list) or len(arguments) != (1 if name in BARE else 2):
        raise BadCondition(
            sentence("“{name}” has the wrong number of arguments: see the schema.", name=name)
        )
    question, *compared = arguments
    if not isinstance(question, str):
        raise BadCondition(sentence("“{name}” needs the name of a question.", name=name))
    if problem := name_problem(question):
        raise BadCondition(problem)
    if name == "marked":
        return Condition(name, question, least=_ticks(compared[0]))
    return Condition(name, question, _value(compared[0]) if compared else "")


def _ticks(argument: Any) -> int:
    # A truth value is a whole number to Python, and not to JSON.
    if type(argument) is not int or not 1 <= argument <= MOST_TICKED:
        raise BadCondition(
            sentence("“marked” needs a whole number from 1 to {most}.", most=MOST_TICKED)
        )
    return argument


def _value(argument: Any) -> str:
    if isinstance(argument, str) and is_comparable(argument):
        return argument
    raise BadCondition(
        sentence(
            "Compare with a value of an option, a number or a day, in quotation marks: {example}."
        ).format(example='"2.5"')
    )


def is_comparable(text: str) -> bool:
    """Whether answers can be compared with this text: a value of an option, a number or a day.

    Numbers have no zero too many before or behind them, so that each is written in one way.
    """
    is_short = len(text) <= LONGEST_VALUE and text.isascii()
    return is_short and (is_value(text) or is_number(text) or is_day(text))


def is_number(text: str) -> bool:
    """Whether this is a number as this language writes it."""
    units, point, decimals = text.removeprefix("-").partition(".")
    if not units.isdecimal() or (len(units) > 1 and units[0] == "0") or text == "-0":
        return False
    return not point or (decimals.isdecimal() and decimals[-1] != "0")


def is_day(text: str) -> bool:
    """Whether this has the shape of a day: ``2026-01-31``."""
    year, _, rest = text.partition("-")
    month, _, day = rest.partition("-")
    parts = (year, month, day)
    return [*map(len, parts)] == [4, 2, 2] and all(part.isdecimal() for part in parts)
