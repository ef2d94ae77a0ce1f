"""Rating items in a real browser: by keyboard, by what a screen reader hears, without a script."""

import re

import pytest
from playwright.sync_api import Page, expect

from surveys.authoring.services import close
from surveys.catalogues.queries import rating_counts
from surveys.collecting.services import receive
from surveys.models import Response, Survey
from surveys.questionnaire.document import Questionnaire
from tests import accessible
from tests.bodies import body_of
from tests.browser import answering
from tests.browser.answering import heading, press, raw, step
from tests.factories import (
    ELEVEN,
    add_rating,
    add_text,
    launched,
    make_adaptive_survey,
    make_survey,
)
from tests.surveys.authoring.text_keys import add_key, new_key

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]


@pytest.fixture
def open_survey(owner) -> Survey:
    """Nothing is randomized: by buttons, and by selection with a rating required."""
    draft = make_survey(owner)
    add_rating(draft, text="By buttons", size=2)
    add_rating(draft, *ELEVEN, text="By selection", size=2, required=True)
    return launched(draft)


def rate(page: Page, ratings: dict[str, str]) -> None:
    """Rate the items that are shown, by their names."""
    for name, level in ratings.items():
        group = step(page).get_by_role("group", name=re.compile(rf"Item \d+ of \d+ {name}$"))
        if group.get_by_role("combobox").count():
            group.get_by_role("combobox").select_option(level)
        else:
            group.get_by_label(level, exact=True).check()


def names(page: Page) -> list[str]:
    return step(page).locator("legend .text").all_inner_texts()


def check(page: Page) -> None:
    """No accessibility violation, nothing cut off, every target large enough."""
    assert accessible.violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(accessible.SMALL_TARGETS) == []


def test_the_receipt_shows_exactly_the_ratings_that_were_given(page, server, open_survey):
    answering.open_start(page, server, open_survey)
    press(page, "Start")
    rate(page, {"Item 1": "Good"})
    press(page, "Continue")
    rate(page, {"Item 1": "0", "Item 2": "10"})
    press(page, "Continue")
    answering.send(page)
    rows = dict(
        page.locator(".receipt tbody tr").evaluate_all(
            "rows => rows.map((row) => [row.querySelector('th').innerText,"
            " row.querySelector('b').innerText])"
        )
    )
    assert rows == {
        "By buttons: Item 1": "Good",
        "By buttons: Item 2": "Not rated",
        "By selection: Item 1": "0",
        "By selection: Item 2": "10",
    }
    assert set(re.findall(r"q001i\d\d=(\d+)", raw(page))) == {"102", "203"}
    assert Response.objects.get().answers == "102203" + "100210"
    first = Questionnaire.from_document(open_survey.revision.document).items[0]
    counts = rating_counts(open_survey.revision, first.id)
    assert counts.tolist() == [[0, 0, 1, 0], [0, 0, 0, 1]]


def test_a_required_rating_that_is_missing_is_asked_for_and_focused(page, server, open_survey):
    answering.open_start(page, server, open_survey)
    press(page, "Start")
    press(page, "Continue")
    first, second = names(page)
    rate(page, {first: "3"})
    press(page, "Continue")
    expect(step(page).get_by_role("alert")).to_have_text(re.compile("Please rate every item"))
    lists = step(page).get_by_role("combobox")
    expect(lists.nth(1)).to_be_focused()
    assert [lists.nth(i).get_attribute("aria-invalid") for i in (0, 1)] == ["false", "true"]
    rate(page, {second: "4"})
    press(page, "Continue")
    assert heading(page) == "Send"


def test_items_are_rated_by_keyboard_alone(page, server, open_survey):
    answering.open_start(page, server, open_survey)
    page.get_by_role("button", name="Start", exact=True).last.focus()
    page.keyboard.press("Enter")
    expect(step(page).get_by_role("heading")).to_be_focused()
    page.keyboard.press("Tab")  # the first item's group, at "Not rated"
    page.keyboard.press("ArrowRight")  # around to the first level
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")  # "Good"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for typed in ("7", "10"):
        page.keyboard.press("Tab")
        page.keyboard.type(typed)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("main[data-reply]").wait_for()
    sent = re.findall(r"q00\di\d\d=\d(\d\d)", raw(page))
    assert sent == ["01", "02", "07", "10"]


def test_a_screen_reader_hears_each_item_its_place_and_its_scale(page, server, open_survey):
    answering.open_start(page, server, open_survey)
    press(page, "Start")
    (first, second) = names(page)
    expect(step(page).get_by_role("group", name="By buttons")).to_match_aria_snapshot(f"""
      - group "By buttons":
        - heading "By buttons" [level=1]
        - group "Item 1 of 2 {first}":
          - radio "Bad"
          - radio "Fair"
          - radio "Good"
          - radio "Not rated" [checked]
        - group "Item 2 of 2 {second}":
          - radio "Bad"
          - radio "Fair"
          - radio "Good"
          - radio "Not rated" [checked]
    """)


@pytest.mark.audit
@pytest.mark.parametrize("width", [320, 1280])
def test_every_state_is_accessible_on_narrow_and_wide_screens(page, server, rating_survey, width):
    page.set_viewport_size({"width": width, "height": 700})
    answering.go_to_questions(page, server, rating_survey)
    for _ in range(4):
        press(page, "Continue")
        if step(page).get_by_role("alert").count():
            check(page)
            for name in names(page):
                level = "5" if step(page).get_by_role("combobox").count() else "Fair"
                rate(page, {name: level})
            press(page, "Continue")
        check(page)
    assert heading(page) == "Send"
    answering.send(page)
    check(page)


@pytest.mark.parametrize("width", [320, pytest.param(1280, marks=pytest.mark.audit)])
def test_promising_items_are_rated_on_narrow_and_wide_screens(page, server, owner, width):
    """The pages of a survey whose display has learned from 100 answers."""
    survey = make_adaptive_survey(owner, batch_size=20)
    for _ in range(100):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    page.set_viewport_size({"width": width, "height": 700})
    answering.go_to_questions(page, server, survey)
    for _ in range(2):
        expect(
            step(page).get_by_text("Items with good earlier ratings are shown more often")
        ).to_be_visible()
        first, second = names(page)
        assert first != second
        rate(page, {first: "Good"})
        check(page)
        press(page, "Continue")
    answering.send(page)
    check(page)
    close(survey=survey, by=owner)
    assert Response.objects.count() == 101


@pytest.mark.parametrize("width", [320, pytest.param(1280, marks=pytest.mark.audit)])
def test_direct_ratings_are_given_without_a_script(
    page_without_script, server, rating_survey, width
):
    page = page_without_script
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(answering.address(server, rating_survey, "own-coin"))
    group = page.get_by_role("group", name="Open, all")
    item = group.get_by_role("group", name=re.compile("Item 3$"))
    item.get_by_label("Good", exact=True).check()
    few = page.get_by_role("group", name="Open, two of twelve").locator("fieldset")
    for place in range(2):
        few.nth(place).get_by_label("Bad", exact=True).check()
    assert page.get_by_text("This question is not asked here. It needs the script").count() == 2
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/send/")
    answers = Response.objects.get().answers
    assert answers.startswith("103203302403")
    assert answers[12:].count("-") == 3 * 3 + 2 * 5
    assert page.locator(".receipt b").nth(2).inner_text() == "Good"


@pytest.mark.audit
def test_without_a_script_promising_items_are_shown_more_often_too(
    page_without_script, server, owner
):
    survey = make_adaptive_survey(owner, batch_size=20)
    for _ in range(100):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    page = page_without_script
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto(answering.address(server, survey, "own-coin"))
    group = page.get_by_role("group", name="Open, adaptive")
    expect(
        group.get_by_text("Items with good earlier ratings are shown more often")
    ).to_be_visible()
    group.locator("fieldset").nth(1).get_by_label("Good", exact=True).check()
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/send/")
    assert page.locator(".receipt b").all_inner_texts().count("Good") == 1


@pytest.fixture
def twelve(owner) -> Survey:
    """Three of twelve items, which the page draws."""
    draft = make_survey(owner)
    add_rating(draft, text="Some of them", size=12, shown=3)
    return launched(draft)


DRAWN = "() => [...document.querySelectorAll('[data-items] fieldset')].map(one => one.dataset.item)"


def test_the_page_draws_its_items_and_shows_their_names(page, server, twelve):
    seen = set()
    for _ in range(6):
        answering.open_start(page, server, twelve)
        drawn = page.evaluate(DRAWN)
        assert len(set(drawn)) == 3
        assert all(re.fullmatch(r"0[1-9]|1[0-2]", number) for number in drawn)
        press(page, "Start")
        assert names(page) == [f"Item {int(number)}" for number in drawn]
        seen.add(tuple(drawn))
    assert len(seen) > 1  # six times the same: once in 1.6e15 runs


def test_what_is_rated_is_sent_under_the_number_that_was_drawn(page, server, twelve):
    answering.open_start(page, server, twelve)
    drawn = page.evaluate(DRAWN)
    press(page, "Start")
    rate(page, dict.fromkeys(names(page), "Good"))
    press(page, "Continue")
    answering.send(page)
    assert re.findall(r"q001i\d\d=(\d\d)02", raw(page)) == drawn


def test_other_names_than_those_that_were_published_stop_the_page(fresh_page, server, twelve):
    def change(route) -> None:
        body = route.fetch().text().replace("Item 1", "Your employer")
        route.fulfill(body=body, content_type="application/json")

    fresh_page.route("**/items-1.json", change)
    fresh_page.goto(answering.address(server, twelve))
    note = fresh_page.locator("[data-no-items]")
    note.wait_for(state="visible")
    assert "are missing or differ from the published names" in note.inner_text()
    starts = fresh_page.get_by_role("button", name="Start", exact=True)
    expect(starts.last).to_be_disabled()
    assert all(start.is_disabled() for start in starts.all())
    assert "Your employer" not in fresh_page.content()
    accessible.check_narrow(fresh_page, "a page whose names did not arrive")


def test_a_page_that_seals_texts_rates_items_too(page, server, owner):
    draft = make_survey(owner, opening="close", close_on="2099-01-01", batch_size=5)
    add_rating(draft, text="Some of them", size=12, shown=3)
    add_text(draft)
    add_key(draft, new_key("Registry"))
    survey = launched(draft)
    answering.open_start(page, server, survey)
    press(page, "Start")
    rate(page, dict.fromkeys(names(page), "Fair"))
    press(page, "Continue")
    press(page, "Continue")
    answering.send(page)
    assert "they are the same" in page.locator("main").inner_text()
