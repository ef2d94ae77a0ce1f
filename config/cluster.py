"""The address of a Dask scheduler, as an operator writes it: ``tls://host:8786``."""

import ipaddress
from urllib.parse import SplitResult, parse_qsl, urlsplit

PORT = 8786
EXAMPLE = f"Write tls://host:{PORT}, or tcp://127.0.0.1:{PORT} for a scheduler on this machine."


class UnusableScheduler(ValueError):
    """The value is no address of a scheduler; the message says what is."""


def parse_scheduler(url: str) -> str:
    """The address as Dask takes it, ``tls://host:port`` or ``tcp://host:port``.

    A person who reaches a scheduler in clear text can have programs run, so another machine's is
    refused unless ``?tls=off`` says that this is known. Raises UnusableScheduler.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as problem:
        raise UnusableScheduler(f"cannot be read ({problem}). {EXAMPLE}") from None
    if not _is_scheduler(parts) or not host:
        raise UnusableScheduler(f"is not the address of a Dask scheduler. {EXAMPLE}")
    _require_encryption(parts, host)
    named = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{named}:{PORT if port is None else port}"


def _is_scheduler(parts: SplitResult) -> bool:
    return (
        parts.scheme in {"tls", "tcp"}
        and parts.path in {"", "/"}
        and parts.username is None
        and not parts.fragment
        and parts.geturl().isprintable()
        and " " not in parts.netloc
        and parts.port != 0
    )


def _require_encryption(parts: SplitResult, host: str) -> None:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    encryption = options.pop("tls", None)
    if options or encryption not in {None, "off"} or (encryption and parts.scheme == "tls"):
        raise UnusableScheduler(
            "accepts no other option than ?tls=off, and ?tls=off only with tcp://."
        )
    if parts.scheme == "tcp" and not encryption and not _is_here(host):
        raise UnusableScheduler(
            "would send words and programs in clear text to another machine. Use tls://, or add "
            "?tls=off if the network between the two machines is yours alone."
        )


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
