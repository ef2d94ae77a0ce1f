"""One bar of tabs on a survey's pages, its tools in a menu; one row and one menu on a phone."""

import pytest
from django.urls import reverse

from tests import accessible, factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
PAGES = ("dashboard", "break-down", "invitations", "regression", "members")
NARROW = {"width": 320, "height": 700}
WIDE = 1280
ROW = 40


@pytest.fixture
def survey(transactional_db):
    return factories.make_open_survey(factories.make_user())


def open_page(page, server, survey, name):
    page.goto(server.url + reverse(f"surveys:{name}", args=[survey.pk]))


def test_tabs_stand_at_one_place_on_all_pages_in_one_row(staff_page, server, survey):
    places = set()
    for name in PAGES:
        open_page(staff_page, server, survey, name)
        tabs = staff_page.locator(".tabs > li")
        boxes = [tab.bounding_box() for tab in tabs.all()]
        assert len({round(box["y"] + box["height"]) for box in boxes}) == 1, name
        places.add(tuple(round(box["x"]) for box in boxes[:1]))
        assert staff_page.locator("main").bounding_box()["y"] <= 140
        assert staff_page.locator('.bar [aria-current="page"]').count() == 1
    assert len(places) == 1


def test_the_current_tab_is_seen_to_be_it_without_its_colour(staff_page, server, survey):
    open_page(staff_page, server, survey, "break-down")
    weight = "one => getComputedStyle(one).fontWeight"
    tabs = staff_page.locator(".tabs > li > a")
    weights = {tab.inner_text(): tab.evaluate(weight) for tab in tabs.all()}
    assert weights.pop("Break-downs") == "600"
    assert set(weights.values()) == {"400"}
    open_page(staff_page, server, survey, "members")
    assert staff_page.locator(".tools > summary").evaluate(weight) == "600"


def test_on_a_phone_one_row_names_the_open_page_and_its_menu_holds_all(staff_page, server, survey):
    staff_page.set_viewport_size(NARROW)
    for name, label in (("break-down", "Break-downs"), ("members", "Members")):
        open_page(staff_page, server, survey, name)
        row = staff_page.locator(".whole-bar > summary")
        assert row.inner_text().split("\n") == [label, "All pages"]
        assert row.bounding_box()["height"] <= ROW
        assert staff_page.locator(".bar").bounding_box()["height"] <= 2 * ROW
        assert not staff_page.locator(".bar [aria-current]").is_visible()
        row.click()
        links = staff_page.locator(".bar a")
        assert all(link.is_visible() for link in links.all())
        assert staff_page.locator(".bar [aria-current]").inner_text() == label


@pytest.mark.parametrize("width", [320, WIDE])
def test_tools_open_by_keyboard_over_the_page_and_within_the_screen(
    staff_page, server, survey, width
):
    staff_page.set_viewport_size({"width": width, "height": 700})
    open_page(staff_page, server, survey, "dashboard")
    before = staff_page.locator("h1").bounding_box()
    opened = ".tools" if width == WIDE else ".whole-bar"
    staff_page.locator(f"{opened} > summary").focus()
    staff_page.keyboard.press("Enter")
    menu = staff_page.locator(f"{opened} > .choices-of-menu").bounding_box()
    assert menu["x"] >= 0
    assert menu["x"] + menu["width"] <= width
    assert staff_page.locator("h1").bounding_box() == before
    tabs = 0 if width == WIDE else staff_page.locator(".tabs > li > a").count()
    for _ in range(tabs + 2):
        staff_page.keyboard.press("Tab")
    staff_page.keyboard.press("Enter")
    staff_page.wait_for_url("**/regression/")


@pytest.mark.parametrize("width", [320, WIDE])
def test_pages_with_open_menus_are_accessible(staff_page, server, survey, width):
    staff_page.set_viewport_size({"width": width, "height": 700})
    open_page(staff_page, server, survey, "members")
    staff_page.locator(".tools > summary" if width == WIDE else ".whole-bar > summary").click()
    accessible.check_schemes(staff_page, width)
    assert staff_page.evaluate(accessible.SMALL_TARGETS) == []


def test_the_header_of_a_phone_is_one_row_and_its_menu_holds_the_site(staff_page, server, survey):
    staff_page.set_viewport_size(NARROW)
    staff_page.goto(server.url + reverse("surveys:list"))
    header = staff_page.locator("header.site")
    assert header.bounding_box()["height"] <= 60
    assert not staff_page.get_by_role("button", name="Log out").is_visible()
    staff_page.locator(".whole-site summary").focus()
    staff_page.keyboard.press("Enter")
    menu = staff_page.locator(".whole-site .choices-of-menu").bounding_box()
    assert 0 <= menu["x"] <= menu["x"] + menu["width"] <= 320
    for name in ("Surveys", "Planner", "Admin", "ada"):
        assert header.get_by_role("link", name=name, exact=True).is_visible()
    accessible.check_schemes(staff_page, "the menu of the site")
    staff_page.get_by_role("button", name="Log out").click()
    staff_page.wait_for_url("**/login/**")


def test_a_wide_header_shows_all_of_it_at_once(staff_page, server, survey):
    staff_page.goto(server.url + reverse("surveys:list"))
    header = staff_page.locator("header.site")
    assert header.bounding_box()["height"] <= 60
    assert header.get_by_role("button", name="Log out").is_visible()
    assert header.get_by_role("link", name="Planner").is_visible()
    assert not staff_page.locator(".whole-site summary").is_visible()
    assert staff_page.evaluate("document.documentElement.scrollWidth") <= 1280
