"""Every chart of every page: words, a table, both schemes, two widths and three files.

Each address that ends in ``.svg`` is a chart, and each stands on a page.
"""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import altair
import pytest
from altair.utils.schemapi import validate_jsonschema
from django.urls import reverse

from surveys import PROGRAM
from surveys.web.drawing.palette import DARK, LIGHT
from tests.analytics import answering
from tests.conftest import ROOT
from tests.contracts.files import ADDRESSES, QUERIES, RATED, Places

CHARTS = [(name, route) for name, route, ending in ADDRESSES if ending == "svg"]
# On which page each stands.
PAGES = {
    "surveys:chart": "surveys:dashboard",
    "surveys:break-down-picture": "surveys:break-down",
    "surveys:regression-picture": "surveys:regression",
    "surveys:planner-curve": "surveys:planner",
    "surveys:planner-price": "surveys:planner",
    "surveys:reminders-svg": "surveys:reminders",
    "ranking:picture": "ranking:table",
    "analytics:picture": "analytics:report",
    "analytics:ledger-picture": "analytics:ledger",
}
# Drawn in the page itself: QR codes, and bars within a table that has their numbers.
DRAWN_IN_PLACE = {
    "templates/surveys/fieldwork/_sheet.html",
    "templates/ranking/_result.html",
    "templates/surveys/web/figure.html",
    "templates/surveys/results/handover/report.html",
}
# The format's own, which Altair carries.
SCHEMA = altair.load_schema()
FORBIDDEN = {"script", "style", "image", "a", "use"}


def room_of(named: dict) -> tuple[int, int]:
    return int(named["width"]), int(named["height"])


class Figures(HTMLParser):
    """Each figure of a page, and whether its card has a table."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[dict] = []
        self._cards: list[dict] = []
        self._figure: dict | None = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag == "section":
            self._cards.append({"has_table": False})
        elif tag == "table" and self._cards:
            self._cards[-1]["has_table"] = True
        elif tag == "figure":
            card = self._cards[-1]
            self._figure = {"card": card, "sources": [], "links": [], "alt": "", "words": ""}
            self._figure["rooms"] = {}
            self.found.append(self._figure)
        elif self._figure is not None:
            if tag == "source":
                self._figure["sources"].append((named["media"], named["srcset"]))
                self._figure["rooms"][named["srcset"]] = room_of(named)
            elif tag == "img":
                self._figure |= {"alt": named["alt"], "src": named["src"]}
                self._figure["rooms"][named["src"]] = room_of(named)
            elif tag == "a":
                self._figure["links"].append((named["aria-label"], named["href"]))

    def handle_data(self, data):
        if self._figure is not None:
            self._figure["words"] += data

    def handle_endtag(self, tag):
        if tag == "section":
            self._cards.pop()
        elif tag == "figure":
            self._figure = None


@pytest.fixture
def places(client, survey_of_files):
    client.force_login(survey_of_files.owner)
    return Places(survey_of_files)


def asked(address: str, more: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{more}"


def test_every_chart_has_a_page():
    assert {name for name, _ in CHARTS} == set(PAGES)


def test_every_chart_is_a_drawing_and_a_specification_with_title_and_source_in_them(client, places):
    for name, route in CHARTS:
        svg, vega = files_of(client, places.at(name, route), "svg", "vl.json")
        specification = json.loads(vega)
        title = " ".join(specification["title"]["text"])
        below = " ".join(specification["title"]["subtitle"])
        assert title, name
        assert PROGRAM in below, name
        assert specification["description"], name
        assert '"url"' not in vega.decode(), name
        validate_jsonschema(specification, SCHEMA)
        drawn = " ".join(ElementTree.fromstring(svg).itertext())
        assert title.split()[0] in drawn, name


@pytest.mark.parametrize(
    "charts", [CHARTS[:1], pytest.param(CHARTS, marks=pytest.mark.audit)], ids=["one", "all"]
)
def test_a_chart_is_a_picture_of_pixels_too_and_nothing_else(client, places, charts):
    for name, route in charts:
        (png,) = files_of(client, places.at(name, route), "png")
        assert png.startswith(b"\x89PNG\r\n\x1a\n"), name
        address = asked(places.at(name, route), "as=pdf")
        assert client.get(address).status_code == 404, name


def files_of(client, address: str, *endings: str) -> list[bytes]:
    """A chart in these formats, each under a name of its own."""
    replies = [client.get(asked(address, f"as={ending}")) for ending in endings]
    for reply, ending in zip(replies, endings, strict=True):
        assert reply["Content-Disposition"].endswith(f'.{ending}"'), address
    return [reply.content for reply in replies]


def shown(client, places, name: str) -> list[dict]:
    """The figures of the page on which a chart stands."""
    page = PAGES[name]
    arguments = [] if page == "surveys:planner" else [places.report.revision.survey_id]
    arguments += [RATED] if page == "ranking:table" else []
    arguments += [places.report.pk] if page == "analytics:report" else []
    reply = client.get(reverse(page, args=arguments) + QUERIES.get(name, ""))
    assert reply.status_code == 200, page
    return Figures(reply.content.decode()).found


def look_of(address: str) -> str:
    found = re.search(r"[?&]((narrow=1|broad=1)&dark=1|narrow=1|broad=1|dark=1)$", address)
    return found[1] if found else ""


def check(figure: dict) -> None:
    assert figure["alt"].strip()
    assert re.search(r"\d", figure["alt"]), "the words are written from the data"
    assert figure["card"]["has_table"], figure["alt"]
    looks = {look_of(address) for _, address in figure["sources"]}
    broad = {"broad=1", "broad=1&dark=1"}  # both or neither
    assert looks - broad == {"narrow=1", "dark=1", "narrow=1&dark=1"}
    assert looks & broad in (set(), broad)
    assert all(media.startswith("screen and") for media, _ in figure["sources"]), "paper is light"
    assert [label.split(" of: ")[0] for label, _ in figure["links"]] == ["SVG", "PNG", "Vega-Lite"]
    assert len({label.split(" of: ")[1] for label, _ in figure["links"]}) == 1


def test_every_chart_stands_drawn_for_every_reader_with_words_a_table_and_its_files(client, places):
    for name, route in CHARTS:
        found = shown(client, places, name)
        address = places.at(name, route).partition("?")[0]
        assert address in {figure["src"].partition("?")[0] for figure in found}, name
        for figure in found:
            check(figure)
            check_drawn(client, figure)


def check_drawn(client, figure: dict) -> None:
    """For both schemes and widths, each in the room that the page keeps for it."""
    widths = {}
    for source, room in figure["rooms"].items():
        drawn = client.get(source).content
        root = ElementTree.fromstring(drawn)
        check_room(root, room, source)
        look = look_of(source)
        widths[look] = room[0]
        ground = DARK.ground if "dark" in look else LIGHT.ground
        assert f'fill="{ground}"' in drawn.decode(), source
        check_closed(root, source)
    assert widths["narrow=1"] == widths["narrow=1&dark=1"] <= 320, widths
    assert widths["narrow=1"] < widths[""] == widths["dark=1"] <= 600, widths


def check_room(root: ElementTree.Element, room: tuple[int, int], source: str) -> None:
    """The page keeps as much room as the picture takes, which fits into it as it was drawn."""
    assert (int(root.attrib["width"]), int(root.attrib["height"])) == room, source
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert min(room[0] / width, room[1] / height) > 0.95, (source, room, width, height)
    assert room[1] - height < 36, (source, room, height)


def check_closed(root: ElementTree.Element, source: str) -> None:
    """There is nothing to fetch."""
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in FORBIDDEN, source
        assert not {"style", "href"} & {one.rpartition("}")[2] for one in element.attrib}, source


@pytest.mark.parametrize("made", [answering.compared, answering.grown])
def test_charts_of_comparisons_and_trees_have_the_same(client, owner, made):
    survey = answering.make_compared_survey(owner)
    report = made(survey)
    client.force_login(owner)
    page = client.get(reverse("analytics:report", args=[survey.pk, report.pk])).content.decode()
    found = Figures(page).found
    assert found
    for figure in found:
        check(figure)
        check_drawn(client, figure)


def test_no_page_shows_a_picture_in_another_way():
    templates = (ROOT / "templates").rglob("*.html")
    found = {
        path.relative_to(ROOT).as_posix()
        for path in templates
        if re.search(r"<(img|svg|picture)\b", path.read_text())
    }
    assert found == DRAWN_IN_PLACE
