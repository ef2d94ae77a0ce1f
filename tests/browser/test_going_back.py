"""Nothing is lost silently: the browser's Back, a reload, a closed tab."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from surveys.models import Response
from tests.browser import answering
from tests.browser.answering import give, heading, press, step
from tests.factories import invite, make_invited_survey, make_open_survey

pytestmark = pytest.mark.django_db(transaction=True)
KEPT = "[history.state, history.length, location.hash, location.search, {...sessionStorage}]"

# Whether the page went forward again after Back, within five seconds.
BACK_AND_FORTH = """() => new Promise((done) => {
  let moves = 0;
  addEventListener('popstate', () => (moves += 1) === 2 && done(true));
  setTimeout(() => done(false), 5000);
  history.back();
})"""


def back(page: Page, shows: str) -> None:
    """The browser's own button, which the page answers a moment later."""
    page.evaluate("history.back()")
    expect(step(page).locator("h1, .where").filter(has_text=shows).first).to_be_visible()


def test_back_goes_one_question_back_and_the_history_says_nothing_of_the_way(page, server, owner):
    survey = make_open_survey(owner)
    answering.open_start(page, server, survey)
    before = page.evaluate("history.length")
    answering.start(page)
    answering.answer_all(page, answering.ANSWERS[:3])
    back(page, "Question 3 of 7")
    back(page, "Question 2 of 7")
    give(page, "Yes")
    press(page, "Continue")
    assert page.evaluate(KEPT) == [None, before + 1, "", "", {}]
    for shown in ("Question 2 of 7", "Question 1 of 7", "Check 2", "Check 1", "Try it"):
        back(page, shown)
    back(page, "Habits and health")
    press(page, "Start")
    assert heading(page) == "Try it"
    press(page, "Back")
    expect(step(page).locator("h1")).to_have_text("Habits and health")
    press(page, "Start")
    for _ in ("practice", "first check", "second check"):
        press(page, "Continue")
    assert step(page).get_by_label("Yes", exact=True).is_checked()
    assert page.evaluate(KEPT) == [None, before + 1, "", "", {}]


@pytest.mark.one_tab
def test_back_from_send_keeps_what_was_drawn_and_back_from_the_receipt_leaves(page, server, owner):
    survey = make_open_survey(owner)
    page.goto(server.url + "/source/")
    answering.go_to_questions(page, server, survey)
    answering.answer_all(page)
    page.route("**/send/", lambda route: route.abort(), times=1)
    press(page, "Send")
    page.get_by_role("button", name="Send again").wait_for()
    assert page.evaluate(BACK_AND_FORTH)
    assert heading(page) == "No reply arrived"
    press(page, "Send again")
    page.locator("main[data-reply]").wait_for()
    assert Response.objects.count() == 1
    page.evaluate("history.back()")
    page.wait_for_url("**/source/")


def test_the_browser_warns_before_answers_are_lost_and_not_before_there_are_any(
    page, server, owner
):
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    answering.go_to_questions(page, server, make_open_survey(owner))
    page.reload()
    assert asked == []
    answering.start(page)
    give(page, "Yes")
    page.evaluate("location.reload()")
    expect(step(page).get_by_label("Yes", exact=True)).to_be_checked()
    with page.expect_event("dialog"):
        page.close(run_before_unload=True)
    assert asked == ["beforeunload"] * 2
    press(page, "Continue")
    answering.answer_all(page, answering.ANSWERS[1:])
    answering.send(page)
    page.reload()
    assert asked == ["beforeunload"] * 2


@pytest.mark.one_tab
def test_a_reload_before_the_start_keeps_the_code_and_none_is_left_after_it(page, server, owner):
    survey = make_invited_survey(owner)
    (token,) = invite(survey, 1)
    address = answering.address(server, survey)
    page.goto(f"{address}#{token}")
    page.reload()
    assert page.url == f"{address}#{token}"
    assert not page.get_by_label("Your invitation code").is_visible()
    answering.start(page)
    assert page.url == address
    give(page, "Yes")
    for shown in ("Check 2", "Check 1", "Try it", "Habits and health"):
        back(page, shown)
        assert page.url == address
    for name in ("Start", "Continue", "Continue", "Continue", "Continue", "Continue"):
        press(page, name)
    answering.send(page)
    assert Response.objects.count() == 1
    assert page.evaluate("history.state") is None
