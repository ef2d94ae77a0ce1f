"""What all protected answers of one person tell together at most."""

from collections.abc import Sequence
from fractions import Fraction

from surveys.kinds.levels.promise import LevelQuestion, ThroughChannel
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.two_questions.promise import GroupedQuestion
from surveys.questionnaire.facts.draw import Draw
from surveys.questionnaire.families import in_ways
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, standing_on
from surveys.questionnaire.logic.cells import limits_on
from surveys.questionnaire.logic.loss import (
    Asked,
    Loss,
    Open,
    Protected,
    Ratios,
    largest_loss,
    loss_of,
    of_channel,
    of_largest,
)
from surveys.questionnaire.logic.rules import within


def loss_of_person(draw: Draw, arm_codes: Sequence[str]) -> Loss:
    """The loss of the arm in which it is largest: the arm is sent, and tells no answer.

    What is drawn or asked by a rule does not depend on protected answers, and the reports are
    independent given those. Infinite if two questions that share a second one can both be asked, as
    documents from before that was refused may say.
    """
    if draw.shares_second:
        return Loss(None)
    items = in_ways(draw.items)
    numbers = range(1, len(items) + 1)
    in_arms = ([_exposed(items, n, arm) for n in numbers] for arm in arm_codes)
    return largest_loss([loss_of(asked, draw.asked) for asked in in_arms])


def _exposed(items: Sequence[Question], number: int, arm: str) -> Asked:
    """A question as the loss sees it in one arm, its rule in terms of ways through families."""
    item = items[number - 1]
    rule = within(item.rule, arm)
    if not item.is_randomized:
        return Open(item.in_rules.told_apart(limits_on(items, number)), rule)
    if isinstance(item, LevelQuestion) and (item.hidden or _is_read(items, number)):
        return Protected(item.in_rules.told_apart(()), _ratios(item), rule)
    return Protected((None, None), of_largest(LARGEST_RATIO(item)), rule)


def _is_read(items: Sequence[Question], number: int) -> bool:
    return any(item.rule and number in item.rule.questions for item in items)


def _ratios(item: LevelQuestion) -> Ratios:
    """Of what can be answered; where a protected answer may hide it, of "hidden" at last."""
    states = (*item.answerable, *([item.hidden.level] if item.hidden else []))
    return of_channel([[Fraction(weight) for weight in item.weights[state]] for state in states])


def _of_direct(item: Question) -> None:
    return None


def _of_levels(item: ThroughChannel) -> Fraction | None:
    return item.channel.largest_ratio if item.is_randomized else None


def _of_slots(item: SlottedQuestion) -> Fraction | None:
    ratio = _of_levels(item)
    return None if ratio is None else ratio**item.differing


def _of_groups(item: GroupedQuestion) -> Fraction | None:
    ratios = [channel.largest_ratio for channel in item.channels]
    finite = [ratio for ratio in ratios if ratio is not None]
    return max(finite) if len(finite) == len(ratios) else None


def _of_marks(item: ListQuestion) -> Fraction | None:
    return item.marks.form.largest_ratio


# e to the power of epsilon, exactly; None where epsilon is infinite, as that of a direct question.
LARGEST_RATIO: Table[[], Fraction | None] = Table.mostly(
    _of_direct,
    **{**standing_on(ThroughChannel, _of_levels), **standing_on(SlottedQuestion, _of_slots)},
    grouped=_of_groups,
    long_list=_of_marks,
)
