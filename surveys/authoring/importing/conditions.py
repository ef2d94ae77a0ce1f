"""Conditions over names as rows in brackets: what a draft holds of a rule, or why it cannot.

Each rule is "all of any" and "any of all" of its atoms, its two normal forms, and rows in brackets
say either. Of both the one with fewer rows is taken. An atom and its opposite are both comparisons
of a draft, so that no row needs a "not"; two values, as in ``definitions.rules.tree``.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import partial
from itertools import product

from surveys.authoring.draft.rules import MOST_CONDITIONS
from surveys.authoring.draft.trees import WITHIN
from surveys.definitions.definition import DraftQuestion
from surveys.definitions.kinds import NO, YES
from surveys.definitions.rules.tree import LONGEST_VALUE, RuleTree, is_number
from surveys.models import Condition, Question
from surveys.randomized_response.messages import Message, sentence

IS, JOINS = Condition.Comparison, Question.Joins
MOST_CLAUSES = 200  # on the way: what is longer than rows can say is not finished
EXACT = Context(prec=2 * LONGEST_VALUE)  # digits of any value, and of its decimal places
CHOICES = ("yes_no", "choice", "scale")
OPPOSITES = {
    IS.IS: IS.IS_NOT,
    IS.MARKED: IS.FEWER,
    IS.ANSWERED: IS.MISSING,
    IS.LESS: IS.LEAST,
    IS.MOST: IS.MORE,
}
OPPOSITES |= {other: one for one, other in OPPOSITES.items()}
# What a missing answer is, too: the opposites of the others are true of no missing answer.
OF_MISSING = (IS.IS_NOT, IS.FEWER, IS.MISSING)
NEVER = sentence("The rule is never met.")


class Unsaid(ValueError):
    """A rule that no rows say the same as; in ``words`` why."""

    def __init__(self, words: Message) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True)
class Atom:
    """One comparison of the answer to a question; with several values for ``is`` and ``is_not``."""

    question: str
    comparison: Condition.Comparison
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Joined:
    """Parts of a condition of which all hold, or any."""

    joins: Question.Joins
    parts: tuple["Part", ...]


Part = Atom | Joined | bool
Clauses = frozenset[frozenset[Atom]]


@dataclass(frozen=True)
class RuleRows:
    """A rule as a draft holds it: atoms by bracket, each bracket joined by the other word."""

    joins: Question.Joins
    brackets: tuple[tuple[Atom, ...], ...]

    def numbered(self) -> Iterator[tuple[Atom, int | None]]:
        """Each atom with the number of its bracket; None where it stands by itself."""
        number = 0
        for bracket in self.brackets:
            number += len(bracket) > 1
            yield from ((atom, number if len(bracket) > 1 else None) for atom in bracket)

    @property
    def size(self) -> int:
        return sum(map(len, self.brackets))

    @property
    def letters(self) -> int:
        """How many brackets have several rows."""
        return sum(len(bracket) > 1 for bracket in self.brackets)

    @property
    def is_short(self) -> bool:
        """Whether a question's page has room for it."""
        return self.size <= MOST_CONDITIONS and self.letters <= len(Condition.Bracket)


def rows_of(rule: RuleTree, questions: Mapping[str, DraftQuestion]) -> RuleRows | None:
    """The rows that ask the same people as the rule; None where a question's page has no room.

    ``questions`` are those of the draft by their names, in their order. A rule that asks all people
    has no rows. Raises Unsaid.
    """
    part = RuleReader(questions).part(rule)
    forms = {joins: clauses for joins in JOINS if (clauses := _clauses(part, joins)) is not None}
    if any(_never(clauses, joins) for joins, clauses in forms.items()):
        raise Unsaid(NEVER)
    order = {name: at for at, name in enumerate(questions)}
    ways = [_rows(clauses, joins, order) for joins, clauses in forms.items()]
    short = [way for way in ways if way.is_short]
    return min(short, key=lambda way: (way.size, way.letters), default=None)


class RuleReader:
    """From trees over names to parts without negation; raises Unsaid for what no draft compares."""

    def __init__(self, questions: Mapping[str, DraftQuestion]) -> None:
        self.questions = questions

    def part(self, rule: RuleTree, *, is_turned: bool = False) -> Part:
        if rule.name == "not":
            return self.part(rule.parts[0], is_turned=not is_turned)
        if rule.parts:
            joins = WITHIN[JOINS(rule.name)] if is_turned else JOINS(rule.name)
            return _in_one(joins, [self.part(each, is_turned=is_turned) for each in rule.parts])
        part = self.atom(rule)
        return self._turned(part) if is_turned else part

    def atom(self, rule: RuleTree) -> Part:
        """What one comparison is in a draft."""
        name, question = rule.name, self.questions[rule.question]
        if name == "is_not":
            return self._turned(self.atom(replace(rule, name="is")))
        is_ticked = question.kind == "ticks"
        if question.kind not in (*CHOICES, "ticks", "number"):
            words = sentence(
                "The rule depends on “{name}”, but rules of a draft cannot use answers to this "
                "question."
            )
            raise Unsaid(words.format(name=rule.question))
        if name in ("answered", "missing"):
            return Atom(question.name, IS(name))
        if name == "marked" and is_ticked:
            return Atom(question.name, IS.MARKED, (str(rule.least),))
        if name == "is" and question.kind == "number":
            return _equal(question, rule.value)
        if question.kind == "number" and name != "chosen":
            return _limited(question, IS(name), rule.value)
        if name == ("chosen" if is_ticked else "is"):
            return _is(question, [rule.value])
        if question.kind == "scale" and name in BEYOND:
            return bool(_beyond(question, name, rule.value)) and Atom(
                question.name, IS(name), (rule.value,)
            )
        words = sentence("The comparison “{comparison}” does not fit “{name}”.")
        raise Unsaid(words.format(comparison=name, name=question.name))

    def plain(self, atom: Atom) -> Atom:
        """A scale beyond an answer as those answers; all others as they are."""
        question = self.questions[atom.question]
        if question.kind != "scale" or atom.comparison not in BEYOND:
            return atom
        values = _beyond(question, atom.comparison, *atom.values)
        return Atom(question.name, IS.IS, tuple(values))

    def _turned(self, part: Part) -> Part:
        """The opposite, which is true of a missing answer where the part is not.

        Of a part about a number it is true of special answers too, which are neither less nor more.
        """
        if isinstance(part, bool):
            return not part
        if isinstance(part, Joined):
            return Joined(WITHIN[part.joins], tuple(map(self._turned, part.parts)))
        plain = self.plain(part)
        other = replace(plain, comparison=OPPOSITES[plain.comparison])
        if plain.comparison in OF_MISSING or other.comparison in OF_MISSING:
            return other
        codes = _special_codes(self.questions[part.question])
        special = (Atom(part.question, IS.IS, codes),) if codes else ()
        return Joined(JOINS.ANY, (other, *special, Atom(part.question, IS.MISSING)))


def _in_one(joins: Question.Joins, parts: Sequence[Part]) -> Part:
    """Joined, with the values of a question in one comparison: multiplied out, each is a row."""
    atoms = [part for part in parts if isinstance(part, Atom)]
    others = [part for part in parts if not isinstance(part, Atom)]
    left = (*_merged(atoms, joins), *others)
    return left[0] if len(left) == 1 else Joined(joins, left)


BEYOND = {
    "less": lambda at, limit: at < limit,
    "most": lambda at, limit: at <= limit,
    "more": lambda at, limit: at > limit,
    "least": lambda at, limit: at >= limit,
}


def _beyond(question: DraftQuestion, name: str, value: str) -> list[str]:
    """The values of a scale below or above one, in the order of its options. Raises Unsaid."""
    values = values_of(question)
    if value not in values:
        raise _no_answer(question, value)
    return [each for at, each in enumerate(values) if BEYOND[name](at, values.index(value))]


def _is(question: DraftQuestion, values: Sequence[str]) -> Part:
    for value in values:
        if value not in values_of(question):
            raise _no_answer(question, value)
    return Atom(question.name, IS.IS, tuple(values)) if values else False


def values_of(question: DraftQuestion) -> list[str]:
    """The values of a question's answers, in their order."""
    if question.kind == "yes_no":
        return [YES, NO]
    return [option.value for option in question.options]


def _no_answer(question: DraftQuestion, value: str) -> Unsaid:
    words = sentence(
        "The rule compares “{name}” with “{value}”, which is not an answer to “{name}”."
    )
    return Unsaid(words.format(name=question.name, value=value))


def _equal(question: DraftQuestion, value: str) -> Part:
    """A number that is one value, if it can be. Special answers by their codes."""
    if value in _special_codes(question):
        return Atom(question.name, IS.IS, (value,))
    limited = _limited(question, IS.MOST, value)
    is_reached = isinstance(limited, Atom) and limited.values == (value,)
    is_within = isinstance(_limited(question, IS.LEAST, value), Atom)
    return is_reached and is_within and Atom(question.name, IS.IS, (value,))


def _limited(question: DraftQuestion, comparison: Condition.Comparison, value: str) -> Part:
    """A number beyond a limit, which a draft wants within the bounds and in whole units.

    Raises Unsaid for a limit that is no number: in JSON every value can be one.
    """
    if not is_number(value):
        raise _no_answer(question, value)
    limit = Decimal(value)
    unit = Decimal(1).scaleb(-question.decimal_places)
    is_above = comparison in (IS.MORE, IS.LEAST)
    rounded = limit.quantize(unit, ROUND_CEILING if is_above else ROUND_FLOOR, EXACT)
    if rounded != limit:  # more than 2.5 is at least 3, less than 2.5 at most 2
        comparison = IS.LEAST if is_above else IS.MOST
    bounds = question.minimum, question.maximum
    low, high = (Decimal(bound) if bound else None for bound in bounds)
    if high is not None and rounded > high:
        return False if is_above else _any_number(question, IS.MOST, high)
    if low is not None and rounded < low:
        return _any_number(question, IS.LEAST, low) if is_above else False
    return Atom(question.name, comparison, (f"{rounded.normalize(EXACT):f}",))


def _special_codes(question: DraftQuestion) -> tuple[str, ...]:
    return tuple(special.code for special in question.special)


def _any_number(question: DraftQuestion, comparison: Condition.Comparison, bound: Decimal) -> Atom:
    """That there is a number: an answer, unless others stand beside the field."""
    if not question.special:
        return Atom(question.name, IS.ANSWERED)
    return Atom(question.name, comparison, (f"{bound.normalize(EXACT):f}",))


def _never(clauses: Clauses, joins: Question.Joins) -> bool:
    return frozenset() in clauses if joins == JOINS.ALL else not clauses


def _clauses(part: Part, joins: Question.Joins) -> Clauses | None:
    """The clauses of a normal form, none of which another one makes needless; None: too many."""
    if isinstance(part, bool):
        is_empty = part == (joins == JOINS.ALL)
        return frozenset() if is_empty else frozenset({frozenset()})
    if isinstance(part, Atom):
        return frozenset({frozenset({part})})
    made: Collection[frozenset[Atom]] = [] if part.joins == joins else [frozenset()]
    for each in part.parts:
        clauses = _clauses(each, joins)
        if clauses is None:
            return None
        if part.joins == joins:
            made = [*made, *clauses]
        else:
            made = [left | right for left, right in product(made, clauses)]
        made = _needed(made)
        if len(made) > MOST_CLAUSES:
            return None
    return frozenset(made)


def _needed(clauses: Iterable[frozenset[Atom]]) -> set[frozenset[Atom]]:
    """Those that no smaller one is part of."""
    once = set(clauses)
    return {clause for clause in once if not any(other < clause for other in once)}


def _rows(clauses: Clauses, joins: Question.Joins, order: Mapping[str, int]) -> RuleRows:
    """The clauses as brackets, those of one row first."""
    sorted_ones = [sorted(clause, key=partial(_key, order)) for clause in clauses]
    sorted_ones.sort(key=lambda atoms: [_key(order, atom) for atom in atoms])
    if [] in sorted_ones:  # one condition is enough, and there is nothing that it asks for
        return RuleRows(JOINS.ALL, ())
    merged = [_merged(clause, WITHIN[joins]) for clause in sorted_ones]
    single = _merged([clause[0] for clause in merged if len(clause) == 1], joins)
    several = [tuple(clause) for clause in merged if len(clause) > 1]
    return RuleRows(joins, (*((atom,) for atom in single), *several))


def _key(order: Mapping[str, int], atom: Atom) -> tuple[int, str, tuple[str, ...]]:
    return order[atom.question], atom.comparison, atom.values


def _merged(atoms: Sequence[Atom], joins: Question.Joins) -> list[Atom]:
    """With one atom for all values of a question that these words join as one comparison does."""
    mergeable = IS.IS if joins == JOINS.ANY else IS.IS_NOT
    merged: dict[tuple[str, str, tuple[str, ...]], Atom] = {}
    for atom in atoms:
        values = atom.values if atom.comparison != mergeable else ()
        key = atom.question, atom.comparison, values
        known = merged.get(key)
        both = dict.fromkeys([*(known.values if known else ()), *atom.values])
        merged[key] = replace(atom, values=tuple(both))
    return list(merged.values())
