"""Comparison: which groups of a break-down are set against which, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from surveys.randomized_response.relations import e_benjamini_hochberg
from surveys.results.analyses.findings import (
    GroupAnswers,
    GroupFinding,
    difference_finding,
    evidence,
)
from surveys.results.reading import Reading


@dataclass(frozen=True)
class Comparison:
    """Each group with the largest; or every pair; or the one pair of groups with these names."""

    every_pair: bool = False
    pair: tuple[str, str] | None = None

    def pairs_of(
        self, cells: Sequence[GroupAnswers], largest: GroupAnswers
    ) -> list[tuple[GroupAnswers, GroupAnswers]]:
        """Each group with that from which its difference is taken.

        Of a pair that is pooled there is none: its people are shown together with others.
        """
        if self.every_pair:
            return [(second, first) for first, second in combinations(cells, 2)]
        if self.pair is None:
            return [(cell, largest) for cell in cells if cell is not largest]
        named = {cell.label: cell for cell in cells}
        if not all(label in named for label in self.pair):
            return []
        return [(named[self.pair[0]], named[self.pair[1]])]


class Differences(NamedTuple):
    """The level of each interval, and what was found of each pair."""

    level: float
    findings: tuple[GroupFinding, ...]


def level_of(reading: Reading, statements: float, together: bool) -> float:
    """Of each of so many statements, if all are to hold together (Bonferroni)."""
    if not together:
        return reading.level
    return 1 - (1 - reading.level) / max(1.0, statements)


def differences(
    pairs: Sequence[tuple[GroupAnswers, GroupAnswers]],
    answer: int,
    reading: Reading,
    *,
    together: bool,
    comparison: Comparison,
) -> Differences:
    """All differences; how much each interval is widened depends on what is asked.

    *One look*: Holm's (1979) method. With r of m differences clear, the others are looked at with
    the failure probability over m - r, until no more become clear. An interval at the last level
    leaves out 0 exactly where the method rejects that there is no difference.

    *All looks, from one group*: Bonferroni's level, so that what is clear stays so at all looks.

    *All looks, every pair*: the method of Benjamini and Hochberg for e-values (Wang and Ramdas
    2022), for any dependence between the pairs. With k of m called, each interval is at
    1 - c k / m, and leaves out 0 exactly where the pair is called: it holds the differences whose
    evidence is below m / (c k).
    """
    if together and reading.is_live and comparison.every_pair:
        found = [evidence(cell, base, answer, reading.planned) for cell, base in pairs]
        if all(value is not None for value in found):
            called = e_benjamini_hochberg([value or 0.0 for value in found], reading.level)
            statements = len(pairs) / max(1, sum(called))
            return _at(level_of(reading, statements, together), pairs, answer, reading)
    left = len(pairs)
    while True:
        at = _at(level_of(reading, left, together), pairs, answer, reading)
        unclear = max(1, sum(not finding.is_clear for finding in at.findings))
        if reading.is_live or not together or unclear >= left:
            return at
        left = unclear


def _at(
    level: float, pairs: Sequence[tuple[GroupAnswers, GroupAnswers]], answer: int, reading: Reading
) -> Differences:
    found = (difference_finding(cell, base, answer, level, reading.way) for cell, base in pairs)
    return Differences(level, tuple(found))
