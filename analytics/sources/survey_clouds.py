"""The stored answers to several questions at once, as clouds of people or on a grid, by group."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from analytics.comparison.checks import ComparisonError, FloatArray
from analytics.comparison.grids import MOST_CELLS, PEOPLE_A_CELL, Axis, Grid, GridClouds
from analytics.sources.survey_answers import POOLED, gated, numbers_together, require_no_few_left
from analytics.sources.survey_codes import codes_of, item_of, labels_of
from analytics.sources.survey_scales import (
    POSITION,
    TELLS_GROUPS,
    coding_of,
    has_position,
)
from surveys.models import Revision
from surveys.questionnaire.kinds.question import Question, was_asked
from surveys.randomized_response.messages import figure, sentence
from surveys.results.disclosure import LEAST_GROUP, UNASKED, Known, known_places

Codes = Counter[tuple[str, ...]]


@dataclass(frozen=True)
class GroupClouds:
    """Groups as clouds of points (people, questions), or on a grid; and notes for the reader."""

    groups: Mapping[str, FloatArray] | GridClouds
    notes: tuple[str, ...]


def clouds_by(revision: Revision, numbers: Sequence[int], by: int) -> GroupClouds:
    """The answers to several questions by the answers to ``by``, which was asked directly.

    Few combinations of answers are compared on a grid, as are randomized answers, which are worked
    back through their channels. Otherwise each person is a point. Who declined a question that all
    were asked directly is left out. Raises ComparisonError.
    """
    items = [item_of(revision, number) for number in numbers]
    other = item_of(revision, by)
    if not all(map(has_position, items)):
        raise ComparisonError(
            "questions", list(numbers), sentence("choose questions with numbers or scales")
        )
    if not TELLS_GROUPS(other) or other.is_randomized:
        raise ComparisonError(
            "by", other.text, sentence("choose a question that was asked directly")
        )
    by_group: dict[str | None, Codes] = {}
    others: Codes = Counter()
    counted = _with_neighbours(items, codes_of(revision, (*numbers, by)))
    for (*codes, group), count in counted.items():
        if not any(map(was_asked, items, codes)):
            continue
        if not _is_in_cloud(items, codes):
            others[tuple(codes)] += count
        else:
            label = other.label(group) if was_asked(other, group) else None
            by_group.setdefault(label, Counter())[tuple(codes)] += count
    ordered = {label: by_group[label] for label in (*labels_of(other), None) if label in by_group}
    known = known_places(items)
    if others:
        require_no_few_left(_cells({(None,): others})[None,], known)
    groups, notes = _gated(items, ordered, known, _pooled_of_each(items, other, counted))
    declined = others.total()
    if declined:
        notes += (
            sentence(
                "People who preferred not to answer one of these questions are left out: {count}.",
                count=figure(declined),
            ),
        )
    people = sum(counts.total() for counts in groups.values())
    is_randomized = any(item.is_randomized for item in items)
    # With fewer people a combination has too few for its share: then people are compared as points.
    few = _combinations(items, groups) <= min(MOST_CELLS, people // PEOPLE_A_CELL)
    if is_randomized or few:
        return _on_a_grid(items, groups, notes)
    clouds = {
        label: np.array(list(_rows(items, counts)), dtype=np.float64).reshape(-1, len(items))
        for label, counts in groups.items()
    }
    return GroupClouds(clouds, notes)


def _with_neighbours(items: Sequence[Question], counted: Codes) -> Codes:
    """Numbers with their neighbours, as where groups are compared on one of them."""
    names = []
    for x, item in enumerate(items):
        groups: dict[str, Counter[str]] = {}
        for codes, count in counted.items():
            if was_asked(item, codes[x]):
                groups.setdefault(codes[-1], Counter())[codes[x]] += count
        names.append(numbers_together(item, groups))
    counts: Codes = Counter()
    for codes, count in counted.items():
        merged = (known.get(code, code) for known, code in zip(names, codes, strict=False))
        counts[*merged, codes[-1]] += count
    return counts


def _positions(items: Sequence[Question], codes: Sequence[str]) -> list[float | None]:
    """Where direct answers stand; a report through a channel is no answer yet."""
    pairs = zip(items, codes, strict=True)
    return [0.0 if item.is_randomized else POSITION(item, code) for item, code in pairs]


def _gated(
    items: Sequence[Question],
    by_group: Mapping[str | None, Codes],
    known: Known,
    pool: frozenset[str | None],
) -> tuple[dict[str, Codes], tuple[str, ...]]:
    """Groups through the gate, by name. Raises ComparisonError."""
    if not any(by_group):
        raise ComparisonError(
            "groups", 0, sentence("no group has {least} answers yet", least=LEAST_GROUP)
        )
    (pool,) = gated(_cells({(x,): codes for x, codes in by_group.items()}), known, (pool,)).pools
    shown = {x: counts for x, counts in by_group.items() if x not in pool and x is not None}
    pooled = [label for label in by_group if label in pool]
    if not pooled:
        return shown, ()
    shown[POOLED] = sum((by_group[label] for label in pooled), Codes())
    names = "; ".join(filter(None, pooled))
    return shown, (
        sentence(
            "These groups are combined, so that no figure describes only a few people: {names}.",
            names=names,
        ),
    )


def _pooled_of_each(
    items: Sequence[Question], other: Question, counted: Codes
) -> frozenset[str | None]:
    """What is pooled where the groups are compared on one of the questions.

    Within each group those who are in no cloud keep the rule too: that comparison has them as
    well, and they would be the difference. So do those who were not asked that question.
    """
    pool = frozenset[str | None]()
    for x, item in enumerate(items):
        by_label: dict[tuple[str | None, ...], Codes] = {}
        unasked: Counter[str | None] = Counter()
        for (*codes, group), count in counted.items():
            label = other.label(group) if was_asked(other, group) else None
            if was_asked(item, codes[x]):
                key = label, "in" if _is_in_cloud(items, codes) else "out"
                by_label.setdefault(key, Codes())[(codes[x],)] += count
            else:
                unasked[label] += count
        if any(label is not None for label, _ in by_label):
            cells = _cells(by_label)
            for label, n in unasked.items():
                others = cells.get((label, "in"), Counter())
                cells[label, "in"] = others + Counter({(UNASKED,): n})
            keys = [(label, side) for label in (*labels_of(other), None) for side in ("in", "out")]
            ordered: dict[tuple[str | None, ...], Counter[tuple[int, ...]]] = {
                key: cells[key] for key in keys if key in cells
            }
            pool |= gated(ordered, known_places([item]), fixed=1).pools[0]
    return pool


def _is_in_cloud(items: Sequence[Question], codes: Sequence[str]) -> bool:
    """Whether a person was asked everything and declined nothing openly."""
    return all(map(was_asked, items, codes)) and None not in _positions(items, codes)


def _cells(
    by_labels: Mapping[tuple[str | None, ...], Codes],
) -> dict[tuple[str | None, ...], Counter[tuple[int, ...]]]:
    """Counts of codes as counts of their places among the codes of all groups."""
    every = [codes for counts in by_labels.values() for codes in counts]
    width = len(every[0])
    orders = [sorted({codes[x] for codes in every}) for x in range(width)]
    places = [{code: position for position, code in enumerate(order)} for order in orders]
    cells: dict[tuple[str | None, ...], Counter[tuple[int, ...]]] = {}
    for labels, counts in by_labels.items():
        cells[labels] = Counter(
            {tuple(map(dict.__getitem__, places, codes)): n for codes, n in counts.items()}
        )
    return cells


def _combinations(items: Sequence[Question], by_group: Mapping[str, Codes]) -> int:
    """How many combinations of the answers that occur there are; too many where all are alike."""
    every = [codes for counts in by_group.values() for codes in counts]
    sizes = [len({codes[x] for codes in every}) for x in range(len(items))]
    return prod(sizes) if min(sizes, default=0) > 1 else MOST_CELLS + 1


def _rows(items: Sequence[Question], counts: Codes) -> Iterator[list[float]]:
    """A row for each person: numbers, or places on scales from 0."""
    for codes, count in counts.items():
        placed = map(POSITION, items, codes)
        yield from [[position for position in placed if position is not None]] * count


def _on_a_grid(
    items: Sequence[Question], by_group: Mapping[str, Codes], notes: tuple[str, ...]
) -> GroupClouds:
    every = [codes for counts in by_group.values() for codes in counts]
    codings = [coding_of(item, {codes[x] for codes in every}) for x, item in enumerate(items)]
    grid = Grid(tuple(Axis(coding.scale, coding.design) for coding in codings))
    tables = {}
    for label, counts in by_group.items():
        tables[label] = np.zeros(grid.reported, dtype=np.int64)
        for codes, count in counts.items():
            cell = tuple(c.places[code] for c, code in zip(codings, codes, strict=True))
            tables[label][cell] += count
    return GroupClouds(GridClouds(grid, tables), notes)
