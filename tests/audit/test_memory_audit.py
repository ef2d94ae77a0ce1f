"""A process that answers respondents holds half of what one held that answered staff, too."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.audit


@pytest.mark.one_database
def test_a_process_for_respondents_holds_at_most_half_and_loads_nothing_for_numbers():
    """The benchmark measures the services as they are shipped, and fails above its aims."""
    command = [sys.executable, "-m", "benchmarks.memory"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "deniable-web" in done.stdout
    assert "deniable-staff" in done.stdout
    assert "deniable-worker" in done.stdout
