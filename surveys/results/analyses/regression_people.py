"""RegressionPeople: whose answers a regression uses, through the gate for groups."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from django.utils.translation import gettext
from numpy.typing import NDArray

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.questionnaire.kinds.question import Question, was_asked
from surveys.questionnaire.kinds.registry import Table, of_kind
from surveys.randomized_response.errors import EstimationError
from surveys.results.analyses.grouping import (
    ORDER,
    cells_by,
    numbers_by,
    numbers_of,
    reported,
)
from surveys.results.analyses.queries import OutcomeCounts
from surveys.results.analyses.weighted_people import neighbours_words, pooled_words
from surveys.results.disclosure import (
    LEAST_GROUP,
    UNASKED,
    Answers,
    Known,
    Partition,
    known_places,
    partition,
)

POOL = "pool"  # no code: those are all of digits, dashes or dots
Pools = Mapping[int, frozenset[str | None]]  # of each direct predictor what is taken together
Numbers = Mapping[int, Mapping[str, float]]  # of each number what its codes count as
Kept = dict[tuple[str, ...], int]  # combinations of codes that are used, with how many people
# Answers to the outcome, by the codes of direct predictors (None: not asked) and by a place.
Placed = dict[tuple[tuple[str | None, ...], str], Answers]
USED, NOT_ASKED, OUT = "used", "not asked", "out"


@dataclass(frozen=True)
class RegressionPeople:
    """Combinations of codes that can be used, with how many people gave each.

    ``pools``: of each direct predictor the codes that are taken together, None for who was not
    asked. ``numbers``: of each question that is a number, also the outcome (at place 0), the number
    that a code counts as.
    """

    codes: tuple[tuple[str, ...], ...]
    counts: NDArray[np.int64]
    pools: Pools
    numbers: Numbers
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        return int(self.counts.sum())


def usable_people(counts: OutcomeCounts) -> RegressionPeople:
    """Who was asked everything and gave numbers where numbers are asked.

    The groups of a predictor are those of a break-down by it, its reference among them; a number
    is one with its neighbours, also as the outcome. Raises EstimationError.
    """
    if not counts.n:
        raise _no_people(counts)
    known = known_places([counts.item])
    numbers = {x: _numbers_of(counts, x, known) for x, _ in of_kind(NumberQuestion, counts.by)}
    levels = [x for x, item in of_kind(LevelQuestion, counts.by) if not item.is_randomized]
    pools: Pools = {
        x: _pools(partition(cells_by(counts, x), known=known), counts)[0] for x in levels
    }
    kept, pools = _gated(counts, pools, numbers, known)
    outcome_numbers = OUTCOME_NUMBERS(counts.item, counts, pools)
    if outcome_numbers is not None:
        numbers[0] = outcome_numbers
        if any(codes[0] not in outcome_numbers for codes in kept):
            kept, pools = _gated(counts, pools, numbers, known)  # people without a number are out
    notes = [
        f"{counts.items[x].text}: {words}"
        for x in levels
        for words in pooled_words(
            [counts.items[x].label(code) for code in _codes_in(counts, x, pools[x])]
        )
    ]
    if any(len(set(counted.values())) < len(counted) for counted in numbers.values()):
        notes.append(neighbours_words())
    shown = np.array(list(kept.values()))
    return RegressionPeople(tuple(kept), shown, pools, numbers, tuple(notes))


def _gated(
    counts: OutcomeCounts, pools: Pools, numbers: Numbers, known: Known
) -> tuple[Kept, Pools]:
    """Who is used, and the pools that also guard who is not. Raises EstimationError."""
    kept = {
        codes: n for codes, n in counts.by_codes.items() if _is_used(counts, codes, pools, numbers)
    }
    if not kept:
        raise _no_people(counts)
    # Of a randomized outcome no one's answer is known; of others the gate also guards who is out.
    is_told = not counts.item.is_randomized
    people = _placed(counts, pools, kept)
    everyone = {key: each for key, each in people.items() if is_told or not key[1].startswith(OUT)}
    grown = partial(_grown, counts, known=known)
    if is_told and counts.hidden:
        grown({}, everyone)
    safe, order = dict(pools), list(pools)
    for x in pools:
        safe |= grown({x: safe[x]}, everyone, [order.index(x)])
    if is_told:
        # Where the outcome is known too, estimates and errors of two questions give back how often
        # each pair of their answers came.
        used = {key: each for key, each in people.items() if key[1] == USED}
        for pair in combinations(pools, 2):
            safe |= grown({x: safe[x] for x in pair}, used, [order.index(x) for x in pair])
    return kept, safe


def _placed(counts: OutcomeCounts, pools: Pools, kept: Kept) -> Placed:
    """All people's answers to the outcome, by those to the direct predictors and where they are.

    People who were not asked different protected predictors are different groups.
    """
    placed: Placed = {}
    for codes, n in counts.by_codes.items():
        report = reported(counts, codes)
        if codes in kept:
            place = USED
        elif report == (UNASKED,):
            place = NOT_ASKED
        else:
            missing = [x for x in counts.hidden if not was_asked(counts.items[x], codes[x])]
            place = f"{OUT} {missing}"
        labels = tuple(_code(counts, x, codes) for x in pools)
        placed.setdefault((labels, place), Answers())[report] += n
    return placed


def _is_used(
    counts: OutcomeCounts,
    codes: tuple[str, ...],
    pools: Pools,
    numbers: Numbers,
) -> bool:
    """Whether these people answered everything, or are pooled with others who did."""
    return (
        was_asked(counts.item, codes[0])
        and all(codes[x] in counted for x, counted in numbers.items())
        and all(was_asked(counts.items[x], codes[x]) for x in counts.hidden)
        and all(
            _code(counts, x, codes) in pool or not _is_missing(counts, x, codes)
            for x, pool in pools.items()
        )
    )


def _no_numbers(item: Question, counts: OutcomeCounts, pools: Pools) -> None:
    return None


def _direct_numbers(item: NumberQuestion, counts: OutcomeCounts, pools: Pools) -> dict[str, float]:
    """Numbers with their neighbours, by the answers to each direct predictor.

    So that sums of numbers by answers are those of no one's own number.
    """
    names: dict[tuple[int, str | None], int] = {}
    cells: dict[str | None, Answers] = {}
    for codes, n in counts.by_codes.items():
        if was_asked(item, codes[0]):
            key = [(x, _shown_code(counts, x, codes, pool)) for x, pool in pools.items()]
            answers = cells.setdefault(codes[0], Answers())
            answers[tuple(names.setdefault(each, len(names)) for each in key)] += n
    counted = numbers_by(counts, 0, cells, range(len(pools)))
    if counted is None:
        raise _too_small(counts)
    return {code: number for code, number in counted.items() if code is not None}


def _scores(item: RoundedQuestion, counts: OutcomeCounts, pools: Pools) -> dict[str, float]:
    """Of each report what is unbiased for the true number."""
    return {level.code: float(score) for level, score in zip(item.levels, item.scores, strict=True)}


# What the codes of the outcome count as, where it is a number.
OUTCOME_NUMBERS: Table[[OutcomeCounts, Pools], dict[str, float] | None] = Table.mostly(
    _no_numbers, number=_direct_numbers, rounded=_scores
)


def _shown_code(
    counts: OutcomeCounts, index: int, codes: tuple[str, ...], pool: Collection[str | None]
) -> str | None:
    """The code of a group as it is shown; the pool has one name."""
    code = _code(counts, index, codes)
    return POOL if code in pool else code


def _code(counts: OutcomeCounts, index: int, codes: tuple[str, ...]) -> str | None:
    return codes[index] if was_asked(counts.items[index], codes[index]) else None


def _codes_in(counts: OutcomeCounts, index: int, pool: Collection[str | None]) -> list[str]:
    """The codes of a pool, in the order shown."""
    sent = {codes[index] for codes in counts.by_codes}
    return [code for code in ORDER(counts.items[index]) if code in pool and code in sent]


def _is_missing(counts: OutcomeCounts, index: int, codes: tuple[str, ...]) -> bool:
    """Not asked, or declined."""
    item, code = counts.items[index], codes[index]
    return not was_asked(item, code) or item.is_declined(code)


def _pools(parts: Partition[str], counts: OutcomeCounts) -> tuple[frozenset[str | None], ...]:
    """Raises EstimationError where nothing may be shown."""
    if parts.withheld:
        raise _too_small(counts)
    return parts.pools


def _no_people(counts: OutcomeCounts) -> EstimationError:
    remedy = gettext(
        "no one has answered all of these questions. Choose fewer questions, or wait for more "
        "answers"
    )
    return EstimationError("questions", counts.numbers, remedy)


def _too_small(counts: OutcomeCounts) -> EstimationError:
    remedy = gettext(
        "no groups of at least {least} people can be shown. Leave out some questions, or wait for "
        "more answers"
    )
    return EstimationError("questions", counts.numbers, remedy.format(least=LEAST_GROUP))


def _grown(
    counts: OutcomeCounts, pools: Pools, people: Placed, at: Sequence[int] = (), *, known: Known
) -> Pools:
    """The pools, so that also within a group no one is among a few who are left out.

    ``at``: where the predictors of these pools stand in the labels of ``people``. Where the outcome
    is randomized, groups of those who stay keep the rule, and of those who were not asked it.
    """
    cells: dict[tuple[str | None, ...], Answers] = {}
    for (labels, place), answers in people.items():
        key = (*(labels[x] for x in at), USED if place == NOT_ASKED else place)
        cells.setdefault(key, Answers()).update(answers)
    ordered = dict(sorted(cells.items(), key=lambda cell: _shown_order(counts, pools, cell[0])))
    parts = partition(ordered, known=known, pools=tuple(pools.values()), fixed=1)
    return dict(zip(pools, _pools(parts, counts), strict=False))


def _shown_order(
    counts: OutcomeCounts, indexes: Iterable[int], key: Sequence[str | None]
) -> tuple[int, ...]:
    orders = [{code: at for at, code in enumerate(ORDER(counts.items[x]))} for x in indexes]
    return tuple(order.get(str(code), len(order)) for order, code in zip(orders, key, strict=False))


def _numbers_of(counts: OutcomeCounts, index: int, known: Known) -> dict[str, float]:
    """What each code counts as; none of who is left out."""
    counted = numbers_of(counts, index, known)
    if counted is None:
        raise _too_small(counts)
    not_asked = {x[index]: counted[None] for x in counts.by_codes if None in counted}
    return {**not_asked, **{code: number for code, number in counted.items() if code is not None}}
