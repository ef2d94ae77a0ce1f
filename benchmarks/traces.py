"""Which files of the project one request enters, and how often it moves between them.

Two requests are traced with ``sys.setprofile``: a POST of one answer to the demonstration's survey,
until the INSERT of the waiting submission is done, and a GET of its dashboard.

An *entry* is a call of a function of the project, migrations aside. Comprehensions, generator
expressions and lambdas belong to the function around them, so that a loop written as a
comprehension and the same loop written with ``for`` give the same figures; the body of a module
that is only imported is no call either. A *move* is an entry into another file than the entry
before. A *return* is a move into a file that was left before, which is every move but the first
into each file.

Both requests are warm: a request of the same kind came before, so that all modules are imported and
all caches are filled, as for every request but the first of a process. The survey has the answers
of the whole demonstration.
"""

import functools
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

FORM = "application/x-www-form-urlencoded"
RECORD = "surveys_waiting"  # the table in which an answer's record is kept until its batch is full


@dataclass
class Trace:
    """The files of the project that calls entered, in order."""

    root: Path
    folders: tuple[str, ...]
    entries: list[str] = field(default_factory=list)

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and not frame.f_code.co_name.startswith("<"):
            path = frame.f_code.co_filename
            if path.startswith(self._folders) and "/migrations/" not in path:
                self.entries.append(path.removeprefix(f"{self.root}/"))

    @functools.cached_property
    def _folders(self) -> tuple[str, ...]:
        return tuple(f"{self.root}/{folder}/" for folder in self.folders)

    @property
    def files(self) -> list[str]:
        """Distinct files, in the order of their first entry."""
        return list(dict.fromkeys(self.entries))

    @property
    def moves(self) -> int:
        return self.pairs.total()

    @property
    def pairs(self) -> Counter[tuple[str, str]]:
        """Moves between two files, in either direction."""
        pairs = zip(self.entries, self.entries[1:], strict=False)
        return Counter(tuple(sorted(pair)) for pair in pairs if pair[0] != pair[1])

    @property
    def returns(self) -> int:
        return self.moves - (len(self.files) - 1)

    @contextmanager
    def recorded(self) -> Iterator[None]:
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)


def traces(root: Path, folders: tuple[str, ...]) -> tuple[Trace, Trace]:
    """Of the answer and of the dashboard, in a database that is made for it and removed."""
    with tempfile.TemporaryDirectory() as directory:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="config.settings",
            DENIABLE_DATA_DIR=directory,
            DENIABLE_HTTPS="off",
            DENIABLE_REQUIRE_MFA="off",
        )
        os.environ.pop("DENIABLE_DATABASE_URL", None)
        survey, bodies = _prepare()
        answer, dashboard = Trace(root, folders), Trace(root, folders)
        _send(survey, bodies, answer)
        _read(survey, dashboard)
        return answer, dashboard


def _prepare() -> tuple[Any, list[bytes]]:
    """The demonstration's survey with all answers but the last two, and those two."""
    import django

    django.setup()
    import numpy as np
    from django.contrib.auth.models import User
    from django.core.management import call_command

    # The one line that names a module of the product.
    from surveys.demonstration.affairs import load_answers, open_affairs_survey, submit_answers

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = User.objects.create_user("bench", is_staff=True)
    survey = open_affairs_survey(owner, planned_responses=1)
    kept: list[bytes] = []
    submit_answers(
        survey.revision,
        load_answers(),
        rng=np.random.default_rng(11),
        progress=functools.partial(_all_but_two, kept=kept),
    )
    return survey, kept


def _all_but_two(bodies: Iterator[bytes], total: int, *, kept: list[bytes]) -> Iterator[bytes]:
    for place, body in enumerate(bodies, start=1):
        if place < total - 1:
            yield body
        else:
            kept.append(body)


def _send(survey: Any, bodies: list[bytes], trace: Trace) -> None:
    from django.db import connection
    from django.urls import reverse

    client, address = _client(), reverse("respondent:send", args=[survey.pk])
    first, second = bodies
    _require_ok(_post(client, address, first))
    connection.ensure_connection()
    # Of SQLite itself: the statement does not go through Django's cursor.
    connection.connection.set_trace_callback(_end_at_record)
    with trace.recorded():
        reply = _post(client, address, second)
    connection.connection.set_trace_callback(None)
    _require_ok(reply)


def _post(client: Any, address: str, body: bytes) -> Any:
    return client.post(address, body, FORM, headers={"Sec-Fetch-Site": "same-origin"})


def _end_at_record(statement: str) -> None:
    """No call of the project comes between the begin of the statement and its end."""
    if statement.startswith(f"INSERT INTO {RECORD}"):
        sys.setprofile(None)


def _read(survey: Any, trace: Trace) -> None:
    from django.urls import reverse

    client, address = _client(), reverse("surveys:dashboard", args=[survey.pk])
    client.force_login(survey.owner)
    _require_ok(client.get(address))
    with trace.recorded():
        reply = client.get(address)
    _require_ok(reply)


def _client() -> Any:
    from django.test import Client

    return Client(SERVER_NAME="localhost")


def _require_ok(reply: Any) -> None:
    if reply.status_code != 200:
        raise SystemExit(f"The page answers with {reply.status_code}; nothing was measured.")
