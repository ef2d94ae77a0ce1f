"""Which questions can be compared, on which scale, and how their reported answers are counted."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

import numpy as np

from analytics.comparison.checks import ComparisonError, FloatArray, IntArray
from analytics.comparison.groups import KnownGroup, Scale
from surveys.kinds.levels.promise import LevelQuestion, ThroughChannel
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, kind_name
from surveys.randomized_response.designs import Channel
from surveys.randomized_response.messages import figure, sentence

# Of more different numbers a report would hold millions of shares, and take hours to draw.
MOST_NUMBERS = 2_000

Metric = Sequence[Sequence[float]]
# What one person reported: a code, or how many of their ratings stand at each level.
Reported = str | tuple[int, ...]


class Order(Enum):
    """What is known of the distances between the answers to a question."""

    NONE = "answers cannot be compared"
    GIVEN = "levels have no order, so that their distances must be given"
    LINE = "each answer has a place on a line"
    LINES = "a person gives several answers, each with a place on a line"


ORDER: Table[[], Order] = Table.with_levels(
    lambda item: Order.LINE if item.is_yes_no or item.is_ordered else Order.GIVEN,
    lambda item: Order.NONE,
    number=lambda item: Order.LINE,
    rating=lambda item: Order.LINES,
    picked=lambda item: Order.NONE,  # hundreds of distances are given by no one
)


def needs_metric(item: Question) -> bool:
    """Whether answers have no order, so that their distances must be given."""
    return ORDER(item) is Order.GIVEN


def has_scale(item: Question) -> bool:
    """Whether the answers to a question have an order, so that they can be compared."""
    return ORDER(item) in (Order.LINE, Order.LINES)


def has_position(item: Question) -> bool:
    """Whether each answer has a place on a line, so that several questions make a cloud."""
    return ORDER(item) is Order.LINE


def _place_of_level(item: LevelQuestion, code: str) -> float | None:
    placed = [level.code for level in item.levels if not level.declines]
    return float(placed.index(code)) if code in placed else None


# Where a direct answer stands: its number, or its place from 0; None if it was declined.
POSITION: Table[[str], float | None] = Table.with_levels(
    _place_of_level,
    lambda item, code: None,
    number=lambda item, code: float(code) if item.has_number(code) else None,
)

# Whether a question's answers name groups; through a channel they are hidden ones.
TELLS_GROUPS: Table[[], bool] = Table.with_levels(
    lambda item: True, lambda item: False, picked=lambda item: False
)


def is_same_scale(question: Question, other: Question) -> bool:
    """Whether two questions of different surveys are answered on the same scale."""
    if kind_name(question) != kind_name(other) or not has_scale(question):
        return False
    return has_scale(other) and STEPS(question) == STEPS(other)


def _steps(item: ThroughChannel) -> tuple[str, ...]:
    return tuple(level.text for level in item.levels)


STEPS: Table[[], tuple[str, ...]] = Table.with_levels(_steps, lambda item: (), rating=_steps)


@dataclass(frozen=True)
class Coding:
    """How the answers to a question are counted: the place of each report, and its design.

    ``levels`` name the positions of the scale; ``patterns`` are those of ``KnownGroup``; ``notes``
    are for the reader.
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

    def group(self, name: str, counts: Mapping[Reported, int]) -> KnownGroup:
        """A group of people. Raises ComparisonError."""
        return KnownGroup(name, self.counted(counts), self.design, self.patterns)


def coding_of(item: Question, reported: Collection[Reported], metric: Metric = ()) -> Coding:
    """How to count the answers to a question, of which ``reported`` occur in one of the groups.

    ``metric`` are the distances of answers without an order. Raises ComparisonError.
    """
    return CODINGS(item, reported, metric)


def _no_coding(item: Question, reported: Collection[Reported], metric: Metric) -> Coding:
    raise ComparisonError("question", item.text, sentence("choose a question with a scale"))


def _level_coding(item: LevelQuestion, reported: Collection[Reported], metric: Metric) -> Coding:
    codes = _numbered(level.code for level in item.reported_levels)
    return Coding(_scale(item, metric), _placed(item), codes, _design(item))


def _rating_coding(item: RatingQuestion, reported: Collection[Reported], metric: Metric) -> Coding:
    patterns = sorted(key for key in reported if isinstance(key, tuple) and sum(key) == item.slots)
    shares = np.array(patterns) / item.slots
    return Coding(_scale(item, metric), _placed(item), _numbered(patterns), _design(item), shares)


def _placed(item: ThroughChannel) -> tuple[str, ...]:
    """The levels that stand on the scale: all but the one that declines."""
    return tuple(
        level.text for position, level in enumerate(item.levels) if position != item.decline_level
    )


def _design(item: ThroughChannel) -> Channel | None:
    return item.channel if item.is_randomized else None


def _ratings(item: RatingQuestion, counts: Mapping[str, int]) -> Counter[Reported]:
    ratings: Counter[Reported] = Counter()
    for code, count in counts.items():
        levels = Counter(level for _, level in item.slot_code.levels_in(code))
        ratings[tuple(levels[position] for position in range(len(item.levels)))] += count
    return ratings


# Codes as they are; of a person's ratings, how many stand at each level.
AS_REPORTED: Table[[Mapping[str, int]], Counter[Reported]] = Table.mostly(
    lambda item, counts: Counter(counts), rating=_ratings
)


def _numbered(reported: Iterable[Reported]) -> dict[Reported, int]:
    return {key: position for position, key in enumerate(reported)}


def _scale(item: ThroughChannel, metric: Metric) -> Scale:
    positions = np.arange(float(len(_placed(item))))
    if not needs_metric(item):
        unit = "answers" if item.is_yes_no else "steps"
        return Scale(positions, item.decline_level, unit)
    if not metric:
        remedy = sentence("these answers have no order, so give the distances between them")
        raise ComparisonError("metric", item.text, remedy)
    return Scale(positions, item.decline_level, "metric", np.array(metric))


def _number_coding(item: NumberQuestion, reported: Collection[Reported], metric: Metric) -> Coding:
    """Each different number is a level; those who declined are the last one.

    Of very many different numbers neighbours are taken together, at the middle of them.
    """
    codes = [str(code) for code in reported]
    values = sorted({Decimal(code) for code in codes if item.has_number(code)})
    if len(values) < 2:
        raise ComparisonError("question", item.text, sentence("all people gave the same number"))
    every = -(-len(values) // MOST_NUMBERS)
    together = [values[first : first + every] for first in range(0, len(values), every)]
    order = {value: position for position, part in enumerate(together) for value in part}
    middles = [(part[0] + part[-1]) / 2 for part in together]
    places: dict[Reported, int] = dict(_number_places(item, codes, order, len(middles)))
    declined = len(middles) if not all(map(item.has_number, codes)) else None
    scale = Scale(np.array([float(value) for value in middles]), declined, "units")
    return Coding(
        scale, tuple(map(str, middles)), places, notes=(*_together(together), *_beside(item))
    )


CODINGS: Table[[Collection[Reported], Metric], Coding] = Table.with_levels(
    _level_coding, _no_coding, number=_number_coding, rating=_rating_coding
)


def _number_places(
    item: NumberQuestion, codes: Sequence[str], order: Mapping[Decimal, int], declined: int
) -> Iterator[tuple[Reported, int]]:
    for code in codes:
        yield code, order[Decimal(code)] if item.has_number(code) else declined


def _beside(item: NumberQuestion) -> tuple[str, ...]:
    """A note on what counts as declined here, if anything stands beside the number."""
    if not item.number.special:
        return ()
    words = sentence(
        "People who chose another answer instead of giving a number count as “Prefer not to say”."
    )
    return (words,)


def _together(parts: Sequence[Sequence[Decimal]]) -> tuple[str, ...]:
    """A note on how far an answer was moved, if neighbours were taken together."""
    moved = float(max(part[-1] - part[0] for part in parts)) / 2
    if not moved:
        return ()
    count = sum(map(len, parts))
    return (
        sentence(
            "There are {count} different numbers. Neighbouring numbers are combined, which moves "
            "no answer by more than {moved}.",
            count=figure(count),
            moved=figure(moved, ".3g"),
        ),
    )
