"""Pictures of reports: whole, harmless, told in words, and honest about the noise."""

import socket
import xml.etree.ElementTree as ET

import pytest

from analytics.kinds.registry import KINDS
from analytics.reports.topics.finds import topic_names
from analytics.reports.topics.kind import TopicsKind
from analytics.reports.topics.pictures import bars, pictures_of, size_bars
from surveys.web.drawing.pictures import GROUND, NARROW, WIDE, specification, svg
from tests.analytics.examples import GARDEN, TRAIN, a_report, a_topic, an_internal_report


def pictures(*topics, **fields):
    report = a_report(*topics, **fields)
    return pictures_of(report, topic_names(report, []))


def drawn_of(chart) -> str:
    return svg(specification(chart))


def test_a_report_has_a_spectrum_sizes_and_one_picture_a_topic():
    assert [one.name for one in pictures()] == ["spectrum", "sizes", "topic-1", "topic-2"]
    internal = an_internal_report()
    assert [one.name for one in pictures_of(internal, ["A"])] == ["spectrum", "sizes", "topic-1"]


def test_nothing_is_fetched_while_drawing(monkeypatch):
    def refuse(*args):
        raise AssertionError(f"a connection was opened to {args}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    first = pictures()[0]
    assert first.svg()
    assert first.png()


def test_a_word_within_the_noise_is_hollow_and_named_so():
    clear, noisy = a_topic("a", "b"), a_topic("a", "b", step=0.55)
    assert "(noise)" not in pictures(clear)[2].svg()
    svg = pictures(noisy)[2].svg()
    assert "2. b (noise)" in svg
    hollow = f'fill="{GROUND}"'
    assert svg.count(hollow) > pictures(clear)[2].svg().count(hollow)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_words_and_names_of_topics_are_drawn_whole(width):
    word = "Geschwindigkeitsbegrenzungen"
    name = "Speed limits, road works and all else that makes the way to work longer than it is"
    drawn = ET.fromstring(drawn_of(bars(((word, 0.4, None, False),), width)))
    assert word in "".join(drawn.itertext())
    sizes = size_bars(((name, 12.0, 10.0, 14.0),), width)
    (row,) = sizes["layer"][0]["data"]["values"]
    assert " ".join(row["lines"]).split() == f"{name} 12".split()
    texts = "".join(ET.fromstring(drawn_of(sizes)).itertext())
    assert all(line in texts for line in row["lines"])


def test_the_words_of_a_picture_tell_its_numbers():
    found = {one.name: one.words for one in pictures(GARDEN, TRAIN)}
    assert found["spectrum"].startswith("2 of 5 eigenvalues lie above the noise edge, 1.5.")
    assert "garden 0.60" in found["topic-1"]
    assert found["topic-1"].endswith("Within the noise: gravel.")
    assert "1,200 (1,100 to 1,300)" in found["sizes"]


@pytest.mark.parametrize("word", ["<b>&\"'", "\x07\x00", "שלום", "👩‍🌾", "x" * 500, " ", "1. a"])
def test_any_word_can_be_drawn(word):
    drawn = pictures(a_topic(word, "other"))[2]
    assert ET.fromstring(drawn.svg()) is not None
    assert "other" in drawn.svg()


@pytest.mark.parametrize("values", [(), (0.0,), (1e300, -1e300), tuple([1.0] * 1000)])
def test_any_spectrum_can_be_drawn(values):
    spectrum = a_report().spectrum
    shown = type(spectrum)(values, 1.5, 0)
    first = pictures(spectrum=shown)[0]
    assert ET.fromstring(first.svg()) is not None


def test_loadings_below_zero_are_drawn_to_the_left():
    svg = pictures(a_topic("a", "b", "c", step=0.5))[2].svg()
    assert "−0.4" in svg or "-0.4" in svg


def test_there_is_no_picture_of_another_name():
    document = TopicsKind(KINDS["private_topics"]).show(a_report())
    for name in ("topic-0", "topic-3", "", "x"):
        assert document.figure(name) is None
