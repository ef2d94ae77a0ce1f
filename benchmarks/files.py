"""Files of all answers: a million rows of sixty questions, with their debiased columns.

Run: ``python -m benchmarks.files [--responses N] [--times N]``. Each format is written by a process
of its own, as a worker writes it, to nowhere. Printed are its cells a second of CPU, its peak of
memory, and how many times as long as Python's own writer of CSV it takes for each cell: that writer
is given rows of as many cells that are texts already. It is an error if rows are missing.
"""

import argparse
import csv
import io
import json
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.large_surveys import large_survey
from benchmarks.sites import DATABASES, site

RESPONSES, TIMES = 1_000_000, 6  # of ten questions each
FORMATS = ("csv", "csv-codes", "parquet", "parquet-codes", "sav", "dta")
PEER_ROWS = 20_000


def main() -> None:
    """Fill a survey, and measure each format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", type=int, default=RESPONSES)
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--survey", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.survey:
        print(json.dumps(_written(arguments.survey, arguments.formats[0])))
        return
    with site(arguments.database):
        survey = large_survey(arguments.responses, arguments.times)
        for name in arguments.formats:
            _measure(str(survey.pk), name, arguments.responses)


def _measure(survey: str, name: str, responses: int) -> None:
    command = [sys.executable, "-m", "benchmarks.files", "--survey", survey, "--formats", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    cells, rows, size, seconds, peak = json.loads(done.stdout)
    if rows < responses:
        raise SystemExit(f"{name} has {rows:,} of {responses:,} rows.")
    peer = _peer(cells // responses)
    print(
        f"{name}: {cells:,} cells, {size / 1e6:,.0f} MB in {seconds:.0f} s of CPU: "
        f"{cells / seconds / 1e6:.2f} million a second, peak memory {peak:.0f} MiB; "
        f"{seconds / cells / peer:.2f} times as long as Python's csv",
        flush=True,
    )


def _written(survey: str, name: str) -> tuple[int, int, int, float, float]:
    """Cells, rows, bytes, seconds of CPU, and the peak of memory in MiB."""
    import django

    django.setup()
    from surveys.models import Survey
    from surveys.models.queries import questionnaire_of
    from surveys.results.exports import row_parts
    from surveys.results.taking.formats import FORMATS as WRITERS

    revision = Survey.objects.get(pk=survey).revision
    parts = row_parts(questionnaire_of(revision), debiased=True)
    columns = sum(len(part.names) for part in parts)
    start = time.process_time()
    rows = size = 0
    for content, count in WRITERS[name].parts(revision):
        rows, size = rows + count, size + len(content)
    seconds = time.process_time() - start
    stored = revision.responses.count()
    # Of this program alone: what is counted for a process begins with what its parent held.
    peak = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return columns * stored, rows, size, seconds, peak


def _peer(columns: int) -> float:
    """Seconds of CPU for each cell of Python's writer."""
    row = ["Never"] * columns
    start = time.process_time()
    csv.writer(io.StringIO()).writerows([row] * PEER_ROWS)
    return (time.process_time() - start) / (PEER_ROWS * columns)


if __name__ == "__main__":
    main()
