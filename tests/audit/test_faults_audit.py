"""Kills, cuts and full disks under load: the benchmark's verdict, with fewer submissions."""

import os
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.audit
COMMAND = [sys.executable, "-m", "benchmarks.faults", "--submissions", "2000"]
REPEATS = {"sqlite": 10_000, "postgresql": 100_000}


@pytest.mark.parametrize("database", REPEATS)
def test_nothing_acknowledged_is_lost_or_counted_twice_and_no_repeat_meets_an_error(database):
    settings = {name: text for name, text in os.environ.items() if not name.startswith("DENIABLE_")}
    said = subprocess.run(
        [*COMMAND, "--repeats", str(REPEATS[database]), "--database", database],
        cwd=ROOT,
        env=settings,
        capture_output=True,
        text=True,
    )
    print(said.stdout)
    assert said.returncode == 0, said.stdout + said.stderr
    total = said.stdout.rstrip().splitlines()[-1]
    assert re.search(r"lost 0, duplicated 0$", total)
    sent, acknowledged = (
        int(re.search(rf"{word} ([\d,]+)", total)[1].replace(",", ""))
        for word in ("sent", "acknowledged")
    )
    assert sent > acknowledged > 2000
