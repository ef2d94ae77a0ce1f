"""Pictures for topic reports: words of a topic, sizes, spectrum, singular values; the account.

A picture never stands alone: ``words`` is its text alternative, and the page has a table with the
same numbers. What is within the noise is hollow and named so, not only grey.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import altair as alt
import vl_convert

from analytics.kinds.documents import SpectrumShown, Topic, TopicReport
from surveys.web.pictures import (
    BLUE,
    GREY,
    INK,
    NARROW,
    WIDE,
    data_of,
    draw,
    intervals_in_rows,
    layered_rows,
    shortened,
    styled,
)

SHOWN_WORDS = 12
SHOWN_VALUES = 40
DEVIATIONS = 2  # how far the lines at the bars reach
PNG_SCALE = 2.0
_MOST_LETTERS = {WIDE: 22, NARROW: 15}
_ROW = 22
_HOLLOW = "white"

WordRow = tuple[str, float, float | None, bool]


@dataclass(frozen=True)
class Picture:
    """One picture of a report. ``name`` stands in addresses; ``draw`` takes a width."""

    name: str
    title: str
    words: str
    chart: Callable[[int], Any]

    def svg(self, width: int = WIDE) -> str:
        """As a file without scripts, styles and addresses."""
        return draw(self.chart(width))

    def png(self) -> bytes:
        """As pixels, twice as fine as on a plain screen."""
        specification = styled(self.chart(WIDE)).to_json()
        made: bytes = vl_convert.vegalite_to_png(
            specification, scale=PNG_SCALE, allowed_base_urls=[]
        )
        return made

    def vega(self) -> dict[str, Any]:
        """As a Vega-Lite specification with its data inside."""
        specification: dict[str, Any] = styled(self.chart(WIDE)).to_dict()
        return specification | {"description": self.words}


def pictures_of(report: TopicReport, names: Sequence[str]) -> tuple[Picture, ...]:
    """All pictures of a report, whose topics are called ``names``, in the order of its page."""
    return tuple(_pictures(report, names))


def picture_named(report: TopicReport, names: Sequence[str], name: str) -> Picture | None:
    """The picture with this name, or None."""
    return next((one for one in _pictures(report, names) if one.name == name), None)


def account_chart(parts: tuple[tuple[str, float], ...], width: int = WIDE) -> str:
    """What is spent, reserved and left, as shares of all that was promised."""
    return _account_svg(parts, width)


def _pictures(report: TopicReport, names: Sequence[str]) -> Iterator[Picture]:
    if report.spectrum is not None:
        yield _spectrum_picture(report.spectrum)
    elif report.singular_values:
        yield _values_picture(report.singular_values)
    sizes = _size_rows(report, names)
    if sizes:
        yield Picture(
            "sizes", "Sizes of the topics", _size_words(sizes), lambda width: _sizes(sizes, width)
        )
    for place, (topic, name) in enumerate(zip(report.topics, names, strict=True), start=1):
        yield _topic_picture(f"topic-{place}", name, topic)


def _spectrum_picture(shown: SpectrumShown) -> Picture:
    values = shown.values[:SHOWN_VALUES]
    above = sum(value > shown.edge for value in shown.values)
    words = (
        f"{above} of {len(shown.values)} eigenvalues lie above the noise edge, {shown.edge:.3g}. "
        f"The largest is {shown.values[0]:.3g}."
        if shown.values
        else f"There are no eigenvalues to hold against the noise edge, {shown.edge:.3g}."
    )
    return Picture(
        "spectrum",
        "Eigenvalues and the noise edge",
        words,
        lambda width: _spectrum(values, shown.edge, "Eigenvalue", width),
    )


def _values_picture(values: tuple[float, ...]) -> Picture:
    words = f"{len(values)} singular values, from {values[0]:.3g} down to {values[-1]:.3g}."
    return Picture(
        "spectrum",
        "Singular values",
        words,
        lambda width: _spectrum(values[:SHOWN_VALUES], None, "Singular value", width),
    )


def _topic_picture(name: str, title: str, topic: Topic) -> Picture:
    rows = tuple(
        (word.word, word.loading, word.noise, word.is_within_noise)
        for word in topic.words[:SHOWN_WORDS]
    )
    return Picture(name, title, _topic_words(title, rows), lambda width: _bars(rows, width))


def _topic_words(title: str, rows: Sequence[WordRow]) -> str:
    told = [f"{word} {loading:.2f}" for word, loading, _, within in rows if not within]
    hidden = [word for word, _, _, within in rows if within]
    clear = f"Loadings in {title}: {', '.join(told)}." if told else f"{title}: no clear word."
    return f"{clear} Within the noise: {', '.join(hidden)}." if hidden else clear


def _size_rows(
    report: TopicReport, names: Sequence[str]
) -> tuple[tuple[str, float, float, float], ...]:
    return tuple(
        (
            name,
            topic.size,
            topic.size if topic.low is None else topic.low,
            topic.size if topic.high is None else topic.high,
        )
        for name, topic in zip(names, report.topics, strict=True)
        if topic.size is not None
    )


def _size_words(rows: Sequence[tuple[str, float, float, float]]) -> str:
    told = (
        f"{name}: {size:,.0f}" + ("" if low == high else f" ({low:,.0f} to {high:,.0f})")
        for name, size, low, high in rows
    )
    return "Respondents by main topic. " + "; ".join(told) + "."


@lru_cache(maxsize=256)
def _bars(rows: tuple[WordRow, ...], width: int) -> Any:
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
        color=alt.condition("datum.within", alt.value(_HOLLOW), alt.value(BLUE)),
        stroke=alt.condition("datum.within", alt.value(GREY), alt.value(BLUE)),
    )
    lines = base.mark_rule(color=INK, strokeWidth=2).encode(x="low:Q", x2="high:Q", y=y)
    drawn = bars + lines if is_noisy else bars
    return drawn.properties(width=width - 150, height=_ROW * max(len(rows), 1))


@lru_cache(maxsize=64)
def _spectrum(values: tuple[float, ...], edge: float | None, title: str, width: int) -> Any:
    rows = [
        {"place": place, "value": value, "above": edge is None or value > edge}
        for place, value in enumerate(values, start=1)
    ]
    points = alt.Chart(data_of(rows)).mark_point(filled=True, size=55, opacity=1, strokeWidth=1.5)
    drawn = points.encode(
        x=alt.X("place:Q", title="Rank", axis=alt.Axis(tickMinStep=1, tickCount=6, format="d")),
        y=alt.Y("value:Q", title=title, axis=alt.Axis(tickCount=5, format="~s")),
        fill=alt.condition("datum.above", alt.value(BLUE), alt.value(_HOLLOW)),
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
def _sizes(rows: tuple[tuple[str, float, float, float], ...], width: int) -> Any:
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
    return layered_rows(intervals_in_rows(values, x, "size"), len(rows), width)


@lru_cache(maxsize=64)
def _account_svg(parts: tuple[tuple[str, float], ...], width: int) -> str:
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
        x=share, y=y, color=alt.condition("datum.solid", alt.value(BLUE), alt.value(_HOLLOW))
    )
    words = base.mark_text(align="left", dx=5, color=INK).encode(x=share, y=y, text="words:N")
    return draw((bars + words).properties(width=width - 100, height=34 * len(parts)))
