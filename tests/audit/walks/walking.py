"""A walk: a person goes from page to page by what the pages show.

A walk types an address only where a person has one: at its first page, or of a link that was sent.
"""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests import tour
from tests.audit.walks.looking import Looker
from tests.browser.following import another_page
from tests.conftest import Server


class Walk:
    """One person at a page of a browser of their own."""

    def __init__(self, page: Page, server: Server, *, has_script: bool = True) -> None:
        self.page, self.server, self.has_script = page, server, has_script
        self._looker = Looker(page, has_script=has_script)

    # Where a person comes from.

    def open(self, address: str, state: str = "", *, is_refused: bool = False) -> None:
        """The first page, or a link that was sent to the person."""
        self.page.goto(address if "://" in address else self.server.url + address)
        self.arrive(state, is_refused=is_refused)

    def log_in(self, name: str) -> None:
        """At the site's first page, with a password."""
        self.open("/")
        self.fill("User name", name)
        self.fill("Password", tour.PASSWORD)
        self.press("Log in")

    # What a person does.

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name, exact=True)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def field(self, label: str) -> Locator:
        """A field by its label; the admin writes a colon behind it."""
        return self.page.get_by_label(re.compile(rf"^{re.escape(label)}:?$"))

    def fill(self, label: str, text: str) -> None:
        self.field(label).fill(text)

    def choose(self, label: str, option: str) -> None:
        self.field(label).select_option(option)

    def unfold(self, name: str) -> None:
        """Open a group of a form by its heading."""
        fold = self.page.locator("details", has=self.page.locator("summary", has_text=name)).last
        if fold.get_attribute("open") is None:
            fold.locator("summary").first.click()

    def follow(self, name: str, state: str = "") -> None:
        """A link to another page, by its name."""
        self.go_by(self.link(name), state)

    def press(self, name: str, state: str = "", *, expects_errors: bool = False) -> None:
        """A button that leads to another page, by its name."""
        self.go_by(self.button(name), state, expects_errors=expects_errors)

    def go_by(self, control: Locator, state: str = "", *, expects_errors: bool = False) -> None:
        """Press what leads to another page."""
        with another_page(self.page):
            control.click()
        self.arrive(state, expects_errors=expects_errors)

    def use_tool(self, name: str) -> None:
        """A page of a survey that stands in the menu of its bar."""
        bar = self.page.get_by_role("navigation", name="Pages of this survey")
        bar.locator("summary", has_text="Tools").click()
        self.go_by(bar.get_by_role("link", name=name, exact=True))

    def look_again(self, state: str = "made") -> None:
        """At a report that was being made: a script does it for the person."""
        again = self.link("Look again")
        if not self.has_script:
            self.go_by(again, state)
            return
        again.wait_for(state="detached")
        self.arrive(state)

    def download(self, name: str) -> Path:
        """A file, by the name of its link or button."""
        return self.download_by(self.link(name).or_(self.button(name)))

    def download_by(self, control: Locator) -> Path:
        """What pressing this hands out."""
        with self.page.expect_download() as waiting:
            control.click()
        file = Path(waiting.value.path())
        assert file.stat().st_size, control
        return file

    def text_behind(self, name: str) -> str:
        """What a link leads to that is no page, and that a browser shows as it is."""
        address = self.link(name).evaluate("link => link.href")
        reply = self.page.context.request.get(address)
        assert reply.ok, (address, reply.status)
        return reply.text()

    # What a person sees.

    def sees(self, text: str) -> None:
        expect(self.page.get_by_text(text).filter(visible=True).first).to_be_visible()

    def sees_heading(self, text: str) -> None:
        expect(self.page.get_by_role("heading", name=text).first).to_be_visible()

    def arrive(
        self, state: str = "", *, expects_errors: bool = False, is_refused: bool = False
    ) -> None:
        """Where a page has loaded: it is sound, and is looked at if it is new.

        ``expects_errors``: it says what is wrong with a form. ``is_refused``: it says why there is
        nothing to do.
        """
        self.page.wait_for_load_state()
        self._looker.require_sound(expects_errors=expects_errors, is_refused=is_refused)
        self._looker.look(state)

    def look(self, state: str) -> None:
        """At the page as it stands now, which nothing was wrong with."""
        self._looker.require_no_trouble()
        self._looker.look(state)
