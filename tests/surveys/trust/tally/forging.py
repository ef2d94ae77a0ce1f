"""The tools of a forger who knows the design alone: ciphertexts and proofs of their own making.

Proofs are made here by the formulas of the design page, so that each of their parts can be left
out or bent. With nothing bent they are accepted (``test_forgeries.py``): a refusal is about what
was bent. Numbers come from a seed, so that each forgery can be made again.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from surveys.trust.digests import sha, two
from surveys.trust.tally.ballots import CELL, SUM, Table
from surveys.trust.tally.group import (
    NEUTRAL,
    ORDER,
    add,
    as_bytes,
    challenge,
    subtract,
    times,
    times_base,
)
from surveys.trust.tally.noises import BIT, CONTEXT

Draw = Callable[..., int]
BASE = times_base(1)
TORSION = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
# Of small order, and other ways to write points: RFC 8032 has one for each.
ODD_POINTS = [
    TORSION,
    bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
    NEUTRAL,
    bytes(32),
    b"\xec" + b"\xff" * 30 + b"\x7f",
    b"\xed" + b"\xff" * 30 + b"\x7f",
    b"\xee" + b"\xff" * 30 + b"\x7f",
    b"\xee" + b"\xff" * 31,
    NEUTRAL[:31] + b"\x80",
    b"\xff" * 32,
]


@dataclass(frozen=True)
class Locked:
    """A ciphertext, with what hides it: r, and the number in it."""

    a: bytes
    b: bytes
    r: int
    value: int


@dataclass(frozen=True)
class Over:
    """What challenges are over: all that the design names, unless it is left out."""

    table: bool = True
    points: str = "all"  # or "first", or "none"
    number: bool = True
    label: str = CELL
    sum_label: str = SUM


STRICT = Over()
CARELESS = [
    Over(table=False),
    Over(points="first"),
    Over(points="none"),
    Over(number=False),
    Over(label=BIT),
    Over(label=SUM),
    Over(sum_label=CELL),
    Over(table=False, points="none", number=False),
]


class Forger:
    """One forger, with one seed."""

    def __init__(self, seed: object) -> None:
        self.rng = random.Random(repr(seed))

    def number(self) -> int:
        return self.rng.randrange(1, ORDER)

    def locked(self, key: bytes, value: int, r: int | None = None) -> Locked:
        """Any number, also one that no cell may hold."""
        r = self.number() if r is None else r
        hidden, multiple = times(r, key), value % ORDER
        b = add(hidden, times_base(multiple)) if multiple else hidden
        return Locked(times_base(r), b, r, value)

    def bit_proof(self, one: Locked, key: bytes, draw: Draw, step: int = 1) -> bytes:
        """That it holds 0 or 1; of another number the best there is. Challenges in these steps."""
        true = one.value if one.value in (0, 1) else self.rng.randrange(2)
        while True:
            masked, other_z = self.number(), self.number()
            other_e = step * self.rng.randrange(1, ORDER // step)
            own = (times_base(masked), times(masked, key))
            other = self._branch(one, key, 1 - true, other_e, other_z)
            pairs = (own, other) if true == 0 else (other, own)
            e = (draw(*pairs[0], *pairs[1]) - other_e) % ORDER
            if e % step == 0 and e:
                break
        numbers = [(e, masked + e * one.r), (other_e, other_z)]
        first, second = numbers if true == 0 else numbers[::-1]
        return b"".join(map(as_bytes, (first[0], second[0], first[1], second[1])))

    def _branch(self, one: Locked, key: bytes, value: int, e: int, z: int) -> tuple[bytes, bytes]:
        """By the numbers behind the points, so that the points may be bent."""
        # z Y - e (B - vG) with B = rY + mG is (z - er) Y - e (m - v) G.
        left = (z - e * one.r) % ORDER
        shift = -e * (one.value - value) % ORDER
        b = times(left, key)
        return times_base(left), add(b, times_base(shift)) if shift else b

    def solved_bit(self, key: bytes, draw: Draw) -> tuple[Locked, bytes]:
        """A number that is chosen after the challenge, by one that does not depend on it.

        Bernhard, Pereira and Warinschi (2012): e0 m = -g0, e1 (m - 1) = -g1 and e0 + e1 = c.
        """
        while True:
            masks, shifts = [self.number(), self.number()], [self.number(), self.number()]
            points = [
                (times_base(w), add(times(w, key), times_base(g)))
                for w, g in zip(masks, shifts, strict=True)
            ]
            c = draw(*points[0], *points[1])
            middle = sum(shifts) - c
            root = root_of(middle * middle + 4 * c * shifts[0])
            if root is not None:
                break
        m = (root - middle) * pow(2 * c, -1, ORDER) % ORDER
        e0, e1 = (-shifts[0] * pow(m, -1, ORDER), -shifts[1] * pow(m - 1, -1, ORDER))
        one = self.locked(key, m)
        z = [masks[0] + e0 * one.r, masks[1] + e1 * one.r]
        return one, b"".join(map(as_bytes, (e0, e1, *z)))

    def equal_proof(self, secret: int, second: bytes, draw: Draw, step: int = 1) -> bytes:
        """That a secret is the same of the base and of this point; challenges in these steps."""
        while True:
            masked = self.number()
            e = draw(times_base(masked), times(masked, second))
            if e % step == 0:
                return as_bytes(e) + as_bytes(masked + e * secret)

    def solved_multiple(self, secret: int, second: bytes, draw: Draw) -> tuple[bytes, bytes]:
        """A point that is not the multiple, chosen after the challenge: D = (zA - b) / e."""
        w, v = self.number(), self.number()
        e = draw(times_base(w), times(v, second))
        z = w + e * secret
        return times((z - v) * pow(e, -1, ORDER), second), as_bytes(e) + as_bytes(z)

    def ballot(
        self,
        table: Table,
        values: Sequence[int],
        over: Over = STRICT,
        *,
        factors: Sequence[int] | None = None,
        solve: bool = False,
        torsion: bool = False,
    ) -> bytes:
        """Of any numbers, with proofs over what ``over`` says; one cell solved for, if asked.

        With ``torsion`` a point has a part of order 8, and all challenges are multiples of 8, which
        take it away again.
        """
        cells = [
            self.locked(table.key, value, factors[place] if factors else None)
            for place, value in enumerate(values)
        ]
        step = 8 if torsion else 1
        if torsion:
            place = self.rng.randrange(len(cells))
            cells[place] = replace(cells[place], a=add(cells[place].a, TORSION))
        context = context_over(table, cells, over)
        proofs = [
            self.bit_proof(one, table.key, cell_draw(over, context, place), step)
            for place, one in enumerate(cells)
        ]
        if solve:
            place = self.rng.randrange(len(cells))
            cells[place], proofs[place] = self.solved_bit(
                table.key, cell_draw(over, context, place)
            )
        secret = sum(one.r for one in cells)
        draw = sum_draw(over, context)
        return points_of(cells) + b"".join(proofs) + self.equal_proof(secret, table.key, draw, step)

    def noise(
        self,
        table: Table,
        owner: tuple[bytes, int, int],
        values: Sequence[int],
        over: Over = STRICT,
    ) -> bytes:
        """A cell of noise with these bits, for a list, a trustee and a cell's number."""
        bits = [self.locked(table.key, value) for value in values]
        context = noise_context(table, owner, points_of(bits), over)
        label = BIT if over.label == CELL else CELL
        proofs = [
            self.bit_proof(
                one, table.key, drawn(label, context, *([two(place)] if over.number else []))
            )
            for place, one in enumerate(bits)
        ]
        return points_of(bits) + b"".join(proofs)


def drawn(label: str, *context: bytes) -> Draw:
    return lambda *points: challenge(label, *context, *points)


def cell_draw(over: Over, context: bytes, place: int) -> Draw:
    return drawn(over.label, context, *([two(place)] if over.number else []))


def sum_draw(over: Over, context: bytes) -> Draw:
    return drawn(over.sum_label, context)


def context_over(table: Table, cells: Sequence[Locked], over: Over) -> bytes:
    points = {"all": points_of(cells), "first": points_of(cells[:1]), "none": b""}[over.points]
    bound = hashlib.sha256(points).digest() if points else b""
    return (table.digest if over.table else b"") + bound


def noise_context(
    table: Table, owner: tuple[bytes, int, int], points: bytes, over: Over = STRICT
) -> bytes:
    listed, trustee, cell = owner
    digest = table.digest if over.table else bytes(32)
    bound = hashlib.sha256(points).digest() if over.points == "all" else b""
    return sha(CONTEXT, digest, listed, two(trustee), two(cell)) + bound


def points_of(cells: Sequence[Locked]) -> bytes:
    return b"".join(part for one in cells for part in (one.a, one.b))


def pieces(content: bytes) -> list[bytes]:
    """Points and numbers of any file."""
    return [content[at : at + 32] for at in range(0, len(content), 32)]


def bent(content: bytes, place: int, piece: bytes) -> bytes:
    """With another piece at a place."""
    parts = pieces(content)
    parts[place] = piece
    return b"".join(parts)


def plus(piece: bytes, number: int) -> bytes:
    """A number of a proof, more by so much, as it fits into 32 bytes."""
    return ((int.from_bytes(piece, "little") + number) % 2**256).to_bytes(32, "little")


def rerandomized(content: bytes, key: bytes, cells: int, shifts: Sequence[int]) -> Iterator[bytes]:
    """The points moved by these factors, then the cells' proofs moved after them."""
    parts = pieces(content)
    for place, shift in enumerate(shifts):
        yield add(parts[2 * place], times_base(shift))
        yield add(parts[2 * place + 1], times(shift, key))
    proofs = parts[2 * cells :]
    for place, shift in enumerate(shifts):
        e0, e1, z0, z1 = proofs[4 * place : 4 * place + 4]
        yield from (e0, e1, moved(z0, e0, shift), moved(z1, e1, shift))


def moved(z: bytes, e: bytes, shift: int) -> bytes:
    """The answer to a challenge once the secret is more by so much."""
    return as_bytes(int.from_bytes(z, "little") + int.from_bytes(e, "little") * shift)


def mirrored(content: bytes, cells: int) -> bytes:
    """Each bit the other one, with its proof: -A, G - B, challenges exchanged, answers negated."""
    parts = pieces(content)
    for place in range(cells):
        a, b = parts[2 * place : 2 * place + 2]
        parts[2 * place], parts[2 * place + 1] = subtract(NEUTRAL, a), subtract(BASE, b)
        at = 2 * cells + 4 * place
        e0, e1, z0, z1 = parts[at : at + 4]
        parts[at : at + 4] = [e1, e0, negated(z1), negated(z0)]
    return b"".join(parts)


def negated(number: bytes) -> bytes:
    return as_bytes(-int.from_bytes(number, "little"))


def root_of(square: int) -> int | None:
    """A square root modulo L, which is 5 modulo 8; None where there is none."""
    square %= ORDER
    root = pow(square, (ORDER + 3) // 8, ORDER)
    if root * root % ORDER != square:
        root = root * pow(2, (ORDER - 1) // 4, ORDER) % ORDER
    return root if root * root % ORDER == square else None
