"""Going through a survey as a person does: by what the page shows.

``give`` and ``press`` do it with the mouse, as the tests of the way itself do. Where a test is
about what comes after it, ``start`` and ``answer_all`` press the same controls from within the
page: a mouse waits for each to stand still, and a walk with it costs five times as much.
"""

from collections.abc import Mapping

from django.urls import reverse
from playwright.sync_api import Locator, Page

from surveys.models import Survey
from tests import patience
from tests.conftest import Server

# What somebody might answer to the questions of ``factories.add_one_of_each``, in their order.
ANSWERS = ("Yes", "No", "Once", "Yes", "Bicycle", "Prefer not to say", "42")

# Presses only what can be seen, and returns when another screen is shown.
PRESSING = """
  const shown = () => document.querySelector('[data-step]:not([hidden])');
  const press = (control) => {
    if (!control?.checkVisibility()) throw new Error(`Nothing to press: ${document.title}`);
    control.click();
  };
  const goOn = () => new Promise((done, fail) => {
    const left = shown();
    const late = setTimeout(() => fail(new Error(`No way on from ${document.title}`)), patience);
    const look = new MutationObserver(() => {
      if (shown() === left) return;
      clearTimeout(late);  // it would hold the screen that was left
      look.disconnect();
      done();
    });
    look.observe(left, { attributeFilter: ['hidden'] });
    press(left.querySelector('[data-act=next]'));
  });"""
START = f"""async (patience) => {{{PRESSING}
  while (['start', 'practice', 'check'].includes(shown().dataset.step)) {{
    const {{ right }} = shown().dataset;
    if (right) {{
      press(shown().querySelector(`input[value=${{right}}]`));
      press(shown().querySelector('[data-act=check]'));
    }}
    await goOn();
  }}
}}"""
ANSWER_ALL = f"""async ([patience, answers]) => {{{PRESSING}
  const named = (selector, name) => [...shown().querySelectorAll(selector)]
    .find((one) => one.textContent.trim() === name);
  const type = (field, value) => {{
    field.value = value;
    field.dispatchEvent(new Event('input', {{ bubbles: true }}));
  }};
  for (const answer of answers) {{
    const option = named('option', answer), label = named('label', answer);
    if (option) type(option.closest('select'), option.value);
    else if (label) press(label.control);
    else type(shown().querySelector('input[type=text]'), answer);
    await goOn();
  }}
}}"""


def address(server: Server, survey: Survey, name: str = "start") -> str:
    return server.url + reverse(f"respondent:{name}", args=[survey.pk])


def heading(page: Page) -> str:
    """The heading of the screen that is shown."""
    return page.locator("h1:visible").inner_text()


def step(page: Page) -> Locator:
    """The screen that is shown."""
    return page.locator("[data-step]:visible")


def press(page: Page, name: str) -> None:
    """With the mouse, without waiting for what could move: nothing does."""
    page.get_by_role("button", name=name, exact=True).click(force=True)


def open_start(page: Page, server: Server, survey: Survey) -> None:
    page.goto(address(server, survey))
    page.get_by_role("button", name="Start", exact=True).wait_for()


def go_to_questions(page: Page, server: Server, survey: Survey) -> None:
    """Through start, practice and both checks to the first question."""
    open_start(page, server, survey)
    start(page)


def start(page: Page) -> None:
    """From the first page, which is open, through practice and both checks."""
    page.evaluate(START, patience.MILLISECONDS)


def give(page: Page, answer: str) -> None:
    """Answer the question that is shown: choose, pick from a list, or type a number."""
    options = step(page).get_by_role("combobox")
    box = step(page).get_by_role("textbox")
    if options.count():
        options.select_option(label=answer)
    elif box.count() and answer[:1].isdigit():
        box.fill(answer)
    else:
        step(page).get_by_label(answer, exact=True).check(force=True)


def answer_all(page: Page, answers: tuple[str, ...] = ANSWERS) -> None:
    """Answer every question, up to the screen with Send."""
    page.evaluate(ANSWER_ALL, [patience.MILLISECONDS, answers])


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
