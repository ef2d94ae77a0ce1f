"""Sealed texts in a running site: what its processes hold and keep is read to the last byte."""

import base64
import json
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from surveys.trust.digests import revision_digest
from surveys.trust.keyfiles import PublicKey, read_public
from surveys.trust.texts import seal_text
from tests import load, roles
from tests.conftest import ROOT, environment
from tests.installations import Timed
from tests.people import Person

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
PEOPLE, LONGEST, WHAT = 1000, 60, 2
SENTINEL = "Zyxoquartz"
# So that the search finds what is there: the page and its processes know the title.
TITLE = "Habits that Wobbleplum asks about"
PHRASE = "correct horse battery"
FILL = """
import os
from datetime import date
from surveys.models import TextKey
from surveys.trust.keyfiles import read_public
from tests.factories import add_question, add_text, launched, make_survey
from django.contrib.auth.models import User
close_on = date.fromisoformat(os.environ["CLOSE_ON"])
draft = make_survey(User.objects.get(), title=os.environ["TITLE"], opening="close",
    close_on=close_on, batch_size=20)
add_question(draft, design="direct")
add_text(draft, longest=60)
for layer, path in enumerate(os.environ["PUBLICS"].split(":"), start=1):
    key = read_public(open(path, "rb").read())
    TextKey.objects.create(survey=draft, layer=layer, name=key.name, key=key.key.hex())
print(launched(draft).pk)
"""


@pytest.fixture
def laptop(tmp_path) -> Path:
    """Another data directory, where two people made their keys."""
    place = tmp_path / "laptop"
    place.mkdir(mode=0o700)
    (place / "phrase").write_text(f"{PHRASE}\n")
    for name in ("registry", "institute"):
        done = on(place, "keys", "new", name, f"{name}.key", "--passphrase-file", "phrase")
        assert done.returncode == 0, done.stderr
    return place


def on(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that needs no server, in a directory of its own."""
    python, _ = roles.worker()
    return subprocess.run(
        [python, str(ROOT / "manage.py"), *arguments],
        cwd=place,
        env={**environment(), "DENIABLE_DATA_DIR": str(place), "DENIABLE_DATABASE_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@contextmanager
def worker(place: Timed, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    python, role = roles.worker()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [python, "manage.py", "db_worker"],
            cwd=ROOT,
            env={**environment(), **role, **place.settings},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


class Sender:
    """Browsers with sentinels, each sealed before it is sent."""

    def __init__(self, port: int, survey: str, publics: list[PublicKey]) -> None:
        self.port, self.survey = port, survey
        self.publics = [key.key for key in publics]
        published = Person(port).ask(f"/en/s/{survey}/revision.json")
        document = json.loads(published.text)
        self.digest, self.revision = revision_digest(document), document["revision"]

    def send(self, number: int) -> int:
        """The length of the body."""
        text = sentinel(number)
        sealed = seal_text(text, self.publics, revision=self.digest, question=WHAT, longest=LONGEST)
        code = base64.urlsafe_b64encode(sealed).decode().rstrip("=")
        key = secrets.token_hex(16)
        body = f"revision={self.revision}&key={key}&path=browser&q001=00&q002={code}".encode()
        assert load.post(f"/en/s/{self.survey}/send/", self.port, body) == 200
        return len(body)


def sentinel(number: int) -> str:
    """One in three wrote nothing."""
    return f"{SENTINEL} {number}" if number % 3 else ""


def memory_of(process: int) -> Iterator[bytes]:
    """What can be read of a process, region by region, and what its kernel kept of its start."""
    yield Path(f"/proc/{process}/environ").read_bytes()
    with open(f"/proc/{process}/mem", "rb", buffering=0) as image:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            low, high = (int(end, 16) for end in line.split()[0].split("-"))
            if " r" not in line or "[v" in line:  # the kernel's own pages cannot be read
                continue
            try:
                image.seek(low)
                yield image.read(high - low)
            except (OSError, OverflowError):  # freed, or beyond the end of its file, meanwhile
                continue


def holds(processes: list[int], mark: str) -> list[int]:
    """Which of these processes have a mark in their memory."""
    return [one for one in processes if any(mark.encode() in part for part in memory_of(one))]


def kept(place: Timed, *more: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file of the installation, of PostgreSQL, and these."""
    directories = [place.data, *more]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("CHECKPOINT")
            cursor.execute("SHOW data_directory")
            directories.append(Path(cursor.fetchone()[0]))
    for directory in directories:
        for path in directory.rglob("*") if directory.is_dir() else [directory]:
            try:
                if path.is_file():
                    yield path, path.read_bytes()
            except FileNotFoundError:  # the database removes files as it works
                continue


def with_mark(place: Timed, mark: str, *more: Path) -> list[str]:
    return [path.name for path, content in kept(place, *more) if mark.encode() in content]


def test_a_thousand_sentinels_are_nowhere_and_all_are_opened_elsewhere(place, laptop, tmp_path):
    publics = [laptop / f"{name}.key.public.json" for name in ("registry", "institute")]
    close_on = (place.now.date() + timedelta(days=3)).isoformat()
    named = {"PUBLICS": ":".join(map(str, publics)), "CLOSE_ON": close_on, "TITLE": TITLE}
    survey = place.do("shell", "-v0", "-c", FILL, **named).strip()
    logs = [tmp_path / "server.txt", tmp_path / "worker.txt"]
    backups = [tmp_path / "open.zip", tmp_path / "closed.zip"]
    with place.served(logs[0], workers=2) as server, worker(place, logs[1]) as working:
        sender = Sender(server.port, survey, [read_public(one.read_bytes()) for one in publics])
        assert len({sender.send(number) for number in range(PEOPLE)}) == 1
        processes = [server.process.pid, *server.workers(), working.pid]
        assert len(processes) == 4
        assert set(server.workers()) & set(holds(processes, TITLE))
        assert holds(processes, SENTINEL) == []
        place.do("backup", str(backups[0]))
        assert with_mark(place, SENTINEL, *backups, *logs) == []
        place.pass_days(5)
        place.do("retention")
        place.do("backup", str(backups[1]))
        staff = Person(server.port)
        staff.log_in()
        file = staff.ask(f"/surveys/{survey}/texts-{WHAT}.json").text
        assert holds([*processes[:3], working.pid], SENTINEL) == []
    assert with_mark(place, TITLE)  # so the search finds what is there
    assert with_mark(place, SENTINEL, *backups, *logs) == []
    assert len(json.loads(file)["texts"]) == PEOPLE == place.count("surveys_sealedtext")
    (laptop / "texts.json").write_text(file)
    assert_opened_in_no_order_by_both_keys_alone(laptop)


def assert_opened_in_no_order_by_both_keys_alone(laptop: Path) -> None:
    """Ranks in no order correlate by less than 5 standard errors but once in 1.7 million runs."""
    phrase = ("--passphrase-file", "phrase")
    for alone in ("registry.key", "institute.key"):
        refused = on(laptop, "texts", "open", "texts.json", alone, "--into", "one.csv", *phrase)
        assert refused.returncode == 1
        assert not (laptop / "one.csv").exists()
    both = ("institute.key", "registry.key", "--into", "texts.csv", *phrase, *phrase)
    opened = on(laptop, "texts", "open", "texts.json", *both)
    assert opened.returncode == 0, opened.stderr
    _, *lines = (laptop / "texts.csv").read_text().splitlines()
    found = [line.strip('"') for line in lines]
    assert sorted(found) == sorted(map(sentinel, range(PEOPLE)))
    arrived = [int(line.removeprefix(SENTINEL)) for line in found if line]
    assert rank_correlation(arrived) ** 2 < 25 / len(arrived)


def rank_correlation(arrived: list[int]) -> float:
    """Spearman's, of places in the file and moments of arrival."""
    n = len(arrived)
    rank = {number: place for place, number in enumerate(sorted(arrived))}
    differences = sum((place - rank[number]) ** 2 for place, number in enumerate(arrived))
    return 1 - 6 * differences / (n * (n * n - 1))
