"""estimates: every question as the dashboard shows it: the same reports, floors and intervals.

``tables`` are what the page prints, in English, to the digit; the other fields are the numbers that
they are printed from.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from surveys.models.queries import questionnaire_of
from surveys.programs.routing.problems import bad_parameter, not_possible_here
from surveys.programs.routing.routes import Call
from surveys.questionnaire.kinds.question import names_in_files
from surveys.questionnaire.kinds.registry import kind_name
from surveys.results.handover.report import folded_table, question_tables
from surveys.results.progress import progress_of
from surveys.results.queries import reading_now, response_count
from surveys.results.questions import (
    CountedReport,
    HiddenReport,
    LockedReport,
    PageReport,
    RatingReport,
    Report,
    TextReport,
    all_reports,
)
from surveys.results.reading import INTERVAL_NAMES, Reading, methods_for
from surveys.results.routes import Route
from surveys.results.rows.days import DayReport
from surveys.results.rows.numbers import NumberReport
from surveys.results.rows.ranks import RankReport
from surveys.results.rows.rounded import RoundedReport
from surveys.results.shares import ShareReport, ShareRow
from surveys.web.drawing.figures import FigureTable
from surveys.web.forms import LEVELS

# What is not estimated here, and what is shown of it.
STATES: dict[type, str] = {
    TextReport: "texts",
    LockedReport: "sealed_texts",
    RatingReport: "ratings",
    PageReport: "page",
    CountedReport: "counted",
    HiddenReport: "released_in_tables",
}


@dataclass(frozen=True)
class ReadingFacts:
    """How the intervals were made, as the dashboard reads them."""

    method: str
    method_name: str
    level: float


@dataclass(frozen=True)
class ShareEstimate:
    """The share of people with an answer; shown_ values are cut to 0 and 1, as pages show them."""

    answer: str
    reported: int | None
    of: int | None
    share: float | None
    standard_error: float | None
    low: float
    high: float
    shown_share: float | None
    shown_low: float
    shown_high: float


@dataclass(frozen=True)
class MeanEstimate:
    """A mean with its standard error and interval."""

    mean: float | None
    standard_error: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class NumberSummary:
    """How numbers that were asked directly are spread."""

    deviation: float | None
    smallest: float | None
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    largest: float | None


@dataclass(frozen=True)
class BinCount:
    """How many values lie between two numbers, or in a month or year."""

    label: str
    count: int


@dataclass(frozen=True)
class RankEstimate:
    """The mean rank of a thing, 1 being the first."""

    answer: str
    mean: float | None
    standard_error: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PrintedTable:
    """A table as the page prints it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class QuestionEstimates:
    """One question; nothing but its words where too few people were asked."""

    number: int
    name: str
    text: str
    kind: str
    is_randomized: bool
    state: str
    asked: str
    missing: str
    n: int | None
    not_asked: int | None
    declined: int | None
    shares: tuple[ShareEstimate, ...]
    mean: MeanEstimate | None
    numbers: NumberSummary | None
    bins: tuple[BinCount, ...]
    ranks: tuple[RankEstimate, ...]
    tables: tuple[PrintedTable, ...]


@dataclass(frozen=True)
class SurveyEstimates:
    """All questions of a survey, from the answers that were opened."""

    survey: UUID
    title: str
    responses: int
    is_being_opened: bool
    reading: ReadingFacts
    questions: tuple[QuestionEstimates, ...]


def estimates(call: Call, survey_id: UUID) -> SurveyEstimates:
    """The dashboard of a survey."""
    survey, revision = call.launched(survey_id)
    reading = _asked(call, reading_now(survey, revision))
    questionnaire = questionnaire_of(revision)
    names = names_in_files(questionnaire.items)
    reports = all_reports(revision, reading)
    return SurveyEstimates(
        survey.pk,
        questionnaire.title,
        response_count(revision),
        progress_of(survey, revision).is_opening,
        ReadingFacts(reading.method, reading.method_name, reading.stated),
        tuple(
            _question(report, route, name)
            for (report, route), name in zip(reports, names, strict=True)
        ),
    )


def _asked(call: Call, usual: Reading) -> Reading:
    """The reading that the address asks for; that of the page without one. Raises Problem."""
    method = call.query.get("method", usual.method)
    if method not in INTERVAL_NAMES:
        raise bad_parameter("method", f"Choose one of: {', '.join(INTERVAL_NAMES)}.")
    if method not in dict(methods_for(usual.looks)):
        remedy = "Choose another method: no openings were planned for this survey."
        raise not_possible_here("This survey has no such intervals", remedy)
    level = call.query.get("level", "95")
    if level not in dict(LEVELS):
        raise bad_parameter("level", f"Choose one of: {', '.join(dict(LEVELS))}.")
    return Reading.chosen({"method": method, "level": level}, usual.looks)


def _question(report: Report, route: Route, name: str) -> QuestionEstimates:
    shown = None if route.hides_estimates else report
    return QuestionEstimates(
        number=report.number,
        name=name,
        text=report.item.text,
        kind=kind_name(report.item),
        is_randomized=report.item.is_randomized,
        state=_state(report, route),
        asked=route.words,
        # How many are missing would say how few were asked.
        missing="" if shown is None else route.missing,
        n=_n(shown),
        not_asked=getattr(shown, "not_asked", None),
        declined=getattr(shown, "declined", None),
        shares=tuple(_shares(shown)),
        mean=_mean(shown),
        numbers=_numbers(shown),
        bins=_bins(shown),
        ranks=_ranks(shown),
        tables=tuple(map(_printed, _tables(shown))),
    )


def _state(report: Report, route: Route) -> str:
    if route.hides_estimates:
        return "too_few"
    if type(report) in STATES:
        return STATES[type(report)]
    return "estimated" if getattr(report, "n", 0) else "no_answers"


def _n(report: Report | None) -> int | None:
    """Of how many answers; of texts and ratings, how many there are."""
    match report:
        case TextReport():
            return report.written
        case RatingReport():
            return report.ratings
    return getattr(report, "n", None)


def _shares(report: Report | None) -> Iterator[ShareEstimate]:
    match report:
        case ShareReport():
            # Of parts each row is of the people of whom it was sent.
            sizes = dict(zip(map(id, report.rows), report.sizes, strict=True))
            yield from (_share(row, sizes.get(id(row))) for row in report.all_rows)
        case RoundedReport():
            yield from (_share(row, report.n) for row in report.special)


def _share(row: ShareRow, size: int | None) -> ShareEstimate:
    return ShareEstimate(
        row.label,
        row.reported,
        size,
        row.share,
        row.standard_error,
        row.interval.low,
        row.interval.high,
        row.shown_share,
        row.shown.low,
        row.shown.high,
    )


def _mean(report: Report | None) -> MeanEstimate | None:
    if not isinstance(report, NumberReport | RoundedReport) or report.mean is None:
        return None
    low, high = report.mean_interval or (None, None)
    return MeanEstimate(report.mean, report.standard_error, low, high)


def _numbers(report: Report | None) -> NumberSummary | None:
    if not isinstance(report, NumberReport) or report.mean is None:
        return None
    lower, median, upper = report.quartiles or (None, None, None)
    return NumberSummary(report.deviation, report.smallest, lower, median, upper, report.largest)


def _bins(report: Report | None) -> tuple[BinCount, ...]:
    if not isinstance(report, NumberReport | DayReport):
        return ()
    return tuple(BinCount(one.label, one.count) for one in report.bins)


def _ranks(report: Report | None) -> tuple[RankEstimate, ...]:
    if not isinstance(report, RankReport):
        return ()
    return tuple(
        RankEstimate(row.label, row.mean, row.standard_error, *(row.interval or (None, None)))
        for row in report.rows
    )


def _tables(report: Report | None) -> Iterator[FigureTable]:
    if report is None:
        return
    yield from question_tables(report)
    folded = folded_table(report)
    if folded:
        yield folded


def _printed(table: FigureTable) -> PrintedTable:
    return PrintedTable(
        tuple(map(str, table.head)), tuple(tuple(map(str, row)) for row in table.rows)
    )
