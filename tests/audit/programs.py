"""Other programs: Python without the tests' own memory, and R; what they print."""

import os
import subprocess
import sys
from typing import Any

from tests.conftest import ROOT

PATH = os.environ["PATH"]
# Defines ``peak()``: megabytes of this program alone. What the kernel counts for a process begins
# with what the process held that started it, which in a whole audit is more than a gigabyte.
PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return int(status.read().partition("VmHWM:")[2].split()[0]) / 1024
"""


def python_prints(script: str, *arguments: object) -> str:
    """What a script prints that has the project beside it."""
    env = {"DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": str(ROOT)}
    return _printed([sys.executable, "-c", script], arguments, cwd=ROOT, env=env)


def r_prints(script: str, *arguments: object) -> str:
    """What a script of R prints; R is a program of the audit, and without it this fails."""
    env = {"PATH": PATH, "LC_ALL": "C.UTF-8"}
    return _printed(["Rscript", "--vanilla", "-e", script], arguments, env=env)


def _printed(command: list[str], arguments: tuple[object, ...], **options: Any) -> str:
    done = subprocess.run(
        [*command, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
