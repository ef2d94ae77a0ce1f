"""The list of answers before Send and the receipt of twenty questions, on a phone."""

import pytest
from playwright.sync_api import Page

from surveys.models import Question
from tests import accessible, factories
from tests.browser import answering
from tests.browser.answering import press, step

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
NARROW = {"width": 320, "height": 700}
DAYS = ("0 days", "1 or 2 days", "3 to 5 days", "6 to 9 days", "10 to 19 days", "All 30 days")
ASKED = (
    "During the past 30 days, on how many days did you smoke cigarettes?",
    "During the past 12 months, did you ever seriously think about ending your life?",
    "Have you ever taken a prescription drug without a doctor’s prescription?",
    "How often do you wear a seat belt when riding in a car driven by someone else?",
)
QUESTIONS = 20
HEIGHT = "document.documentElement.scrollHeight"
# Of the same answers on the same screen, when each row had a large button or two narrow columns.
LIST_BEFORE, RECEIPT_BEFORE = 6246, 4582


@pytest.fixture
def survey(transactional_db):
    """Five of each: a scale and a choice asked directly, a protected yes or no, and a scale."""
    draft = factories.make_survey(factories.make_user())
    days = {"kind": Question.Kind.SCALE}
    direct = {"design": Question.Design.DIRECT}
    for number in range(QUESTIONS // 4):
        factories.add_question(draft, *DAYS, text=f"{number}. {ASKED[0]}", **days, **direct)
        factories.add_question(draft, text=f"{number}. {ASKED[1]}")
        factories.add_question(draft, text=f"{number}. {ASKED[2]}", **direct)
        factories.add_question(draft, *DAYS, text=f"{number}. {ASKED[3]}", **days)
    return factories.launched(draft)


@pytest.fixture
def listed(page: Page, server, survey) -> Page:
    """The page of which all questions are answered, before Send."""
    page.set_viewport_size(NARROW)
    answering.go_to_questions(page, server, survey)
    for _ in range(QUESTIONS):
        step(page).locator("input").nth(1).check(force=True)
        press(page, "Continue")
    step(page).get_by_role("listitem").first.wait_for()
    return page


def send(page: Page) -> None:
    press(page, "Send")
    page.locator("table.receipt").wait_for()


def test_the_list_before_send_is_half_as_long_and_says_the_same(listed):
    assert listed.evaluate(HEIGHT) <= LIST_BEFORE / 2
    rows = [row.inner_text().split("\n") for row in step(listed).get_by_role("listitem").all()]
    said = [[line for line in row if line] for row in rows]
    mark = "Not protected: sent as you give it"
    assert sorted(said[0]) == sorted(["Question 1", f"0. {ASKED[0]}", DAYS[1], mark, "Change"])
    assert sorted(said[1]) == sorted(["Question 2", f"0. {ASKED[1]}", "No", "Change"])
    assert len(said) == QUESTIONS


def test_in_the_list_nothing_is_cut_or_covered_and_every_button_can_be_hit(listed):
    for row in step(listed).get_by_role("listitem").all()[:4]:
        boxes = [part.bounding_box() for part in row.locator("> *").all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 320 for box in boxes)
        button = row.get_by_role("button").bounding_box()
        assert button["height"] >= 32
        assert button["y"] + button["height"] <= boxes[1]["y"] + 1, "above the question"
    accessible.check_schemes(listed, "the answers before Send")
    assert listed.evaluate(accessible.SMALL_TARGETS) == []


def test_the_receipt_is_half_as_long_and_says_the_same(listed):
    send(listed)
    assert listed.evaluate(HEIGHT) <= RECEIPT_BEFORE / 2
    assert listed.evaluate("document.documentElement.scrollWidth") <= 320
    rows = listed.get_by_role("row")
    assert rows.count() == QUESTIONS + 1, "a table for those who listen"
    assert rows.nth(0).get_by_role("columnheader").all_inner_texts() == ["Question", "Sent"]
    assert rows.nth(1).get_by_role("rowheader").inner_text() == f"0. {ASKED[0]}"
    assert " ".join(rows.nth(1).get_by_role("cell").inner_text().split()) == (
        f"{DAYS[1]} as you gave it"
    )
    accessible.check_schemes(listed, "the receipt")


def test_on_a_wide_screen_both_keep_their_columns(listed):
    listed.set_viewport_size({"width": 1280, "height": 800})
    row = step(listed).get_by_role("listitem").first
    question = row.locator("b").bounding_box()
    assert question["x"] + question["width"] < row.get_by_role("button").bounding_box()["x"]
    send(listed)
    header, cell = (listed.locator(f"tbody tr:first-child {name}") for name in ("th", "td"))
    assert header.bounding_box()["y"] == cell.bounding_box()["y"]
