"""The mail server ``smtp://user:password@host:587`` and the sender, as an operator writes them."""

import ipaddress
from dataclasses import dataclass, field
from email.utils import parseaddr
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

PORTS = {"smtp": 587, "smtps": 465}
EXAMPLE = (
    "Write smtp://user:password@host:587 (or smtps://… for TLS from the start), with special "
    "characters of the password percent-encoded."
)


class UnusableAddress(ValueError):
    """The value is no address of a mail server or of a sender; the message says what is."""


@dataclass(frozen=True)
class MailServer:
    """Where mail is handed over: encrypted, unless it stays on this machine or was asked not to."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    starttls: bool
    implicit_tls: bool


def parse_server(url: str) -> MailServer:
    """Read ``smtp://`` (STARTTLS) or ``smtps://`` (TLS from the start). Raises UnusableAddress."""
    try:
        parts = urlsplit(url)
        port = parts.port
        user, password = _decoded(parts.username), _decoded(parts.password)
    except ValueError as problem:
        raise UnusableAddress(f"cannot be read ({problem}). {EXAMPLE}") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.path not in {"", "/"}:
        raise UnusableAddress(f"is not the address of a mail server. {EXAMPLE}")
    return MailServer(
        host=parts.hostname,
        port=PORTS[parts.scheme] if port is None else port,
        user=user,
        password=password,
        starttls=_wants_starttls(parts),
        implicit_tls=parts.scheme == "smtps",
    )


def parse_sender(address: str) -> str:
    """Check a sender, ``name@host`` or ``Name <name@host>``. Raises UnusableAddress."""
    _, plain = parseaddr(address)
    local, _, host = plain.rpartition("@")
    if not local or not host or not address.isprintable():
        raise UnusableAddress("must be one address, such as Surveys <surveys@example.org>.")
    return address


def _wants_starttls(parts: SplitResult) -> bool:
    """``?tls=on|off``; without it, only a server on this machine is spoken to in clear text."""
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    plain = parts.scheme == "smtps" or _is_here(parts.hostname or "")
    chosen = options.pop("tls", "off" if plain else "on")
    if options or chosen not in {"on", "off"}:
        raise UnusableAddress("accepts no other option than ?tls=on or ?tls=off.")
    if parts.scheme == "smtps" and parts.query:
        raise UnusableAddress("has TLS from the start with smtps://. Leave ?tls= out.")
    return chosen == "on"


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _decoded(text: str | None) -> str:
    """Percent-decode. Raises ValueError."""
    decoded = unquote(text or "", errors="strict")
    if decoded and not decoded.isprintable():
        raise ValueError("the name or the password contains a character that cannot be typed")
    return decoded
