"""Shared by all pictures: colours, fonts, intervals in rows; a chart drawn as SVG or PNG.

Charts are drawn in the colours of light pages; a picture for a dark page takes its own instead.
"""

import json
import struct
import textwrap
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import vl_convert

from surveys import PROGRAM
from surveys.web.figures import WIDE
from surveys.web.palette import LIGHT, darkened

GROUND, INK, GREY, PALE = LIGHT.ground, LIGHT.ink, LIGHT.soft, LIGHT.pale
BLUE, ORANGE = LIGHT.first, LIGHT.second
ROW = 46  # the height of an interval with its label
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
PNG_SCALE = 2.0
_PNG_HEADER = 33  # bytes: the signature and the chunk that always comes first
_LETTER = 7.5  # the width of a letter of a title, in pixels
_SMALL_LETTER = 6.2  # of the lines below it


def data_of(values: list[dict[str, Any]]) -> alt.Data:
    """Rows that travel inside the picture's own specification."""
    return alt.Data(values=values)


def shortened(label: str, longest: int) -> str:
    """One printable line: a label may hold what XML cannot."""
    line = "".join(letter if letter.isprintable() else " " for letter in label)
    return line if len(line) <= longest else line[: longest - 1] + "…"


def intervals_in_rows(rows: list[dict[str, Any]], x: alt.X, point: str) -> list[alt.Chart]:
    """For each row its label, below it the interval from low to high, and the field ``point``."""
    y = alt.Y("row:O", axis=None)
    base = alt.Chart(data_of(rows))
    return [
        base.mark_text(align="left", dy=-13, color=INK, fontSize=13).encode(
            x=alt.value(0), y=y, text="label:N"
        ),
        base.mark_rule(strokeWidth=5, color=BLUE, opacity=0.45).encode(x=x, x2="high:Q", y=y),
        base.mark_point(filled=True, size=90, color=BLUE, opacity=1).encode(x=f"{point}:Q", y=y),
    ]


def layered_rows(layers: Sequence[alt.Chart], rows: int, width: int) -> Any:
    """Layers over so many rows, as one picture."""
    return alt.layer(*layers).properties(width=width, height=ROW * rows + 10)


def titled(chart: Any, title: str, below: Sequence[str]) -> Any:
    """A chart with its title and the lines below it, for files that leave their page."""
    lines = [line for text in below for line in _wrapped(text, WIDE / _SMALL_LETTER)]
    heading = alt.TitleParams(
        text=_wrapped(title, WIDE / _LETTER),
        subtitle=lines,
        anchor="start",
        frame="bounds",
        color=INK,
        subtitleColor=GREY,
        fontSize=15,
        subtitleFontSize=12,
        offset=12,
    )
    return chart.properties(title=heading)


def _wrapped(text: str, longest: float) -> list[str]:
    return textwrap.wrap(shortened(text, 1000), int(longest)) or [""]


def specification(chart: Any) -> dict[str, Any]:
    """A chart as Vega-Lite, in the letters and colours of all pictures."""
    styled = (
        chart.configure(font=FONT, background=GROUND, padding=12)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            gridColor=LIGHT.line,
            tickColor=LIGHT.line,
            domainColor=GREY,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
        )
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12)
    )
    document: dict[str, Any] = styled.to_dict()
    return document


def svg(document: dict[str, Any], *, is_dark: bool = False) -> str:
    """A specification drawn as SVG that says what made it; no address may be fetched."""
    return rendered(json.dumps(darkened(document) if is_dark else document))


@lru_cache(maxsize=256)
def rendered(document: str) -> str:
    """The same of a specification as JSON; the last ones are kept, as pages ask again and again."""
    drawn = str(vl_convert.vegalite_to_svg(document, allowed_base_urls=[]))
    start = drawn.index(">", drawn.index("<svg")) + 1
    return f"{drawn[:start]}<metadata>{PROGRAM}</metadata>{drawn[start:]}"


def png(document: dict[str, Any]) -> bytes:
    """A specification drawn as pixels that say what made them."""
    pixels: bytes = vl_convert.vegalite_to_png(
        json.dumps(document), scale=PNG_SCALE, allowed_base_urls=[]
    )
    return _marked(pixels)


def _marked(pixels: bytes) -> bytes:
    """A PNG with the key "Software" in a text chunk, behind its header (RFC 2083, 4.2.7)."""
    words = b"tEXtSoftware\0" + PROGRAM.encode("latin-1")
    chunk = struct.pack(">I", len(words) - 4) + words + struct.pack(">I", zlib.crc32(words))
    return pixels[:_PNG_HEADER] + chunk + pixels[_PNG_HEADER:]
