"""The chart of a ranking: each item's score on its interval."""

from django.utils.translation import gettext

from surveys.web.drawing.pictures import intervals_in_rows, layered_rows, shortened
from surveys.web.drawing.vega import Document, field

LETTERS = {True: 60, False: 34}  # of a label, by whether the picture is wide
PADDING = 40  # what the padding and half a label of the axis take

Item = tuple[str, float, float, float]  # its label, score, and the ends of its interval


def scores(items: tuple[Item, ...], ends: tuple[float, float], width: int) -> Document:
    """Scores with intervals in the order of the ranking, on the scale of the utilities."""
    longest = LETTERS[width > 400]
    rows = [
        {
            "row": row,
            "label": shortened(label, longest),
            "score": _within(score, ends),
            "low": _within(low, ends),
            "high": _within(high, ends),
        }
        for row, (label, score, low, high) in enumerate(items)
    ]
    axis = {
        "title": gettext("Score"),
        "grid": True,
        "domain": False,
        "tickCount": 5,
        "format": "~g",
    }
    x = field("low:Q", axis=axis, scale={"domain": list(ends), "nice": False})
    return layered_rows(intervals_in_rows(rows, x, "score"), len(rows), width - PADDING)


def _within(value: float, ends: tuple[float, float]) -> float:
    """A linear score beyond the scale is drawn at its end."""
    return min(max(value, ends[0]), ends[1])
