"""What every state of every page keeps: WCAG 2.2 AA at two widths, in light and in dark.

`make audit` holds it to every rule at both widths and to the colours of both schemes at both;
`make test` to every rule in light where there is least room, and in both schemes to all pairs of
colours and letters: those that pages before showed are not searched again.
"""

import os
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
EVERY_RULE = {"runOnly": {"type": "tag", "values": LEVELS}}
# All that a colour scheme can change, and half of the work: axe asks what is behind each text.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
COLOURS = {"runOnly": {"type": "rule", "values": OF_COLOURS}}
OTHER_RULES = {**EVERY_RULE, "rules": {name: {"enabled": False} for name in OF_COLOURS}}
# Each way in which text stands on a ground: colours, pictures, transparency, size and weight. The
# texts themselves are kept for ``FIND_AMONG``.
COLOURED = """
() => {
  const clear = /^(transparent|rgba\\(.*, 0\\))$/;
  const ways = window.coloured = new Map();
  for (const one of document.body.querySelectorAll('*')) {
    const named = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const filled = ['INPUT', 'SELECT', 'TEXTAREA'].includes(one.tagName);
    if (!(named || filled) || !one.checkVisibility({visibilityProperty: true})) continue;
    const own = getComputedStyle(one);
    const way = [own.color, own.fontSize, own.fontWeight, own.textDecorationLine, own.textShadow];
    if (one.tagName === 'A') way.push('link in', getComputedStyle(one.parentElement).color);
    if (one.disabled) way.push('disabled');
    for (let at = one; at; at = at.parentElement) {
      const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(at);
      if (backgroundImage !== 'none' || opacity !== '1' || filter !== 'none')
        way.push(backgroundImage, opacity, filter);
      if (!clear.test(backgroundColor)) way.push(backgroundColor);
      if (/^rgb\\(/.test(backgroundColor) && backgroundImage === 'none') break;
    }
    const texts = ways.get(way.join(' ')) ?? [];
    ways.set(way.join(' '), [...texts, one]);
  }
  return [...ways.keys()];
}"""
IS_DARK = "matchMedia('(prefers-color-scheme: dark)').matches"
COLOURED_BEFORE: set[str] = set()
THOROUGH = os.environ.get("THOROUGH") == "on"
WIDE, NARROW = 1280, 320
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
AXE = Axe().axe_script
# Of what rules may ask for before they run, no rule here asks for style sheets: axe would fetch and
# build each again, against the page's policy.
FOUND = """
async (where, rules) => {
  const options = {...rules, resultTypes: ['violations'], preload: {assets: ['media']}};
  return (await axe.run(where, options)).violations
    .map(one => [one.id, one.nodes[0].html.slice(0, 200)]);
}"""
FIND = f"rules => ({FOUND})(document, rules)"
FIND_WITHIN = f"""
([parts, rules]) => ({FOUND})({{include: [...document.querySelectorAll(parts)]}}, rules)"""
FIND_AMONG = f"""
([ways, rules]) => ({FOUND})({{include: ways.flatMap(way => window.coloured.get(way))}}, rules)"""
FIND_IN_EACH = f"""
rules => ({FOUND})({{include: [...window.coloured.values()].map(([first]) => first)}}, rules)"""
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
    _load_axe(page)
    found: list[list[str]] = page.evaluate(FIND, rules)
    return found


def check_within(page: Page, parts: str, state: object) -> None:
    """Every rule for what lies over the page where it is open, at both widths, in both schemes."""
    _load_axe(page)
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found = page.evaluate(FIND_WITHIN, [parts, EVERY_RULE])
            assert found == [], (state, width, scheme, found)


def violations_of_each_way(page: Page) -> list[list[str]]:
    """All ``violations`` where hundreds of texts stand in a dozen ways: colours of one of each way.

    `make audit` looks at the colours of every text.
    """
    if THOROUGH:
        return violations(page)
    others = violations(page, OTHER_RULES)
    page.evaluate(COLOURED)
    found: list[list[str]] = page.evaluate(FIND_IN_EACH, COLOURS)
    return others + found


def _load_axe(page: Page) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)


def check_schemes(page: Page, state: object) -> None:
    """Every rule in light; in dark those that colours can break. Nothing moves meanwhile."""
    # Each change of the scheme draws the page anew.
    schemes = reversed(SCHEMES) if page.evaluate(IS_DARK) else SCHEMES
    for scheme in schemes:
        _check_scheme(page, scheme, state)


def _check_scheme(page: Page, scheme: Literal["light", "dark"], state: object) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    if THOROUGH:
        found = violations(page, EVERY_RULE if scheme == "light" else COLOURS)
    else:
        others = violations(page, OTHER_RULES) if scheme == "light" else []
        found = others + _violations_of_new_colours(page)
    assert found == [], (state, scheme, found)


def _violations_of_new_colours(page: Page) -> list[list[str]]:
    """What axe finds among the texts that stand on their ground as none on a page before."""
    new = set(page.evaluate(COLOURED)) - COLOURED_BEFORE
    if not new:
        return []
    COLOURED_BEFORE.update(new)
    _load_axe(page)
    found: list[list[str]] = page.evaluate(FIND_AMONG, [list(new), COLOURS])
    return found


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


def check_narrow(page: Page, state: object) -> None:
    """Half of ``check``, for one of many states that have the colours of others: at 320 pixels.

    `make audit` checks all of it.
    """
    if THOROUGH:
        check(page, state)
        return
    page.wait_for_load_state()
    page.set_viewport_size({"width": NARROW, "height": 800})
    found = violations(page, OTHER_RULES)
    assert found == [], (state, found)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW, state
    assert page.evaluate("window.violations ?? []") == [], state
