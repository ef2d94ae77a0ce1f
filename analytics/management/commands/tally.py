"""``manage.py tally verify``: work out a table's counts again, from files that anybody may have."""

import json
import os
from argparse import ArgumentParser
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.trust.digests import printed_in_groups
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.files import BallotList, NoisyTotals, read_json, read_list

BAD_FILE = 3  # exit code
AHEAD = 2  # parts that wait for each process: none is idle, and memory stays flat


class Command(BaseCommand):
    help = (
        "Check a tally: every ballot, every noise file, every share, and the counts. No server "
        "is needed."
    )
    # Nothing here touches the database or the settings of a server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        verify = actions.add_parser(
            "verify", help="Check the files, and print the counts that they open to."
        )
        verify.add_argument("ballots", type=Path, help="The file of ballots.")
        verify.add_argument("files", type=Path, nargs="+", help="All noise files, then all shares.")
        verify.add_argument(
            "--jobs",
            type=int,
            default=1,
            help="How many processes check at the same time. Default: 1.",
        )

    def handle(self, *, ballots: Path, files: list[Path], jobs: int, **options: Any) -> None:
        """Print the counts. Raises CommandError."""
        if not 1 <= jobs <= (os.cpu_count() or 1) * 4:
            raise CommandError(
                "--jobs: give a number from 1 to four times the number of processors.", returncode=2
            )
        try:
            listed = self._listed(ballots, jobs)
            counts = _counts(listed, [read_json(path.read_bytes()) for path in files])
        except TrustRefusal as refusal:
            raise CommandError(str(refusal)) from None
        except OSError as problem:
            message = f"{problem.filename}: {problem.strerror}."
            raise CommandError(message, returncode=BAD_FILE) from None
        table = listed.plan.table
        said = f"Table {table.number} of the survey {printed_in_groups(table.revision)}, "
        self.stderr.write(f"{said}{listed.count:,} ballots", style_func=str)
        self.stdout.write(json.dumps({"counts": counts}))

    def _listed(self, path: Path, jobs: int) -> BallotList:
        with path.open("rb") as file:
            if jobs == 1:
                return read_list(file)
            with ProcessPoolExecutor(jobs) as pool:
                return read_list(file, lambda act, parts: _side_by_side(pool, jobs, act, parts))


def _counts(listed: BallotList, files: list[dict[str, Any]]) -> list[int]:
    """Of noise files and shares, as many of each as there are trustees. Raises TrustRefusal."""
    count = len(listed.plan.trustees)
    totals = NoisyTotals(listed, tuple(files[:count]))
    return totals.counts(files[count:])


def _side_by_side(
    pool: ProcessPoolExecutor,
    jobs: int,
    act: Callable[[Any], Any],
    parts: Iterable[Any],
) -> Iterator[Any]:
    """What ``act`` gives for each part, in order; a pool's own map would read all parts first."""
    waiting: deque[Future[Any]] = deque()
    for part in parts:
        waiting.append(pool.submit(act, part))
        if len(waiting) > AHEAD * jobs:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
