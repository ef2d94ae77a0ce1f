"""Seal records for an opening key and unseal them: HPKE in base mode (RFC 9180).

DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. Sealing needs the public half alone, so
that the processes that take answers cannot read what is sealed.
"""

from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from surveys.questionnaire.plans.seals import ADDED_BYTES as ADDED_BYTES

KEY_BYTES = 32
SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


class NotSealedFor(ValueError):
    """The private half does not open this record: it is another key's, or the record changed."""


def new_private() -> bytes:
    """The private half of a fresh key pair: 32 bytes."""
    return X25519PrivateKey.generate().private_bytes_raw()


def public_of(private: bytes) -> bytes:
    """The public half that belongs to a private one: 32 bytes."""
    return _private(private).public_key().public_bytes_raw()


def seal(public: bytes, about: bytes, plain: bytes) -> bytes:
    """Seal for a public half; ``about`` says what it is, and has to be said again to unseal it."""
    return SUITE.encrypt(plain, _public(public), info=about)


def unseal(private: bytes, about: bytes, sealed: bytes) -> bytes:
    """Open what ``seal`` made. Raises NotSealedFor."""
    try:
        return SUITE.decrypt(sealed, _private(private), info=about)
    except (InvalidTag, ValueError) as problem:
        raise NotSealedFor("a record cannot be opened with this key") from problem


def is_usable(public: bytes) -> bool:
    """Whether anything can be sealed for it: on a few points all would share one secret."""
    try:
        seal(public, b"", b"")
    except ValueError:
        return False
    return True


@lru_cache(maxsize=64)
def _public(raw: bytes) -> X25519PublicKey:
    return X25519PublicKey.from_public_bytes(raw)


def _private(raw: bytes) -> X25519PrivateKey:
    return X25519PrivateKey.from_private_bytes(raw)
