"""Pictures of results: intervals of shares, groups, regression coefficients, histograms of numbers.

Every picture stands beside a table with the same numbers. A picture has two widths, so that its
letters stay readable on a small screen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import altair as alt

from surveys.results.analyses.breakdowns import AnswerFindings
from surveys.results.analyses.regressions import RegressionReport
from surveys.results.rows.days import DayReport
from surveys.results.rows.numbers import NumberReport
from surveys.results.shares import ShareReport
from surveys.web.pictures import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    ROW,
    data_of,
    draw,
    intervals_in_rows,
    layered_rows,
    shortened,
)
from surveys.web.responses import NARROW, WIDE

LABEL, LINE_GAP = 13, 6  # the height of a label; what the line at 0 reaches above its interval
_MOST_LETTERS = {WIDE: 50, NARROW: 36}


@dataclass(frozen=True)
class Bar:
    """One interval to draw, within [0, 1]; an end that was cut off is marked."""

    label: str
    share: float | None
    low: float
    high: float
    cut_low: bool
    cut_high: bool
    words: str


def interval_chart(report: ShareReport, width: int = WIDE) -> str:
    """Estimates as points on their intervals, on an axis from 0 to 100 %."""
    bars = tuple(
        Bar(
            row.label,
            row.shown_share,
            row.shown.low,
            row.shown.high,
            row.interval.low < 0,
            row.interval.high > 1,
            row.estimate_words,
        )
        for row in report.drawn_rows
    )
    return _interval_svg(bars, width)


def group_chart(answer: AnswerFindings, width: int = WIDE) -> str:
    """One answer's share in every group that can be told, as points on their intervals."""
    told = [(finding, finding.interval) for finding in answer.shares if finding.interval]
    bars = tuple(Bar(f.group, f.value, i.low, i.high, False, False, f.value_words) for f, i in told)
    return _interval_svg(bars, width)


def coefficient_chart(report: RegressionReport, width: int = WIDE) -> str:
    """Coefficients as points on their intervals, with a line at 0: no difference."""
    rows = tuple((r.name, r.value, r.low, r.high, r.value_words) for r in report.drawn_rows)
    return _coefficient_svg(rows, report.choice.link, width)


@lru_cache(maxsize=64)
def _coefficient_svg(
    rows: tuple[tuple[str, float, float, float, str], ...], link: str, width: int
) -> str:
    values = [
        {
            "row": place,
            "label": f"{shortened(name, _MOST_LETTERS[width] - 8)}  {words}",
            "value": value,
            "low": low,
            "high": high,
        }
        for place, (name, value, low, high, words) in enumerate(rows)
    ]
    axis = alt.Axis(title=f"Coefficient ({link})", grid=True, domain=False, tickCount=5)
    x = alt.X("low:Q", axis=axis, scale=alt.Scale(zero=True))
    layers = [_zero_line(len(rows)), *intervals_in_rows(values, x, "value")]
    return draw(layered_rows(layers, len(rows), width))


def _zero_line(rows: int) -> alt.Chart:
    """The line at 0, in pieces from each interval down to the next label, which it leaves free."""
    pieces = data_of([{"row": place, "zero": 0} for place in range(rows)])
    length = ROW - LABEL - 2 * LINE_GAP
    mark = alt.Chart(pieces).mark_tick(
        orient="vertical", size=length, thickness=1, color=GREY, yOffset=length / 2 - LINE_GAP
    )
    return mark.encode(x="zero:Q", y=alt.Y("row:O", axis=None))


def histogram(report: NumberReport | DayReport, width: int = WIDE) -> str:
    """How often each range of values was given."""
    return _histogram_svg(tuple((bar.label, bar.count) for bar in report.bins), width)


@lru_cache(maxsize=256)
def _interval_svg(bars: tuple[Bar, ...], width: int) -> str:
    longest = _MOST_LETTERS[width]
    values = [
        {
            "row": place,
            "label": shortened(bar.label, longest),
            "share": bar.share,
            "low": bar.low,
            "high": bar.high,
            "words": bar.words,
        }
        for place, bar in enumerate(bars)
    ]
    layers = [*intervals_in_rows(values, _share_axis(width), "share"), *_cut_marks(bars)]
    return draw(layered_rows(layers, len(bars), width))


def _share_axis(width: int) -> alt.X:
    axis = alt.Axis(
        format="%",
        title=None,
        grid=True,
        domain=False,
        ticks=False,
        values=[0, 0.25, 0.5, 0.75, 1] if width == NARROW else [fifth / 5 for fifth in range(6)],
    )
    return alt.X("low:Q", scale=alt.Scale(domain=[0, 1]), axis=axis)


def _cut_marks(bars: Sequence[Bar]) -> list[alt.Chart]:
    """Triangles that point to where an interval goes on beyond the axis."""
    ends = [(place, 0.0, "triangle-left") for place, bar in enumerate(bars) if bar.cut_low]
    ends += [(place, 1.0, "triangle-right") for place, bar in enumerate(bars) if bar.cut_high]
    return [
        alt.Chart(data_of([{"row": place, "end": end}]))
        .mark_point(shape=shape, filled=True, size=80, color=ORANGE, opacity=1)
        .encode(x="end:Q", y=alt.Y("row:O", axis=None))
        for place, end, shape in ends
    ]


@lru_cache(maxsize=256)
def _histogram_svg(bins: tuple[tuple[str, int], ...], width: int) -> str:
    values = [
        {"place": place, "bin": label, "count": count} for place, (label, count) in enumerate(bins)
    ]
    y = alt.Y(
        "bin:N",
        title=None,
        sort=[label for label, _ in bins],
        axis=alt.Axis(ticks=False, domain=False, labelLimit=width // 3),
    )
    base = alt.Chart(data_of(values))
    bars = base.mark_bar(color=BLUE).encode(
        x=alt.X("count:Q", title="Answers", axis=alt.Axis(tickCount=4, tickMinStep=1, format=",d")),
        y=y,
    )
    words = base.mark_text(align="left", dx=4, color=INK).encode(
        x="count:Q", y=y, text=alt.Text("count:Q", format=",d")
    )
    return draw((bars + words).properties(width=width - 130, height=24 * len(bins)))
