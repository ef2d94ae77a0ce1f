"""Charts of topic reports, drawn from Vega-Lite: bars of words, spectrum, sizes, the account.

What is within the noise is hollow and named so, not only grey.
"""

from django.utils.translation import gettext

from surveys.web.drawing.pictures import (
    BLUE,
    GREY,
    GROUND,
    INK,
    NARROW,
    WIDE,
    intervals_in_rows,
    layered_rows,
    shortened,
)
from surveys.web.drawing.vega import Document, Marks, either, field, layered
from surveys.wording.language.numbers import localized

WordRow = tuple[str, float, float | None, bool]  # a word, its loading, its noise, whether within
DEVIATIONS = 2  # how far the lines at the bars reach
_MOST_LETTERS = {WIDE: 22, NARROW: 15}
_ROW = 22


def bars(rows: tuple[WordRow, ...], width: int) -> Document:
    longest = _MOST_LETTERS[width]
    values = [
        {
            "word": f"{place}. {shortened(word, longest)}{gettext(' (noise)') if within else ''}",
            "loading": loading,
            "low": loading if noise is None else loading - DEVIATIONS * noise,
            "high": loading if noise is None else loading + DEVIATIONS * noise,
            "within": within,
        }
        for place, (word, loading, noise, within) in enumerate(rows, start=1)
    ]
    order = [str(value["word"]) for value in values]
    is_noisy = any(noise is not None for _, _, noise, _ in rows)
    title = gettext("Loading ± 2 deviations") if is_noisy else gettext("Loading")
    axis = {"ticks": False, "domain": False, "labelLimit": width // 2}
    y = field("word:N", title=None, sort=order, axis=axis)
    layers = [
        Marks(
            values,
            "bar",
            {"strokeWidth": 1.5, "height": {"band": 0.7}},
            x=field("loading:Q", title=title, axis={"tickCount": 4}),
            y=y,
            color=either("datum.within", GROUND, BLUE),
            stroke=either("datum.within", GREY, BLUE),
        )
    ]
    if is_noisy:
        line = {"color": INK, "strokeWidth": 2}
        layers.append(Marks(values, "rule", line, x="low:Q", x2="high:Q", y=y))
    return layered(layers, width - 150, _ROW * max(len(rows), 1))


def spectrum(values: tuple[float, ...], edge: float | None, title: str, width: int) -> Document:
    rows = [
        {"place": place, "value": value, "above": edge is None or value > edge}
        for place, value in enumerate(values, start=1)
    ]
    points = Marks(
        rows,
        "point",
        {"filled": True, "size": 55, "opacity": 1, "strokeWidth": 1.5},
        x=field(
            "place:Q", title=gettext("Rank"), axis={"tickMinStep": 1, "tickCount": 6, "format": "d"}
        ),
        y=field("value:Q", title=title, axis={"tickCount": 5, "format": "~s"}),
        fill=either("datum.above", BLUE, GROUND),
        stroke=either("datum.above", BLUE, GREY),
    )
    return layered([points, *_edge(edge)], width - 70, 220)


def _edge(edge: float | None) -> list[Marks]:
    if edge is None:
        return []
    rows = [{"edge": edge, "label": gettext("noise edge")}]
    line = {"color": INK, "strokeDash": [5, 4], "strokeWidth": 1.5}
    words = {"align": "right", "dy": -7, "color": INK, "fontSize": 12}
    return [
        Marks(rows, "rule", line, y="edge:Q"),
        Marks(rows, "text", words, x={"value": "width"}, y="edge:Q", text="label:N"),
    ]


def sizes(rows: tuple[tuple[str, float, float, float], ...], width: int) -> Document:
    longest = _MOST_LETTERS[width]
    values = [
        {
            "row": place,
            "label": f"{shortened(name, longest)}  {localized(f'{size:,.0f}')}",
            "size": size,
            "low": low,
            "high": high,
        }
        for place, (name, size, low, high) in enumerate(rows)
    ]
    axis = {
        "title": gettext("Respondents"),
        "grid": True,
        "domain": False,
        "tickCount": 5,
        "format": ",d",
    }
    x = field("low:Q", axis=axis, scale={"zero": True})
    return layered_rows(intervals_in_rows(values, x, "size"), len(rows), width - 24)


def account(parts: tuple[tuple[str, float], ...], width: int) -> Document:
    """Shares of an account as bars; what is spent is full."""
    values = [
        {
            "part": name,
            "share": share,
            "words": localized(f"{100 * share:.4g} %"),
            "solid": place == 0,
        }
        for place, (name, share) in enumerate(parts)
    ]
    axis = {"ticks": False, "domain": False}
    y = field("part:N", title=None, sort=[name for name, _ in parts], axis=axis)
    share = field(
        "share:Q",
        title=gettext("Share of mu² promised"),
        scale={"domain": [0, 1.2]},
        axis={"format": "%", "values": [0, 0.25, 0.5, 0.75, 1]},
    )
    bar = {"strokeWidth": 1.5, "stroke": BLUE, "height": {"band": 0.6}}
    beside = {"align": "left", "dx": 5, "color": INK}
    layers = [
        Marks(values, "bar", bar, x=share, y=y, color=either("datum.solid", BLUE, GROUND)),
        Marks(values, "text", beside, x=share, y=y, text="words:N"),
    ]
    return layered(layers, width - 100, 34 * len(parts))
