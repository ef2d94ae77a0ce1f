"""The examples of ``deploy/`` as they run: nginx and Caddy, each before a real gunicorn."""

import gzip
import http.client
import select
import socket
import subprocess
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
from tests.config.test_patient import SLOW_BODY, SLOW_HEADER, SLOW_READER, large_file
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


@pytest.mark.usefixtures(large_file.__name__)
def test_200_slow_visitors_of_each_kind_stop_no_one(name, survey, tmp_path, capsys):
    """First readers, then headers, then bodies: nginx has 768 connections, as Debian's has."""
    honest, waits = 100, []
    with in_service(name, tmp_path) as (proxy, _):
        for _ in range(10):  # both processes have loaded everything then
            seconds_to_open(proxy, survey)
        for start in (SLOW_READER, SLOW_HEADER, SLOW_BODY):
            with ExitStack() as links, ThreadPoolExecutor(4) as people:
                for _ in range(200):
                    come_slowly(links, proxy, start)
                found = sorted(people.map(lambda _: seconds_to_open(proxy, survey), range(honest)))
                bodies = [body_of(survey.revision) for _ in range(honest)]
                replies = [*people.map(lambda body: proxy.ask(send_to(survey), body)[0], bodies)]
            assert replies == [200] * honest
            waits.append((found[honest // 2], found[int(0.95 * honest)]))
    with capsys.disabled():
        print(f"\n{name}: median, p95", *(f"{median:.3f} s, {p95:.3f} s;" for median, p95 in waits))
    assert SubmissionKey.objects.count() == 3 * honest
    assert max(p95 for _, p95 in waits) < 1.0


def come_slowly(links: ExitStack, proxy: Proxy, start: bytes) -> None:
    """A slow connection; who does not read has seen the reply begin."""
    link = links.enter_context(proxy.connect())
    for host in (b"Host: a", b"Host: 127.0.0.1"):
        start = start.replace(host, f"Host: {SITE}".encode())
    link.sendall(start)
    if b"/docs/" in start:
        assert link.recv(15) == b"HTTP/1.1 200 OK"


def test_connections_to_the_server_are_kept_and_browsers_get_http2(name, survey, tmp_path):
    with in_service(name, tmp_path) as (proxy, server):
        ports = set()
        for _ in range(20):
            assert proxy.ask(start_of(survey))[0] == 200
            kept = connections_to(server.port)
            assert kept
            ports |= kept
        assert len(ports) < 5
        said = over_http2(proxy, start_of(survey))
    assert said.startswith("2 200\n")
    assert survey.title in said


def connections_to(port: int) -> set[str]:
    """The other ends of the connections to a port of this machine that are open."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    fields = [line.split() for line in lines]
    return {one[2] for one in fields if one[1].endswith(f":{port:04X}") and one[3] == "01"}


def over_http2(proxy: Proxy, path: str) -> str:
    """The version of HTTP, the status and the page, as curl gets them who would take 1.1 too."""
    url, pem = f"https://{SITE}:{proxy.port}{path}", str(proxy.room / "fullchain.pem")
    command = [
        "curl", "--silent", "--http2", "--compressed", "--cacert", pem,
        "--resolve", f"{SITE}:{proxy.port}:127.0.0.1",
        "--write-out", "%{stderr}%{http_version} %{http_code}\n", url,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr + done.stdout


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
