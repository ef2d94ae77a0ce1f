"""The chart of a ranking: each item's score on its interval."""

from django.utils.translation import gettext

from surveys.web.drawing.pictures import intervals_in_rows, layered_rows, lines_above
from surveys.web.drawing.vega import Document, field

HALF_LABEL = 16  # what the last label of the axis needs beyond it

Item = tuple[str, float, float, float]  # its label, score, and the ends of its interval


def scores(items: tuple[Item, ...], ends: tuple[float, float], width: int) -> Document:
    """Scores with intervals in the order of the ranking, on the scale of the utilities."""
    lines = lines_above([label for label, *_ in items], width)
    rows = [
        {
            "row": row,
            "lines": lines[row],
            "score": _within(score, ends),
            "low": _within(low, ends),
            "high": _within(high, ends),
        }
        for row, (_, score, low, high) in enumerate(items)
    ]
    axis = {
        "title": gettext("Score"),
        "grid": True,
        "domain": False,
        "tickCount": 5,
        "format": "~g",
    }
    x = field("low:Q", axis=axis, scale={"domain": list(ends), "nice": False})
    return layered_rows(intervals_in_rows(rows, x, "score"), lines, width - HALF_LABEL)


def _within(value: float, ends: tuple[float, float]) -> float:
    """A linear score beyond the scale is drawn at its end."""
    return min(max(value, ends[0]), ends[1])
