"""The database of the next version can be made when it is released."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from surveys import VERSION

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.audit


@pytest.mark.parametrize("engine", [[], ["tests.postgresql"]], ids=["sqlite", "postgresql"])
def test_a_filled_database_is_kept_with_what_is_known_of_it(engine, tmp_path):
    command = [sys.executable, "-m", *engine, "tests.versions.make", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    (backup,) = tmp_path.rglob("*.zip")
    known = json.loads(backup.with_suffix(".json").read_text())
    assert backup.parent.name == VERSION
    waiting = [one for one in known["facts"]["surveys"].values() if one.get("waiting")]
    assert 2 <= len(waiting) <= len(known["keys"])  # a file for each survey that is open
    assert known["facts"]["rows"]["analytics_expenditure"] == 3  # two reports and a release
