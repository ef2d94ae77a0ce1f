"""P1: no third party, no phone-home."""

import re
import sys
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse

from surveys.web.drawing.pictures import svg
from tests.conftest import Server
from tests.factories import launched, make_open_survey
from tests.surveys.authoring.trustees import counted_draft
from tests.tour import (
    enter,
    log_in,
    opened,
    respondent_pages,
    staff_pages,
    visit_everything,
)

pytestmark = pytest.mark.django_db(transaction=True)
OPENING = {"socket.connect", "socket.getaddrinfo", "socket.sendto"}
FETCHED = {"src", "srcset", "poster", "data", "background", "action", "formaction", "xlink:href"}
ELSEWHERE = re.compile(r"\s*([a-z][a-z0-9+.-]*:|[/\\]{2})", re.IGNORECASE)
IN_SHEETS = re.compile(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)")


class Named(HTMLParser):
    """The addresses that a browser asks by itself or sends forms to; not links to follow."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in FETCHED or (name == "href" and tag not in ("a", "area")):
                self.found.append(value or "")


@pytest.fixture(scope="module")
def connections() -> Iterator[list[object]]:
    """What this process connects to during tests of this file. A hook stays until it ends."""
    opened: list[object] = []
    watched = True

    def write_down(event: str, arguments: tuple[object, ...]) -> None:
        if watched and event in OPENING:
            opened.append((event, *arguments[-2:]))

    sys.addaudithook(write_down)
    yield opened
    watched = False


def pages_and_files(client: Client, addresses: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Each page, each picture and each sheet of it, with the addresses that it names."""
    named: set[str] = set()
    for address in addresses:
        found = Named(opened(client, address).content.decode()).found
        yield address, found
        named.update(found)
    static = {one for one in named if one.startswith(settings.STATIC_URL)}
    for one in named - static:
        if one.startswith("/") and one.endswith(".svg"):
            yield one, Named(client.get(one).content.decode()).found
    for one in static:
        if one.endswith(".css"):
            text = (Path(settings.STATIC_ROOT) / one.removeprefix(settings.STATIC_URL)).read_text()
            yield one, ["".join(names) for names in IN_SHEETS.findall(text)]


def test_neither_a_page_nor_the_server_asks_anybody_else_for_anything(client, root, connections):
    """By what the pages name; `make audit` opens each of them in a browser."""
    survey, counted = make_open_survey(root), launched(counted_draft(root))
    respondents = [*respondent_pages(survey), *respondent_pages(counted), reverse("login")]
    staffs = staff_pages(survey)
    connections.clear()
    visited = [*pages_and_files(client, respondents)]
    enter(client, root.username)
    visited += pages_and_files(client, staffs)
    named = [(page, address) for page, found in visited for address in found]
    assert [pair for pair in named if ELSEWHERE.match(pair[1])] == []
    assert {".svg", ".css", ".js"} <= {Path(address).suffix for _, address in named}
    assert len(visited) > len(respondents) + len(staffs) > 40
    assert opened_here(connections) == []


@pytest.mark.one_tab
def test_a_browser_asks_for_no_more_than_pages_name(page, server, root):
    survey = make_open_survey(root)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    log_in(page, server, root.username)
    page.goto(server.url + reverse("surveys:dashboard", args=[survey.pk]))
    page.goto(server.url + reverse("admin:surveys_survey_change", args=[survey.pk]))
    page.wait_for_load_state("networkidle")
    assert len(asked) > 10
    require_none_elsewhere(server, asked)


@pytest.mark.audit
def test_no_page_in_a_browser_asks_anybody_else_for_anything(page, server, root):
    survey = make_open_survey(root)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visited = list(visit_everything(page, server, survey, root.username))
    page.wait_for_load_state("networkidle")
    assert len(asked) > len(visited) > 15
    require_none_elsewhere(server, asked)


def require_none_elsewhere(server: Server, asked: list[str]) -> None:
    assert [url for url in asked if not url.startswith(server.url + "/")] == []
    assert opened_by(server.printed()) == []


def opened_by(log: str) -> list[str]:
    """Connections that the server's own code opened, its database's apart."""
    lines = [line for line in log.splitlines() if line.startswith("OPENED")]
    host = connection.settings_dict["HOST"]
    return [line for line in lines if not host or host not in line]


def opened_here(connections: list[object]) -> list[object]:
    """The same of this process."""
    host = connection.settings_dict["HOST"]
    return [one for one in connections if not host or host not in str(one)]


def test_the_charts_are_drawn_without_leave_to_fetch_anything():
    outside = {"data": {"url": "http://127.0.0.1:9/data.csv"}, "mark": "point"}
    with pytest.raises(ValueError, match="not allowed"):
        svg(outside)
