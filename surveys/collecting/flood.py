"""Limits against floods, which keep no address.

What is counted is an HMAC of the sender's network under a random key that lives in this process's
memory for at most an hour: nothing is written, and afterwards no one can tell what was counted.
"""

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest

from surveys.questionnaire.refusals import Refused

HOUR = 3600
MOST_NETWORKS = 100_000
NARROWER = 10
WORK_HEADER = "Deniable-Work"
LONGEST_NONCE = 20


class TooMany(Refused):
    """One network has sent too much within the hour."""

    status = 429
    can_be_sent_again = True
    reason = "Too many answers have come from your network within this hour. Nothing was stored."
    remedy = (
        "Your answers are kept on this page. Leave it open and send them again in an hour, or from "
        "another network."
    )


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

    def _forget(self, hour: int) -> None:
        self._hour = hour
        self._key = secrets.token_bytes(32)
        self._counts: Counter[bytes] = Counter()


submissions = HourlyCounter()


def require_few(request: HttpRequest, body: bytes, counter: HourlyCounter | None = None) -> None:
    """Refuse what exceeds the hourly limit of the sender's network. Raises TooMany.

    Where work is asked for, senders who did none have a tenth of the limit: people without
    JavaScript are let in, floods are not.
    """
    most = settings.SUBMISSIONS_PER_HOUR
    network = network_of(request) if most else ""
    if not network:
        return
    if settings.PROOF_OF_WORK_BITS and not has_worked(request.headers.get(WORK_HEADER, ""), body):
        network, most = f"idle {network}", max(most // NARROWER, 1)
    if (counter or submissions).count(network) > most:
        raise TooMany


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
