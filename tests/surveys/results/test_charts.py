"""Pictures: readable by machines and people, harmless, and drawn without the network."""

import re
import socket
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from surveys.models.queries import questionnaire_of
from surveys.planning.charts import plan_curve
from surveys.planning.forms import PlanForm
from surveys.randomized_response.intervals import Interval
from surveys.results.charts import (
    Bar,
    _coefficient_svg,
    _interval_svg,
    histogram,
    interval_chart,
)
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.web.pictures import GREY, ORANGE, ROW
from surveys.web.responses import NARROW, WIDE


@pytest.fixture
def report(survey):
    def build(number: int, counts: dict[str, int], **reading):
        item = questionnaire_of(survey.revision).items[number - 1]
        return question_report(number, ItemCounts(item, Counter(counts)), Reading(**reading))

    return build


def pictures(report) -> list[str]:
    form = PlanForm.from_query({})
    assert form.is_valid()
    return [
        draw(width)
        for width in (WIDE, NARROW)
        for draw in (
            lambda w: interval_chart(report(2, {"00": 60, "01": 30, "02": 10}), w),
            lambda w: histogram(report(7, {"018": 3, "077": 4}), w),
            lambda w: plan_curve(form.report, w),
        )
    ]


def test_pictures_are_whole_svg_without_scripts_styles_or_addresses(report):
    for svg in pictures(report):
        root = ET.fromstring(svg)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        for element in root.iter():
            assert element.tag.rpartition("}")[2] not in {"script", "style", "image", "a", "use"}
            assert not {"style", "href"} & {name.rpartition("}")[2] for name in element.attrib}


def test_pictures_have_a_white_ground_so_that_dark_pages_can_show_them(report):
    assert all('fill="white"' in svg for svg in pictures(report))


def test_a_narrow_picture_fits_a_small_screen(report):
    widths = [int(ET.fromstring(svg).attrib["width"]) for svg in pictures(report)]
    assert max(widths[3:]) <= 360
    assert max(widths[3:]) < min(widths[0], widths[2])


def test_nothing_is_fetched_while_drawing(report, monkeypatch):
    def refuse(*args):
        raise AssertionError(f"a connection was opened to {args}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert interval_chart(report(1, {"00": 7, "01": 13}))


def test_a_cut_end_is_marked_and_others_are_not(report):
    cut = interval_chart(report(1, {"00": 100, "01": 1}))
    whole = interval_chart(report(1, {"00": 500, "01": 500}))
    assert ORANGE in cut
    assert ORANGE not in whole


def test_an_interval_beyond_the_axis_is_still_drawn_on_it():
    bar = Bar("Yes", 0.0, 0.0, 0.0, True, False, "0.0 %")
    assert ET.fromstring(_interval_svg((bar,), WIDE)) is not None
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
    svg = _interval_svg((Bar(label, 0.5, 0.4, 0.6, False, False, ""),), NARROW)
    ET.fromstring(svg)
    assert "<script" not in svg


def test_the_same_numbers_are_drawn_once(report):
    _interval_svg.cache_clear()
    for _ in range(3):
        interval_chart(report(1, {"00": 71, "01": 29}))
    assert _interval_svg.cache_info().misses == 1


def test_a_question_without_answers_has_an_empty_picture(report):
    ET.fromstring(interval_chart(report(1, {})))
    ET.fromstring(histogram(report(7, {})))


def test_the_line_at_zero_leaves_every_label_of_a_regression_free():
    rows = tuple((f"Age {n}", n - 0.2, n - 1.0, n + 0.5, "0.8") for n in range(4))
    for width in (WIDE, NARROW):
        root = ET.fromstring(_coefficient_svg(rows, "logit", width))
        labels = [_top(one) for one in root.iter() if "Age" in (one.text or "")]
        pieces = [one for one in root.iter() if one.get("fill") == GREY and one.get("d")]
        assert (len(labels), len(pieces)) == (4, 4)
        for label, piece in zip(sorted(labels), pieces, strict=True):
            height = float(re.search(r"v([0-9.]+)", piece.get("d"))[1])
            top = _top(piece)
            assert label < top, "a label stands above its interval's piece"
            assert top + height <= label + ROW - 11, "and the piece ends above the next label"


def _top(element: ET.Element) -> float:
    """The distance from the plot's top, as the drawing itself states it."""
    found = re.search(r"translate\([-0-9.]+,([-0-9.]+)\)", element.get("transform") or "")
    path = re.match(r"M[-0-9.]+,([-0-9.]+)", element.get("d") or "")
    return float(found[1] if found else 0) + float(path[1] if path else 0)
