"""What the commands that read tables share: options, refusals, JSON and a table for people."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.core.management.base import CommandError

from surveys.randomized_response.files.named_designs import (
    DESIGNS,
    NamedDesign,
    described_design,
    named_design,
)
from surveys.randomized_response.files.tables import STDIN, TableError, read_json, refuse_twice

VERSION = 1
Result = TypeVar("Result")


def add_table_options(parser: ArgumentParser) -> None:
    """The options of every command that reads a table."""
    parser.add_argument("--input", required=True, help="A .csv or .json file; - reads stdin.")
    parser.add_argument("--design", help=f"One of: {', '.join(DESIGNS)}.")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="A parameter of the design, such as p_direct=3/4; name=@file reads JSON.",
    )
    parser.add_argument("--level", default="0.95", help="Level of the intervals. Default: 0.95.")
    parser.add_argument("--format", choices=["json", "table"], default="json")


def told(work: Callable[[], Result]) -> Result:
    """The result, or a CommandError with the refusal in one line."""
    try:
        return work()
    except ValueError as refusal:  # TableError and StatisticsError are both of this kind
        raise CommandError(" ".join(str(refusal).split())) from None


def design_from(options: dict[str, Any]) -> NamedDesign:
    """The design of --design and --set. Raises TableError, DesignError."""
    if not options["design"]:
        raise TableError("--design: name the design, such as warner")
    return named_design(options["design"], dict(_settings(options["set"])))


def designs_from(source: str) -> dict[str, NamedDesign]:
    """Designs by name from JSON {"name": {"design": ..., ...}}. Raises TableError, DesignError."""
    content = read_json(source, sys.stdin.buffer)
    if not isinstance(content, dict) or not content:
        raise TableError('--designs: give {"name": {"design": "warner", "p_direct": "3/4"}, ...}')
    return {name: described_design(f"designs[{name}]", entry) for name, entry in content.items()}


def listed(text: str | None, option: str) -> tuple[str, ...]:
    """Names separated by commas. Raises TableError for empty and repeated ones."""
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    if "" in names:
        raise TableError(f"{option}: a name is empty: write a,b,c")
    refuse_twice(names)
    return names


def number(option: str, text: str) -> float:
    """A number that was typed. Raises TableError."""
    try:
        return float(text)
    except ValueError:
        raise TableError(f"{option}: {text!r} is no number: write 0.95") from None


def as_json(content: dict[str, Any]) -> str:
    """Strict JSON: no NaN, letters as they are."""
    return json.dumps(
        {"version": VERSION, **content}, indent=1, ensure_ascii=False, allow_nan=False
    )


def as_table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Columns under their names: the first to the left, numbers to the right."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(_line(line, widths) for line in lines)


def shown(value: float | None) -> str:
    """A number in six digits; a dash where there is none."""
    return "–" if value is None else f"{value:.6g}"


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
    return "  ".join(padded).rstrip()


def _settings(given: list[str]) -> Iterable[tuple[str, Any]]:
    refuse_twice([text.partition("=")[0].strip() for text in given])
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise TableError(f"--set: {text!r}: write name=value, such as p_direct=3/4")
        if value.startswith("@") and value[1:] != STDIN:
            yield name.strip(), read_json(value[1:], sys.stdin.buffer)
        else:
            yield name.strip(), value.strip()
