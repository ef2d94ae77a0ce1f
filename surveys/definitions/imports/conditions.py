"""From a formula of a form to a condition over our names, or why there is none.

A comparison with a missing answer means here what it means in XPath: false, but for "is not".
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from surveys.definitions.imports.entries import Calculation, Entry, ReadForm, Written
from surveys.definitions.imports.formulas import BadFormula, Formula, formula_of
from surveys.definitions.kinds import NO, YES
from surveys.definitions.rules.text import number_of
from surveys.definitions.rules.tree import (
    MOST_TICKED,
    RuleTree,
    all_of,
    any_of,
    is_day,
    negated,
)
from surveys.randomized_response.messages import Message, sentence, shortened

DEEPEST_CALCULATION = 10
MOST_CALCULATIONS = 64  # put into one condition: each may read several others
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
LIMITS = {"<": "less", "<=": "most", ">": "more", ">=": "least"}
HOLDS: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
TICKED = {"1": True, "Y": True, "0": False, "": False}  # what a field of one option can be
TWO_ANSWERS = sentence(
    "The rule compares two answers with each other. Conditions in Deniable cannot do this."
)
NO_CONDITION = sentence("The rule does not compare an answer with a value.")
NEVER = sentence("The rule is never met.")


class Unreadable(ValueError):
    """A formula that no condition says the same as; in ``words`` why."""

    def __init__(self, words: Message) -> None:
        super().__init__(words)
        self.words = words


@dataclass
class RuleSource:
    """A question that conditions may read: its name and the values of its options, as they are now.

    ``values`` has ours by the form's own.
    """

    entry: Entry
    name: str
    values: Mapping[str, str]


@dataclass
class ConditionReader:
    """Reads the formulas of one form. ``used`` are the calculations whose text was put in."""

    form: ReadForm
    sources: Mapping[str, RuleSource]
    used: set[str] = field(default_factory=set)
    _within: list[str] = field(default_factory=list)
    _put_in: int = 0

    def read(self, written: Written) -> RuleTree | None:
        """The condition that a formula writes; None if it always holds. Raises Unreadable."""
        self._put_in = 0
        condition = self._condition(self._formula(written))
        if condition is False:
            raise Unreadable(NEVER)
        return None if condition is True else condition

    def _formula(self, written: Written) -> Formula:
        try:
            return formula_of(written.text, has_bare_fields=self.form.has_bare_fields)
        except BadFormula as problem:
            words = sentence(
                "The rule cannot be read at character {column}: {words}.",
                column=problem.column,
                words=problem.words,
            )
            raise Unreadable(words) from None

    def _condition(self, formula: Formula) -> RuleTree | bool:
        match formula.kind:
            case "and" | "or":
                return _joined(formula.kind, [self._condition(part) for part in formula.parts])
            case "not":
                return _turned(self._condition(formula.parts[0]))
            case "compare":
                return self._comparison(formula.text, *formula.parts)
            case "call":
                return self._call(formula)
        raise Unreadable(NO_CONDITION)

    def _call(self, formula: Formula) -> RuleTree | bool:
        match formula.text, formula.parts:
            case "true" | "false", ():
                return formula.text == "true"
            case "selected", (field_, literal) if field_.kind == "field":
                return self._selected(field_, _literal(literal))
            case "is_empty", (field_,) if field_.kind == "field":
                return self._compared(field_, "=", "")
        raise Unreadable(_uses(formula))

    def _selected(self, formula: Formula, value: str) -> RuleTree | bool:
        if formula.text not in self.form.calculations:
            source = self._source(formula.text)
            if source.entry.kind == "ticks":
                return RuleTree("chosen", source.name, self._value(source, value))
        return self._compared(formula, "=", value)

    def _comparison(self, sign: str, left: Formula, right: Formula) -> RuleTree | bool:
        left, right = _bare(left), _bare(right)
        if _is_literal(left) and not _is_literal(right):
            left, right, sign = right, left, FLIPPED[sign]
        if not _is_literal(right):
            raise Unreadable(TWO_ANSWERS if "field" in (left.kind, right.kind) else NO_CONDITION)
        literal = _literal(right)
        if _is_literal(left):
            return _holds(sign, _literal(left), literal)
        if left.kind == "field":
            return self._compared(left, sign, literal)
        if left.kind == "call" and left.text == "count-selected" and len(left.parts) == 1:
            return self._counted(self._source(left.parts[0].text), sign, literal)
        if left.kind == "arithmetic":
            words = sentence(
                "The rule calculates with “{sign}”. Conditions in Deniable cannot calculate.",
                sign=left.text,
            )
            raise Unreadable(words)
        raise Unreadable(_uses(left) if left.kind == "call" else NO_CONDITION)

    def _compared(self, formula: Formula, sign: str, literal: str) -> RuleTree | bool:
        """A field, compared with a value."""
        name = formula.text
        if name in self.form.calculations:
            return self._calculated(name, self.form.calculations[name], sign, literal)
        if formula.option or name in self.form.parts:
            return self._ticked(formula, sign, literal)
        source = self._source(name)
        if source.entry.kind == "ticks":
            return self._only(source, sign, literal)
        if not literal and sign in ("=", "!="):
            return RuleTree("missing" if sign == "=" else "answered", source.name)
        return COMPARED[source.entry.kind](self, source, sign, literal)

    def _source(self, name: str) -> RuleSource:
        if name in self.form.lost:
            words = sentence("The rule depends on “{name}”, which is left out: {why}")
            raise Unreadable(words.format(name=name, why=self.form.lost[name]))
        if name not in self.sources:
            words = sentence(
                "The rule depends on “{name}”, but the form has no question with this name."
            )
            raise Unreadable(words.format(name=shortened(name)))
        source = self.sources[name]
        if source.entry.kind not in READABLE:
            words = sentence(
                "The rule depends on “{name}”. Conditions in Deniable cannot use answers to a "
                "question of this kind."
            )
            raise Unreadable(words.format(name=name))
        return source

    def _value(self, source: RuleSource, literal: str) -> str:
        value = source.values.get(literal) or source.values.get(number_of(literal))
        if value is None:
            words = sentence(
                "The rule compares “{name}” with “{value}”, which is not an answer to “{name}”."
            )
            raise Unreadable(words.format(name=source.entry.name, value=shortened(literal)))
        return value

    def _ticked(self, formula: Formula, sign: str, literal: str) -> RuleTree:
        """One option of a multiple choice, which is a field of its own in REDCap and LimeSurvey."""
        name, option = self.form.parts.get(formula.text, (formula.text, formula.option))
        source = self._source(name)
        # In REDCap an option that is not ticked is 0, and never empty.
        is_known = literal in TICKED and (literal or self.form.has_bare_fields)
        if source.entry.kind != "ticks" or sign not in ("=", "!=") or not is_known:
            raise Unreadable(NO_CONDITION)
        chosen = RuleTree("chosen", source.name, self._value(source, option))
        return chosen if TICKED[literal] == (sign == "=") else negated(chosen)

    def _only(self, source: RuleSource, sign: str, literal: str) -> RuleTree:
        """In XPath all ticks are one text: equal to one option is this option and no other."""
        if sign not in ("=", "!="):
            raise Unreadable(NO_CONDITION)
        if not literal:
            some = RuleTree("marked", source.name, least=1)
            return some if sign == "!=" else negated(some)
        chosen = RuleTree("chosen", source.name, self._value(source, literal))
        several = RuleTree("marked", source.name, least=2)
        only = RuleTree("all", parts=(chosen, negated(several)))
        return only if sign == "=" else negated(only)

    def _counted(self, source: RuleSource, sign: str, literal: str) -> RuleTree | bool:
        number = number_of(literal)
        if source.entry.kind != "ticks" or not number.isdecimal():
            raise Unreadable(NO_CONDITION)
        at_least, beyond = _at_least(source, int(number)), _at_least(source, int(number) + 1)
        match sign:
            case ">=" | "<":
                return at_least if sign == ">=" else _turned(at_least)
            case ">" | "<=":
                return beyond if sign == ">" else _turned(beyond)
        exactly = _joined("and", [at_least, _turned(beyond)])
        return exactly if sign == "=" else _turned(exactly)

    def _calculated(
        self, name: str, calculation: Calculation, sign: str, literal: str
    ) -> RuleTree | bool:
        """A calculation that is one of two texts, by a condition on answers: that condition."""
        if name in self._within:
            raise Unreadable(
                sentence(
                    "The rule depends on “{name}”, a calculation that depends on itself."
                ).format(name=name)
            )
        self._put_in += 1
        if len(self._within) >= DEEPEST_CALCULATION or self._put_in > MOST_CALCULATIONS:
            raise Unreadable(
                sentence(
                    "The rule uses calculations that use other calculations, and there are too "
                    "many of them."
                )
            )
        self._within.append(name)
        try:
            rule = (
                True
                if calculation.rule is None
                else self._condition(self._formula(calculation.rule))
            )
            equal = self._equal(
                self._formula(calculation.formula), "=" if sign == "!=" else sign, literal
            )
        finally:
            self._within.pop()
        self.used.add(name)
        # Without its own condition a calculation is empty: equal to an empty text alone.
        holds = _joined("and", [rule, equal])
        if not literal and sign in ("=", "!="):
            holds = _joined("or", [_turned(rule), equal])
        return _turned(holds) if sign == "!=" else holds

    def _equal(self, formula: Formula, sign: str, literal: str) -> RuleTree | bool:
        formula = _bare(formula)
        if _is_literal(formula):
            return _holds(sign, _literal(formula), literal)
        if formula.kind == "call" and formula.text in ("if", "once") and formula.parts:
            if formula.text == "once":
                return self._equal(formula.parts[0], sign, literal)
            if len(formula.parts) == 3:
                test = self._condition(formula.parts[0])
                yes, no = (self._equal(part, sign, literal) for part in formula.parts[1:])
                if_so, else_ = _joined("and", [test, yes]), _joined("and", [_turned(test), no])
                return _joined("or", [if_so, else_])
        if formula.kind == "field":
            return self._compared(formula, sign, literal)
        raise Unreadable(
            sentence(
                "The rule depends on “{name}”, a calculation of the form that conditions in "
                "Deniable cannot contain."
            ).format(name=self._within[-1])
        )


def _chosen_value(
    reader: ConditionReader, source: RuleSource, sign: str, literal: str
) -> RuleTree | bool:
    """A choice compared with a value; beyond a limit are all options whose values are."""
    if sign in ("=", "!="):
        # The reader's own look-up, so that both say the same of a value that is none.
        value = reader._value(source, literal)
        return RuleTree("is" if sign == "=" else "is_not", source.name, value)
    limit = number_of(literal)
    if not limit:
        raise Unreadable(NO_CONDITION)
    beyond = [
        RuleTree("is", source.name, ours)
        for theirs, ours in source.values.items()
        if number_of(theirs) and HOLDS[sign](Decimal(number_of(theirs)), Decimal(limit))
    ]
    return any_of(*beyond) or False


def _number(
    reader: ConditionReader, source: RuleSource, sign: str, literal: str
) -> RuleTree | bool:
    """A number compared with one. A special answer is a number to the form, and none to us."""
    limit = number_of(literal)
    if not limit:
        raise Unreadable(NO_CONDITION)
    if sign in ("=", "!="):
        return RuleTree("is" if sign == "=" else "is_not", source.name, limit)
    special = [
        RuleTree("is", source.name, code)
        for code in source.entry.special
        if HOLDS[sign](Decimal(code), Decimal(limit))
    ]
    return any_of(RuleTree(LIMITS[sign], source.name, limit), *special) or False


def _day(reader: ConditionReader, source: RuleSource, sign: str, literal: str) -> RuleTree | bool:
    if not is_day(literal):
        raise Unreadable(NO_CONDITION)
    name = {"=": "is", "!=": "is_not", **LIMITS}[sign]
    return RuleTree(name, source.name, literal)


COMPARED: Mapping[str, Callable[[ConditionReader, RuleSource, str, str], RuleTree | bool]] = {
    "choice": _chosen_value,
    "scale": _chosen_value,
    "yes_no": _chosen_value,
    "number": _number,
    "date": _day,
}
READABLE = frozenset({*COMPARED, "ticks"})


def yes_no_values(yes: str, no: str) -> dict[str, str]:
    """Our values of a yes or no, by the form's."""
    return {yes: YES, no: NO}


def _bare(formula: Formula) -> Formula:
    """Without functions that change nothing of an answer."""
    while formula.kind == "call" and formula.text in ("number", "date", "string", "intval"):
        if len(formula.parts) != 1:
            break
        formula = formula.parts[0]
    return formula


def _is_literal(formula: Formula) -> bool:
    return formula.kind in ("number", "text")


def _uses(formula: Formula) -> Message:
    words = sentence(
        "The rule uses the function “{function}()”. Conditions in Deniable do not have this "
        "function."
    )
    return words.format(function=shortened(formula.text))


def _literal(formula: Formula) -> str:
    if not _is_literal(formula):
        raise Unreadable(NO_CONDITION)
    return formula.text.strip()


def _holds(sign: str, left: str, right: str) -> bool:
    """A comparison of two literals: of numbers where both are some, else of texts."""
    numbers = number_of(left), number_of(right)
    if all(numbers):
        return HOLDS[sign](Decimal(numbers[0]), Decimal(numbers[1]))
    if sign not in ("=", "!="):
        return False
    return (left == right) == (sign == "=")


def _at_least(source: RuleSource, least: int) -> RuleTree | bool:
    if least < 1:
        return True
    return False if least > MOST_TICKED else RuleTree("marked", source.name, least=least)


def _turned(condition: RuleTree | bool) -> RuleTree | bool:
    return not condition if isinstance(condition, bool) else negated(condition)


def _joined(kind: str, parts: list[RuleTree | bool]) -> RuleTree | bool:
    decisive = kind == "or"  # one true part decides "or", one false part "and"
    if any(part is decisive for part in parts):
        return decisive
    left = [part for part in parts if not isinstance(part, bool)]
    joined = any_of(*left) if decisive else all_of(*left)
    return joined or not decisive


def fields_read(form: ReadForm) -> frozenset[str]:
    """The names of all fields that a condition or a calculation of the form reads."""
    groups = {group for entry in form.entries for group in entry.groups}
    written = [*(entry.rule for entry in form.entries), *(group.rule for group in groups)]
    for calculation in form.calculations.values():
        written += [calculation.formula, calculation.rule]
    names: set[str] = set()
    for each in written:
        try:
            formula = formula_of(each.text, has_bare_fields=form.has_bare_fields) if each else None
        except BadFormula:
            continue  # it is noted where its question is settled
        names.update(field_names(formula) if formula else ())
    return frozenset(names)


def field_names(formula: Formula) -> Iterator[str]:
    """The names of the fields that a formula reads, from left to right."""
    if formula.kind == "field":
        yield formula.text
    for part in formula.parts:
        yield from field_names(part)
