"""A respondent who answers by keyboard alone: Tab from one control to the next, as it comes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from playwright.sync_api import Page

from surveys.models import Survey
from tests.browser import answering
from tests.conftest import Server

MOST_STOPS, MOST_STOPS_OF_FORM = 40, 400  # more mean that the focus runs in a circle
# The keys that choose a value where the focus stands: in a list, or in a group of radio buttons.
CHOOSING = """
  const choosing = (at, value) => {
    const group = at.options ?? document.querySelectorAll(`[name="${at.name}"]`);
    const from = at.selectedIndex ?? [...group].indexOf(at);
    const to = [...group].findIndex((one) => [value].flat().includes(one.value));
    if (to < 0) throw new Error(`There is no ${value} in ${at.outerHTML}`);
    if (from === to && at.type === 'radio' && !at.checked) return ['Space'];
    return Array(Math.abs(to - from)).fill(to < from ? 'ArrowUp' : 'ArrowDown');
  };"""
# What to press or type where the focus stands, so that the page has the answers that are wanted.
STOP = (
    f"""(wanted) => {{{CHOOSING}"""
    """
  const at = document.activeElement, step = at.closest('[data-step]');
  if (!step) throw new Error(`The focus left the screen: ${at.outerHTML.slice(0, 200)}`);
  if (at.dataset.act) return { act: at.dataset.act };
  if (at.tagName === 'SUMMARY' || at.name === 'practice') return {};
  const question = (at.name || at.id || at.closest('[data-name]').dataset.name).slice(0, 4);
  const { part, item } = at.closest('[data-part], [data-item]')?.dataset ?? {};
  const number = Number(part ?? item ?? 0);
  const key = 'declined' in at.dataset ? `${question}/declined`
    : number ? `${question}/${number}`
    : at.name?.endsWith('-second') ? `${question}/second` : question;
  const value = step.dataset.right ?? wanted[key];
  if (at.type === 'checkbox') return { keys: (value === 'yes') === at.checked ? [] : ['Space'] };
  if (value === undefined) throw new Error(`Nothing is known of ${key}: ${at.outerHTML}`);
  if (at.type === 'radio' || at.tagName === 'SELECT') return { keys: choosing(at, value) };
  return at.type === 'date' && at.value ? {} : { text: value }; // it has a stop for each part
}"""
)
STEP = "document.querySelector('[data-step]:not([hidden])').dataset.step"
SHOWN = """() => [...document.querySelectorAll('[data-step]:not([hidden]) [data-question]')]
  .filter((one) => !one.hidden).map(({ dataset }) => Number(dataset.label.match(/[0-9]+/)[0]))"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# As ``STOP``, on the one long page of the own coin: ``wanted`` has each field as it is sent, all
# that fields may send whose order is the page's, or None for one that stays as it is.
FORM_STOP = (
    f"""(wanted) => {{{CHOOSING}"""
    """
  const at = document.activeElement;
  if (!at.closest('form') || at.tagName === 'A') return {};
  if (at.tagName === 'BUTTON') return { act: 'send' };
  if (at.type === 'checkbox') return { keys: at.checked ? [] : ['Space'] };
  const value = wanted[at.name];
  if (value === undefined) throw new Error(`Nothing is known of ${at.outerHTML}`);
  if (at.type === 'radio' || at.tagName === 'SELECT') return { keys: choosing(at, value) };
  if (value === null || at.value === value) return {};
  return { text: value, keys: at.value ? ['Control+A'] : [] };
}"""
)
Look = Callable[[str, tuple[int, ...]], None]


@dataclass
class Walk:
    """What a walk by keyboard met: ``shown`` are the questions, in the order in which they came."""

    page: Page
    wanted: Mapping[str, str | list[str] | None]
    look: Look = lambda step, shown: None
    shown: list[int] = field(default_factory=list)
    presses: int = 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.presses += 1

    def to_the_receipt(self) -> None:
        """From the first page, which is open, through every screen, until the reply is there."""
        while self._screen() != "send":
            pass
        self.page.locator("main[data-reply]").wait_for()

    def _screen(self) -> str:
        """Answer and leave the screen that is shown; returns which one it was."""
        step: str = self.page.evaluate(STEP)
        wanted_act = "send" if step == "send" else "next"
        for _ in range(MOST_STOPS):
            act = self._stop(STOP)
            if act == wanted_act:
                self._leave(step)
                return step
            if act == "check":
                self.press("Enter")  # the focus is on the way on
                self._leave(step)
                return step
        raise AssertionError(f"No way on from {self.page.title()}")

    def _leave(self, step: str) -> None:
        shown = tuple(self.page.evaluate(SHOWN))
        self._require_no_overflow()
        self.shown += shown
        self.look(step, shown)
        self.press("Enter")

    def _stop(self, script: str) -> str | None:
        """To the next control, and what it asks for; the act of a button, which is not pressed."""
        self.press("Tab")
        todo = self.page.evaluate(script, self.wanted)
        for key in todo.get("keys", ()):
            self.press(key)
        if todo.get("text"):
            self.page.keyboard.type(todo["text"])
        act: str | None = todo.get("act")
        return act

    def through_the_form(self) -> None:
        """The one long page of the own coin, which is open, until its receipt is there."""
        for _ in range(MOST_STOPS_OF_FORM):
            if self._stop(FORM_STOP) == "send":
                self._require_no_overflow()
                self.press("Enter")
                self.page.locator("main[data-reply]").wait_for()
                return
        raise AssertionError("The form has no Send")

    def _require_no_overflow(self) -> None:
        assert self.page.evaluate(OVERFLOW) <= 0, self.page.title()


def start(page: Page, server: Server, survey: Survey, arm: str) -> None:
    """Open the first page; chance has drawn this arm, as it were: the page draws no second one."""
    answering.open_start(page, server, survey)
    page.evaluate("arm => { document.querySelector('main').dataset.arm = arm; }", arm)
