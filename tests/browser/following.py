"""Pressing what leads to another page, where the next line reads that page at once.

A click returns when it is done, which on a busy machine can be before the new page is there: a
reading that does not wait for its own words would then read the page that is left.
"""

from playwright.sync_api import Locator


def follow(control: Locator) -> None:
    """Press a link or a button, and return when the page that it leads to has loaded."""
    with control.page.expect_navigation():
        control.click()
