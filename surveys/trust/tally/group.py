"""The group of edwards25519 of prime order, by libsodium: points of 32 bytes, numbers modulo L.

Nothing else imports it. Points and numbers that come from outside are refused unless they are
canonical and of full order, so that what is good for one program that checks is good for all.
"""

import hashlib
import secrets

from nacl.bindings import (
    crypto_core_ed25519_add,
    crypto_core_ed25519_is_valid_point,
    crypto_core_ed25519_sub,
    crypto_scalarmult_ed25519_base_noclamp,
    crypto_scalarmult_ed25519_noclamp,
)
from nacl.exceptions import CryptoError

from surveys.randomized_response.messages import sentence
from surveys.trust.digests import joined
from surveys.trust.refusals import TrustRefusal

# RFC 8032, 5.1: the order of the base point.
ORDER = 2**252 + 27742317777372353535851937790883648493
BYTES = 32  # of a point, and of a number
WIDE_BYTES = 64
NEUTRAL = bytes([1, *[0] * 31])  # the point 0 as RFC 8032 writes it


class NotInGroup(TrustRefusal):
    """These bytes are no point, or no number, that a proof may have."""


def random_number() -> int:
    """From 1 to L - 1, evenly, from the system's cryptographic source."""
    return secrets.randbelow(ORDER - 1) + 1


def as_bytes(number: int) -> bytes:
    """A number modulo L, least significant byte first."""
    return (number % ORDER).to_bytes(BYTES, "little")


def read_number(content: bytes) -> int:
    """A number from 1 to L - 1, written in its one way. Raises NotInGroup."""
    number = int.from_bytes(content, "little")
    if len(content) != BYTES or not 0 < number < ORDER:
        raise NotInGroup(
            sentence(
                "A number in a proof is outside its range, which is 1 to the order of the group "
                "minus 1."
            )
        )
    return number


def read_point(content: bytes) -> bytes:
    """The same bytes, if they are a point of full order written in its one way.

    Raises NotInGroup: also for the neutral point, and points with a part of small order.
    """
    if len(content) != BYTES or not crypto_core_ed25519_is_valid_point(content):
        raise _no_point()
    return content


def times_base(number: int) -> bytes:
    """The multiple of the base point; the number is not 0 modulo L."""
    return crypto_scalarmult_ed25519_base_noclamp(as_bytes(number))


def times(number: int, point: bytes) -> bytes:
    """The multiple of a point, which may come from outside: what ``read_point`` refuses is refused.

    Raises NotInGroup: also where the multiple would be neutral.
    """
    if number % ORDER == 0 or point == NEUTRAL:
        raise NotInGroup(
            sentence("A multiple of a point is the neutral element, which is not allowed.")
        )
    try:
        # libsodium looks at order and writing of the point in each multiplication.
        return crypto_scalarmult_ed25519_noclamp(as_bytes(number), point)
    except CryptoError as problem:
        raise _no_point() from problem


def add(point: bytes, other: bytes) -> bytes:
    """The sum of two points that were read, or came out of others that were.

    Raises NotInGroup where what was stored as a point is none any more.
    """
    try:
        return crypto_core_ed25519_add(point, other)
    except CryptoError as problem:
        raise _no_point() from problem


def subtract(point: bytes, other: bytes) -> bytes:
    """The difference of the same."""
    return crypto_core_ed25519_sub(point, other)


def total(points: list[bytes]) -> bytes:
    """The sum of all; neutral for none."""
    added = NEUTRAL
    for point in points:
        added = add(added, point)
    return added


def challenge(label: str, *parts: bytes) -> int:
    """A number modulo L that depends on every part: SHA-512, least significant byte first."""
    digest = hashlib.sha512(joined(label.encode("ascii"), *parts)).digest()
    return int.from_bytes(digest, "little") % ORDER


def _no_point() -> NotInGroup:
    return NotInGroup(sentence("One of the points is not a point that locked answers can contain."))
