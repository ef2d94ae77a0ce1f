"""pictures_of: which pictures a topic report has, with their titles and words.

A picture never stands alone: the page has a table with the same numbers.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from analytics.kinds.documents import SpectrumShown, Topic, TopicReport
from analytics.pages import charts
from analytics.pages.charts import WordRow
from surveys.web.drawing.figures import Figure

SHOWN_WORDS = 12
SHOWN_VALUES = 40


def pictures_of(report: TopicReport, names: Sequence[str]) -> tuple[Figure, ...]:
    """All pictures of a report, whose topics are called ``names``, in the order of its page."""
    return tuple(_pictures(report, names))


def picture_named(report: TopicReport, names: Sequence[str], name: str) -> Figure | None:
    """The picture with this name, or None."""
    return next((one for one in _pictures(report, names) if one.name == name), None)


def account_figure(parts: tuple[tuple[str, float], ...], words: str) -> Figure:
    """What is spent, reserved and left, as shares of all that was promised."""
    return Figure(
        "ledger",
        "What is spent and what is left",
        words,
        partial(charts.account, parts),
        "Shares of mu² promised.",
    )


def _pictures(report: TopicReport, names: Sequence[str]) -> Iterator[Figure]:
    if report.spectrum is not None:
        yield _spectrum_picture(report.spectrum)
    elif report.singular_values:
        yield _values_picture(report.singular_values)
    sizes = _size_rows(report, names)
    if sizes:
        yield Figure(
            "sizes",
            "Sizes of the topics",
            _size_words(sizes),
            partial(charts.sizes, sizes),
            "Respondents by main topic, with intervals where there are any.",
        )
    for place, (topic, name) in enumerate(zip(report.topics, names, strict=True), start=1):
        yield _topic_picture(f"topic-{place}", name, topic)


def _spectrum_picture(shown: SpectrumShown) -> Figure:
    values = shown.values[:SHOWN_VALUES]
    above = sum(value > shown.edge for value in shown.values)
    words = (
        f"{above} of {len(shown.values)} eigenvalues lie above the noise edge, {shown.edge:.3g}. "
        f"The largest is {shown.values[0]:.3g}."
        if shown.values
        else f"There are no eigenvalues to hold against the noise edge, {shown.edge:.3g}."
    )
    return Figure(
        "spectrum",
        "Eigenvalues and the noise edge",
        words,
        partial(charts.spectrum, values, shown.edge, "Eigenvalue"),
        "Eigenvalues by rank; hollow ones lie within the noise.",
    )


def _values_picture(values: tuple[float, ...]) -> Figure:
    words = f"{len(values)} singular values, from {values[0]:.3g} down to {values[-1]:.3g}."
    return Figure(
        "spectrum",
        "Singular values",
        words,
        partial(charts.spectrum, values[:SHOWN_VALUES], None, "Singular value"),
        "Singular values by rank.",
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
        partial(charts.bars, rows),
        "Loadings of words; hollow ones lie within the noise.",
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
