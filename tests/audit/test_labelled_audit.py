"""A part of a .sav or .dta file, with as many cells as it may have, is written in 300 MB."""

import pytest

from tests.audit.programs import PEAK, python_prints

pytestmark = pytest.mark.audit
MOST = 300  # MB beyond what the program takes before
WRITE = """
import sys, tempfile, time
from contextlib import contextmanager
from pathlib import Path
import django
django.setup()
import numpy as np, pandas, pyreadstat
from surveys.randomized_response.files.debiased import DebiasedColumn, LookUp
from surveys.results.labelled import data_files
from surveys.results.labelled.variables import Content, Described, Reason, Variable

@contextmanager
def scratch():
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "part"

def question(number):
    name, missing = f"q{number:03d}", {"--": Reason.NOT_ASKED}
    values = {"00": "reported No", "01": "reported Yes"}
    look_up = LookUp((f"{name}_rep",), {"00": -0.5, "01": 1.5, "--": None})
    variable = Variable(f"{name}_rep", f"Question {number}?", Content.CODES, missing, 2, values)
    return Described((variable,), (DebiasedColumn(f"{name}_yes", "Debiased", (look_up,)),))

ending, rng = sys.argv[1], np.random.default_rng(1)
files = data_files.LabelledFiles(ending, [question(n + 1) for n in range(112)], scratch)
rows = data_files.MOST_CELLS // len(files.names)
before, start = peak(), time.process_time()
cells = [0, 1, files.program.missing(files.questions[0].variables[0])["--"]]
kinds = [data_files._array(cells, files.program.kind), np.array([-0.5, 1.5, np.nan])]
block = [kinds[n % 2][rng.integers(0, 3, rows)] for n in range(len(files.names))]
blocks = [[column[at : at + 20_000].copy() for column in block] for at in range(0, rows, 20_000)]
del block
size = sum(len(part) for part, _ in files.added(blocks)) + len(files.rest())
print(peak() - before, size / 1e6, time.process_time() - start)
"""


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_the_largest_part_takes_little_memory(ending, capsys):
    memory, size, seconds = map(float, python_prints(PEAK + WRITE, ending).split())
    with capsys.disabled():
        print(f"\n.{ending}: {memory:.0f} MB, {size:.1f} MB zipped, {seconds:.1f} s of CPU")
    assert memory < MOST
