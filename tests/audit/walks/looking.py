"""What holds on every page that a walk comes to.

It is sound: no error page, no request that fails, no message of a broken policy or script. Each
different page is looked at once: axe, and no sideways scroll, at two widths in both schemes.
"""

import re
from urllib.parse import urlsplit

from django.urls import resolve
from playwright.sync_api import ConsoleMessage, Page, Request, Response, expect

from tests import accessible, tour
from tests.chromium import SCREEN

# A page whose scripts are switched off runs no timers, and axe waits for some that are due at once.
WITHOUT_TIMERS = """
() => {
  window.setTimeout = (act, wait, ...values) => {
    if (!wait) Promise.resolve().then(() => act(...values));
    return 0;
  };
}"""
# axe writes style sheets into pages whose own import others, which their policy refuses.
HEAR_NO_MORE = "window.violations = Object.assign([], {push() {}})"
# Groups that are closed are looked at too, and closed again. A menu would lie over the page.
UNFOLD = """
() => {
  window.unfolded = [...document.querySelectorAll('details:not(.menu, [open])')];
  for (const fold of window.unfolded) fold.open = true;
}"""
FOLD = "() => window.unfolded.forEach(fold => { fold.open = false; })"
OF_LANGUAGE = re.compile("^/[a-z]{2}/s/")  # Django resolves an address in the active language
REFUSED = re.compile(r"\b4\d\d\b")  # the status of a page, and what browsers say of it
CANCELLED = "net::ERR_ABORTED"  # a file that is downloaded, or a page that is left


class Looker:
    """Hears what goes wrong on the pages of one browser, and looks at each different page once."""

    def __init__(self, page: Page, *, has_script: bool) -> None:
        self.page, self.has_script = page, has_script
        self.looked_at: list[str] = []
        self._troubles: list[str] = []
        self._is_looking = False
        page.add_init_script(accessible.WATCH)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._troubles.append(str(error)))
        page.on("requestfailed", self._note_failure)
        page.on("response", self._note_refusal)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not self._is_looking:
            self._troubles.append(message.text)

    def _note_failure(self, request: Request) -> None:
        if request.failure != CANCELLED:
            self._troubles.append(f"{request.failure}: {request.url}")

    def _note_refusal(self, response: Response) -> None:
        if response.status >= 400:
            self._troubles.append(f"{response.status}: {response.url}")

    def require_sound(self, *, expects_errors: bool, is_refused: bool) -> None:
        """That the page is one to go on from: with a heading, and with errors if they are meant."""
        if expects_errors or is_refused:
            self._troubles = [each for each in self._troubles if not REFUSED.search(each)]
        self.require_no_trouble()
        expect(self.page.locator("h1:visible").first).to_be_visible()
        said = tour.errors_said(self.page.content())
        assert bool(said) == expects_errors, (self.page.url, said)

    def require_no_trouble(self) -> None:
        assert self._troubles == [], (self.page.url, self._troubles)

    def look(self, state: str) -> None:
        """At the page as it stands, unless one like it was looked at before."""
        name = f"{self._kind_of_page()} {state}".strip()
        if name in self.looked_at:
            return
        self.looked_at.append(name)
        assert self.page.evaluate("window.violations ?? []") == [], name
        self._is_looking = True
        self.page.evaluate(HEAR_NO_MORE)
        if not self.has_script:
            self.page.evaluate(WITHOUT_TIMERS)
        self.page.evaluate(UNFOLD)
        accessible.check(self.page, name)
        self.page.evaluate(FOLD)
        self.page.set_viewport_size(SCREEN)
        self.page.emulate_media(color_scheme="null", reduced_motion="null")
        self._is_looking = False

    def _kind_of_page(self) -> str:
        """The name of its address, or of the file that it is."""
        address = urlsplit(self.page.url)
        if address.scheme == "file":
            return address.path.rpartition("/")[2]
        return resolve(OF_LANGUAGE.sub("/en/s/", address.path)).view_name
