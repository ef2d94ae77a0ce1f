"""Pictures: readable by machines and people, harmless, and drawn without the network."""

import socket
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from surveys.models.queries import questionnaire_of
from surveys.planning.charts import plan_curve
from surveys.planning.forms import PlanForm
from surveys.randomized_response.intervals import Interval
from surveys.results.charts import Bar, _interval_svg, histogram, interval_chart
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.web.pictures import ORANGE
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
