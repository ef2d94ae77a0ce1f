"""Limits against floods, by network, survey and hour; above them, work that a page can do.

No address is kept (``counts``). What is refused anyway has limits of its own, so that garbage from
a network never keeps its people from answering, nor from reading what is wrong with their form.
"""

import hashlib
import ipaddress
import re

from django.conf import settings
from django.http import HttpRequest

from surveys.web.counts import counts

REFUSED_PER_HOUR = 60  # refused bodies of one network that are no form and are told why
GUESSES_PER_HOUR = 200  # of one network: a campus mistypes, too; 2^75 codes take no notice
# Of one invitation: to look at a proof takes milliseconds, and no page of ours sends a false one.
UNPROVEN_PER_HOUR = 3
WORK_HEADER = "Deniable-Work"
# All whose address cannot be read are counted together, as that many networks: behind a proxy that
# is set up wrongly all visitors are among them, and what is never counted has no limit.
UNREADABLE, NETWORKS_UNREADABLE = "unreadable", 50
# Some proxies state the port, too: of IPv4, or behind the brackets of IPv6.
WITH_PORT = re.compile(r"([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?")
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
    network = network_of(request)
    most = _limit(settings.SUBMISSIONS_PER_HOUR, network)
    if not most:
        return None
    times = counts.count(f"{'script' if has_script else 'plain'} {survey} {network}")
    if times <= most:
        return None
    if not has_script:
        return 0
    bits = min(LEAST_BITS - 1 + (times // most).bit_length(), MOST_BITS)
    return None if has_worked(request.headers.get(WORK_HEADER, ""), body, bits) else bits


def is_refused_too_often(request: HttpRequest, survey: object, *, is_form: bool) -> bool:
    """Whether a network has sent too much that is refused to be told why; counts this time.

    Forms that are whole but wrong are people's mistakes: as many are told as may be sent, to each
    survey. What is no form has a small limit of its own, so that it does not hide those reasons.
    """
    most = settings.SUBMISSIONS_PER_HOUR
    if not most:
        return False
    network = network_of(request)
    if is_form:
        times = counts.count(f"wrong {survey} {network}")
        return times > _limit(max(most, REFUSED_PER_HOUR), network)
    return counts.count(f"refused {network}") > _limit(REFUSED_PER_HOUR, network)


def has_guessed_too_often(request: HttpRequest) -> bool:
    """Whether the sender's network has sent too many codes that no invitation has."""
    network = network_of(request)
    return counts.seen(f"guesses {network}") >= _limit(GUESSES_PER_HOUR, network)


def count_guess(request: HttpRequest) -> None:
    """Remember, for an hour at most, that the sender's network sent such a code."""
    counts.count(f"guesses {network_of(request)}")


def was_unproven_too_often(ticket: str) -> bool:
    """Whether what came with this code or voucher proved nothing, as often as is looked at."""
    return counts.seen(f"unproven {ticket}") >= UNPROVEN_PER_HOUR


def count_unproven(ticket: str) -> None:
    """Remember it for an hour at most."""
    counts.count(f"unproven {ticket}")


def network_of(request: HttpRequest) -> str:
    """The sender's address, or for IPv6 the /64 that one subscriber holds; or UNREADABLE."""
    stated = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        # The last one is the proxy's own; those before it are the sender's words.
        stated = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
    with_port = WITH_PORT.fullmatch(stated)
    try:
        address = ipaddress.ip_address(with_port[1] or with_port[2] if with_port else stated)
    except ValueError:
        return UNREADABLE
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.ip_network((int(address), 64), strict=False))
    return str(address)


def _limit(most: int, network: str) -> int:
    """Of all whose address cannot be read together, or of one network."""
    return NETWORKS_UNREADABLE * most if network == UNREADABLE else most


def has_worked(nonce: str, body: bytes, bits: int) -> bool:
    """Whether SHA-256 of (SHA-256 of the body, then the nonce) starts with so many zero bits."""
    if not 0 < len(nonce) <= LONGEST_NONCE or not (nonce.isascii() and nonce.isdigit()):
        return False
    digest = hashlib.sha256(hashlib.sha256(body).digest() + nonce.encode()).digest()
    return int.from_bytes(digest[:4], "big") >> (32 - bits) == 0
