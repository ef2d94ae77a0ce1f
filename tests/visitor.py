"""One visitor whom nobody could overlook, and every kind of request that can be sent."""

import contextlib
import re
import secrets
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit

from django.conf import settings
from django.shortcuts import resolve_url
from django.urls import reverse

from surveys.models import Survey
from tests import patience
from tests.bodies import body_of
from tests.config.failing import WAYS

FORM = "application/x-www-form-urlencoded"


@dataclass
class Visitor:
    """Somebody with an address, an agent and a cookie, behind a proxy that tells on them."""

    server: str
    open_survey: Survey
    invited_survey: Survey
    invitations: list[str]
    address: str = "127.0.0.77"
    forwarded: str = "198.51.100.77"
    agent: str = field(default_factory=lambda: f"Agent-{secrets.token_hex(12)}")
    cookie: str = field(default_factory=lambda: f"cookie{secrets.token_hex(12)}")

    @property
    def marks(self) -> list[str]:
        """What must be found nowhere."""
        return [self.address, self.forwarded, self.agent, self.cookie]

    def send(self, request: bytes) -> bytes:
        """Send bytes from this visitor's address and return the whole reply."""
        place = urlsplit(self.server)
        came_from = (self.address, 0)
        with socket.create_connection(
            (place.hostname, place.port), timeout=patience.SECONDS, source_address=came_from
        ) as link:
            return _exchange(link, request)

    def visit_all(self, count: int) -> dict[int, int]:
        """Send this many requests of all kinds, four at a time; returns how often each status."""
        kinds = list(self.kinds.values())
        with ThreadPoolExecutor(4) as pool:
            replies = pool.map(lambda n: self.send(kinds[n % len(kinds)]()), range(count))
            statuses = [status_of(reply) for reply in replies]
        return {status: statuses.count(status) for status in set(statuses)}

    @cached_property
    def kinds(self) -> dict[str, Callable[[], bytes]]:
        """Every kind of request, by name."""
        return dict([*self._visits(), *self._submissions(), *self._malformed(), *self._failures()])

    def get(self, path: str, **headers: str) -> bytes:
        """A request for a page, with everything that could identify the visitor."""
        return self._request("GET", path, b"", headers)

    def post(self, path: str, body: bytes, **headers: str) -> bytes:
        """A form, from its own page unless a header says otherwise."""
        named = {"Content-Type": FORM, "Sec-Fetch-Site": "same-origin"}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self._request("POST", path, body, {"Content-Length": str(len(body)), **named})

    def log_in(self, name: str, password: str) -> bytes:
        """Through the form, whatever its fields are called; returns the reply."""
        path = resolve_url(settings.LOGIN_URL)
        page = self.send(self.get(path)).decode()
        form = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        cookie = re.search(r"Set-Cookie:\s*([\w-]*csrf\w*=\w+)", page, re.IGNORECASE)
        if form is None or cookie is None:
            raise AssertionError(page)
        fields = {"csrfmiddlewaretoken": form[1], "password": password}
        fields |= {"username": name, "login": name}
        body = "&".join(f"{key}={value}" for key, value in fields.items()).encode()
        return self.send(self.post(path, body, Cookie=f"{cookie[1]}; a={self.cookie}"))

    def _knock(self, code: str, path: str = "browser") -> bytes:
        """A code, brought to the door of the survey by invitation."""
        door = reverse("respondent:door", args=[self.invited_survey.pk])
        return self.post(door, f"path={path}&invitation={code}".encode())

    def _request(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> bytes:
        said = {
            "Host": urlsplit(self.server).netloc,
            "User-Agent": self.agent,
            "Cookie": f"sessionid={self.cookie}; csrftoken={self.cookie}; a={self.cookie}",
            "X-Forwarded-For": self.forwarded,
            "Forwarded": f"for={self.forwarded}",
            "Referer": f"https://example.org/{self.agent}",
            "Accept-Language": self.agent,
            "Connection": "close",
            **headers,
        }
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {said[name]}" for name in said)]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def _visits(self) -> Iterator[tuple[str, Callable[[], bytes]]]:
        for name in ("start", "own-coin", "how-it-works"):
            path = reverse(f"respondent:{name}", args=[self.open_survey.pk])
            yield name, lambda path=path: self.get(f"{path}?{self.agent}")
        yield "nothing", lambda: self.get(f"/{self.agent}/")
        yield "no survey", lambda: self.get(f"/en/s/00000000-0000-4000-8000-{'0' * 12}/")
        yield "no file", lambda: self.get(f"/static/{self.agent}.js")
        yield "staff only", lambda: self.get("/admin/")
        yield "foreign host", lambda: self.get("/", Host=f"{self.agent}.example")
        yield "NUL cookie", lambda: self.get("/", Cookie=f'a="{self.cookie}\\000"')

    def _submissions(self) -> Iterator[tuple[str, Callable[[], bytes]]]:
        path = reverse("respondent:send", args=[self.open_survey.pk])
        revision = self.open_survey.revision
        again = body_of(revision)
        other = again.replace(str(revision.pk).encode(), str(self.open_survey.pk).encode())
        yield "counted", lambda: self.post(path, body_of(revision))
        yield "own coin", lambda: self.post(path, body_of(revision, own_coin=True))
        yield "sent again", lambda: self.post(path, again)
        yield "another version", lambda: self.post(path, other)
        yield "invited", self._invited
        yield "not invited", lambda: self._invited(f"{self.agent}")
        yield "at the door", lambda: self._knock("0" * 16)
        yield "turned away at the door", lambda: self._knock(self.agent, path="owncoin")
        yield "garbage", lambda: self.post(path, f"q001={self.agent}".encode())
        yield "far too large", lambda: self.post(path, self.agent.encode() * 100_000)
        yield "no form", lambda: self.post(path, again, Content_Type=f"text/{self.agent}")
        yield "cross-site", lambda: self.post(path, again, Sec_Fetch_Site=self.agent)
        yield "not a post", lambda: self.get(path)
        yield "cut short", lambda: self.post(path, b"revision=", Content_Length="500")
        yield "no token", lambda: self.post(resolve_url(settings.LOGIN_URL), again)

    def _invited(self, token: str = "") -> bytes:
        path = reverse("respondent:send", args=[self.invited_survey.pk])
        token = token or (self.invitations.pop() if self.invitations else "used up")
        return self.post(path, body_of(self.invited_survey.revision, invitation=token))

    def _malformed(self) -> Iterator[tuple[str, Callable[[], bytes]]]:
        path = reverse("respondent:send", args=[self.open_survey.pk])
        head = self.get("/")[:-2]
        own = {"Content-Type": FORM, "Sec-Fetch-Site": "same-origin"}
        chunks = self._request("POST", path, b"", {"Transfer-Encoding": "chunked", **own})
        for name, request in {
            "no request line": f"{self.agent}\r\n\r\n".encode(),
            "no method": f"{self.agent} / HTTP/1.1\r\n\r\n".encode(),
            "no such protocol": f"GET /{self.agent} HTTP/{self.agent}\r\n\r\n".encode(),
            "a line without a colon": head + f"{self.agent}\r\n\r\n".encode(),
            "a bad name": head + f"{self.agent} {self.cookie}: x\r\n\r\n".encode(),
            "NUL in a header": head + f"X-Who: {self.agent}\0{self.cookie}\r\n\r\n".encode(),
            "NUL in the line": f"GET /\0{self.agent} HTTP/1.1\r\n\r\n".encode(),
            "not UTF-8": head + b"X-Who: \xff\xfe" + self.agent.encode() + b"\r\n\r\n",
            "too long a line": self.get(f"/{self.agent * 200}"),
            "too many headers": head + f"X-Who: {self.agent}\r\n".encode() * 200 + b"\r\n",
            "too long a header": head + f"X-Who: {self.agent * 500}\r\n\r\n".encode(),
            "two lengths": head + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
            "no length": head + f"Content-Length: {self.agent}\r\n\r\n".encode(),
            "no chunk": chunks + f"{self.agent}\r\n".encode(),
            "half a chunk": chunks + f"ff\r\n{self.agent}".encode(),
            "an unknown coding": head + f"Transfer-Encoding: {self.agent}\r\n\r\n".encode(),
            "an expectation": head + f"Expect: {self.agent}\r\n\r\n".encode(),
            "a proxy's line": f"PROXY TCP4 {self.forwarded} {self.address} 1 2\r\n".encode() + head,
        }.items():
            yield name, lambda request=request: request

    def _failures(self) -> Iterator[tuple[str, Callable[[], bytes]]]:
        for how in WAYS:
            yield f"fails: {how}", lambda how=how: self.get(f"/fails/{how}/?{self.agent}")


def status_of(reply: bytes) -> int:
    """The status of a reply; 0 if the server hung up without one."""
    line = re.match(rb"HTTP/1\.[01] (\d{3})", reply)
    return int(line[1]) if line else 0


def _exchange(link: socket.socket, request: bytes) -> bytes:
    """A server that refuses early closes before it has read everything; that is no fault."""
    gone = (BrokenPipeError, ConnectionResetError)
    with contextlib.suppress(*gone):
        link.sendall(request)
    with contextlib.suppress(OSError):  # not connected any more
        link.shutdown(socket.SHUT_WR)
    reply = b""
    with contextlib.suppress(*gone):
        while part := link.recv(65536):
            reply += part
    return reply
