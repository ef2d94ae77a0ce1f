"""compared_blocks: two topic reports side by side, topic by topic, and how far apart they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.utils.safestring import mark_safe
from django.utils.translation import gettext

from analytics.kinds.documents import TopicReport
from analytics.kinds.matches import match_topics, mixture_distance
from analytics.reports.topics.finds import topic_names
from surveys.reports.documents import Block, Card, ResultColumn, ResultTable, Row, Text
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal, localized


@dataclass(frozen=True)
class ComparedReport:
    """A report, what it is called, and the names that people gave to its topics."""

    report: TopicReport
    label: str
    names: Sequence[str]

    @property
    def topics(self) -> tuple[str, ...]:
        """What its topics are called."""
        return topic_names(self.report, self.names)

    def share(self, topic: int | None) -> str:
        """A size as a share of its respondents, with its interval: reports differ in size."""
        size = self.report.topics[topic] if topic is not None else None
        if size is None or size.size is None or not self.report.respondents:
            return "–"
        percent = [
            f"{100 * people / self.report.respondents:.0f}"
            for people in (max(size.size, 0), size.low, size.high)
            if people is not None
        ]
        if len(percent) < 3:
            return f"{percent[0]} %"
        return gettext("{share} % ({low} to {high})").format(
            share=percent[0], low=percent[1], high=percent[2]
        )


def compared_blocks(first: ComparedReport, second: ComparedReport) -> tuple[Block, ...]:
    """Their topics, matched by their words, and their mixtures; nothing where neither has a topic.

    How topics are matched: ``analytics.kinds.matches``.
    """
    rows = tuple(_match_rows(first, second))
    if not rows:
        return ()
    matched: tuple[Block, ...] = (
        Text(
            gettext(
                "Topics of both reports are paired so that their words agree best. The cosine is "
                "1 if all words and their weights are the same, and 0 if the topics have no word "
                "in common. Words within the noise do not count. A word that only one report has "
                "makes the cosine smaller. Different words with a similar meaning count as "
                "different."
            )
        ),
        *(Text(remark, is_warning=True) for remark in comparison_remarks(first, second)),
        _match_table(first, second, rows),
    )
    blocks = (
        Card("matched", gettext("Topics with similar words"), matched),
        *_mixtures(first, second),
    )
    if first.report.is_private and second.report.is_private:
        return blocks
    warning = gettext(
        "<strong>Internal – do not publish.</strong> At least one of these reports does not hide "
        "anyone. The audit log records that you looked at the report."
    )
    return Text(mark_safe(warning), is_warning=True), *blocks  # noqa: S308, a sentence of ours


def comparison_remarks(first: ComparedReport, second: ComparedReport) -> Iterator[str]:
    """What makes two reports hard to compare."""
    if first.report.kind != second.report.kind:
        yield gettext(
            "These two reports are of different kinds. Reports of different kinds find different "
            "topics, even in the same answers."
        )
    settings = first.report.settings, second.report.settings
    if any(settings[0].get(name) != settings[1].get(name) for name in ("language", "stems")):
        yield gettext(
            "The words of the two reports were shortened in different ways, so equal words may "
            "not match."
        )


def _match_rows(first: ComparedReport, second: ComparedReport) -> Iterator[Row]:
    lone = gettext("no counterpart")
    for match in match_topics(first.report, second.report):
        shares = first.share(match.first), second.share(match.second)
        yield {
            "first": lone if match.first is None else first.topics[match.first],
            "second": lone if match.second is None else second.topics[match.second],
            "cosine": match.cosine,
            "sizes": "–" if shares == ("–", "–") else " → ".join(shares),
            "shared": ", ".join(match.shared) or "–",
        }


def _match_table(
    first: ComparedReport, second: ComparedReport, rows: tuple[Row, ...]
) -> ResultTable:
    columns = (
        ResultColumn("first", gettext("First: {first_name}").format(first_name=first.label)),
        ResultColumn("second", gettext("Second: {second_name}").format(second_name=second.label)),
        ResultColumn("cosine", gettext("Cosine"), _cosine_words, is_number=True),
        ResultColumn("sizes", gettext("Share, first → second")),
        ResultColumn("shared", gettext("Words that both topics share"), is_quoted=True),
    )
    caption = gettext(
        "Shares of the respondents of each report, with the interval caused by the noise"
    )
    return ResultTable(caption, columns, rows)


def _cosine_words(row: Row) -> str:
    cosine = row["cosine"]
    return "–" if cosine is None else localized(f"{cosine:.2f}").replace("-", "−")


def _mixtures(first: ComparedReport, second: ComparedReport) -> Iterator[Card]:
    """How far apart two mixtures are; nothing where a report has no topic."""
    distance = mixture_distance(first.report, second.report)
    if distance is None:
        return
    weighing = (
        gettext("each topic is weighted by its number of respondents")
        if distance.has_sizes
        else gettext("all topics have the same weight, because their sizes are not known")
    )
    moved = gettext(
        "On average, a respondent must move by {value} to turn one report into the other. A "
        "distance of 0 means the same words, and 1.41 means no common word ({method}; "
        "{weighing})."
    ).format(
        value=decimal(distance.value, 2), method=translated(distance.method), weighing=weighing
    )
    unstated = gettext(
        "This page shows no interval, because each report finds its topics anew, and the effect "
        "on the distance is not known. This page shows no p-value, because a test would have to "
        "read the texts again, which spends the budget."
    )
    columns = (
        ResultColumn("topic", first.label),
        *(
            ResultColumn("", topic, partial(_cost, number), is_number=True)
            for number, topic in enumerate(second.topics)
        ),
    )
    rows = tuple(
        {"topic": topic, "costs": costs}
        for topic, costs in zip(first.topics, distance.costs, strict=True)
    )
    caption = gettext(
        "Distance between a topic of the first report (row) and a topic of the second report "
        "(column)"
    )
    table = ResultTable(caption, columns, rows)
    title = gettext("How far apart the reports are")
    yield Card("mixtures", title, (Text(moved), Text(unstated), table))


def _cost(topic: int, row: Row) -> str:
    return localized(f"{row['costs'][topic]:.2f}")
