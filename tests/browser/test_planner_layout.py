"""The planner's form in groups, with its result in sight."""

import pytest
from django.urls import reverse

from tests import accessible, factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
FOLDS = (
    "How people are sampled",
    "Test of a share",
    "One epsilon shared by several questions",
)


@pytest.fixture
def survey(transactional_db):
    return factories.make_open_survey(factories.make_user())


@pytest.fixture
def planner(staff_page, server, survey):
    staff_page.goto(server.url + reverse("surveys:planner"))
    return staff_page


def within_screen(page, part) -> bool:
    box, height = part.bounding_box(), page.viewport_size["height"]
    return box["y"] >= 0 and box["y"] + box["height"] <= height


def test_result_and_button_stay_in_sight_while_the_form_is_filled_in(planner):
    result = planner.get_by_role("region", name="Ask")
    button = planner.get_by_role("button", name="Calculate")
    form = planner.locator("form.plan").bounding_box()
    assert form["x"] + form["width"] <= result.bounding_box()["x"]
    for label in ("Design", "Error", "Share of respondents who get the question"):
        field = planner.get_by_label(label, exact=True)
        field.focus()
        assert within_screen(planner, result), label
        assert within_screen(planner, button), label
        below = field.bounding_box()["y"] + field.bounding_box()["height"]
        assert below <= button.bounding_box()["y"], f"{label} is not covered"


def test_what_was_not_asked_is_folded_and_what_was_is_open(planner, server):
    folds = planner.locator("form.plan details")
    assert folds.evaluate_all("all => all.map((one) => one.open)") == [False] * len(FOLDS)
    address = server.url + reverse("surveys:planner")
    asked = {"response_rate=0.4": 0, "cluster_size=25": 0, "share=0.2": 1, "answers=x": 2}
    for query, number in asked.items():
        opened = [place == number for place in range(len(FOLDS))]
        planner.goto(f"{address}?{query}")
        assert folds.evaluate_all("all => all.map((one) => one.open)") == opened, query


def test_a_fold_is_opened_and_filled_in_with_the_keyboard_alone(planner):
    planner.locator("summary", has_text=FOLDS[1]).focus()
    planner.keyboard.press("Enter")
    planner.keyboard.press("Tab")
    planner.keyboard.type("0.2")
    planner.keyboard.press("Enter")
    planner.wait_for_url("**share=0.2*")


def test_on_a_phone_the_result_follows_the_form_and_nothing_sticks(planner):
    planner.set_viewport_size({"width": 320, "height": 700})
    form = planner.locator("form.plan").bounding_box()
    result = planner.get_by_role("region", name="Ask")
    assert result.bounding_box()["y"] >= form["y"] + form["height"]
    assert result.evaluate("one => getComputedStyle(one).position") == "static"
    accessible.check(planner, "the planner")
