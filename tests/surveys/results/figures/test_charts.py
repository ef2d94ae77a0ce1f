"""Pictures: readable by machines and people, harmless, and drawn without the network."""

import re
import socket
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from surveys.models.queries import questionnaire_of
from surveys.randomized_response.intervals import Interval
from surveys.results.figures.charts import Bar, coefficients, shares
from surveys.results.figures.questions import question_figure
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.web.drawing import pictures
from surveys.web.drawing.pictures import GREY, LABEL_LINE, NARROW, ORANGE, ROW, WIDE


@pytest.fixture
def report(survey):
    def build(number: int, counts: dict[str, int], **reading):
        item = questionnaire_of(survey.revision).items[number - 1]
        return question_report(number, ItemCounts(item, Counter(counts)), Reading(**reading))

    return build


def drawn(chart) -> str:
    return pictures.svg(pictures.specification(chart))


def rows_of(chart) -> list[dict]:
    """The intervals that a chart draws."""
    (found,) = [
        layer["data"]["values"] for layer in chart["layer"] if layer["mark"]["type"] == "rule"
    ]
    return found


def svg(report, width: int = WIDE) -> str:
    return question_figure(report).svg(width)


def test_a_share_is_drawn_with_its_interval_and_the_share_of_reports(report):
    figure = question_figure(report(1, {"00": 60, "01": 40}))
    (row,) = rows_of(figure.chart(WIDE))
    (yes, _) = report(1, {"00": 60, "01": 40}).rows
    assert (row["value"], row["low"], row["high"]) == pytest.approx(
        (yes.share, yes.shown.low, yes.shown.high)
    )
    assert row["reported"] == 0.4
    assert "hollow diamond" in figure.units


def test_a_direct_question_has_no_other_share_of_reports(report):
    figure = question_figure(report(6, {"00": 60, "01": 30, "02": 10}))
    assert {row["reported"] for row in rows_of(figure.chart(WIDE))} == {None}
    assert "hollow" not in figure.units


def bars_of(chart) -> list[dict]:
    """The rows that a chart fills from 0 to their share."""
    return [
        row
        for layer in chart["layer"]
        if layer["mark"]["type"] == "bar"
        for row in layer["data"]["values"]
    ]


@pytest.mark.parametrize(
    ("number", "counts"), [(1, {"00": 60, "01": 40}), (6, {"00": 60, "01": 30, "02": 10})]
)
def test_shares_of_every_kind_of_question_are_bars_with_intervals(report, number, counts):
    figure = question_figure(report(number, counts))
    for width in (WIDE, NARROW):
        bars, intervals = bars_of(figure.chart(width)), rows_of(figure.chart(width))
        assert [row["value"] for row in bars] == [row["value"] for row in intervals]
        assert {row["start"] for row in bars} == {0.0}


def test_on_a_small_screen_a_bar_begins_below_its_label(report):
    chart = question_figure(report(6, {"00": 60, "01": 30, "02": 10})).chart(NARROW)
    marks = {layer["mark"]["type"]: layer["mark"] for layer in reversed(chart["layer"])}
    label = next(one["mark"] for one in chart["layer"] if one["mark"].get("align") == "left")
    middle_of_letters = label["dy"] + 13 / 2
    assert marks["bar"]["height"] / 2 <= -middle_of_letters


def test_the_value_of_a_share_that_says_too_little_is_not_bold(report):
    few, many = svg(report(1, {"00": 3, "01": 2})), svg(report(1, {"00": 500, "01": 400}))
    assert 'font-weight="bold"' not in few
    assert 'font-weight="bold"' in many


def test_a_histogram_has_a_bar_for_each_bin_and_marks_the_quartiles(report):
    ages = report(7, {"018": 3, "077": 4, "050": 1})
    bars, half, median = question_figure(ages).chart(WIDE)["layer"]
    values = bars["data"]["values"]
    assert [value["count"] for value in values] == [one.count for one in ages.bins]
    (marked,) = half["data"]["values"]
    assert tuple(marked.values()) == ages.quartiles
    assert median["encoding"]["x"]["field"] == "median"


def test_nothing_is_fetched_while_drawing(report, monkeypatch):
    def refuse(*args):
        raise AssertionError(f"a connection was opened to {args}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert svg(report(1, {"00": 7, "01": 13}))


def test_a_cut_end_is_marked_and_others_are_not(report):
    cut = svg(report(1, {"00": 100, "01": 1}))
    whole = svg(report(1, {"00": 500, "01": 500}))
    assert ORANGE in cut
    assert ORANGE not in whole


def test_an_interval_beyond_the_axis_is_still_drawn_on_it():
    bar = Bar("Yes", 0.0, 0.0, 0.0, "0.0 %", cut_low=True)
    assert ET.fromstring(drawn(shares((bar,), WIDE))) is not None
    assert Interval(-0.4, -0.1, 0.95, "wald").clipped().high == 0


@pytest.mark.parametrize(
    "label",
    [
        "<script>alert(1)</script>",
        "&amp;\"'",
        "a\x0bb\x1f",
        "😀" * 90,
        "عربي",
        "x" * 500,
        "datum.x",
    ],
)
def test_any_label_can_be_drawn(label):
    for width in (WIDE, NARROW):
        picture = drawn(shares((Bar(label, 0.5, 0.4, 0.6, ""),), width))
        ET.fromstring(picture)
        assert "<script" not in picture


def test_the_same_numbers_are_drawn_once(report):
    pictures.rendered.cache_clear()
    for _ in range(3):
        svg(report(1, {"00": 71, "01": 29}))
    assert pictures.rendered.cache_info().misses == 1


def test_a_value_stands_where_neither_its_interval_nor_the_reports_are():
    def side(low: float, high: float, reported: float | None = None, **marks: float) -> str:
        bar = Bar("Yes", (low + high) / 2, low, high, "50 %", reported=reported, **marks)
        return rows_of(shares((bar,), WIDE))[0]["side"]

    assert side(0.4, 0.6) == "after"
    assert side(0.4, 0.6, reported=0.65) == "before"
    assert side(0.8, 0.95) == "before"
    assert side(0.05, 0.95) == "above"
    assert side(0.05, 0.4, reported=0.45) == "after"
    assert side(0.4, 0.6, earlier=0.65) == "before"
    assert side(0.05, 0.4, reported=0.45, earlier=0.55) == "above"
    bar = Bar("Yes", 0.2, 0.0, 0.4, "20 %", reported=0.45)
    assert rows_of(shares((bar,), NARROW))[0]["after"] == 0.45, "after the reports"


def test_a_question_without_answers_has_an_empty_picture(report):
    ET.fromstring(svg(report(1, {})))
    ET.fromstring(svg(report(7, {})))


def test_the_line_at_zero_leaves_every_label_of_a_regression_free():
    rows = tuple(Bar(f"Age {n}", n - 0.2, n - 1.0, n + 0.5, "0.8") for n in range(4))
    for width in (WIDE, NARROW):
        root = ET.fromstring(drawn(coefficients(rows, "logit", width)))
        labels = [_top(one) for one in root.iter() if "Age" in (one.text or "")]
        pieces = [one for one in root.iter() if one.get("fill") == GREY and one.get("d")]
        assert (len(labels), len(pieces)) == (4, 4)
        for label, piece in zip(sorted(labels), pieces, strict=True):
            height = float(re.search(r"v([0-9.]+)", piece.get("d"))[1])
            top = _top(piece)
            assert label < top, "a label stands above its interval's piece"
            assert top + height <= label + ROW - 11, "and the piece ends above the next label"


LONG = "How often have you, within the last twelve months, slept badly because of your work?: Daily"


@pytest.mark.parametrize(("width", "lines"), [(WIDE, 2), (NARROW, 4)])
def test_a_coefficients_label_is_drawn_whole_in_as_many_lines_as_it_needs(width, lines):
    chart = coefficients(
        (Bar(LONG, 0.1, -1.0, 1.2, "0.1"), Bar("Age", 0, -1, 1, "0")), "logit", width
    )
    rows = rows_of(chart)
    assert " ".join(rows[0]["lines"]).split() == f"{LONG} 0.1".split()
    assert len(rows[0]["lines"]) == lines
    texts = "".join(ET.fromstring(drawn(chart)).itertext())
    assert all(line in texts for row in rows for line in row["lines"])


def test_a_label_of_several_lines_stands_above_its_interval_and_below_the_one_before():
    rows = tuple(Bar(f"{LONG} {n}", n, n - 1.0, n + 0.5, "0.8") for n in range(3))
    root = ET.fromstring(drawn(coefficients(rows, "logit", NARROW)))
    texts = [one for one in root.iter() if one.tag.endswith("}text")]
    labels = sorted(_top(one) for one in texts if "How often" in "".join(one.itertext()))
    pieces = sorted(_top(one) for one in root.iter() if one.get("fill") == GREY and one.get("d"))
    assert len(labels) == len(pieces) == 3
    for label, piece in zip(labels, pieces, strict=True):
        assert piece > label + 3 * LABEL_LINE
    assert all(piece < label for piece, label in zip(pieces, labels[1:], strict=False))


def _top(element: ET.Element) -> float:
    """The distance from the plot's top, as the drawing itself states it."""
    found = re.search(r"translate\([-0-9.]+,([-0-9.]+)\)", element.get("transform") or "")
    path = re.match(r"M[-0-9.]+,([-0-9.]+)", element.get("d") or "")
    return float(found[1] if found else 0) + float(path[1] if path else 0)
