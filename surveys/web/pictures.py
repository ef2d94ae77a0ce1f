"""Shared by all pictures: colours, fonts, widths, intervals in rows, a chart drawn as SVG."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert

from surveys import PROGRAM

INK, GREY, BLUE, ORANGE = "#1b2430", "#5b6673", "#0b5cad", "#b34700"
ROW = 46  # the height of an interval with its label
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


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


def styled(chart: Any) -> Any:
    """In the letters and colours of all pictures, on white so that dark pages can show it too."""
    return (
        chart.configure(
            font=FONT,
            background="white",
            padding=12,
        )
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            gridColor="#dfe4ea",
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
        )
        .configure_legend(labelColor=INK, labelFontSize=12)
    )


def draw(chart: Any) -> str:
    """The picture as SVG that says what made it; no address may be fetched."""
    svg = str(vl_convert.vegalite_to_svg(styled(chart).to_json(), allowed_base_urls=[]))
    start = svg.index(">", svg.index("<svg")) + 1
    return f"{svg[:start]}<metadata>{PROGRAM}</metadata>{svg[start:]}"
