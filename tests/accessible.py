"""What every state of every page keeps: WCAG 2.2 AA at two widths, in light and in dark.

`make audit` holds it to every rule at both widths and to the colours of both schemes at both;
`make test` to every rule in light where there is least room, and to the colours of the dark.
"""

import os
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
EVERY_RULE = {"runOnly": {"type": "tag", "values": LEVELS}}
# All that a colour scheme can change.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
THOROUGH = os.environ.get("THOROUGH") == "on"
WIDE, NARROW = 1280, 320
AXE = Axe().axe_script
FIND = """
async rules => (await axe.run(document, {...rules, resultTypes: ['violations']})).violations
  .map(one => [one.id, one.nodes[0].html.slice(0, 200)])
"""
# Every picture is fetched, also those further down, and is one.
DRAWN = """
() => Promise.all([...document.images].map(one => {
  one.loading = 'eager';
  return one.decode().then(() => one.naturalWidth > 0, () => false);
})).then(found => found.every(Boolean))
"""
SMALL_TARGETS = """() => [...document.querySelectorAll(
        'button, a.button, input:not([type=hidden]), summary, label.choice, .files a')]
    .filter((element) => element.offsetParent !== null)
    .map((element) => [element.outerHTML.slice(0, 80), element.getBoundingClientRect()])
    .filter(([, box]) => box.width < 24 || box.height < 24)
    .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
WATCH = """
window.violations = [];
addEventListener('securitypolicyviolation', e => violations.push(e.violatedDirective));
"""


def violations(page: Page, rules: dict[str, object] = EVERY_RULE) -> list[list[str]]:
    """What axe finds: its rule and the first place. Only this leaves the page, not all it tried."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[list[str]] = page.evaluate(FIND, rules)
    return found


def check_schemes(page: Page, state: object) -> None:
    """Every rule in light; in dark those that colours can break. Nothing moves meanwhile."""
    for scheme in ("light", "dark"):
        _check_scheme(page, scheme, state)


def _check_scheme(page: Page, scheme: Literal["light", "dark"], state: object) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    rules = EVERY_RULE if scheme == "light" else COLOURS
    found = violations(page, rules)
    assert found == [], (state, scheme, found)


def check(page: Page, state: object) -> None:
    """The page as it stands, at 1280 and at 320 pixels, with its pictures and its policy.

    The policy is watched where ``WATCH`` is an init script of the page.
    """
    page.wait_for_load_state()
    assert page.evaluate(DRAWN), state
    for width, scheme in ((WIDE, "dark"), (NARROW, "light")):
        page.set_viewport_size({"width": width, "height": 800})
        if THOROUGH:
            check_schemes(page, (state, width))
        else:
            _check_scheme(page, scheme, (state, width))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (state, width)
    assert page.evaluate("window.violations ?? []") == [], state
