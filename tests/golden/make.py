"""Write the golden copies anew: ``python -m tests.golden.make``.

Searches for designs, factorings and ties between equal scores turn on the last bit of a sum, and
libraries of linear algebra sum in an order that they choose by the processor. The copies are made
in a process that is told one order, which every processor of the last ten years has.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.golden.stored import COPIES

FOLDER = "GOLDEN_COPIES_FOLDER"
# Named in words: the tests can be imported when their settings are there.
MAKING = "tests/golden/making.py"
ONE_ARITHMETIC = {
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}


def make(folder: Path) -> subprocess.CompletedProcess[str]:
    """Write all copies into this folder, where others of their database may stand."""
    typed = [sys.executable, "-m", "pytest", "-m", "", MAKING]
    told = {**os.environ, **ONE_ARITHMETIC, FOLDER: str(folder)}
    # A test that starts this has a database, whose file the new process would write over.
    told.pop("DENIABLE_DATA_DIR", None)
    return subprocess.run(typed, env=told, check=False, capture_output=True, text=True)


if __name__ == "__main__":
    done = make(COPIES)
    print(done.stdout, done.stderr, sep="")
    raise SystemExit(done.returncode)
