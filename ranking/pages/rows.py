"""A ranking's page in words: rows, bars, columns, ghosts, decimals; the template draws them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.core.paginator import Page, Paginator
from django.utils.translation import gettext, gettext_lazy, ngettext

from ranking import queries
from ranking.methods.registry import Method
from ranking.methods.tables import IntegerArray, RankedTable
from ranking.pages.exports import Listing
from ranking.queries import RatedCounts, RatedQuestion
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import grouped, localized

ITEMS_A_PAGE = 50
# The picture of an interval, in the units of its drawing.
BAR_WIDTH, BAR_MARGIN = 200.0, 6.0
COLUMN_HEIGHT, COLUMN_WIDTH = 24.0, 9.0
COMPARED = {
    "mean": gettext_lazy("Mean"),
    "wilson": gettext_lazy("Wilson bound (0 to 1)"),
    "weighted": gettext_lazy("Weighted like IMDb"),
    "corrected mean": gettext_lazy("Corrected mean"),
}


@dataclass(frozen=True)
class RankBar:
    """An interval and a score on a line from the lowest to the highest utility."""

    low: str
    high: str
    width: str
    score: str


@dataclass(frozen=True)
class RankColumn:
    """One level of a histogram."""

    x: str
    y: str
    height: str


@dataclass(frozen=True)
class RankRow:
    """One item."""

    rank: str
    name: str
    score: str
    low: str
    high: str
    bar: RankBar
    ratings: int
    counts: tuple[str, ...]
    columns: tuple[RankColumn, ...]
    ranks: str
    beats: str
    compared: tuple[str, ...]


@dataclass(frozen=True)
class Ghosts:
    """The ratings that an average item starts with, in words; without a total, their shares.

    ``mean`` is the prior mean of an average item.
    """

    levels: tuple[tuple[str, str], ...]
    total: str
    mean: str
    note: str


@dataclass(frozen=True)
class RankingPage:
    """One page of a ranking. ``page`` holds the places of its items."""

    table: RankedTable
    page: "Page[int]"
    rows: tuple[RankRow, ...]
    ghosts: Ghosts | None
    compared: tuple[str, ...]
    matches: int
    utilities_range: tuple[str, str]


def ranking_page(
    question: RatedQuestion,
    version: int,
    method: Method,
    *,
    text: str = "",
    number: str | None = None,
    compares: bool = False,
) -> RankingPage:
    """The page with this number of the items whose names contain a text.

    Raises StatisticsError where nothing can be ordered by this method.
    """
    items = queries.rated_items(question, version)
    table = queries.ranked(question, version, method)
    listed = matching(items, table, text)
    page = Paginator(listed.tolist(), ITEMS_A_PAGE).get_page(number)
    names = [name for name in COMPARED if name in table.comparison] if compares else []
    return RankingPage(
        table=table,
        page=page,
        rows=tuple(_rows(question, version, table, items, listed, page, names)),
        ghosts=_ghosts(table, question.scale),
        compared=tuple(str(COMPARED[name]) for name in names),
        matches=len(listed),
        utilities_range=(_plain(table.posterior.low), _plain(table.posterior.high)),
    )


def counted_words(question: RatedQuestion, items: RatedCounts) -> str:
    """How many ratings there are, and where they came from."""
    reported, starting = int(items.reported), int(items.starting)
    if question.item.is_randomized:
        return ngettext(
            "{count} randomized rating was reported.",
            "{count} randomized ratings were reported.",
            reported,
        ).format(count=grouped(reported))
    if starting > 0:
        return ngettext(
            "{count} rating in this survey. The starting counts in the catalogue of items add "
            "{starting}.",
            "{count} ratings in this survey. The starting counts in the catalogue of items add "
            "{starting}.",
            reported,
        ).format(count=grouped(reported), starting=grouped(starting))
    return ngettext(
        "{count} rating in this survey.", "{count} ratings in this survey.", reported
    ).format(count=grouped(reported))


def matching(items: RatedCounts, table: RankedTable, text: str) -> IntegerArray:
    """The items whose names contain a text, in any case, in their order."""
    if not text:
        return table.ranking.order
    wanted = text.casefold()
    matches = np.array([wanted in name.casefold() for name in items.names], dtype=bool)
    return np.asarray(table.ranking.order[matches[table.ranking.order]])


def listing(question: RatedQuestion, version: int, method: Method, text: str = "") -> Listing:
    """The same items, all of them, for a file. Raises StatisticsError."""
    items = queries.rated_items(question, version)
    table = queries.ranked(question, version, method)
    return Listing(table, items.names, matching(items, table, text))


def _rows(
    question: RatedQuestion,
    version: int,
    table: RankedTable,
    items: RatedCounts,
    listed: IntegerArray,
    page: "Page[int]",
    names: list[str],
) -> Iterator[RankRow]:
    shown = np.array(page.object_list, dtype=np.int64)
    if not len(shown):
        return
    start = page.start_index()
    nexts = listed[start : start + len(shown)]
    extras = queries.extras(question, version, table.method, shown.tolist(), nexts.tolist())
    ends = table.intervals(shown)
    decimals = decimals_for(table)
    for row, item in enumerate(shown.tolist()):
        low, high = ends[row]
        score = float(table.posterior.scores[item])
        counts = table.counts[item]
        rank, tied = table.ranking.ranks[item], table.is_tied[item]
        yield RankRow(
            rank=f"{grouped(int(rank))}{'=' if tied else ''}",
            name=items.names[item],
            score=_number(score, decimals),
            low=_number(low, decimals),
            high=_number(high, decimals),
            bar=_bar(low, high, score, table),
            ratings=round(float(counts.sum())),
            counts=tuple(grouped(round(float(count))) for count in counts),
            columns=tuple(_columns(counts)),
            ranks=_span(int(extras.best[row]), int(extras.worst[row])),
            beats=chance(float(extras.beats[row])) if row < len(nexts) else "–",
            compared=tuple(_number(float(table.comparison[n][item]), decimals) for n in names),
        )


def _bar(low: float, high: float, score: float, table: RankedTable) -> RankBar:
    """Where the ends are drawn; a linear score beyond the scale is drawn at its end."""
    left, right = table.posterior.low, table.posterior.high
    inner = BAR_WIDTH - 2 * BAR_MARGIN

    def drawn(value: float) -> float:
        return BAR_MARGIN + inner * (min(max(value, left), right) - left) / (right - left)

    ends = drawn(low), drawn(high)
    return RankBar(
        f"{ends[0]:.1f}", f"{ends[1]:.1f}", f"{ends[1] - ends[0]:.1f}", f"{drawn(score):.1f}"
    )


def _columns(counts: np.ndarray) -> Iterator[RankColumn]:
    most = max(float(counts.max()), 1.0)
    for level, count in enumerate(counts):
        height = COLUMN_HEIGHT * float(count) / most
        yield RankColumn(
            f"{level * (COLUMN_WIDTH + 2):.0f}", f"{COLUMN_HEIGHT - height:.1f}", f"{height:.1f}"
        )


def _ghosts(table: RankedTable, scale: tuple[str, ...]) -> Ghosts | None:
    prior, average, means = table.prior, table.average_ghosts, table.prior_means
    if prior is None or means is None:
        return None
    mean, note = _number(float(means.mean()), decimals_for(table)), translated(prior.note)
    if average is None:
        shares = [localized(f"{100 * share:.1f} %") for share in prior.shares]
        return Ghosts(tuple(zip(scale, shares, strict=True)), "", mean, note)
    counts = [localized(f"{count:,.2f}") for count in average]
    total = localized(f"{average.sum():,.1f}")
    return Ghosts(tuple(zip(scale, counts, strict=True)), total, mean, note)


def decimals_for(table: RankedTable) -> int:
    """As many as show a thousandth of the scale."""
    width = table.posterior.high - table.posterior.low
    return min(max(3 - math.floor(math.log10(width)), 0), 9)


def chance(value: float) -> str:
    """A probability in percent; what is not certain is not called certain."""
    if 0.9995 <= value < 1:
        return localized("> 99.9 %")
    if 0 < value < 0.0005:
        return localized("< 0.1 %")
    return localized(f"{100 * value:.1f} %")


def _number(value: float, decimals: int) -> str:
    """A number with a true minus sign; a dash where there is none."""
    if math.isnan(value):
        return "–"
    return localized(f"{round(value, decimals) + 0.0:,.{decimals}f}").replace("-", "−")


def _plain(value: float) -> str:
    return localized(f"{value:g}").replace("-", "−")


def _span(best: int, worst: int) -> str:
    return (
        grouped(best)
        if best == worst
        else gettext("{best} to {worst}").format(best=grouped(best), worst=grouped(worst))
    )
