"""Read files of histograms, CSV or JSON: an item's name and its counts per level, with Problems.

CSV with commas, semicolons or tabs, with or without a header, or JSON: ``{"name": [counts], ...}``
or ``[{"name": ..., "counts": [...]}, ...]``. Every problem says in which line it is.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from ranking.methods.registry import Origin
from ranking.posterior.checks import FloatArray
from surveys.questionnaire.ratings import tidy_name
from surveys.randomized_response.messages import Message, counted_sentence, sentence

MOST_PROBLEMS = 20
# The header of the names says where numbers of ratings come from, for what is done with the file.
NAME_COLUMNS: dict[Origin, str] = {
    "": "name",
    "adaptive": "name_adaptive",
    "imported": "name_imported",
}
ORIGINS = {column: origin for origin, column in NAME_COLUMNS.items()}
MOST_LEVELS = 11
# Above this a float no longer tells neighbouring whole numbers apart.
LARGEST_COUNT = 2.0**53
NO_COUNT = sentence("count {number} must be a number of 0 or more, not “{text}”")
COUNT = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?")
# Past this length no digits can be a count that is used here; int() would not even try.
_LONGEST_COUNT = 400


@dataclass(frozen=True)
class Problem:
    """What is wrong, and where: ``position`` is "line 3" or "entry 3"; empty for the whole file."""

    position: str
    reason: str

    @property
    def line(self) -> str:
        """Both, for a page that says it in its own language."""
        if not self.position:
            return self.reason
        return sentence("{place}: {reason}", place=self.position, reason=self.reason)

    @property
    def line_number(self) -> int:
        """The number of its line or entry; 0 for the whole file."""
        return int(self.position.rpartition(" ")[2] or 0)


class HistogramsUnreadable(ValueError):
    """A file that holds no histograms; nothing of it is used."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        noted = list(problems)
        self.problems = noted[:MOST_PROBLEMS]
        self.more = len(noted) - len(self.problems)
        super().__init__(self.problems, self.more)

    @property
    def lines(self) -> list[str]:
        """Every problem that is shown, as a line."""
        rest = counted_sentence("and {count} more problem", "and {count} more problems", self.more)
        return [*(problem.line for problem in self.problems), *([rest] if self.more else [])]

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Histograms:
    """``names`` (items,), each once; ``counts`` (items, levels), finite and at least 0.

    ``positions`` say where each item stands in the file; ``levels`` are the names of the levels in
    the header, or empty; ``origin`` is what the header says of the numbers of ratings.
    """

    names: tuple[str, ...]
    counts: FloatArray
    positions: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    origin: Origin = ""

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class _Row:
    position: str
    name: str
    counts: tuple[float, ...]


def read_histograms(
    content: bytes, *, form: str, counts: bool = True, largest: int | None = None
) -> Histograms:
    """Histograms from the bytes of a file whose ``form`` is "csv" or "json".

    ``counts`` False also takes items that have none: names alone. With ``largest`` all counts are
    whole numbers up to it. Raises HistogramsUnreadable with every problem's line.
    """
    text = _decoded(content)
    rows: list[_Row] = []
    problems: list[Problem] = []
    header: list[str] = []
    for entry in _from_json(text) if form == "json" else _from_csv(text, header):
        (problems if isinstance(entry, Problem) else rows).append(entry)  # type: ignore[arg-type]
    problems += _repeated(rows)
    problems += _uneven(rows, least=2 if counts else 0)
    if largest is not None:
        problems += _no_whole_numbers(rows, largest)
    if problems:
        raise HistogramsUnreadable(sorted(problems, key=lambda problem: problem.line_number))
    if not rows:
        raise HistogramsUnreadable([Problem("", sentence("The file contains no items."))])
    table = np.array([row.counts for row in rows], dtype=float)
    names, positions = (tuple(getattr(row, part) for row in rows) for part in ("name", "position"))
    origin = ORIGINS.get(header[0].casefold(), "") if header else ""
    return Histograms(names, table, positions, tuple(header[1:]), origin)


def histogram_rows(
    names: Iterable[str], counts: FloatArray, levels: Iterable[str], origin: Origin = ""
) -> Iterator[dict[str, str | int]]:
    """A row for each item, which ``read_histograms`` reads back from a file."""
    columns = [f"{number} {label}" for number, label in enumerate(levels, start=1)]
    for name, row in zip(names, counts.astype(np.int64).tolist(), strict=True):
        yield {NAME_COLUMNS[origin]: name, **dict(zip(columns, row, strict=True))}


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        reason = sentence("the text is not in UTF-8. Save the file as UTF-8")
        raise HistogramsUnreadable([Problem(_at_line(line), reason)]) from None


def _from_csv(text: str, header: list[str]) -> Iterator[_Row | Problem]:
    """Rows; a first row whose counts are no numbers is the header, and goes to ``header``."""
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    is_first = True
    try:
        for cells in rows:
            if not any(map(str.strip, cells)):
                continue
            if is_first and _is_header(cells):
                header.extend(cell.strip() for cell in cells)
            else:
                yield _row(_at_line(rows.line_num), cells)
            is_first = False
    except csv.Error as problem:
        reason = sentence("the file is not valid CSV: {problem}", problem=str(problem))
        yield Problem(_at_line(rows.line_num), reason)


def _is_header(cells: list[str]) -> bool:
    """A row that starts with "name" or "item", or has no number where counts would be."""
    counts = [cell.strip() for cell in cells[1:]]
    if cells[0].strip().casefold() in ("item", *ORIGINS):
        return True
    return bool(counts) and not any(
        cell[:1].isdigit() or cell[:1] in ("-", "+", ".") for cell in counts
    )


def _row(position: str, cells: list[str]) -> _Row | Problem:
    """A name and its counts; empty cells at the end of a line without counts are no counts."""
    texts = [cell.strip() for cell in cells[1:]]
    if not any(texts):
        texts = []
    counts = []
    for number, cell in enumerate(texts, start=1):
        if len(cell) > _LONGEST_COUNT or not COUNT.fullmatch(cell):
            return Problem(position, NO_COUNT.format(number=number, text=_shown(cell)))
        counts.append(float(cell))
    return _checked(position, cells[0], tuple(counts))


def _from_json(text: str) -> Iterator[_Row | Problem]:
    try:
        content = json.loads(text, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as problem:
        reason = sentence("the file is not valid JSON: {problem}", problem=problem.msg)
        yield Problem(_at_line(problem.lineno), reason)
        return
    except (ValueError, RecursionError) as problem:
        reason = sentence("the JSON file cannot be read: {problem}", problem=str(problem))
        yield Problem("", reason)
        return
    yield from _entries(content)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with all its names, those that stand twice too."""


def _entries(content: object) -> Iterator[_Row | Problem]:
    if isinstance(content, _Pairs):
        entries = [_Pairs([("name", name), ("counts", counts)]) for name, counts in content]
    elif isinstance(content, list):
        entries = content
    else:
        example = '{"name": [counts], ...}'
        other = '[{"name": ..., "counts": [...]}, ...]'
        yield Problem("", sentence("write {one} or {other}", one=example, other=other))
        return
    for number, entry in enumerate(entries, start=1):
        yield _entry(sentence("entry {number}", number=number), entry)


def _entry(position: str, entry: object) -> _Row | Problem:
    if not isinstance(entry, _Pairs) or sorted(name for name, _ in entry) not in (
        ["counts", "name"],
        ["name"],
    ):
        return Problem(position, sentence('write an object with "name" and "counts"'))
    fields = dict(entry)
    counts = fields.get("counts", [])
    if not isinstance(fields["name"], str):
        return Problem(
            position, sentence("the name is not a text. Write the name in quotation marks")
        )
    if not isinstance(counts, list) or isinstance(counts, _Pairs):
        return Problem(position, sentence("the counts are not a list of numbers"))
    for number, count in enumerate(counts, start=1):
        is_number = isinstance(count, int | float) and not isinstance(count, bool)
        if not is_number or not 0 <= count <= LARGEST_COUNT:
            shown = _shown(str(count)[:_LONGEST_COUNT])
            return Problem(position, NO_COUNT.format(number=number, text=shown))
    return _checked(position, fields["name"], tuple(map(float, counts)))


def _checked(position: str, name: str, counts: tuple[float, ...]) -> _Row | Problem:
    if len(counts) > MOST_LEVELS:
        reason = sentence(
            "there are {count} counts, but a scale has at most {most} levels",
            count=len(counts),
            most=MOST_LEVELS,
        )
        return Problem(position, reason)
    if counts and not max(counts) <= LARGEST_COUNT:
        return Problem(
            position, sentence("a count is too large. The largest possible count is 2^53")
        )
    try:
        return _Row(position, tidy_name(name), counts)
    except ValueError as problem:
        return Problem(position, problem.args[0])


def _repeated(rows: list[_Row]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for row in rows:
        first = seen.setdefault(row.name, row.position)
        if first is not row.position:
            reason = sentence(
                "the name “{name}” is already used in {place}. Choose another name",
                name=_shown(row.name),
                place=first,
            )
            yield Problem(row.position, reason)


def _uneven(rows: list[_Row], *, least: int) -> Iterator[Problem]:
    """Rows whose number of counts is not that of the first row, or too few for a scale."""
    if not rows:
        return
    wanted = len(rows[0].counts)
    if wanted < least or wanted == 1:
        reason = sentence(
            "there are {count} count(s), but a scale has at least 2 levels", count=wanted
        )
        yield Problem(rows[0].position, reason)
        return
    for row in rows:
        if len(row.counts) != wanted:
            reason = sentence(
                "there are {count} count(s) here, but {wanted} in {place}. Write equally many "
                "counts for all items",
                count=len(row.counts),
                place=rows[0].position,
                wanted=wanted,
            )
            yield Problem(row.position, reason)


def _no_whole_numbers(rows: list[_Row], largest: int) -> Iterator[Problem]:
    reason = sentence(
        "write how many ratings each level of the scale has: a whole number up to {largest} for "
        "each level",
        largest=Decimal(largest),
    )
    for row in rows:
        if not all(count.is_integer() and count <= largest for count in row.counts):
            yield Problem(row.position, reason)


def _at_line(number: int) -> Message:
    return sentence("line {number}", number=number)


def _shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
