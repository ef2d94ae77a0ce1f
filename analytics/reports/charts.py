"""Charts of comparisons and trees: cumulative shares, plans, branches."""

from typing import Any

from django.utils.translation import gettext

from surveys.web.drawing.palette import LIGHT
from surveys.web.drawing.pictures import BLUE, GREY, GROUND, INK, ORANGE, shortened
from surveys.web.drawing.vega import Document, Marks, either, field, layered

Step = tuple[str, float, float]  # a group, a position, the share at or below it
Box = tuple[float, float, str, bool]  # a node: its depth and row, its words, whether a leaf
Line = tuple[float, float, float, float, str]  # from, to, and the answer at it
# Groups differ by colour and by dashes, so that no reader needs the colour.
COLOURS = list(LIGHT.groups)
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3]]
_ROW = 30


def cumulative(
    steps: tuple[Step, ...], ticks: tuple[tuple[float, str], ...], width: int
) -> Document:
    """A step line for each group: the share at or below each position."""
    names = list(dict.fromkeys(name for name, _, _ in steps))
    values = [
        {"group": shortened(name, 40), "position": position, "share": share}
        for name, position, share in steps
    ]
    domain = [shortened(name, 40) for name in names]
    axis: Document = {"grid": False}
    if ticks:
        labels = {position: shortened(label, 14) for position, label in ticks}
        chosen = " : ".join(f"datum.value == {p} ? {_quoted(t)}" for p, t in labels.items())
        axis |= {"values": list(labels), "labelExpr": f"{chosen} : ''", "labelAngle": -30}
    colours = {"domain": domain, "range": _cycled(COLOURS, len(domain))}
    dashes = {"domain": domain, "range": _cycled(DASHES, len(domain))}
    legend = {"title": None, "orient": "top", "columns": 1, "symbolStrokeWidth": 3}
    legend["labelLimit"] = width
    line = Marks(
        values,
        "line",
        {"interpolate": "step-after", "strokeWidth": 2.5, "point": {"size": 35}},
        x=field("position:Q", title=None, axis=axis, scale={"zero": False, "nice": False}),
        y=field(
            "share:Q",
            title=gettext("Share at or below"),
            axis={"format": "%"},
            scale={"domain": [0, 1]},
        ),
        color=field("group:N", scale=colours, legend=legend),
        strokeDash=field("group:N", scale=dashes, legend=legend),
    )
    return layered([line], width - 85, 240)


def plan(
    cells: tuple[tuple[str, str, float], ...], levels: tuple[str, ...], width: int
) -> Document:
    """A square for each move: from row to column, with its share of people."""
    names = [f"{number}. {shortened(level, 12)}" for number, level in enumerate(levels, start=1)]
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
    x = field("to:N", title=gettext("to"), sort=names, axis={"labelAngle": -40, "orient": "top"})
    y = field("from:N", title=gettext("from"), sort=names)
    shade = {"domain": [0, 1], "range": ["#ffffff", BLUE], "interpolate": "rgb"}
    mass_of = field("mass:Q", scale=shade, legend=None)
    ink = either("datum.dark", GROUND, INK)
    layers = [
        Marks(values, "rect", {"stroke": "#dfe4ea"}, x=x, y=y, color=mass_of),
        Marks(values, "text", {"fontSize": 12}, x=x, y=y, text="words:N", color=ink),
    ]
    size = min(width - 140, 60 * len(levels))
    return layered(layers, size, _ROW * len(levels) + 20)


def distances(rows: tuple[tuple[str, float, float], ...], more: None, width: int) -> Document:
    """A bar for each pair of groups, with a line at the usual distance without a difference."""
    values = [
        {"pair": shortened(name, 30), "distance": distance, "chance": null}
        for name, distance, null in rows
    ]
    y = field("pair:N", title=None, sort=None, axis={"labelLimit": width // 2})
    found_at = field("distance:Q", title=gettext("Distance in spreads (line: distance by chance)"))
    line = {"color": ORANGE, "thickness": 3, "size": 22}
    layers = [
        Marks(values, "bar", {"color": BLUE, "height": {"band": 0.5}}, x=found_at, y=y),
        Marks(values, "tick", line, x="chance:Q", y=y),
    ]
    return layered(layers, width - 190, _ROW * len(rows) + 10)


def tree(boxes: tuple[Box, ...], lines: tuple[Line, ...], width: int) -> Document:
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
    x = field("x:Q", axis=None, scale={"domain": [0, depths]})
    y = field("y:Q", axis=None, scale={"domain": [rows + 0.6, -0.6]})
    layers = _branches(edges, x, y) if edges else []
    look = {"align": "left", "fontSize": 12, "dx": 4}
    # A rim of the ground, so that no line runs through a word.
    rim = {**look, "stroke": GROUND, "strokeWidth": 5}
    ink = either("datum.leaf", BLUE, INK)
    layers += [
        Marks(nodes, "text", rim, x=x, y=y, text="words:N"),
        Marks(nodes, "text", look, x=x, y=y, text="words:N", color=ink),
    ]
    return layered(layers, width - 25, _ROW * (rows + 1) * 1.4 + 30)


def _branches(edges: list[Document], x: Document, y: Document) -> list[Marks]:
    """Lines to the answers, each with its words before its end."""
    look = {"color": INK, "fontSize": 11, "dx": -4, "dy": -6, "align": "right"}
    x2, y2 = field("x2:Q", axis=None), field("y2:Q", axis=None)
    return [
        Marks(edges, "rule", {"color": GREY}, x=x, y=y, x2="x2:Q", y2="y2:Q"),
        Marks(edges, "text", {**look, "fontStyle": "italic"}, x=x2, y=y2, text="words:N"),
    ]


def _cycled(values: list[Any], count: int) -> list[Any]:
    return [values[position % len(values)] for position in range(count)]


def _quoted(text: str) -> str:
    """A string of Vega's expressions; no name ends it early."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
