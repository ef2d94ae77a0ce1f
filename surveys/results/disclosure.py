"""Which groups are shown: a small one is pooled with others, so that no figure is about a few.

Groups are told apart by answers that were given directly, so a small one may be people whom a
reader knows. The rule: what is shown splits the respondents into groups of at least LEAST_GROUP,
and where the answers themselves were given directly, no count in a group is 1 to LEAST_CELL - 1.
Groups that break it are pooled, with the next smallest until the pool keeps it too. What is
shown are then disjoint sets that each keep the rule, so neither subtracting one from the total
nor adding some up singles out fewer people than LEAST_GROUP. If even all people together break
the rule, nothing is shown. It guards one table, not several read together, and not against people
who may download the reported answers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

LEAST_GROUP = 10
LEAST_CELL = 5
POOLED = gettext_lazy("Other groups, pooled")


@dataclass(frozen=True)
class Group:
    """People with the same direct answers, and how often each combination of reports came."""

    label: str
    counts: Counter[tuple[int, ...]]

    @property
    def n(self) -> int:
        return self.counts.total()


@dataclass(frozen=True)
class Shown:
    """The groups that may be shown, and the labels of those that were pooled or withheld."""

    groups: tuple[Group, ...]
    pooled: tuple[str, ...] = ()
    withheld: bool = False


def pooled(groups: Iterable[Group], *, answers_are_known: bool) -> Shown:
    """Pool what is too small. ``answers_are_known``: the answers were given directly."""
    present = [group for group in groups if group.n]
    small = [group for group in present if not _is_safe(group.counts, answers_are_known)]
    if not small:
        return Shown(tuple(present))
    kept = sorted((group for group in present if group not in small), key=_size, reverse=True)
    pool = sum((group.counts for group in small), Counter[tuple[int, ...]]())
    while kept and not _is_safe(pool, answers_are_known):
        small.append(kept.pop())
        pool = pool + small[-1].counts
    labels = tuple(group.label for group in small)
    if not _is_safe(pool, answers_are_known):
        return Shown((), labels, withheld=True)
    shown = [group for group in present if group in kept]
    return Shown((*shown, Group(str(POOLED), pool)), labels)


def _is_safe(counts: Counter[tuple[int, ...]], answers_are_known: bool) -> bool:
    if counts.total() < LEAST_GROUP:
        return False
    return not answers_are_known or all(n >= LEAST_CELL for n in _by_answer(counts) if n)


def _by_answer(counts: Counter[tuple[int, ...]]) -> Iterator[int]:
    answers: Counter[int] = Counter()
    for levels, count in counts.items():
        answers[levels[0]] += count
    yield from answers.values()


def _size(group: Group) -> int:
    return group.n
