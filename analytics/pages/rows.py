"""Reports in lists, and the topics of two reports side by side, in words."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext

from analytics.kinds.documents import TopicReport
from analytics.kinds.matches import match_topics, mixture_distance
from analytics.models import Report
from analytics.queries import report_numbers
from analytics.reports.registry import kind_named
from analytics.reports.topics.finds import topic_names
from surveys.randomized_response.messages import sentence
from surveys.staff.audit.rows import person
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal, localized

OF_TABLES = sentence("direct answers")


@dataclass(frozen=True)
class ReportRow:
    """One report in a list."""

    report: Report
    number: int
    title: str
    question: str
    is_private: bool
    who: str


@dataclass(frozen=True)
class MatchRow:
    """Two topics that belong together, or one that has no counterpart."""

    first: str
    second: str
    cosine: str
    shared: str
    sizes: str


def report_rows(
    reports: Collection[Report], texts: Mapping[UUID, str], people: Mapping[int, str]
) -> list[ReportRow]:
    """Reports in words, with the texts of questions and the names of accounts by their keys."""
    numbers = report_numbers(reports)
    return [
        ReportRow(
            report=report,
            number=numbers[report.pk],
            title=title_of(report.kind),
            question=question_words(report.kind, texts.get(report.question, "–")),
            is_private=is_private(report.kind),
            who=person(report.actor, dict(people)),
        )
        for report in reports
    ]


def question_words(kind: str, text: str) -> str:
    """What a report is on: a question, or the direct answers to several."""
    return translated(OF_TABLES) if kind_named(kind).is_of_tables else text


def title_of(kind: str) -> str:
    """What a kind of report is called; its bare name where this version does not know it."""
    return translated(kind_named(kind).title)


def is_private(kind: str) -> bool:
    """Whether reports of this kind may be published; an unknown kind's may not."""
    return kind_named(kind).is_open


def match_rows(
    first: TopicReport,
    first_names: Sequence[str],
    second: TopicReport,
    second_names: Sequence[str],
) -> tuple[MatchRow, ...]:
    """The topics of two reports, matched by their words (see ``analytics.kinds.matches``)."""
    left, right = topic_names(first, first_names), topic_names(second, second_names)
    return tuple(
        MatchRow(
            first=left[one.first] if one.first is not None else "",
            second=right[one.second] if one.second is not None else "",
            cosine="–" if one.cosine is None else localized(f"{one.cosine:.2f}").replace("-", "−"),
            shared=", ".join(one.shared),
            sizes=_both_sizes(first, one.first, second, one.second),
        )
        for one in match_topics(first, second)
    )


@dataclass(frozen=True)
class MixtureRows:
    """Two reports' mixtures: their distance in words, and the cost of each move."""

    sentence: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def mixture_rows(
    first: TopicReport, left: Sequence[str], second: TopicReport, right: Sequence[str]
) -> MixtureRows | None:
    """How far apart two mixtures are; None where a report has no topic."""
    found = mixture_distance(first, second)
    if found is None:
        return None
    weighing = (
        gettext("topics weigh as many respondents as they have")
        if found.has_sizes
        else gettext("all topics weigh the same, as sizes are not known")
    )
    names = [topic_names(first, left), topic_names(second, right)]
    rows = zip(names[0], found.costs, strict=True)
    return MixtureRows(
        gettext(
            "On average a respondent must move by {value}, where 0 is the same words "
            "and 1.41 no common word ({method}; {weighing})."
        ).format(value=decimal(found.value, 2), method=translated(found.method), weighing=weighing),
        tuple(names[1]),
        tuple((name, tuple(localized(f"{cost:.2f}") for cost in costs)) for name, costs in rows),
    )


def comparison_remarks(first: TopicReport, second: TopicReport) -> tuple[str, ...]:
    """What makes two reports hard to compare."""
    remarks = []
    if first.kind != second.kind:
        remarks.append(
            gettext("These reports are of different kinds: the same answers give other topics.")
        )
    if any(first.settings.get(n) != second.settings.get(n) for n in ("language", "stems")):
        remarks.append(
            gettext("Their words were cut in different ways, so that like words may not match.")
        )
    return tuple(remarks)


def _both_sizes(
    first: TopicReport, left: int | None, second: TopicReport, right: int | None
) -> str:
    told = [_share_words(report, place) for report, place in ((first, left), (second, right))]
    return " → ".join(told) if any(one != "–" for one in told) else ""


def _share_words(report: TopicReport, place: int | None) -> str:
    """A size as a share of its report's respondents, with its interval: reports differ in size."""
    topic = report.topics[place] if place is not None else None
    if topic is None or topic.size is None or not report.respondents:
        return "–"
    percent = [
        f"{100 * value / report.respondents:.0f}"
        for value in (max(topic.size, 0), topic.low, topic.high)
        if value is not None
    ]
    if len(percent) < 3:
        return f"{percent[0]} %"
    return gettext("{share} % ({low} to {high})").format(
        share=percent[0], low=percent[1], high=percent[2]
    )
