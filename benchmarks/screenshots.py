"""The pictures of README and of the documentation, taken anew from the demonstration.

``python -m benchmarks.screenshots`` fills the demonstration in a folder of its own, serves it,
walks to each page in Chromium and writes ``docs/pictures/*.png``. Answers and coins fall anew each
time, so the numbers differ a little. It takes a minute or two. Look at each picture afterwards.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.accessible import DRAWN
from tests.chromium import chromium_path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
PORT = 8790
SKIPPED = "left out"
ANSWERS = ("Yes", "No", "Sometimes", "4", SKIPPED)  # of the survey "Small sins"
READY = "Press Ctrl+C to stop."


def main() -> None:
    """Write all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        _demonstration(folder) as printed,
        sync_playwright() as playwright,
    ):
        sandbox = [] if os.geteuid() else ["--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=sandbox)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        _respondent(page, _link(printed, "Answer a survey"))
        _log_in(page, printed)
        _staff(page, printed)
        browser.close()


def _respondent(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 900, "height": 1100})
    page.goto(address)
    page.get_by_role("button", name="Start", exact=True).first.wait_for()
    _take(page, "promise", height=1100)
    _press(page, "Start")
    page.get_by_label("Yes", exact=True).locator("visible=true").check()
    _press(page, "Flip")
    _press(page, "Flip 100 times")
    _take(page, "coin", height=720)
    _press(page, "Continue")
    for right in ("No", "Yes"):
        page.get_by_label(right, exact=True).locator("visible=true").check()
        _press(page, "Check")
        _press(page, "Continue")
    for answer in ANSWERS:
        screen = page.locator("[data-step]:visible")
        if answer[0].isdigit():
            screen.get_by_role("textbox").fill(answer)
        elif answer != SKIPPED:
            screen.get_by_label(answer, exact=True).check()
        _press(page, "Continue")
    _press(page, "Send")
    page.locator("main[data-reply]").wait_for()
    _take(page, "receipt")


def _staff(page: Page, printed: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(_link(printed, "Read the estimates"))
    _take(page, "dashboard")
    page.goto(_link(printed, "Plan a sample"))
    _take(page, "planner")
    page.goto(_link(printed, "Released tables"))
    _take(page, "release")


def _log_in(page: Page, printed: str) -> None:
    page.goto(_link(printed, "Read the estimates"))
    name, password = re.findall(r"Log in as (\S+) with the password (\S+)", printed)[0]
    page.fill("#id_login", name)
    page.fill("#id_password", password)
    with page.expect_navigation():
        _press(page, "Log in")


def _press(page: Page, name: str) -> None:
    # A long page has its button twice, above and below.
    page.get_by_role("button", name=name, exact=True).locator("visible=true").first.click()


def _take(page: Page, name: str, height: int = 800) -> None:
    """The screen as it stands, once each picture in it is drawn."""
    if not page.evaluate(DRAWN):
        raise SystemExit(f"A picture of {page.url} is not drawn.")
    width = page.evaluate("innerWidth")
    clip = {"x": 0, "y": 0, "width": width, "height": height}
    page.screenshot(path=str(PICTURES / f"{name}.png"), clip=clip)


def _link(printed: str, label: str) -> str:
    return re.findall(rf"{label} +(http\S+)", printed)[0]


@contextmanager
def _demonstration(folder: str) -> Iterator[str]:
    """What ``deniable demo`` printed, while it serves."""
    process = subprocess.Popen(
        [sys.executable, "-m", "config.deniable", "demo", "--port", str(PORT)],
        cwd=ROOT,
        env={**os.environ, "DENIABLE_DATA_DIR": folder, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        printed = ""
        while READY not in printed:
            line = process.stdout.readline()
            if not line:
                raise SystemExit(f"The demonstration ended:\n{printed}")
            printed += line
        _wait_until_listening()
        yield printed
    finally:
        process.terminate()
        process.wait()


def _wait_until_listening() -> None:
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", PORT)) == 0:
                return
        time.sleep(0.1)


if __name__ == "__main__":
    main()
