"""Charts of the planner: people needed by error and method, and the price of each epsilon."""

from functools import lru_cache
from typing import Any

import altair as alt

from surveys.planning.plans import PLANNING_NAMES, CurvePoint
from surveys.randomized_response.planning import PLANNING_METHODS
from surveys.web.figures import NARROW
from surveys.web.pictures import BLUE, GREY, INK, data_of

CURVE_MARKS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MARGIN = 90  # what the axis of people and its title take


@lru_cache(maxsize=64)
def plan_curve(points: tuple[CurvePoint, ...], chosen: str, width: int) -> Any:
    """How many people each error needs, one line for each method."""
    values: list[dict[str, Any]] = [
        {
            "error": point.error,
            "n": n,
            "method": PLANNING_NAMES[method],
            "on": method == chosen,
            "asked": point.is_chosen and method == chosen,
        }
        for point in points
        for method, n in point.sizes
        if n is not None
    ]
    x, y = _curve_axes([value["error"] for value in values])
    base = alt.Chart(data_of(values))
    lines = base.mark_line().encode(
        x=x,
        y=y,
        strokeDash=alt.StrokeDash(
            "method:N",
            title=None,
            sort=[PLANNING_NAMES[method] for method in PLANNING_METHODS],
            legend=alt.Legend(
                orient="top", columns=1 if width == NARROW else 2, symbolSize=300, labelLimit=200
            ),
        ),
        color=alt.condition("datum.on", alt.value(BLUE), alt.value(GREY)),
        strokeWidth=alt.condition("datum.on", alt.value(3), alt.value(1.5)),
        detail="on:N",
    )
    mark = (
        base.transform_filter("datum.asked")
        .mark_point(filled=True, size=110, color=BLUE, opacity=1)
        .encode(x=x, y=y)
    )
    number = (
        base.transform_filter("datum.asked")
        .mark_text(align="left", dx=8, dy=-10, color=INK, fontWeight="bold", fontSize=13)
        .encode(x=x, y=y, text=alt.Text("n:Q", format=",d"))
    )
    return (lines + mark + number).properties(width=width - MARGIN, height=260)


@lru_cache(maxsize=64)
def price_curve(points: tuple[tuple[float, int], ...], width: int) -> Any:
    """How many people each epsilon needs."""
    base = alt.Chart(data_of([{"epsilon": epsilon, "n": n} for epsilon, n in points]))
    people = alt.Y(
        "n:Q",
        title="People",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format=",d", tickCount=5),
    )
    line = base.mark_line(color=BLUE, strokeWidth=3, point={"color": BLUE, "size": 60})
    line = line.encode(x=alt.X("epsilon:Q", title="Epsilon"), y=people)
    return line.properties(width=width - MARGIN, height=260)


def _curve_axes(errors: list[float]) -> tuple[alt.X, alt.Y]:
    ends = alt.Scale(type="log", domain=[min(errors), max(errors)], nice=False)
    marks = [mark for mark in CURVE_MARKS if min(errors) <= mark <= max(errors)]
    powers = [10.0**power for power in range(10)]
    x = alt.X("error:Q", title="Error", scale=ends, axis=alt.Axis(format="~%", values=marks))
    y = alt.Y(
        "n:Q",
        title="People",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~s", values=powers),
    )
    return x, y
