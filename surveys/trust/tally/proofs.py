"""Proofs that show nothing but that they hold: of a known exponent, an equal one, a bit.

Source: Chaum and Pedersen, Wallet databases with observers (1992), for two equal exponents; Cramer,
Damgard and Schoenmakers, Proofs of partial knowledge (1994), for one of two; Fiat and Shamir (1986)
for the challenges, over everything that the verifier knows (Bernhard, Pereira and Warinschi, How
not to prove yourself, 2012).
"""

from collections.abc import Callable
from dataclasses import dataclass

from surveys.randomized_response.messages import sentence
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.group import (
    BYTES,
    ORDER,
    as_bytes,
    read_number,
    subtract,
    times,
    times_base,
)

BASE = times_base(1)
BIT_BYTES, EQUAL_BYTES = 4 * BYTES, 2 * BYTES
# What the challenge is drawn from: the points that a prover commits to.
Challenge = Callable[..., int]


class NotProved(TrustRefusal):
    """A proof does not hold."""


@dataclass(frozen=True)
class Cipher:
    """One cell: r times the base point, and r times the key plus the cell's number times it."""

    a: bytes
    b: bytes


def prove_known(secret: int, masked: int, draw: Challenge) -> bytes:
    """That ``secret`` is known of a key: e and z, for ``draw`` over the masked base point."""
    e = draw(times_base(masked))
    return as_bytes(e) + as_bytes(masked + e * secret)


def check_known(key: bytes, proof: bytes, draw: Challenge) -> None:
    """Raises NotProved or NotInGroup."""
    e, z = _two_numbers(proof)
    _require(draw(_commitment(z, e, key)) == e)


def prove_equal(secret: int, second: bytes, masked: int, draw: Challenge) -> bytes:
    """That two points are the same multiple of the base and of ``second``."""
    e = draw(times_base(masked), times(masked, second))
    return as_bytes(e) + as_bytes(masked + e * secret)


def check_equal(
    first: bytes, second: bytes, multiple: bytes, proof: bytes, draw: Challenge
) -> None:
    """That ``first`` is to the base what ``multiple`` is to ``second``.

    Raises NotProved or NotInGroup.
    """
    e, z = _two_numbers(proof)
    masked = subtract(times(z, second), times(e, multiple))
    _require(draw(_commitment(z, e, first), masked) == e)


def prove_bit(
    cipher: Cipher, key: bytes, bit: int, r: int, random: tuple[int, int, int], draw: Challenge
) -> bytes:
    """That a cell holds 0 or 1, without saying which: e0, e1, z0, z1.

    ``random`` is what masks the true branch, and the challenge and answer of the other one.
    """
    masked, other_e, other_z = random
    other = 1 - bit
    branches = {
        bit: (times_base(masked), times(masked, key)),
        other: _branch(cipher, key, other, other_e, other_z),
    }
    e = (draw(*branches[0], *branches[1]) - other_e) % ORDER
    numbers = {bit: (e, masked + e * r), other: (other_e, other_z)}
    return b"".join(as_bytes(numbers[v][part]) for part in (0, 1) for v in (0, 1))


def check_bit(cipher: Cipher, key: bytes, proof: bytes, draw: Challenge) -> None:
    """Raises NotProved or NotInGroup."""
    if len(proof) != BIT_BYTES:
        raise NotProved(sentence("A proof has the wrong length."))
    e0, e1, z0, z1 = (read_number(proof[at : at + BYTES]) for at in range(0, BIT_BYTES, BYTES))
    zero, one = _branch(cipher, key, 0, e0, z0), _branch(cipher, key, 1, e1, z1)
    _require(draw(*zero, *one) == (e0 + e1) % ORDER)


def _branch(cipher: Cipher, key: bytes, value: int, e: int, z: int) -> tuple[bytes, bytes]:
    """What a prover would have committed to whose cell holds this value."""
    rest = subtract(cipher.b, BASE) if value else cipher.b
    return _commitment(z, e, cipher.a), subtract(times(z, key), times(e, rest))


def _commitment(z: int, e: int, point: bytes) -> bytes:
    return subtract(times_base(z), times(e, point))


def _two_numbers(proof: bytes) -> tuple[int, int]:
    if len(proof) != EQUAL_BYTES:
        raise NotProved(sentence("A proof has the wrong length."))
    return read_number(proof[:BYTES]), read_number(proof[BYTES:])


def _require(holds: bool) -> None:
    if not holds:
        raise NotProved(sentence("A proof is not valid."))
