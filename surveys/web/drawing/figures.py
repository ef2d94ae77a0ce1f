"""Figure: one chart with its title, units, source, words and table, as SVG, PNG and Vega-Lite.

Every chart of every page is one, in every app. What a page, a print and a report show is
the same picture; the files to take away also have the title and the source in them, because they
leave the page that says both.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.translation import gettext

from surveys import PROGRAM
from surveys.web.drawing.pictures import (
    BROAD,
    NARROW,
    WIDE,
    png,
    specification,
    svg,
    titled,
    within,
)
from surveys.web.drawing.vega import Document, height_of


@dataclass(frozen=True)
class FigureTable:
    """The same numbers as words, for people who do not see the picture; its first column names."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Figure:
    """``name`` stands in names of files; ``chart`` takes a width and gives it as Vega-Lite.

    ``words`` are the text alternative, written from the data; ``units`` say what the
    marks are, ``method`` how they were made, for files that leave the page which says so.
    ``table`` may be left out where the page has a fuller one beside the picture.
    """

    name: str
    title: str
    words: str
    chart: Callable[[int], Document]
    units: str = ""
    method: str = ""
    source: str = ""
    table: FigureTable | None = None

    def of(self, source: str) -> "Figure":
        """The same with where its numbers are from."""
        return replace(self, source=source)

    @property
    def source_line(self) -> str:
        """Where the numbers are from, and what drew them."""
        if not self.source:
            return f"{PROGRAM}."
        return gettext("Source: {source}. {program}.").format(source=self.source, program=PROGRAM)

    def svg(self, width: int = WIDE, *, is_dark: bool = False) -> str:
        """As it stands in a page, without its title; no scripts, styles and addresses."""
        chart = self.chart(width)
        drawn = svg(specification(chart), is_dark=is_dark)
        return within(drawn, width, height_of(chart))

    @cached_property
    def wide(self) -> tuple[int, int]:
        """Width and height of the picture, in CSS pixels, without drawing it."""
        return WIDE, height_of(self.chart(WIDE))

    @cached_property
    def narrow(self) -> tuple[int, int]:
        """The same on small screens."""
        return NARROW, height_of(self.chart(NARROW))

    @cached_property
    def broad(self) -> tuple[int, int]:
        """The same where a figure has the card of a wide screen for itself."""
        return BROAD, height_of(self.chart(BROAD))

    def svg_file(self) -> str:
        """To take away: with title, units and source."""
        return svg(self._whole)

    def png(self) -> bytes:
        """The same as pixels, twice as fine as on a plain screen."""
        return png(self._whole)

    def vega(self) -> Document:
        """The same as a Vega-Lite specification with its data inside."""
        # What Vega-Lite keeps for others and passes over.
        usermeta = {"program": PROGRAM}
        return self._whole | {"description": self.words, "usermeta": usermeta}

    @property
    def _whole(self) -> Document:
        below = tuple(line for line in (self.units, self.method, self.source_line) if line)
        return specification(titled(self.chart(WIDE), self.title, below))
