"""Bar, Column: what charts draw; drawn_by: a chart by its name, loaded when it is drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bar:
    """One interval to draw, within the axis; an end that was cut off is marked.

    ``reported`` is the share of reports, where that is another one than the estimate.
    """

    label: str
    value: float | None
    low: float
    high: float
    words: str
    cut_low: bool = False
    cut_high: bool = False
    reported: float | None = None


@dataclass(frozen=True)
class Column:
    """One bin of a histogram: its label, its ends and how many values it holds."""

    label: str
    low: float
    high: float
    count: int


def drawn_by(name: str, *marks: Any) -> Callable[[int], Any]:
    """What draws these marks with a function of ``charts``, for any width.

    Altair takes a third of a second to load, so that only who draws loads it.
    """

    def draw(width: int) -> Any:
        from surveys.results.figures import charts

        return getattr(charts, name)(*marks, width)

    return draw
