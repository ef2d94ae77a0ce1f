"""Invitation tokens: 128 random bits that a person can read out and type.

A token is written as 26 characters of base 32 in Crockford's alphabet (no i, l, o or u; read
without regard to case, hyphens or look-alikes) and two check characters. Source: Crockford,
"Base 32". He checks a number modulo 37 with one more character, which needs five characters
beyond the alphabet; we check it modulo 1021, the largest prime below 32 * 32, with two characters
of the alphabet itself.

Why a mistake does not go unnoticed: let the 26 characters be worth N and the check C, so that
N = C (mod 1021). All of 1, ..., 33 and the powers of 32 have inverses modulo a prime. One wrong
character, off by d with 0 < |d| < 32, changes N by d * 32^j, or C alone. Two neighbours in the
wrong order change N by 31 * d * 32^j; the last of the 26 and the first of the check change N - C
by 33 * d; the two of the check change C alone. None of these is 0 modulo 1021. Any other mistake
goes unnoticed once in 1021.
"""

import hashlib
import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH = 28
PRIME = 1021
GROUP = 4
# What people type or see for another character.
_ALIKE = str.maketrans({"i": "1", "l": "1", "o": "0", "-": None, "+": None, " ": None})


class BadToken(ValueError):
    """What was typed is no token; the message says what is wrong with it."""


def new_token() -> str:
    """A fresh token in canonical form. Random bits from the operating system's source."""
    number = secrets.randbits(128)
    digits = [ALPHABET[number >> shift & 31] for shift in range(125, -1, -5)]
    return "".join(digits) + _check(digits)


def canonical(text: str) -> str:
    """The token that a person meant. Raises BadToken."""
    token = text.lower().translate(_ALIKE)
    if not set(token) <= set(ALPHABET):
        raise BadToken("An invitation code has only digits and letters.")
    if len(token) != LENGTH:
        raise BadToken(f"An invitation code has {LENGTH} characters; this one has {len(token)}.")
    if _check(token[:-2]) != token[-2:]:
        raise BadToken("There is a typing mistake in this invitation code.")
    return token


def grouped(token: str) -> str:
    """As it is printed: groups of four."""
    return "-".join(token[at : at + GROUP] for at in range(0, LENGTH, GROUP))


def digest(token: str) -> str:
    """SHA-256 of a canonical token: all of it that is stored."""
    return hashlib.sha256(token.encode("ascii")).hexdigest()


def _check(digits: "str | list[str]") -> str:
    rest = 0
    for digit in digits:
        rest = (rest * 32 + ALPHABET.index(digit)) % PRIME
    return ALPHABET[rest // 32] + ALPHABET[rest % 32]
