"""The gate for groups: who is shown apart, so that no figure is about a few.

Groups are told apart by answers that were given directly, so a small one may be people whom a
reader knows. The rule: every page, picture and file splits the people who were asked a question
into disjoint groups of at least LEAST_GROUP, and where its answers were given directly, no count in
a group is 1 to LEAST_CELL - 1. Groups that break it are pooled, with the next smallest until the
pool keeps it too. People whom a page leaves out, since they were not asked or have no number, are a
group like the others: if they break the rule they are pooled, so that a total beside the groups is
never that of the groups and a few. Those who were not asked the question itself keep the rule in
each group: other questions were asked of them too, whose groups would differ from these by them. If
even all people together break the rule, nothing is shown.

The groups of a question by another follow from their answers alone, not from the page that asks, so
that two tables never differ by a few. Where two questions split the people together, whole groups
of one of them are pooled until every combination keeps the rule: sums over the combinations are the
groups of each question, or several of those together. See ``docs/privacy.md`` for what this does
not guard against.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from typing import Any, Generic, TypeVar

from django.utils.translation import gettext_lazy

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table

LEAST_GROUP = 10
LEAST_CELL = 5
# No weight makes one person count for more: people who count alike are at least LEAST_GROUP.
LARGEST_SHARE = 1 / LEAST_GROUP
POOLED = gettext_lazy("Other groups, combined")

Answers = Counter[tuple[int, ...]]  # of a group: how often each combination of reports came
UNASKED = -1  # in the place of a report: people who are counted, but were not asked the question
Known = Collection[int]  # places in the combinations, of answers that were given directly
FIRST: Known = (0,)
Label = TypeVar("Label", bound=Hashable)


def least_apart(questionnaire: Questionnaire) -> int:
    """Of how many people what is shown apart is at least: also never of less than a batch."""
    return max(LEAST_GROUP, questionnaire.batch_size)


@dataclass(frozen=True)
class AnswerGroup:
    """People with the same direct answers, and how often each combination of reports came."""

    label: str
    counts: Answers

    @property
    def n(self) -> int:
        return self.counts.total()


@dataclass(frozen=True)
class Partition(Generic[Label]):
    """Of each grouping the labels that are pooled, in the order in which labels were given.

    A label of None is people whom the grouping leaves out. ``withheld``: nothing may be shown.
    """

    pools: tuple[frozenset[Label | None], ...]
    withheld: bool = False

    def shown(self, labels: Sequence[Label | None]) -> tuple[Label | None, ...] | None:
        """Labels with None for the pool; None itself for people who are left out."""
        merged = _merged(labels, self.pools)
        if None in merged:
            return None
        return tuple(None if label is _POOL else label for label in merged)  # type: ignore[misc]


@dataclass(frozen=True)
class Shown:
    """The groups that may be shown, and the labels of those that were pooled or withheld."""

    groups: tuple[AnswerGroup, ...]
    pooled: tuple[str, ...] = ()
    withheld: bool = False


_POOL = object()


def partition(
    cells: Mapping[tuple[Label | None, ...], Answers],
    *,
    known: Known,
    pools: Sequence[frozenset[Label | None]] | None = None,
    fixed: int = 0,
    order: Callable[[int, Label | None], Any] | None = None,
) -> Partition[Label]:
    """Pool what is too small. ``cells``: people by their label in each grouping.

    Between groups of one size the order decides in which answers are shown: ``order`` sorts the
    labels of each grouping. Without it that is the order of the cells, which for more than one
    grouping follows from which combinations there are, and so perhaps from one person.
    ``known``: the places in each combination whose answers were given directly. ``pools``: what is
    pooled already. The last ``fixed`` groupings are never pooled.
    """
    width = len(next(iter(cells), ()))
    margins = [_margin(cells, index, order) for index in range(width)]
    pooled_before = [*(pools or ()), *[frozenset[Label | None]()] * width][:width]
    pairs = zip(margins, pooled_before, strict=True)
    chosen = [pool for pair in pairs if (pool := _pool_of(*pair, known)) is not None]
    if len(chosen) < width or any(chosen[width - fixed :]):
        return Partition((), withheld=True)
    ranks = [{label: rank for rank, label in enumerate(margin)} for margin in margins]
    combined = _Combined.of(cells, chosen, known, ranks)
    while (cell := combined.smallest_unsafe()) is not None:
        grown = [_grown(*grouping) for grouping in zip(chosen, margins, cell, strict=True)]
        free = list(enumerate(grown))[: width - fixed]
        sizes = [(_people(pool, margins[x]), x) for x, pool in free if pool]
        if not sizes:
            return Partition((), withheld=True)
        index = min(sizes)[1]
        combined.pool(index, (grown[index] or chosen[index]) - chosen[index])
        chosen[index] = grown[index] or chosen[index]
    return Partition(tuple(chosen))


def pooled(groups: Iterable[AnswerGroup], *, known: Known, others: Answers | None = None) -> Shown:
    """Groups of one grouping; ``others`` are people whom it leaves out."""
    present = {index: group for index, group in enumerate(groups) if group.n}
    cells: dict[tuple[int | None, ...], Answers] = {(x,): g.counts for x, g in present.items()}
    if others:
        cells[None,] = others
    parts = partition(cells, known=known)
    if parts.withheld:
        return Shown((), tuple(group.label for group in present.values()), withheld=True)
    pool = parts.pools[0] if parts.pools else frozenset[int | None]()
    shown = [group for index, group in present.items() if index not in pool]
    if pool:
        counts = sum((cells[label,] for label in pool), Answers())
        shown.append(AnswerGroup(str(POOLED), counts))
    return Shown(tuple(shown), tuple(g.label for x, g in present.items() if x in pool))


def neighbours(numbers: Mapping[float, Answers], *, known: Known) -> list[tuple[float, ...]]:
    """Numbers in ascending order, next ones together until their people keep the rule.

    Empty if all people together break it.
    """
    return neighbouring(numbers, lambda people: is_safe(people, known))


def neighbouring(
    numbers: Mapping[float, Answers], keeps_rule: Callable[[Answers], bool]
) -> list[tuple[float, ...]]:
    """The same by any rule that people of a block keep."""
    blocks: list[list[float]] = []
    people: list[Answers] = []
    for number in sorted(numbers):
        if not blocks or keeps_rule(people[-1]):
            blocks.append([])
            people.append(Answers())
        blocks[-1].append(number)
        people[-1].update(numbers[number])
    while blocks and not keeps_rule(people[-1]):
        last, those = blocks.pop(), people.pop()
        if not blocks:
            return []
        blocks[-1] += last
        people[-1].update(those)
    return [tuple(block) for block in blocks]


def mean_of(numbers: Mapping[float, Answers], block: Sequence[float]) -> float:
    """The mean number of the people of a block; a number alone as it is."""
    people = sum(numbers[number].total() for number in block)
    # Exactly rounded, so that not even the last digit follows the order in which answers came.
    total = fsum(number * numbers[number].total() for number in block)
    return block[0] if len(block) == 1 else total / people


def known_places(items: Iterable[Question]) -> Known:
    """The places of the questions whose answers are levels that were given directly.

    Of a number no share of a single value is shown apart from its neighbours.
    """
    return [index for index, item in enumerate(items) if KNOWN(item)]


# Whether its answers are levels that were given directly.
KNOWN: Table[[], bool] = Table.with_levels(lambda item: not item.is_randomized, lambda item: False)


def is_safe(counts: Answers, known: Known) -> bool:
    """Whether these people may be a group. No people at all are none.

    Those who were asked keep the rule, if there are any, and so do those who were not.
    """
    asked = of_asked(counts)
    parts = [part for part in (asked, counts - asked) if part]
    return bool(parts) and all(_keeps_the_rule(part, known) for part in parts)


def of_asked(counts: Answers) -> Answers:
    """The answers without the people who were not asked."""
    return Answers({levels: n for levels, n in counts.items() if set(levels) != {UNASKED}})


def _keeps_the_rule(counts: Answers, known: Known) -> bool:
    if counts.total() < LEAST_GROUP:
        return False
    return all(n >= LEAST_CELL for index in known for n in _by_answer(counts, index) if n)


def may_be_left_out(counts: Answers, known: Known) -> bool:
    """Whether a figure without these people says nothing of a few."""
    return not counts.total() or is_safe(counts, known)


def _by_answer(counts: Answers, index: int) -> Iterator[int]:
    answers: Counter[int] = Counter()
    for levels, count in counts.items():
        answers[levels[index]] += count
    yield from answers.values()


def _margin(
    cells: Mapping[tuple[Label | None, ...], Answers],
    index: int,
    order: Callable[[int, Label | None], Any] | None,
) -> dict[Label | None, Answers]:
    margin: dict[Label | None, Answers] = {}
    for labels, counts in cells.items():
        margin.setdefault(labels[index], Answers()).update(counts)
    shown = [label for label, counts in margin.items() if counts]
    if order is not None:
        shown.sort(key=partial(order, index))
    return {label: margin[label] for label in shown}


def _pool_of(
    margin: Mapping[Label | None, Answers], before: frozenset[Label | None], known: Known
) -> frozenset[Label | None] | None:
    """The labels to pool, none if all keep the rule; None if all together break it."""
    small = [x for x, counts in margin.items() if x in before or not is_safe(counts, known)]
    pool = sum((margin[label] for label in small), Answers())
    while small and not is_safe(pool, known):
        following = _smallest(margin, small)
        if following is None:
            return None
        small.append(following)
        pool = pool + margin[following]
    return before.union(small)


def _smallest(
    margin: Mapping[Label | None, Answers], without: Iterable[Label | None]
) -> Label | None:
    """The label of the smallest group besides these, of equal ones the last."""
    left = [label for label in margin if label is not None and label not in set(without)]
    return min(reversed(left), key=lambda label: margin[label].total(), default=None)


def _merged(
    labels: Sequence[Label | None], pools: Sequence[frozenset[Label | None]]
) -> tuple[Label | object | None, ...]:
    pairs = zip(labels, pools, strict=True)
    return tuple(_POOL if label in pool else label for label, pool in pairs)


Key = tuple[Any, ...]  # of labels, or of the mark of a pool


@dataclass
class _Combined(Generic[Label]):
    """Combinations of labels as they are pooled so far, with their people.

    Each is worked out anew only when it changes: a list of hundreds of clusters is pooled in as
    many steps. ``ranks`` of the labels of each grouping decide between equal combinations.
    """

    people: dict[Key, Answers]
    unsafe: dict[Key, tuple[int, ...]]
    known: Known
    ranks: Sequence[Mapping[Label | None, int]]

    @classmethod
    def of(
        cls,
        cells: Mapping[tuple[Label | None, ...], Answers],
        pools: Sequence[frozenset[Label | None]],
        known: Known,
        ranks: Sequence[Mapping[Label | None, int]],
    ) -> "_Combined[Label]":
        made = cls({}, {}, known, ranks)
        for labels, counts in cells.items():
            made._add(_merged(labels, pools), counts)
        for key in made.people:
            made._judge(key)
        return made

    def pool(self, index: int, labels: Collection[Label | None]) -> None:
        """Take these labels of one grouping into its pool."""
        moved = [key for key in self.people if key[index] in labels]
        for key in moved:
            pooled_key = (*key[:index], _POOL, *key[index + 1 :])
            self.unsafe.pop(key, None)
            self._add(pooled_key, self.people.pop(key))
            self._judge(pooled_key)

    def smallest_unsafe(self) -> Key | None:
        """The smallest combination that breaks the rule, of equal ones the first shown."""
        return min(self.unsafe, key=self.unsafe.__getitem__, default=None)

    def _add(self, key: Key, counts: Answers) -> None:
        self.people[key] = self.people.get(key, Answers()) + counts

    def _judge(self, key: Key) -> None:
        self.unsafe.pop(key, None)
        if self.people[key] and not is_safe(self.people[key], self.known):
            places = zip(self.ranks, key, strict=True)
            shown = (ranks.get(label, len(ranks)) for ranks, label in places)
            self.unsafe[key] = (self.people[key].total(), *shown)


def _grown(
    pool: frozenset[Label | None],
    margin: Mapping[Label | None, Answers],
    label: Label | object | None,
) -> frozenset[Label | None] | None:
    """The pool with this group, or with the next smallest where that is not enough."""
    grown: frozenset[Label | None] = pool if label is _POOL else pool | {label}  # type: ignore[arg-type]
    if label is _POOL or len(grown) == 1:
        following = _smallest(margin, grown)
        return None if following is None else grown | {following}
    return grown


def _people(pool: Iterable[Label | None], margin: Mapping[Label | None, Answers]) -> int:
    return sum(margin[label].total() for label in pool if label in margin)
