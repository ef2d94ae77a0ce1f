"""Responses as .sav and .dta files with labels, in a zip: by the library pyreadstat (``labelled``).

It writes a whole table at once, so a file has at most ``MOST_CELLS``; more rows make more files.
"""

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from math import nan
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop
from numpy.typing import NDArray

from surveys import PROGRAM
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.results.exports import CODES, RowPart, distinct_codes, row_parts
from surveys.results.labelled import spss, stata
from surveys.results.labelled.shortening import one_line, shorten, utf8_bytes
from surveys.results.labelled.variables import Content, Described, Variable, described
from surveys.results.queries import reported_blocks
from surveys.web.downloads import LibraryMissing, Sink

MOST_CELLS = 9_000_000  # of one file: 72 MB of numbers, and up to 300 MB while it is written
BLOCK = 10_000  # rows that are read at once
READ = 1 << 20  # bytes of a file that are put into the zip at once
# Kept with an export in English; a page looks it up in its own language.
NO_LABELLED = gettext_noop(
    "These files cannot be created: the optional package “labelled” is not installed here. Your "
    'operator can add it with pip install "pandas>=2.2" "pyreadstat>=1.3.7". The labels for R, '
    "Stata and SPSS do not need this package."
)
Column = NDArray[Any]  # of numbers; of texts; of numbers and the letters of Stata's missing values
Part = tuple[bytes, int]  # some bytes of the zip, and how many rows were read meanwhile
Scratch = Callable[[], AbstractContextManager[Path]]


class LabelledMissing(LibraryMissing):
    """The library that writes these files is not installed."""

    def __init__(self) -> None:
        super().__init__(NO_LABELLED)


@dataclass(frozen=True)
class Program:
    """What a statistics program reads.

    ``missing``: what stands for each code of a variable that is no answer. A day is a number of
    ``day_length`` for each day since ``epoch``. ``kind`` is that of arrays that are no texts.
    ``options``: of pyreadstat's function ``write``.
    """

    write: str
    missing: Callable[[Variable], Mapping[str, Any]]
    epoch: date
    day_length: int
    kind: type
    options: Callable[[Sequence[Described]], Mapping[str, Any]]

    def cell(self, variable: Variable, code: str) -> Any:
        """What stands for a code."""
        if variable.content is Content.TEXTS:
            return "" if code in variable.missing else code
        missing = self.missing(variable)
        return missing[code] if code in missing else self._answer(variable, code)

    def _answer(self, variable: Variable, code: str) -> float:
        if variable.content is Content.DAYS:
            return (date.fromisoformat(code) - self.epoch).days * self.day_length
        return int(code) if variable.content is Content.CODES else float(code)

    def kind_of(self, variable: Variable) -> type:
        return object if variable.content is Content.TEXTS else self.kind


def zipped(revision: Revision, ending: str, scratch: Scratch) -> Iterator[Part]:
    """The zip with all files of a kind; ``scratch`` makes a file that is removed at its end.

    Raises LabelledMissing, and OSError for a full disk.
    """
    questionnaire = questionnaire_of(revision)
    parts = list(row_parts(questionnaire, debiased=True))
    files = LabelledFiles(ending, list(described(questionnaire)), scratch)
    most = max(1, MOST_CELLS // max(1, len(files.names)))
    size = min(BLOCK, most)
    blocks: list[list[Column]] = []
    for block in reported_blocks(revision, size):
        blocks.append(list(files.columns(block, parts)))
        yield b"", len(block)
        if len(blocks) == most // size:
            yield from files.added(blocks)
            blocks = []
    if blocks or not files.count:  # of no answers there is a file with columns and no rows
        yield from files.added(blocks)
    yield files.rest(), 0


class LabelledFiles:
    """The files of a zip, as they are written. Raises LabelledMissing."""

    def __init__(self, ending: str, questions: Sequence[Described], scratch: Scratch) -> None:
        self.library = _library()
        self.ending, self.questions, self.scratch = ending, questions, scratch
        self.program, self.count = PROGRAMS[ending], 0
        self.kinds = dict(_kinds(questions, self.program))
        self.sink = Sink()
        self.archive = zipfile.ZipFile(self.sink, "w")

    @property
    def names(self) -> list[str]:
        """All columns of the table."""
        return list(self.kinds)

    def columns(self, block: Sequence[str], parts: Sequence[RowPart]) -> Iterator[Column]:
        """The columns of rows of answers."""
        codes = distinct_codes(block, parts)
        for question, (part, sent, which) in zip(self.questions, codes, strict=True):
            own = zip(*(CODES(part.item, code) for code, *_ in sent), strict=True)
            for variable, cells in zip(question.variables, own, strict=True):
                numbers = [self.program.cell(variable, cell) for cell in cells]
                yield _array(numbers, self.program.kind_of(variable))[which]
            looked_up = [part.looked_up(each) for each in sent]
            for read in part.readers(lambda number: nan if number is None else number):
                yield _array(list(map(read, looked_up)), float)[which]

    def added(self, blocks: list[list[Column]]) -> Iterator[Part]:
        """Write a file of these rows; its bytes within the zip. Raises OSError."""
        import pandas as pd  # a second to import, and part of the extra

        table = {}
        for name, kind in self.kinds.items():
            columns = [block.pop(0) for block in blocks]  # each is in memory twice for a moment
            table[name] = np.concatenate(columns) if columns else np.array([], kind)
        blocks.clear()
        self.count += 1
        with self.scratch() as path:
            frame = pd.DataFrame(table, copy=False)
            options = self.program.options(self.questions)
            getattr(self.library, self.program.write)(frame, path, file_label=PROGRAM, **options)
            del frame, table
            yield from self._copied(path)

    def _copied(self, path: Path) -> Iterator[Part]:
        entry = zipfile.ZipInfo(f"responses-{self.count}.{self.ending}")  # of no time
        entry.compress_type = zipfile.ZIP_DEFLATED
        with path.open("rb") as source, self.archive.open(entry, "w") as target:
            while piece := source.read(READ):
                target.write(piece)
                yield self.sink.drain(), 0

    def rest(self) -> bytes:
        """The end of the zip."""
        self.archive.close()
        return self.sink.drain()


def _array(cells: Sequence[Any], kind: type) -> Column:
    array: Column = np.empty(len(cells), kind)
    array[:] = cells
    return array


def _kinds(questions: Sequence[Described], program: Program) -> Iterator[tuple[str, type]]:
    for question in questions:
        yield from ((each.name, program.kind_of(each)) for each in question.variables)
        yield from ((column.name, float) for column in question.debiased)


def _library() -> ModuleType:
    try:
        import pyreadstat
    except ImportError as problem:
        raise LabelledMissing from problem
    module: ModuleType = pyreadstat
    return module


def _labels(questions: Sequence[Described], cut: Callable[[str], str]) -> dict[str, str]:
    """The label of every column."""
    variables = ((each.name, each.label) for one in questions for each in one.variables)
    columns = ((each.name, each.label) for one in questions for each in one.debiased)
    return {name: cut(label) for name, label in (*variables, *columns)}


def _measured(questions: Sequence[Described]) -> list[Variable]:
    """The variables that are no texts."""
    variables = (each for question in questions for each in question.variables)
    return [each for each in variables if each.content is not Content.TEXTS]


def _words(variable: Variable, cut: Callable[[str], str], reasons: Mapping[str, Any]) -> Any:
    """The label of every value: of answers, and of reasons by what stands for their codes."""
    answers = {int(code): cut(text) for code, text in variable.values.items()}
    return answers | {
        cell: variable.words_of(variable.missing[code]) for code, cell in reasons.items()
    }


def _spss_missing(variable: Variable) -> dict[str, int]:
    numbers = variable.missing_numbers
    return {code: numbers[reason] for code, reason in variable.missing.items()}


def _spss_ranges(variable: Variable) -> list[Any]:
    """SPSS knows at most three missing numbers of a variable, or all from one to another."""
    numbers = [*variable.missing_numbers.values()]
    if len(numbers) <= spss.MOST_MISSING:
        return numbers
    return [{"lo": min(numbers), "hi": max(numbers)}]


def _spss_format(variable: Variable) -> str:
    if variable.content is Content.DAYS:
        return "SDATE10"
    return f"F{max(variable.width, 8)}.{variable.decimals}"


def _spss_options(questions: Sequence[Described]) -> dict[str, Any]:
    variables = _measured(questions)
    columns = [column for question in questions for column in question.debiased]

    def cut(words: str) -> str:
        return shorten(one_line(words), spss.LONGEST_WORDS, utf8_bytes)

    return {
        "row_compress": True,
        "column_labels": _labels(
            questions, lambda label: shorten(one_line(label), spss.LONGEST_LABEL, utf8_bytes)
        ),
        "variable_value_labels": {v.name: _words(v, cut, _spss_missing(v)) for v in variables},
        "missing_ranges": {v.name: _spss_ranges(v) for v in variables if v.missing},
        "variable_format": {v.name: _spss_format(v) for v in variables}
        | dict.fromkeys((column.name for column in columns), "F12.4"),
    }


def _stata_missing(variable: Variable) -> dict[str, str]:
    """The letters of .a, .b and so on."""
    return {code: stata.CODES[reason][1:] for code, reason in variable.missing.items()}


def _stata_options(questions: Sequence[Described]) -> dict[str, Any]:
    variables = _measured(questions)

    def cut(words: str) -> str:
        return shorten(one_line(words), stata.LONGEST_WORDS, len)

    return {
        "column_labels": _labels(
            questions, lambda label: shorten(one_line(label), stata.LONGEST_LABEL, len)
        ),
        "variable_value_labels": {v.name: _words(v, cut, _stata_missing(v)) for v in variables},
        "missing_user_values": {
            v.name: sorted({*_stata_missing(v).values()}) for v in variables if v.missing
        },
        "variable_format": {v.name: "%td" for v in variables if v.content is Content.DAYS},
    }


PROGRAMS = {
    "sav": Program("write_sav", _spss_missing, date(1582, 10, 14), 86_400, float, _spss_options),
    "dta": Program("write_dta", _stata_missing, date(1960, 1, 1), 1, object, _stata_options),
}
