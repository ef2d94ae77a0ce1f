"""Charts of the planner: people needed by error and method, and the price of each epsilon."""

from functools import partial
from typing import Any

from django.utils.translation import gettext

from surveys.planning.plans import METHOD_NAMES, CurvePoint, PlanReport
from surveys.web.drawing.figures import Figure
from surveys.web.drawing.pictures import BLUE, GREY, INK, NARROW
from surveys.web.drawing.vega import Document, Marks, either, field, layered
from surveys.wording.language.messages import translated

CURVE_MARKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
LOG = {"type": "log"}
MARGIN = 90  # what the axis of people and its title take


def curve_figure(report: PlanReport) -> Figure:
    """How many people each error needs, one line for each method."""
    draw = partial(plan_curve, report.curve, report.request.leading)
    units = gettext("People needed for estimates about {whose}. Both axes are logarithmic.").format(
        whose=report.meaning_words
    )
    return Figure("errors", gettext("What a smaller error costs"), report.summary, draw, units)


def price_figure(report: PlanReport) -> Figure:
    """How many people each epsilon needs."""
    points = tuple((r.point.epsilon, r.point.n) for r in report.extras.price if r.point.n)
    draw = partial(price_curve, points)
    units = gettext("People needed with k-ary response, for estimates about {whose}.").format(
        whose=report.meaning_words
    )
    title = gettext("The price of privacy")
    return Figure("price", title, report.extras.price_words, draw, units)


def plan_curve(points: tuple[CurvePoint, ...], chosen: str, width: int) -> Document:
    """How many people each error needs, one line for each method."""
    values: list[dict[str, Any]] = [
        {
            "error": 100 * point.error,
            "n": n,
            "method": translated(METHOD_NAMES[method]),
            "on": method == chosen,
            "asked": point.is_chosen and method == chosen,
        }
        for point in points
        for method, n in point.sizes
        if n is not None
    ]
    x, y = _curve_axes([value["error"] for value in values], points[0].unit)
    lines = Marks(
        values,
        "line",
        {},
        x=x,
        y=y,
        strokeDash=field(
            "method:N",
            title=None,
            sort=[translated(METHOD_NAMES[method]) for method, _ in points[0].sizes],
            legend={
                "orient": "top",
                "columns": 1 if width == NARROW else 2,
                "symbolSize": 300,
                "labelLimit": 200,
            },
        ),
        color=either("datum.on", BLUE, GREY),
        strokeWidth=either("datum.on", 3, 1.5),
        detail="on:N",
    )
    dot = {"filled": True, "size": 110, "color": BLUE, "opacity": 1}
    words = {"align": "left", "dx": 8, "dy": -10, "color": INK, "fontWeight": "bold"}
    mark = Marks(values, "point", dot, only="datum.asked", x=x, y=y)
    number = Marks(
        values,
        "text",
        {**words, "fontSize": 13},
        only="datum.asked",
        x=x,
        y=y,
        text=field("n:Q", format=",d"),
    )
    return layered([lines, mark, number], width - MARGIN, 260)


def price_curve(points: tuple[tuple[float, int], ...], width: int) -> Document:
    """How many people each epsilon needs."""
    values = [{"epsilon": epsilon, "n": n} for epsilon, n in points]
    look = {"color": BLUE, "strokeWidth": 3, "point": {"color": BLUE, "size": 60}}
    people = {"title": gettext("People"), "scale": LOG, "axis": {"format": ",d", "tickCount": 5}}
    line = Marks(
        values,
        "line",
        look,
        x=field("epsilon:Q", title=gettext("Epsilon")),
        y=field("n:Q", **people),
    )
    return layered([line], width - MARGIN, 260)


def _curve_axes(errors: list[float], unit: str) -> tuple[Document, Document]:
    ends = {**LOG, "domain": [min(errors), max(errors)], "nice": False}
    seen = [mark for mark in CURVE_MARKS if min(errors) <= mark <= max(errors)]
    powers = [10.0**power for power in range(10)]
    title = gettext("Error, in {unit}").format(unit=unit)
    x = field("error:Q", title=title, scale=ends, axis={"format": "~g", "values": seen})
    y = field("n:Q", title=gettext("People"), scale=LOG, axis={"format": "~s", "values": powers})
    return x, y
