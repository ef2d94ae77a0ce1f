"""Bar, Column: what charts draw."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    """One interval to draw, within the axis; an end that was cut off is marked.

    ``reported`` is the share of reports, where that is another one than the estimate; ``planned``
    the ends of the interval that the plan promises, ``earlier`` the share in the survey before.
    """

    label: str
    value: float | None
    low: float
    high: float
    words: str
    cut_low: bool = False
    cut_high: bool = False
    reported: float | None = None
    planned: tuple[float, float] | None = None
    earlier: float | None = None


@dataclass(frozen=True)
class Column:
    """One bin of a histogram: its label, its ends and how many values it holds."""

    label: str
    low: float
    high: float
    count: int
