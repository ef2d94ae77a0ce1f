"""The worker as it runs in service, and one that is killed at work."""

import subprocess

from django.core.management import call_command

from tests import patience, roles
from tests.conftest import ROOT, environment

COMMAND = ["manage.py", "db_worker", "--queue-name", "*", "--batch", "--interval", "0"]
COMMAND.append("--no-startup-delay")
DOOMED = ["-m", "tests.analytics.doomed_worker"]


def work() -> tuple[int, str]:
    """Let a worker do what is due; its exit code and its output."""
    return _run(COMMAND)


def work_here(queue: str = "*") -> None:
    """The same in this process, which loads nothing for it, or what is due in one queue."""
    options = {"interval": 0, "startup_delay": False, "reload": False, "verbosity": 0}
    call_command("db_worker", batch=True, queue_name=queue, **options)


def work_until_killed(moment: str, text: str) -> tuple[int, str]:
    """The same for a worker that is killed "before" or "after" a statement with this text."""
    return _run([*DOOMED, moment, text])


def _run(program: list[str]) -> tuple[int, str]:
    python, role = roles.worker()
    done = subprocess.run(
        [python, *program],
        cwd=ROOT,
        env={**environment(), **role},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=patience.SECONDS,
        check=False,
    )
    return done.returncode, done.stdout
