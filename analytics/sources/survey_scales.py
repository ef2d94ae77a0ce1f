"""Which questions can be compared, on which scale, and how their reported answers are counted."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

import numpy as np

from analytics.comparison.checks import FloatArray, IntArray
from analytics.comparison.errors import ComparisonError
from analytics.comparison.groups import Group, Scale
from surveys.questionnaire.kinds.levels import LevelQuestion, ThroughChannel
from surveys.questionnaire.kinds.number import NumberQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.rating import RatingQuestion
from surveys.randomized_response.designs import Channel

ORDERED = ("yes_no", "scale", "trust")
# Of more different numbers a report would hold millions of shares, and take hours to draw.
MOST_NUMBERS = 2_000

Metric = Sequence[Sequence[float]]
# What one person reported: a code, or how many of their ratings stand at each level.
Reported = str | tuple[int, ...]


def needs_metric(item: Question) -> bool:
    """Whether answers have no order, so that their distances must be given."""
    return isinstance(item, LevelQuestion) and item.kind not in ORDERED


def has_scale(item: Question) -> bool:
    """Whether the answers to a question have an order, so that they can be compared."""
    if isinstance(item, LevelQuestion):
        return item.kind in ORDERED
    return isinstance(item, NumberQuestion | RatingQuestion)


def has_position(item: Question) -> bool:
    """Whether each answer has a place on a line, so that several questions make a cloud."""
    return has_scale(item) and not isinstance(item, RatingQuestion)


def position_of(item: Question, code: str) -> float | None:
    """Where a direct answer stands: its number, or its place from 0; None if it was declined."""
    if isinstance(item, NumberQuestion):
        return None if item.is_declined(code) else float(code)
    levels = item.levels if isinstance(item, LevelQuestion) else ()
    placed = [level.code for level in levels if not level.declines]
    return float(placed.index(code)) if code in placed else None


def tells_groups(item: Question) -> bool:
    """Whether a question's answers name groups; through a channel they are hidden ones."""
    return isinstance(item, LevelQuestion)


def is_same_scale(one: Question, other: Question) -> bool:
    """Whether two questions of different surveys are answered on the same scale."""
    if type(one) is not type(other) or not has_scale(one) or not has_scale(other):
        return False
    if isinstance(one, ThroughChannel) and isinstance(other, ThroughChannel):
        return [level.text for level in one.levels] == [level.text for level in other.levels]
    return True


@dataclass(frozen=True)
class Coding:
    """How the answers to a question are counted: the place of each report, and its design.

    ``levels`` name the positions of the scale; ``patterns`` are those of ``Group``; ``notes`` are
    for the reader.
    """

    scale: Scale
    levels: tuple[str, ...]
    places: Mapping[Reported, int]
    design: Channel | None = None
    patterns: FloatArray | None = None
    notes: tuple[str, ...] = ()

    def counted(self, counts: Mapping[Reported, int]) -> IntArray:
        """Counts in the order of the places."""
        ordered = np.zeros(1 + max(self.places.values()), dtype=np.int64)
        for reported, count in counts.items():
            ordered[self.places[reported]] += count
        return ordered

    def group(self, name: str, counts: Mapping[Reported, int]) -> Group:
        """A group of people. Raises ComparisonError."""
        return Group(name, self.counted(counts), self.design, self.patterns)


def coding_of(item: Question, reported: Collection[Reported], metric: Metric = ()) -> Coding:
    """How to count the answers to a question, of which ``reported`` occur in one of the groups.

    ``metric`` are the distances of answers without an order. Raises ComparisonError.
    """
    if isinstance(item, NumberQuestion):
        return _number_coding(item, [str(code) for code in reported])
    own = cast(ThroughChannel, item)
    placed = [level.text for place, level in enumerate(own.levels) if place != own.decline_level]
    scale = _scale(own, placed, metric)
    design = own.channel if own.is_randomized else None
    if not isinstance(item, RatingQuestion):
        codes = [level.code for level in own.reported_levels]
        return Coding(scale, tuple(placed), _numbered(codes), design)
    patterns = sorted(key for key in reported if isinstance(key, tuple) and sum(key) == item.slots)
    shares = np.array(patterns) / item.slots
    return Coding(scale, tuple(placed), _numbered(patterns), design, shares)


def as_reported(item: Question, counts: Mapping[str, int]) -> Counter[Reported]:
    """Codes as they are; of a person's ratings, how many stand at each level."""
    if not isinstance(item, RatingQuestion):
        return Counter(counts)
    found: Counter[Reported] = Counter()
    for code, count in counts.items():
        levels = Counter(level for _, level in item.slot_levels(code))
        found[tuple(levels[place] for place in range(len(item.levels)))] += count
    return found


def _numbered(reported: Iterable[Reported]) -> dict[Reported, int]:
    return {key: place for place, key in enumerate(reported)}


def _scale(item: ThroughChannel, placed: Sequence[str], metric: Metric) -> Scale:
    positions = np.arange(float(len(placed)))
    if not needs_metric(item):
        unit = "answers" if item.kind == "yes_no" else "steps"
        return Scale(positions, item.decline_level, unit)
    if not metric:
        remedy = "these answers have no order: give the distances between them"
        raise ComparisonError("metric", item.text, remedy)
    return Scale(positions, item.decline_level, "metric", np.array(metric))


def _number_coding(item: NumberQuestion, codes: Sequence[str]) -> Coding:
    """Each different number is a level; those who declined are the last one.

    Of very many different numbers neighbours are taken together, at the middle of them.
    """
    values = sorted({Decimal(code) for code in codes if not item.is_declined(code)})
    if len(values) < 2:
        raise ComparisonError("question", item.text, "all people gave the same number")
    every = -(-len(values) // MOST_NUMBERS)
    together = [values[first : first + every] for first in range(0, len(values), every)]
    order = {value: place for place, part in enumerate(together) for value in part}
    middles = [(part[0] + part[-1]) / 2 for part in together]
    places: dict[Reported, int] = dict(_number_places(item, codes, order, len(middles)))
    declined = len(middles) if any(item.is_declined(code) for code in codes) else None
    scale = Scale(np.array([float(value) for value in middles]), declined, "units")
    return Coding(scale, tuple(map(str, middles)), places, notes=_together(together))


def _number_places(
    item: NumberQuestion, codes: Sequence[str], order: Mapping[Decimal, int], declined: int
) -> Iterator[tuple[Reported, int]]:
    for code in codes:
        yield code, declined if item.is_declined(code) else order[Decimal(code)]


def _together(parts: Sequence[Sequence[Decimal]]) -> tuple[str, ...]:
    """A note on how far an answer was moved, if neighbours were taken together."""
    moved = float(max(part[-1] - part[0] for part in parts)) / 2
    if not moved:
        return ()
    count = sum(map(len, parts))
    return (
        f"There are {count:,} different numbers. Neighbours are taken together, which moves no "
        f"answer by more than {moved:,.3g}.",
    )
