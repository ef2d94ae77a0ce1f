"""How estimates print: one line per share with its standard error and its interval."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from ..checks import FloatArray
from ..messages import sentence
from ..printing import Cell, report
from .intervals import NO_CERTAINTY, Interval

IMPOSSIBLE = sentence(
    "An interval has no share from 0 to 1: this happens by chance once in many surveys. Check the "
    "order of the counts, and that the design is the one that was used."
)
Estimated = tuple[str, Cell, Cell, Interval | None]


class _Options(Protocol):
    """Estimates of several options; their standard errors are None when n = 1."""

    @property
    def standard_errors(self) -> FloatArray | None: ...
    def intervals(self) -> tuple[Interval, ...]: ...


def estimates_report(
    title: str, column: str, rows: Sequence[Estimated], notes: Iterable[str] = ()
) -> str:
    """The title, a table of (name, estimate, standard error, interval), and all notes.

    ``column`` is the head of the names. Columns of intervals are left out where no row has one.
    A standard error of 0 brings its warning.
    """
    notes = [*notes, *warnings_of(row[2] for row in rows)]
    intervals = [interval for *_, interval in rows if interval is not None]
    if column == "share" and any(i.high < 0 or i.low > 1 for i in intervals):
        notes.append(IMPOSSIBLE)
    head: tuple[str, ...] = (column, "estimate", "std. error")
    if not intervals:
        return report(title, head, [row[:3] for row in rows], notes)
    head += tuple(f"{end} {intervals[0].level:.6g}" for end in ("low", "high"))
    lines = [(*row[:3], *_ends(row[3])) for row in rows]
    return report(title, (*head, "method"), lines, [*notes, *(i.note for i in intervals)])


def options_report(
    title: str,
    names: Iterable[str],
    values: FloatArray,
    estimate: _Options,
    notes: Iterable[str] = (),
) -> str:
    """The same for one named option after the other, with intervals at their default."""
    errors = estimate.standard_errors
    spreads = [None] * values.size if errors is None else errors.tolist()
    parts = zip(names, np.ravel(values).tolist(), spreads, estimate.intervals(), strict=True)
    return estimates_report(title, "share", list(parts), notes)


def warnings_of(standard_errors: Iterable[Cell]) -> tuple[str, ...]:
    """What to know of standard errors of 0, as after all-same reports; empty if there are none."""
    return (NO_CERTAINTY,) if any(error == 0 for error in standard_errors) else ()


def numbers_of(values: FloatArray) -> Iterable[str]:
    """Names of options that have no other: their numbers from 0."""
    return map(str, range(len(values)))


def people(*sizes: int | None) -> str:
    """The end of a title: ``, n = 300``, or ``, n = 300 + 250`` of two groups; empty if unknown."""
    known = [str(size) for size in sizes if size is not None]
    return f", n = {' + '.join(known)}" if known else ""


def _ends(interval: Interval | None) -> tuple[Cell, ...]:
    return (None,) * 3 if interval is None else (interval.low, interval.high, interval.method)
