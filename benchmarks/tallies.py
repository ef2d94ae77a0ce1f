"""What ``tally verify`` takes of a core and of memory, beside the bare arithmetic of libsodium.

Run: ``python -m benchmarks.tallies [--ballots 1000] [--cells 12]``. Two lists, the second three
times as long, are checked by the command as it is shipped, in processes of their own; their
difference is what a ballot costs, without the start. The bare arithmetic is as many multiples and
sums as the proofs of a cell need, one after the other.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nacl.bindings import (
    crypto_core_ed25519_add,
    crypto_core_ed25519_sub,
    crypto_scalarmult_ed25519_base_noclamp,
    crypto_scalarmult_ed25519_noclamp,
)

from surveys.trust.digests import canonical
from surveys.trust.tally.ballots import make_ballot
from surveys.trust.tally.files import BallotList, NoisyTotals, TallyPlan, list_head
from surveys.trust.tally.group import as_bytes, random_number, times_base
from surveys.trust.tally.trustees import trustee_of

ROOT = Path(__file__).parents[1]
TRUSTEES, SIGMA, BATCH = 2, "4", 20
LONGER = 3  # the second list, by the first
PEOPLE, MOST_MINUTES, MOST_MEMORY = 100_000, 25, 200  # 12 cells: minutes of a core, MiB
ROUNDS = 200  # of the bare arithmetic
NUMBER, POINT, OTHER = as_bytes(random_number()), times_base(random_number()), times_base(1)


@dataclass(frozen=True)
class Spent:
    """By a process: seconds of a core, and MiB at most."""

    seconds: float
    memory: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ballots", type=int, default=1_000, help="of the shorter list")
    parser.add_argument("--cells", type=int, default=12)
    arguments = parser.parse_args()
    secrets = [random_number() for _ in range(TRUSTEES)]
    document = _document(secrets, arguments.cells)
    table = TallyPlan.read(document, 1).table
    shorter, longer = arguments.ballots, arguments.ballots * LONGER
    begun = time.process_time()
    ballots = [make_ballot(table, choice % table.cells) for choice in range(longer)]
    made = (time.process_time() - begun) / (longer * table.cells)
    with TemporaryDirectory() as folder:
        spent = [
            _verified(_files(Path(folder), document, secrets, ballots[:number]))
            for number in (shorter, longer)
        ]
    checked = (spent[1].seconds - spent[0].seconds) / ((longer - shorter) * table.cells)
    _report(table.cells, made, checked)
    _report_memory((shorter, longer), spent)


def _document(secrets: Sequence[int], cells: int) -> dict[str, Any]:
    trustees = [trustee_of(str(number), secret) for number, secret in enumerate(secrets)]
    entries = [
        {"name": one.name, "key": one.key.hex(), "proof": one.proof.hex()} for one in trustees
    ]
    table = {"table": 1, "questions": [1], "cells": cells, "sigma": SIGMA}
    return {
        "deniable": 2,
        "batch_size": BATCH,
        "tally": {"trustees": entries, "tables": [table]},
    }


def _files(
    folder: Path, document: dict[str, Any], secrets: Sequence[int], ballots: Sequence[bytes]
) -> list[Path]:
    """The list, then noises of 0, then shares."""
    plan, given = TallyPlan.read(document, 1), sorted(ballots)
    listed = BallotList.of(plan, len(given), given)
    numbered = list(enumerate(secrets, start=1))
    noises = [listed.noise_file(trustee, [0] * plan.table.cells) for trustee, _ in numbered]
    totals = NoisyTotals(listed, tuple(noises))
    shares = [totals.share_file(trustee, secret) for trustee, secret in numbered]
    contents = [list_head(document, 1, len(given)) + b"".join(given)]
    contents += [canonical(file) for file in (*noises, *shares)]
    paths = [folder / f"{len(given)}-{number}" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return paths


def _verified(files: Sequence[Path]) -> Spent:
    """By the command, without a database."""
    command = [sys.executable, "manage.py", "tally", "verify", *map(str, files)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    counts = json.loads(process.stdout.read())["counts"]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or sum(counts) != int(files[0].name.partition("-")[0]):
        raise SystemExit(f"tally verify: {process.returncode}, {counts}")
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _bare_cell() -> None:
    """What no check of a cell can do without: 8 multiples, which check their points, and 9 sums."""
    for _ in range(2):
        crypto_scalarmult_ed25519_base_noclamp(NUMBER)
    for _ in range(6):
        crypto_scalarmult_ed25519_noclamp(NUMBER, POINT)
    for _ in range(5):
        crypto_core_ed25519_sub(POINT, OTHER)
    for _ in range(4):
        crypto_core_ed25519_add(POINT, OTHER)


def _bare_seconds() -> float:
    """Of a core, for a cell."""
    begun = time.process_time()
    for _ in range(ROUNDS):
        _bare_cell()
    return (time.process_time() - begun) / ROUNDS


def _report(cells: int, made: float, checked: float) -> None:
    bare = _bare_seconds()
    minutes = checked * PEOPLE * 12 / 60
    print(
        f"{cells} cells: a ballot takes {1000 * made:.3f} ms a cell to make, {1000 * checked:.3f} "
        f"ms to check; bare arithmetic {1000 * bare:.3f} ms, so {checked / bare:.2f} times that"
    )
    print(
        f"{PEOPLE:,} ballots of 12 cells: {minutes:.1f} minutes of a core "
        f"(wanted: at most {MOST_MINUTES})"
    )


def _report_memory(numbers: tuple[int, int], spent: Sequence[Spent]) -> None:
    pairs = zip(numbers, spent, strict=True)
    said = ", ".join(f"{one.memory:.0f} MiB for {number:,} ballots" for number, one in pairs)
    print(f"memory at most: {said} (wanted: at most {MOST_MEMORY}, for any number)")


if __name__ == "__main__":
    main()
