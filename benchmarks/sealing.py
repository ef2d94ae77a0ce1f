"""How long a page takes to lock what was written, in Chromium, beside the same body unlocked.

Run: ``python -m benchmarks.sealing``. The page's own scripts write the body of 60 texts of 2,000
characters each, once with one key, once with two, and once without: a page with as many locked
texts may take 300 ms longer (``LONGEST``).
"""

import statistics
from pathlib import Path

from playwright.sync_api import Page, Route, sync_playwright

from surveys.questionnaire.plans.seals import MOST_LAYERS
from surveys.trust.sealing import new_private, public_of
from tests.chromium import chromium_path

STATIC = Path(__file__).parents[1] / "static"
SITE = "http://localhost/"  # a secure connection, as far as browsers are concerned
TEXTS, CHARACTERS, RUNS = 60, 2000, 9
LONGEST = 0.3  # seconds
SCRIPTS = ("channel", "send", "typed", "seal")
FIELD = '<fieldset data-name="q{0:03d}"{1}><textarea data-longest="2000">{2}</textarea></fieldset>'
# Seconds of each run; the first one, which makes the keys of the page, is told apart.
WRITE = """async (runs) => {
    const { bodyOf, read } = await import('/surveys/collecting/send.js');
    const fieldsets = [...document.querySelectorAll('fieldset')];
    const seconds = [];
    for (let run = 0; run < runs; run += 1) {
        const begun = performance.now();
        const body = await bodyOf('r', fieldsets.map(read));
        seconds.push((performance.now() - begun) / 1000);
        if (body.length < 60 * 8000) throw new Error(`${body.length} bytes`);
    }
    return seconds;
}"""


def main() -> None:
    """Measure and print."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        page = browser.new_page()
        page.route(f"{SITE}**", answer)
        plain = seconds_with(page, 0)
        for keys in range(1, MOST_LAYERS + 1):
            locked = seconds_with(page, keys)
            said = "within" if max(locked) - min(plain) <= LONGEST else "ABOVE"
            print(
                f"{TEXTS} texts of {CHARACTERS} characters, {keys} key(s): first "
                f"{1000 * locked[0]:.0f} ms, then {1000 * statistics.median(locked[1:]):.0f} ms; "
                f"unlocked {1000 * statistics.median(plain):.0f} ms; {said} {1000 * LONGEST:.0f} ms"
            )
        browser.close()


def seconds_with(page: Page, keys: int) -> list[float]:
    """How long each of some runs takes in a page that locks for so many keys."""
    page.goto(f"{SITE}?{keys}")
    seconds: list[float] = page.evaluate(WRITE, RUNS)
    return seconds


def answer(route: Route) -> None:
    """The page, or one of its scripts from the folder of static files."""
    address = route.request.url.removeprefix(SITE)
    if address.endswith(".js"):
        route.fulfill(path=STATIC / address, content_type="text/javascript")
    else:
        route.fulfill(body=page_with(int(address[1:])), content_type="text/html; charset=utf-8")


def page_with(keys: int) -> str:
    """What the scripts need of a survey's page."""
    publics = " ".join(public_of(new_private()).hex() for _ in range(keys))
    scripts = SCRIPTS if keys else SCRIPTS[:-1]
    fields = (
        FIELD.format(number, f' data-seal="{number}"' if keys else "", "ä" * CHARACTERS)
        for number in range(1, TEXTS + 1)
    )
    return "".join(
        (
            f'<!doctype html><main data-keys="{publics}" data-digest="{"0" * 64}">',
            '<div data-step="start"><button data-act="next"></button></div><p data-cannot-lock>',
            *fields,
            "</main>",
            *(
                f'<script type="module" src="/surveys/collecting/{one}.js"></script>'
                for one in scripts
            ),
        )
    )


if __name__ == "__main__":
    main()
