"""Options that commands on files share: --design and --set; refusals in one line, JSON."""

import json
import math
import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..errors import StatisticsError
from .coded_columns import CODES, WORDS
from .named_designs import DESIGNS, NamedDesign, described_design, named_design
from .tables import STDIN, TableError, read_json

VERSION = 1
# Arguments of the statistics that are options of the commands.
OPTIONS = {
    "method": "--method",
    "population_size": "--population-size",
    "covariance": "--covariance",
}
Result = TypeVar("Result")


class UsageError(ValueError):
    """Options or a file that no answer can be given to: one line that says place and remedy."""


def add_table_options(parser: ArgumentParser) -> None:
    """The options of every command that reads a table."""
    words = "A .csv, .json or .parquet file; - reads stdin."
    parser.add_argument("--input", required=True, help=words)
    add_design_options(parser)
    parser.add_argument("--level", default="0.95", help="Level of the intervals. Default: 0.95.")
    parser.add_argument("--format", choices=["json", "table"], default="json")


def add_design_options(parser: ArgumentParser) -> None:
    """The options that name a design and its parameters."""
    parser.add_argument("--design", help=f"One of: {', '.join(DESIGNS)}.")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="A parameter of the design, such as p_direct=3/4; name=@file reads JSON.",
    )


def in_options(work: Callable[[], Result]) -> Result:
    """The result. Raises UsageError with the refusal in one line, in the words of the options."""
    try:
        return work()
    except StatisticsError as refusal:
        option = OPTIONS.get(refusal.argument)
        words = refusal.about(option) if option else str(refusal)
        if refusal.argument.startswith("column "):
            words = f"--predictors: {refusal.argument} cannot be used: {refusal.remedy}"
        raise UsageError(_in_one_line(words)) from None
    except ValueError as refusal:  # a TableError is one
        raise UsageError(_in_one_line(str(refusal))) from None


def _in_one_line(words: str) -> str:
    """A refusal with options in place of the library's arguments."""
    return " ".join(re.sub(r"\b(covariance|method)='(\w+)'", r"--\1 \2", words).split())


def design_from(options: dict[str, Any], instead: str = "") -> NamedDesign:
    """The design of --design and --set. Raises TableError, DesignError."""
    if not options["design"]:
        raise TableError(f"Add --design, such as --design warner{instead}.")
    return named_design(options["design"], dict(_settings(options["set"])))


def designs_from(source: str) -> dict[str, NamedDesign]:
    """Designs by name from JSON {"name": {"design": ..., ...}}. Raises TableError, DesignError."""
    content = json_of("--designs", source)
    if not isinstance(content, dict) or not content:
        raise TableError('--designs: give {"name": {"design": "warner", "p_direct": "3/4"}, ...}')
    return {name: described_design(f"--designs, {name!r}", d) for name, d in content.items()}


def json_of(option: str, source: str) -> Any:
    """The content of a JSON file that an option names. Raises TableError."""
    try:
        return read_json(source, sys.stdin.buffer)
    except TableError as problem:
        raise TableError(f"{option}: {problem}") from None


def listed(text: str | None, option: str) -> tuple[str, ...]:
    """Names separated by commas. Raises TableError for empty and repeated ones."""
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    if "" in names:
        raise TableError(f"{option}: a name is empty: write a,b,c")
    for i, name in enumerate(names):
        if name in names[:i]:
            raise TableError(f"{option}: {name!r} stands twice: write it once")
    return names


def level_of(options: dict[str, Any]) -> float:
    """The level of the intervals. Raises TableError."""
    level = number("--level", options["level"], "0.95")
    if not 0 < level < 1:
        raise TableError(_no_number("--level", options["level"], "0.95"))
    return level


def number(option: str, text: str, example: str) -> float:
    """A finite number that was typed. Raises TableError."""
    try:
        value = float(text)
    except ValueError:
        raise TableError(_no_number(option, text, example)) from None
    if not math.isfinite(value):
        raise TableError(_no_number(option, text, example))
    return value


def add_codebook_options(parser: ArgumentParser, codebook: str) -> None:
    """The options that say what the columns of a survey's file are."""
    parser.add_argument("--codebook", help=codebook)
    add_cells_option(parser)


def add_cells_option(parser: ArgumentParser) -> None:
    """The option for files whose cells do not say what they are."""
    words = "What the file has, where words of answers look like codes."
    parser.add_argument("--cells", choices=[CODES, WORDS], help=words)


def refuse_beside_codebook(options: dict[str, Any], names: Iterable[str]) -> None:
    """Options whose answer stands in a codebook. Raises TableError."""
    for name in names:
        if options[name]:
            option = f"--{name.replace('_', '-')}"
            raise TableError(f"{option}: the codebook says it already: leave one of them out")


def _no_number(option: str, text: str, example: str) -> str:
    return f"{option} {text} cannot be used: write a number such as {example}"


def as_json(content: dict[str, Any]) -> str:
    """Strict JSON: no NaN, letters as they are."""
    return json.dumps(
        {"version": VERSION, **content}, indent=1, ensure_ascii=False, allow_nan=False
    )


def _settings(texts: list[str]) -> Iterable[tuple[str, Any]]:
    known: set[str] = set()
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise TableError(f"--set {text} has no value: write NAME=VALUE, such as p_direct=3/4")
        if name.strip() in known:
            raise TableError(f"--set {name.strip()} stands twice: write it once")
        known.add(name.strip())
        # Standard input is the table's.
        if value.startswith("@") and value[1:] != STDIN:
            yield name.strip(), json_of(f"--set {name.strip()}", value[1:])
        else:
            yield name.strip(), value.strip()
