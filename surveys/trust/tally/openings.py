"""Opening a tally: the locked totals, each trustee's share of what opens them, and the counts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from surveys.randomized_response.messages import sentence
from surveys.trust.digests import two
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import Table, added
from surveys.trust.tally.group import (
    BYTES,
    NEUTRAL,
    add,
    challenge,
    random_number,
    read_point,
    subtract,
    times,
    times_base,
    total,
)
from surveys.trust.tally.proofs import BASE, EQUAL_BYTES, Cipher, check_equal, prove_equal

SHARE = "deniable share 1"
SHARE_BYTES = BYTES + EQUAL_BYTES


class NotCounted(TrustRefusal):
    """These totals open to no count that there can be."""


@dataclass(frozen=True)
class ShareOf:
    """Which share: of totals with all noises by their digest, by the trustee with this number."""

    table: Table
    noises_digest: bytes
    trustee: int

    def challenge(self, cell: int, a: bytes, multiple: bytes, *masked: bytes) -> int:
        """A number over all that the proof of a share is about."""
        own = (self.table.digest, self.noises_digest, two(self.trustee), two(cell))
        return challenge(SHARE, *own, a, multiple, *masked)


def with_noise(
    totals: Sequence[Cipher], noises: Sequence[Sequence[Cipher]], bits: int
) -> list[Cipher]:
    """The locked total of each cell with all noises, half of each range taken off."""
    half = times_base(len(noises) * 2 ** (bits - 1))
    noisy = reduce(added, noises, list(totals))
    return [Cipher(one.a, subtract(one.b, half)) for one in noisy]


def make_share(
    share: ShareOf, cell: int, locked: Cipher, secret: int, masked: int | None = None
) -> bytes:
    """A trustee's share of one cell: a point and the proof that it is made with the secret."""
    a = read_point(locked.a)
    multiple = times(secret, a)
    draw = partial(share.challenge, cell, a, multiple)
    return multiple + prove_equal(secret, a, masked or random_number(), draw)


def check_share(share: ShareOf, cell: int, locked: Cipher, key: bytes, content: bytes) -> bytes:
    """The point, if it was made with the secret of this trustee's key.

    Raises NotCounted, NotInGroup or NotProved.
    """
    if len(content) != SHARE_BYTES:
        raise NotCounted(sentence("A share has the wrong length."))
    a, multiple = read_point(locked.a), read_point(content[:BYTES])
    draw = partial(share.challenge, cell, a, multiple)
    check_equal(key, a, multiple, content[BYTES:], draw)
    return multiple


def opened(
    locked: Sequence[Cipher], multiples: Sequence[Sequence[bytes]], low: int, high: int
) -> list[int]:
    """The count in each total, from ``low`` to ``high``. Raises NotCounted.

    ``multiples`` are each trustee's, cell by cell.
    """
    shared = zip(*multiples, strict=True)
    points = [
        subtract(one.b, total(list(of_cell))) for one, of_cell in zip(locked, shared, strict=True)
    ]
    return small_logs(points, low, high)


def small_log(point: bytes, low: int, high: int) -> int:
    """Which multiple of the base point this is, between two bounds. Raises NotCounted."""
    return small_logs([point], low, high)[0]


def small_logs(points: Sequence[bytes], low: int, high: int) -> list[int]:
    """The same of several points, with one table of small steps for all of them.

    Source: Shanks (1971), baby steps and giant steps: as many small ones as all points together
    take large ones at most.
    """
    step = math.isqrt(len(points) * (high - low)) + 1
    babies, found = {}, NEUTRAL
    for number in range(step):
        babies[found] = number
        found = add(found, BASE)
    return [_found(point, babies, found, low, high) for point in points]


def _found(point: bytes, babies: Mapping[bytes, int], giant: bytes, low: int, high: int) -> int:
    rest = subtract(point, _multiple(low))
    for number in range(low, high + 1, len(babies)):
        if rest in babies and number + babies[rest] <= high:
            return number + babies[rest]
        rest = subtract(rest, giant)
    raise NotCounted(sentence("One total is impossible: it is not a number of people plus noise."))


def _multiple(number: int) -> bytes:
    """Of the base point; also of 0 and of numbers below it."""
    if number == 0:
        return NEUTRAL
    point = times_base(abs(number))
    return point if number > 0 else subtract(NEUTRAL, point)
