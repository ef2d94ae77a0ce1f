"""The command ``columns``: debiased columns for a survey's file of responses, from its codebook."""

import csv
import io
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from .coded_columns import CodedFile, Kept, coded_file
from .options import add_cells_option, in_options, json_of
from .parquet_columns import write_parquet
from .tables import PARQUET, TableError, read_header, read_rows

HELP = "Add debiased columns to a survey's file of responses, from its codebook."


def add_options(parser: ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("file", help="The responses: CSV or Parquet, in words or codes.")
    parser.add_argument("--codebook", required=True, help="The codebook of the same survey.")
    parser.add_argument("--into", required=True, help="The file to write; it must not exist.")
    add_cells_option(parser)


def run(options: dict[str, Any]) -> str:
    """Write the file; how many columns and rows. Raises UsageError with place and remedy."""
    return in_options(lambda: _answer(options))


def _answer(options: dict[str, Any]) -> str:
    codebook = json_of("--codebook", options["codebook"])

    def coded_of(names: Sequence[str]) -> CodedFile:
        return coded_file(codebook, names, options["cells"])

    with _opened(options["file"]) as source, _created(options["into"]) as into:
        if source.peek(len(PARQUET)).startswith(PARQUET):
            coded, count = write_parquet(source, into, coded_of)
        else:
            coded, count = _write_csv(source, into, coded_of)
    return f"{options['into']}: {count:,} rows; debiased columns: {len(coded.added)}."


def _write_csv(
    source: BinaryIO, into: BinaryIO, coded_of: Callable[[Sequence[str]], CodedFile]
) -> tuple[CodedFile, int]:
    # Strict: a quote that is never closed would swallow the rest of the file.
    text = io.TextIOWrapper(source, encoding="utf-8-sig", newline="")
    lines = csv.reader(text, strict=True)
    written = io.TextIOWrapper(into, encoding="utf-8", newline="")
    try:
        names = read_header(lines)
        coded = coded_of(names)
        count = _write(coded, read_rows(lines, names), written)
    except csv.Error as problem:
        words = f"line {lines.line_num}: this is no CSV: {problem}: quote cells"
        raise TableError(words) from None
    except UnicodeDecodeError:
        words = f"line {lines.line_num + 1} or one soon after it is no UTF-8: save it as UTF-8"
        raise TableError(words) from None
    except StopIteration:
        raise TableError("the file is empty: give a header and rows") from None
    finally:  # who opened the files closes them
        text.detach()
        written.detach()
    return coded, count


def _write(coded: CodedFile, rows: Iterable[tuple[int, list[str]]], into: TextIO) -> int:
    """Write every row, as it is read; how many."""
    writer = csv.writer(into)
    writer.writerow(coded.header)
    looked_up = [Kept(maker) for maker in coded.makers]
    count = 0
    for line, row in rows:
        try:
            cells = [
                cell for each in looked_up for cell in each[tuple([row[p] for p in each.places])]
            ]
        except KeyError:
            raise coded.refusal(f"line {line}", row) from None
        writer.writerow([cells[at] if is_made else row[at] for is_made, at in coded.order])
        count += 1
    return count


@contextmanager
def _opened(source: str) -> Iterator[BufferedReader]:
    """A file to read. Raises TableError."""
    try:
        path = Path(source)
        file = path.open("rb")
    except (OSError, ValueError) as problem:
        raise TableError(f"{source!r} cannot be read: {_reason(problem)}: check the path") from None
    with file:
        yield file


@contextmanager
def _created(target: str) -> Iterator[BinaryIO]:
    """A new file, which goes if it is not written to its end. Raises TableError."""
    try:
        path = Path(target)
        file = path.open("xb")
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
