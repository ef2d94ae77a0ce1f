"""Noise that a trustee adds, locked bit by bit: proved to be in a range, and not which it is.

Each trustee adds all the noise that the table needs, so that one who is honest is enough; a liar
can move a cell by half the range, and no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from surveys.questionnaire.plans.tallies import MOST_BITS, TAILS
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import sha, two
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import CIPHER_BYTES, Table, ciphers_in, context_of
from surveys.trust.tally.group import add, challenge, random_number, times, times_base
from surveys.trust.tally.proofs import BASE, BIT_BYTES, Cipher, check_bit, prove_bit

CONTEXT, BIT = "deniable noise 1", "deniable noise 1 bit"


class BadNoise(TrustRefusal):
    """It is not the noise of this trustee for this list."""


@dataclass(frozen=True)
class NoiseOf:
    """Which noise: for a list of ballots by its digest, by the trustee with this number from 1."""

    table: Table
    list_digest: bytes
    trustee: int
    bits: int

    def context(self, cell: int, points: bytes) -> bytes:
        """What all challenges about a cell begin with."""
        own = (self.table.digest, self.list_digest, two(self.trustee), two(cell))
        return context_of(sha(CONTEXT, *own), points)


def noise_bits(sigma: Fraction) -> int:
    """How many bits hold noise of this standard deviation. Raises BadNoise for none or too many."""
    if sigma <= 0:
        raise BadNoise(sentence("The noise of a table must be more than 0."))
    bits = 1
    while 2 ** (bits - 1) < TAILS * sigma and bits <= MOST_BITS:
        bits += 1
    if bits > MOST_BITS:
        raise BadNoise(
            sentence("The noise of a table can have at most {most} bits.", most=MOST_BITS)
        )
    return bits


def make_noise(noise: NoiseOf, cell: int, value: int, random: Sequence[int] | None = None) -> bytes:
    """One cell's: ``value`` is from -2^(bits - 1) to below 2^(bits - 1).

    ``random`` has for each bit what hides it, then for each bit three numbers for its proof.
    """
    half = 2 ** (noise.bits - 1)
    if not -half <= value < half:
        raise BadNoise(sentence("This noise is too large or too small for its number of bits."))
    drawn = random or [random_number() for _ in range(4 * noise.bits)]
    hiding, rest = drawn[: noise.bits], drawn[noise.bits :]
    key = noise.table.key
    bits = [(value + half) >> place & 1 for place in range(noise.bits)]
    ciphers = [
        Cipher(times_base(r), add(times(r, key), BASE) if bit else times(r, key))
        for r, bit in zip(hiding, bits, strict=True)
    ]
    points = b"".join(cipher.a + cipher.b for cipher in ciphers)
    context = noise.context(cell, points)
    proofs = [
        prove_bit(
            cipher,
            key,
            bits[place],
            hiding[place],
            (rest[3 * place], rest[3 * place + 1], rest[3 * place + 2]),
            partial(challenge, BIT, context, two(place)),
        )
        for place, cipher in enumerate(ciphers)
    ]
    return points + b"".join(proofs)


def check_noise(noise: NoiseOf, cell: int, content: bytes) -> Cipher:
    """What one cell's noise is locked as, with half the range added, if all bits are proved.

    Raises BadNoise, NotInGroup or NotProved.
    """
    if len(content) != (CIPHER_BYTES + BIT_BYTES) * noise.bits:
        raise BadNoise(sentence("The noise of a cell has the wrong length."))
    points = content[: CIPHER_BYTES * noise.bits]
    ciphers, context = ciphers_in(points), noise.context(cell, points)
    for place, cipher in enumerate(ciphers):
        at = len(points) + BIT_BYTES * place
        draw = partial(challenge, BIT, context, two(place))
        check_bit(cipher, noise.table.key, content[at : at + BIT_BYTES], draw)
    return Cipher(_in_binary([one.a for one in ciphers]), _in_binary([one.b for one in ciphers]))


def _in_binary(points: Sequence[bytes]) -> bytes:
    """The sum of 2^j times the point j, by doubling from the last."""
    *lower, found = points
    for point in reversed(lower):
        found = add(add(found, found), point)
    return found
