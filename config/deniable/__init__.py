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
    worker = [*MANAGE, "db_worker", "--verbosity", "0"]
    server = [*SERVER, "--bind", f"127.0.0.1:{known.port}", "config.wsgi"]
    running = [subprocess.Popen(command) for command in (worker, server)]  # noqa: S603

    def stop(*_: object) -> None:
        for process in running:
            process.terminate()

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, stop)
    code = running[-1].wait()
    stop()
    running[0].wait()
    return code


def _become(command: list[str]) -> None:
    """Signals and the exit code are the command's own, because nothing stands between."""
    os.execv(command[0], command)  # noqa: S606 - no shell
