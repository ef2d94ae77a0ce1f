"""The person's half of a voucher, by hand: blinded and unblinded (RFC 9474, 4.2 and 4.4)."""

from hashlib import sha384

EXPONENT, SALT_BYTES = 65537, 48


def blinded(message: bytes, salt: bytes, factor: int, n: int) -> int:
    """What is sent to be signed."""
    return encoded(message, salt, n.bit_length() - 1) * pow(factor, EXPONENT, n) % n


def unblinded(signed: int, factor: int, n: int) -> int:
    return signed * pow(factor, -1, n) % n


def encoded(message: bytes, salt: bytes, bits: int) -> int:
    """EMSA-PSS (RFC 8017, 9.1.1) with SHA-384."""
    size = -(-bits // 8)
    digest = sha384(bytes(8) + sha384(message).digest() + salt).digest()
    block = bytes(size - len(salt) - len(digest) - 2) + b"\1" + salt
    mask = masked(digest, len(block))
    hidden = bytearray(one ^ other for one, other in zip(block, mask, strict=True))
    hidden[0] &= 0xFF >> (8 * size - bits)
    return int.from_bytes(bytes(hidden) + digest + b"\xbc", "big")


def masked(seed: bytes, size: int) -> bytes:
    """MGF1 (RFC 8017, B.2.1)."""
    count = -(-size // 48)
    parts = (sha384(seed + number.to_bytes(4, "big")).digest() for number in range(count))
    return b"".join(parts)[:size]
