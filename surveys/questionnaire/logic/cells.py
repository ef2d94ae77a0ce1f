"""Cells: all that rules can tell apart of a person's unprotected answers; what is never asked."""

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from math import prod
from typing import Protocol

from surveys.questionnaire.logic.rules import Given, Rule, asked_of, within

MOST_CELLS = 100_000  # that are walked through; beyond them nothing is said


class Read(Protocol):
    """What is needed of a question's answers here, as rules read them."""

    def told_apart(self, limits: Collection[int]) -> tuple[Given | None, ...]: ...


class Ruled(Protocol):
    """What is needed of a question here."""

    @property
    def rule(self) -> Rule | None: ...

    @property
    def in_rules(self) -> Read: ...


def limits_on(items: Sequence[Ruled], number: int) -> frozenset[int]:
    """What rules compare the answer to this question with: limits, or the answers that they name.

    Answers are named by their codes, as numbers; those to a number that are none have letters, and
    are told apart without being named.
    """
    atoms = [
        atom for item in items if item.rule for atom in item.rule.atoms() if atom.question == number
    ]
    limits = {atom.number for atom in atoms if atom.name in ("less", "most")}
    named = {code for atom in atoms if atom.name == "is" for code in atom.codes}
    return frozenset(limits.union(int(code) for code in named if code.isdecimal()))


def cells(items: Sequence[Ruled]) -> Iterator[tuple[Given | None, ...]] | None:
    """Every combination of answers between which the rules tell; None if they are too many.

    Questions that no rule reads have no answer in it.
    """
    read = {number for item in items if item.rule for number in item.rule.questions}
    choices = [
        item.in_rules.told_apart(limits_on(items, number)) if number in read else (None,)
        for number, item in enumerate(items, start=1)
    ]
    return product(*choices) if prod(map(len, choices)) <= MOST_CELLS else None


def never_asked(items: Sequence[Ruled], arms: Sequence[str] = ("",)) -> tuple[int, ...]:
    """Numbers of questions to which no unprotected answers lead, as far as that is known."""
    rules = [item.rule for item in items]
    left = {number for number, rule in enumerate(rules, start=1) if rule}
    walked = cells(items) if left else None
    if walked is None:
        return ()
    for answered, arm in product(walked, arms):
        asked = asked_of(rules, answered, arm)
        left = {number for number in left if not asked[number - 1]}
        if not left:
            break
    return tuple(sorted(left))


def asks_nothing(items: Sequence[Ruled], places: Sequence[int], arm: str) -> bool:
    """Whether some answers of a person in this arm lead to none of the items at these places.

    As far as that is known: beyond ``MOST_CELLS`` it is judged by what the whole arm is asked.
    """
    rules = [item.rule for item in items]
    if any(within(rules[position], arm) is None for position in places):
        return False
    walked = cells(items)
    if walked is None:
        return True
    asked = (asked_of(rules, answered, arm) for answered in walked)
    return any(not any(is_asked[position] for position in places) for is_asked in asked)
