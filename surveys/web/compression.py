"""compressed: a page that respondents open, as gzip; never a reply to what one of them sent.

What is the same for all who open it is compressed once: ReadyPage, and KeyedPage but for the values
that are put into it for each.

How much smaller a page gets tells what is in it. A receipt is filled up to one length because of
that, and compressing it would undo this; so nothing that answers a POST is compressed. Pages that
are opened by GET hold no answer, no cookie, no form token and nothing of the address, so a
stranger can neither put a guess into one nor find there what is worth guessing (BREACH: Gluck,
Harris and Prado, 2013). No random bytes are added: one page is one set of bytes for all people, but
for the submission key of a form, which is new in each fetch and stands there uncompressed.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Protocol, Self

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string

# RFC 1952: gzip with deflate, no name, no time, no extra flags, no system.
HEAD = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
RAW = -zlib.MAX_WBITS  # deflate without a head of its own
LONGEST_STORED = 0xFFFF  # bytes of a block that is not compressed
TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")


class Content(Protocol):
    """The bytes of a page, plain and as gzip."""

    @property
    def plain(self) -> bytes: ...

    @property
    def gzipped(self) -> bytes: ...


@dataclass(frozen=True)
class ReadyPage:
    """A page that is the same for all who open it; it is compressed once, when first asked for."""

    plain: bytes

    @cached_property
    def gzipped(self) -> bytes:
        return compress_string(self.plain)


@dataclass(frozen=True)
class KeyedPage:
    """A page that is the same for all but for values, each of one length and in one place.

    ``parts`` are what stands before the first, between them, and after the last.
    """

    parts: Sequence[bytes]

    @classmethod
    def around(cls, page: str, *values: str) -> Self:
        """A page as it was rendered with these values. Raises ValueError unless each stands once.

        They are random and in the order in which they stand, so that no word of a survey is taken
        for one.
        """
        parts, rest = list[bytes](), page
        for value in values:
            if rest.count(value) != 1:
                raise ValueError("a value does not stand in a page once")
            before, _, rest = rest.partition(value)
            parts.append(before.encode())
        return cls((*parts, rest.encode()))

    def filled(self, *values: str) -> "FilledPage":
        """The page for one fetch. Raises ValueError unless there is a value for each place.

        What could end an attribute or a tag is not written as HTML has it: values are keys and
        codes, of letters and digits.
        """
        if len(values) != len(self.parts) - 1:
            raise ValueError("a page has another number of values")
        return FilledPage(self, tuple(value.encode() for value in values))

    @cached_property
    def deflated(self) -> Sequence[bytes]:
        """Each part by itself, ending with a byte, so that a value can stand after it."""
        *before, last = self.parts
        return (*(_deflated(part, zlib.Z_FULL_FLUSH) for part in before),
                _deflated(last, zlib.Z_FINISH))  # fmt: skip


@dataclass(frozen=True)
class FilledPage:
    """A KeyedPage with its values. How long it is as gzip does not depend on them."""

    page: KeyedPage
    values: Sequence[bytes]

    @property
    def plain(self) -> bytes:
        return b"".join(self._woven(self.page.parts, self.values))

    @property
    def gzipped(self) -> bytes:
        """One member, as browsers read only the first: its values are blocks that are stored."""
        stored, plain = [_stored(value) for value in self.values], self.plain
        tail = zlib.crc32(plain).to_bytes(4, "little") + len(plain).to_bytes(4, "little")
        return b"".join((HEAD, *self._woven(self.page.deflated, stored), tail))

    @staticmethod
    def _woven(parts: Sequence[bytes], values: Sequence[bytes]) -> Iterator[bytes]:
        for part, value in zip_longest(parts, values, fillvalue=b""):
            yield part
            yield value


def _deflated(part: bytes, mode: int) -> bytes:
    compressor = zlib.compressobj(6, zlib.DEFLATED, RAW)  # 6: as compress_string does
    return compressor.compress(part) + compressor.flush(mode)


def _stored(value: bytes) -> bytes:
    """RFC 1951, 3.2.4: a block that is not the last, its length, and the same with all bits turned.

    It begins at a byte, as the part before it ended there.
    """
    size = len(value)
    return (
        b"\0" + size.to_bytes(2, "little") + (size ^ LONGEST_STORED).to_bytes(2, "little") + value
    )


class ContentResponse(HttpResponse):
    """A page whose gzip is known without compressing it."""

    def __init__(self, page: Content) -> None:
        super().__init__(page.plain)
        self.page = page


def compressed(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    """The page itself, with its bytes as gzip where the browser takes that and only opens it."""
    if request.method not in ("GET", "HEAD"):
        return page
    patch_vary_headers(page, ("Accept-Encoding",))
    # Plainly: ``headers`` would copy all of them.
    if TAKES_GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")):
        if isinstance(page, ContentResponse):
            page.content = page.page.gzipped
        else:
            page.content = compress_string(page.content)
        page.headers["Content-Encoding"] = "gzip"
    return page
