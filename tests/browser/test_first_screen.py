"""What a respondent reads before Start: at most 250 words, whatever the survey asks."""

import re

import pytest
from playwright.sync_api import Page

from ranking import demonstration as rating_surveys
from surveys.demonstration.affairs import open_affairs_survey, open_trial_survey
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.wording.protection import keeping_lines, odds_lines
from surveys.wording.texts import reports_line
from tests import accessible
from tests.browser import answering
from tests.conftest import Server
from tests.factories import (
    ELEVEN,
    add_budget,
    add_long_list,
    add_one_of_each,
    add_other_designs,
    add_rating,
    add_text,
    launched,
    make_lists,
    make_other_survey,
    make_survey,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
MOST_WORDS = 250
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
    button = page.get_by_role("button", name="Start", exact=True)
    return re.findall(r"\S*\w\S*", button.evaluate(BEFORE_START))


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


def test_every_survey_of_the_demonstration_says_it_in_250_words(page, server, owner):
    for survey in demonstrations(owner):
        assert 40 < count_words(page, server, survey) <= MOST_WORDS, survey


@pytest.mark.parametrize("invited", [pytest.param(False, marks=pytest.mark.audit), True])
@pytest.mark.parametrize("budget", [pytest.param(False, marks=pytest.mark.audit), True])
def test_a_survey_with_every_kind_of_question_says_it_in_250_words(
    page, server, owner, invited, budget
):
    survey = every_kind(owner, budget=budget, invitation_only=invited, batch_size=35)
    assert 40 < count_words(page, server, survey) <= MOST_WORDS


def test_a_survey_that_draws_questions_says_it_in_250_words_too(page, server, owner):
    survey = every_kind(owner, budget=True, invitation_only=True, batch_size=35, asked=3)
    assert 40 < count_words(page, server, survey) <= MOST_WORDS


def test_surveys_with_long_lists_or_second_questions_say_it_in_250_words(page, server, owner):
    for survey in (make_lists(owner), make_other_survey(owner)):
        assert 40 < count_words(page, server, survey) <= MOST_WORDS


def test_who_learns_it_how_well_it_is_protected_and_who_reads_texts_stay_in_sight(
    page, server, owner
):
    answering.open_start(page, server, every_kind(owner))
    words = " ".join(words_before_start(page))
    for told in (
        "Who can learn your true answer to a protected question? The researchers Yes",
        "A court order Yes",
        "Someone who looks at your screen now Yes",
        "A changed or hacked copy of this page Yes",
        "Least protected, Question 15: Of 100 people",
        "together, what is sent says a lot.",
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
    summary = page.get_by_text("How it works: all odds", exact=False)
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
    page.get_by_text("How it works: all odds", exact=False).click()
    accessible.check(page, "opened")
    assert page.evaluate(accessible.SMALL_TARGETS) == []
