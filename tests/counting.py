"""Surveys whose answers to some questions are counted while they are locked."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from surveys.kinds.counted.promise import counted_as
from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.tallies import LockedTable, TallyPromise, TrusteeKey, cells_of
from surveys.trust.tally.group import random_number
from surveys.trust.tally.trustees import Trustee, trustee_of

NAMES = ("Ada", "Grace")


@cache
def secret_of(name: str) -> int:
    """A trustee's number."""
    return random_number()


@cache
def trustee(name: str) -> Trustee:
    """Its public half."""
    return trustee_of(name, secret_of(name))


def trustee_keys(*names: str) -> tuple[TrusteeKey, ...]:
    """The same, as a document has them."""
    shown = (trustee(name) for name in names)
    return tuple(TrusteeKey(one.name, one.key.hex(), one.proof.hex()) for one in shown)


def counting(
    questionnaire: Questionnaire, *tables: Sequence[int], sigma: str = "4"
) -> Questionnaire:
    """The same; the questions with these numbers are counted in these tables."""
    items = list(questionnaire.items)
    for table, numbers in enumerate(tables, start=1):
        for number in numbers:
            item = items[number - 1]
            assert isinstance(item, LevelQuestion)
            items[number - 1] = counted_as(item, table)
    changed = replace(questionnaire, items=tuple(items))
    has_own_coin = changed.own_coin.is_offered
    promised = tuple(
        LockedTable(
            table, tuple(numbers), cells_of(items, numbers, has_own_coin=has_own_coin), sigma
        )
        for table, numbers in enumerate(tables, start=1)
    )
    return replace(changed, tally=TallyPromise(trustee_keys(*NAMES), promised))
