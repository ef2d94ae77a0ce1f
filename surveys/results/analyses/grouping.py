"""From combinations of codes to groups: levels as they are, numbers cut at their quartiles."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from django.utils.translation import gettext

from surveys.questionnaire.kinds.levels import LevelQuestion
from surveys.questionnaire.kinds.number import NumberQuestion
from surveys.questionnaire.kinds.question import Question, was_asked
from surveys.questionnaire.kinds.registry import Table
from surveys.results.analyses.queries import CrossCounts, Grouping
from surveys.results.disclosure import Group
from surveys.results.reading import interval_words
from surveys.wording.language.numbers import number_words


@dataclass(frozen=True)
class Grouped:
    """Groups by direct answers; in each, counts of (reported answer, *reported groupings)."""

    groups: tuple[Group, ...]
    left_out: int


def grouped(counts: CrossCounts) -> Grouped:
    """Split by the direct questions after the first; who was not asked everything is left out."""
    hidden = dict(zip([0, *counts.hidden], [counts.item, *counts.hidden_questions], strict=True))
    direct = [place for place in range(len(counts.items)) if place not in hidden]
    namers = {place: _namer(counts, place) for place in direct}
    found: dict[tuple[tuple[int, str], ...], Counter[tuple[int, ...]]] = {}
    left_out = 0
    for codes, count in counts.by_codes.items():
        if not _was_asked_everything(counts.items, codes):
            left_out += count
            continue
        key = tuple(_named(counts, place, namers[place](codes[place])) for place in direct)
        levels = tuple(_level(item, codes[place]) for place, item in hidden.items())
        found.setdefault(key, Counter())[levels] += count
    named = (Group(", ".join(name for _, name in key), found[key]) for key in sorted(found))
    return Grouped(tuple(named), left_out)


def _named(counts: CrossCounts, place: int, found: tuple[int, str]) -> tuple[int, str]:
    order, name = found
    return order, counts.group_name(place, name)


def _was_asked_everything(items: tuple[Grouping, ...], codes: tuple[str, ...]) -> bool:
    return all(was_asked(item, code) for item, code in zip(items, codes, strict=True))


def _level(item: LevelQuestion, code: str) -> int:
    return next(place for place, level in enumerate(item.reported_levels) if level.code == code)


Namer = Callable[[str], tuple[int, str]]


def _namer(counts: CrossCounts, place: int) -> Namer:
    """A function from codes to (order, name of the group)."""
    return NAMERS(counts.items[place], counts, place)


def _no_groups(item: Question, counts: CrossCounts, place: int) -> Namer:
    raise ValueError(item.text)  # ``cross_counts`` lets in none of these


def _levels_named(item: LevelQuestion, counts: CrossCounts, place: int) -> Namer:
    shown = [level.code for level in item.shown_levels]
    return lambda code: (shown.index(code), item.label(code))


def _ranges_named(item: NumberQuestion, counts: CrossCounts, place: int) -> Namer:
    ranges = list(_ranges(_values(counts, place)))

    def name(code: str) -> tuple[int, str]:
        if item.is_declined(code):
            return len(ranges), gettext("Prefer not to say")
        value = Decimal(code)
        order = next(i for i, (low, high, _) in enumerate(ranges) if low <= value <= high)
        return order, ranges[order][2]

    return name


NAMERS: Table[[CrossCounts, int], Namer] = Table.with_levels(
    _levels_named, _no_groups, number=_ranges_named
)


def _as_they_are(item: Question) -> bool:
    return False


def _by_quartiles(item: NumberQuestion) -> bool:
    return True


# Whether groups follow the answers that came so far, and may change with more of them.
FOLLOW_ANSWERS: Table[[], bool] = Table.mostly(_as_they_are, number=_by_quartiles)


def _values(counts: CrossCounts, place: int) -> Counter[Decimal]:
    item = counts.items[place]
    values: Counter[Decimal] = Counter()
    for codes, count in counts.by_codes.items():
        if not item.is_declined(codes[place]):
            values[Decimal(codes[place])] += count
    return values


def _ranges(values: Counter[Decimal]) -> Iterator[tuple[Decimal, Decimal, str]]:
    """At most four ranges of about as many people each; equal values stay together."""
    ordered = sorted(values)
    n, seen, cuts = values.total(), 0, [0]
    for place, value in enumerate(ordered, start=1):
        seen += values[value]
        if seen * 4 >= len(cuts) * n:
            cuts.append(place)
    for start, end in pairwise(dict.fromkeys([*cuts, len(ordered)])):
        low, high = ordered[start], ordered[end - 1]
        words = [number_words(float(bound), 4) for bound in dict.fromkeys((low, high))]
        yield low, high, words[0] if len(words) == 1 else interval_words(*words)
