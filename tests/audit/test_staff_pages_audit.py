"""Every page of staff, one by one: axe, no sideways scroll, contrast, nothing that jumps."""

from collections.abc import Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from tests import accessible, factories
from tests.shifts import shifts
from tests.staff_pages import Site
from tests.tour import log_in, require_sound

pytestmark = [
    pytest.mark.browser,
    pytest.mark.audit,
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_tab,
]
TRIES = 3
BEFORE_LOGIN = ("login", "account_login")
# Large letters too: WCAG would let them have a contrast of 3.
CONTRAST = """() => axe.configure({checks: [{id: 'color-contrast', options:
    {contrastRatio: {normal: {expected: 4.5}, large: {expected: 4.5}}}}]})"""
# A menu lies over the page while it is open, and over the places of links there: it is looked at
# by itself.
MENU = "details.menu"
OPEN = "(parts) => document.querySelectorAll(parts).forEach(one => { one.open = true; })"


@pytest.fixture
def site(transactional_db, monkeypatch):
    monkeypatch.setattr(accessible, "THOROUGH", True)
    return Site(factories.make_user("root", superuser=True))


def walk(page: Page, server, site: Site) -> Iterator[str]:
    """The name of each page while it is shown; those of people without a login come first."""
    places = site.places()
    page.context.clear_cookies()
    first = [name for name in places if name in BEFORE_LOGIN]
    for name in [*first, *(name for name in places if name not in first)]:
        if name not in first:
            log_in(page, server, "root")
        page.set_viewport_size({"width": accessible.WIDE, "height": 800})
        reply = page.goto(server.url + places[name])
        require_sound(places[name], page.url.removeprefix(server.url), reply.status, page.content())
        yield name


def moved_each_time(page: Page) -> list[str]:
    """What moved by itself, if something did whenever the page was opened.

    A machine that is very busy shows a table before its last rows have come, and its columns move
    with them: now and then, on another page each time. A page that is wrong moves each time.
    """
    moved = shifts(page)
    for _ in range(TRIES - 1):
        if moved:
            page.reload()
            moved = shifts(page)
    return moved


def look_at(page: Page, name: str) -> None:
    assert page.evaluate(accessible.DRAWN), name
    # Django's own script moves the pages of the admin aside, for its list of all pages.
    assert name.startswith("admin:") or moved_each_time(page) == [], name
    assert page.evaluate("window.violations") == [], name
    # axe itself writes style sheets into pages whose own import others.
    page.evaluate("window.violations = Object.assign([], {push() {}})")
    page.evaluate(OPEN, f"details:not({MENU})")
    page.evaluate(accessible.AXE)
    page.evaluate(CONTRAST)
    accessible.check(page, name)
    if page.locator(MENU).count():
        page.evaluate(OPEN, MENU)
        accessible.check_within(page, f"{MENU}[open]", f"the menu of {name}")


def test_every_page_of_staff_is_accessible_reflows_and_stands_still(watched_page, server, site):
    page = watched_page
    for name in walk(page, server, site):
        look_at(page, name)


def test_pages_in_german_are_too(watched_page, server, site):
    """Their words are longer."""
    page = watched_page
    page.set_extra_http_headers({"Accept-Language": "de"})
    for name in walk(page, server, site):
        # A preview is in the language of its survey.
        assert page.get_attribute("html", "lang") == "de" or "preview" in name, name
        look_at(page, name)


def test_the_report_to_hand_over_is_accessible_too(page, server, site, tmp_path):
    log_in(page, server, "root")
    page.goto(server.url + reverse("surveys:list"))
    with page.expect_download() as download:
        page.evaluate("at => location.assign(at)", reverse("surveys:report", args=[site.survey.pk]))
    file = tmp_path / "report.html"
    download.value.save_as(file)
    page.goto(file.as_uri())
    page.evaluate(accessible.AXE)
    page.evaluate(CONTRAST)
    accessible.check(page, file.name)
