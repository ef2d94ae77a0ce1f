"""Tables as text: how results print and how commands write to a screen; one layout for both."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from numbers import Integral
from typing import SupportsFloat

Cell = str | SupportsFloat | None
NO_VALUE = "–"


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Columns under their names: the first to the left, the others to the right.

    >>> from randomized_response.printing import table
    >>> print(table(("share", "estimate", "n"), [("yes", 1 / 3, 1200), ("no", None, 1200)]))
    share  estimate     n
    yes    0.333333  1200
    no            –  1200
    """
    lines = [tuple(head), *(tuple(map(cell, row)) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    aligned = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in lines]
    return "\n".join("  ".join(cells).rstrip() for cells in aligned)


def cell(value: Cell) -> str:
    """Text and whole numbers as they are, other numbers in six digits; a dash for None."""
    if value is None:
        return NO_VALUE
    return str(value) if isinstance(value, str | Integral) else f"{float(value):.6g}"


def report(
    title: str, head: Sequence[str], rows: Iterable[Sequence[Cell]], notes: Iterable[str] = ()
) -> str:
    """A title such as ``Warner(...), n = 300``, its table and its notes, each note once."""
    parts = [title, table(head, rows), *dict.fromkeys(notes)]
    return "\n".join(part for part in parts if part)


def html_report(
    title: str, head: Sequence[str], rows: Iterable[Sequence[Cell]], notes: Iterable[str] = ()
) -> str:
    """The same as HTML, for notebooks, where names are text and never markup.

    >>> from randomized_response.printing import html_report
    >>> html_report("n = 2", ("name", "n"), [("<b>", 2)])
    '<table><caption>n = 2</caption><tr><th>name<th>n<tr><th>&lt;b&gt;<td>2</table>'
    """
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    lines = ["".join(f"<th>{escape(name)}" for name in head)]
    for first, *others in rows:
        numbers = "".join(f"<td>{escape(cell(value))}" for value in others)
        lines.append(f"<th>{escape(cell(first))}{numbers}")
    body = "".join(f"<tr>{line}" for line in lines)
    below = "".join(f"<pre>{escape(note)}</pre>" for note in notes if note)
    return f"<table>{caption}{body}</table>{below}"


def known(value: float) -> float | None:
    """None, which prints as a dash, for what is not a number: of a parameter that was held, say."""
    return None if math.isnan(value) else float(value)
