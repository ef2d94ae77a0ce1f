"""A tutorial as its reader follows it: each step is read from its page and done in the browser.

In the numbered steps, **bold** is what a reader presses, opens or ticks, by the words on the page;
**bold**: `code` is a field and what goes into it; *italics* are words that the page shows.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests.browser.following import another_page
from tests.conftest import ROOT

FOLDER = ROOT / "docs" / "tutorials"
STEP = re.compile(r"^\d+\. (.*(?:\n {3}.*)*)", re.M)
MARK = re.compile(
    r"\*\*(?P<name>[^*]+)\*\*(?::? `(?P<value>[^`]+)`)?|(?<!\*)\*(?P<words>[^*]+)\*(?!\*)"
)
FILE = re.compile(r"\.(csv|json|html|parquet|svg|png|md|R)(\?|$)")
# A link to another page, or the button of a form: what leads away from this page.
LEAVES = """e => e.matches('a[href]:not([href^="#"])') || (e.type === 'submit' && !!e.form)"""
KIND = "e => e.control ? e.control.type : ''"


@dataclass(frozen=True)
class Mark:
    """What one marked place of a step asks for; ``words`` are only read."""

    name: str = ""
    value: str = ""
    words: str = ""


def marks_of(text: str) -> Iterator[Mark]:
    """The marks of all numbered steps of a page, in order."""
    for step in STEP.findall(text):
        for found in MARK.finditer(" ".join(step.split())):
            yield Mark(**{name: value or "" for name, value in found.groupdict().items()})


@dataclass
class Reader:
    """A person at a page, who does what a tutorial says.

    ``values`` are for fields whose content the tutorial describes, such as a day in two weeks;
    ``after`` is what happens elsewhere once something is pressed, such as a worker's turn.
    """

    page: Page
    values: Mapping[str, str]
    after: Mapping[str, Callable[[], object]]

    def follow(self, name: str) -> int:
        """Do all steps of ``docs/tutorials/<name>``; how many marks they have."""
        done = 0
        for mark in marks_of((FOLDER / name).read_text()):
            try:
                self._do(mark)
            except AssertionError as problem:
                shown = self.page.inner_text("body")[:4000]
                raise AssertionError(f"{name}: {mark}\n{problem}\n{shown}") from None
            done += 1
        return done

    def _do(self, mark: Mark) -> None:
        value = mark.value or self.values.get(mark.name, "")
        if mark.words:
            body = self.page.locator("body")
            expect(body).to_contain_text(mark.words, use_inner_text=True, ignore_case=True)
        elif value:
            self._fill(mark.name, value)
        else:
            self._press(mark.name)
        self.after.get(mark.name, lambda: None)()

    def _named(self, selector: str, name: str) -> Locator:
        """What is seen of this name; a label may go on after a colon."""
        words = r"\s+".join(map(re.escape, name.split()))
        pattern = re.compile(rf"^\s*{words}\s*(:[\s\S]*)?$")
        buttons = self.page.get_by_role("button", name=name, exact=True)
        found = self.page.locator(selector).filter(has_text=pattern).or_(buttons)
        shown = found.locator("visible=true").first
        expect(shown).to_be_visible()
        return shown

    def _fill(self, name: str, value: str) -> None:
        label = self._named("label", name)
        if label.evaluate(KIND) == "select-one":
            label.select_option(label=value)
        else:
            label.fill(value)

    def _press(self, name: str) -> None:
        target = self._named("a, button, summary, label", name)
        address = target.get_attribute("href") or ""
        if FILE.search(address):
            assert self.page.request.get(target.evaluate("e => e.href")).ok, address
        elif kind := target.evaluate(KIND):
            assert kind in ("radio", "checkbox"), f"no value for the field {name}"
            target.check()
        elif target.evaluate(LEAVES):
            with another_page(self.page):
                target.click()
        else:
            target.click()
