"""Ballots: one person's answer to a table of questions, each of its cells locked as 0 or 1.

A ballot is the cells' points, a proof for each cell that it holds 0 or 1, and one that all add up
to 1: ``192 c + 64`` bytes for every answer. Proofs are over revision, table, key, number of cells
and all points, so that no part of a ballot is good in another one.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from surveys.questionnaire.plans.tallies import CELL_BYTES, SUM_BYTES
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import joined, sha, two
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.group import (
    BYTES,
    NEUTRAL,
    add,
    challenge,
    random_number,
    read_number,
    subtract,
    times,
    times_base,
    total,
)
from surveys.trust.tally.proofs import (
    BASE,
    BIT_BYTES,
    Cipher,
    check_bit,
    check_equal,
    prove_bit,
    prove_equal,
)

TABLE, CELL, SUM, LIST = (
    "deniable table 1",
    "deniable ballot 1 cell",
    "deniable ballot 1 sum",
    "deniable list 1",
)
CIPHER_BYTES = 2 * BYTES


class BadBallot(TrustRefusal):
    """It is no ballot of this table."""


@dataclass(frozen=True)
class Table:
    """What a ballot is for: a revision by its digest, a table's number, its key and its cells."""

    revision: bytes
    number: int
    key: bytes
    cells: int

    @cached_property
    def digest(self) -> bytes:
        """32 bytes."""
        return sha(TABLE, self.revision, two(self.number), self.key, two(self.cells))

    @property
    def ballot_bytes(self) -> int:
        """How long each ballot is."""
        return ballot_bytes(self.cells)


def ballot_bytes(cells: int) -> int:
    """Of a table with so many cells."""
    return CELL_BYTES * cells + SUM_BYTES


def randoms_of(cells: int) -> int:
    """How many numbers a ballot is made with."""
    return 4 * cells + 1


def make_ballot(table: Table, choice: int, random: Sequence[int] | None = None) -> bytes:
    """For the cell ``choice``, counted from 0.

    ``random`` is drawn unless it is given: of each cell what hides it, then of each cell three
    numbers for its proof, then one for the sum's. Raises BadBallot for a cell that there is not.
    """
    if not 0 <= choice < table.cells:
        raise BadBallot(sentence("This table has no cell with this number."))
    drawn = random or [random_number() for _ in range(randoms_of(table.cells))]
    hiding, rest = drawn[: table.cells], drawn[table.cells :]
    ciphers = [_locked(table.key, r, int(cell == choice)) for cell, r in enumerate(hiding)]
    points = _points(ciphers)
    context = context_of(table.digest, points)
    proofs = [
        prove_bit(
            cipher,
            table.key,
            int(cell == choice),
            hiding[cell],
            (rest[3 * cell], rest[3 * cell + 1], rest[3 * cell + 2]),
            partial(challenge, CELL, context, two(cell)),
        )
        for cell, cipher in enumerate(ciphers)
    ]
    sum_proof = prove_equal(sum(hiding), table.key, rest[-1], partial(challenge, SUM, context))
    return b"".join([points, *proofs, sum_proof])


def check_ballot(table: Table, content: bytes) -> list[Cipher]:
    """Its cells, if all proofs hold. Raises BadBallot, NotInGroup or NotProved.

    Cheapest first: length, numbers, then proofs cell by cell.
    """
    if len(content) != table.ballot_bytes:
        raise BadBallot(sentence("A locked answer has the wrong length for this table."))
    points = content[: CIPHER_BYTES * table.cells]
    proofs = content[len(points) :]
    # Numbers first: to read one costs a thousandth of what a multiplication does.
    for at in range(0, len(proofs), BYTES):
        read_number(proofs[at : at + BYTES])
    # Every point is multiplied below, and refused there if it is none: to read all of them first
    # would take an eighth of the time again.
    ciphers = ciphers_in(points)
    context = context_of(table.digest, points)
    for cell, cipher in enumerate(ciphers):
        proof = proofs[BIT_BYTES * cell : BIT_BYTES * (cell + 1)]
        check_bit(cipher, table.key, proof, partial(challenge, CELL, context, two(cell)))
    a = total([cipher.a for cipher in ciphers])
    b = subtract(total([cipher.b for cipher in ciphers]), BASE)
    draw = partial(challenge, SUM, context)
    check_equal(a, table.key, b, proofs[BIT_BYTES * table.cells :], draw)
    return ciphers


class RunningDigest:
    """32 bytes that stand for all ballots of a table, worked out as they pass, in their order."""

    def __init__(self, table: Table, count: int) -> None:
        self._count, self._last = count, b""
        head = joined(LIST.encode(), table.revision, two(table.number), count.to_bytes(4))
        self._hash = hashlib.sha256(head)

    def passing(self, ballots: Iterable[bytes]) -> Iterator[bytes]:
        """The same ballots. Raises BadBallot unless each is greater than the one before."""
        for ballot in ballots:
            if ballot <= self._last:
                raise BadBallot(
                    sentence(
                        "A list contains a locked answer twice, or its locked answers are not "
                        "sorted."
                    )
                )
            self._hash.update(joined(ballot))
            self._last, self._count = ballot, self._count - 1
            yield ballot

    def finished(self) -> bytes:
        """Once all have passed. Raises BadBallot where there were more or fewer than was said."""
        if self._count:
            raise BadBallot(
                sentence("A list contains more or fewer locked answers than it states.")
            )
        return self._hash.digest()


def total_of(table: Table, ballots: Iterable[bytes]) -> list[Cipher]:
    """The locked total of each cell, if all ballots are good. Raises what ``check_ballot`` does."""
    totals = [Cipher(NEUTRAL, NEUTRAL)] * table.cells
    for ballot in ballots:
        totals = added(totals, check_ballot(table, ballot))
    return totals


def total_of_proven(table: Table, ballots: Iterable[bytes]) -> list[Cipher]:
    """The same of ballots that were checked when they came. Raises BadBallot or NotInGroup.

    A twentieth of the time: nothing is proved again. Who did not check them uses ``total_of``.
    """
    totals = [Cipher(NEUTRAL, NEUTRAL)] * table.cells
    for ballot in ballots:
        if len(ballot) != table.ballot_bytes:
            raise BadBallot(sentence("A locked answer has the wrong length for this table."))
        totals = added(totals, ciphers_in(ballot[: CIPHER_BYTES * table.cells]))
    return totals


def written_ciphers(ciphers: Iterable[Cipher]) -> bytes:
    """64 bytes each, for what is stored."""
    return _points(ciphers)


def ciphers_in(points: bytes) -> list[Cipher]:
    """Pairs of points as ``written_ciphers`` writes them; none is looked at before it is used."""
    each = [points[at : at + BYTES] for at in range(0, len(points), BYTES)]
    return [Cipher(a, b) for a, b in zip(each[::2], each[1::2], strict=True)]


def added(first: Sequence[Cipher], second: Sequence[Cipher]) -> list[Cipher]:
    """Cell by cell."""
    pairs = zip(first, second, strict=True)
    return [Cipher(add(one.a, other.a), add(one.b, other.b)) for one, other in pairs]


def context_of(digest: bytes, points: bytes) -> bytes:
    """What all challenges about these points begin with."""
    return digest + hashlib.sha256(points).digest()


def _locked(key: bytes, r: int, value: int) -> Cipher:
    hidden = times(r, key)
    return Cipher(times_base(r), add(hidden, BASE) if value else hidden)


def _points(ciphers: Iterable[Cipher]) -> bytes:
    return b"".join(_each_point(ciphers))


def _each_point(ciphers: Iterable[Cipher]) -> Iterator[bytes]:
    for cipher in ciphers:
        yield cipher.a
        yield cipher.b
