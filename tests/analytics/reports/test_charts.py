"""Charts of comparisons and trees show whole labels at every width, in the room kept for them."""

import re
from html import unescape

import pytest

from analytics.reports import charts
from surveys.web.drawing.pictures import BROAD, NARROW, WIDE, specification, svg
from surveys.web.drawing.vega import height_of

GROUPS = ("Women aged 35 to 54 who live in a rural municipality of the north", "Men", "O'Neill's")
LEVELS = (
    "Never in my life so far",
    "Less than once a month",
    "About once or twice every month",
    "Every day or almost every day",
)
STEPS = tuple((group, float(at), (at + 1) / 4) for group in GROUPS for at, _ in enumerate(LEVELS))
TICKS = tuple((float(at), level) for at, level in enumerate(LEVELS))
CELLS = tuple((one, other, 0.0625) for one in LEVELS for other in LEVELS)
QUESTION = "Have you ever taken money or goods from your employer without asking anybody?"
NODES = (
    (0, "", QUESTION, False),
    (1, LEVELS[0], "Yes: 34 % (about 120 people)", True),
    (1, f"{LEVELS[1]} or {LEVELS[2]}", "How often do you attend a religious service?", False),
    (2, "Every week", "Yes: 12 % (about 300 people)", True),
    (2, LEVELS[3], "Yes: 22 % (about 80 people)", True),
)
PAIR = f"{GROUPS[0]} – {GROUPS[1]}"
DRAWN = {
    "by answers": (lambda width: charts.cumulative(STEPS, TICKS, width), (*GROUPS, *LEVELS)),
    "over numbers": (lambda width: charts.cumulative(STEPS, (), width), GROUPS),
    "plan": (lambda width: charts.plan(CELLS, LEVELS, width), LEVELS),
    "distances": (lambda width: charts.distances(((PAIR, 0.3, 0.1),), width), (PAIR,)),
    "tree": (
        lambda width: charts.tree(NODES, width),
        [label for _, answer, words, _ in NODES for label in (answer, words)],
    ),
}
each_chart = pytest.mark.parametrize("name", DRAWN)
each_width = pytest.mark.parametrize("width", [NARROW, WIDE, BROAD])


def size_of(drawn: str) -> tuple[float, float]:
    width, height = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', drawn).groups()
    return float(width), float(height)


@each_chart
@each_width
def test_every_label_is_whole(name, width):
    chart, labels = DRAWN[name]
    lines = re.findall(r"<(?:text|tspan)[^>]*>([^<]+)<", svg(specification(chart(width))))
    text = unescape(" ".join(lines))
    assert "…" not in text
    assert all(label in text for label in labels)


@each_chart
@each_width
def test_a_chart_has_the_size_that_its_page_keeps_for_it(name, width):
    chart, _ = DRAWN[name]
    drawn_width, drawn_height = size_of(svg(specification(chart(width))))
    assert drawn_width <= width + 2
    assert drawn_height == pytest.approx(height_of(chart(width)), abs=6)


def test_an_average_between_two_answers_counts_from_the_next_one():
    steps = (("Average", 0.5, 0.4), ("Average", 1.0, 1.0))
    marks = [
        layer["data"]["values"]
        for layer in charts.cumulative(steps, TICKS[:2], WIDE)["vconcat"][1]["layer"]
        if layer["mark"]["type"] == "point"
    ]
    assert [row["share"] for row in marks[0]] == [0.0, 1.0]


def test_a_tree_without_a_question_is_one_leaf():
    chart = charts.tree(((0, "", "Yes: 34 %", True),), WIDE)
    assert "Yes: 34 %" in svg(specification(chart))
