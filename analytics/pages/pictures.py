"""pictures_of: which pictures a topic report has, with their titles and words.

A picture never stands alone: the page has a table with the same numbers.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from django.utils.translation import gettext

from analytics.kinds.documents import SpectrumShown, Topic, TopicReport
from analytics.pages import charts
from analytics.pages.charts import WordRow
from surveys.web.drawing.figures import Figure
from surveys.wording.language.numbers import decimal, localized

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
        gettext("What is spent and what is left"),
        words,
        partial(charts.account, parts),
        gettext("Shares of mu² promised."),
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
            gettext("Sizes of the topics"),
            _size_words(sizes),
            partial(charts.sizes, sizes),
            gettext("Respondents by main topic, with intervals where there are any."),
        )
    for place, (topic, name) in enumerate(zip(report.topics, names, strict=True), start=1):
        yield _topic_picture(f"topic-{place}", name, topic)


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
        else gettext("There are no eigenvalues to hold against the noise edge, {edge}.").format(
            edge=edge
        )
    )
    return Figure(
        "spectrum",
        gettext("Eigenvalues and the noise edge"),
        words,
        partial(charts.spectrum, values, shown.edge, gettext("Eigenvalue")),
        gettext("Eigenvalues by rank; hollow ones lie within the noise."),
    )


def _values_picture(values: tuple[float, ...]) -> Figure:
    words = gettext("{count} singular values, from {first} down to {last}.").format(
        count=len(values), first=_short(values[0]), last=_short(values[-1])
    )
    return Figure(
        "spectrum",
        gettext("Singular values"),
        words,
        partial(charts.spectrum, values[:SHOWN_VALUES], None, gettext("Singular value")),
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
        partial(charts.bars, rows),
        gettext("Loadings of words; hollow ones lie within the noise."),
    )


def _topic_words(title: str, rows: Sequence[WordRow]) -> str:
    told = [f"{word} {decimal(loading, 2)}" for word, loading, _, within in rows if not within]
    hidden = [word for word, _, _, within in rows if within]
    clear = (
        gettext("Loadings in {title}: {told}.").format(title=title, told=", ".join(told))
        if told
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


def _size_words(rows: Sequence[tuple[str, float, float, float]]) -> str:
    told = (_sized(name, size, low, high) for name, size, low, high in rows)
    return gettext("Respondents by main topic. {told}.").format(told="; ".join(told))


def _sized(name: str, size: float, low: float, high: float) -> str:
    told = [localized(f"{value:,.0f}") for value in (size, low, high)]
    if low == high:
        return f"{name}: {told[0]}"
    return gettext("{name}: {size} ({low} to {high})").format(
        name=name, size=told[0], low=told[1], high=told[2]
    )


def _short(value: float) -> str:
    return localized(f"{value:.3g}")
