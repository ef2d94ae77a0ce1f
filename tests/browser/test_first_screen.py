"""What a respondent reads before Start: few words, whatever the survey asks, and Start in sight."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from ranking import demonstration as rating_surveys
from surveys.demonstration.affairs import open_affairs_survey, open_trial_survey
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.wording.protection import keeping_lines, odds_lines
from surveys.wording.texts import reports_line
from tests import accessible
from tests.arms import make_arms_survey
from tests.browser import answering
from tests.conftest import Server
from tests.factories import (
    ELEVEN,
    add_budget,
    add_long_list,
    add_one_of_each,
    add_other_designs,
    add_question,
    add_rating,
    add_text,
    launched,
    make_lists,
    make_other_survey,
    make_survey,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
MOST_WORDS = 240
MOST_OF_FIRST = 200  # of the demonstration's first survey
WIDE = {"width": 1280, "height": 800}
# Every text that is shown, also to screen readers, ahead of the button.
BEFORE_START = """
start => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const read = [];
  for (let text = texts.nextNode(); text && !start.contains(text); text = texts.nextNode()) {
    if (text.parentElement.checkVisibility({ visibilityProperty: true })) read.push(text.data);
  }
  return read.join(" ");
}
"""


def words_before_start(page: Page) -> list[str]:
    return re.findall(r"\S*\w\S*", starts(page).last.evaluate(BEFORE_START))


def starts(page: Page) -> Locator:
    return page.get_by_role("button", name="Start", exact=True)


def starts_in_sight(page: Page) -> int:
    """Without scrolling, and whole."""
    height = page.viewport_size["height"]
    boxes = [start.bounding_box() for start in starts(page).all()]
    return sum(box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes)


def every_kind(owner, *, budget: bool = True, **fields: object) -> Survey:
    """Every kind of question with every design that it can carry."""
    draft = make_survey(owner, **fields)
    add_one_of_each(draft)
    add_other_designs(draft)
    add_long_list(draft)
    add_rating(draft, *ELEVEN, design="k_ary", epsilon=5)
    add_text(draft)
    if budget:
        add_budget(draft)
    return launched(draft)


def demonstrations(owner) -> list[Survey]:
    """Every survey that the demonstration opens."""
    affairs = open_affairs_survey(owner, planned_responses=1000)
    ratings = [rating_surveys.open_survey(sort, owner) for sort in rating_surveys.SORTS]
    return [affairs, open_trial_survey(owner), *ratings]


def count_words(page: Page, server: Server, survey: Survey) -> int:
    answering.open_start(page, server, survey)
    return len(words_before_start(page))


def test_the_first_survey_of_the_demonstration_says_it_in_200_words_with_one_start_in_sight(
    page, server, owner
):
    page.set_viewport_size(WIDE)
    survey = open_affairs_survey(owner, planned_responses=1000)
    assert 40 < count_words(page, server, survey) <= MOST_OF_FIRST
    assert starts_in_sight(page) == starts(page).count() == 1


def test_every_survey_of_the_demonstration_says_it_in_240_words_with_start_in_sight(
    page, server, owner
):
    page.set_viewport_size(WIDE)
    for survey in demonstrations(owner):
        assert 40 < count_words(page, server, survey) <= MOST_WORDS, survey
        assert starts_in_sight(page) >= 1, survey


@pytest.mark.parametrize("invited", [pytest.param(False, marks=pytest.mark.audit), True])
@pytest.mark.parametrize("budget", [pytest.param(False, marks=pytest.mark.audit), True])
def test_a_survey_with_every_kind_of_question_says_it_in_240_words(
    page, server, owner, invited, budget
):
    survey = every_kind(owner, budget=budget, invitation_only=invited, batch_size=35)
    assert 40 < count_words(page, server, survey) <= MOST_WORDS


def test_a_survey_that_draws_questions_says_it_in_240_words_too(page, server, owner):
    survey = every_kind(owner, budget=True, invitation_only=True, batch_size=35, asked=3)
    assert 40 < count_words(page, server, survey) <= MOST_WORDS


def weekly() -> dict[str, object]:
    """Fields of a survey for invited people that is opened every week."""
    closes = timezone.now().date() + timedelta(days=30)
    opened = {"opening": "every", "opening_days": 7, "planned_responses": 1000, "batch_size": 5}
    return {"invitation_only": True, "close_on": closes, **opened}


def every_part(owner) -> Survey:
    """For invited people, with questions drawn by chance, and opened every week."""
    draft = make_survey(owner, asked=3, **weekly())
    add_one_of_each(draft)
    add_other_designs(draft)
    add_rating(draft, *ELEVEN, design="k_ary", epsilon=5)
    add_text(draft)
    return launched(draft)


def every_part_in_groups(owner) -> Survey:
    """The same without what people type, and chance puts each of them into one of three groups.

    With both the page would run more lines of script than respondents are promised (P11).
    """
    draft = make_survey(owner, asked=3, arms="Short: 1\nMiddle: 2\nLong: 1", **weekly())
    add_question(draft, text="Do you own a car?", design="direct", arms="Short | Middle")
    add_question(draft, text="Do you own a bicycle?", design="direct", arms="Long")
    add_other_designs(draft)
    add_rating(draft, *ELEVEN, design="k_ary", epsilon=5)
    return launched(draft)


def test_a_survey_with_every_part_says_it_in_240_words_and_starts_early_too(page, server, owner):
    page.set_viewport_size(WIDE)
    assert 40 < count_words(page, server, every_part(owner)) <= MOST_WORDS
    assert starts(page).count() == 2
    assert starts_in_sight(page) == 1
    starts(page).first.click()  # above the field for the code, which stays the next thing to fill
    expect(page.get_by_label("Your invitation code")).to_be_focused()


def test_a_survey_that_draws_groups_says_it_in_240_words_too(page, server, owner):
    page.set_viewport_size(WIDE)
    for survey in (make_arms_survey(owner, **weekly()), every_part_in_groups(owner)):
        assert 40 < count_words(page, server, survey) <= MOST_WORDS
        assert starts_in_sight(page) >= 1


@pytest.mark.parametrize("lines", [1, 12])
def test_whatever_the_introduction_start_is_in_sight(page, server, owner, lines):
    page.set_viewport_size(WIDE)
    introduction = "\n\n".join(["We ask how common some habits are, and who has them."] * lines)
    draft = make_survey(owner, introduction=introduction, batch_size=5)
    add_question(draft)
    answering.open_start(page, server, launched(draft))
    assert starts(page).count() == (2 if lines > 1 else 1)
    assert starts_in_sight(page) >= 1
    starts(page).first.click()
    assert answering.heading(page) == "Try it"


def test_on_a_narrow_screen_a_person_can_start_before_and_after_reading(page, server, owner):
    page.set_viewport_size({"width": 320, "height": 640})
    answering.open_start(page, server, every_kind(owner))
    early, late = starts(page).all()
    assert early.bounding_box()["y"] < page.locator(".consequences").bounding_box()["y"]
    assert late.bounding_box()["y"] > page.locator(".odds").first.bounding_box()["y"]


def test_without_a_script_the_own_coin_is_in_sight(page_without_script, server, owner):
    page = page_without_script
    page.set_viewport_size(WIDE)
    short, long = open_affairs_survey(owner, planned_responses=1000), every_kind(owner)
    for survey, times in ((short, 1), (long, 2)):
        page.goto(answering.address(server, survey))
        own = page.get_by_role("link", name="Use my own coin")
        expect(own).to_have_count(times)  # the first one appears when no script has come
        box = own.first.bounding_box()
        assert box["y"] + box["height"] <= WIDE["height"], survey
        assert starts(page).count() == 0


def test_surveys_with_long_lists_or_second_questions_say_it_in_240_words(page, server, owner):
    for survey in (make_lists(owner), make_other_survey(owner)):
        assert 40 < count_words(page, server, survey) <= MOST_WORDS


def test_who_learns_it_how_well_it_is_protected_and_who_reads_texts_stay_in_sight(
    page, server, owner
):
    answering.open_start(page, server, every_kind(owner))
    words = " ".join(words_before_start(page))
    for told in (
        "Who can learn your true answer to a protected question? Yes The researchers",
        "A court order",
        "Someone looking at your screen now",
        "A changed or hacked copy of this page",
        "Least protected, Question 15: Of 100 people",
        "Together, what is sent says a lot.",
        "Questions 6, 7 and 16: not protected Sent as you give it.",
        "All in all: your 13 protected answers together",
        "The people who run this survey can read what you write.",
        "until you press Send, nothing leaves this page",
    ):
        assert told in words, told


def test_everything_else_is_one_press_away_also_by_keyboard_and_without_a_script(
    page_without_script, server, owner
):
    survey = every_kind(owner, batch_size=35)
    page = page_without_script
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(answering.address(server, survey))
    summary = page.get_by_text("All odds, and what is kept")
    fold = summary.locator("xpath=..")
    promises = questionnaire_of(survey.revision)
    hidden = [*keeping_lines(promises), reports_line(promises)]
    hidden += [" ".join(line.sentences) for line in odds_lines(promises)]
    closed = " ".join(fold.inner_text().split())
    assert [line for line in hidden if line in closed] == []
    summary.focus()
    page.keyboard.press("Enter")
    opened = " ".join(fold.inner_text().split())
    assert [line for line in hidden if line not in opened] == []


@pytest.mark.audit
def test_the_opened_fold_is_accessible_and_reflows(page, server, owner):
    answering.open_start(page, server, every_kind(owner))
    page.get_by_text("All odds, and what is kept").click()
    accessible.check(page, "opened")
    assert page.evaluate(accessible.SMALL_TARGETS) == []
