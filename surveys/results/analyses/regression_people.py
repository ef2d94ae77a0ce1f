"""RegressionPeople: whose answers a regression uses, through the gate for groups.

Each direct predictor splits people as a break-down by it does: answers as they are, numbers cut at
their quartiles, each range with the mean of its numbers. A number that is the only predictor keeps
more of itself: neighbours until they keep the rule. Of an outcome that is a number, neighbours
count with their mean until among them each group of each predictor keeps the rule, so that sums of
numbers by groups are those of no one's own number. Pairs of predictors keep the rule too: squares
and products of columns say how often each pair of their answers came. People who are left out are
groups of their own, by what they were not asked.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from math import fsum

import numpy as np
from django.utils.translation import gettext
from numpy.typing import NDArray

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.questionnaire.kinds.question import Question, was_asked
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.errors import EstimationError
from surveys.results.analyses.grouping import HAS_NUMBER, NAMERS, ORDER, numbers_of, reported
from surveys.results.analyses.queries import Outcome, OutcomeCounts
from surveys.results.analyses.weighted_people import neighbours_words, pooled_words
from surveys.results.disclosure import (
    LEAST_CELL,
    LEAST_GROUP,
    Answers,
    Known,
    Partition,
    known_places,
    neighbouring,
    partition,
)

Label = str | None  # of a person in a grouping; None: not asked
Pools = Mapping[int, frozenset[Label]]  # of each direct predictor what is taken together
Numbers = dict[int, Mapping[str, float]]  # of each number what its codes count as
Kept = dict[tuple[str, ...], int]  # combinations of codes that are used, with how many people
# Answers to the outcome, by the labels of direct predictors and by who is used.
Placed = dict[tuple[tuple[Label, ...], str], Answers]
USED, NOT_ASKED, OUT = "used", "not asked", "out"
# Whether it is asked for as it is: then it has ranges, or neighbours.
IS_NUMBER: Table[[], bool] = Table.mostly(lambda item: False, number=lambda item: True)
POOL, NO_NUMBER = "pool", "no number"  # labels of no code: those are digits, dashes or dots


@dataclass(frozen=True)
class RegressionPeople:
    """Combinations of codes that can be used, with how many people gave each.

    ``pools``: of each direct predictor the labels that are taken together. ``numbers``: of each
    question that is a number, also the outcome (at place 0), the number that a code counts as.
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

    Raises EstimationError where those who are used, or left out, are too few.
    """
    if not counts.n:
        remedy = gettext(
            "no one has answered all of these questions. Choose fewer questions, or wait for more "
            "answers"
        )
        raise EstimationError("questions", counts.numbers, remedy)
    if len(counts.by) == 1 and IS_NUMBER(counts.by[0]) and not IS_NUMBER(counts.item):
        return _by_one_number(counts)
    grouping = _Grouping(counts, known_places([counts.item]))
    kept, pools = grouping.gated()
    numbers: Numbers = {
        x: _range_means(grouping, x, kept, pools[x]) for x in pools if IS_NUMBER(counts.items[x])
    }
    outcome = OUTCOME_NUMBERS(counts.item, grouping, kept, pools)
    if outcome is not None:
        numbers[0] = outcome
    notes = [
        f"{counts.items[x].text}: {words}"
        for x in pools
        if x not in numbers
        for words in pooled_words(_pooled_labels(counts, x, pools[x]))
    ]
    if any(len(set(each.values())) < len(each) for each in numbers.values()):
        notes.append(neighbours_words())
    return _people(counts, kept, pools, numbers, notes)


def _by_one_number(counts: OutcomeCounts) -> RegressionPeople:
    """The only predictor is a number: who is used follows from the two questions alone."""
    known = known_places([counts.item])
    counted = numbers_of(counts, 1, known)
    if counted is None:
        raise _too_small(counts)
    number = counts.by[0]
    mean_of_codes = {
        codes[1]: counted[code]
        for codes in counts.by_codes
        if (code := codes[1] if was_asked(number, codes[1]) else None) in counted
    }
    kept = {
        codes: n
        for codes, n in counts.by_codes.items()
        if was_asked(counts.item, codes[0]) and codes[1] in mean_of_codes
    }
    is_pooled = len(set(mean_of_codes.values())) < len(mean_of_codes)
    notes = [neighbours_words()] if is_pooled else []
    return _people(counts, kept, {}, {1: mean_of_codes}, notes)


def _people(
    counts: OutcomeCounts, kept: Kept, pools: Pools, numbers: Numbers, notes: Sequence[str]
) -> RegressionPeople:
    if sum(kept.values()) < LEAST_GROUP:
        raise _too_small(counts)
    return RegressionPeople(
        tuple(kept), np.array(list(kept.values())), pools, numbers, tuple(notes)
    )


@dataclass(frozen=True)
class _Grouping:
    """All people, by the labels of the direct predictors."""

    counts: OutcomeCounts
    known: Known

    @cached_property
    def direct(self) -> list[int]:
        """Where the direct predictors stand."""
        return [x for x, item in enumerate(self.counts.by, start=1) if not item.is_randomized]

    @cached_property
    def labels(self) -> Mapping[tuple[str, ...], tuple[Label, ...]]:
        """Of each combination of codes the labels of the direct predictors."""
        named = []
        for x in self.direct:
            label = LABELS(self.counts.items[x], self.counts, x)
            own = {codes[x] for codes in self.counts.by_codes}
            named.append({code: label(code) for code in own})
        columns = list(zip(self.direct, named, strict=True))
        return {
            codes: tuple(names[codes[x]] for x, names in columns) for codes in self.counts.by_codes
        }

    @cached_property
    def orders(self) -> Mapping[int, Mapping[str, int]]:
        """Of each direct predictor the place of each answer as it is shown."""
        shown = {x: ORDER(self.counts.items[x]) for x in self.direct}
        return {x: {code: at for at, code in enumerate(codes)} for x, codes in shown.items()}

    def gated(self) -> tuple[Kept, Pools]:
        """Who is used, and the pools that also guard who is not. Raises EstimationError.

        Pools only grow, and with them who is used, until neither changes.
        """
        named = self.labels
        pools: Pools = {
            x: self._pooled([x], self._cells(named, at))[x] for at, x in enumerate(self.direct)
        }
        while True:
            kept = {
                codes: n
                for codes, n in self.counts.by_codes.items()
                if self._is_used(codes, named[codes], pools)
            }
            grown = self._grown(self._placed(named, kept), pools)
            if grown == pools:
                return kept, pools
            pools = grown

    def _cells(
        self, named: Mapping[tuple[str, ...], tuple[Label, ...]], at: int
    ) -> dict[tuple[Label, ...], Answers]:
        """All people's answers to the outcome by one predictor."""
        cells: dict[tuple[Label, ...], Answers] = {}
        for codes, n in self.counts.by_codes.items():
            cells.setdefault((named[codes][at],), Answers())[reported(self.counts, codes)] += n
        return cells

    def _is_used(self, codes: tuple[str, ...], names: tuple[Label, ...], pools: Pools) -> bool:
        """Whether these people answered everything, or are pooled with others who did."""
        items = self.counts.items
        return (
            was_asked(items[0], codes[0])
            and (codes[0] in self._answers_of_outcome)
            and all(was_asked(items[x], codes[x]) for x in self.counts.hidden)
            and all(
                name in pools[x] or not _is_missing(items[x], codes[x], name)
                for x, name in zip(self.direct, names, strict=True)
            )
        )

    @cached_property
    def _answers_of_outcome(self) -> Collection[str]:
        """Codes of the outcome that can be used: few who gave no number are with the others."""
        item = self.counts.item
        codes = {codes[0] for codes in self.counts.by_codes}
        if not IS_NUMBER(item) or _without_number(self.counts) < LEAST_GROUP:
            return codes
        return {code for code in codes if HAS_NUMBER(item, code)}

    def _placed(self, named: Mapping[tuple[str, ...], tuple[Label, ...]], kept: Kept) -> Placed:
        placed: Placed = {}
        for codes, n in self.counts.by_codes.items():
            key = named[codes], self.part_of(codes, kept)
            placed.setdefault(key, Answers())[reported(self.counts, codes)] += n
        return placed

    def part_of(self, codes: tuple[str, ...], kept: Kept) -> str:
        """Used, or why not: who was not asked different protected predictors is apart."""
        if codes in kept:
            return USED
        if not was_asked(self.counts.item, codes[0]):
            return NOT_ASKED
        if codes[0] not in self._answers_of_outcome:
            return f"{OUT} {NO_NUMBER}"
        missing = [x for x in self.counts.hidden if not was_asked(self.counts.items[x], codes[x])]
        return f"{OUT} {missing}"

    def _grown(self, people: Placed, pools: Pools) -> Pools:
        """The pools, so that also within a group no one is among a few who are left out."""
        grown = partial(self._grown_by, pools=pools)
        grown([], people)
        safe = dict(pools)
        for x in pools:
            safe |= grown([x], people)
        # Products of columns, and where the outcome is known errors too, say how often each pair of
        # answers came; of those who are left out too, as other pages are of all.
        for pair in combinations(pools, 2):
            safe |= self._grown_by(list(pair), people, pools=safe)
        return safe

    def _grown_by(self, chosen: Sequence[int], people: Placed, *, pools: Pools) -> Pools:
        at = [self.direct.index(x) for x in chosen]
        cells: dict[tuple[Label, ...], Answers] = {}
        for (names, part), answers in people.items():
            key = (*(names[x] for x in at), USED if part == NOT_ASKED else part)
            cells.setdefault(key, Answers()).update(answers)
        return self._pooled(chosen, cells, pools=[pools[x] for x in chosen], fixed=1)

    def _pooled(
        self,
        chosen: Sequence[int],
        cells: Mapping[tuple[Label, ...], Answers],
        pools: Sequence[frozenset[Label]] | None = None,
        fixed: int = 0,
    ) -> dict[int, frozenset[Label]]:
        """Raises EstimationError where nothing may be shown."""

        def order(index: int, label: Label) -> tuple[int, str]:
            shown = self.orders[chosen[index]] if index < len(chosen) else {}
            return shown.get(str(label), len(shown)), str(label)

        parts: Partition[str] = partition(
            cells, known=self.known, pools=pools, fixed=fixed, order=order
        )
        if parts.withheld:
            raise _too_small(self.counts)
        return dict(zip(chosen, parts.pools, strict=False))


def _pooled_labels(counts: OutcomeCounts, index: int, pool: Collection[Label]) -> list[str]:
    """The answers of a pool, in the order shown."""
    item = counts.items[index]
    sent = {codes[index] for codes in counts.by_codes}
    return [item.label(code) for code in ORDER(item) if code in pool and code in sent]


def _level_labels(item: LevelQuestion, counts: OutcomeCounts, index: int) -> Callable[[str], Label]:
    return lambda code: code if was_asked(item, code) else None


def _range_labels(
    item: NumberQuestion, counts: OutcomeCounts, index: int
) -> Callable[[str], Label]:
    """The place of a number's range; those who gave none have a label of their own."""
    name = NAMERS(item, counts, index)

    def label(code: str) -> Label:
        if not was_asked(item, code):
            return None
        return f"{name(code)[0]}" if item.has_number(code) else NO_NUMBER

    return label


def _no_labels(item: Question, counts: OutcomeCounts, index: int) -> Callable[[str], Label]:
    raise ValueError(item.text)  # ``outcome_counts`` lets in none of these


LABELS: Table[[OutcomeCounts, int], Callable[[str], Label]] = Table.with_levels(
    _level_labels, _no_labels, number=_range_labels
)


def _is_missing(item: Outcome, code: str, label: Label) -> bool:
    """Not asked, declined, or no number."""
    return label is None or label == NO_NUMBER or item.is_declined(code)


def _without_number(counts: OutcomeCounts) -> int:
    """How many people were asked the outcome, a number, and gave none."""
    item = counts.item
    return sum(
        n
        for codes, n in counts.by_codes.items()
        if was_asked(item, codes[0]) and not HAS_NUMBER(item, codes[0])
    )


def _range_means(
    grouping: _Grouping, index: int, kept: Kept, pool: Collection[Label]
) -> dict[str, float]:
    """What each code of a number counts as: the mean of its range, or of all ranges in the pool."""
    item = grouping.counts.items[index]
    label = LABELS(item, grouping.counts, index)
    groups = {codes[index]: POOL if (own := label(codes[index])) in pool else own for codes in kept}
    numbers: dict[Label, Counter[float]] = {}
    for codes, n in kept.items():
        if HAS_NUMBER(item, codes[index]):
            numbers.setdefault(groups[codes[index]], Counter())[float(codes[index])] += n
    if any(each.total() < LEAST_GROUP for each in numbers.values()):
        raise _too_small(grouping.counts)  # the others of a group gave no number
    means = {group: _mean(each) for group, each in numbers.items()}
    if any(group not in means for group in groups.values()):
        raise _too_small(grouping.counts)  # a pool of people without numbers has no mean
    return {code: means[group] for code, group in groups.items()}


def _mean(numbers: Counter[float]) -> float:
    """Summed in ascending order, so that not even rounding follows the order of answers."""
    return fsum(number * numbers[number] for number in sorted(numbers)) / numbers.total()


def _no_numbers(item: Question, grouping: _Grouping, kept: Kept, pools: Pools) -> None:
    return None


def _direct_numbers(
    item: NumberQuestion, grouping: _Grouping, kept: Kept, pools: Pools
) -> dict[str, float]:
    """Numbers of those who are used with their neighbours, by each group of each predictor."""
    counts = grouping.counts
    asked = {codes: n for codes, n in counts.by_codes.items() if was_asked(item, codes[0])}
    placed = _placed_numbers(item, grouping, {codes[0] for codes in kept})
    people: dict[float, Answers] = {}
    used: dict[float, Counter[float]] = {}
    ids: dict[tuple[int, Label], int] = {}
    for codes, n in asked.items():
        if codes[0] not in placed:
            continue
        number = placed[codes[0]]
        names = zip(pools, grouping.labels[codes], strict=True)
        shown = [(x, POOL if name in pools[x] else name) for x, name in names]
        part = grouping.part_of(codes, kept)
        groups = [*shown, (0, USED)] if codes in kept else [(x, part) for x in (*pools, 0)]
        has_part = int(codes in kept and item.has_number(codes[0]))
        key = (has_part, *(ids.setdefault(group, len(ids)) for group in groups))
        people.setdefault(number, Answers())[key] += n
        if has_part:
            used.setdefault(number, Counter())[float(codes[0])] += n
    means: dict[float, float] = {}
    for block in neighbouring(people, _keeps_the_rule):
        own = Counter[float]()
        for number in block:
            own.update(used.get(number, {}))
        means |= dict.fromkeys(block, _mean(own))
    if not means:
        raise _too_small(counts)
    return {codes[0]: means[placed[codes[0]]] for codes in kept}


def _placed_numbers(
    item: NumberQuestion, grouping: _Grouping, used: Collection[str]
) -> dict[str, float]:
    """Where each code stands among the numbers.

    A few who gave no number stand with all of the smallest range, as in a break-down by it:
    elsewhere two pages together would tell of them. Of many, who are left out, none has a place.
    """
    counts = grouping.counts
    codes = {each[0] for each in counts.by_codes if was_asked(item, each[0])}
    numbers = {code: float(code) for code in codes if item.has_number(code)}
    without = {code for code in used if code not in numbers}
    if not without:
        return numbers
    name = NAMERS(item, counts, 0)
    sizes = Counter[int]()
    for each, n in counts.by_codes.items():
        if each[0] in numbers:
            sizes[name(each[0])[0]] += n
    if not sizes:
        raise _too_small(counts)
    smallest = min(sorted(sizes, reverse=True), key=lambda place: sizes[place])
    together = {code for code in numbers if name(code)[0] == smallest}
    shared = min(numbers[code] for code in together)
    return numbers | dict.fromkeys(together | without, shared)


def _keeps_the_rule(people: Answers) -> bool:
    """Whether a mean is of enough numbers, and none of the groups has a few of them.

    The first place of a combination says who has part in the mean.
    """
    if sum(n for key, n in people.items() if key[0]) < LEAST_GROUP:
        return False
    width = len(next(iter(people)))
    return all(n >= LEAST_CELL for index in range(1, width) for n in _by_place(people, index))


def _by_place(people: Answers, index: int) -> Collection[int]:
    groups = Counter[int]()
    for key, n in people.items():
        groups[key[index]] += n
    return groups.values()


def _scores(
    item: RoundedQuestion, grouping: _Grouping, kept: Kept, pools: Pools
) -> dict[str, float]:
    """Of each report what is unbiased for the true number."""
    return {level.code: float(score) for level, score in zip(item.levels, item.scores, strict=True)}


# What the codes of the outcome count as, where it is a number.
OUTCOME_NUMBERS: Table[[_Grouping, Kept, Pools], dict[str, float] | None] = Table.mostly(
    _no_numbers, number=_direct_numbers, rounded=_scores
)


def _too_small(counts: OutcomeCounts) -> EstimationError:
    remedy = gettext(
        "no groups of at least {least} people can be shown. Leave out some questions, or wait for "
        "more answers"
    )
    return EstimationError("questions", counts.numbers, remedy.format(least=LEAST_GROUP))
