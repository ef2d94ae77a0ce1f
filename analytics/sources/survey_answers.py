"""The stored answers of surveys as groups to compare and as rows for a tree."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from analytics.comparison.answers import MISSING, TreeAnswers
from analytics.comparison.answers import TreeQuestion as Feature
from analytics.comparison.checks import ComparisonError, IntArray, TreeError
from analytics.comparison.groups import KnownGroup, Scale
from analytics.comparison.hidden import HiddenGroups
from analytics.kinds.comparisons import ComparedWords
from analytics.sources.survey_codes import codes_of, item_of
from analytics.sources.survey_scales import (
    AS_REPORTED,
    Metric,
    Reported,
    coding_of,
    has_scale,
    is_same_scale,
    needs_metric,
)
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import Question, was_asked
from surveys.questionnaire.kinds.registry import Table, of_kind
from surveys.randomized_response.messages import sentence
from surveys.results.analyses.grouping import numbers_told
from surveys.results.disclosure import (
    FIRST,
    LEAST_GROUP,
    UNASKED,
    Known,
    Partition,
    known_places,
    may_be_left_out,
    partition,
)

POOLED = "Other groups, combined"  # kept in English; a page looks it up in its own language
WITHHELD = sentence(
    "wait for more answers, or choose other questions. Each group must have at least 10 people, "
    "and no answer may come from fewer than 5 people of a group"
)
ADAPTIVE = sentence(
    "Promising items were shown more often over time, so groups that answered at different times "
    "may have rated different items."
)
FEW_LEFT = sentence(
    "wait for more answers, or choose other questions. Only a few people declined to answer, or "
    "were not asked all of these questions. A figure without these few people would reveal their "
    "answers"
)
OTHER_ITEMS = sentence(
    "These surveys rate different items, so the distance may be due to the items."
)


@dataclass(frozen=True)
class ComparedGroups:
    """Groups on one scale, and the words of what was asked."""

    groups: tuple[KnownGroup, ...] | HiddenGroups
    scale: Scale
    asked: ComparedWords


def groups_by(revision: Revision, number: int, by: int, metric: Metric = ()) -> ComparedGroups:
    """The answers to one question, apart by the answers to another. Raises ComparisonError.

    ``metric`` are the distances of answers without an order. Groups that people named directly are
    pooled if they have fewer than 10 people, or left out if they stay too few. Groups that are
    known through a channel alone are hidden.
    """
    item, other = item_of(revision, number), GROUPING(item_of(revision, by))
    if not (has_scale(item) or needs_metric(item)):
        raise ComparisonError("question", item.text, sentence("choose a question with a scale"))
    counted: dict[str, Counter[str]] = {}
    unasked = Counter[str]()
    for (code, group), count in codes_of(revision, (number, by)).items():
        if was_asked(item, code):
            counted.setdefault(group, Counter())[code] += count
        else:
            unasked[group] += count
    together = numbers_together(item, counted)
    counted = {
        group: sum((Counter({together.get(x, x): n}) for x, n in counts.items()), Counter[str]())
        for group, counts in counted.items()
    }
    others = counted.pop(other.not_asked, Counter())
    if other.is_randomized:
        left = _with_unasked(_numbered_levels([others])[0], unasked.total())
        require_no_few_left(left, known_places([item]))
        reported = {group: AS_REPORTED(item, counts) for group, counts in counted.items()}
        return _hidden(item, other, reported, metric)
    shown, notes = _gated(item, other, counted, others, unasked)
    named = {name: (item, AS_REPORTED(item, counts)) for name, counts in shown.items()}
    return _compared(named, notes, metric)


def _with_unasked(counts: Counter[tuple[int, ...]], n: int) -> Counter[tuple[int, ...]]:
    """With so many people who were not asked the question."""
    return counts + Counter({(UNASKED,): n})


def _gated(
    item: Question,
    other: LevelQuestion,
    counted: Mapping[str, Counter[str]],
    others: Counter[str],
    unasked: Counter[str],
) -> tuple[dict[str, Counter[str]], list[str]]:
    """Groups through the gate, by name. Raises ComparisonError.

    ``others`` were not asked for their group; ``unasked`` are those who were not asked the
    question, by group.
    """
    if not any(level.code in counted for level in other.shown_levels):
        return {}, []
    codes = [level.code for level in other.shown_levels]
    groups = [*(counted.get(code, Counter[str]()) for code in codes), others]
    cells: dict[tuple[str | None, ...], Counter[tuple[int, ...]]] = {}
    for code, answers in zip([*codes, None], _numbered_levels(groups), strict=True):
        cells[code,] = _with_unasked(answers, unasked[other.not_asked if code is None else code])
    (pool,) = gated(cells, known_places([item])).pools
    labels = {level.code: level.text for level in other.shown_levels if level.code in counted}
    shown = {label: counted[code] for code, label in labels.items() if code not in pool}
    pooled = [counted[code] for code in labels if code in pool]
    if None in pool and others:
        pooled.append(others)
    if pooled:
        shown[POOLED] = sum(pooled, Counter[str]())
    names = "; ".join(label for code, label in labels.items() if code in pool)
    words = sentence(
        "These groups are combined, so that no figure describes only a few people: {names}.",
        names=names,
    )
    return shown, [words] if pool else []


def numbers_together(item: Question, counted: Mapping[str, Counter[str]]) -> dict[str, str]:
    """What codes of a number that was given directly count as, in groups; empty of other answers.

    No number says to which group one of a few people belongs: the groups of numbers are those of a
    break-down by them. Raises ComparisonError.
    """
    return NUMBERS_TOGETHER(item, counted)


def _together(item: NumberQuestion, counted: Mapping[str, Counter[str]]) -> dict[str, str]:
    values = Counter[Decimal]()
    cells: dict[str | None, Counter[tuple[int, ...]]] = {}
    for position, codes in enumerate(counted.values()):
        for code, n in codes.items():
            cells.setdefault(code, Counter())[(position,)] += n
            if item.has_number(code):
                values[Decimal(code)] += n
    together = numbers_told(item, values, cells, FIRST)
    if together is None:
        raise ComparisonError("question", item.text, WITHHELD)
    written = {float(code): code for code in cells if code and item.has_number(code)}
    # A number that stands alone stays as it is written.
    return {x: written.get(mean, f"{mean:.6g}") for x, mean in together.items() if x is not None}


NUMBERS_TOGETHER: Table[[Mapping[str, Counter[str]]], dict[str, str]] = Table.mostly(
    lambda item, counted: {}, number=_together
)


def gated(
    cells: Mapping[tuple[str | None, ...], Counter[tuple[int, ...]]],
    known: Known,
    pools: Sequence[frozenset[str | None]] = (),
    fixed: int = 0,
) -> Partition[str]:
    """The groups that may be shown. Raises ComparisonError where there are none."""
    partitioned = partition(cells, known=known, pools=pools, fixed=fixed)
    if partitioned.withheld:
        raise ComparisonError("groups", len(cells), WITHHELD)
    return partitioned


def require_no_few_left(others: Counter[tuple[int, ...]], known: Known) -> None:
    """People who are left out keep the rule for groups as well. Raises ComparisonError."""
    if not may_be_left_out(others, known):
        raise ComparisonError("questions", others.total(), FEW_LEFT)


def _numbered_levels(groups: Sequence[Counter[str]]) -> list[Counter[tuple[int, ...]]]:
    """Counts of codes as counts of their places among all codes."""
    codes = sorted({code for counts in groups for code in counts})
    places = {code: (position,) for position, code in enumerate(codes)}
    return [Counter({places[code]: n for code, n in counts.items()}) for counts in groups]


def _no_groups(item: Question) -> LevelQuestion:
    raise ComparisonError("by", item.text, sentence("choose a question whose answers form groups"))


def _itself(item: LevelQuestion) -> LevelQuestion:
    return item


# Lists of hundreds have groups of few people alone.
GROUPING: Table[[], LevelQuestion] = Table.with_levels(_itself, _no_groups, picked=_no_groups)


def surveys_with(revisions: Sequence[tuple[Revision, int]]) -> ComparedGroups:
    """The answers to the same question in several surveys. Raises ComparisonError.

    ``revisions`` come with the question's number in each; each channel is undone by itself.
    """
    compared: dict[str, tuple[Question, Counter[Reported]]] = {}
    for revision, number in revisions:
        item = item_of(revision, number)
        names = _numbered(questionnaire_of(revision).title)
        # Surveys may have the same title.
        name = next(title for title in names if title not in compared)
        codes = codes_of(revision, (number,)).items()
        counts = AS_REPORTED(item, {code: n for (code,), n in codes if was_asked(item, code)})
        if counts.total() < LEAST_GROUP:
            remedy = sentence(
                "a survey needs at least {least} answers to this question", least=LEAST_GROUP
            )
            raise ComparisonError(name, sentence("{count} answers", count=counts.total()), remedy)
        compared[name] = item, counts
    first = next(iter(compared.values()))[0]
    if not all(is_same_scale(first, item) for item, _ in compared.values()):
        remedy = sentence("the question has a different scale in one of these surveys")
        raise ComparisonError("surveys", list(compared), remedy)
    return _compared(compared, [])


def answers_for_tree(revision: Revision, number: int, by: Sequence[int]) -> TreeAnswers:
    """One row a respondent: the question as label, the others as features. Raises TreeError.

    Who was not asked the question is left out; a feature that was not asked is missing.
    """
    numbers = (number, *by)
    items = [IN_TREES(item_of(revision, n)) for n in numbers]
    counted = codes_of(revision, numbers)
    if not any(was_asked(items[0], codes[0]) for codes in counted):
        raise TreeError("question", number, sentence("no answer to this question is stored yet"))
    if not any(all(map(was_asked, items, codes)) for codes in counted):
        raise TreeError(
            "by", list(by), sentence("no person so far was asked all of these questions")
        )
    places = [_places(item) for item in items]
    rows = [
        [positions.get(code, MISSING) for positions, code in zip(places, codes, strict=True)]
        for codes in counted
    ]
    repeated = np.repeat(np.array(rows), list(counted.values()), axis=0)
    known = known_places(items[:1])
    features = [_feature(n, item) for n, item in zip(numbers, items, strict=True)]
    for column, item in enumerate(items[1:], start=1):
        if not item.is_randomized:
            features[column] = _pooled_feature(item, features[column], repeated, column, known)
    left = repeated[(repeated == MISSING).any(axis=1)]
    if not may_be_left_out(_labels(left), known):
        raise TreeError("questions", len(left), FEW_LEFT)
    asked = repeated[repeated[:, 0] != MISSING]
    return TreeAnswers(tuple(features[1:]), features[0], asked[:, 1:], asked[:, 0])


def _labels(rows: IntArray) -> Counter[tuple[int, ...]]:
    """How often each label comes, and how often none, where the question was not asked."""
    sizes = Counter(rows[:, 0].tolist())
    return Counter({(UNASKED if label == MISSING else label,): n for label, n in sizes.items()})


def _pooled_feature(
    item: LevelQuestion, feature: Feature, rows: IntArray, column: int, known: Known
) -> Feature:
    """The feature with its small groups in one level; their codes in the rows become its place.

    Raises TreeError.
    """
    places = _places(item)
    # In the order of all pages: it decides between groups of one size.
    order = [places[level.code] for level in item.shown_levels]
    cells: dict[tuple[int | None, ...], Counter[tuple[int, ...]]] = {}
    for code in (*order, MISSING):
        if labels := _labels(rows[rows[:, column] == code]):
            cells[None if code == MISSING else code,] = labels
    partitioned = partition(cells, known=known)
    if partitioned.withheld:
        raise TreeError("by", feature.name, WITHHELD)
    (pool,) = partitioned.pools
    if not pool:
        return feature
    codes = [MISSING if code is None else code for code in pool]
    rows[np.isin(rows[:, column], codes), column] = len(feature.levels)
    return replace(feature, levels=(*feature.levels, POOLED))


def _not_in_trees(item: Question) -> LevelQuestion:
    raise TreeError("by", item.text, sentence("choose questions with answers to choose from"))


IN_TREES: Table[[], LevelQuestion] = Table.with_levels(_itself, _not_in_trees, picked=_not_in_trees)


def _feature(number: int, item: LevelQuestion) -> Feature:
    levels = tuple(level.text for level in item.levels)
    return Feature(f"{number}. {item.text}", levels, item.channel if item.is_randomized else None)


def _places(item: LevelQuestion) -> Mapping[str, int]:
    return {level.code: position for position, level in enumerate(item.reported_levels)}


def _compared(
    compared: Mapping[str, tuple[Question, Counter[Reported]]],
    notes: Iterable[str],
    metric: Metric = (),
) -> ComparedGroups:
    """Groups that are known, each with the coding of its own question. Raises ComparisonError."""
    if not compared:
        raise ComparisonError(
            "groups", 0, sentence("no group has {least} answers yet", least=LEAST_GROUP)
        )
    reported = {key for _, counts in compared.values() for key in counts}
    codings = {name: coding_of(item, reported, metric) for name, (item, _) in compared.items()}
    groups = tuple(codings[name].group(name, counts) for name, (_, counts) in compared.items())
    first = next(iter(compared))
    items = [item for item, _ in compared.values()]
    notes = (*notes, *codings[first].notes, *_notes_on_ratings(items))
    asked = ComparedWords(compared[first][0].text, codings[first].levels, notes)
    return ComparedGroups(groups, codings[first].scale, asked)


def _hidden(
    item: Question,
    other: LevelQuestion,
    counts: Mapping[str, Counter[Reported]],
    metric: Metric,
) -> ComparedGroups:
    """Groups that are known through a channel: a row of counts for each reported one."""
    if not counts:
        raise ComparisonError("groups", 0, sentence("no answers to both questions are stored yet"))
    coding = coding_of(item, {key for row in counts.values() for key in row}, metric)
    rows = [coding.counted(counts.get(level.code, {})) for level in other.reported_levels]
    groups = HiddenGroups(
        tuple(level.text for level in other.levels),
        np.stack(rows),
        other.channel,
        coding.design,
        coding.patterns,
    )
    notes = (*coding.notes, *_notes_on_ratings([item]))
    return ComparedGroups(groups, coding.scale, ComparedWords(item.text, coding.levels, notes))


def _notes_on_ratings(items: Sequence[Question]) -> Iterator[str]:
    rated = [item.items for _, item in of_kind(RatingQuestion, items)]
    if any(item.adaptive for item in rated):
        yield ADAPTIVE
    if len({item.digest for item in rated}) > 1:
        yield OTHER_ITEMS


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name} ({number})"
        number += 1
