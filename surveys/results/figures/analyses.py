"""The pictures of analyses: one answer's shares in all groups, the coefficients of a model."""

from functools import partial

from surveys.results.analyses.breakdowns import AnswerFindings, Breakdown
from surveys.results.analyses.regressions import RegressionReport
from surveys.results.figures import charts
from surveys.results.figures.marks import Bar
from surveys.web.drawing.figures import Figure


def group_figure(report: Breakdown, answer: AnswerFindings) -> Figure:
    """One answer's share in every group that can be told, as points on their intervals."""
    found = [(finding, finding.interval) for finding in answer.shares if finding.interval]
    bars = tuple(Bar(f.group, f.value, i.low, i.high, f.value_words) for f, i in found)
    reading = report.reading
    return Figure(
        f"groups-{answer.place}",
        f"“{report.item.text}”: {answer.label}, by {report.by_words}",
        answer.summary,
        partial(charts.shares, bars, False),
        "Estimated share in each group, with intervals.",
        f"Intervals by {reading.method_name}. {report.correction_words}",
    )


def coefficient_figure(report: RegressionReport) -> Figure:
    """Coefficients as points on their intervals, with a line at 0: no difference."""
    bars = tuple(Bar(r.name, r.value, r.low, r.high, r.value_words) for r in report.drawn_rows)
    level = report.choice.reading.level_name
    return Figure(
        "regression",
        report.outcome,
        report.summary,
        partial(charts.coefficients, bars, report.choice.link),
        f"Coefficients of {report.n:,} people with {level} intervals (Wald).",
    )
