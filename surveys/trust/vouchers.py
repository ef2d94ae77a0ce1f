"""Vouchers: signed unseen, so that a person answers once and no one links answers to an invitation.

RSABSSA-SHA384-PSS-Deterministic (RFC 9474, 5) with 2,048 bits and exponent 65537: the page blinds
the encoded message, the server signs the blinded number and never sees the message, and the page
unblinds the signature. Here is the server's half. Blindness rests on the page's random factor
alone; the size of the key has to stop forgers while the survey is open, and no longer.
"""

import secrets
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA384
from gmpy2 import mpz, powmod_sec

from surveys.randomized_response.messages import sentence
from surveys.trust.digests import joined
from surveys.trust.refusals import TrustRefusal

BITS, EXPONENT = 2048, 65537
SIZE = BITS // 8  # bytes of a modulus, of a blinded message and of each signature
PRIME_BYTES = SIZE // 2
SALT_BYTES = 48
# Of what hides the number from who times the signature: too long to guess, and its inverse takes a
# hundredth of the time of one as long as the modulus.
FACTOR_BITS = 128
LABEL = b"deniable voucher 1"


class NotSigned(TrustRefusal):
    """No signature is given for this: it is no number below the modulus."""


class NotAVoucher(TrustRefusal):
    """It was not signed for this survey and this key of a submission."""


@dataclass(frozen=True)
class SigningKey:
    """Two primes; ``modulus`` is their product and the public half, ``SIZE`` bytes."""

    p: int
    q: int

    @property
    def modulus(self) -> bytes:
        return (self.p * self.q).to_bytes(SIZE, "big")

    def to_bytes(self) -> bytes:
        """Both primes, as a file keeps them."""
        return self.p.to_bytes(PRIME_BYTES, "big") + self.q.to_bytes(PRIME_BYTES, "big")

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """What ``to_bytes`` wrote."""
        return cls(
            int.from_bytes(content[:PRIME_BYTES], "big"),
            int.from_bytes(content[PRIME_BYTES:], "big"),
        )


def new_signing_key() -> SigningKey:
    """A fresh key, of the library's primes."""
    made = rsa.generate_private_key(EXPONENT, BITS).private_numbers()
    return SigningKey(made.p, made.q)


def voucher_message(revision: bytes, key: bytes) -> bytes:
    """What a voucher is for: a revision by its digest, and a submission by its key of 16 bytes."""
    return joined(LABEL, revision, key)


def is_signable(modulus: bytes, blinded: bytes) -> bool:
    """Whether it is a number above 0 and below the modulus, in its full length."""
    number = int.from_bytes(blinded, "big")
    return len(blinded) == SIZE and 0 < number < int.from_bytes(modulus, "big")


def sign_blinded(signing: SigningKey, blinded: bytes) -> bytes:
    """The signature of a blinded message: as often as it comes, the same. Raises NotSigned.

    Raises ArithmeticError where the key is damaged or the machine erred. Source: RFC 9474, 4.3
    (BlindSign). Powers to the secret exponent take a time that does not depend on it, and a factor
    of our own hides the number from what is around them, such as its remainder by a prime (Kocher,
    1996). A signature that does not give
    back the number is never let out: with a fault in one half of the computation it would give away
    the primes (Boneh, DeMillo and Lipton, 1997).
    """
    n, number = signing.p * signing.q, int.from_bytes(blinded, "big")
    if not is_signable(signing.modulus, blinded):
        raise NotSigned(
            sentence("This is not a blinded message, because it is not a number below the modulus.")
        )
    factor = secrets.randbits(FACTOR_BITS) | 1
    hidden = number * pow(factor, EXPONENT, n) % n
    signed = _root(signing, hidden) * pow(factor, -1, n) % n
    if pow(signed, EXPONENT, n) != number:
        raise ArithmeticError("a signature came out wrong and was thrown away")
    return signed.to_bytes(SIZE, "big")


def _root(signing: SigningKey, number: int) -> int:
    """The number to the secret exponent, by the Chinese remainder theorem: a fourth of the work."""
    p, q = signing.p, signing.q
    by_p, by_q = (_root_by(prime, number) for prime in (p, q))
    return by_q + q * ((by_p - by_q) * pow(q, -1, p) % p)


def _root_by(prime: int, number: int) -> int:
    return int(powmod_sec(mpz(number % prime), mpz(pow(EXPONENT, -1, prime - 1)), mpz(prime)))


def check_voucher(modulus: bytes, message: bytes, voucher: bytes) -> None:
    """Let it pass if it was signed for this message (RSASSA-PSS: RFC 8017, 8.1.2).

    Raises NotAVoucher.
    """
    law = padding.PSS(padding.MGF1(SHA384()), SALT_BYTES)
    try:
        if len(voucher) != SIZE:
            raise InvalidSignature
        _public(modulus).verify(voucher, message, law, SHA384())
    except InvalidSignature as problem:
        raise NotAVoucher(
            sentence("This voucher was not signed for this survey and this submission.")
        ) from problem


@lru_cache(maxsize=64)
def _public(modulus: bytes) -> rsa.RSAPublicKey:
    return rsa.RSAPublicNumbers(EXPONENT, int.from_bytes(modulus, "big")).public_key()
