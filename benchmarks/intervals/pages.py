"""How pages read counts: for one look and live; and the numbers whose rows compute by themselves.

What is shown live is decided here alone.
"""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from benchmarks.intervals.family import Live
from benchmarks.intervals.situations import Counts
from surveys.kinds.levels.promise import Level
from surveys.kinds.number.promise import NumberQuestion, NumberRange
from surveys.kinds.ranking.promise import RankedPairQuestion, RankingQuestion
from surveys.randomized_response.designs import TwoCoins
from surveys.randomized_response.intervals import ConfidenceSequence, Interval
from surveys.results.queries import ItemCounts
from surveys.results.reading import LIVE, Reading
from surveys.results.rows.numbers import number_report
from surveys.results.rows.ranks import RankReport, pair_report, ranking_report

LARGEST = 60
# What estimates take for ``method`` on the page of a closed survey.
ONCE = Reading().way
_WORDS: dict[str, Any] = {"help": "", "required": True}


def once() -> Reading:
    """That of a page whose survey is closed."""
    return Reading()


def live(planned: int) -> Reading:
    """That of a page that is looked at again and again; so many answers are planned."""
    return Reading(method=LIVE, planned=planned)


def live_method(planned: int) -> ConfidenceSequence:
    """What estimates take for ``method`` in that reading."""
    return ConfidenceSequence(planned)


def watched(shown: Callable[..., Interval]) -> Live:
    """The same interval in that reading; ``shown`` takes counts and a method."""
    return lambda counts, planned: shown(counts, method=live_method(planned))


def mean_of_numbers(counts: Counts, reading: Reading) -> tuple[float, float] | None:
    """Of direct numbers from 0 to 60, ``counts`` of each."""
    codes = Counter({f"{value:02}": count for value, count in enumerate(counts) if count})
    return number_report(_number(), 1, ItemCounts(_number(), codes), reading).mean_interval


def mean_rank(counts: Counts, reading: Reading) -> tuple[float, float] | None:
    """Of one thing that had each rank so often; what the others had decides nothing about it."""
    item, size = _order(len(counts)), len(counts)
    others = ((sum(counts), *(0,) * (size - 1)),) * (size - 1)
    found = ItemCounts(item, Counter(asked=sum(counts)), parts=(counts, *others))
    return _of_first(ranking_report(item, 1, found, reading))


def mean_rank_of_pairs(counts: Counts, reading: Reading) -> tuple[float, float] | None:
    """Of the first of three things; counts of both reports of each pair."""
    parts = tuple(counts[start : start + 2] for start in (0, 2, 4))
    item = _pairs()
    found = ItemCounts(item, Counter(asked=sum(counts)), parts=parts)
    return _of_first(pair_report(item, 1, found, reading))


def _of_first(report: RankReport) -> tuple[float, float] | None:
    return next(row.interval for row in report.rows if row.label == "a")


@cache
def _number() -> NumberQuestion:
    words = _WORDS | {"id": "1", "text": "", "kind": "number", "design": "direct"}
    return NumberQuestion(**words, number=NumberRange("0", str(LARGEST), 0))


@cache
def _order(things: int) -> RankingQuestion:
    levels = tuple(Level(str(place), str(place)) for place in range(things))
    return RankingQuestion(
        **_WORDS | {"id": "1", "text": "", "kind": "ranking", "design": "direct"},
        levels=levels,
        display=tuple(range(things)),
        parts=tuple("abcdefgh"[:things]),
        sent=things,
    )


@cache
def _pairs() -> RankedPairQuestion:
    stored = TwoCoins(2).channel.integer_weights()
    return RankedPairQuestion(
        **_WORDS | {"id": "1", "text": "", "kind": "ranking", "design": "two_coins"},
        levels=(Level("0", "no"), Level("1", "yes")),
        display=(0, 1),
        weights=stored.weights,
        denominator=stored.denominator,
        ranked=("a", "b", "c"),
        parts=("ab", "ac", "bc"),
        sent=1,
    )
