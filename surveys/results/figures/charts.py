"""Charts of results: shares and means with intervals, coefficients, histograms.

The estimate with its interval is the main mark; what was reported is a light one. A chart has two
widths: on a small screen labels stand above their intervals, on a large one before them.
"""

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt

from surveys.results.figures.marks import Bar, Column
from surveys.web.figures import WIDE
from surveys.web.pictures import (
    BLUE,
    GREY,
    GROUND,
    INK,
    ORANGE,
    PALE,
    ROW,
    data_of,
    intervals_in_rows,
    layered_rows,
    shortened,
)

LABEL, LINE_GAP = 13, 6  # the height of a label; what the line at 0 reaches above its interval
PADDING = 24  # what stands on both sides of a picture
LINE_LETTERS = 24  # a label before its interval has two such lines
_LETTER = 7.2  # the width of a label's letter in the widest fonts, in pixels
_BEYOND = 0.15  # the room that the words of a value need beside their interval, as a share
_MOST_LETTERS = {True: 50, False: 36}  # in the labels above intervals, by whether it is wide


@lru_cache(maxsize=256)
def shares(bars: tuple[Bar, ...], is_ordered: bool, width: int) -> Any:
    """Shares on an axis from 0 to 100 %; those of a scale's levels as bars too."""
    values = [0, 0.25, 0.5, 0.75, 1]
    axis = alt.Axis(format="%", title=None, domain=False, ticks=False, values=values)
    x = alt.X("low:Q", scale=alt.Scale(domain=[0, 1]), axis=axis)
    return _intervals(bars, x, (0.0, 1.0), width, is_ordered=is_ordered)


@lru_cache(maxsize=64)
def means(bars: tuple[Bar, ...], ends: tuple[float, float], title: str, width: int) -> Any:
    """Means with intervals on an axis between two ends, both drawn within it."""
    axis = alt.Axis(title=title, domain=False, ticks=False, tickCount=5, format="~g")
    x = alt.X("low:Q", scale=alt.Scale(domain=list(ends), nice=False), axis=axis)
    return _intervals(bars, x, ends, width)


def _intervals(
    bars: tuple[Bar, ...],
    x: alt.X,
    ends: tuple[float, float],
    width: int,
    *,
    is_ordered: bool = False,
) -> Any:
    rows = [_row(place, bar, ends, width) for place, bar in enumerate(bars)]
    is_wide = width >= WIDE
    step = (
        (40 if len(rows) == 1 else 34 if any(len(row["lines"]) > 1 for row in rows) else 28)
        if is_wide
        else ROW
    )
    longest = max((len(line) for row in rows for line in row["lines"]), default=0)
    gutter = round(longest * _LETTER) + 14
    y = alt.Y("row:O", axis=None)
    base = alt.Chart(data_of(rows))
    layers = [_filled(base, y, ends)] if is_ordered else []
    layers += _labels(base, y, gutter) if is_wide else [_labels_above(base, y)]
    layers += [*_marks(base, x, y), *_values(base, y)]
    layers += _cut_marks(bars, ends)
    # The last label of the axis stands half beyond it.
    plot = width - PADDING - 16 - (gutter if is_wide else 0)
    return alt.layer(*layers).properties(width=plot, height=step * len(bars) + 4)


def _row(place: int, bar: Bar, ends: tuple[float, float], width: int) -> dict[str, Any]:
    whole = ends[1] - ends[0]
    beyond = _BEYOND * whole
    reported = bar.low if bar.reported is None else bar.reported
    fits_after = bar.high < ends[1] - beyond and not bar.high < reported < bar.high + beyond
    fits_before = bar.low > ends[0] + beyond and not bar.low - beyond < reported < bar.low
    is_wide = width >= WIDE
    label = shortened(bar.label, 2 * LINE_LETTERS if is_wide else _MOST_LETTERS[False])
    return {
        "row": place,
        "lines": textwrap.wrap(label, LINE_LETTERS, max_lines=2, placeholder="…") or [""],
        "label": label,
        "value": bar.value,
        "low": bar.low,
        "high": bar.high,
        "reported": bar.reported,
        "words": bar.words,
        "side": "after" if fits_after else "before" if fits_before else "above",
    }


def _filled(base: alt.Chart, y: alt.Y, ends: tuple[float, float]) -> alt.Chart:
    bar = base.transform_calculate(start=str(ends[0])).mark_bar(color=PALE, height={"band": 0.72})
    return bar.encode(x="start:Q", x2="value:Q", y=y)


def _labels(base: alt.Chart, y: alt.Y, gutter: float) -> list[alt.Chart]:
    """Labels of one or two lines before their intervals; a wide font needs the whole gutter."""
    one, two = (
        base.transform_filter(f"length(datum.lines) == {count}").mark_text(
            align="right", baseline="middle", color=INK, fontSize=12, lineHeight=14, dy=dy
        )
        for count, dy in ((1, 0), (2, -7))
    )
    room = alt.Chart(data_of([{}])).mark_point(opacity=0).encode(x=alt.value(-gutter))
    texts = [lines.encode(x=alt.value(-12), y=y, text="lines:N") for lines in (one, two)]
    return [room, *texts]


def _labels_above(base: alt.Chart, y: alt.Y) -> alt.Chart:
    above = base.mark_text(align="left", dy=-13, color=INK, fontSize=13)
    return above.encode(x=alt.value(0), y=y, text="label:N")


def _marks(base: alt.Chart, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    hollow = base.transform_filter("isValid(datum.reported)").mark_point(
        shape="diamond", filled=True, fill=GROUND, stroke=GREY, strokeWidth=1.5, size=70, opacity=1
    )
    return [
        hollow.encode(x="reported:Q", y=y),
        base.mark_rule(strokeWidth=5, color=BLUE, opacity=0.5).encode(x=x, x2="high:Q", y=y),
        base.mark_point(filled=True, size=95, color=BLUE, opacity=1).encode(x="value:Q", y=y),
    ]


def _values(base: alt.Chart, y: alt.Y) -> list[alt.Chart]:
    """The value in words beside its interval, where there is room for it."""
    looks: dict[str, Any] = {"baseline": "middle", "color": INK, "fontWeight": "bold"}
    after = base.transform_filter("datum.side == 'after'").mark_text(align="left", dx=9, **looks)
    before = base.transform_filter("datum.side == 'before'").mark_text(
        align="right", dx=-9, **looks
    )
    above = base.transform_filter("datum.side == 'above'").mark_text(dy=-11, **looks)
    return [
        drawn.encode(x=f"{field}:Q", y=y, text="words:N")
        for drawn, field in ((after, "high"), (before, "low"), (above, "value"))
    ]


def _cut_marks(bars: Sequence[Bar], ends: tuple[float, float]) -> list[alt.Chart]:
    """Triangles that point to where an interval goes on beyond the axis."""
    cut = [(place, ends[0], "triangle-left") for place, bar in enumerate(bars) if bar.cut_low]
    cut += [(place, ends[1], "triangle-right") for place, bar in enumerate(bars) if bar.cut_high]
    return [
        alt.Chart(data_of([{"row": place, "end": end}]))
        .mark_point(shape=shape, filled=True, size=80, color=ORANGE, opacity=1)
        .encode(x="end:Q", y=alt.Y("row:O", axis=None))
        for place, end, shape in cut
    ]


@lru_cache(maxsize=64)
def coefficients(bars: tuple[Bar, ...], link: str, width: int) -> Any:
    """Coefficients as points on their intervals, with a line at 0: no difference."""
    longest = _MOST_LETTERS[width >= WIDE] - 8
    values = [
        {
            "row": place,
            "label": f"{shortened(bar.label, longest)}  {bar.words}",
            "value": bar.value,
            "low": bar.low,
            "high": bar.high,
        }
        for place, bar in enumerate(bars)
    ]
    axis = alt.Axis(title=f"Coefficient ({link})", grid=True, domain=False, tickCount=5)
    x = alt.X("low:Q", axis=axis, scale=alt.Scale(zero=True))
    layers = [_zero_line(len(bars)), *intervals_in_rows(values, x, "value")]
    return layered_rows(layers, len(bars), width - PADDING)


def _zero_line(rows: int) -> alt.Chart:
    """The line at 0, in pieces from each interval down to the next label, which it leaves free."""
    pieces = data_of([{"row": place, "zero": 0} for place in range(rows)])
    length = ROW - LABEL - 2 * LINE_GAP
    mark = alt.Chart(pieces).mark_tick(
        orient="vertical", size=length, thickness=1, color=GREY, yOffset=length / 2 - LINE_GAP
    )
    return mark.encode(x="zero:Q", y=alt.Y("row:O", axis=None))


HISTOGRAM = 150  # its height


@lru_cache(maxsize=256)
def histogram(
    columns: tuple[Column, ...], quartiles: tuple[float, float, float] | None, width: int
) -> Any:
    """How often each range of numbers was given; above it the middle half and the median."""
    values = [{"low": c.low, "high": c.high, "count": c.count, "floor": 0} for c in columns]
    ends = [min((one.low for one in columns), default=0), max((c.high for c in columns), default=1)]
    x = alt.X(
        "low:Q",
        title=None,
        scale=alt.Scale(domain=ends, nice=False),
        axis=alt.Axis(tickCount=6, grid=False, format=",~g"),
    )
    # An eighth of the height is free above the highest bar, for the quartiles.
    top = 1.15 * max((one.count for one in columns), default=1)
    y = alt.Y(
        "count:Q",
        title="Answers",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(tickCount=4, tickMinStep=1, format=",d", domain=False, ticks=False),
    )
    bars = alt.Chart(data_of(values)).mark_rect(color=BLUE, stroke=GROUND, strokeWidth=1)
    layers = [bars.encode(x=x, x2="high:Q", y=y, y2="floor:Q")]
    layers += _quartile_marks(quartiles) if quartiles else []
    return alt.layer(*layers).properties(width=width - PADDING - 64, height=HISTOGRAM)


def _quartile_marks(quartiles: tuple[float, float, float]) -> list[alt.Chart]:
    lower, median, upper = quartiles
    base = alt.Chart(data_of([{"lower": lower, "median": median, "upper": upper}]))
    y = alt.value(8)
    return [
        base.mark_rule(strokeWidth=3, color=GREY).encode(x="lower:Q", x2="upper:Q", y=y),
        base.mark_point(filled=True, shape="diamond", size=90, color=ORANGE, opacity=1).encode(
            x="median:Q", y=y
        ),
    ]


@lru_cache(maxsize=64)
def periods(columns: tuple[Column, ...], width: int) -> Any:
    """How often each month or year was given, in order."""
    values = [{"period": one.label, "count": one.count} for one in columns]
    axis = alt.Axis(labelAngle=-40, labelOverlap=True, ticks=False)
    x = alt.X("period:O", title=None, sort=[one.label for one in columns], axis=axis)
    y = alt.Y("count:Q", title="Answers", axis=alt.Axis(tickCount=4, tickMinStep=1, format=",d"))
    bars = alt.Chart(data_of(values)).mark_bar(color=BLUE).encode(x=x, y=y)
    return bars.properties(width=width - PADDING - 64, height=HISTOGRAM)
