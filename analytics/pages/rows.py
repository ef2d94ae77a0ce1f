"""Reports in lists, in words."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from analytics.models import Report
from analytics.queries import is_open_permit, report_numbers
from analytics.reports.registry import kind_named
from surveys.randomized_response.messages import sentence
from surveys.staff.audit.rows import person
from surveys.wording.language.messages import translated

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

    @property
    def is_open_permit(self) -> bool:
        """Whether it is charged, and its report was not handed in yet."""
        return is_open_permit(self.report)


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
