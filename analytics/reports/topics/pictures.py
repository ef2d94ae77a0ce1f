"""pictures_of: the pictures of a topic report, with their titles and words, from Vega-Lite.

A picture never stands alone: the page has a table with the same numbers. What is within the noise
is hollow and named so, not only grey.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from django.utils.translation import gettext

from analytics.kinds.documents import SpectrumShown, Topic, TopicReport
from surveys.web.drawing.figures import Figure
from surveys.web.drawing.pictures import (
    BLUE,
    GREY,
    GROUND,
    INK,
    NARROW,
    PADDING,
    WIDE,
    in_lines,
    intervals_in_rows,
    layered_rows,
    lines_above,
)
from surveys.web.drawing.vega import Document, Marks, either, field, layered
from surveys.wording.language.numbers import decimal, localized

WordRow = tuple[str, float, float | None, bool]  # a word, its loading, its noise, whether within
DEVIATIONS = 2  # how far the lines at the bars reach
_MOST_LETTERS = {WIDE: 34, NARROW: 19}  # in the lines before bars
_ROW, _LINE = 22, 14  # the heights of a bar, and of a line more of its label
_LETTER, _LEAST_GUTTER = 6.5, 150  # the widths of a letter, and of the room before bars
LINES_OF_LABEL = "split(datum.label, '\\n')"
# Vega sets the first of several lines at the middle of its bar: a label moves up by half the rest.
MOVED_UP = {"test": "true", "expr": f"-{_LINE / 2} * (length({LINES_OF_LABEL}) - 1)"}
SHOWN_WORDS = 12
SHOWN_VALUES = 40


def pictures_of(report: TopicReport, names: Sequence[str]) -> tuple[Figure, ...]:
    """All pictures of a report, whose topics are called ``names``, in the order of its page."""
    return tuple(_pictures(report, names))


def _pictures(report: TopicReport, names: Sequence[str]) -> Iterator[Figure]:
    if report.spectrum is not None:
        yield _spectrum_picture(report.spectrum)
    elif report.singular_values:
        yield _values_picture(report.singular_values)
    sizes = _size_rows(report, names)
    if sizes:
        yield Figure(
            "sizes",
            gettext("Sizes of the topics"),
            gettext("Respondents by main topic. {told}.").format(
                told="; ".join(_sized(*row) for row in sizes)
            ),
            partial(size_bars, sizes),
            gettext("Respondents by main topic, with intervals if there are any."),
        )
    for number, (topic, name) in enumerate(zip(report.topics, names, strict=True), start=1):
        yield _topic_picture(f"topic-{number}", name, topic)


def _spectrum_picture(shown: SpectrumShown) -> Figure:
    values = shown.values[:SHOWN_VALUES]
    edge = _short(shown.edge)
    above = sum(value > shown.edge for value in shown.values)
    words = (
        gettext(
            "{above} of {count} eigenvalues lie above the noise edge, {edge}. The largest is "
            "{largest}."
        ).format(above=above, count=len(shown.values), edge=edge, largest=_short(shown.values[0]))
        if shown.values
        else gettext("There are no eigenvalues to compare with the noise edge, {edge}.").format(
            edge=edge
        )
    )
    return Figure(
        "spectrum",
        gettext("Eigenvalues and the noise edge"),
        words,
        partial(spectrum, values, shown.edge, gettext("Eigenvalue")),
        gettext("Eigenvalues by rank. Hollow marks are within the noise."),
    )


def _values_picture(values: tuple[float, ...]) -> Figure:
    words = gettext("{count} singular values, from {first} down to {last}.").format(
        count=len(values), first=_short(values[0]), last=_short(values[-1])
    )
    return Figure(
        "spectrum",
        gettext("Singular values"),
        words,
        partial(spectrum, values[:SHOWN_VALUES], None, gettext("Singular value")),
        gettext("Singular values by rank."),
    )


def _topic_picture(name: str, title: str, topic: Topic) -> Figure:
    rows = tuple(
        (word.shown, word.loading, word.noise, word.is_within_noise)
        for word in topic.words[:SHOWN_WORDS]
    )
    return Figure(
        name,
        title,
        _topic_words(title, rows),
        partial(bars, rows),
        gettext("Loadings of words. Hollow marks are within the noise."),
    )


def _topic_words(title: str, rows: Sequence[WordRow]) -> str:
    clear_words = [
        f"{word} {decimal(loading, 2)}" for word, loading, _, within in rows if not within
    ]
    hidden = [word for word, _, _, within in rows if within]
    clear = (
        gettext("Loadings in {title}: {told}.").format(title=title, told=", ".join(clear_words))
        if clear_words
        else gettext("{title}: no clear word.").format(title=title)
    )
    return (
        gettext("{clear} Within the noise: {hidden}.").format(clear=clear, hidden=", ".join(hidden))
        if hidden
        else clear
    )


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


def _sized(name: str, size: float, low: float, high: float) -> str:
    people = [localized(f"{value:,.0f}") for value in (size, low, high)]
    if low == high:
        return f"{name}: {people[0]}"
    return gettext("{name}: {size} ({low} to {high})").format(
        name=name, size=people[0], low=people[1], high=people[2]
    )


def _short(value: float) -> str:
    return localized(f"{value:.3g}")


def bars(rows: tuple[WordRow, ...], width: int) -> Document:
    labels = [
        in_lines(f"{rank}. {word}{gettext(' (noise)') if within else ''}", _MOST_LETTERS[width])
        for rank, (word, _, _, within) in enumerate(rows, start=1)
    ]
    values = [
        {
            "word": "\n".join(label),
            "loading": loading,
            "low": loading if noise is None else loading - DEVIATIONS * noise,
            "high": loading if noise is None else loading + DEVIATIONS * noise,
            "within": within,
        }
        for label, (_, loading, noise, within) in zip(labels, rows, strict=True)
    ]
    order = [str(value["word"]) for value in values]
    is_noisy = any(noise is not None for _, _, noise, _ in rows)
    title = gettext("Loading ± 2 standard deviations") if is_noisy else gettext("Loading")
    axis = {
        "ticks": False,
        "domain": False,
        "labelLimit": width // 2,
        "labelExpr": LINES_OF_LABEL,
        "labelOffset": {"condition": MOVED_UP, "value": 0},
    }
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
    step = _ROW + _LINE * (max(map(len, labels), default=1) - 1)
    longest = max((len(line) for label in labels for line in label), default=0)
    gutter = max(_LEAST_GUTTER, round(longest * _LETTER) + PADDING)
    return layered(layers, width - gutter, step * max(len(rows), 1))


def spectrum(values: tuple[float, ...], edge: float | None, title: str, width: int) -> Document:
    rows = [
        {"place": rank, "value": value, "above": edge is None or value > edge}
        for rank, value in enumerate(values, start=1)
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


def size_bars(rows: tuple[tuple[str, float, float, float], ...], width: int) -> Document:
    lines = lines_above([f"{name}  {localized(f'{size:,.0f}')}" for name, size, *_ in rows], width)
    values = [
        {
            "row": position,
            "lines": lines[position],
            "size": size,
            "low": low,
            "high": high,
        }
        for position, (_, size, low, high) in enumerate(rows)
    ]
    axis = {
        "title": gettext("Respondents"),
        "grid": True,
        "domain": False,
        "tickCount": 5,
        "format": ",d",
    }
    x = field("low:Q", axis=axis, scale={"zero": True})
    return layered_rows(intervals_in_rows(values, x, "size"), lines, width)
