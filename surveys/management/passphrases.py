"""Passphrases of key files: asked for on the terminal, or read from a file."""

import getpass
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

LONGEST = 1_024  # a file that is longer is no passphrase, and may be endless


def add_passphrase(parser: ArgumentParser) -> None:
    """The option for machines without a person."""
    parser.add_argument(
        "--passphrase-file",
        type=Path,
        action="append",
        default=[],
        help="A file whose first line is the passphrase. Repeat this option for each key file, "
        "in the same order. Default: the passphrase is asked for.",
    )


def passphrase_of(options: Mapping[str, Any], path: Path, number: int = 0) -> str:
    """That of a key file, the one of this number. Raises CommandError, OSError."""
    files: list[Path] = options["passphrase_file"]
    if not files:
        return _asked(f"Passphrase of {path.name}: ")
    if number >= len(files):
        raise CommandError("Give --passphrase-file once for each key file, in the same order.")
    return _first_line(files[number])


def new_passphrase(options: Mapping[str, Any]) -> str:
    """One for a new file, typed twice. Raises CommandError, OSError."""
    if options["passphrase_file"]:
        return _first_line(options["passphrase_file"][0])
    first = _asked("New passphrase: ")
    if _asked("The same passphrase again: ") != first:
        raise CommandError("Nothing was written: the two passphrases differ.")
    return first


def _first_line(path: Path) -> str:
    with path.open("rb") as file:
        line = file.readline(LONGEST)
    return line.decode(errors="surrogateescape").rstrip("\r\n")


def _asked(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise CommandError(
            "The passphrase cannot be asked for: there is no terminal. Give --passphrase-file."
        )
    return getpass.getpass(prompt)
