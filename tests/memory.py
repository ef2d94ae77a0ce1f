"""Where the tests' databases stand: in memory, where a commit does not wait for a disk.

Their settings stay those of the service, which wait until each commit is on the disk.
"""

import shutil
from pathlib import Path

SHARED = Path("/dev/shm")
ENOUGH = 2 * 2**30  # bytes; PostgreSQL may keep half of that as its log


def place() -> str | None:
    """A folder in memory with room for databases; None stands for the usual temporary folder."""
    if SHARED.is_dir() and shutil.disk_usage(SHARED).free > ENOUGH:
        return str(SHARED)
    return None
