"""Charts of comparisons and trees, drawn with Altair: cumulative shares, plans, branches."""

from functools import lru_cache
from typing import Any

import altair as alt

from analytics.pages.answers.pictures import Box, Line, Step
from surveys.web.palette import LIGHT
from surveys.web.pictures import BLUE, GREY, GROUND, INK, ORANGE, data_of, shortened

# Groups differ by colour and by dashes, so that no reader needs the colour.
COLOURS = list(LIGHT.groups)
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3]]
_ROW = 30


@lru_cache(maxsize=64)
def cumulative(steps: tuple[Step, ...], ticks: tuple[tuple[float, str], ...], width: int) -> Any:
    """A step line for each group: the share at or below each position."""
    names = list(dict.fromkeys(name for name, _, _ in steps))
    values = [
        {"group": shortened(name, 40), "position": position, "share": share}
        for name, position, share in steps
    ]
    domain = [shortened(name, 40) for name in names]
    axis = alt.Axis(grid=False)
    if ticks:
        labels = {position: shortened(label, 14) for position, label in ticks}
        chosen = " : ".join(f"datum.value == {p} ? {_quoted(t)}" for p, t in labels.items())
        axis = alt.Axis(values=list(labels), labelExpr=f"{chosen} : ''", labelAngle=-30, grid=False)
    colours = alt.Scale(domain=domain, range=_cycled(COLOURS, len(domain)))
    dashes = alt.Scale(domain=domain, range=_cycled(DASHES, len(domain)))
    legend = alt.Legend(
        title=None,
        orient="top",
        columns=1,
        symbolStrokeWidth=3,
        labelLimit=width,
    )
    line = alt.Chart(data_of(values)).mark_line(
        interpolate="step-after", strokeWidth=2.5, point=alt.OverlayMarkDef(size=35)
    )
    drawn = line.encode(
        x=alt.X("position:Q", title=None, axis=axis, scale=alt.Scale(zero=False, nice=False)),
        y=alt.Y(
            "share:Q",
            title="Share at or below",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[0, 1]),
        ),
        color=alt.Color("group:N", scale=colours, legend=legend),
        strokeDash=alt.StrokeDash("group:N", scale=dashes, legend=legend),
    )
    return drawn.properties(width=width - 70, height=240)


@lru_cache(maxsize=64)
def plan(cells: tuple[tuple[str, str, float], ...], levels: tuple[str, ...], width: int) -> Any:
    """A square for each move: from row to column, with its share of people."""
    names = [f"{place}. {shortened(level, 12)}" for place, level in enumerate(levels, start=1)]
    places = dict(zip(levels, names, strict=True))
    values = [
        {
            "from": places[row],
            "to": places[column],
            "mass": mass,
            "words": f"{100 * mass:.0f} %" if mass >= 0.005 else "",
            "dark": mass > 0.5,
        }
        for row, column, mass in cells
    ]
    base = alt.Chart(data_of(values)).encode(
        x=alt.X("to:N", title="to", sort=names, axis=alt.Axis(labelAngle=-40, orient="top")),
        y=alt.Y("from:N", title="from", sort=names),
    )
    shade = alt.Scale(domain=[0, 1], range=["#ffffff", BLUE], interpolate="rgb")
    squares = base.mark_rect(stroke="#dfe4ea").encode(
        color=alt.Color("mass:Q", scale=shade, legend=None)
    )
    words = base.mark_text(fontSize=12).encode(
        text="words:N", color=alt.condition("datum.dark", alt.value(GROUND), alt.value(INK))
    )
    size = min(width - 140, 60 * len(levels))
    return (squares + words).properties(width=size, height=_ROW * len(levels) + 20)


@lru_cache(maxsize=64)
def distances(rows: tuple[tuple[str, float, float], ...], more: None, width: int) -> Any:
    """A bar for each pair of groups, with a line at the usual distance without a difference."""
    values = [
        {"pair": shortened(name, 30), "distance": found, "chance": null}
        for name, found, null in rows
    ]
    y = alt.Y("pair:N", title=None, sort=None, axis=alt.Axis(labelLimit=width // 2))
    base = alt.Chart(data_of(values))
    bars = base.mark_bar(color=BLUE, height={"band": 0.5}).encode(
        x=alt.X("distance:Q", title="Spreads (line: by chance)"), y=y
    )
    lines = base.mark_tick(color=ORANGE, thickness=3, size=22).encode(x="chance:Q", y=y)
    return (bars + lines).properties(width=width - 190, height=_ROW * len(rows) + 10)


@lru_cache(maxsize=64)
def tree(boxes: tuple[Box, ...], lines: tuple[Line, ...], width: int) -> Any:
    """Questions from left to right, answers at the lines, leaves at the right."""
    depths = 1 + max(depth for depth, *_ in boxes)
    longest = max(10, int((width - 40) / (7 * depths)))
    nodes = [
        {"x": depth, "y": row, "words": shortened(words, longest), "leaf": is_leaf}
        for depth, row, words, is_leaf in boxes
    ]
    edges = [
        {"x": x, "y": y, "x2": x2, "y2": y2, "words": shortened(words, longest)}
        for x, y, x2, y2, words in lines
    ]
    rows = max(row for _, row, *_ in boxes)
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, depths]))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[rows + 0.6, -0.6]))
    layers = []
    if edges:
        base = alt.Chart(data_of(edges))
        layers.append(base.mark_rule(color=GREY).encode(x=x, y=y, x2="x2:Q", y2="y2:Q"))
        layers.append(
            base.mark_text(
                color=INK, fontSize=11, dx=-4, dy=-6, align="right", fontStyle="italic"
            ).encode(x=alt.X("x2:Q", axis=None), y=alt.Y("y2:Q", axis=None), text="words:N")
        )
    labels = alt.Chart(data_of(nodes))
    # A rim of the ground, so that no line runs through a word.
    rim = labels.mark_text(align="left", fontSize=12, dx=4, stroke=GROUND, strokeWidth=5)
    layers.append(rim.encode(x=x, y=y, text="words:N"))
    labels = labels.mark_text(align="left", fontSize=12, dx=4)
    layers.append(
        labels.encode(
            x=x,
            y=y,
            text="words:N",
            color=alt.condition("datum.leaf", alt.value(BLUE), alt.value(INK)),
        )
    )
    return alt.layer(*layers).properties(width=width, height=_ROW * (rows + 1) * 1.4 + 30)


def _cycled(values: list[Any], count: int) -> list[Any]:
    return [values[place % len(values)] for place in range(count)]


def _quoted(text: str) -> str:
    """A string of Vega's expressions; no name ends it early."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
