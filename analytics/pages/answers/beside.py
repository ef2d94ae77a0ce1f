"""Two comparisons side by side: every pair of groups of either, with its distance in both."""

from dataclasses import dataclass

from django.utils.translation import gettext

from analytics.kinds.comparisons import ComparedPair, ComparisonReport
from analytics.reports.comparisons import amount_words, in_words
from analytics.reports.words import p_words


@dataclass(frozen=True)
class BesideRow:
    """A pair of groups in two comparisons; a dash where one of them does not have it."""

    pair: str
    first: str
    second: str


def beside(first: ComparisonReport, second: ComparisonReport) -> list[BesideRow]:
    """Every pair of either comparison, with its distance and interval in both."""
    found = [
        {frozenset((p.first, p.second)): p for p in in_words(r).pairs} for r in (first, second)
    ]
    rows = []
    for names in dict.fromkeys([*found[0], *found[1]]):
        told = [
            _distance_words(report, pairs[names]) if names in pairs else "–"
            for report, pairs in zip((first, second), found, strict=True)
        ]
        rows.append(BesideRow(" – ".join(sorted(names)), *told))
    return rows


def _distance_words(report: ComparisonReport, pair: ComparedPair) -> str:
    low, high = amount_words(report, pair.low), amount_words(report, pair.high)
    return gettext("{amount} ({low} to {high}), p = {p}").format(
        amount=amount_words(report, pair.distance), low=low, high=high, p=p_words(pair.corrected)
    )
