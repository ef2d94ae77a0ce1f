"""Charts as Vega-Lite writes them: rows, marks, channels, layers. Plain data; nothing is drawn.

A chart is a dict that https://vega.github.io/vega-lite/docs/spec.html describes, with its rows in
it. That each is valid is tested against the format's own schema, not checked whenever a page is
drawn, which would cost more than the drawing.
"""

import json
from collections.abc import Sequence
from typing import Any

Document = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # the format's name: nothing asks for it
TYPES = {"Q": "quantitative", "O": "ordinal", "N": "nominal"}
SECOND_ENDS = {"x2", "y2"}  # of marks; they have the type of the first, and may not say one


def field(written: str, **looks: Any) -> Document:
    """A channel that shows a field, as ``field("share:Q", title=None)``."""
    name, _, letter = written.rpartition(":")
    return {"field": name, "type": TYPES[letter], **looks}


def value(fixed: Any) -> Document:
    """A channel that is the same for all rows."""
    return {"value": fixed}


def either(test: str, then: Any, otherwise: Any) -> Document:
    """A channel that has one value where the test holds, and another elsewhere."""
    return {"condition": {"test": test, "value": then}, "value": otherwise}


def marks(
    rows: Sequence[Document],
    kind: str,
    looks: Document,
    *,
    only: str | None = None,
    **channels: Document | str,
) -> Document:
    """A mark for each row, or for those of which ``only`` holds; "low:Q" is a channel too."""
    return {
        "data": {"values": list(rows)},
        **({"transform": [{"filter": only}]} if only else {}),
        "mark": {"type": kind, **looks},
        "encoding": {name: _channel(name, found) for name, found in channels.items()},
    }


def _channel(name: str, found: Document | str) -> Document:
    whole = field(found) if isinstance(found, str) else found
    return {"field": whole["field"]} if name in SECOND_ENDS else whole


def layered(layers: Sequence[Document], width: float, height: float) -> Document:
    """Marks upon each other, the last on top; sizes in CSS pixels, without the axes."""
    return {"layer": list(layers), "width": width, "height": height}


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
        key: [_named(each, names) for each in found]
        for key, found in part.items()
        if key in ("layer", "vconcat")
    }
    if "data" in part:
        rows = json.dumps(part["data"]["values"])
        inner["data"] = {"name": names.setdefault(rows, f"rows{len(names) + 1}")}
    return {**part, **inner}
