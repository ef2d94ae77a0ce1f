"""Questions that a second one hides, in a real browser: on both paths, by what the page shows."""

import re

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from playwright.sync_api import Page, expect

from surveys.authoring.services import launch
from surveys.models import Question, Response, Survey
from tests import accessible
from tests.browser import answering
from tests.browser.answering import give, heading, press, raw, step
from tests.browser.following import follow
from tests.factories import BIRTHDAY, add_question, make_survey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
SAME, DIFFERENT = "The same answer to both", "Different answers"
ALWAYS_FIRST = "crypto.getRandomValues = (array) => array.fill(0)"
# The second answer of each question that has one.
SECOND = {"Have you read somebody's diary?": "Yes", "Have you taken a bribe?": "No"}
WAY = ("Yes", "No", "Yes", SAME, "No", "Prefer not to say")


@pytest.fixture
def crosswise(owner) -> Survey:
    """Nothing but one question, which no device draws."""
    draft = make_survey(owner)
    add_question(
        draft,
        required=True,
        design=Question.Design.CROSSWISE,
        harmless=BIRTHDAY,
        harmless_yes="1/4",
    )
    launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


def give_both(page: Page, answer: str) -> None:
    """Answer what is shown; where there is a second question, answer that one too."""
    title = heading(page)
    if title not in SECOND:
        give(page, answer)
        return
    choose(page, 0, answer)
    choose(page, 1, SECOND[title])


def choose(page: Page, place: int, answer: str) -> None:
    """The first question's answers come before the second's."""
    step(page).get_by_label(answer, exact=True).nth(place).check()


def codes(page: Page) -> list[str]:
    return [field.partition("=")[2] for field in raw(page).split("&")][3:]


def answer_all(page: Page) -> None:
    for answer in WAY:
        give_both(page, answer)
        press(page, "Continue")


def test_one_of_both_answers_is_sent_chance_alone_decides_which_and_the_receipt_shows_it(
    page, server, other_survey
):
    """A draw of 0 takes the first report that is possible: only No and No make a Yes impossible."""
    with page.add_init_script(ALWAYS_FIRST):
        answering.go_to_questions(page, server, other_survey)
    answer_all(page)
    answering.send(page)
    assert heading(page) == "This is everything that was sent"
    assert page.get_by_text("they are the same").is_visible()
    assert Response.objects.get().answers == "".join(codes(page))
    assert codes(page) == ["00", "00", "01", "01", "00", "00"]


def test_both_questions_have_to_be_answered_and_the_open_one_gets_the_focus(
    page, server, other_survey
):
    answering.go_to_questions(page, server, other_survey)
    for answer in WAY[:2]:
        give(page, answer)
        press(page, "Continue")
    choose(page, 0, "Yes")
    press(page, "Continue")
    assert step(page).get_by_role("alert").inner_text().startswith("Please answer both questions")
    expect(step(page).get_by_role("radio").nth(2)).to_be_focused()
    choose(page, 1, "No")
    press(page, "Continue")
    assert heading(page) == "Do your answers to these two questions agree?"


def test_the_own_answer_is_read_before_the_second_as_the_weights_are(page, server, other_survey):
    """``pairs[2 * own + second]``: Yes and No, 0100, belong to the third row of weights."""
    answering.go_to_questions(page, server, other_survey)
    for answer in WAY[:2]:
        give(page, answer)
        press(page, "Continue")
    choose(page, 0, "Yes")
    choose(page, 1, "No")
    code, columns = page.evaluate(
        """async (url) => {
            const { read } = await import(url);
            const { code, columns } = read(document.querySelector("[data-name=q003]"));
            return [code, columns];
        }""",
        staticfiles_storage.url("surveys/collecting/send.js"),
    )
    assert code == "0100"
    assert columns == ["0000", "0001", "0100", "0101"]


def test_crosswise_alone_has_no_coins_and_leads_straight_to_the_question(page, server, crosswise):
    page.goto(answering.address(server, crosswise))
    assert page.get_by_text("coin").count() == 0
    not_from_this = page.get_by_role("row", name="Not from this")
    assert not_from_this.get_by_role("listitem").count() == 5
    press(page, "Start")
    assert heading(page) == "Do your answers to these two questions agree?"
    assert step(page).get_by_role("listitem").all_inner_texts() == [
        "Have you ever shoplifted?",
        BIRTHDAY,
    ]
    assert step(page).get_by_role("radio").count() == 2
    assert step(page).get_by_label("Yes", exact=True).count() == 0
    give(page, DIFFERENT)
    press(page, "Continue")
    answering.send(page)
    assert codes(page) == ["00"]
    assert page.get_by_role("cell", name=re.compile("Different answers")).is_visible()


def test_crosswise_is_the_same_without_a_script(page_without_script, server, crosswise):
    page = page_without_script
    page.goto(answering.address(server, crosswise))
    follow(page.get_by_role("link", name="Answer without the script").last)
    assert page.get_by_text(BIRTHDAY).is_visible()
    page.get_by_label(SAME, exact=True).check()
    follow(page.get_by_role("button", name="Send"))
    assert Response.objects.get().answers == "01"


def test_without_a_script_a_die_picks_the_question_and_groups_are_not_asked(
    page_without_script, server, other_survey
):
    page = page_without_script
    page.goto(answering.address(server, other_survey, "own-coin"))
    shown = page.get_by_role("group", name="Have you read somebody's diary?")
    assert "5–6: answer the second question" in shown.inner_text()
    assert "only the script can draw the group for this question" in page.inner_text("main")
    choices = {
        "Did you ever lie to a doctor?": "Yes",
        "Have you hit a parked car and left?": "No",
        "Have you read somebody's diary?": "Yes",
        "Do your answers to these two questions agree?": DIFFERENT,
    }
    answering.fill_own_coin(page, choices)
    follow(page.get_by_role("button", name="Send"))
    response = Response.objects.get()
    assert response.answers == "01000100" + "----"


def states(page: Page, server, survey):
    answering.open_start(page, server, survey)
    yield "start"
    answering.go_to_questions(page, server, survey)
    for number, answer in enumerate(WAY, start=1):
        press(page, "Continue")
        yield f"question {number} without an answer"
        give_both(page, answer)
        yield f"question {number} answered"
        press(page, "Continue")
    answering.send(page)
    yield "receipt"
    for name in ("own-coin", "how-it-works"):
        page.goto(answering.address(server, survey, name))
        yield name


@pytest.mark.audit
@pytest.mark.parametrize("width", [320, 1280])
def test_every_state_is_accessible_and_nothing_scrolls_sideways(page, server, other_survey, width):
    page.set_viewport_size({"width": width, "height": 640})
    page.emulate_media(reduced_motion="reduce")
    for state in states(page, server, other_survey):
        assert accessible.violations(page) == [], state
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        assert page.evaluate(accessible.SMALL_TARGETS) == [], state
