"""Limits against floods, by network, survey and hour; above them, work that a page can do.

No address is kept (``counts``). What is refused anyway has a small limit of its own, so that
garbage from a network never keeps its people from answering.
"""

import hashlib
import ipaddress

from django.conf import settings
from django.http import HttpRequest

from surveys.web.counts import counts

REFUSED_PER_HOUR = 60  # refused bodies of one network that are told why
GUESSES_PER_HOUR = 200  # of one network: a campus mistypes, too; 2^75 codes take no notice
WORK_HEADER = "Deniable-Work"
LEAST_BITS, MOST_BITS = 16, 18  # 65,000 to 260,000 hashes on average: a second, some seconds
LONGEST_NONCE = 20


def work_asked(
    request: HttpRequest,
    survey: object,
    body: bytes,
    *,
    has_script: bool,
) -> int | None:
    """None if a network may send this to a survey; counts it. Otherwise the bits of work it takes.

    0: no work helps, because it came without the script; such posts have a limit of their own.
    Every doubling of the limit costs one bit more.
    """
    most, network = settings.SUBMISSIONS_PER_HOUR, network_of(request)
    if not most or not network:
        return None
    times = counts.count(f"{'script' if has_script else 'plain'} {survey} {network}")
    if times <= most:
        return None
    if not has_script:
        return 0
    bits = min(LEAST_BITS - 1 + (times // most).bit_length(), MOST_BITS)
    return None if has_worked(request.headers.get(WORK_HEADER, ""), body, bits) else bits


def is_refused_too_often(request: HttpRequest) -> bool:
    """Whether a network has sent more than ``REFUSED_PER_HOUR`` refused bodies; counts this one."""
    network = network_of(request) if settings.SUBMISSIONS_PER_HOUR else ""
    return bool(network) and counts.count(f"refused {network}") > REFUSED_PER_HOUR


def has_guessed_too_often(request: HttpRequest) -> bool:
    """Whether the sender's network has sent too many codes that no invitation has."""
    network = network_of(request)
    return bool(network) and counts.seen(f"guesses {network}") >= GUESSES_PER_HOUR


def count_guess(request: HttpRequest) -> None:
    """Remember, for an hour at most, that the sender's network sent such a code."""
    if network := network_of(request):
        counts.count(f"guesses {network}")


def network_of(request: HttpRequest) -> str:
    """The sender's address, or for IPv6 the /64 that one subscriber holds; empty if unknown."""
    address = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2].strip()
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        mapped = found.ipv4_mapped
        return str(mapped or ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def has_worked(nonce: str, body: bytes, bits: int) -> bool:
    """Whether SHA-256 of (SHA-256 of the body, then the nonce) starts with so many zero bits."""
    if not 0 < len(nonce) <= LONGEST_NONCE or not (nonce.isascii() and nonce.isdigit()):
        return False
    digest = hashlib.sha256(hashlib.sha256(body).digest() + nonce.encode()).digest()
    return int.from_bytes(digest[:4], "big") >> (32 - bits) == 0
