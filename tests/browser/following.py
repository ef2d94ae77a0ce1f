"""Pressing what leads to another page, where the next line reads that page at once.

A click returns when it is done, which on a busy machine can be before the new page is there: a
reading that does not wait for its own words would then read the page that is left. Playwright's
own wait for a navigation ends too early as well: a form with unsaved work drops the fragment of its
address as it is sent, which counts as one. A page is loaded once.
"""

from contextlib import AbstractContextManager

from playwright.sync_api import Locator, Page


def another_page(page: Page) -> AbstractContextManager:
    """What is done within leads to another page, which has loaded where it ends."""
    return page.expect_event("load")


def follow(control: Locator) -> None:
    """Press a link or a button, and return when the page that it leads to has loaded."""
    with another_page(control.page):
        control.click()
