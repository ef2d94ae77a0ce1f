"""question_tables: the numbers of a question as tables of words."""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext

from surveys.results.questions import Report
from surveys.results.rows.days import DayReport
from surveys.results.rows.numbers import NumberReport
from surveys.results.rows.ranks import RankReport
from surveys.results.rows.rounded import RoundedReport
from surveys.results.shares import ShareReport, ShareRow
from surveys.web.drawing.figures import FigureTable


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


def _shares(report: ShareReport, found: Iterable[ShareRow]) -> FigureTable:
    planned = (gettext("With the plan"),) if report.planned else ()
    before = gettext("Before, in {survey}").format(survey=report.earlier)
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
        for row in found
    )
    return FigureTable((*shown, *planned, *earlier), tuple(rows))


def _ranks(report: RankReport) -> FigureTable:
    rows = ((row.label, row.mean_words, row.error_words, row.interval_words) for row in report.rows)
    head = (
        gettext("Ranked"),
        gettext("Mean rank"),
        gettext("Standard error"),
        gettext("Interval"),
    )
    return FigureTable(head, tuple(rows))
