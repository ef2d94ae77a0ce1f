"""Going through a survey as a person does: by what the page shows."""

from collections.abc import Mapping

from django.urls import reverse
from playwright.sync_api import Locator, Page

from surveys.models import Survey
from tests.conftest import Server

# What somebody might answer to the questions of ``factories.add_one_of_each``, in their order.
ANSWERS = ("Yes", "No", "Once", "Yes", "Bicycle", "Prefer not to say", "42")


def address(server: Server, survey: Survey, name: str = "start") -> str:
    return server.url + reverse(f"respondent:{name}", args=[survey.pk])


def heading(page: Page) -> str:
    """The heading of the screen that is shown."""
    return page.locator("h1:visible").inner_text()


def step(page: Page) -> Locator:
    """The screen that is shown."""
    return page.locator("[data-step]:visible")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def open_start(page: Page, server: Server, survey: Survey) -> None:
    page.goto(address(server, survey))
    page.get_by_role("button", name="Start", exact=True).wait_for()


def go_to_questions(page: Page, server: Server, survey: Survey) -> None:
    """Through start, practice and both checks to the first question."""
    open_start(page, server, survey)
    start(page)


def start(page: Page) -> None:
    """From the first page, which is open, through practice and both checks."""
    press(page, "Start")
    press(page, "Continue")
    for right in ("No", "Yes"):
        page.get_by_label(right, exact=True).locator("visible=true").check()
        press(page, "Check")
        press(page, "Continue")


def give(page: Page, answer: str) -> None:
    """Answer the question that is shown: choose, pick from a list, or type a number."""
    options = step(page).get_by_role("combobox")
    box = step(page).get_by_role("textbox")
    if options.count():
        options.select_option(label=answer)
    elif box.count() and answer[:1].isdigit():
        box.fill(answer)
    else:
        step(page).get_by_label(answer, exact=True).check()


def answer_all(page: Page, answers: tuple[str, ...] = ANSWERS) -> None:
    """Answer every question, up to the screen with Send."""
    for answer in answers:
        give(page, answer)
        press(page, "Continue")


def send(page: Page) -> None:
    press(page, "Send")
    page.locator("main[data-reply]").wait_for()


def answer_whole_survey(
    page: Page, server: Server, survey: Survey, answers: tuple[str, ...] = ANSWERS
) -> None:
    """From the link to the receipt."""
    go_to_questions(page, server, survey)
    answer_all(page, answers)
    send(page)


def fill_own_coin(page: Page, choices: Mapping[str, str]) -> None:
    """Choose on the one long page; the names are the questions' texts."""
    for question, choice in choices.items():
        group = page.get_by_role("group", name=question)
        box = group.get_by_role("textbox")
        if box.count():
            box.fill(choice)
        else:
            group.get_by_label(choice, exact=True).check()


OWN_COIN = {
    "Have you ever shoplifted?": "Yes",
    "Have you taken drugs at work?": "No",
    "Did you cheat on taxes?": "Yes",
    "How do you travel?": "Bicycle",
    "Do you own a car?": "Prefer not to say",
    "How old are you?": "042",
}


def raw(page: Page) -> str:
    """The body that the receipt shows."""
    return page.locator("[data-raw]").text_content() or ""
