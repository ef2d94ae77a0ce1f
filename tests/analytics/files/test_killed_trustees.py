"""``kill -9`` of a trustee's commands anywhere: never two noises for a table, nor two shares.

A run is killed at a step of its own: before or after a call that the command, its records or the
tally make. Every step that touches a file is one of the points; the others are spread evenly.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.analytics.files.laptops import (
    BALLOTS,
    CHOICES,
    add_noise,
    document_of,
    give_share,
    make_key,
    noise_arguments,
    run,
    share_arguments,
    write_list,
)

pytestmark = [
    pytest.mark.audit,
    pytest.mark.noise(fails=0, law="Two draws never have the same bytes: each hides its bits."),
]
STEPS = ("analytics/files/trustees.py", "commands/trustee.py", "trust/tally/files.py")
WRITES = "collecting/keys/key_files.py"
POINTS = 50
Work = Callable[[], object]


class Steps:
    """Counts a run's steps, in files of ours alone: how often numbers are drawn is by chance."""

    def __init__(self, last: int | None = None) -> None:
        self.names: list[str] = []
        self._last = last

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        if name.endswith((*STEPS, WRITES)):
            self.names.append(name)
            if len(self.names) == self._last:
                os.kill(os.getpid(), signal.SIGKILL)


def killed(work: Work, last: int) -> None:
    """In a process of its own, killed at its step with this number."""
    child = os.fork()
    if child == 0:
        sys.setprofile(Steps(last))
        work()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def points_of(work: Work) -> list[int]:
    """All steps that write, and as many others as are missing, or all."""
    steps, before = Steps(), sys.getprofile()
    sys.setprofile(steps)
    try:
        work()
    finally:
        sys.setprofile(before)
    writing = [n for n, name in enumerate(steps.names, start=1) if name.endswith(WRITES)]
    others = [n for n, name in enumerate(steps.names, start=1) if not name.endswith(WRITES)]
    missing = max(POINTS - len(writing), 12)
    return sorted({*writing, *others[:: max(1, len(others) // missing)]})


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    document = document_of([make_key(folder, name) for name in ("a", "b")])
    write_list(folder / BALLOTS, document, CHOICES)
    return folder


def test_noise_is_the_same_after_a_kill_at_each_point(place, tmp_path):
    def work(folder: Path, into: str) -> Work:
        return lambda: run("trustee", *noise_arguments(folder, "a", folder / into))

    survive(place, tmp_path, "noise", work, lambda folder: add_noise(folder, "a", "again"))


def test_a_share_is_the_same_after_a_kill_at_each_point(place, tmp_path):
    with_noise = copied(place, tmp_path / "noises")
    noises = [add_noise(with_noise, name) for name in ("a", "b")]

    def work(folder: Path, into: str) -> Work:
        return lambda: run("trustee", *share_arguments(folder, "a", noises, folder / into))

    def again(folder: Path) -> Path:
        return give_share(folder, "a", noises, "again")

    survive(with_noise, tmp_path, "share", work, again)


def survive(
    place: Path,
    scratch: Path,
    kind: str,
    work: Callable[[Path, str], Work],
    again: Callable[[Path], Path],
) -> None:
    points = points_of(work(copied(place, scratch / "whole"), "left"))
    assert len(points) >= POINTS
    had_left = had_record = 0
    for point in points:
        folder = copied(place, scratch / str(point))
        killed(work(folder, "left"), point)
        written = {path.read_bytes() for path in (folder / "left",) if path.exists()}
        records = [path.read_bytes() for path in folder.glob(f"a.key.used/{kind}-*")]
        had_left, had_record = had_left + len(written), had_record + len(records)
        assert len(records) <= 1
        # Nothing leaves before it is recorded.
        assert written <= set(records)
        made = again(folder).read_bytes()
        assert written | set(records) <= {made}, point
        (kept,) = folder.glob(f"a.key.used/{kind}-*")
        assert kept.read_bytes() == made
    # The points are spread over what matters: before the record, after it, and at the end.
    assert 0 < had_left < had_record < len(points)
    print(f"{kind}: {len(points)} points, {had_record} with a record, {had_left} with a file")


def copied(place: Path, to: Path) -> Path:
    return Path(shutil.copytree(place, to))
