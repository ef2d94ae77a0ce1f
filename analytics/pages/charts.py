"""Charts of topic reports, drawn with Altair: bars of words, spectrum, sizes, the account.

What is within the noise is hollow and named so, not only grey.
"""

from functools import lru_cache
from typing import Any

import altair as alt

from analytics.pages.pictures import WordRow
from surveys.web.figures import NARROW, WIDE
from surveys.web.pictures import (
    BLUE,
    GREY,
    GROUND,
    INK,
    data_of,
    intervals_in_rows,
    layered_rows,
    shortened,
)

DEVIATIONS = 2  # how far the lines at the bars reach
_MOST_LETTERS = {WIDE: 22, NARROW: 15}
_ROW = 22


@lru_cache(maxsize=256)
def bars(rows: tuple[WordRow, ...], width: int) -> Any:
    longest = _MOST_LETTERS[width]
    values = [
        {
            "word": f"{place}. {shortened(word, longest)}{' (noise)' if within else ''}",
            "loading": loading,
            "low": loading if noise is None else loading - DEVIATIONS * noise,
            "high": loading if noise is None else loading + DEVIATIONS * noise,
            "within": within,
        }
        for place, (word, loading, noise, within) in enumerate(rows, start=1)
    ]
    order = [str(value["word"]) for value in values]
    is_noisy = any(noise is not None for _, _, noise, _ in rows)
    title = "Loading ± 2 deviations" if is_noisy else "Loading"
    y = alt.Y(
        "word:N",
        title=None,
        sort=order,
        axis=alt.Axis(ticks=False, domain=False, labelLimit=width // 2),
    )
    base = alt.Chart(data_of(values))
    bars = base.mark_bar(strokeWidth=1.5, height={"band": 0.7}).encode(
        x=alt.X("loading:Q", title=title, axis=alt.Axis(tickCount=4)),
        y=y,
        color=alt.condition("datum.within", alt.value(GROUND), alt.value(BLUE)),
        stroke=alt.condition("datum.within", alt.value(GREY), alt.value(BLUE)),
    )
    lines = base.mark_rule(color=INK, strokeWidth=2).encode(x="low:Q", x2="high:Q", y=y)
    drawn = bars + lines if is_noisy else bars
    return drawn.properties(width=width - 150, height=_ROW * max(len(rows), 1))


@lru_cache(maxsize=64)
def spectrum(values: tuple[float, ...], edge: float | None, title: str, width: int) -> Any:
    rows = [
        {"place": place, "value": value, "above": edge is None or value > edge}
        for place, value in enumerate(values, start=1)
    ]
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=55, opacity=1, strokeWidth=1.5)
    drawn = points.encode(
        x=alt.X("place:Q", title="Rank", axis=alt.Axis(tickMinStep=1, tickCount=6, format="d")),
        y=alt.Y("value:Q", title=title, axis=alt.Axis(tickCount=5, format="~s")),
        fill=alt.condition("datum.above", alt.value(BLUE), alt.value(GROUND)),
        stroke=alt.condition("datum.above", alt.value(BLUE), alt.value(GREY)),
    )
    if edge is not None:
        drawn = alt.layer(drawn, *_edge(edge))
    return drawn.properties(width=width - 70, height=220)


def _edge(edge: float) -> tuple[Any, Any]:
    base = alt.Chart(data_of([{"edge": edge, "label": "noise edge"}]))
    line = base.mark_rule(color=INK, strokeDash=[5, 4], strokeWidth=1.5).encode(y="edge:Q")
    label = base.mark_text(align="right", dy=-7, color=INK, fontSize=12).encode(
        x=alt.value("width"), y="edge:Q", text="label:N"
    )
    return line, label


@lru_cache(maxsize=64)
def sizes(rows: tuple[tuple[str, float, float, float], ...], width: int) -> Any:
    longest = _MOST_LETTERS[width]
    values = [
        {
            "row": place,
            "label": f"{shortened(name, longest)}  {size:,.0f}",
            "size": size,
            "low": low,
            "high": high,
        }
        for place, (name, size, low, high) in enumerate(rows)
    ]
    axis = alt.Axis(title="Respondents", grid=True, domain=False, tickCount=5, format=",d")
    x = alt.X("low:Q", axis=axis, scale=alt.Scale(zero=True))
    return layered_rows(intervals_in_rows(values, x, "size"), len(rows), width - 24)


@lru_cache(maxsize=64)
def account(parts: tuple[tuple[str, float], ...], width: int) -> Any:
    """Shares of an account as bars; what is spent is full."""
    values = [
        {"part": name, "share": share, "words": f"{100 * share:.4g} %", "solid": place == 0}
        for place, (name, share) in enumerate(parts)
    ]
    y = alt.Y(
        "part:N",
        title=None,
        sort=[name for name, _ in parts],
        axis=alt.Axis(ticks=False, domain=False),
    )
    share = alt.X(
        "share:Q",
        title="Share of mu² promised",
        scale=alt.Scale(domain=[0, 1.2]),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]),
    )
    base = alt.Chart(data_of(values))
    bars = base.mark_bar(strokeWidth=1.5, stroke=BLUE, height={"band": 0.6}).encode(
        x=share, y=y, color=alt.condition("datum.solid", alt.value(BLUE), alt.value(GROUND))
    )
    words = base.mark_text(align="left", dx=5, color=INK).encode(x=share, y=y, text="words:N")
    return (bars + words).properties(width=width - 100, height=34 * len(parts))
