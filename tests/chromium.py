"""Real Chromium, started once; an empty profile for every test, or a tab that tests share."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests import patience
from tests.accessible import THOROUGH, WATCH

# Chromium without the windows around its pages, which no test sees: half the work for a profile,
# two thirds for a page.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
WHOLE = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
SCREEN: ViewportSize = {"width": 1280, "height": 800}
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-gpu",
    "--disable-domain-reliability",
]
# Chromium hears the last list alone, so what matters here of Playwright's comes first. The others
# would start processes for a window that no test sees, half a second of work for every profile.
WITHOUT = [
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "SpareRendererForSitePerProcess",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
]


# A page without an origin has no stores. The page itself goes to nothing, not the test: so the next
# one is shown by the same process, which has compiled our scripts and Playwright's already.
EMPTY = """
try { localStorage.clear(); sessionStorage.clear(); } catch {}
location.replace('about:blank');
"""


def chromium_path() -> str:
    """Where the system's Chromium is: its shell, or for ``make audit`` what people browse with.

    Raises RuntimeError that says what to install.
    """
    names = (*WHOLE, *SHELLS) if THOROUGH else (*SHELLS, *WHOLE)
    for path in (os.environ.get("CHROMIUM"), *map(shutil.which, names)):
        if path and os.path.exists(path):
            return path
    raise RuntimeError("Chromium is missing: install it, or name its program in CHROMIUM.")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # Playwright's loop would make Django refuse the ORM in this thread.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=patience.MILLISECONDS)
    sandbox = [] if os.geteuid() else ["--no-sandbox"]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium_path(),
            args=[*QUIET, *sandbox, f"--disable-features={','.join(WITHOUT)}"],
            timeout=patience.MILLISECONDS,
        )
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    fresh = new_context(browser)
    yield fresh
    fresh.close()


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Page]:
    """What tests marked ``one_tab`` share: a profile and its process cost a third of a second."""
    shared = new_context(browser)
    yield shared.new_page()
    shared.close()


@pytest.fixture(scope="session")
def tab_without_script(browser: Browser) -> Iterator[Page]:
    shared = new_context(browser, java_script_enabled=False)
    yield shared.new_page()
    shared.close()


@pytest.fixture
def fresh_page(context: BrowserContext) -> Page:
    """A page of an empty profile also where others are marked ``one_tab``."""
    return context.new_page()


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page without cookies; of an empty profile, unless the test is marked ``one_tab``."""
    if not request.node.get_closest_marker("one_tab"):
        yield request.getfixturevalue("fresh_page")
        return
    yield from _lend(request.getfixturevalue("tab"))


@pytest.fixture
def watched_page(page: Page) -> Iterator[Page]:
    """A page that remembers how its policy was violated, for ``accessible.check``."""
    with page.add_init_script(WATCH):
        yield page


@pytest.fixture
def page_without_script(tab_without_script: Page) -> Iterator[Page]:
    """A page without cookies in a browser whose scripts are switched off."""
    yield from _lend(tab_without_script)


def _lend(shared: Page) -> Iterator[Page]:
    shared.set_viewport_size(SCREEN)
    yield shared
    _clear(shared)


def new_context(browser: Browser, *, java_script_enabled: bool = True) -> BrowserContext:
    """An empty profile, as of one person's browser."""
    context = browser.new_context(
        viewport=SCREEN, service_workers="block", java_script_enabled=java_script_enabled
    )
    context.set_default_timeout(patience.MILLISECONDS)
    return context


def _clear(page: Page) -> None:
    """Nothing of one test is left to the next but listeners and scripts that pages begin with."""
    for other in page.context.pages[1:]:
        other.close()
    page.unroute_all()
    page.set_extra_http_headers({})
    page.evaluate(EMPTY)
    page.wait_for_url("about:blank")
    page.context.clear_cookies()
    page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
