"""A clean checkout without a database works out what is served, to all and behind proxies."""

import http.client
import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from surveys.models import Survey
from surveys.models.queries import languages_of, published_document
from surveys.trust.digests import canonical
from tests import factories, patience
from tests.arms import make_arms_survey
from tests.audit.test_proxies_audit import in_service
from tests.audit.wheels import LEFT_BEHIND, ROOT
from tests.families import make_family_survey, make_hidden_survey
from tests.load import gunicorn
from tests.proxies import SITE, Proxy
from tests.surveys.authoring.trustees import make_counted_survey
from tests.translated import make_translated
from tests.vouching import make_vouched_survey

pytestmark = [
    pytest.mark.audit,
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("_static_files"),
]
MADE = {
    "one of each": factories.make_open_survey,
    "other designs": factories.make_other_survey,
    "long lists": factories.make_lists,
    "invited": factories.make_invited_survey,
    "sealed": factories.sealed_survey,
    "vouched": make_vouched_survey,
    "counted while locked": make_counted_survey,
    "arms": make_arms_survey,
    "a family": make_family_survey,
    "behind protected answers": make_hidden_survey,
    "in five languages": lambda owner: make_translated(owner, "de", "fr", "es", "ar"),
    "in French": lambda owner: factories.make_open_survey(owner, language="fr"),
    "right to left": lambda owner: factories.make_invited_survey(owner, language="ar"),
    "a text alone": factories.launched_with(factories.add_text, factories.add_question),
}
PAGES = ("", "how-it-works/", "own-coin/", "check/", "revision.json")
KEY = re.compile(rb'(name="key" value=")[0-9a-f]{32}')
RESTARTS = (
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Auckland"},
    {"PYTHONHASHSEED": "2", "TZ": "America/Caracas", "DENIABLE_SECRET_KEY": "another key " * 5},
    {"PYTHONHASHSEED": "3", "TZ": "UTC", "LANG": "ar_EG.UTF-8", "DENIABLE_HTTPS": "off"},
)
AGENTS = (
    "curl/8.5.0",
    "Mozilla/5.0 (Android 14; Mobile) Firefox/145.0",
    "",
    "x" * 500,
    "Googlebot",
)
COOKIES = ("", "sessionid=0123456789abcdef; django_language=de", "a=b")
LANGUAGES = ("de", "ar,en;q=0.5", "*", "xx-YY;q=0.1")


@pytest.fixture
def surveys(owner) -> dict[str, Survey]:
    return {name: make(owner) for name, make in MADE.items()}


@pytest.fixture
def checkout(tmp_path) -> Path:
    """The program alone, with no data of ours."""
    ignored = shutil.ignore_patterns(*LEFT_BEHIND)
    return Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=ignored))


def worked_out(checkout: Path, survey: Survey, language: str, **settings: str) -> str:
    """What ``fingerprint`` prints there, where there is no database."""
    file = checkout / f"{survey.pk}.json"
    file.write_bytes(canonical(published_document(survey.pk)))
    ending = ["--last-day", survey.close_on.isoformat()] if survey.close_on else []
    return said(
        *("manage.py", "fingerprint", file, "--language", language, *ending),
        folder=checkout,
        DENIABLE_DATA_DIR=str(checkout / "var"),
        DENIABLE_DATABASE_URL="sqlite:////nowhere/deniable.sqlite3",
        **settings,
    )


def said(*command: object, folder: Path = ROOT, **settings: str) -> str:
    ours = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env={**ours, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_checkout_without_a_database_says_what_is_served_after_each_restart(
    surveys, checkout, tmp_path
):
    data = {"DENIABLE_DATA_DIR": str(checkout / "var")}
    said("manage.py", "collectstatic", "--no-input", "-v0", folder=checkout, **data)
    read = [
        (survey, language)
        for survey in surveys.values()
        for language in languages_of(survey.revision.pk)
    ]
    assert (len(surveys), len(read)) == (14, 18)
    settings = itertools.cycle(RESTARTS)
    expected = [worked_out(checkout, *one, **next(settings)) for one in read]
    assert len(set(expected)) == len(read)
    for number, restart in enumerate(RESTARTS):
        with gunicorn(tmp_path / f"server-{number}.txt", **restart) as server:
            for (survey, language), codes in zip(read, expected, strict=True):
                address = f"http://127.0.0.1:{server.port}/{language}/s/{survey.pk}/"
                assert said("docs/verify.py", address) == codes, (number, survey, language)


def test_static_files_need_not_be_collected_before(survey, checkout):
    alone = worked_out(checkout, survey, "en")
    assert not list((checkout / "var").glob("static/*"))
    data = {"DENIABLE_DATA_DIR": str(checkout / "var")}
    said("manage.py", "collectstatic", "--no-input", "-v0", folder=checkout, **data)
    assert worked_out(checkout, survey, "en") == alone


def test_fifty_visitors_with_other_agents_cookies_and_languages_get_the_same_bytes(
    survey, tmp_path
):
    visitors = list(itertools.islice(itertools.product(AGENTS, COOKIES, LANGUAGES), 50))
    assert len(set(visitors)) == 50
    with gunicorn(tmp_path / "server.txt") as server:
        for page in PAGES:
            path = f"/en/s/{survey.pk}/{page}"
            assert len({fetched(server.port, path, *visitor) for visitor in visitors}) == 1, page


def fetched(port: int, path: str, agent: str, cookie: str, language: str) -> tuple:
    """Status, headers but for the date, and the page, whose key is masked."""
    given = {"User-Agent": agent, "Cookie": cookie, "Accept-Language": language}
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=patience.SECONDS)
    link.request("GET", path, headers={name: value for name, value in given.items() if value})
    reply = link.getresponse()
    content = KEY.sub(rb"\1", reply.read())
    link.close()
    headers = [pair for pair in reply.getheaders() if pair[0] != "Date"]
    assert reply.status == 200
    return tuple(headers), content


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_the_same_is_served_over_https_behind_the_examples_of_proxies(
    name, surveys, checkout, tmp_path
):
    """The verifier asks through a proxy of its own, as it would through Tor."""
    with in_service(name, tmp_path) as (proxy, _), tunnelled(proxy) as way:
        trusted = {"SSL_CERT_FILE": str(proxy.room / "fullchain.pem")}
        for survey in (surveys["one of each"], surveys["invited"], surveys["in five languages"]):
            address = f"https://{SITE}/en/s/{survey.pk}/"
            codes = said("docs/verify.py", address, "--proxy", way, **trusted)
            assert codes == worked_out(checkout, survey, "en")


@contextmanager
def tunnelled(proxy: Proxy) -> Iterator[str]:
    """The address of an HTTP proxy that knows CONNECT alone, and leads to the site."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_tunnel_all, args=(listening, proxy.port), daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(patience.SECONDS)


def _tunnel_all(listening: socket.socket, port: int) -> None:
    while True:
        try:
            visitor, _ = listening.accept()
        except OSError:  # it was shut
            return
        with visitor, socket.create_connection(("127.0.0.1", port)) as site:
            asked = visitor.recv(4096)
            assert asked.startswith(f"CONNECT {SITE}:443 ".encode())
            visitor.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            back = threading.Thread(target=_pump, args=(site, visitor))
            back.start()
            _pump(visitor, site)
            back.join()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Hand on what comes until one of the two ends."""
    try:
        while block := source.recv(65536):
            target.sendall(block)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return
