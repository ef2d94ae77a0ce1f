"""The examples of ``deploy/`` as they run: nginx and Caddy, each before a real gunicorn."""

import gzip
import http.client
import select
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from django.urls import reverse

from surveys.models import SubmissionKey, Survey
from tests import patience
from tests.bodies import body_of
from tests.config.test_patient import SLOW_BODY, SLOW_HEADER
from tests.factories import make_open_survey
from tests.load import Gunicorn, gunicorn
from tests.proxies import SITE, Proxy, proxied

pytestmark = [
    pytest.mark.audit,
    pytest.mark.one_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("_static_files"),
    pytest.mark.parametrize("name", ["nginx", "caddy"]),
]
VISITOR = "127.0.0.77"


@contextmanager
def in_service(name: str, directory: Path, **settings: str) -> Iterator[tuple[Proxy, Gunicorn]]:
    """As ``docs/operating.md`` has it: HTTPS, behind a proxy, with the site's name."""
    usual = {
        "DENIABLE_HTTPS": "on",
        "DENIABLE_BEHIND_PROXY": "on",
        "DENIABLE_ALLOWED_HOSTS": SITE,
        "DENIABLE_SUBMISSIONS_PER_HOUR": "0",
    }
    with (
        gunicorn(directory / "server.txt", **{**usual, **settings}) as server,
        proxied(name, directory / "proxy", server.port) as proxy,
    ):
        yield proxy, server


def direct(server: Gunicorn, path: str) -> http.client.HTTPMessage:
    """The headers as gunicorn sends them to the proxy."""
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=patience.SECONDS)
    link.request("GET", path, headers={"Host": SITE, "X-Forwarded-Proto": "https"})
    reply = link.getresponse()
    reply.read()
    link.close()
    return reply.headers


@pytest.fixture
def survey(owner) -> Survey:
    return make_open_survey(owner)


def start_of(survey: Survey) -> str:
    return reverse("respondent:start", args=[survey.pk])


def send_to(survey: Survey) -> str:
    return reverse("respondent:send", args=[survey.pk])


def test_pages_headers_and_answers_go_through_and_no_file_names_a_visitor(name, survey, tmp_path):
    with in_service(name, tmp_path) as (proxy, server):
        status, headers, content = proxy.ask(start_of(survey), came_from=VISITOR)
        assert status == 200
        assert survey.title.encode() in content
        for header in ("Content-Security-Policy", "Permissions-Policy", "Cache-Control"):
            assert headers[header] == direct(server, start_of(survey))[header], header
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Strict-Transport-Security"].startswith("max-age=31536000")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Set-Cookie"] is None
        assert not [one for one in headers.get_all("Server", []) if any(map(str.isdigit, one))]
        assert "ETag" not in headers
        status, _, content = proxy.ask(send_to(survey), body_of(survey.revision), came_from=VISITOR)
        assert (status, SubmissionKey.objects.count()) == (200, 1)
        assert proxy.ask("/nothing/", came_from=VISITOR)[0] == 404
        assert redirected(proxy, start_of(survey)) == (308, f"https://{SITE}{start_of(survey)}")
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or VISITOR.encode() not in path.read_bytes(), path


def test_pages_go_through_compressed_and_receipts_never(name, survey, tmp_path):
    """Although nginx compresses every page elsewhere on the machine, as Debian's does."""
    codings = {"Accept_Encoding": "gzip, br, zstd, deflate"}
    with in_service(name, tmp_path) as (proxy, _):
        _, headers, content = proxy.ask(start_of(survey), **codings)
        assert headers["Content-Encoding"] == "gzip"
        assert survey.title.encode() in gzip.decompress(content)
        lengths = set()
        for _ in range(8):
            body = body_of(survey.revision)
            status, headers, content = proxy.ask(send_to(survey), body, **codings)
            assert (status, headers["Content-Encoding"]) == (200, None)
            lengths.add(len(content))
    assert len(lengths) == 1


def redirected(proxy: Proxy, path: str) -> tuple[int, str]:
    link = http.client.HTTPConnection("127.0.0.1", proxy.plain_port, timeout=patience.SECONDS)
    link.request("GET", path, headers={"Host": SITE})
    reply = link.getresponse()
    link.close()
    return reply.status, reply.headers["Location"].replace(f":{proxy.port}/", "/")


def test_the_limit_counts_the_connections_address_whatever_a_sender_states(name, survey, tmp_path):
    with in_service(name, tmp_path, DENIABLE_SUBMISSIONS_PER_HOUR="3") as (proxy, _):

        def send(came_from: str, stated: str) -> int:
            forged = {"X_Forwarded_For": stated, "Forwarded": f"for={stated}"}
            body = body_of(survey.revision)
            return proxy.ask(send_to(survey), body, came_from=came_from, **forged)[0]

        found = [send(VISITOR, f"198.51.100.{number}") for number in range(5)]
        assert found == [200, 200, 200, 429, 429]
        assert send("127.0.0.78", "198.51.100.0") == 200


def test_a_request_goes_on_once_it_is_whole_and_with_its_length(name, tmp_path):
    body = b"x" * 40_000
    head = f"POST /a HTTP/1.1\r\nHost: {SITE}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with (
        socket.create_server(("127.0.0.1", 0)) as upstream,
        proxied(name, tmp_path / "proxy", upstream.getsockname()[1]) as proxy,
        proxy.connect() as link,
    ):
        link.sendall(head + body[:-1])
        assert select.select([upstream], [], [], 1.0)[0] == []
        link.sendall(body[-1:])
        upstream.settimeout(patience.SECONDS)
        with upstream.accept()[0] as arrived:
            whole = received(arrived, len(body))
    assert whole.endswith(body)
    assert f"content-length: {len(body)}".encode() in whole.lower()


def received(link: socket.socket, length: int) -> bytes:
    link.settimeout(patience.SECONDS)
    found = b""
    while len(found.partition(b"\r\n\r\n")[2]) < length:
        part = link.recv(65536)
        assert part
        found += part
    return found


def test_a_body_above_six_megabytes_and_a_large_header_are_refused(name, survey, tmp_path):
    with in_service(name, tmp_path) as (proxy, _):
        assert proxy.ask(send_to(survey), b"x" * 7_000_000)[0] == 413
        assert proxy.ask("/", X_Large="x" * 40_000)[0] in (400, 431)


def test_200_slow_headers_and_200_slow_bodies_stop_no_one(name, survey, tmp_path, capsys):
    honest = 100
    with in_service(name, tmp_path) as (proxy, _), ExitStack() as links:
        for _ in range(10):  # both processes have loaded everything then
            seconds_to_open(proxy, survey)
        for start in [SLOW_HEADER, SLOW_BODY] * 200:
            link = links.enter_context(proxy.connect())
            link.sendall(start.replace(b"Host: a", f"Host: {SITE}".encode()))
        with ThreadPoolExecutor(4) as people:
            waits = sorted(people.map(lambda _: seconds_to_open(proxy, survey), range(honest)))
            bodies = [body_of(survey.revision) for _ in range(honest)]
            replies = [*people.map(lambda body: proxy.ask(send_to(survey), body)[0], bodies)]
    p95 = waits[int(0.95 * honest)]
    with capsys.disabled():
        print(f"\n{name}: median {waits[honest // 2]:.3f} s, p95 {p95:.3f} s")
    assert replies == [200] * honest
    assert SubmissionKey.objects.count() == honest
    assert p95 < 1.0


def seconds_to_open(proxy: Proxy, survey: Survey) -> float:
    begun = time.monotonic()
    assert proxy.ask(start_of(survey))[0] == 200
    return time.monotonic() - begun


def test_respondents_are_served_while_staff_s_pages_are_not(name, survey, tmp_path):
    """Each path goes to its service, so what happens to one is no matter to the other."""
    usual = {"DENIABLE_HTTPS": "on", "DENIABLE_BEHIND_PROXY": "on", "DENIABLE_ALLOWED_HOSTS": SITE}
    with (
        gunicorn(tmp_path / "server.txt", **usual) as server,
        gunicorn(tmp_path / "staff.txt", **usual) as staff,
        proxied(name, tmp_path / "proxy", server.port, staff.port) as proxy,
    ):
        assert proxy.ask("/accounts/login/")[0] == 200
        staff.process.terminate()
        staff.process.wait(patience.SECONDS)
        assert proxy.ask("/accounts/login/")[0] == 502
        assert proxy.ask(start_of(survey))[0] == 200
        assert proxy.ask(send_to(survey), body_of(survey.revision))[0] == 200
        assert proxy.ask("/health/")[0] == 200
