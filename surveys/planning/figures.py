"""The pictures of the planner: people needed by error and method, and the price of each epsilon."""

from functools import partial

from django.utils.translation import gettext

from surveys.planning.charts import plan_curve, price_curve
from surveys.planning.plans import PlanReport
from surveys.web.drawing.figures import Figure


def curve_figure(report: PlanReport) -> Figure:
    """How many people each error needs, one line for each method."""

    draw = partial(plan_curve, report.curve, report.question.leading)
    units = gettext("People needed, for {whose}; both axes are logarithmic.").format(
        whose=report.meaning_words
    )
    return Figure("errors", gettext("What a smaller error costs"), report.summary, draw, units)


def price_figure(report: PlanReport) -> Figure:
    """How many people each epsilon needs."""
    points = tuple((r.point.epsilon, r.point.n) for r in report.extras.price if r.point.n)
    draw = partial(price_curve, points)
    units = gettext("People needed by k-ary response, for {whose}.").format(
        whose=report.meaning_words
    )
    title = gettext("The price of privacy")
    return Figure("price", title, report.extras.price_words, draw, units)
