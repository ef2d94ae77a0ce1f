"""Charts of results: shares and means with intervals, coefficients, histograms; what they draw.

The estimate with its interval is the main mark; what was reported is a light one. A chart has two
widths: on a small screen labels stand above their intervals, on a large one before them.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from surveys.web.drawing.pictures import (
    BLUE,
    GREY,
    GROUND,
    INK,
    LABEL_LINE,
    ORANGE,
    PADDING,
    PALE,
    ROW_PLACE,
    WIDE,
    in_lines,
    intervals_in_rows,
    label_lines,
    labels_above,
    layered_rows,
    lines_above,
    row_height,
)
from surveys.web.drawing.vega import Document, Marks, field, layered

LABEL, LINE_GAP = 13, 6  # the height of a label; what the line at 0 reaches above its interval
LINE_LETTERS, LONG_LINE = 24, 34  # letters in the lines of labels before intervals: short, long
_LETTER = 7.2  # the width of a label's letter in the widest fonts, in pixels
_BEYOND = 0.15  # the room that the words of a value need beside their interval, as a share
_LETTERS_ABOVE = 36  # in the lines above intervals
_BELOW_LABEL = 12  # the height of a bar whose label stands above it
_LINE = 14  # the height of a label's line before its interval


@dataclass(frozen=True)
class Bar:
    """One interval to draw, within the axis; an end that was cut off is marked.

    ``is_too_wide``: it says so little that its value is not written in bold.

    ``reported`` is the share of reports, where that is another one than the estimate; ``planned``
    the ends of the interval that the plan promises, ``earlier`` the share in the survey before.
    """

    label: str
    value: float | None
    low: float
    high: float
    words: str
    cut_low: bool = False
    cut_high: bool = False
    is_too_wide: bool = False
    reported: float | None = None
    planned: tuple[float, float] | None = None
    earlier: float | None = None


@dataclass(frozen=True)
class HistogramBin:
    """One bin of a histogram: its label, its ends and how many values it holds."""

    label: str
    low: float
    high: float
    count: int


def shares(bars: tuple[Bar, ...], width: int) -> Document:
    """Shares of questions of all kinds: bars with intervals on an axis from 0 to 100 %."""
    values = [0, 0.25, 0.5, 0.75, 1]
    axis = {"format": "%", "title": None, "domain": False, "ticks": False, "values": values}
    x = field("low:Q", scale={"domain": [0, 1]}, axis=axis)
    return _intervals(bars, x, (0.0, 1.0), width, is_filled=True)


def means(bars: tuple[Bar, ...], ends: tuple[float, float], title: str, width: int) -> Document:
    """Means with intervals on an axis between two ends, both drawn within it."""
    axis = {"title": title, "domain": False, "ticks": False, "tickCount": 5, "format": "~g"}
    x = field("low:Q", scale={"domain": list(ends), "nice": False}, axis=axis)
    return _intervals(bars, x, ends, width)


def _intervals(
    bars: tuple[Bar, ...],
    x: Document,
    ends: tuple[float, float],
    width: int,
    *,
    is_filled: bool = False,
) -> Document:
    is_wide = width >= WIDE
    labels = _in_lines([bar.label for bar in bars], is_wide=is_wide)
    rows = [_row(index, bar, ends, labels[index]) for index, bar in enumerate(bars)]
    lines = max(map(len, labels), default=1)
    least = 40 if len(rows) == 1 else 28
    # A label above its interval needs as much room as is then below the interval.
    step = max(least, _LINE * lines + 6) if is_wide else row_height(labels)
    longest = max((len(line) for label in labels for line in label), default=0)
    gutter = round(longest * _LETTER) + 14
    filled = {"color": PALE, "height": {"band": 0.72} if is_wide else _BELOW_LABEL}
    layers = (
        [Marks(rows, "bar", filled, x="start:Q", x2="value:Q", y=ROW_PLACE)] if is_filled else []
    )
    layers += _labels(rows, gutter) if is_wide else labels_above(rows)
    layers += [*_marks(rows, x), *_compared(bars), *_values(rows)]
    layers += _cut_marks(bars, ends)
    # The last label of the axis stands half beyond it.
    plot = width - PADDING - 16 - (gutter if is_wide else 0)
    return layered(layers, plot, step * len(bars) + 4)


def _in_lines(labels: Sequence[str], *, is_wide: bool) -> list[list[str]]:
    """Whole labels in lines; lines are longer where one would need more than two."""
    is_short = all(len(textwrap.wrap(label, LINE_LETTERS)) <= 2 for label in labels)
    before = LINE_LETTERS if is_short else LONG_LINE
    return [in_lines(label, before if is_wide else _LETTERS_ABOVE) for label in labels]


def _row(index: int, bar: Bar, ends: tuple[float, float], lines: list[str]) -> dict[str, Any]:
    side, after = _beside(bar, ends)
    return {
        "row": index,
        "start": ends[0],
        "lines": lines,
        "value": bar.value,
        "low": bar.low,
        "high": bar.high,
        "reported": bar.reported,
        "words": bar.words,
        "side": side,
        "after": after,
        "weight": "normal" if bar.is_too_wide else "bold",
    }


def _beside(bar: Bar, ends: tuple[float, float]) -> tuple[str, float]:
    """On which side of its interval the words of a value stand, and where those after it start.

    Where a lighter mark is in the way on both sides, they stand after that mark.
    """
    beyond = _BEYOND * (ends[1] - ends[0])
    others = [mark for mark in (bar.reported, bar.earlier) if mark is not None]
    in_the_way = [mark for mark in others if bar.high < mark < bar.high + beyond]
    is_free_before = not any(bar.low - beyond < mark < bar.low for mark in others)
    if not in_the_way and bar.high < ends[1] - beyond:
        return "after", bar.high
    if is_free_before and bar.low > ends[0] + beyond:
        return "before", bar.low
    after = max(in_the_way, default=bar.high)
    is_free_after = not any(after < mark < after + beyond for mark in others)
    is_after = is_free_after and after < ends[1] - beyond
    return "after" if is_after else "above", after


def _labels(rows: list[Document], gutter: float) -> list[Marks]:
    """Labels before their intervals; a wide font needs the whole gutter."""
    look = {"align": "right", "baseline": "middle", "color": INK, "fontSize": 12}
    room = Marks([{}], "point", {"opacity": 0}, x=-gutter)
    return [room, *label_lines(rows, look, _LINE, x=-12, last=0, middle=0.5)]


def _marks(rows: list[Document], x: Document) -> list[Marks]:
    hollow = {"shape": "diamond", "filled": True, "fill": GROUND, "stroke": GREY}
    hollow |= {"strokeWidth": 1.5, "size": 70, "opacity": 1}
    line = {"strokeWidth": 5, "color": BLUE, "opacity": 0.5}
    dot = {"filled": True, "size": 95, "color": BLUE, "opacity": 1}
    reported = "isValid(datum.reported)"
    return [
        Marks(rows, "point", hollow, only=reported, x="reported:Q", y=ROW_PLACE),
        Marks(rows, "rule", line, x=x, x2="high:Q", y=ROW_PLACE),
        Marks(rows, "point", dot, x="value:Q", y=ROW_PLACE),
    ]


def _compared(bars: Sequence[Bar]) -> list[Marks]:
    """Brackets where the plan's interval ends, and a hollow square at the share of the past."""
    planned = [(row, bar.planned) for row, bar in enumerate(bars) if bar.planned]
    brackets: list[Document] = [
        {"row": row, "end": end, "bracket": bracket}
        for row, ends in planned
        for end, bracket in zip(ends, "[]", strict=True)
    ]
    earlier = [(row, bar.earlier) for row, bar in enumerate(bars) if bar.earlier is not None]
    squares: list[Document] = [{"row": row, "earlier": share} for row, share in earlier]
    letter = {"baseline": "middle", "color": GREY, "fontSize": 17, "fontWeight": "bold"}
    hollow = {"shape": "square", "filled": True, "fill": GROUND, "stroke": GREY}
    hollow |= {"strokeWidth": 1.5, "size": 60, "opacity": 1}
    layers = (
        Marks(brackets, "text", letter, x="end:Q", y=ROW_PLACE, text="bracket:N"),
        Marks(squares, "point", hollow, x="earlier:Q", y=ROW_PLACE),
    )
    return [layer for layer in layers if layer.rows]


def _values(rows: list[Document]) -> list[Marks]:
    """The value in words beside its interval, where there is room for it."""
    looks = {"baseline": "middle", "color": INK, "fontWeight": {"expr": "datum.weight"}}
    sides = (
        ("after", "after:Q", {"align": "left", "dx": 9}),
        ("before", "low:Q", {"align": "right", "dx": -9}),
        ("above", "value:Q", {"dy": -11}),
    )
    return [
        Marks(
            rows,
            "text",
            {**looks, **offset},
            only=f"datum.side == '{side}'",
            x=end,
            y=ROW_PLACE,
            text="words:N",
        )
        for side, end, offset in sides
    ]


def _cut_marks(bars: Sequence[Bar], ends: tuple[float, float]) -> list[Marks]:
    """Triangles that point to where an interval goes on beyond the axis."""
    cut = [(index, ends[0], "triangle-left") for index, bar in enumerate(bars) if bar.cut_low]
    cut += [(index, ends[1], "triangle-right") for index, bar in enumerate(bars) if bar.cut_high]
    look = {"filled": True, "size": 80, "color": ORANGE, "opacity": 1}
    return [
        Marks(
            [{"row": index, "end": end}], "point", {**look, "shape": shape}, x="end:Q", y=ROW_PLACE
        )
        for index, end, shape in cut
    ]


def coefficients(bars: tuple[Bar, ...], link: str, width: int) -> Document:
    """Coefficients as points on their intervals, with a line at 0: no difference."""
    lines = lines_above([f"{bar.label}  {bar.words}" for bar in bars], width)
    values = [
        {
            "row": index,
            "lines": lines[index],
            "value": bar.value,
            "low": bar.low,
            "high": bar.high,
        }
        for index, bar in enumerate(bars)
    ]
    axis = {
        "title": gettext("Coefficient ({link})").format(link=link),
        "grid": True,
        "domain": False,
        "tickCount": 5,
    }
    x = field("low:Q", axis=axis, scale={"zero": True})
    layers = [_zero_line(lines), *intervals_in_rows(values, x, "value")]
    return layered_rows(layers, lines, width)


def _zero_line(lines: list[list[str]]) -> Marks:
    """The line at 0, in pieces from each interval down to the next label, which it leaves free."""
    pieces = [{"row": index, "zero": 0} for index in range(len(lines))]
    above = LABEL + LABEL_LINE * (max(map(len, lines), default=1) - 1)
    length = row_height(lines) - above - 2 * LINE_GAP
    look = {"orient": "vertical", "size": length, "thickness": 1, "color": GREY}
    look["yOffset"] = length / 2 - LINE_GAP
    return Marks(pieces, "tick", look, x="zero:Q", y=ROW_PLACE)


HISTOGRAM = 150  # its height


def histogram(
    columns: tuple[HistogramBin, ...], quartiles: tuple[float, float, float] | None, width: int
) -> Document:
    """How often each range of numbers was given; above it the middle half and the median."""
    values = [{"low": c.low, "high": c.high, "count": c.count, "floor": 0} for c in columns]
    ends = [min((c.low for c in columns), default=0), max((c.high for c in columns), default=1)]
    x = field(
        "low:Q",
        title=None,
        scale={"domain": ends, "nice": False},
        axis={"tickCount": 6, "grid": False, "format": ",~g"},
    )
    # An eighth of the height is free above the highest bar, for the quartiles.
    top = 1.15 * max((column.count for column in columns), default=1)
    axis = {"tickCount": 4, "tickMinStep": 1, "format": ",d", "domain": False, "ticks": False}
    scale = {"domain": [0, top], "nice": False}
    y = field("count:Q", title=gettext("Answers"), scale=scale, axis=axis)
    look = {"color": BLUE, "stroke": GROUND, "strokeWidth": 1}
    layers = [Marks(values, "rect", look, x=x, x2="high:Q", y=y, y2="floor:Q")]
    layers += _quartile_marks(quartiles) if quartiles else []
    return layered(layers, width - PADDING - 64, HISTOGRAM)


def _quartile_marks(quartiles: tuple[float, float, float]) -> list[Marks]:
    lower, median, upper = quartiles
    rows = [{"lower": lower, "median": median, "upper": upper}]
    line = {"strokeWidth": 3, "color": GREY}
    dot = {"filled": True, "shape": "diamond", "size": 90, "color": ORANGE, "opacity": 1}
    return [
        Marks(rows, "rule", line, x="lower:Q", x2="upper:Q", y=8),
        Marks(rows, "point", dot, x="median:Q", y=8),
    ]


def periods(columns: tuple[HistogramBin, ...], width: int) -> Document:
    """How often each month or year was given, in order."""
    values = [{"period": column.label, "count": column.count} for column in columns]
    axis = {"labelAngle": -40, "labelOverlap": True, "ticks": False}
    counts = {"tickCount": 4, "tickMinStep": 1, "format": ",d"}
    x = field("period:O", title=None, sort=[column.label for column in columns], axis=axis)
    y = field("count:Q", title=gettext("Answers"), axis=counts)
    bars = Marks(values, "bar", {"color": BLUE}, x=x, y=y)
    return layered([bars], width - PADDING - 64, HISTOGRAM)
