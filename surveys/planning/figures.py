"""The pictures of the planner: people needed by error and method, and the price of each epsilon."""

from typing import Any

from surveys.planning.plans import PlanReport
from surveys.web.figures import Figure


def curve_figure(report: PlanReport) -> Figure:
    """How many people each error needs, one line for each method."""

    def draw(width: int) -> Any:
        # Altair takes a third of a second to load: only who draws loads it.
        from surveys.planning.charts import plan_curve

        return plan_curve(report.curve, report.question.method, width)

    units = f"People needed, for {report.question.meaning.value}; both axes are logarithmic."
    return Figure("errors", "What a smaller error costs", report.summary, draw, units)


def price_figure(report: PlanReport) -> Figure:
    """How many people each epsilon needs."""
    points = tuple((r.point.epsilon, r.point.n) for r in report.extras.price if r.point.n)

    def draw(width: int) -> Any:
        # Altair takes a third of a second to load: only who draws loads it.
        from surveys.planning.charts import price_curve

        return price_curve(points, width)

    units = f"People needed by k-ary response, for {report.question.meaning.value}."
    return Figure("price", "The price of privacy", report.extras.price_words, draw, units)
