"""A condition in XPath, as ``relevant`` of an XLSForm has it: true of the same answers.

An answer that is missing is an empty text there: compared with a number it is none, so that ``<``
is false of it, and ``!=`` is true. So both languages agree on what is missing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from surveys.definitions.rules.tree import RuleTree, is_day, is_number

NEVER = "false()"
SIGNS = {"is": "=", "is_not": "!=", "less": "<", "most": "<=", "more": ">", "least": ">="}
HOLDS: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "less": lambda left, right: left < right,
    "most": lambda left, right: left <= right,
    "more": lambda left, right: left > right,
    "least": lambda left, right: left >= right,
}


@dataclass(frozen=True)
class FormField:
    """What of a question a condition reads: the names of its fields in the form, and its answers.

    A table has a field for each row, any other question one. ``values`` are those of its options,
    in their order; ``special`` are numbers that are no answers to a number.
    """

    kind: str
    names: Sequence[str]
    values: Sequence[str] = ()
    special: Sequence[str] = ()


def xpath_of(condition: RuleTree, fields: Mapping[str, FormField]) -> str:
    """The formula of a condition; ``fields`` by the names of questions."""
    if condition.name == "not":
        return f"not({xpath_of(condition.parts[0], fields)})"
    if condition.parts:
        sign = " and " if condition.name == "all" else " or "
        return sign.join(_within(part, fields) for part in condition.parts)
    field = fields.get(condition.question)
    # What is said of a question that is not there is false, as of a missing answer.
    return _atom(condition, field) if field and field.names else NEVER


def _within(part: RuleTree, fields: Mapping[str, FormField]) -> str:
    text = xpath_of(part, fields)
    is_joined = part.name in ("all", "any") or " or " in text or " and " in text
    return f"({text})" if is_joined and part.name != "not" else text


def _atom(atom: RuleTree, field: FormField) -> str:
    first = f"${{{field.names[0]}}}"
    if atom.name == "answered":
        return " or ".join(f"${{{name}}} != ''" for name in field.names)
    if atom.name == "missing":
        return " and ".join(f"${{{name}}} = ''" for name in field.names)
    if atom.name == "marked":
        return f"count-selected({first}) >= {atom.least}"
    if atom.name == "chosen":
        return f"selected({first}, '{atom.value}')"
    if atom.name in HOLDS and field.values:
        return _beyond(atom, first, field.values)
    if atom.name in HOLDS and field.kind == "number" and is_number(atom.value):
        return _limited(atom, first, field.special)
    return f"{first} {SIGNS[atom.name]} {_literal(atom.value, field.kind)}"


def _literal(value: str, kind: str) -> str:
    if kind == "date" and is_day(value):
        return f"date('{value}')"
    return value if kind in ("number", "honest") and is_number(value) else f"'{value}'"


def _beyond(atom: RuleTree, name: str, values: Sequence[str]) -> str:
    """Options before or behind one, in their order: their values may be no numbers."""
    if atom.value not in values:
        return NEVER
    at = Decimal(values.index(atom.value))
    beyond = [value for n, value in enumerate(values) if HOLDS[atom.name](Decimal(n), at)]
    return " or ".join(f"{name} = '{value}'" for value in beyond) or NEVER


def _limited(atom: RuleTree, name: str, special: Sequence[str]) -> str:
    """A number; a special answer is one to the form, and none here."""
    holds, limit = HOLDS[atom.name], Decimal(atom.value)
    others = [code for code in special if holds(Decimal(code), limit)]
    compared = f"{name} {SIGNS[atom.name]} {atom.value}"
    return " and ".join([compared, *(f"{name} != {code}" for code in others)])
