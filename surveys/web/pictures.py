"""What all pictures share: sizes, colours, and drawing a specification as SVG."""

from typing import Any

import altair as alt
import vl_convert

INK, GREY, BLUE, ORANGE = "#1b2430", "#5b6673", "#0b5cad", "#b34700"
WIDE, NARROW = 400, 300
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def data_of(values: list[dict[str, Any]]) -> alt.Data:
    """Rows that travel inside the picture's own specification."""
    return alt.Data(values=values)


def shortened(label: str, longest: int) -> str:
    """One printable line: a label may hold what XML cannot."""
    line = "".join(letter if letter.isprintable() else " " for letter in label)
    return line if len(line) <= longest else line[: longest - 1] + "…"


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
    """The picture as SVG; no address may be fetched."""
    return str(vl_convert.vegalite_to_svg(styled(chart).to_json(), allowed_base_urls=[]))
