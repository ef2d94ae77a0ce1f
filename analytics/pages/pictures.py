"""Picture, pictures_of: which pictures a topic report has, with their titles and words.

A picture never stands alone: ``words`` is its text alternative, and the page has a table with the
same numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from analytics.kinds.documents import SpectrumShown, Topic, TopicReport
from surveys import PROGRAM
from surveys.web.responses import WIDE

SHOWN_WORDS = 12
SHOWN_VALUES = 40

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
        return str(_charts().draw(self.chart(width)))

    def png(self) -> bytes:
        """As pixels, twice as fine as on a plain screen."""
        pixels: bytes = _charts().png(self.chart(WIDE))
        return pixels

    def vega(self) -> dict[str, Any]:
        """As a Vega-Lite specification with its data inside."""
        specification: dict[str, Any] = _charts().styled(self.chart(WIDE)).to_dict()
        # What Vega-Lite keeps for others and passes over.
        usermeta = {"program": PROGRAM}
        return specification | {"description": self.words, "usermeta": usermeta}


def pictures_of(report: TopicReport, names: Sequence[str]) -> tuple[Picture, ...]:
    """All pictures of a report, whose topics are called ``names``, in the order of its page."""
    return tuple(_pictures(report, names))


def picture_named(report: TopicReport, names: Sequence[str], name: str) -> Picture | None:
    """The picture with this name, or None."""
    return next((one for one in _pictures(report, names) if one.name == name), None)


def account_chart(parts: tuple[tuple[str, float], ...], width: int = WIDE) -> str:
    """What is spent, reserved and left, as shares of all that was promised."""
    return str(_charts().account_svg(parts, width))


def _pictures(report: TopicReport, names: Sequence[str]) -> Iterator[Picture]:
    if report.spectrum is not None:
        yield _spectrum_picture(report.spectrum)
    elif report.singular_values:
        yield _values_picture(report.singular_values)
    sizes = _size_rows(report, names)
    if sizes:
        yield Picture(
            "sizes",
            "Sizes of the topics",
            _size_words(sizes),
            lambda width: _charts().sizes(sizes, width),
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
        lambda width: _charts().spectrum(values, shown.edge, "Eigenvalue", width),
    )


def _values_picture(values: tuple[float, ...]) -> Picture:
    words = f"{len(values)} singular values, from {values[0]:.3g} down to {values[-1]:.3g}."
    return Picture(
        "spectrum",
        "Singular values",
        words,
        lambda width: _charts().spectrum(values[:SHOWN_VALUES], None, "Singular value", width),
    )


def _topic_picture(name: str, title: str, topic: Topic) -> Picture:
    rows = tuple(
        (word.shown, word.loading, word.noise, word.is_within_noise)
        for word in topic.words[:SHOWN_WORDS]
    )
    return Picture(
        name, title, _topic_words(title, rows), lambda width: _charts().bars(rows, width)
    )


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


def _charts() -> ModuleType:
    """What draws. Altair takes a third of a second to load, so that only who draws loads it."""
    from analytics.pages import charts

    return charts
