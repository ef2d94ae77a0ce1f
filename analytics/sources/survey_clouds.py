"""The stored answers to several questions at once, as clouds of people or on a grid, by group."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from analytics.comparison.checks import FloatArray
from analytics.comparison.errors import ComparisonError
from analytics.comparison.grids import MOST_CELLS, PEOPLE_A_CELL, Axis, Grid, GridClouds
from analytics.sources.survey_answers import LEAST_GROUP
from analytics.sources.survey_codes import codes_of, item_of, labels_of
from analytics.sources.survey_scales import (
    POSITION,
    TELLS_GROUPS,
    coding_of,
    has_position,
)
from surveys.models import Revision
from surveys.questionnaire.kinds.question import Question, was_asked

Codes = Counter[tuple[str, ...]]


@dataclass(frozen=True)
class Clouds:
    """Groups as clouds of points (people, questions), or on a grid; and notes for the reader."""

    groups: Mapping[str, FloatArray] | GridClouds
    notes: tuple[str, ...]


def clouds_by(revision: Revision, numbers: Sequence[int], by: int) -> Clouds:
    """The answers to several questions by the answers to ``by``, which was asked directly.

    Few combinations of answers are compared on a grid, as are randomized answers, which are worked
    back through their channels. Otherwise each person is a point. Who declined a question that all
    were asked directly is left out. Raises ComparisonError.
    """
    items = [item_of(revision, one) for one in numbers]
    other = item_of(revision, by)
    if not all(map(has_position, items)):
        raise ComparisonError("questions", list(numbers), "choose questions with numbers or scales")
    if not TELLS_GROUPS(other) or other.is_randomized:
        raise ComparisonError("by", other.text, "choose a question that was asked directly")
    found: dict[str, Codes] = {}
    for (*codes, group), count in codes_of(revision, (*numbers, by)).items():
        asked = zip([*items, other], [*codes, group], strict=True)
        if all(was_asked(item, code) for item, code in asked):
            found.setdefault(other.label(group), Counter())[tuple(codes)] += count
    ordered = {label: found[label] for label in labels_of(other) if label in found}
    if any(item.is_randomized for item in items):
        return _on_a_grid(items, ordered, ())
    answered = {label: _answered(items, counts) for label, counts in ordered.items()}
    people = [sum(counts.total() for counts in one.values()) for one in (ordered, answered)]
    notes: tuple[str, ...] = ()
    if people[1] < people[0]:
        gone = people[0] - people[1]
        notes = (f"Left out, as they declined one of these questions: {gone:,}.",)
    # With fewer people a combination has too few for its share: then people are compared as points.
    if _combinations(items, answered) <= min(MOST_CELLS, people[1] // PEOPLE_A_CELL):
        return _on_a_grid(items, answered, notes)
    clouds = {
        label: np.array(list(_rows(items, counts)), dtype=np.float64).reshape(-1, len(items))
        for label, counts in answered.items()
    }
    kept = {label: cloud for label, cloud in clouds.items() if len(cloud) >= LEAST_GROUP}
    return Clouds(kept, (*_left_out(clouds, kept), *notes))


def _answered(items: Sequence[Question], counts: Codes) -> Codes:
    """Those who declined none of the questions."""
    return Counter(
        {codes: count for codes, count in counts.items() if None not in map(POSITION, items, codes)}
    )


def _combinations(items: Sequence[Question], found: Mapping[str, Codes]) -> int:
    """How many combinations of the answers that occur there are; too many where all are alike."""
    every = [codes for counts in found.values() for codes in counts]
    sizes = [len({codes[x] for codes in every}) for x in range(len(items))]
    return prod(sizes) if min(sizes, default=0) > 1 else MOST_CELLS + 1


def _rows(items: Sequence[Question], counts: Codes) -> Iterator[list[float]]:
    """A row for each person: numbers, or places on scales from 0."""
    for codes, count in counts.items():
        placed = map(POSITION, items, codes)
        yield from [[one for one in placed if one is not None]] * count


def _on_a_grid(
    items: Sequence[Question], found: Mapping[str, Codes], notes: tuple[str, ...]
) -> Clouds:
    kept = {label: counts for label, counts in found.items() if counts.total() >= LEAST_GROUP}
    if not kept:
        raise ComparisonError("groups", 0, f"no group has {LEAST_GROUP} answers yet")
    every = [codes for counts in kept.values() for codes in counts]
    codings = [coding_of(item, {codes[x] for codes in every}) for x, item in enumerate(items)]
    grid = Grid(tuple(Axis(coding.scale, coding.design) for coding in codings))
    tables = {}
    for label, counts in kept.items():
        tables[label] = np.zeros(grid.reported, dtype=np.int64)
        for codes, count in counts.items():
            cell = tuple(c.places[code] for c, code in zip(codings, codes, strict=True))
            tables[label][cell] += count
    return Clouds(GridClouds(grid, tables), (*_left_out(found, kept), *notes))


def _left_out(found: Mapping[str, object], kept: Mapping[str, object]) -> Iterator[str]:
    small = [label for label in found if label not in kept]
    if small:
        yield f"Left out, as fewer than {LEAST_GROUP} people: {'; '.join(small)}."
