"""question_figure: the one picture of a question's results, with its words; None where none is."""

from collections.abc import Callable
from functools import partial
from typing import Any

from surveys.results.figures import charts
from surveys.results.figures.marks import Bar, Column
from surveys.results.questions import Report
from surveys.results.reading import Reading
from surveys.results.rows.days import DayReport
from surveys.results.rows.numbers import NumberReport
from surveys.results.rows.ranks import RankReport, RankRow
from surveys.results.rows.rounded import RoundedReport
from surveys.results.shares import ShareReport, ShareRow
from surveys.web.drawing.figures import Figure

REPORTED = "; hollow diamond: share of reports, truth and chance mixed"


def question_figure(report: Report) -> Figure | None:
    """A question's picture, without its source. Texts, ratings and pages have none."""
    match report:
        case ShareReport() if report.asked_words and not report.all_rows:
            return None
        case ShareReport():
            return _share_figure(report)
        case NumberReport():
            return _number_figure(report)
        case DayReport():
            return _day_figure(report)
        case RankReport() if report.rows:
            return _rank_figure(report)
        case RoundedReport() if report.mean_interval:
            return _mean_figure(report)
    return None


def _share_figure(report: ShareReport) -> Figure:
    sizes = dict(zip(report.rows, report.sizes, strict=True))
    bars = tuple(_bar(row, report, sizes.get(row)) for row in report.drawn_rows)
    reported = REPORTED if any(bar.reported is not None for bar in bars) else ""
    reading = report.reading
    people = f"{report.n_words} people" if report.rows else "people who were asked"
    units = f"Share of {people}, {reading.level_name} intervals{reported}."
    chart = partial(charts.shares, bars, report.is_ordered)
    return _figure(report, report.summary, units, chart, _by(reading))


def _bar(row: ShareRow, report: ShareReport, size: int | None) -> Bar:
    is_mixed = report.item.is_randomized and row.reported is not None and size
    return Bar(
        row.label,
        row.shown_share,
        row.shown.low,
        row.shown.high,
        row.estimate_words,
        cut_low=row.interval.low < 0,
        cut_high=row.interval.high > 1,
        reported=(row.reported or 0) / size if is_mixed and size else None,
    )


def _number_figure(report: NumberReport) -> Figure:
    units = f"{report.n:,} answers; above: median (diamond), middle half (line)."
    chart = partial(charts.histogram, _columns(report), report.quartiles)
    return _figure(report, report.summary, units, chart)


def _day_figure(report: DayReport) -> Figure:
    chart = partial(charts.periods, _columns(report))
    return _figure(report, report.summary, f"{report.n:,} answers.", chart)


def _columns(report: NumberReport | DayReport) -> tuple[Column, ...]:
    return tuple(Column(bar.label, bar.low, bar.high, bar.count) for bar in report.bins)


def _rank_figure(report: RankReport) -> Figure:
    ends = (1.0, float(max(len(report.rows), 2)))
    bars = tuple(_rank_bar(row, ends) for row in report.rows if row.mean is not None)
    words = "; ".join(f"{row.label} {row.mean_words} ({row.interval_words})" for row in report.rows)
    level = report.reading.level_name
    units = f"Mean rank in {report.n:,} answers, 1 is the first; {level} intervals."
    chart = partial(charts.means, bars, ends, "Mean rank")
    method = f"Intervals by {report.method_name}."
    return _figure(report, f"Mean ranks: {words}.", units, chart, method)


def _rank_bar(row: RankRow, ends: tuple[float, float]) -> Bar:
    mean = row.mean or 0.0
    return Bar(row.label, *_within((mean, *(row.interval or (mean, mean))), ends), row.mean_words)


def _mean_figure(report: RoundedReport) -> Figure:
    number, reading = report.item.number, report.reading
    ends = (float(number.minimum), float(number.maximum))
    low, high = report.mean_interval or ends
    bar = Bar("Mean", *_within((report.mean or 0.0, low, high), ends), report.mean_words)
    units = f"Mean of {report.n:,} people, {reading.level_name} interval."
    words = (
        f"Estimated mean {report.mean_words} ({report.interval_words}), "
        f"where answers lie from {ends[0]:g} to {ends[1]:g}."
    )
    return _figure(report, words, units, partial(charts.means, (bar,), ends, ""), _by(reading))


def _within(
    marks: tuple[float, float, float], ends: tuple[float, float]
) -> tuple[float, float, float]:
    """A value and its interval, cut to the ends of the axis."""
    value, low, high = (min(max(mark, ends[0]), ends[1]) for mark in marks)
    return value, low, high


def _by(reading: Reading) -> str:
    return f"Intervals by {reading.method_name}."


def _figure(
    report: Report, words: str, units: str, chart: Callable[[int], Any], method: str = ""
) -> Figure:
    return Figure(f"question-{report.number}", report.item.text, words, chart, units, method)
