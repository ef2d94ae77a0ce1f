"""``systemctl`` over the units of ``deploy/systemd``: starts and stops what they name, no more.

Run as ``python -m tests.audit.units ROOM stop|start|restart UNIT...``. ROOM holds an installation:
``/opt/deniable`` is ROOM/opt/deniable. Each process that runs has a file with its number there, and
the first of a unit that was stopped a list of what it had loaded.
"""

import configparser
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests import patience

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"


def stop(room: Path, name: str) -> None:
    """End its process, and keep what libraries it had loaded."""
    file = room / f"{name}.pid"
    if not file.exists():
        return  # a timer, or what it starts: nothing runs between
    process = int(file.read_text())
    ours = [process, *_children(process)]
    if not (room / f"{name}.maps").exists():  # of the first that was stopped
        maps = "".join(Path(f"/proc/{one}/maps").read_text() for one in ours)
        (room / f"{name}.maps").write_text(maps)
    os.kill(process, signal.SIGTERM)
    _wait(lambda: not _runs(process))
    file.unlink()


def start(room: Path, name: str) -> None:
    """Run its command in the link's directory; what it prints goes to a file."""
    parsed = configparser.ConfigParser(interpolation=None, strict=False)
    parsed.read(UNITS / f"{name}.service")
    port = os.environ["STAFF_PORT" if name == "deniable-staff" else "WEB_PORT"]
    written = parsed["Service"]["ExecStart"].replace("/opt/", f"{room}/opt/")
    role = dict([parsed["Service"]["Environment"].split("=")])
    variables = {**os.environ, **role, "GUNICORN_CMD_ARGS": f"--bind 127.0.0.1:{port}"}
    with (room / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            shlex.split(written.replace(":8001", f":{port}")),
            cwd=room / "opt" / "deniable",
            env=variables,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    (room / f"{name}.pid").write_text(str(process.pid))
    if "gunicorn" in written:  # Type=notify
        _wait(lambda: _listens(int(port)))


def _wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + patience.SECONDS
    while not until():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.05)


def _runs(process: int) -> bool:
    """Not if it ended and only its parent has not asked for its exit code yet."""
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in tasks.read_text().split()]


def main(room: Path, verb: str, *names: str) -> None:
    """What ``systemctl`` does with these names."""
    for name in names:
        if name.endswith((".timer", ".service")):
            continue  # nothing of what the timers start runs in a test
        if verb in {"stop", "restart"}:
            stop(room, name)
        if verb in {"start", "restart"}:
            start(room, name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
