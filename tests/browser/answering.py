"""Going through a survey as a person does: by what the page shows.

The tests of the way itself do it with the mouse. All others press the same controls from within
the page: a mouse costs five times as much, for each is painted anew where it points.
"""

from collections.abc import Mapping

from django.urls import reverse
from playwright.sync_api import Locator, Page

from surveys.models import Survey
from tests import patience
from tests.conftest import Server

# What somebody might answer to the questions of ``factories.add_one_of_each``, in their order.
ANSWERS = ("Yes", "No", "Once", "Yes", "Bicycle", "Prefer not to say", "42")

# Gives an answer where it is offered: in a list, as a label, or in a field for text.
GIVING = """
  const named = (within, selector, name) => [...within.querySelectorAll(selector)]
    .find((one) => one.textContent.trim() === name);
  const type = (field, value) => {
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const give = (within, answer) => {
    const option = named(within, 'option', answer);
    const control = named(within, 'label', answer)?.control;
    const field = within.querySelector('input[type=text]');
    const seen = option?.closest('select') ?? control ?? field;
    if (!seen?.checkVisibility()) throw new Error(`No ${answer}: ${document.title}`);
    if (option) type(seen, option.value);
    else if (seen === field) type(seen, answer);
    else if (!control.checked) control.click();
  };"""
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
    const ways = [...left.querySelectorAll('[data-act=next]')];
    press(ways.find((one) => one.checkVisibility()));
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
ANSWER_ALL = f"""async ([patience, answers]) => {{{PRESSING}{GIVING}
  for (const answer of answers) {{
    give(shown(), answer);
    await goOn();
  }}
}}"""
GIVE = f"""(answer) => {{{GIVING}
  give(document.querySelector('[data-step]:not([hidden])'), answer);
}}"""
FILL = f"""(choices) => {{{GIVING}
  for (const [question, choice] of Object.entries(choices)) {{
    const groups = [...document.querySelectorAll('fieldset')]
      .filter((one) => one.querySelector('legend')?.textContent.includes(question));
    if (groups.length !== 1) throw new Error(`${{groups.length}} groups have ${{question}}`);
    give(groups[0], choice);
  }}
}}"""
# Returns when the page has done what a press begins, unless it asks the server first.
PRESS_WHAT_IS_SHOWN = """async (name) => {
  const shown = document.querySelector('[data-step]:not([hidden])');
  const control = [...shown?.querySelectorAll('[data-act]') ?? []]
    .find((one) => one.checkVisibility() && one.textContent.trim() === name);
  if (!control) return false; // timers stand still where scripts are switched off
  control.click();
  await new Promise((done) => setTimeout(done));
  return true;
}"""
# What ``test_answering`` presses with the mouse on its way.
SEEN_UNCOVERED = ("Start", "Continue", "Check", "Send")


def address(server: Server, survey: Survey, name: str = "start") -> str:
    return server.url + reverse(f"respondent:{name}", args=[survey.pk])


def heading(page: Page) -> str:
    """The heading of the screen that is shown."""
    return page.locator("h1:visible").inner_text()


def step(page: Page) -> Locator:
    """The screen that is shown."""
    return page.locator("[data-step]:visible")


def press(page: Page, name: str) -> None:
    """From within the page what the way presses with the mouse; anything else with the mouse."""
    if name not in SEEN_UNCOVERED or not page.evaluate(PRESS_WHAT_IS_SHOWN, name):
        press_with_mouse(page, name)


def press_with_mouse(page: Page, name: str) -> None:
    """Without waiting for what could move: nothing does."""
    page.get_by_role("button", name=name, exact=True).last.click(force=True)


def open_start(page: Page, server: Server, survey: Survey) -> None:
    page.goto(address(server, survey))
    # Where items are rated, it waits for their names.
    page.get_by_role("button", name="Start", exact=True, disabled=False).last.wait_for()


def go_to_questions(page: Page, server: Server, survey: Survey) -> None:
    """Through start, practice and both checks to the first question."""
    open_start(page, server, survey)
    start(page)


def start(page: Page) -> None:
    """From the first page, which is open, through practice and both checks."""
    page.evaluate(START, patience.MILLISECONDS)


def give(page: Page, answer: str) -> None:
    """Answer the question that is shown: choose, pick from a list, or type a number."""
    page.evaluate(GIVE, answer)


def answer_all(page: Page, answers: tuple[str, ...] = ANSWERS) -> None:
    """Answer every question, up to the screen with Send."""
    page.evaluate(ANSWER_ALL, [patience.MILLISECONDS, answers])


def send(page: Page) -> None:
    """Until a receipt or a refusal is shown."""
    press(page, "Send")
    page.locator("main[data-reply=receipt], [data-state=refused]:not([hidden])").wait_for()


def answer_whole_survey(
    page: Page, server: Server, survey: Survey, answers: tuple[str, ...] = ANSWERS
) -> None:
    """From the link to the receipt."""
    go_to_questions(page, server, survey)
    answer_all(page, answers)
    send(page)


def fill_own_coin(page: Page, choices: Mapping[str, str]) -> None:
    """Choose on the one long page; the names are the questions' texts."""
    page.evaluate(FILL, choices)


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
