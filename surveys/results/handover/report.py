"""report_html: a survey's results as one HTML file, without scripts and with nothing to fetch."""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from surveys.counts.looks import planned_look
from surveys.models import Question
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.reports.documents import ResultTable
from surveys.results.analyses.trust import trust_in_arms
from surveys.results.codebook.book import codebook
from surveys.results.figures.questions import question_figure
from surveys.results.handover.asked import asked_lines, design_words
from surveys.results.handover.fieldwork import fieldwork_of
from surveys.results.handover.strobe import strobe
from surveys.results.overview import overview
from surveys.results.progress import progress_of
from surveys.results.queries import response_count
from surveys.results.questions import CountedReport, PageReport, Report, all_reports
from surveys.results.reading import Reading, interval_words
from surveys.results.routes import Route
from surveys.results.rows.compared import PlannedMarks
from surveys.results.rows.days import DayReport
from surveys.results.rows.numbers import NumberReport
from surveys.results.rows.plans import kept_look, standing
from surveys.results.rows.ranks import RankReport
from surveys.results.rows.rounded import RoundedReport
from surveys.results.rows.trust import trust_of
from surveys.results.shares import ShareReport, ShareRow
from surveys.staff.figures import source_of
from surveys.web.drawing.figures import Figure, FigureTable
from surveys.web.standalone import standalone
from surveys.wording import odds
from surveys.wording.protection import (
    direct_questions,
    hiding_lines,
    keeping_lines,
    odds_lines,
    publishing_line,
    total_odds,
)

if TYPE_CHECKING:
    from surveys.models import Revision, Survey

TEMPLATE, STYLE = "surveys/results/handover/report.html", "surveys/results/handover/report.css"
MOST_ROWS = 16  # of the tables beside a picture, so that both fit on one page
Column = dict[str, Any]


@dataclass(frozen=True)
class ReportEntry:
    """One question of the report. ``picture`` is the address of its picture: the picture itself.

    ``folded`` is a table that is shown when asked for, and on paper. ``asked`` and ``design`` say
    how the question was asked.
    """

    report: Report
    route: Route
    figure: Figure | None
    picture: str
    tables: tuple[FigureTable, ...]
    folded: FigureTable | None = None

    @property
    def is_long(self) -> bool:
        """Whether its tables would take more than the page that the question has on paper."""
        rows = max((len(table.rows) for table in self.tables), default=0)
        return rows + (len(self.folded.rows) if self.folded else 0) > MOST_ROWS

    @property
    def is_page(self) -> bool:
        """Whether it is no question but a page to read; a follow-up is sent with its family."""
        return isinstance(self.report, PageReport)

    @property
    def asked(self) -> list[str]:
        return asked_lines(self.report.item)

    @property
    def design(self) -> str:
        return design_words(self.report.item)


def report_html(
    survey: "Survey", revision: "Revision", reading: Reading, marks: PlannedMarks, day: date
) -> str:
    """The results as they are on a day, read by a method and a level, beside what they compare."""
    questionnaire = questionnaire_of(revision)
    reports = marks.beside_all(all_reports(revision, reading))
    responses, progress = response_count(revision), progress_of(survey, revision)
    look = planned_look(revision.pk)
    entries = [_entry(survey, report, route) for report, route in reports]
    shown = [report for report, route in reports if not route.hides_estimates]
    fieldwork = fieldwork_of(survey, revision, progress, responses)
    first_lines = overview(
        survey, progress, responses, shown, standing(survey, revision, progress, look)
    )
    return standalone(
        TEMPLATE,
        STYLE,
        {
            "survey": survey,
            "questionnaire": questionnaire,
            "day": day,
            "responses": responses,
            "progress": progress,
            "fieldwork": fieldwork,
            "overview": first_lines,
            "look": kept_look(revision, look, reading.stated) if look else None,
            "reading": reading,
            "trust": trust_of(shown, reading),
            "trust_in_arms": trust_in_arms(revision, reading),
            "citation": citation(questionnaire, day),
            "promises": list(_promises(questionnaire)),
            "protection": odds.total_words(questionnaire),
            "entries": entries,
            "has_long": any(entry.is_long for entry in entries),
            "strobe": strobe(fieldwork, first_lines, reading),
            "columns": list(_columns(codebook(revision, responses=responses)["columns"])),
        },
    )


def citation(questionnaire: Questionnaire, day: date) -> str:
    """How to cite the results: who asked, when, what, and which program counted."""
    asked_by = questionnaire.organisation or gettext("The survey's authors")
    return gettext("{asked_by} ({year}). {title}. Results of {day}.").format(
        asked_by=asked_by, year=day.year, title=questionnaire.title, day=day.isoformat()
    )


def _promises(questionnaire: Questionnaire) -> Iterator[str]:
    """What respondents read before they answered, each sentence once."""
    for line in odds_lines(questionnaire):
        yield f"{line.questions}: {' '.join(line.sentences)}"
    yield total_odds(questionnaire)
    if published := publishing_line(questionnaire):
        yield published
    yield from hiding_lines(questionnaire)
    if numbers := direct_questions(questionnaire):
        yield gettext("Answers sent as given, without protection: {questions}.").format(
            questions=numbers
        )
    yield from keeping_lines(questionnaire)


def _entry(survey: "Survey", report: Report, route: Route) -> ReportEntry:
    if route.hides_estimates:
        return ReportEntry(report, route, None, "", ())
    figure = question_figure(report)
    tables, folded = question_tables(report), folded_table(report)
    if figure is None or not tables:
        return ReportEntry(report, route, None, "", tables, folded)
    figure = figure.of(source_of(survey))
    # As an image, in which no script runs and whose parts are not read out one by one.
    drawn = b64encode(figure.svg().encode()).decode()
    return ReportEntry(report, route, figure, f"data:image/svg+xml;base64,{drawn}", tables, folded)


def _columns(columns: list[Column]) -> Iterator[tuple[str, str, str, str]]:
    """The codebook's columns: name in files, question, kind, and what each code says."""
    kinds = dict(Question.Kind.choices)
    for column in columns:
        kind = str(kinds.get(column["kind"], column["kind"]))
        yield _headings(column), column["text"], kind, _codes(column)


def _headings(column: Column) -> str:
    """What files call a question's column, or the first and the last of its columns."""
    headings = [part["column"] for part in column.get("columns", [column])]
    return headings[0] if len(headings) == 1 else f"{headings[0]} … {headings[-1]}"


def _codes(column: Column) -> str:
    """Levels with their codes, or the ends of what may be given."""
    if "levels" in column:
        return "; ".join(f"{level['code']}: {level['label']}" for level in column["levels"])
    if "minimum" in column:
        return interval_words(str(column["minimum"]), str(column["maximum"]))
    return ""


def question_tables(report: Report) -> tuple[FigureTable, ...]:
    """All tables of a question; none for texts, ratings, pages, and while nothing was answered."""
    return tuple(_tables(report))


def _tables(report: Report) -> Iterator[FigureTable]:
    match report:
        case ShareReport() if report.all_rows:
            yield _shares(report, report.table_rows)
        case NumberReport() | DayReport() if report.n:
            yield _summary(report.statistics)
            bins = tuple((bar.label, bar.count_words) for bar in report.bins)
            yield FigureTable((gettext("Value"), gettext("Answers")), bins)
        case RankReport() if report.rows:
            yield _ranks(report)
        case CountedReport(table=ResultTable() as counted):
            yield FigureTable(
                tuple(column.title for column in counted.shown),
                tuple(tuple(cell.words for cell in line.cells) for line in counted.lines),
            )
        case RoundedReport() if report.n:
            yield _summary(report.statistics)
            yield FigureTable((gettext("Point"), gettext("Reported")), report.reported)


def _summary(statistics: tuple[tuple[str, str], ...]) -> FigureTable:
    return FigureTable((gettext("Summary"), gettext("Value")), statistics)


def folded_table(report: Report) -> FigureTable | None:
    """What a question's table shows when asked for: the ways through it, or options of a list."""
    if not isinstance(report, ShareReport) or not report.other_rows:
        return None
    return _shares(report, report.other_rows)


def _shares(report: ShareReport, share_rows: Iterable[ShareRow]) -> FigureTable:
    planned = (gettext("Planned interval"),) if report.planned else ()
    before = gettext("Earlier survey: {survey}").format(survey=report.earlier)
    earlier = (before,) if report.earlier else ()
    shown = (
        gettext("Answer"),
        str(report.counted),
        gettext("Estimate"),
        gettext("Standard error"),
        gettext("Low"),
        gettext("High"),
        gettext("As computed"),
    )
    rows = (
        (
            row.label,
            row.reported_words,
            row.estimate_words,
            row.error_words,
            row.low_words,
            row.high_words,
            row.raw_words,
            *((row.planned_words,) if report.planned else ()),
            *((row.earlier_words,) if report.earlier else ()),
        )
        for row in share_rows
    )
    return FigureTable((*shown, *planned, *earlier), tuple(rows))


def _ranks(report: RankReport) -> FigureTable:
    rows = ((row.label, row.mean_words, row.error_words, row.interval_words) for row in report.rows)
    head = (
        gettext("Ranked option"),
        gettext("Mean rank"),
        gettext("Standard error"),
        gettext("Interval"),
    )
    return FigureTable(head, tuple(rows))
