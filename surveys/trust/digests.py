"""Digests of what is published, and the printed digest: 160 bits that a person can compare.

All digests are SHA-256 over parts that each follow their own length, under a label that says what
is digested: parts cannot run into each other, and a digest of one thing is none of another.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from surveys.questionnaire.formats.launched import canonical_bytes
from surveys.questionnaire.tokens import ALPHABET, CHECKS, LONG, grouped, read_alike
from surveys.randomized_response.messages import sentence
from surveys.trust.refusals import TrustRefusal

# Collisions in so many bits cost 2^80: an operator may write both versions of a survey.
PRINTED_BITS = 160
PRINTED_DIGITS = PRINTED_BITS // 5
# As in invitation codes of 28: their check holds for any number of characters (see ``tokens``).
_check = CHECKS[LONG]
PRINTED_LENGTH = PRINTED_DIGITS + len(_check(""))


def joined(*parts: bytes) -> bytes:
    """The parts, each after its length in four bytes, most significant first."""
    return b"".join(len(part).to_bytes(4) + part for part in parts)


def two(number: int) -> bytes:
    """A number from 0 to 65,535 in two bytes, most significant first. Raises OverflowError."""
    return number.to_bytes(2)


def sha(label: str, *parts: bytes) -> bytes:
    """32 bytes: SHA-256 of the parts under an ASCII label."""
    return hashlib.sha256(joined(label.encode("ascii"), *parts)).digest()


def canonical(document: Mapping[str, Any]) -> bytes:
    """The bytes of a document that are digested: those of a launched one. Raises TrustRefusal."""
    try:
        return canonical_bytes(document)
    except (TypeError, ValueError, RecursionError) as problem:
        raise TrustRefusal(
            sentence(
                "This document contains something that no launched survey contains: {problem}.",
                problem=str(problem),
            )
        ) from problem


def revision_digest(document: Mapping[str, Any]) -> bytes:
    """32 bytes that stand for one launched revision. Raises TrustRefusal."""
    return sha("deniable revision 1", canonical(document))


def page_digest(language: str, headers: Mapping[str, str], files: Mapping[str, str]) -> bytes:
    """32 bytes that stand for a page in one language.

    ``headers`` are the values of those that change what a browser does, ``files`` the SHA-256 of
    each file by its path, in lower-case hexadecimal.
    """
    entries = {"language": language, "headers": dict(headers), "files": dict(files)}
    return sha("deniable page 1", canonical(entries))


def printed(digest: bytes) -> str:
    """34 characters: the first 160 bits of a revision digest with two check characters."""
    number = int.from_bytes(digest[: PRINTED_BITS // 8])
    return with_check(number, PRINTED_DIGITS)


def printed_in_groups(digest: bytes) -> str:
    """As it stands on sheets and in mails: groups of four."""
    return grouped(printed(digest))


def read_printed(text: str) -> bytes:
    """The first 20 bytes of the digest that a person typed. Raises TrustRefusal.

    Case, hyphens and spaces do not matter; i and l are read as 1, o as 0.
    """
    return read_checked(text, PRINTED_DIGITS).to_bytes(PRINTED_BITS // 8)


def with_check(number: int, digits: int) -> str:
    """A number in so many characters of the alphabet of invitations, and two that check it."""
    text = "".join(ALPHABET[number >> 5 * at & 31] for at in reversed(range(digits)))
    return text + _check(text)


def read_checked(text: str, digits: int) -> int:
    """The number that ``with_check`` wrote, as a person typed it. Raises TrustRefusal."""
    typed = read_alike(text)
    length = digits + len(_check(""))
    if not set(typed) <= set(ALPHABET):
        raise TrustRefusal(
            sentence("A code of this kind contains only digits and letters. Correct the code.")
        )
    if len(typed) != length:
        raise TrustRefusal(
            sentence(
                "A code of this kind has {length} characters, but this code has {count}. "
                "Correct the code.",
                length=length,
                count=len(typed),
            )
        )
    if _check(typed[:digits]) != typed[digits:]:
        raise TrustRefusal(sentence("This code contains a typing mistake. Correct the code."))
    number = 0
    for digit in typed[:digits]:
        number = number * 32 + ALPHABET.index(digit)
    return number
