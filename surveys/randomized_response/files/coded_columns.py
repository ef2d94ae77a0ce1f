"""CodedFile: what a codebook says of a file's columns of reports, and the columns made of them."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from ..messages import shortened
from .codebooks import AGAIN, NOT_ASKED, NOT_SENT
from .debiased import BETWEEN, DebiasedColumn, LookUp, number_text
from .tables import TableError, spellings

CODES, WORDS = "codes", "words"
MOST_KEPT = 10_000  # combinations of cells of a question whose numbers are kept
Maker = tuple[Sequence[int], Callable[[Sequence[str]], list[str]]]


@dataclass(frozen=True)
class CodedQuestion:
    """``headings``: its columns of reports; ``codes``: the code of each cell that they may have."""

    headings: tuple[str, ...]
    codes: Mapping[str, str]
    debiased: tuple[DebiasedColumn, ...]


@dataclass(frozen=True)
class CodedFile:
    """Questions of a codebook, and the ``names`` of a file that has their columns of reports."""

    names: Sequence[str]
    questions: tuple[CodedQuestion, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """Where the columns of reports stand, by their names in the codebook."""
        return {
            heading: self.names.index(_spelled(heading, self.names))
            for question in self.questions
            for heading in question.headings
        }

    @cached_property
    def added(self) -> list[str]:
        """The names of the columns that are made."""
        return [column.name for question in self.questions for column in question.debiased]

    @property
    def header(self) -> list[str]:
        """The names of the columns that are written."""
        return [self.added[at] if is_made else self.names[at] for is_made, at in self.order]

    @cached_property
    def order(self) -> list[tuple[bool, int]]:
        """The columns that are written: whether each is made, and its place among such.

        Those of a question stand behind its reports. What has the name of one is made anew.
        """
        behind: dict[int, list[int]] = {}
        number = 0
        for question in self.questions:
            last = max(self.places[heading] for heading in question.headings)
            behind[last] = list(range(number, number + len(question.debiased)))
            number += len(question.debiased)
        made = set(self.added)
        order = []
        for at, name in enumerate(self.names):
            if name not in made:
                order.append((False, at))
            order += [(True, n) for n in behind.get(at, ())]
        return order

    @property
    def makers(self) -> Iterator[Maker]:
        """Of each question which cells are read, and a function from these to its columns.

        The function raises KeyError for a cell that no column of reports has.
        """
        codes = {name: question.codes for question in self.questions for name in question.headings}
        for question in self.questions:
            read = dict.fromkeys(name for column in question.debiased for name in column.of)
            names, readings = list(read), [codes[name] for name in read]
            readers = [column.reader(names, number_text) for column in question.debiased]
            yield [self.places[name] for name in names], _maker(readings, readers)

    def refusal(self, place: str, row: Sequence[str]) -> TableError:
        """The first cell of a row that is no report; ``place`` says which row it is."""
        for question in self.questions:
            for heading in question.headings:
                cell = row[self.places[heading]]
                if _code(question.codes, cell) is None:
                    shown = repr(shortened(cell, 40)) if cell.strip() else "an empty cell"
                    where = f"{place}, column {self.names[self.places[heading]]!r}"
                    known = ", ".join(map(repr, list(question.codes)[:6]))
                    return TableError(f"{where}: {shown} is no report of this question: {known}, …")
        raise ValueError("Every cell of this row is a report.")


class Kept(dict[tuple[str, ...], list[str]]):
    """The cells that some columns get for what stands in others; a combination is made once."""

    def __init__(self, maker: Maker) -> None:
        super().__init__()
        self.places, self.make = maker

    def __missing__(self, cells: tuple[str, ...]) -> list[str]:
        made = self.make(cells)
        if len(self) >= MOST_KEPT:
            self.clear()
        self[cells] = made
        return made


def _maker(
    readings: Sequence[Mapping[str, str]], readers: Sequence[Callable[[Sequence[str]], str]]
) -> Callable[[Sequence[str]], list[str]]:
    def made(cells: Sequence[str]) -> list[str]:
        codes = [_code(reading, cell) for reading, cell in zip(readings, cells, strict=True)]
        if None in codes:
            raise KeyError(cells)
        return [read([code for code in codes if code is not None]) for read in readers]

    return made


def _code(reading: Mapping[str, str], cell: str) -> str | None:
    """The code of a cell; files have an apostrophe before what a spreadsheet could run."""
    code = reading.get(cell)
    return reading.get(cell.removeprefix("'")) if code is None else code


def coded_file(codebook: Any, names: Sequence[str], cells: str | None = None) -> CodedFile:
    """What a codebook says of a file with these columns. Raises TableError.

    ``cells``: codes or words, where the words of some answers look like codes.
    """
    entries = codebook.get("columns") if isinstance(codebook, Mapping) else None
    if not isinstance(entries, list):
        raise TableError("--codebook: this is no codebook: download it beside the responses")
    try:
        questions = tuple(_question(entry, cells) for entry in _needed(entries))
        if not questions and any(entry["protected"] for entry in entries):
            words = "it describes no debiased columns, as those of earlier versions and long lists"
            raise TableError(f"--codebook: {words}: {AGAIN}")
        _require_known(questions)
    except (KeyError, TypeError, AttributeError) as problem:
        raise TableError(f"--codebook: it is damaged ({problem!r}): {AGAIN}") from None
    if not questions:
        raise TableError("--codebook: no question of this survey is randomized: use file as it is")
    _require_columns([name for each in questions for name in each.headings], names)
    return CodedFile(names, questions)


def _needed(entries: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The questions that have debiased columns, and those whose answers tell who was asked them."""
    columns = [column for entry in entries for column in entry.get("debiased", ())]
    read = {name for column in columns for one in column["look_ups"] for name in one["of"]}
    for entry in entries:
        if "debiased" in entry or entry.get("column") in read:
            yield entry


def _require_columns(headings: Sequence[str], names: Sequence[str]) -> None:
    missing = [heading for heading in headings if not set(spellings(heading)) & set(names)]
    if len(missing) == len(headings):
        words = "none of its columns of reports is in the file: take the codebook of this survey"
        raise TableError(f"--codebook: {words}")
    if missing:
        shown = shortened(", ".join(missing), 200)
        raise TableError(f"the file has no column {shown}: give it as it was downloaded")


def _require_known(questions: Sequence[CodedQuestion]) -> None:
    """Every column that is looked up is one of reports, has all its codes, and none is twice."""
    codes = {
        heading: set(question.codes.values())
        for question in questions
        for heading in question.headings
    }
    made = [column.name for question in questions for column in question.debiased]
    twice = [name for name, times in Counter([*made, *codes]).items() if times > 1]
    if twice:
        raise KeyError(*twice)
    for column in (column for question in questions for column in question.debiased):
        for one in column.look_ups:
            for sent in product(*(codes[name] for name in one.of)):
                _ = one.values[BETWEEN.join(sent)]


def _spelled(heading: str, names: Sequence[str]) -> str:
    return next(name for name in spellings(heading) if name in names)


def _question(entry: Mapping[str, Any], cells: str | None) -> CodedQuestion:
    parts = entry.get("columns")
    headings = [part["column"] for part in parts] if parts else [entry["column"]]
    not_asked, sent = entry["not_asked"], entry.get("reports") or entry["levels"]
    _require_texts([*headings, not_asked, *(level["code"] for level in sent)])
    codes = {level["code"]: level["code"] for level in sent} | {not_asked: not_asked}
    words = {level["label"]: level["code"] for level in sent}
    words |= dict.fromkeys(NOT_ASKED, not_asked)
    if parts:
        codes |= {"": ""}
        words |= {NOT_SENT: ""}
    return CodedQuestion(
        tuple(headings),
        _reading(codes, words, cells, headings[0]),
        tuple(_column(column) for column in entry.get("debiased", ())),
    )


def _require_texts(values: Iterable[object]) -> None:
    for value in values:
        if not isinstance(value, str):
            raise TypeError(value)


def _reading(
    codes: Mapping[str, str], words: Mapping[str, str], cells: str | None, heading: str
) -> Mapping[str, str]:
    """Cells may be codes or words. Raises TableError where that cannot be told."""
    if cells:
        return codes if cells == CODES else words
    for text in codes.keys() & words.keys():
        if codes[text] != words[text]:
            says = f"{text!r} is the code of an answer and the words of another one"
            raise TableError(f"column {heading!r}: {says}: add --cells codes or --cells words")
    return {**codes, **words}


def _column(entry: Mapping[str, Any]) -> DebiasedColumn:
    look_ups = tuple(
        LookUp(
            tuple(one["of"]),
            {
                code: None if value is None else _number(value)
                for code, value in one["values"].items()
            },
        )
        for one in entry["look_ups"]
    )
    return DebiasedColumn(entry["column"], entry["label"], look_ups, _number(entry.get("start", 0)))


def _number(value: Any) -> float:
    """A finite number. Raises TypeError for anything else."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise TypeError(value)
    return number
