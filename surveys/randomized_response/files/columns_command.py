"""The command ``columns``: debiased columns for a survey's file of responses, from its codebook."""

import csv
import io
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from .coded_columns import CODES, WORDS, CodedFile, coded_file
from .options import in_options, json_of
from .tables import TableError, read_header, read_rows

HELP = "Add debiased columns to a survey's file of responses, from its codebook."
PARQUET = b"PAR1"  # how such a file begins
MOST_KEPT = 10_000  # combinations of cells of a question whose numbers are kept


def add_options(parser: ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("file", help="The responses: a CSV in words or codes.")
    parser.add_argument("--codebook", required=True, help="The codebook of the same survey.")
    parser.add_argument("--into", required=True, help="The file to write; it must not exist.")
    words = "What the file has, where words of answers look like codes."
    parser.add_argument("--cells", choices=[CODES, WORDS], help=words)


def run(options: dict[str, Any]) -> str:
    """Write the file; how many columns and rows. Raises UsageError with place and remedy."""
    return in_options(lambda: _answer(options))


def _answer(options: dict[str, Any]) -> str:
    codebook = json_of("--codebook", options["codebook"])
    with _opened(options["file"]) as file, _created(options["into"]) as into:
        # Strict: a quote that is never closed would swallow the rest of the file.
        lines = csv.reader(file, strict=True)
        try:
            names = read_header(lines)
            coded = coded_file(codebook, names, options["cells"])
            count = _write(coded, read_rows(lines, names), into)
        except csv.Error as problem:
            words = f"line {lines.line_num}: this is no CSV: {problem}: quote cells"
            raise TableError(words) from None
        except UnicodeDecodeError:
            words = f"line {lines.line_num + 1} or one soon after it is no UTF-8: save it as UTF-8"
            raise TableError(words) from None
        except StopIteration:
            raise TableError("the file is empty: give a header and rows") from None
    return f"{options['into']}: {count:,} rows; debiased columns: {len(coded.added)}."


def _write(coded: CodedFile, rows: Iterable[tuple[int, list[str]]], into: TextIO) -> int:
    """Write every row, as it is read; how many."""
    writer = csv.writer(into)
    writer.writerow(coded.header)
    looked_up = [_Kept(made) for made in coded.makers]
    count = 0
    for line, row in rows:
        try:
            cells = [
                cell for each in looked_up for cell in each[tuple([row[p] for p in each.places])]
            ]
        except KeyError:
            raise coded.refusal(line, row) from None
        writer.writerow([cells[at] if is_made else row[at] for is_made, at in coded.order])
        count += 1
    return count


class _Kept(dict[tuple[str, ...], list[str]]):
    """The cells that some columns get for what stands in others; a combination is made once."""

    def __init__(self, maker: tuple[Sequence[int], Callable[[Sequence[str]], list[str]]]) -> None:
        super().__init__()
        self.places, self.make = maker

    def __missing__(self, cells: tuple[str, ...]) -> list[str]:
        made = self.make(cells)
        if len(self) >= MOST_KEPT:
            self.clear()
        self[cells] = made
        return made


@contextmanager
def _opened(source: str) -> Iterator[TextIO]:
    """A file of text to read. Raises TableError."""
    try:
        path = Path(source)
        file = path.open("rb")
    except (OSError, ValueError) as problem:
        raise TableError(f"{source!r} cannot be read: {_reason(problem)}: check the path") from None
    with file:
        if file.peek(len(PARQUET)).startswith(PARQUET):
            raise TableError(f"{source!r} is a Parquet file: give the CSV of the same responses")
        yield io.TextIOWrapper(file, encoding="utf-8-sig", newline="")


@contextmanager
def _created(target: str) -> Iterator[TextIO]:
    """A new file of text, which goes if it is not written to its end. Raises TableError."""
    try:
        path = Path(target)
        file = path.open("x", encoding="utf-8", newline="")
    except FileExistsError:
        raise TableError(f"--into: {target!r} exists already: name a new file") from None
    except (OSError, ValueError) as problem:
        raise TableError(f"--into: {target!r} cannot be written: {_reason(problem)}") from None
    try:
        with file:
            yield file
    except OSError as problem:
        path.unlink(missing_ok=True)
        raise TableError(f"--into: {target!r} cannot be written: {_reason(problem)}") from None
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem)
