"""From combinations of codes to groups: levels as they are, numbers cut at their quartiles."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.questionnaire.kinds.question import Question, was_asked
from surveys.questionnaire.kinds.registry import Table
from surveys.results.analyses.queries import CrossCounts, OutcomeCounts
from surveys.results.disclosure import (
    LEAST_GROUP,
    POOLED,
    UNASKED,
    AnswerGroup,
    Answers,
    Known,
    Partition,
    known_places,
    mean_of,
    neighbours,
    of_asked,
    partition,
)
from surveys.results.reading import interval_words
from surveys.wording.language.numbers import number_words

NOT_ASKED = gettext_lazy("People who were not asked")

Name = tuple[int, str]  # of a group in one grouping, with its place among the others
Cells = dict[tuple[Name | None, ...], Answers]


@dataclass(frozen=True)
class Grouped:
    """Groups by direct answers; in each, counts of (reported answer, *reported groupings).

    ``n`` people are in them; ``left_out`` were not asked everything. ``pooled`` names the groups
    that are shown together. ``withheld``: all of them together are too few.
    """

    groups: tuple[AnswerGroup, ...]
    n: int
    left_out: int
    pooled: tuple[str, ...] = ()
    withheld: bool = False


def grouped(counts: CrossCounts) -> Grouped:
    """Split by the direct questions after the first, through the gate for groups.

    Who was not asked everything is left out, if these people keep the rule too, in each group.
    """
    hidden = dict(zip(counts.hidden, counts.hidden_questions, strict=True))
    direct = [index for index in range(1, len(counts.items)) if index not in hidden]
    namers = {index: NAMERS(counts.items[index], counts, index) for index in direct}
    cells: Cells = {}
    apart: Cells = {}
    for codes, count in counts.by_codes.items():
        key = tuple(
            namers[x](codes[x]) if was_asked(counts.items[x], codes[x]) else None for x in direct
        )
        missing = [index for index, item in hidden.items() if not was_asked(item, codes[index])]
        first = reported(counts, codes)
        apart.setdefault((*key, (0, str(missing))), Answers())[first] += count
        if not missing and was_asked(counts.item, codes[0]):
            levels = tuple(_level(item, codes[index]) for index, item in hidden.items())
            cells.setdefault(key, Answers())[first + levels] += count
    return _gated(counts, direct, dict(sorted(cells.items(), key=_order)), apart)


def _order(cell: tuple[tuple[Name | None, ...], object]) -> tuple[tuple[bool, Name], ...]:
    """By name, and who was not asked last."""
    return tuple(map(_shown, cell[0]))


def _shown(name: Name | None) -> tuple[bool, Name]:
    return name is None, name or (0, "")


def _gated(counts: CrossCounts, direct: Sequence[int], cells: Cells, apart: Cells) -> Grouped:
    """``cells`` are those who are shown, ``apart`` all people.

    The last name of ``apart`` says which randomized groupings people were not asked. Within each
    group these keep the rule as well, as do those who were not asked the first question: without
    such a question the same group has them too, and they would be the difference.
    """
    n = sum(answers.total() for key, answers in cells.items() if None not in key)
    if not n:
        return Grouped((), 0, counts.n)
    known = known_places([counts.item])
    parts = partition(apart, known=known, fixed=1, order=lambda _, name: _shown(name))
    if parts.withheld:
        # Of each grouping by itself: which combinations have people would tell of one.
        every = [{key[x] for key in cells} for x in range(len(direct))]
        names = _pooled_names(counts, direct, cells, every)
        return Grouped((), n, counts.n - n, tuple(names), withheld=True)
    pools = parts.pools[:-1]
    shown: Cells = {}
    for key, answers in cells.items():
        merged = Partition(pools).shown(key)
        if merged is not None:
            shown[merged] = shown.get(merged, Counter()) + answers
    groups = tuple(
        AnswerGroup(", ".join(_names(counts, direct, key)), answers)
        for key, answers in sorted(shown.items(), key=_order)
    )
    people = sum(group.n for group in groups)
    pooled = tuple(_pooled_names(counts, direct, cells, pools))
    return Grouped(groups, people, counts.n - people, pooled)


def _pooled_names(
    counts: CrossCounts,
    direct: Sequence[int],
    cells: Iterable[tuple[Name | None, ...]],
    pools: Sequence[Collection[Name | None]],
) -> Iterator[str]:
    """The names of the groups that are shown together, in each grouping."""
    for x, (index, pool) in enumerate(zip(direct, pools, strict=True)):
        names = sorted({key[x] for key in cells}, key=_shown)
        for name in names:
            if name in pool:
                yield counts.group_name(index, name[1] if name else str(NOT_ASKED))


def _names(
    counts: CrossCounts, direct: Sequence[int], key: tuple[Name | None, ...]
) -> Iterator[str]:
    """The names of a group in each grouping; the pool has none of its own."""
    for index, name in zip(direct, key, strict=True):
        yield counts.group_name(index, name[1] if name else str(POOLED))


def cells_by(counts: OutcomeCounts, *indices: int) -> dict[tuple[str | None, ...], Answers]:
    """All people's answers to the first question, by their codes at places; None: not asked there.

    In the order in which the answers of each are shown.
    """
    others = [counts.items[index] for index in indices]
    cells: dict[tuple[str | None, ...], Answers] = {}
    for codes, count in counts.by_codes.items():
        pairs = zip(others, indices, strict=True)
        key = tuple(codes[x] if was_asked(item, codes[x]) else None for item, x in pairs)
        cells.setdefault(key, Answers())[reported(counts, codes)] += count
    orders = [{code: at for at, code in enumerate(ORDER(item))} for item in others]

    def order(cell: tuple[tuple[str | None, ...], object]) -> list[int]:
        pairs = zip(cell[0], orders, strict=True)
        return [shown.get(str(code), len(shown)) for code, shown in pairs]

    return dict(sorted(cells.items(), key=order))


# The codes of a question with levels, in the order in which its answers are shown.
ORDER: Table[[], list[str]] = Table.with_levels(
    lambda item: [level.code for level in item.shown_levels], lambda item: []
)


def asked_by(counts: OutcomeCounts, *indices: int) -> dict[tuple[str | None, ...], Answers]:
    """The same of those who were asked the first question alone."""
    of_all = cells_by(counts, *indices)
    return {key: asked for key, answers in of_all.items() if (asked := of_asked(answers))}


def reported(counts: OutcomeCounts, codes: Sequence[str]) -> tuple[int]:
    """The report of the first question, or that it was not asked."""
    asked = was_asked(counts.item, codes[0])
    return (REPORTED(counts.item, codes[0]) if asked else UNASKED,)


def _level(item: LevelQuestion | RoundedQuestion, code: str) -> int:
    return [level.code for level in item.reported_levels].index(code)


def _not_reported(item: Question, code: str) -> int:
    raise ValueError(item.text)  # the first question is none of these


# The place of a report among those of its question; all numbers have one.
REPORTED: Table[[str], int] = Table.with_levels(
    _level, _not_reported, rounded=_level, number=lambda item, code: 0
)


# From codes to (order, name of the group).
Namer = Callable[[str], tuple[int, str]]


def _no_groups(item: Question, counts: OutcomeCounts, index: int) -> Namer:
    raise ValueError(item.text)  # ``cross_counts`` lets in none of these


def _levels_named(item: LevelQuestion, counts: OutcomeCounts, index: int) -> Namer:
    shown = [level.code for level in item.shown_levels]
    return lambda code: (shown.index(code), item.label(code))


def _ranges_named(item: NumberQuestion, counts: OutcomeCounts, index: int) -> Namer:
    ranges = list(_ranges(_values(counts, index)))
    is_declined = not item.number.special
    without = gettext("Prefer not to say") if is_declined else gettext("No number")

    def name(code: str) -> tuple[int, str]:
        order = _range_of(item, ranges, code) or 0
        return order, without if order == len(ranges) else ranges[order][2]

    return name


NAMERS: Table[[OutcomeCounts, int], Namer] = Table.with_levels(
    _levels_named, _no_groups, number=_ranges_named
)


# Whether groups follow the answers that came so far, and may change with more of them: ranges of
# numbers are cut at quartiles.
FOLLOW_ANSWERS: Table[[], bool] = Table.mostly(lambda item: False, number=lambda item: True)


# Whether a code is a number: not declined, nor an answer beside the field.
HAS_NUMBER: Table[[str], bool] = Table.mostly(
    lambda item, code: False, number=lambda item, code: item.has_number(code)
)


def _values(counts: OutcomeCounts, index: int) -> Counter[Decimal]:
    item = counts.items[index]
    values: Counter[Decimal] = Counter()
    for codes, count in counts.by_codes.items():
        if HAS_NUMBER(item, codes[index]):
            values[Decimal(codes[index])] += count
    return values


def numbers_told(
    item: NumberQuestion,
    values: Counter[Decimal],
    cells: Mapping[str | None, Answers],
    known: Known,
) -> dict[str | None, float] | None:
    """What each code counts as where numbers count: the mean of its group.

    ``values`` are the numbers of all people, ``cells`` their answers to the other question, by the
    code of this one. Groups are neighbours within the ranges of a break-down, and the
    pool of ranges, in which few people without a number may be. Codes of others have no number.
    None where nothing may be shown.
    """
    written = {code: float(code) for code in cells if code and item.has_number(code)}
    if not written:
        return {}
    ranges = list(_ranges(values))
    labels = {code: _range_of(item, ranges, code) for code in cells}
    people: dict[tuple[int | None, ...], Answers] = {}
    for code, answers in cells.items():
        key = (labels[code],)
        people[key] = people.get(key, Answers()) + answers
    order = sorted(people.items(), key=lambda cell: (cell[0][0] is None, cell[0][0] or 0))
    parts = partition(dict(order), known=known)
    if parts.withheld:
        return None
    (pool,) = parts.pools
    counted: dict[str | None, float] = {}
    for label in dict.fromkeys(labels[code] for code in written if labels[code] not in pool):
        numbers: dict[float, Answers] = {}
        for code, number in written.items():
            if labels[code] == label:
                numbers[number] = cells[code]
        means = [(block, mean_of(numbers, block)) for block in neighbours(numbers, known=known)]
        by_number = {number: mean for block, mean in means for number in block}
        counted |= {code: by_number[written[code]] for code in written if labels[code] == label}
    pooled = {written[code]: cells[code] for code in written if labels[code] in pool}
    # People without a number may be in the pool, but its mean is never that of a few.
    if pooled and sum(answers.total() for answers in pooled.values()) < LEAST_GROUP:
        return None
    if pooled:
        mean = mean_of(pooled, list(pooled))
        counted |= {code: mean for code in cells if labels[code] in pool}
    return counted


def _range_of(
    item: NumberQuestion, ranges: Sequence[tuple[Decimal, Decimal, str]], code: str | None
) -> int | None:
    """The place of a code's range, one more for who gave none; None: not asked."""
    if code is None:
        return None
    if not item.has_number(code):
        return len(ranges)
    value = Decimal(code)
    return next(i for i, (low, high, _) in enumerate(ranges) if low <= value <= high)


def numbers_of(counts: OutcomeCounts, index: int, known: Known) -> dict[str | None, float] | None:
    """The same for a question of counts by the answers to the first."""
    cells = {code: answers for (code,), answers in cells_by(counts, index).items()}
    return numbers_by(counts, index, cells, known)


def numbers_by(
    counts: OutcomeCounts, index: int, cells: Mapping[str | None, Answers], known: Known
) -> dict[str | None, float] | None:
    """The same by what people of each code answered, as ``cells`` says."""
    return TOLD(counts.items[index], _values(counts, index), cells, known)


def _no_numbers(item: Question, *_: Any) -> None:
    raise ValueError(item.text)  # asked of numbers alone


TOLD: Table[
    [Counter[Decimal], Mapping[str | None, Answers], Known], dict[str | None, float] | None
] = Table.mostly(_no_numbers, number=numbers_told)


def _ranges(values: Counter[Decimal]) -> Iterator[tuple[Decimal, Decimal, str]]:
    """At most four ranges of about as many people each; equal values stay together."""
    ordered = sorted(values)
    n, seen, cuts = values.total(), 0, [0]
    for rank, value in enumerate(ordered, start=1):
        seen += values[value]
        if seen * 4 >= len(cuts) * n:
            cuts.append(rank)
    for start, end in pairwise(dict.fromkeys([*cuts, len(ordered)])):
        low, high = ordered[start], ordered[end - 1]
        words = [number_words(float(bound), 4) for bound in dict.fromkeys((low, high))]
        yield low, high, words[0] if len(words) == 1 else interval_words(*words)
