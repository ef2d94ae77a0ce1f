"""What moved by itself on a page while it was shown."""

from playwright.sync_api import Page

# All shifts (Layout Instability, W3C) until a frame after the last: how far, of what, from where to
# where, so that a test which finds one on a busy machine alone says what moved.
_SHIFTS = """() => new Promise(done => {
    const all = [];
    const box = ({x, y, width, height}) => `${width}x${height} at ${x},${y}`;
    const said = ({node, previousRect, currentRect}) => [
        (node?.outerHTML ?? node?.textContent ?? 'what is gone').slice(0, 80),
        `${box(previousRect)} to ${box(currentRect)}`,
    ].join(': ');
    new PerformanceObserver(list => list.getEntries().forEach(
        ({value, sources}) => all.push([value, ...sources.map(said)].join('; '))
    )).observe({type: 'layout-shift', buffered: true});
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(all))));
})"""


def shifts(page: Page) -> list[str]:
    """Empty where nothing moved since the page was opened."""
    moved: list[str] = page.evaluate(_SHIFTS)
    return moved
