"""Surveys whose answers to some questions are counted while they are locked."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from surveys.kinds.counted.promise import counted_as
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.text.promise import unbased
from surveys.models import Survey
from surveys.models.queries import table_to_lock
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.tallies import LockedTable, TallyPromise, TrusteeKey, cells_of
from surveys.trust.tally.ballots import check_ballot
from surveys.trust.tally.group import ORDER, subtract, times
from surveys.trust.tally.openings import small_log
from surveys.trust.tally.trustees import Trustee, trustee_of

NAMES = ("Ada", "Grace")


def secret_of(name: str) -> int:
    """A trustee's number: the same in each process, so that pages with its key have copies."""
    return int.from_bytes(hashlib.sha512(name.encode()).digest()) % ORDER


@cache
def trustee(name: str) -> Trustee:
    """Its public half."""
    return trustee_of(name, secret_of(name), secret_of(f"proof of {name}"))


def trustee_keys(*names: str) -> tuple[TrusteeKey, ...]:
    """The same, as a document has them."""
    shown = (trustee(name) for name in names)
    return tuple(TrusteeKey(one.name, one.key.hex(), one.proof.hex()) for one in shown)


def cell_in(survey: Survey, body: str, table: int = 1) -> int:
    """Where the 1 is in a table's ballot in a form, which proves itself.

    All trustees together open it, as they would never open the answers of one person.
    """
    content = unbased(dict(pair.split("=") for pair in body.split("&"))[f"t{table:02d}"])
    pairs = check_ballot(table_to_lock(survey.revision.pk, table), content)
    secret = sum(map(secret_of, NAMES))
    counts = [small_log(subtract(one.b, times(secret, one.a)), -3, 3) for one in pairs]
    assert sorted(counts) == [0] * (len(counts) - 1) + [1]
    return counts.index(1)


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
