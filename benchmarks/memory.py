"""The memory of each service's processes, as they are shipped, after they served what they serve.

Run: ``python -m benchmarks.memory [--database postgresql]``. deniable-web takes submissions,
deniable-staff shows each page that the benchmark of dashboards asks for, the planner and the admin,
``manage.py db_worker`` writes files of all answers. Printed for each process is what it holds of
the memory (RSS), and its share where processes hold the same (PSS). It is an error if a process
that answers respondents holds more than half of what each did when one service answered all, or
has loaded a library for numbers or pictures.
"""

import argparse
import http.client
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.crowded import STAFF_WORKERS, send
from benchmarks.large_surveys import addresses_of, large_survey
from benchmarks.machines import Gunicorn, wait_for
from benchmarks.sites import DATABASES, cookie_of, make_owner, site
from benchmarks.submit import Target, affairs

if TYPE_CHECKING:
    from surveys.models import Survey

RESPONSES, SUBMISSIONS = 20_000, 200
ROUNDS = 10  # of staff's pages
OTHERS = ("/surveys/plan/", "/admin/", "/admin/surveys/survey/", "/accounts/second-factors/")
MOST = 120.0  # MiB of a process for respondents; a process that answered all had 225 to 240
# Folders of libraries that only numbers, pictures, tables and reports need.
FOR_STAFF = ("/scipy/special/", "/scipy/linalg/", "/vl_convert/", "/pyarrow/", "/opendp/")
Held = tuple[float, float]  # MiB


def main() -> None:
    """Start the services, ask them for their pages, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    arguments = parser.parse_args()
    with site(arguments.database, DENIABLE_BEHIND_PROXY="on") as here:
        _measure(here.directory)


def _measure(directory: Path) -> None:
    survey = large_survey(RESPONSES)
    _measure_respondents(directory, affairs(make_owner()))
    pages = [page for some in addresses_of(str(survey.pk)).values() for page in some]
    _measure_staff(directory, [*pages, *OTHERS], cookie_of(survey.owner))
    _measure_worker(directory, survey)


def _measure_respondents(directory: Path, target: Target) -> None:
    service = Gunicorn(directory / "web.log", workers=2)
    try:
        sent = send(service.port, target, SUBMISSIONS)
        if sent.refused:
            raise SystemExit(f"{sent.refused} submissions were refused.")
        _report(f"deniable-web, {SUBMISSIONS} submissions", service.children())
        _require_small(service.children())
    finally:
        service.stop()


def _require_small(pids: list[int]) -> None:
    for pid in pids:
        held, _ = _held(pid)
        mapped = Path(f"/proc/{pid}/maps").read_text()
        loaded = [name for name in FOR_STAFF if name in mapped]
        if held > MOST or loaded:
            raise SystemExit(f"A process for respondents holds {held:.0f} MiB, with {loaded}.")


def _measure_staff(directory: Path, pages: list[str], cookie: str) -> None:
    service = Gunicorn(directory / "staff.log", workers=STAFF_WORKERS, threads=8)
    try:
        for page in pages * ROUNDS:
            _open(service.port, page, cookie)
        _report(f"deniable-staff, {len(pages)} pages {ROUNDS} times", service.children())
    finally:
        service.stop()


def _open(port: int, page: str, cookie: str) -> None:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    link.request("GET", page, headers={"Cookie": cookie})
    reply = link.getresponse()
    reply.read()
    link.close()
    if reply.status != 200:
        raise SystemExit(f"{page} was answered {reply.status}.")


def _measure_worker(directory: Path, survey: "Survey") -> None:
    from surveys.models import Export
    from surveys.results.taking import services
    from surveys.results.taking.tasks import write_later

    with (directory / "worker.log").open("wb") as log:
        worker = subprocess.Popen(
            [sys.executable, "manage.py", "db_worker"], stdout=log, stderr=log
        )
    try:
        for kind in ("csv-codes", "parquet-codes"):
            export = services.ask(survey, kind, by=survey.owner, later=write_later)
            done = Export.objects.filter(pk=export.pk, written=RESPONSES)
            wait_for(lambda done=done: done.exists())
            _report(f"deniable-worker, after {kind}", [worker.pid])
    finally:
        worker.terminate()
        worker.wait()


def _report(words: str, pids: list[int]) -> None:
    held = [_held(pid) for pid in pids]
    each = ", ".join(f"{rss:.0f} ({share:.0f})" for rss, share in held)
    print(f"{words}: RSS (PSS) {each} MiB", flush=True)


def _held(pid: int) -> Held:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    found = {name: int(rest.split()[0]) for name, _, rest in (one.partition(":") for one in lines)}
    return found["Rss"] / 1024, found["Pss"] / 1024


if __name__ == "__main__":
    main()
