"""What the demonstration's dashboard shows at once, how long it is, and how it is printed."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Page

from surveys.demonstration.affairs import load_answers, open_affairs_survey, submit_answers
from tests import accessible, factories, patience
from tests.chromium import SCREEN
from tests.shifts import shifts
from tests.tour import log_in

pytestmark = pytest.mark.browser
BEFORE = 5905  # the height of ten questions when every table was open, in pixels
PRINTED = 5  # pages of A4


@pytest.fixture(scope="module")
def opened(browser, server, django_db_blocker) -> Iterator[tuple[Page, list[str]]]:
    """The demonstration's survey of ten questions, with the first answers of its data.

    And what of its page moved while it and its pictures came.
    """
    context = browser.new_context(viewport=SCREEN)
    context.set_default_timeout(patience.MILLISECONDS)
    with django_db_blocker.unblock():
        survey = open_affairs_survey(factories.make_user(superuser=True), planned_responses=6147)
        submit_answers(
            survey.revision,
            load_answers().sample(200, random_state=1),
            rng=np.random.default_rng(1),
            progress=lambda bodies, total: bodies,
        )
        page = context.new_page()
        log_in(page, server, "ada")
        page.goto(server.url + reverse("surveys:dashboard", args=[survey.pk]))
        assert page.evaluate(accessible.DRAWN)
        yield page, shifts(page)
        call_command("flush", interactive=False, verbosity=0)
    context.close()


@pytest.fixture
def dashboard(opened: tuple[Page, list[str]]) -> Page:
    """As it was opened, whatever the tests before did."""
    page, _ = opened
    page.emulate_media(media="null")
    page.set_viewport_size(SCREEN)
    assert page.locator("section.question").count() == 10
    return page


def test_the_first_screen_shows_how_many_how_sure_what_next_and_the_first_estimate(dashboard):
    shown = dashboard.get_by_label("Responses so far", exact=True)
    assert "200 of 6,147 planned responses" in " ".join(shown.inner_text().split())
    assert re.search(
        r"± [\d.]+ points +Half the width of the widest",
        shown.inner_text().replace("\n", " "),
    )
    assert "The plan needs 5,947 more responses." in shown.inner_text()
    picture = dashboard.get_by_role("img", name="Estimated shares").first
    box = picture.bounding_box()
    assert box["y"] + box["height"] <= 800
    assert box["width"] > 400
    assert dashboard.evaluate("scrollY") == 0


def test_nothing_moves_while_pictures_come_of_at_most_half_the_height_of_their_tables(
    opened, dashboard
):
    _, moved = opened
    assert moved == []
    assert dashboard.evaluate("document.documentElement.scrollHeight") <= BEFORE / 2


def test_paper_has_five_pages_at_most_no_form_and_no_chart_or_table_cut_in_two(dashboard):
    printed = dashboard.pdf(format="A4", print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= PRINTED
    dashboard.emulate_media(media="print")
    assert dashboard.locator("form:visible").count() == 0
    whole = dashboard.locator("section.question, table.rows, figure picture")
    breaks = "all => all.map(one => getComputedStyle(one).breakInside)"
    assert set(whole.evaluate_all(breaks)) == {"avoid"}
    reach = "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
    dashboard.set_viewport_size({"width": 718, "height": 1000})
    # What is higher than a page of A4 within its margins is cut all the same.
    heights = "all => all.map(one => one.getBoundingClientRect().height)"
    assert max(whole.evaluate_all(heights)) < 1000
    assert dashboard.locator("table.rows:visible").evaluate_all(reach) <= 718
