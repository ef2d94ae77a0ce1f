"""Charts as Vega-Lite writes them: rows, marks, channels, layers. Plain data; nothing is drawn.

A chart is a dict that https://vega.github.io/vega-lite/docs/spec.html describes, with its rows in
it. That each is valid is tested against the format's own schema, not checked whenever a page is
drawn, which would cost more than the drawing.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from math import ceil, radians, sin
from typing import Any

Document = dict[str, Any]
Channel = Document | str | float
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # the format's name: nothing asks for it
TYPES = {"Q": "quantitative", "O": "ordinal", "N": "nominal"}
SECOND_ENDS = {"x2", "y2"}  # of marks; they have the type of the first, and may not say one


def field(written: str, **looks: Any) -> Document:
    """A channel that shows a field, as ``field("share:Q", title=None)``."""
    name, _, letter = written.rpartition(":")
    return {"field": name, "type": TYPES[letter], **looks}


def either(test: str, then: Any, otherwise: Any) -> Document:
    """A channel that has one value where the test holds, and another elsewhere."""
    return {"condition": {"test": test, "value": then}, "value": otherwise}


@dataclass(frozen=True)
class Marks:
    """A mark for each row, or for those of which ``only`` holds; then its channels.

    A channel is that of a field, "low:Q" for short, or a number that is the same for all rows.
    """

    rows: Sequence[Document]
    kind: str
    looks: Document
    only: str | None = None
    x: Channel | None = None
    x2: Channel | None = None
    y: Channel | None = None
    y2: Channel | None = None
    text: Channel | None = None
    color: Channel | None = None
    fill: Channel | None = None
    stroke: Channel | None = None
    strokeDash: Channel | None = None  # noqa: N815 - as Vega-Lite names it
    strokeWidth: Channel | None = None  # noqa: N815
    detail: Channel | None = None


CHANNELS = tuple(channel.name for channel in fields(Marks))[4:]


def layered(layers: Sequence[Marks], width: float, height: float) -> Document:
    """Marks upon each other, the last on top; sizes in CSS pixels, without the axes."""
    return {"layer": [_written(layer) for layer in layers], "width": width, "height": height}


def _written(layer: Marks) -> Document:
    channels = ((name, getattr(layer, name)) for name in CHANNELS)
    return {
        "data": {"values": list(layer.rows)},
        **({"transform": [{"filter": layer.only}]} if layer.only else {}),
        "mark": {"type": layer.kind, **layer.looks},
        "encoding": {name: _channel(name, shown) for name, shown in channels if shown is not None},
    }


def _channel(name: str, channel: Channel) -> Document:
    if isinstance(channel, float | int):
        return {"value": channel}
    document = field(channel) if isinstance(channel, str) else channel
    return {"field": document["field"]} if name in SECOND_ENDS else document


def stacked(charts: Sequence[Document]) -> Document:
    """Charts below each other."""
    return {"vconcat": list(charts)}


def with_named_rows(chart: Document) -> Document:
    """The same with equal rows written once, under a name by which their layers ask for them."""
    names: dict[str, str] = {}
    named = _named(chart, names)
    return {**named, "datasets": {name: json.loads(rows) for rows, name in names.items()}}


def _named(part: Document, names: dict[str, str]) -> Document:
    inner: Document = {
        key: [_named(each, names) for each in value]
        for key, value in part.items()
        if key in ("layer", "vconcat")
    }
    if "data" in part:
        rows = json.dumps(part["data"]["values"])
        inner["data"] = {"name": names.setdefault(rows, f"rows{len(names) + 1}")}
    return {**part, **inner}


# What Vega draws around a plot, in CSS pixels, in the letters of ``pictures.STYLE``.
_PADDING, _LABELS, _TICKS, _TITLE, _LETTER = 24, 13, 5, 15, 6.5
_LEGEND, _LEGEND_ROW, _HALF_LABEL, _GAP = 10, 18, 6, 20
_MOST_SLANTED = 14  # letters of slanted labels that an expression writes


def height_of(chart: Document) -> int:
    """Return the height of a chart with its axes and legend, in CSS pixels, before it is drawn.

    It is an estimate, at times a little too large: drawing would tell it exactly, and costs a
    hundred times more.
    """
    parts = chart.get("vconcat", [chart])
    inner = sum(_height_of_one(part) for part in parts) + _GAP * (len(parts) - 1)
    return round(inner + _PADDING)


def _height_of_one(chart: Document) -> float:
    channels = [layer["encoding"] for layer in chart["layer"]]
    across = [axes["x"] for axes in channels if "field" in axes.get("x", {})]
    # Where one layer says how its axis looks, Vega takes the others' part of it from there.
    labelled = [x for x in across if "axis" in x]
    x = _largest(_axis_height(x) for x in labelled or across)
    y = _largest(_above(axes["y"]) for axes in channels if "y" in axes)
    legend = _largest(
        _legend_height(axes["strokeDash"]) for axes in channels if "strokeDash" in axes
    )
    return float(chart["height"]) + x + y + legend


def _largest(heights: Iterable[float]) -> float:
    return max(heights, default=0.0)


def _axis_height(x: Document) -> float:
    axis = x.get("axis", {})
    if axis is None:
        return 0.0
    ticks = _TICKS if axis.get("ticks", True) else 0
    title = axis.get("title", x.get("title", x["field"]))
    titles = _TITLE * (len(title) if isinstance(title, list) else bool(title))
    slope = abs(sin(radians(axis.get("labelAngle", 0))))
    longest = max((len(name) for name in x.get("sort") or ()), default=_MOST_SLANTED)
    return _LABELS + ticks + titles + slope * longest * _LETTER


def _above(y: Document) -> float:
    """What the highest label reaches above the plot, where the axis ends at a label."""
    ends_at_label = y.get("type") == "quantitative" and y.get("scale", {}).get("nice", True)
    return _HALF_LABEL if ends_at_label and y.get("axis", {}) is not None else 0.0


def _legend_height(channel: Document) -> float:
    legend = channel.get("legend")
    if not legend:
        return 0.0
    names = channel.get("sort") or channel["scale"]["domain"]
    return _LEGEND + _LEGEND_ROW * ceil(len(names) / legend["columns"])
