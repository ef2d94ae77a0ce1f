"""Pages say of each pair how its p-value was found."""

import numpy as np

from analytics.comparison.groups import KnownGroup, Scale
from analytics.kinds.comparisons import ComparedWords, ComparisonSettings, report_comparison
from analytics.kinds.settings import Unwatched
from analytics.reports.words import how_tested

EXACT, DRAWN = (
    "all possible splits of the reported answers",
    "2,000 random splits of the reported answers",
)


def words_of(**groups: list[int]) -> tuple[str, ...]:
    known = [KnownGroup(name, counts) for name, counts in groups.items()]
    asked, settings = ComparedWords("Mood?", ("bad", "good")), ComparisonSettings(1, by=2)
    scale = Scale(np.arange(2.0))
    result = report_comparison(known, scale, asked, settings, Unwatched())
    return tuple(how_tested(sorted(result.pairs, key=lambda pair: -pair.distance)))


def test_one_way_for_all_pairs_is_said_once():
    assert words_of(a=[9, 3], b=[3, 9]) == (f"The p-value comes from {EXACT}.",)


def test_small_pairs_are_tested_exactly_beside_large_ones_and_the_page_says_which():
    assert words_of(a=[9, 3], b=[300, 200], c=[3, 9]) == (
        f"The p-value for a – c comes from {EXACT}.",
        f"The p-value for b – c, a – b comes from {DRAWN}.",
    )
