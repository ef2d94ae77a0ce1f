"""Invitation tokens: at least 75 random bits that a person can read out and type.

A token is written in Crockford's alphabet of base 32 (no i, l, o or u; read without regard to case,
hyphens or look-alikes) with check characters at its end, so that a mistake does not go unnoticed.
Source of the alphabet: Crockford, "Base 32". He checks modulo 37, which needs five characters
beyond the alphabet; we stay within it. A survey's codes have one length, frozen at launch.

16 characters, 15 of them random. Characters stand for the numbers 0 to 31, and these for the
elements of the field of 32 elements: bits are coefficients of a polynomial modulo x^5 + x^2 + 1,
whose root a has the powers a^0, ..., a^30, all different. A token d0 ... d15 is whole if
d0 a^15 + d1 a^14 + ... + d15 a^0 = 0. One wrong character changes one product by something that
is not 0. Two characters in the wrong order, neighbours or not, change the sum by
(d - e)(a^i - a^j), which is not 0 either. Any other mistake goes unnoticed once in 32; then the
token is one of 2^75, and as good as never issued.

28 characters, 26 of them random (128 bits), in surveys from before: the 26 are worth N and the
check C, so that N = C (mod 1021), the largest prime below 32 * 32. All of 1, ..., 33 and the powers
of 32 have inverses modulo a prime. One wrong character, off by d with 0 < |d| < 32, changes N by
d * 32^j, or C alone. Two neighbours in the wrong order change N by 31 * d * 32^j; the last of the
26 and the first of the check change N - C by 33 * d; the two of the check change C alone. None of
these is 0 modulo 1021. Any other mistake goes unnoticed once in 1021.
"""

import hashlib
import secrets

from surveys.questionnaire.messages import message
from surveys.randomized_response.messages import Message

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
SHORT, LONG = 16, 28
RANDOM_BITS = {SHORT: 75, LONG: 128}
PRIME = 1021
MODULUS = 0b100101  # x^5 + x^2 + 1
GROUP = 4
# What people type or see for another character.
_ALIKE = str.maketrans({"i": "1", "l": "1", "o": "0", "-": None, "+": None, " ": None})


class BadToken(ValueError):
    """What was typed is no token; ``problem`` says what is wrong with it."""

    def __init__(self, problem: Message) -> None:
        super().__init__(problem)
        self.problem = problem


def new_token(length: int = SHORT) -> str:
    """A fresh token in canonical form. Random bits from the operating system's source."""
    number = secrets.randbits(RANDOM_BITS[length])
    first = 5 * (length - len(CHECKS[length]("")) - 1)
    digits = "".join(ALPHABET[number >> shift & 31] for shift in range(first, -1, -5))
    return digits + CHECKS[length](digits)


def canonical(text: str, length: int = SHORT) -> str:
    """The token of this length that a person meant. Raises BadToken."""
    token = read_alike(text)
    if not set(token) <= set(ALPHABET):
        raise BadToken(message("An invitation code has only digits and letters."))
    if len(token) != length:
        raise BadToken(
            message(
                "An invitation code has {length} characters; this one has {count}.",
                length=length,
                count=len(token),
            )
        )
    check = CHECKS[length]
    digits = token[: length - len(check(""))]
    if digits + check(digits) != token:
        raise BadToken(message("There is a typing mistake in this invitation code."))
    return token


def read_alike(text: str) -> str:
    """What was typed, with i, l and o read as the digits that they look like, without spaces."""
    return text.lower().translate(_ALIKE)


def grouped(token: str) -> str:
    """As it is printed: groups of four."""
    return "-".join(token[at : at + GROUP] for at in range(0, len(token), GROUP))


def digest(token: str) -> str:
    """SHA-256 of a canonical token: all of it that is stored."""
    return hashlib.sha256(token.encode("ascii")).hexdigest()


def _check_of_field(digits: str) -> str:
    """The last character of a token of 16: minus the sum of the others, which is that sum."""
    total = 0
    for digit in digits:
        total = _times_root(total) ^ ALPHABET.index(digit)
    return ALPHABET[_times_root(total)]


def _times_root(element: int) -> int:
    """An element of the field times a."""
    return element << 1 ^ (MODULUS if element & 16 else 0)


def _check_of_prime(digits: str) -> str:
    """The last two characters of a token of 28: its remainder modulo 1021."""
    rest = 0
    for digit in digits:
        rest = (rest * 32 + ALPHABET.index(digit)) % PRIME
    return ALPHABET[rest // 32] + ALPHABET[rest % 32]


# The check characters of a token, from those before them.
CHECKS = {SHORT: _check_of_field, LONG: _check_of_prime}
