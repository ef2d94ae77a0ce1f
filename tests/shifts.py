"""How much of a page moved by itself while it was shown."""

from playwright.sync_api import Page

# The sum over all shifts (Layout Instability, W3C), a frame after the last.
_SHIFTED = """() => new Promise(done => {
    let sum = 0;
    new PerformanceObserver(list => list.getEntries().forEach(one => { sum += one.value; }))
        .observe({type: 'layout-shift', buffered: true});
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum))));
})"""


def shifted(page: Page) -> float:
    """0 where nothing moved since the page was opened."""
    moved: float = page.evaluate(_SHIFTED)
    return moved
