"""Palette: the colours of pictures by what they are for, on light and on dark pages.

Letters have a contrast of 4.5 to the ground at least, marks of 3 (WCAG 2.2, 1.4.3 and 1.4.11). The
five colours of groups and ``soft`` can be told apart in pairs, also by people who see no red, no
green or no blue; ``tests/contracts/test_palette.py`` measures both.
"""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Palette:
    """Colours as ``#rrggbb``. ``ground`` is that of a page's cards."""

    ground: str
    ink: str
    soft: str
    line: str  # of grids, which nothing depends on
    pale: str  # an area behind marks that say the same
    first: str
    second: str
    third: str
    fourth: str
    fifth: str

    @property
    def groups(self) -> tuple[str, ...]:
        """What groups are told apart by, besides dashes and names."""
        return (self.first, self.second, self.third, self.fourth, self.fifth, self.soft)


LIGHT = Palette(
    ground="#ffffff",
    ink="#1b2430",
    soft="#5b6673",
    line="#dfe4ea",
    pale="#d3e3f5",
    first="#0b5cad",
    second="#b34700",
    third="#9610f9",
    fourth="#4c1509",
    fifth="#ba7d62",
)
DARK = Palette(
    ground="#1a2129",
    ink="#e7ecf1",
    soft="#aab5c1",
    line="#36414d",
    pale="#24425f",
    first="#8cc2ff",
    second="#ff9d5c",
    third="#b05cff",
    fourth="#f5e663",
    fifth="#d9467a",
)
_IN_THE_DARK = {getattr(LIGHT, each.name): getattr(DARK, each.name) for each in fields(Palette)}


def darkened(specification: Any) -> Any:
    """A Vega-Lite specification with the colours of dark pages; its data stay as they are."""
    if isinstance(specification, dict):
        return {
            name: value if name in ("data", "datasets") else darkened(value)
            for name, value in specification.items()
        }
    if isinstance(specification, list):
        return [darkened(part) for part in specification]
    if isinstance(specification, str):
        return _IN_THE_DARK.get(specification, specification)
    return specification
