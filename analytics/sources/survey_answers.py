"""The stored answers of surveys as groups to compare and as rows for a tree."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

import numpy as np

from analytics.comparison.answers import Answers
from analytics.comparison.answers import Question as Feature
from analytics.comparison.checks import FloatArray
from analytics.comparison.errors import ComparisonError, TreeError
from analytics.comparison.groups import Group, Scale
from analytics.kinds.comparisons import Asked
from analytics.sources.survey_codes import codes_of, item_of, labels_of
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.levels import LevelQuestion, ThroughChannel
from surveys.questionnaire.kinds.number import NumberQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.rating import RatingQuestion

# As in break-downs: no figure is about fewer people.
LEAST_GROUP = 10
POOLED = "Other groups, pooled"
ORDERED = ("yes_no", "scale")
ADAPTIVE = (
    "Promising items were shown more often as time went by: groups that answered at other times "
    "may have rated other items."
)
OTHER_ITEMS = "These surveys rate other items: the distance may be that of the items."

Metric = Sequence[Sequence[float]]
# What one person reported: a code, or how many of their ratings stand at each level.
Reported = str | tuple[int, ...]


@dataclass(frozen=True)
class Compared:
    """Groups on one scale, and the words of what was asked."""

    groups: tuple[Group, ...]
    scale: Scale
    asked: Asked


def needs_metric(item: Question) -> bool:
    """Whether answers have no order, so that their distances must be given."""
    return isinstance(item, LevelQuestion) and item.kind not in ORDERED


def has_scale(item: Question) -> bool:
    """Whether the answers to a question have an order, so that they can be compared."""
    if isinstance(item, LevelQuestion):
        return item.kind in ORDERED
    return isinstance(item, NumberQuestion | RatingQuestion)


def tells_groups(item: Question) -> bool:
    """Whether a question's answers were given directly and name groups."""
    return isinstance(item, LevelQuestion) and not item.is_randomized


def is_same_scale(one: Question, other: Question) -> bool:
    """Whether two questions of different surveys are answered on the same scale."""
    if type(one) is not type(other) or not has_scale(one) or not has_scale(other):
        return False
    if isinstance(one, ThroughChannel) and isinstance(other, ThroughChannel):
        return [level.text for level in one.levels] == [level.text for level in other.levels]
    return True


def groups_by(revision: Revision, number: int, by: int, metric: Metric = ()) -> Compared:
    """The answers to one question, apart by the answers to another. Raises ComparisonError.

    ``metric`` are the distances of answers without an order.

    Groups of fewer than 10 people are pooled, or left out if they stay too few.
    """
    item, other = (item_of(revision, one) for one in (number, by))
    can_compare = has_scale(item) or needs_metric(item)
    if not can_compare or not tells_groups(other):
        raise ComparisonError("by", by, "choose a question with direct answers to tell groups")
    counted: dict[str, Counter[str]] = {}
    for (code, group), count in codes_of(revision, (number, by)).items():
        if item.was_asked(code) and other.was_asked(group):
            counted.setdefault(other.label(group), Counter())[code] += count
    order = {label: place for place, label in enumerate(labels_of(other))}
    names = sorted(counted, key=lambda n: order.get(n, -1))
    pooled, notes = _pooled({name: _as_reported(item, counted[name]) for name in names})
    return _compared(item, {name: (item, counts) for name, counts in pooled.items()}, notes, metric)


def surveys_with(revisions: Sequence[tuple[Revision, int]]) -> Compared:
    """The answers to the same question in several surveys. Raises ComparisonError.

    ``revisions`` come with the question's number in each; each channel is undone by itself.
    """
    found: dict[str, tuple[Question, Counter[Reported]]] = {}
    for revision, number in revisions:
        item = item_of(revision, number)
        name = _unused(questionnaire_of(revision).title, found)
        counts = _asked_codes(revision, item, number)
        if counts.total() < LEAST_GROUP:
            remedy = f"a survey needs at least {LEAST_GROUP} answers to this question"
            raise ComparisonError(name, f"{counts.total()} answers", remedy)
        found[name] = item, counts
    first = next(iter(found.values()))[0]
    if not all(is_same_scale(first, item) for item, _ in found.values()):
        remedy = "the question has another scale in one of these surveys"
        raise ComparisonError("surveys", list(found), remedy)
    return _compared(first, found, [])


def clouds_by(
    revision: Revision, numbers: Sequence[int], by: int
) -> tuple[dict[str, FloatArray], list[str]]:
    """Clouds (people, questions) of direct numbers by the answers to ``by``, and notes.

    Who declined one of the numbers is left out. Raises ComparisonError.
    """
    asked = [item_of(revision, one) for one in numbers]
    items = [item for item in asked if isinstance(item, NumberQuestion)]
    other = item_of(revision, by)
    if len(items) < len(asked) or not tells_groups(other):
        raise ComparisonError("by", by, "choose numbers, and a question with direct answers")
    found: dict[str, list[list[float]]] = {}
    left_out = 0
    for codes, count in codes_of(revision, (*numbers, by)).items():
        *given, group = codes
        pairs = zip(items, given, strict=True)
        if not other.was_asked(group) or any(item.is_declined(code) for item, code in pairs):
            left_out += count
            continue
        found.setdefault(other.label(group), []).extend([[float(code) for code in given]] * count)
    small = [name for name, rows in found.items() if len(rows) < LEAST_GROUP]
    notes = [f"Left out, as fewer than {LEAST_GROUP} people: {'; '.join(small)}."] if small else []
    if left_out:
        notes.append(f"Left out, as they declined one of these questions: {left_out:,}.")
    order = [label for label in labels_of(other) if label in found and label not in small]
    return {label: np.array(found[label]) for label in order}, notes


def answers_for_tree(revision: Revision, number: int, by: Sequence[int]) -> Answers:
    """One row a respondent: the question as label, the others as features. Raises TreeError.

    Who was not asked the question is left out; a feature that was not asked is missing.
    """
    numbers = (number, *by)
    items = [item_of(revision, one) for one in numbers]
    for item in items:
        if not isinstance(item, LevelQuestion):
            raise TreeError("by", item.text, "choose questions whose answers are levels")
    counted = codes_of(revision, numbers)
    rows = [codes for codes in counted if items[0].was_asked(codes[0])]
    if not rows:
        raise TreeError("question", number, "no answer to it is stored yet")
    features = [_feature(one, item) for one, item in zip(numbers, items, strict=True)]
    places = [_places(item) for item in items]
    table = np.array(
        [[place.get(code, -1) for place, code in zip(places, codes, strict=True)] for codes in rows]
    )
    repeated = np.repeat(table, [counted[codes] for codes in rows], axis=0)
    return Answers(tuple(features[1:]), features[0], repeated[:, 1:], repeated[:, 0])


def _feature(number: int, item: Question) -> Feature:
    own = cast(LevelQuestion, item)
    levels = tuple(level.text for level in own.levels)
    return Feature(f"{number}. {own.text}", levels, own.channel if own.is_randomized else None)


def _places(item: Question) -> Mapping[str, int]:
    levels = cast(LevelQuestion, item).reported_levels
    return {level.code: place for place, level in enumerate(levels)}


def _asked_codes(revision: Revision, item: Question, number: int) -> Counter[Reported]:
    found = codes_of(revision, (number,)).items()
    return _as_reported(item, Counter({code: n for (code,), n in found if item.was_asked(code)}))


def _as_reported(item: Question, counts: Mapping[str, int]) -> Counter[Reported]:
    """Codes as they are; of a person's ratings, how many stand at each level."""
    if not isinstance(item, RatingQuestion):
        return Counter(counts)
    found: Counter[Reported] = Counter()
    for code, count in counts.items():
        levels = Counter(level for _, level in item.ratings(code))
        found[tuple(levels[place] for place in range(len(item.levels)))] += count
    return found


def _pooled(
    groups: Mapping[str, Counter[Reported]],
) -> tuple[dict[str, Counter[Reported]], list[str]]:
    kept = {name: counts for name, counts in groups.items() if counts.total() >= LEAST_GROUP}
    small = [name for name in groups if name not in kept]
    if not small:
        return kept, []
    pool = sum((groups[name] for name in small), Counter[Reported]())
    if pool.total() >= LEAST_GROUP:
        kept[POOLED] = pool
        return kept, [f"Pooled, so that no figure is about a few people: {'; '.join(small)}."]
    return kept, [f"Left out, as fewer than {LEAST_GROUP} people: {'; '.join(small)}."]


def _compared(
    item: Question,
    found: Mapping[str, tuple[Question, Counter[Reported]]],
    notes: Iterable[str],
    metric: Metric = (),
) -> Compared:
    if isinstance(item, NumberQuestion):
        return _numbers(item, {name: counts for name, (_, counts) in found.items()}, notes)
    own = cast(ThroughChannel, item)
    decline = own.decline_level
    placed = [level.text for place, level in enumerate(own.levels) if place != decline]
    unit = "answers" if item.kind == "yes_no" else "steps"
    distances = None
    if needs_metric(item):
        if not metric:
            remedy = "these answers have no order: give the distances between them"
            raise ComparisonError("metric", item.text, remedy)
        unit, distances = "metric", np.array(metric)
    scale = Scale(np.arange(float(len(placed))), decline, unit, distances)
    notes = [*notes, *_notes_on_ratings([asked for asked, _ in found.values()])]
    reported = {key for _, counts in found.values() for key in counts}
    groups = tuple(_group(name, asked, counts, reported) for name, (asked, counts) in found.items())
    return Compared(groups, scale, Asked(item.text, tuple(placed), tuple(notes)))


def _group(
    name: str, item: Question, counts: Counter[Reported], reported: Iterable[Reported]
) -> Group:
    """A group; ratings with the patterns of all groups whose people rate as many items."""
    own = cast(ThroughChannel, item)
    design = own.channel if own.is_randomized else None
    if not isinstance(item, RatingQuestion):
        return Group(name, np.array([counts[one.code] for one in own.reported_levels]), design)
    patterns = sorted(key for key in reported if isinstance(key, tuple) and sum(key) == item.slots)
    shares = np.array(patterns) / item.slots
    return Group(name, np.array([counts[key] for key in patterns]), design, shares)


def _notes_on_ratings(items: Sequence[Question]) -> Iterator[str]:
    rated = [item.items for item in items if isinstance(item, RatingQuestion)]
    if any(one.adaptive for one in rated):
        yield ADAPTIVE
    if len({one.digest for one in rated}) > 1:
        yield OTHER_ITEMS


def _numbers(
    item: NumberQuestion, found: Mapping[str, Counter[Reported]], notes: Iterable[str]
) -> Compared:
    """Each different number is a level; those who declined are the last one."""
    codes = {str(code) for counts in found.values() for code in counts}
    values = sorted({Decimal(code) for code in codes if not item.is_declined(code)})
    if len(values) < 2:
        raise ComparisonError("question", item.text, "all people gave the same number")
    has_declined = any(item.is_declined(code) for code in codes)
    places = {value: place for place, value in enumerate(values)}
    groups = []
    for name, counts in found.items():
        ordered = np.zeros(len(values) + has_declined, dtype=np.int64)
        for reported, count in counts.items():
            code = str(reported)
            place = len(values) if item.is_declined(code) else places[Decimal(code)]
            ordered[place] += count
        groups.append(Group(name, ordered))
    positions = np.array([float(value) for value in values])
    scale = Scale(positions, len(values) if has_declined else None, "units")
    return Compared(tuple(groups), scale, Asked(item.text, tuple(map(str, values)), tuple(notes)))


def _unused(name: str, used: Mapping[str, object]) -> str:
    """A name that no other group has: surveys may have the same title."""
    return next(one for one in _numbered(name) if one not in used)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name} ({number})"
        number += 1
