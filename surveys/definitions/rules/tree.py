"""RuleTree: which answers ask a question, as a tree over names; read from JSON and written to it.

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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from surveys.definitions.names import is_reserved, is_value, name_problem
from surveys.questionnaire.logic.rules import DEEPEST, JOINS, MOST_NODES
from surveys.randomized_response.messages import Message, sentence

COMPARED = ("is", "is_not", "less", "most", "more", "least", "chosen")
BARE = ("answered", "missing")
LONGEST_VALUE = 32
MOST_TICKED = 32


class BadRuleTree(ValueError):
    """What is no condition, or is too large. Its words are a message.

    ``fits_schema``: its form is right, and no schema can say what is wrong.
    """

    def __init__(self, words: Message, *, fits_schema: bool = False) -> None:
        super().__init__(words)
        self.words, self.fits_schema = words, fits_schema


@dataclass(frozen=True)
class RuleTree:
    """One node: an atom about the answer to a question, or conditions that are joined.

    ``name`` is its key in JSON. Atoms have a ``question``, and a ``value`` to compare with or a
    number of ticks in ``least``; the others have ``parts``.
    """

    name: str
    question: str = ""
    value: str = ""
    least: int = 0
    parts: tuple["RuleTree", ...] = field(default=())

    def walked(self, level: int = 1) -> Iterator[tuple[int, "RuleTree"]]:
        """Each node after its level, from left to right, those above first."""
        yield level, self
        for part in self.parts:
            yield from part.walked(level + 1)

    @property
    def questions(self) -> frozenset[str]:
        """The names of the questions that it reads."""
        return frozenset(node.question for _, node in self.walked() if node.question)

    @property
    def depth(self) -> int:
        return max(level for level, _ in self.walked())

    @property
    def nodes(self) -> int:
        return sum(1 for _ in self.walked())

    def to_json(self) -> dict[str, Any]:
        """The JSON that ``rule_from`` reads."""
        if self.name == "not":
            return {"not": self.parts[0].to_json()}
        if self.name in JOINS:
            return {self.name: [part.to_json() for part in self.parts]}
        compared: list[Any] = [self.value] if self.name in COMPARED else []
        return {self.name: [self.question, *compared, *([self.least] if self.least else [])]}


def negated(condition: RuleTree) -> RuleTree:
    """The condition turned over."""
    return RuleTree("not", parts=(condition,))


def all_of(*conditions: RuleTree | None) -> RuleTree | None:
    """A condition that holds where all of these do; None where there is none."""
    return _joined("all", [part for part in conditions if part is not None])


def any_of(*conditions: RuleTree) -> RuleTree | None:
    """A condition that holds where at least one of these does; None where there is none."""
    return _joined("any", list(conditions))


def _joined(name: str, parts: list[RuleTree]) -> RuleTree | None:
    flat = [inner for part in parts for inner in (part.parts if part.name == name else (part,))]
    once = tuple(dict.fromkeys(flat))
    if len(once) < 2:
        return once[0] if once else None
    return RuleTree(name, parts=once)


def check_size(condition: RuleTree) -> None:
    """Raises BadRuleTree for one that is too deep or has too many parts."""
    if condition.depth > DEEPEST:
        raise BadRuleTree(
            sentence(
                "The condition is nested {count} levels deep, but at most {most} levels are "
                "possible. Nest fewer conditions inside each other.",
                count=condition.depth,
                most=DEEPEST,
            ),
            fits_schema=True,
        )
    if condition.nodes > MOST_NODES:
        raise BadRuleTree(
            sentence(
                "The condition has {count} parts, but can have at most {most}. Split the question "
                "into several questions.",
                count=condition.nodes,
                most=MOST_NODES,
            ),
            fits_schema=True,
        )


def rule_from(entry: Any) -> RuleTree:
    """Read a condition from JSON. Raises BadRuleTree for anything that is not one."""
    condition = _read(entry, DEEPEST)
    check_size(condition)
    return condition


def _read(entry: Any, levels: int) -> RuleTree:
    if not levels:
        raise BadRuleTree(
            sentence(
                "A condition can be nested at most {most} levels deep. Nest fewer conditions "
                "inside each other.",
                most=DEEPEST,
            ),
            fits_schema=True,
        )
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise BadRuleTree(
            sentence(
                "Write each part of a condition as one name with its arguments: {example}."
            ).format(example='{"is": ["a", "1"]}')
        )
    ((name, arguments),) = entry.items()
    if name == "not":
        return negated(_read(arguments, levels - 1))
    if name in JOINS:
        if not isinstance(arguments, list) or not 2 <= len(arguments) <= MOST_NODES:
            raise BadRuleTree(sentence("“{name}” needs a list of 2 or more conditions.", name=name))
        return RuleTree(name, parts=tuple(_read(part, levels - 1) for part in arguments))
    return _atom(name, arguments)


def _atom(name: str, arguments: Any) -> RuleTree:
    if name not in (*COMPARED, *BARE, "marked"):
        raise BadRuleTree(
            sentence(
                "“{name}” is not the name of a condition. The schema shows the possible names.",
                name=name,
            )
        )
    if not isinstance(arguments, list) or len(arguments) != (1 if name in BARE else 2):
        raise BadRuleTree(
            sentence(
                "“{name}” has the wrong number of arguments. The schema shows the right number.",
                name=name,
            )
        )
    question, *compared = arguments
    if not isinstance(question, str):
        raise BadRuleTree(
            sentence("Write the name of a question as the first argument of “{name}”.", name=name)
        )
    if problem := name_problem(question):
        raise BadRuleTree(problem, fits_schema=is_reserved(question))
    if name == "marked":
        return RuleTree(name, question, least=_ticks(compared[0]))
    return RuleTree(name, question, _value(compared[0]) if compared else "")


def _ticks(argument: Any) -> int:
    # A truth value is a whole number to Python, and not to JSON.
    if type(argument) is not int or not 1 <= argument <= MOST_TICKED:
        raise BadRuleTree(
            sentence(
                "Write a whole number from 1 to {most} as the second argument of “marked”.",
                most=MOST_TICKED,
            )
        )
    return argument


def _value(argument: Any) -> str:
    if isinstance(argument, str) and is_comparable(argument):
        return argument
    raise BadRuleTree(
        sentence(
            "Compare with the value of an option, a number or a day, in quotation marks: {example}."
        ).format(example='"2.5"'),
        fits_schema=isinstance(argument, str) and is_reserved(argument),
    )


def is_comparable(text: str) -> bool:
    """Whether answers can be compared with this text: a value of an option, a number or a day.

    Numbers have no zero too many before or behind them, so that each is written in one way.
    """
    is_short = len(text) <= LONGEST_VALUE and text.isascii()
    return is_short and (is_value(text) or is_number(text) or is_day(text))


def is_number(text: str) -> bool:
    """Whether this is a number as this language writes it, in the digits from 0 to 9."""
    units, point, decimals = text.removeprefix("-").partition(".")
    if (
        not text.isascii()
        or not units.isdecimal()
        or (len(units) > 1 and units[0] == "0")
        or text == "-0"
    ):
        return False
    return not point or (decimals.isdecimal() and decimals[-1] != "0")


def is_day(text: str) -> bool:
    """Whether this has the shape of a day: ``2026-01-31``."""
    year, _, rest = text.partition("-")
    month, _, day = rest.partition("-")
    parts = (year, month, day)
    has_digits = text.isascii() and all(part.isdecimal() for part in parts)
    return has_digits and [*map(len, parts)] == [4, 2, 2]
