"""The pictures of analyses: one answer's shares in all groups, the coefficients of a model."""

from functools import partial

from django.utils.translation import gettext

from surveys.results.analyses.breakdowns import AnswerFindings, Breakdown
from surveys.results.analyses.regressions import RegressionReport
from surveys.results.figures import charts
from surveys.results.figures.marks import Bar
from surveys.web.drawing.figures import Figure
from surveys.wording.language.numbers import count_words


def group_figure(report: Breakdown, answer: AnswerFindings) -> Figure:
    """One answer's share in every group that can be told, as points on their intervals."""
    found = [(finding, finding.interval) for finding in answer.shares if finding.interval]
    bars = tuple(Bar(f.group, f.value, i.low, i.high, f.value_words) for f, i in found)
    method = gettext("Intervals by {method}.").format(method=report.reading.method_name)
    return Figure(
        f"groups-{answer.place}",
        gettext("“{question}”: {answer}, by {groups}").format(
            question=report.item.text, answer=answer.label, groups=report.by_words
        ),
        answer.summary,
        partial(charts.shares, bars, False),
        gettext("Estimated share in each group, with intervals."),
        f"{method} {report.correction_words}",
    )


def coefficient_figure(report: RegressionReport) -> Figure:
    """Coefficients as points on their intervals, with a line at 0: no difference."""
    bars = tuple(Bar(r.name, r.value, r.low, r.high, r.value_words) for r in report.drawn_rows)
    return Figure(
        "regression",
        report.outcome,
        report.summary,
        partial(charts.coefficients, bars, report.choice.link),
        gettext("Coefficients of {n} people with {level} intervals (Wald).").format(
            n=count_words(report.n), level=report.choice.reading.level_name
        ),
    )
