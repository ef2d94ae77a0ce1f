"""Fixtures that more than one room of tests uses."""

import fcntl
import gc
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import hypothesis
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from surveys.models import Survey
from surveys.models.queries import launched_revision, published_document, questionnaire_of
from surveys.questionnaire.document import Questionnaire
from tests import factories, migrated, noise, patience, roles
from tests import settings as test_settings
from tests.chromium import (  # noqa: F401 - fixtures
    browser,
    context,
    fresh_page,
    page,
    page_without_script,
    tab,
    tab_without_script,
    watched_page,
)
from tests.databases import (  # noqa: F401 - fixtures
    django_db_keepdb,
    django_db_setup,
    launched_survey,
    made_once,
    nothing_made_for_others,
    turn,
)

ROOT = Path(__file__).resolve().parent.parent

WATCH = noise.Watch()
DRAWN_BEFORE: dict[str, int] = {}

# Until all tests are read nothing is garbage, and looking for it takes a tenth of reading them.
gc.disable()

# The same few examples in every run, also of a slow machine; `make audit` looks for many new ones.
patient = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("test", derandomize=True, max_examples=40, **patient)
hypothesis.settings.register_profile("audit", max_examples=2000, **patient)
hypothesis.settings.load_profile("test")


@dataclass
class Server:
    """A running gunicorn over the test database, with everything that it printed."""

    url: str
    process: subprocess.Popen[str]
    log: Path = field(default_factory=Path)

    def printed(self) -> str:
        return self.log.read_text()


@pytest.fixture(scope="session")
def _static_files() -> None:
    """The files as they are served; of processes side by side the first makes them for all."""
    if not test_settings.TOGETHER:
        _collect_static_files()
        return
    made = Path(test_settings.TOGETHER) / "static"
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():
            shutil.copytree(made, settings.STATIC_ROOT)
            files = staticfiles_storage  # which may have looked for its list before it was there
            files.hashed_files, files.manifest_hash = files.load_manifest()
        else:
            _collect_static_files()
            shutil.copytree(settings.STATIC_ROOT, made.with_suffix(".part")).rename(made)


def _collect_static_files() -> None:
    call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture(scope="session")
def server(_static_files: None, django_db_setup: None, tmp_path_factory) -> Iterator[Server]:  # noqa: F811
    """The application as it is served: gunicorn, whitenoise, real files, a real database."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


@contextmanager
def serving(log: Path, **settings: str) -> Iterator[Server]:
    """The same with these settings in its environment."""
    port = free_port()
    python, role = roles.server()
    command = [
        python,
        "-m",
        "gunicorn",
        "-c",
        "tests/audited_server.py",
        "--bind",
        f"127.0.0.1:{port}",
        "--workers",
        "1",
        "--log-level",
        "info",
        "config.wsgi",
    ]
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment(), **role, **settings},
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )
    running = Server(f"http://127.0.0.1:{port}", process, log)
    wait_until_listening(process, port, log)
    try:
        yield running
    finally:
        process.terminate()
        process.wait(patience.SECONDS)


@pytest.fixture(autouse=True)
def _launches_of_this_test() -> None:
    """A survey is launched once, but the demonstration's have the same key in every test."""
    launched_revision.cache_clear()
    published_document.cache_clear()


@pytest.fixture
def owner(db: None) -> User:
    return factories.make_user()


@pytest.fixture
def survey(request: pytest.FixtureRequest, owner: User) -> Survey:
    """What the mark ``survey`` of a test or file makes: by default open, with one of each kind.

    ``pytest.mark.survey(make=factories.make_invited_survey, batch_size=5)``: ``make`` takes the
    owner, and the fields of the survey that are not as usual.
    """
    mark = request.node.get_closest_marker("survey")
    fields = dict(mark.kwargs) if mark else {}
    make = fields.pop("make", factories.make_open_survey)
    return make(owner, **fields)


@pytest.fixture
def draft(owner: User) -> Survey:
    return factories.make_survey(owner)


@pytest.fixture
def other_survey(owner: User) -> Survey:
    return factories.make_other_survey(owner)


@pytest.fixture
def rating_survey(owner: User) -> Survey:
    return factories.make_rating_survey(owner)


@pytest.fixture
def questionnaire(survey: Survey) -> Questionnaire:
    return questionnaire_of(survey.revision)


@pytest.fixture
def keys(settings, tmp_path: Path) -> Path:
    """The directory of the keys of batches."""
    settings.BATCH_KEYS_DIR = tmp_path / "keys"
    return settings.BATCH_KEYS_DIR


@pytest.fixture
def staff(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def root(db: None) -> User:
    """A superuser, who owns no survey yet."""
    return factories.make_user("root", superuser=True)


@pytest.fixture
def author(db: None) -> User:
    """A member of staff without any of Django's permissions: roles are enough."""
    return factories.make_user("author")


@pytest.fixture
def admin(author: User) -> Client:
    """A client at which the author has logged in, beside ``client``, at which nobody has."""
    client = Client()
    client.force_login(author)
    return client


@pytest.fixture
def as_owner(client, survey):
    """A client at which the survey's owner has logged in."""
    client.force_login(survey.owner)
    return client


@pytest.fixture
def german(client, owner):
    """A client at which the owner has logged in and reads German."""
    client.force_login(owner)
    client.post(reverse("staff_language"), {"language": "de"})
    return client


def environment() -> dict[str, str]:
    """The test database by its own name, and production's settings module."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{database['NAME']}"
    else:
        url = migrated.url_of(database["NAME"])
    variables = dict(os.environ)
    variables.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # for this process's browser only
    return {
        **variables,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DENIABLE_DATABASE_URL": url,
        "PYTHONUNBUFFERED": "1",
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_listening(process: subprocess.Popen, port: int, log: Path) -> None:
    """Connect until it answers; a server that ended is an error with its own words."""
    deadline = time.monotonic() + patience.SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended:\n{log.read_text()}")
        with socket.socket() as probe:
            probe.settimeout(0.1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        _pause()
    raise RuntimeError(f"The server did not start:\n{log.read_text()}")


def _pause() -> None:
    """Give the server's process the core for a moment."""
    import select

    select.select([], [], [], 0.05)


def pytest_collection_finish() -> None:
    """What was collected stays: it is not searched for garbage again and again, a tenth of all."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    WATCH.look()  # the tests that draw have imported the source by now


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """A test that drew noise from the source that cannot be seeded has to say so."""
    before = DRAWN_BEFORE.pop(item.nodeid, 0)
    yield
    if said := noise.unsaid(item, WATCH.look() - before):
        pytest.fail(said, pytrace=False)


def pytest_exception_interact(
    node: pytest.Item, report: pytest.CollectReport | pytest.TestReport
) -> None:
    """A line of an audit lasts hours: why a test failed is told at once, not after the last one."""
    if node.config.option.capture == "no":
        print(report.longreprtext)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    DRAWN_BEFORE[item.nodeid] = WATCH.look()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a database or a browser, so that each can be run on its own."""
    if wrong := list(filter(None, map(noise.malformed, items))):
        raise pytest.UsageError("\n".join(wrong))
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        if names & {"db", "transactional_db"} and not item.get_closest_marker("one_database"):
            item.add_marker("database")
        if names & {"db", "transactional_db", "client"}:
            item.fixturenames.insert(0, "_static_files")  # pages name the hashed files
        if "browser" in names:
            item.add_marker("browser")
    if "PYTEST_XDIST_WORKER" in os.environ:
        _begin_with_browsers(items)


def _begin_with_browsers(items: list[pytest.Item]) -> None:
    """Files handed out last keep one process busy while the others have none left: short ones."""
    long = {item.path for item in items if item.get_closest_marker("browser")}
    items.sort(key=lambda item: item.path not in long)
