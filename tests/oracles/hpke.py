"""HPKE in base mode (RFC 9180), computed by hand, step by step as the RFC writes it.

The library keeps the ephemeral key to itself; here it is given, so that published numbers and
oracle cases can be reproduced.
"""

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from surveys.trust.sealing import public_of

KEM = b"KEM" + (0x0020).to_bytes(2, "big")
AEADS = {1: (AESGCM, 16), 2: (AESGCM, 32), 3: (ChaCha20Poly1305, 32)}
AES_256_GCM = 2


def extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    """LabeledExtract (RFC 9180, 4)."""
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + ikm, hashlib.sha256)


def expand(suite: bytes, secret: bytes, label: bytes, info: bytes, length: int) -> bytes:
    """LabeledExpand (RFC 9180, 4), of at most 32 bytes: one block of HKDF-Expand."""
    labeled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(secret, labeled + b"\1", hashlib.sha256)[:length]


def shared_secret(private: bytes, other: bytes, enc: bytes, recipient: bytes) -> bytes:
    """ExtractAndExpand of DHKEM (RFC 9180, 4.1), from either side's private half."""
    dh = X25519PrivateKey.from_private_bytes(private).exchange(
        X25519PublicKey.from_public_bytes(other)
    )
    return expand(KEM, extract(KEM, b"", b"eae_prk", dh), b"shared_secret", enc + recipient, 32)


def key_and_nonce(aead: int, shared: bytes, info: bytes) -> tuple[bytes, bytes]:
    """KeySchedule in base mode (RFC 9180, 5.1), the KDF being HKDF-SHA256."""
    suite = b"HPKE" + b"".join(number.to_bytes(2, "big") for number in (0x0020, 1, aead))
    context = (
        b"\0" + extract(suite, b"", b"psk_id_hash", b"") + extract(suite, b"", b"info_hash", info)
    )
    secret = extract(suite, shared, b"secret", b"")
    _, size = AEADS[aead]
    key = expand(suite, secret, b"key", context, size)
    return key, expand(suite, secret, b"base_nonce", context, 12)


def sealed_by_hand(
    aead: int, ephemeral: bytes, public: bytes, info: bytes, plain: bytes, aad: bytes = b""
) -> bytes:
    enc = public_of(ephemeral)
    key, nonce = key_and_nonce(aead, shared_secret(ephemeral, public, enc, public), info)
    cipher, _ = AEADS[aead]
    return enc + cipher(key).encrypt(nonce, plain, aad)


def opened_by_hand(aead: int, private: bytes, info: bytes, aad: bytes, sealed: bytes) -> bytes:
    enc, public = sealed[:32], public_of(private)
    key, nonce = key_and_nonce(aead, shared_secret(private, enc, enc, public), info)
    cipher, _ = AEADS[aead]
    return cipher(key).decrypt(nonce, sealed[32:], aad)
