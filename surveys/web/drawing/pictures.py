"""Shared by all pictures: colours, fonts, intervals in rows; a chart drawn as SVG or PNG.

Charts are drawn in the colours of light pages; a picture for a dark page takes its own instead.
"""

import json
import re
import struct
import textwrap
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

from django.utils.formats import get_format
from django.utils.translation import get_language

from surveys import PROGRAM
from surveys.web.drawing.palette import LIGHT, darkened
from surveys.web.drawing.vega import SCHEMA, Document, Marks, field, layered, with_named_rows

GROUND, INK, GREY, PALE = LIGHT.ground, LIGHT.ink, LIGHT.soft, LIGHT.pale
BLUE, ORANGE = LIGHT.first, LIGHT.second
BROAD, WIDE, NARROW = 820, 540, 280  # widths of pictures, in CSS pixels
ROW = 46  # the height of an interval with its label
LABEL_LINE = 16  # that of a line of the label more
PADDING = 24  # what stands on both sides of a picture
LONGEST_LABEL = 500  # letters of a label that is drawn; answers have up to 200
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
PNG_SCALE = 2.0
SIZE = re.compile(r'width="[0-9.]+" height="[0-9.]+"')  # of an SVG; its view box comes after it
ROW_PLACE = field("row:O", axis=None)
_PNG_HEADER = 33  # bytes: the signature and the chunk that always comes first
_LETTER = 7.5  # the width of a letter of a title, in pixels
_SMALL_LETTER = 6.2  # of the lines below it
_LABEL_LETTER = 7.8  # of a label above its interval, in the widest fonts


def shortened(label: str, longest: int) -> str:
    """One printable line: a label may hold what XML cannot."""
    line = "".join(letter if letter.isprintable() else " " for letter in label)
    return line if len(line) <= longest else line[: longest - 1] + "…"


def in_lines(label: str, letters: int) -> list[str]:
    """A whole label in lines of so many letters."""
    return textwrap.wrap(shortened(label, LONGEST_LABEL), letters) or [""]


def lines_above(labels: Iterable[str], width: int) -> list[list[str]]:
    """Whole labels in the lines that stand above intervals in a picture of this width."""
    letters = int((width - PADDING) / _LABEL_LETTER)
    return [in_lines(label, letters) for label in labels]


def row_height(lines: Iterable[list[str]]) -> int:
    """That of each row: as much as the longest label needs above is free below the interval."""
    return ROW + 2 * LABEL_LINE * (max(map(len, lines), default=1) - 1)


def label_lines(
    rows: list[Document], look: Document, height: int, *, x: float, last: float, middle: float
) -> list[Marks]:
    """Labels by how many ``lines`` they have, each moved up by ``middle`` of what it has more."""
    counts = sorted({len(row["lines"]) for row in rows})
    return [
        Marks(
            rows,
            "text",
            {**look, "lineHeight": height, "dy": last - middle * height * (count - 1)},
            only=f"length(datum.lines) == {count}",
            x=x,
            y=ROW_PLACE,
            text="lines:N",
        )
        for count in counts
    ]


def labels_above(rows: list[Document]) -> list[Marks]:
    """The ``lines`` of each row, above its interval."""
    look = {"align": "left", "color": INK, "fontSize": 13}
    return label_lines(rows, look, LABEL_LINE, x=0, last=-13, middle=1)


def intervals_in_rows(rows: list[Document], x: Document, point: str) -> list[Marks]:
    """For each row its lines, below them the interval from low to high, and the field ``point``."""
    line = {"strokeWidth": 5, "color": BLUE, "opacity": 0.45}
    dot = {"filled": True, "size": 90, "color": BLUE, "opacity": 1}
    return [
        *labels_above(rows),
        Marks(rows, "rule", line, x=x, x2="high:Q", y=ROW_PLACE),
        Marks(rows, "point", dot, x=f"{point}:Q", y=ROW_PLACE),
    ]


def layered_rows(layers: Sequence[Marks], lines: Sequence[list[str]], width: int) -> Document:
    """Layers over rows whose labels have these lines, as one picture."""
    return layered(layers, width - PADDING, row_height(lines) * len(lines) + 10)


def titled(chart: Document, title: str, below: Sequence[str]) -> Document:
    """A chart with its title and the lines below it, for files that leave their page."""
    heading = {
        "text": _wrapped(title, WIDE / _LETTER),
        "subtitle": [line for text in below for line in _wrapped(text, WIDE / _SMALL_LETTER)],
        "anchor": "start",
        "frame": "bounds",
        "color": INK,
        "subtitleColor": GREY,
        "fontSize": 15,
        "subtitleFontSize": 12,
        "offset": 12,
    }
    return {**chart, "title": heading}


def _wrapped(text: str, longest: float) -> list[str]:
    return textwrap.wrap(shortened(text, 1000), int(longest)) or [""]


STYLE = {
    "font": FONT,
    "background": GROUND,
    "padding": 12,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": LIGHT.line,
        "tickColor": LIGHT.line,
        "domainColor": GREY,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12},
}


def specification(chart: Document) -> Document:
    """A chart as Vega-Lite, in the letters and colours of all pictures.

    Its axes write numbers as the language that is active does; Vega's own are those of English.
    """
    is_english = (get_language() or "en").startswith("en")
    config = STYLE if is_english else {**STYLE, "locale": {"number": _number_marks()}}
    return {"$schema": SCHEMA, **with_named_rows(chart), "config": config}


def _number_marks() -> Document:
    """https://d3js.org/d3-format#formatLocale"""
    return {
        "decimal": get_format("DECIMAL_SEPARATOR"),
        "thousands": get_format("THOUSAND_SEPARATOR"),
        "grouping": [3],
        "currency": ["", ""],
        "percent": "\u00a0%",
    }


def svg(document: Document, *, is_dark: bool = False) -> str:
    """A specification drawn as SVG that says what made it; no address may be fetched."""
    return rendered(json.dumps(darkened(document) if is_dark else document))


def within(drawn: str, width: int, height: int) -> str:
    """The same SVG in a room of this size, which pages keep for it before it is drawn."""
    room = f'width="{width}" height="{height}" preserveAspectRatio="xMinYMid meet"'
    return SIZE.sub(room, drawn, count=1)


@lru_cache(maxsize=256)
def rendered(document: str) -> str:
    """The same of a specification as JSON; the last ones are kept, as pages ask again and again."""
    import vl_convert  # as long as a whole page: only who draws loads it

    drawn = str(vl_convert.vegalite_to_svg(document, allowed_base_urls=[]))
    start = drawn.index(">", drawn.index("<svg")) + 1
    return f"{drawn[:start]}<metadata>{PROGRAM}</metadata>{drawn[start:]}"


def png(document: Document) -> bytes:
    """A specification drawn as pixels that say what made them."""
    import vl_convert

    pixels: bytes = vl_convert.vegalite_to_png(
        json.dumps(document), scale=PNG_SCALE, allowed_base_urls=[]
    )
    return _marked(pixels)


def _marked(pixels: bytes) -> bytes:
    """A PNG with the key "Software" in a text chunk, behind its header (RFC 2083, 4.2.7)."""
    words = b"tEXtSoftware\0" + PROGRAM.encode("latin-1")
    chunk = struct.pack(">I", len(words) - 4) + words + struct.pack(">I", zlib.crc32(words))
    return pixels[:_PNG_HEADER] + chunk + pixels[_PNG_HEADER:]
