"""Checks of every request: origin, headers, NUL, floods by network, proof of work.

Who sends it is never kept.

Headers keep a browser from being marked; the test of a post's origin needs no cookie. Limits
against floods keep no address: what is counted is an HMAC of the sender's network under a random
key that lives in this process's memory for at most an hour. Nothing is written, and afterwards no
one can tell what was counted.
"""

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in ("camera", "geolocation", "microphone", "payment", "usb", "browsing-topics")
)
HOUR = 3600
MOST_NETWORKS = 100_000
NARROWER = 10
GUESSES_PER_HOUR = 200  # of one network: a campus mistypes, too; 2^75 codes take no notice
WORK_HEADER = "Deniable-Work"
LONGEST_NONCE = 20


class PrivacyHeadersMiddleware:
    """Headers for every page and file.

    Pages are kept by no cache. A validator (ETag, Last-Modified) would be sent back by the browser
    and so could mark it; hashed file names need none.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.setdefault("Cache-Control", "no-store")
        for validator in ("ETag", "Last-Modified"):
            del response[validator]
        return response


class PolicyMiddleware(CSPMiddleware):
    """The Content-Security-Policy with its directives in one order.

    django-csp goes through a set, whose order is that of one process: it would tell which of
    several answered, and when one was started.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        reply = super().process_response(request, response)
        if HEADER in reply.headers:
            reply.headers[HEADER] = "; ".join(sorted(reply.headers[HEADER].split("; ")))
        return reply


class RefuseNulMiddleware:
    """PostgreSQL stores no NUL, and the admin's filters and sessions ask it: answer 400 instead.

    The other pages read their address through forms, which say what is wrong in words.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        values = list(request.COOKIES.values())
        if request.path.startswith("/admin/"):
            values += [text for name, texts in request.GET.lists() for text in (name, *texts)]
        if any("\0" in value for value in values):
            raise SuspiciousOperation("NUL in an address or a cookie")
        return self.get_response(request)


def is_same_origin(request: HttpRequest) -> bool:
    """Whether a post comes from one of our own pages.

    Browsers state ``Sec-Fetch-Site``, which no page can forge; where it is absent, ``Origin``
    must equal the host.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is None:
        return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    return site == "same-origin"


class HourlyCounter:
    """How often each network came within the clock's hour. Safe for threads."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._forget(hour=-1)

    def count(self, network: str) -> int:
        """One more time; returns how often it was, this time included."""
        with self._lock:
            hour = int(self._clock() // HOUR)
            if hour != self._hour or len(self._counts) >= MOST_NETWORKS:
                self._forget(hour)
            name = hmac.digest(self._key, network.encode(), hashlib.sha256)
            self._counts[name] += 1
            return self._counts[name]

    def seen(self, network: str) -> int:
        """How often it was within this hour, without counting this time."""
        with self._lock:
            if int(self._clock() // HOUR) != self._hour:
                return 0
            return self._counts[hmac.digest(self._key, network.encode(), hashlib.sha256)]

    def _forget(self, hour: int) -> None:
        self._hour = hour
        self._key = secrets.token_bytes(32)
        self._counts: Counter[bytes] = Counter()


submissions = HourlyCounter()
guesses = HourlyCounter()


def has_guessed_too_often(request: HttpRequest) -> bool:
    """Whether the sender's network has sent too many codes that no invitation has."""
    network = network_of(request)
    return bool(network) and guesses.seen(network) >= GUESSES_PER_HOUR


def count_guess(request: HttpRequest) -> None:
    """Remember, for an hour at most, that the sender's network sent such a code."""
    if network := network_of(request):
        guesses.count(network)


def is_flood(request: HttpRequest, body: bytes, counter: HourlyCounter | None = None) -> bool:
    """Whether this request exceeds the hourly limit of the sender's network; counts it.

    Where work is asked for, senders who did none have a tenth of the limit: people without
    JavaScript are let in, floods are not.
    """
    most = settings.SUBMISSIONS_PER_HOUR
    network = network_of(request) if most else ""
    if not network:
        return False
    if settings.PROOF_OF_WORK_BITS and not has_worked(request.headers.get(WORK_HEADER, ""), body):
        network, most = f"idle {network}", max(most // NARROWER, 1)
    return (counter or submissions).count(network) > most


def network_of(request: HttpRequest) -> str:
    """The sender's address, or for IPv6 the /64 that one subscriber holds; empty if unknown."""
    address = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        address = request.headers.get("X-Forwarded-For", address).rpartition(",")[2].strip()
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        mapped = found.ipv4_mapped
        return str(mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def has_worked(nonce: str, body: bytes) -> bool:
    """Whether SHA-256 of (SHA-256 of the body, then the nonce) starts with enough zero bits."""
    if not 0 < len(nonce) <= LONGEST_NONCE or not (nonce.isascii() and nonce.isdigit()):
        return False
    digest = hashlib.sha256(hashlib.sha256(body).digest() + nonce.encode()).digest()
    return int.from_bytes(digest[:4], "big") >> (32 - settings.PROOF_OF_WORK_BITS) == 0
