"""The installed site: ``deniable demo``, ``deniable serve``, and every ``manage.py`` command.

A wheel installs this folder as the package ``deniable`` and the whole site within it, as
``deniable/site``: ``config``, ``static`` and ``templates`` are too plain for names at the top of
site-packages. Each command is a process that has the inner folder on its path.
"""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INNER = HERE / "site"
SITE = INNER if INNER.is_dir() else HERE.parents[1]  # in a checkout the site is around it
MANAGE = [sys.executable, str(SITE / "manage.py")]
MOST_STARTS = 5  # of a worker: one that ends each time has a reason that starting does not mend
SERVER = [sys.executable, "-m", "gunicorn", "-c", str(SITE / "config" / "server.py")]


def main() -> None:
    """Run what the command line asks for; data goes to ``./var`` unless the environment says."""
    os.environ.setdefault("DENIABLE_DATA_DIR", str(Path.cwd() / "var"))
    paths = [str(SITE), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command, arguments = sys.argv[1:2], sys.argv[2:]
    if command == ["demo"]:
        raise SystemExit(demonstrate(arguments))
    if command == ["serve"]:
        _become([*SERVER, *arguments, "config.wsgi"])
    _become([*MANAGE, *command, *arguments])


def demonstrate(arguments: list[str]) -> int:
    """Prepare the demonstration, then serve it beside a worker for reports, until it is stopped."""
    os.environ.setdefault("DENIABLE_HTTPS", "off")
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--port", default="8000")
    known, _ = parser.parse_known_args(arguments)
    prepared = subprocess.call([*MANAGE, "demo", *arguments])  # noqa: S603 - our own words
    if prepared or {"-h", "--help"} & set(arguments):
        return prepared
    worker = [*MANAGE, "db_worker", "--queue-name", "*", "--verbosity", "0"]
    server = [*SERVER, "--bind", f"127.0.0.1:{known.port}", "config.wsgi"]
    return serve_beside(server, worker)


def serve_beside(server: list[str], worker: list[str]) -> int:
    """Run both until the server ends or a signal stops them; a worker that ends is started again.

    Returns the server's exit code, or 1 if the worker ended ``MOST_STARTS`` times.
    """
    running: dict[str, subprocess.Popen[bytes]] = {}
    stopped: list[int] = []

    def stop(number: int, _: object) -> None:
        stopped.append(number)
        for process in running.values():
            process.terminate()

    def start(name: str, command: list[str]) -> None:
        running[name] = subprocess.Popen(command)  # noqa: S603
        if stopped:  # while it started, so that it was not known yet
            running[name].terminate()

    # Before anything runs: a signal without them would end this process and leave the others.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    start("worker", worker)
    start("server", server)
    starts = 1
    while running["server"].poll() is None:
        # Whichever ends first; it is left to poll(), which keeps the exit code.
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        code = running["worker"].poll()
        if code is None or stopped:
            continue
        if starts == MOST_STARTS:
            _say(f"The worker for reports ended {starts} times, so the demonstration ends.")
            _end(running)
            return 1
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        _say(f"The worker for reports ended ({how}). It is started again.")
        start("worker", worker)
        starts += 1
    _end(running)
    return running["server"].returncode


def _end(running: dict[str, subprocess.Popen[bytes]]) -> None:
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.wait()


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _become(command: list[str]) -> None:
    """Signals and the exit code are the command's own, because nothing stands between."""
    os.execv(command[0], command)  # noqa: S606 - no shell
