"""The stored answers to several questions at once, as clouds of people or on a grid, by group."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.comparison.checks import FloatArray
from analytics.comparison.errors import ComparisonError
from analytics.comparison.grids import Axis, Grid, GridClouds
from analytics.sources.survey_answers import LEAST_GROUP
from analytics.sources.survey_codes import codes_of, item_of, labels_of
from analytics.sources.survey_scales import (
    coding_of,
    has_position,
    position_of,
    tells_groups,
)
from surveys.models import Revision
from surveys.questionnaire.kinds.question import Question

Codes = Counter[tuple[str, ...]]


@dataclass(frozen=True)
class Clouds:
    """Groups as clouds of points (people, questions), or on a grid; and notes for the reader."""

    groups: Mapping[str, FloatArray] | GridClouds
    notes: tuple[str, ...]


def clouds_by(revision: Revision, numbers: Sequence[int], by: int) -> Clouds:
    """The answers to several questions by the answers to ``by``, which was asked directly.

    If all were asked directly, each person is a point, and who declined one of them is left out.
    Otherwise answers are worked back through their channels, on a grid. Raises ComparisonError.
    """
    items = [item_of(revision, one) for one in numbers]
    other = item_of(revision, by)
    if not all(map(has_position, items)):
        raise ComparisonError("questions", list(numbers), "choose questions with numbers or scales")
    if not tells_groups(other) or other.is_randomized:
        raise ComparisonError("by", other.text, "choose a question that was asked directly")
    found: dict[str, Codes] = {}
    for (*codes, group), count in codes_of(revision, (*numbers, by)).items():
        asked = zip([*items, other], [*codes, group], strict=True)
        if all(item.was_asked(code) for item, code in asked):
            found.setdefault(other.label(group), Counter())[tuple(codes)] += count
    ordered = {label: found[label] for label in labels_of(other) if label in found}
    if any(item.is_randomized for item in items):
        return _on_a_grid(items, ordered)
    return _as_points(items, ordered)


def _as_points(items: Sequence[Question], found: Mapping[str, Codes]) -> Clouds:
    clouds, left_out = {}, 0
    for label, counts in found.items():
        rows = list(_rows(items, counts))
        left_out += counts.total() - len(rows)
        clouds[label] = np.array(rows, dtype=np.float64).reshape(-1, len(items))
    kept = {label: cloud for label, cloud in clouds.items() if len(cloud) >= LEAST_GROUP}
    notes = list(_left_out(clouds, kept))
    if left_out:
        notes.append(f"Left out, as they declined one of these questions: {left_out:,}.")
    return Clouds(kept, tuple(notes))


def _rows(items: Sequence[Question], counts: Codes) -> Iterator[list[float]]:
    """A row for each person who answered all questions: numbers, or places on scales from 0."""
    for codes, count in counts.items():
        found = [position_of(item, code) for item, code in zip(items, codes, strict=True)]
        placed = [one for one in found if one is not None]
        if len(placed) == len(items):
            yield from [placed] * count


def _on_a_grid(items: Sequence[Question], found: Mapping[str, Codes]) -> Clouds:
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
    return Clouds(GridClouds(grid, tables), tuple(_left_out(found, kept)))


def _left_out(found: Mapping[str, object], kept: Mapping[str, object]) -> Iterator[str]:
    small = [label for label in found if label not in kept]
    if small:
        yield f"Left out, as fewer than {LEAST_GROUP} people: {'; '.join(small)}."
