"""Trustees at machines of their own: key files, a list of ballots, the commands as typed."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management import call_command

from surveys.trust.tally.ballots import make_ballot
from surveys.trust.tally.files import TallyPlan, list_head

PHRASE = "correct horse"
BALLOTS = "table-1.ballots"
CHOICES = (0, 1, 1, 2, 2, 2)


def run(command: str, *arguments: object) -> str:
    out = io.StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def phrase(folder: Path) -> list[object]:
    return ["--passphrase-file", folder / "phrase"]


def make_key(folder: Path, name: str) -> dict[str, str]:
    """A trustee's files, and what a document has of them; scrypt is slow on purpose."""
    (folder / "phrase").write_text(PHRASE)
    run("trustee", "new", name.upper(), folder / f"{name}.key", *phrase(folder))
    public = read(folder / f"{name}.key.public.json")
    return {part: public[part] for part in ("name", "key", "proof")}


def document_of(
    trustees: Sequence[dict[str, str]], *, cells: int = 3, sigma: str = "1/1000"
) -> dict[str, Any]:
    """With one table that these trustees open."""
    table = {"table": 1, "questions": [1], "cells": cells, "sigma": sigma}
    tally = {"trustees": list(trustees), "tables": [table]}
    return {"deniable": 2, "batch_size": 4, "tally": tally}


def write_list(
    path: Path, document: dict[str, Any], choices: Sequence[int], others: Sequence[bytes] = ()
) -> None:
    """The file of ballots of people who choose these cells, and of others."""
    table = TallyPlan.read(document, 1).table
    made = sorted([*(make_ballot(table, choice) for choice in choices), *others])
    path.write_bytes(list_head(document, 1, len(made)) + b"".join(made))


def noise_arguments(folder: Path, name: str, into: Path) -> list[object]:
    files = [folder / f"{name}.key", folder / BALLOTS, "--into", into]
    return ["noise", *files, *phrase(folder)]


def share_arguments(folder: Path, name: str, noises: Sequence[Path], into: Path) -> list[object]:
    files = [folder / f"{name}.key", folder / BALLOTS, *noises, "--into", into]
    return ["open", *files, *phrase(folder)]


def add_noise(folder: Path, name: str, into: str = "") -> Path:
    path = folder / (into or f"{name}.noise")
    run("trustee", *noise_arguments(folder, name, path))
    return path


def give_share(folder: Path, name: str, noises: Sequence[Path], into: str = "") -> Path:
    path = folder / (into or f"{name}.share")
    run("trustee", *share_arguments(folder, name, noises, path))
    return path
