"""A private report on a CSV file of texts: measured for some sizes, projected to ten million.

Run: ``python -m benchmarks.text_files [--texts N ...]``. Each size is a process of its own, which
reads the file by ranges of its bytes, as workers of a cluster do, one range after the other. From
the slope of processor seconds over texts follows what ten million take: a cluster divides that
part among its processes, while what no size changes stays with the machine that makes the report.
Words stay in memory between passes, as they do on a cluster.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from analytics.kinds.making import make_report
from analytics.kinds.settings import Settings
from analytics.privacy.accounting import Budget
from analytics.privacy.mechanisms import SeededNoise
from analytics.sources.partitions import partitions_of_file
from analytics.topics.partitions import count_respondents

SIZES = (100_000, 300_000, 600_000)
WORDS, VOCABULARY = 15, 20_000  # of a text, of all
EPSILON, DELTA = 2.0, 1e-8
PROJECTED, PROCESSES = 10_000_000, 16
BLOCK = 10_000


def main() -> None:
    """Measure each size, and print the projection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, nargs="+", default=SIZES)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.file:
        print(json.dumps(_report_on(Path(given.file))))
        return
    used = [_measure(size) for size in given.texts]
    if len(used) > 1:
        _project(given.texts, used)


def _measure(size: int) -> float:
    """Processor seconds of a report on so many texts, in a process of its own."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "texts.csv"
        _write(path, size)
        command = [sys.executable, "-m", "benchmarks.text_files", "--file", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout)
    print(f"{size:,} texts: {seconds:.1f} s of CPU, peak memory {peak:.0f} MiB", flush=True)
    return float(seconds)


def _write(path: Path, size: int) -> None:
    """Texts whose words are as uneven as those of languages are (Zipf's law)."""
    rng = np.random.default_rng(3)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    words = np.array([f"w{number:05d}" for number in range(VOCABULARY)])
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text"])
        for first in range(0, size, BLOCK):
            shape = (min(BLOCK, size - first), WORDS)
            drawn = words[rng.choice(VOCABULARY, shape, p=weights / weights.sum())]
            writer.writerows([" ".join(row)] for row in drawn)


def _report_on(path: Path) -> tuple[float, float]:
    """Processor seconds and the peak of memory, in MiB."""
    settings, start = Settings(topics=10, language=None), time.process_time()
    with partitions_of_file(path, "text", settings) as partitions:
        terms = Budget(EPSILON, DELTA, count_respondents(partitions))
        noise = SeededNoise(np.random.default_rng(1))
        make_report(
            "private_topics",
            partitions,
            settings,
            budget_terms=terms,
            cost=terms.limit,
            noise=noise,
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return time.process_time() - start, peak


def _project(sizes: list[int], used: list[float]) -> None:
    slope, start = np.polyfit(sizes, used, 1)
    total = slope * PROJECTED
    print(
        f"slope {1e6 * slope:.0f} s for a million texts, {max(start, 0):.0f} s for any number: "
        f"{PROJECTED:,} texts take {total + max(start, 0):.0f} s of one processor, "
        f"{total / PROCESSES + max(start, 0):.0f} s with {PROCESSES} processes of a cluster"
    )


if __name__ == "__main__":
    main()
