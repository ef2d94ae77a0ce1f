"""Constraint: what an XLSForm asks of an answer, as bounds, special answers, exclusive options.

::

    . >= 0 and . <= 120                        bounds
    (. >= 2 and . <= 54) or . = 999            bounds, and 999 as a special answer
    not(selected(., 'none') and count-selected(.) > 1)     "none" excludes other options
    string-length(.) <= 100                    the longest text
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from surveys.definitions.definition import MOST_SPECIALS
from surveys.definitions.imports.conditions import HOLDS
from surveys.definitions.imports.formulas import BadFormula, Formula, formula_of
from surveys.definitions.rules.text import number_of
from surveys.definitions.rules.tree import is_day
from surveys.randomized_response.messages import Message, sentence

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
ITSELF = Formula("field", ".")
COUNT = Formula("call", "count-selected", parts=(ITSELF,))
SEVERAL = [
    Formula("compare", sign, parts=(COUNT, Formula("number", number)))
    for sign, number in ((">", "1"), (">=", "2"))
]
NUMERIC = ("number", "choice")  # a choice is compared by the values of its options
NO_PATTERN = sentence(
    "The pattern is left out: it would check an address, and addresses identify people."
)
NOT_CHECKED = sentence(
    "The constraint is left out. Deniable checks only whether an answer is within its bounds."
)
SAY_SO = sentence("Say in the text of the question which answers you want.")
TOO_MANY = sentence(
    "A number question can have at most {most} special answers.", most=MOST_SPECIALS
)


@dataclass
class Constraint:
    """``limits`` are signs and what the answer is compared with; ``lost`` is what is left out."""

    limits: list[tuple[str, str]] = field(default_factory=list)
    special: list[str] = field(default_factory=list)
    exclusive: list[str] = field(default_factory=list)
    longest: int = 0
    lost: list[tuple[Message, Message]] = field(default_factory=list)

    def bounds(self, *, is_integer: bool) -> tuple[str, str]:
        """The smallest and the largest number; empty where there is no bound.

        Of whole numbers above 0 the smallest is 1; of others a strict bound counts as one.
        """
        low = high = ""
        for sign, limit in self.limits:
            number = number_of(limit)
            if is_integer and number.lstrip("-").isdecimal() and sign in ("<", ">"):
                number = str(int(number) + (1 if sign == ">" else -1))
            low, high = (number, high) if sign in (">", ">=") else (low, number)
        return low, high

    def allows(self, value: str) -> bool:
        """Whether the value of an option is within the bounds."""
        number = number_of(value)
        return bool(number) and all(
            HOLDS[sign](Decimal(number), Decimal(limit)) for sign, limit in self.limits
        )

    @property
    def days(self) -> tuple[str, str]:
        """The first and the last day; empty where there is none."""
        first = [limit for sign, limit in self.limits if sign in (">", ">=") and is_day(limit)]
        last = [limit for sign, limit in self.limits if sign in ("<", "<=") and is_day(limit)]
        return "".join(first[-1:]), "".join(last[-1:])


def constraint_of(text: str, kind: str) -> Constraint:
    """What a constraint asks of an answer of this kind. An empty text asks nothing."""
    constraint = Constraint()
    if not text.strip():
        return constraint
    try:
        formula = formula_of(text)
    except BadFormula:
        constraint.lost.append((NOT_CHECKED, SAY_SO))
        return constraint
    for part in _parts(formula, "and"):
        if not _takes(constraint, part, kind):
            is_pattern = part.kind == "call" and part.text == "regex"
            constraint.lost.append((NO_PATTERN if is_pattern else NOT_CHECKED, SAY_SO))
    constraint.lost = list(dict.fromkeys(constraint.lost))
    if len(constraint.special) > MOST_SPECIALS:
        constraint.lost.append((TOO_MANY, SAY_SO))
        del constraint.special[MOST_SPECIALS:]
    return constraint


def _parts(formula: Formula, kind: str) -> Iterator[Formula]:
    for part in formula.parts if formula.kind == kind else ():
        yield from _parts(part, kind)
    if formula.kind != kind:
        yield formula


def _takes(constraint: Constraint, part: Formula, kind: str) -> bool:
    """Whether a part of a constraint is one that questions here can have; it is noted then."""
    if part.kind == "or" and kind == "number":
        return _takes_special(constraint, part)
    if part.kind == "not" and kind == "ticks":
        return _takes_exclusive(constraint, part.parts[0])
    if part.kind != "compare" or part.text not in FLIPPED:
        return False
    sign, (left, right) = part.text, part.parts
    if right == ITSELF:
        sign, left, right = FLIPPED[sign], right, left
    if kind == "text" and left == Formula("call", "string-length", parts=(ITSELF,)):
        return _takes_length(constraint, sign, right.text)
    limit = _limit(right, kind)
    if left != ITSELF or not limit or sign == "=":
        return False
    constraint.limits.append((sign, limit))
    return True


def _limit(formula: Formula, kind: str) -> str:
    """The number or the day that an answer is compared with; empty if it is neither."""
    if formula.kind == "call" and formula.text == "date" and len(formula.parts) == 1:
        formula = formula.parts[0]
    if formula.kind not in ("number", "text"):
        return ""
    if kind == "date":
        return formula.text if is_day(formula.text) else ""
    return number_of(formula.text) if kind in NUMERIC else ""


def _takes_special(constraint: Constraint, part: Formula) -> bool:
    """Bounds or single numbers: ``(. >= 2 and . <= 54) or . = 999``."""
    ways = [(_equal_number(way), way) for way in _parts(part, "or")]
    special = [number for number, _ in ways if number]
    others = [way for number, way in ways if not number]
    bounds = Constraint()
    if len(others) != 1 or not all(
        _takes(bounds, each, "number") for each in _parts(others[0], "and")
    ):
        return False
    constraint.limits += bounds.limits
    constraint.special += special
    return True


def _equal_number(part: Formula) -> str:
    """The number to which an answer is equal; empty if the part says anything else."""
    is_equal = part.kind == "compare" and part.text == "=" and part.parts[0] == ITSELF
    return _limit(part.parts[1], "number") if is_equal else ""


def _takes_exclusive(constraint: Constraint, part: Formula) -> bool:
    """``selected(., 'none') and count-selected(.) > 1``, or with others that are selected."""
    parts = list(_parts(part, "and"))
    value = _selected(parts[0])
    if len(parts) != 2 or not value:
        return False
    is_exclusive = parts[1] in SEVERAL or _names_others(parts[1], value)
    if is_exclusive:
        constraint.exclusive.append(value)
    return is_exclusive


def _selected(part: Formula) -> str:
    match part:
        case Formula(kind="call", text="selected", parts=(field_, value)) if field_ == ITSELF:
            return value.text
    return ""


def _names_others(part: Formula, value: str) -> bool:
    """``selected(., 'a') or selected(., 'b')``: whether all of them are others."""
    named = [_selected(each) for each in _parts(part, "or")]
    return all(named) and value not in named


def _takes_length(constraint: Constraint, sign: str, number: str) -> bool:
    if sign not in ("<", "<=") or not number.isascii() or not number.isdecimal():
        return False
    constraint.longest = max(1, int(number[:6]) - (sign == "<"))
    return True
