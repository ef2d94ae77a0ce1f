"""Real Chromium, started once; a fresh, empty profile for every test."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests import patience

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
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


def chromium_path() -> str:
    """Where the system's Chromium is. Raises RuntimeError that says what to install."""
    chosen = os.environ.get("CHROMIUM")
    found = [chosen, *map(shutil.which, CHROMIUM_NAMES), MAC_CHROME]
    for path in found:
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
    fresh = browser.new_context(viewport={"width": 1280, "height": 800}, service_workers="block")
    fresh.set_default_timeout(patience.MILLISECONDS)
    yield fresh
    fresh.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()
