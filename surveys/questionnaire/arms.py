"""Arm: one of the groups into which chance puts people; each group is asked its own questions.

The page draws the arm after Start, by whole weights that are frozen in the document; people with
their own coin draw theirs with a die. Neither the server, nor an invitation, nor a clock has a
part in it: an arm says nothing of who its people are or when they came.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import gcd

from surveys.kinds.levels.promise import Level, LevelQuestion, level_code
from surveys.questionnaire.kinds.question import Question
from surveys.randomized_response.drawing import DieSubset

FIELD = "arm"
LEAST_STATEMENTS = 2  # of a list: the number that hold of one alone says which
NAME = "Arm, drawn by chance"
MOST_ARMS = 6
MOST_WEIGHT = 99
# The weights of all arms together: the results of three throws of a die, side by side.
MOST_TOTAL = 216


@dataclass(frozen=True)
class Arm:
    """``code`` is what is sent and what rules name; ``weight`` its part of the sum of weights."""

    code: str
    text: str
    weight: int


def arms_from(named: Iterable[tuple[str, int]]) -> tuple[Arm, ...]:
    """Arms in their order, with the smallest whole weights that stand in the same proportion."""
    pairs = list(named)
    common = gcd(*(weight for _, weight in pairs)) or 1
    return tuple(
        Arm(level_code(position), text, weight // common)
        for position, (text, weight) in enumerate(pairs)
    )


def total_weight(arms: Sequence[Arm]) -> int:
    return sum(arm.weight for arm in arms)


def die_of(arms: Sequence[Arm]) -> DieSubset:
    """The die that draws one of as many places as the weights have together, evenly."""
    return DieSubset(total_weight(arms), 1)


def die_results(arms: Sequence[Arm]) -> tuple[tuple[str, str], ...]:
    """The first and the last result of ``die_of`` that name each arm, as a person writes them.

    An arm has as many places as its weight, side by side.
    """
    die = die_of(arms)
    ends = list(accumulate((arm.weight for arm in arms), initial=0))
    return tuple(
        (die.results(first)[0], die.results(after - 1)[1]) for first, after in pairwise(ends)
    )


def statements_counted(item: Question) -> int | None:
    """Of how many statements a question asks how many hold; None if it does not.

    So ask list experiments: in an arm, with the answers 0, 1 and so on, none of them to decline.
    """
    if not isinstance(item, LevelQuestion) or item.rule is None:
        return None
    if not any(atom.name == "arm" for atom in item.rule.atoms()):
        return None
    texts = [level.text.strip() for level in item.levels]
    is_count = all(text.isdecimal() and int(text) == n for n, text in enumerate(texts))
    return len(texts) - 1 if is_count and len(texts) > LEAST_STATEMENTS else None


def arm_question(arms: Sequence[Arm]) -> LevelQuestion:
    """The arm as rows and tables have it: an answer that chance gave, in levels."""
    return LevelQuestion(
        id=FIELD,
        text=NAME,
        help="",
        required=True,
        kind="choice",
        design="direct",
        levels=tuple(Level(arm.code, arm.text) for arm in arms),
        display=tuple(range(len(arms))),
    )
