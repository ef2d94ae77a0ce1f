"""question_figure: the one picture of a question's results, with its words; None where none is."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext

from surveys.results.figures import charts
from surveys.results.figures.charts import Bar, HistogramBin
from surveys.results.questions import Report
from surveys.results.reading import Reading, with_interval
from surveys.results.rows.days import DayReport
from surveys.results.rows.numbers import NumberReport
from surveys.results.rows.ranks import MeanRank, RankReport
from surveys.results.rows.rounded import RoundedReport
from surveys.results.shares import ShareReport, ShareRow
from surveys.web.drawing.figures import Figure
from surveys.wording.language.numbers import count_words, localized

REPORTED = gettext_lazy("hollow diamond: reported answers (truth mixed with chance)")
PLANNED = gettext_lazy("brackets: planned interval")
EARLIER = gettext_lazy("hollow square: earlier survey, {survey}")
MOST_WORDED, FIRST_WORDED = 5, 3  # shares in a picture's words: of more than 5 the largest 3


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
    reading = report.reading
    words = gettext("Share of people who were asked, {level} intervals")
    if report.rows:
        words = gettext("Share of {n} people, {level} intervals")
    share = words.format(n=report.n_words, level=reading.level_name)
    units = f"{'; '.join((share, *_marks(report, bars)))}."
    chart = partial(charts.shares, bars)
    return _figure(report, share_words(report), units, chart, _by(reading))


def share_words(report: ShareReport) -> str:
    """The picture in words: its largest shares, and where the others are."""
    rows = worded_rows(report.drawn_rows)
    parts = (
        f"{row.label} {with_interval(row.estimate_words, row.low_words, row.high_words)}"
        for row in rows
    )
    largest = gettext("Estimated shares with {level} intervals: {shares}.").format(
        level=report.reading.level_name, shares="; ".join(parts)
    )
    left = len(report.drawn_rows) - len(rows)
    words = ngettext(
        "The table also shows {count} smaller share.",
        "The table also shows {count} smaller shares.",
        left,
    )
    others = (words.format(count=count_words(left)),) if left else ()
    return " ".join((largest, *_beside(report, rows), *others))


def worded_rows(rows: tuple[ShareRow, ...]) -> tuple[ShareRow, ...]:
    """What the words of a picture name, in its order: all of a few rows, the largest of many.

    A text alternative is read out from start to end; the table beside it has every number.
    """
    if len(rows) <= MOST_WORDED:
        return rows
    largest = sorted(range(len(rows)), key=lambda index: -(rows[index].share or 0.0))
    return tuple(rows[index] for index in sorted(largest[:FIRST_WORDED]))


def _beside(report: ShareReport, rows: tuple[ShareRow, ...]) -> Iterator[str]:
    """What stands beside the estimates of a picture, in words."""
    planned = [f"{r.label} {r.planned_words}" for r in rows if r.planned]
    if planned:
        yield gettext("Intervals expected from {count} planned responses: {shares}.").format(
            count=count_words(report.planned), shares="; ".join(planned)
        )
    earlier = [f"{r.label} {r.earlier_words}" for r in rows if r.earlier]
    if earlier:
        yield gettext("Earlier survey, {survey}: {shares}.").format(
            survey=report.earlier, shares="; ".join(earlier)
        )


def _marks(report: ShareReport, bars: tuple[Bar, ...]) -> Iterator[str]:
    """What the marks are that estimates are compared with, if there are any."""
    if any(bar.reported is not None for bar in bars):
        yield str(REPORTED)
    if any(bar.planned for bar in bars):
        yield str(PLANNED)
    if any(bar.earlier is not None for bar in bars):
        yield str(EARLIER).format(survey=report.earlier)


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
        is_too_wide=row.is_too_wide,
        reported=(row.reported or 0) / size if is_mixed and size else None,
        planned=(row.planned.low, row.planned.high) if row.planned else None,
        earlier=row.earlier.shown_share if row.earlier else None,
    )


def _number_figure(report: NumberReport) -> Figure:
    units = gettext("{n} answers. At the top: median (diamond), middle half (line).").format(
        n=count_words(report.n)
    )
    chart = partial(charts.histogram, _columns(report), report.quartiles)
    return _figure(report, report.summary, units, chart)


def _day_figure(report: DayReport) -> Figure:
    chart = partial(charts.periods, _columns(report))
    units = gettext("{n} answers.").format(n=count_words(report.n))
    return _figure(report, report.summary, units, chart)


def _columns(report: NumberReport | DayReport) -> tuple[HistogramBin, ...]:
    return tuple(HistogramBin(bar.label, bar.low, bar.high, bar.count) for bar in report.bins)


def _rank_figure(report: RankReport) -> Figure:
    ends = (1.0, float(max(len(report.rows), 2)))
    bars = tuple(_rank_bar(row, ends) for row in report.rows if row.mean is not None)
    words = "; ".join(f"{row.label} {row.mean_words} ({row.interval_words})" for row in report.rows)
    units = gettext("Mean rank in {n} answers, with {level} intervals. Rank 1 is first.").format(
        n=count_words(report.n), level=report.reading.level_name
    )
    chart = partial(charts.means, bars, ends, gettext("Mean rank"))
    method = gettext("Method of the intervals: {method}.").format(method=report.method_name)
    summary = gettext("Mean ranks: {ranks}.").format(ranks=words)
    return _figure(report, summary, units, chart, method)


def _rank_bar(row: MeanRank, ends: tuple[float, float]) -> Bar:
    mean = row.mean or 0.0
    return Bar(row.label, *_within((mean, *(row.interval or (mean, mean))), ends), row.mean_words)


def _mean_figure(report: RoundedReport) -> Figure:
    number, reading = report.item.number, report.reading
    ends = (float(number.minimum), float(number.maximum))
    low, high = report.mean_interval or ends
    bar = Bar(gettext("Mean"), *_within((report.mean or 0.0, low, high), ends), report.mean_words)
    units = gettext("Mean of {n} people, {level} interval.")
    if report.special:
        units = gettext(
            "Mean of people who gave a number, among {n} people, with {level} interval."
        )
    units = units.format(n=count_words(report.n), level=reading.level_name)
    words = gettext(
        "Estimated mean {mean} ({interval}). Possible answers are numbers from {least} to {most}."
    ).format(
        mean=report.mean_words,
        interval=report.interval_words,
        least=localized(f"{ends[0]:g}"),
        most=localized(f"{ends[1]:g}"),
    )
    return _figure(report, words, units, partial(charts.means, (bar,), ends, ""), _by(reading))


def _within(
    marks: tuple[float, float, float], ends: tuple[float, float]
) -> tuple[float, float, float]:
    """A value and its interval, cut to the ends of the axis."""
    value, low, high = (min(max(mark, ends[0]), ends[1]) for mark in marks)
    return value, low, high


def _by(reading: Reading) -> str:
    return gettext("Method of the intervals: {method}.").format(method=reading.method_name)


def _figure(
    report: Report, words: str, units: str, chart: Callable[[int], Any], method: str = ""
) -> Figure:
    return Figure(f"question-{report.number}", report.item.text, words, chart, units, method)
