"""How long pages of results take of a survey with a million answers, beside one with a thousand.

Run: ``python -m benchmarks.dashboards [--responses 1000000] [--database postgresql]``. Answers are
written in bulk, as openings would have left them, and counted by what the migration uses. Then a
process of its own asks for the list of surveys, the dashboard, charts, break-downs and a
regression, in turns of the small and the large survey; last, others write files of all answers.
Printed are the wall clock and processor time, the database's own included, which depends less on
what else the machine does.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.large_surveys import addresses_of, large_survey
from benchmarks.sites import DATABASES, site

SMALL = 1_000
LONGEST_P95, LARGEST_RATIO = 0.2, 1.2
LOADING = 2


def main() -> None:
    """Fill, then measure in a process whose memory is that of the pages alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--responses", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--pages", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.pages:
        _pages(json.loads(arguments.pages), arguments.requests)
        return
    if arguments.file:
        _export(*json.loads(arguments.file))
        return
    with site(arguments.database):
        sizes = (SMALL, arguments.responses)
        surveys = {str(size): str(large_survey(size).pk) for size in sizes}
        print(f"{arguments.database}, {arguments.responses:,} answers", flush=True)
        command = [sys.executable, "-m", "benchmarks.dashboards"]
        wanted = ["--pages", json.dumps(surveys), "--requests", str(arguments.requests)]
        pages = subprocess.run([*command, *wanted], check=False)
        large = str(arguments.responses)
        for kind in ("parquet-codes", "parquet", "csv-codes"):
            file = json.dumps([large, surveys[large], kind])
            subprocess.run([*command, "--file", file], check=True)
        raise SystemExit(pages.returncode)


def _pages(surveys: dict[str, str], requests: int) -> None:
    """Ask for every page of both surveys in turns, and print."""
    import django

    django.setup()
    small, large = sorted(surveys, key=int)
    _count_together(surveys[large])
    clients = {size: _client(size) for size in (small, large)}
    slow = []
    for name in addresses_of(surveys[large]):
        taken = {size: [] for size in (small, large)}
        for _ in range(LOADING + requests):
            for size in (small, large):
                taken[size].append(_ask(clients[size], addresses_of(surveys[size])[name]))
        slow += _report(name, taken[small], taken[large])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  peak memory of this process {peak:.0f} MiB")
    if slow:
        raise SystemExit(f"Above the aims: {', '.join(slow)}.")


def _export(size: str, survey: str, kind: str) -> None:
    """Write a file of all answers, as a worker does, and print the rate and the peak of memory."""
    import django

    django.setup()
    from surveys.models import Export, Survey
    from surveys.results.taking import services

    owner = Survey.objects.get(pk=survey).owner
    start, cpu = time.perf_counter(), _cpu()
    export = services.ask(Survey.objects.get(pk=survey), kind, by=owner, later=lambda key: None)
    services.write(export.pk)
    taken, used = time.perf_counter() - start, _cpu() - cpu
    found = Export.objects.get(pk=export.pk)
    if found.problem or found.written != int(size):
        raise SystemExit(f"{kind} was not written: {found.problem}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"  {kind} of all answers: {found.size / 1e6:.0f} MB, {int(size) / taken:,.0f} rows/s, "
        f"{int(size) / used:,.0f} per second of CPU; peak memory {peak:.0f} MiB",
        flush=True,
    )


def _client(size: str):
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username=f"of-{size}"))
    return client


def _count_together(survey: str) -> None:
    """What a worker does, once, before analyses of the large survey are shown."""
    from surveys.counts import joint
    from surveys.models import JointCount, Revision

    revision = Revision.objects.get(survey=survey)
    for numbers in ([1, 6], [2, 5, 10], [1, 5, 6, 10]):
        joint.ask(revision.pk, numbers, later=lambda key: None)
    before = time.process_time()
    start = time.perf_counter()
    for key in JointCount.objects.values_list("pk", flat=True):
        joint.count(key)
    print(
        f"  three choices of questions counted together in {time.perf_counter() - start:.1f} s "
        f"({time.process_time() - before:.1f} s of CPU here)",
        flush=True,
    )


def _ask(client, addresses: list[str]) -> tuple[float, float]:
    """Seconds of wall clock and of processor time for one page; charts are taken on average."""
    wall, cpu = time.perf_counter(), _cpu()
    for address in addresses:
        reply = client.get(address)
        if reply.status_code != 200:
            raise SystemExit(f"{address}: status {reply.status_code}")
    return (time.perf_counter() - wall) / len(addresses), (_cpu() - cpu) / len(addresses)


def _cpu() -> float:
    """Processor seconds of this process and of its connection to PostgreSQL."""
    from django.db import connection

    here = time.process_time()
    if connection.vendor == "sqlite" or connection.connection is None:
        return here
    pid = connection.connection.info.backend_pid
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return here + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _report(
    name: str, small: list[tuple[float, float]], large: list[tuple[float, float]]
) -> list[str]:
    """Print one kind of page; its name if it misses an aim. The first requests load modules."""
    wall, cpu = zip(*large[LOADING:], strict=True)
    ratio = statistics.median(cpu) / statistics.median(one for _, one in small[LOADING:])
    p95 = statistics.quantiles(cpu, n=20)[-1]
    print(
        f"  {name:12} wall p50 {1000 * statistics.median(wall):4.0f} ms, "
        f"p95 {1000 * statistics.quantiles(wall, n=20)[-1]:4.0f} ms; "
        f"CPU p50 {1000 * statistics.median(cpu):4.0f} ms, p95 {1000 * p95:4.0f} ms; "
        f"{ratio:.2f} times that of {SMALL:,} answers",
        flush=True,
    )
    return [name] if p95 > LONGEST_P95 or ratio > LARGEST_RATIO else []


if __name__ == "__main__":
    main()
