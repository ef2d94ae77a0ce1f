"""Forged noises, shares and trustees, handed in where they would count.

The forger is the second trustee as well, whose secret they have.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from surveys.trust.digests import sha, two
from surveys.trust.tally.files import NoisyTotals, TallyPlan
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
from surveys.trust.tally.openings import SHARE
from surveys.trust.tally.trustees import LABEL
from tests.surveys.trust.tally.forged_ballots import Kind, Submission, odd, other_number, turned
from tests.surveys.trust.tally.forging import (
    STRICT,
    TORSION,
    Forger,
    Over,
    bent,
    drawn,
    mirrored,
    pieces,
    plus,
    rerandomized,
)
from tests.surveys.trust.tally.tallying import (
    CELLS,
    document,
    listed,
    noises,
    plan,
    secrets_of,
    shares,
    totals,
)

BITS = 4  # of each cell's noise
OWN, OTHER = 2, 1  # trustees


# --- Noises


def noise(cells: Sequence[bytes], /, **head: object) -> Submission:
    """As the forger's own file; the first trustee's is as it was."""
    file = {**noises()[OWN - 1], "cells": [one.hex() for one in cells], **head}
    return partial(NoisyTotals, listed(), (noises()[0], file))


def bits_of(forger: Forger) -> list[int]:
    return [forger.rng.randrange(2) for _ in range(BITS)]


def noise_cells(
    forger: Forger,
    bits: Callable[[Forger], list[int]] = bits_of,
    over: Over = STRICT,
    **changed: Any,
) -> list[bytes]:
    """Of all cells; ``changed`` is of whom and for what they are made."""
    table = changed.get("table", plan().table)
    listed_as, trustee = changed.get("listed", listed().digest), changed.get("trustee", OWN)
    step = changed.get("step", 0)
    return [
        forger.noise(table, (listed_as, trustee, cell + step), bits(forger), over)
        for cell in range(CELLS)
    ]


def a_bit_that_is_none(forger: Forger) -> Submission:
    def bits(forger: Forger) -> list[int]:
        values = bits_of(forger)
        values[forger.rng.randrange(BITS)] = forger.rng.choice([2, -1, 5, 2**30, -(2**30)])
        return values

    return noise(noise_cells(forger, bits))


def noise_proved_over_too_little(forger: Forger) -> Submission:
    kinds = [Over(table=False), Over(points="none"), Over(number=False), Over(label="else")]
    return noise(noise_cells(forger, over=forger.rng.choice(kinds)))


def noise_for_something_else(forger: Forger) -> Submission:
    changed: dict[str, Any] = forger.rng.choice(
        [
            {"trustee": OTHER},
            {"trustee": forger.rng.randrange(3, 8)},
            {"listed": forger.rng.randbytes(32)},
            {"table": replace(plan().table, number=2)},
            {"step": 1},
        ]
    )
    return noise(noise_cells(forger, **changed))


def another_number_of_bits(forger: Forger) -> Submission:
    count = forger.rng.choice([1, BITS - 1, BITS + 1, 24])
    return noise(noise_cells(forger, lambda forger: [forger.rng.randrange(2)] * count))


def contents(file: Mapping[str, Any]) -> list[bytes]:
    return [bytes.fromhex(cell) for cell in file["cells"]]


def noise_of_the_other_trustee(forger: Forger) -> Submission:
    """As it is, re-randomized, or negated, which would take it away again."""
    theirs, key = contents(noises()[OTHER - 1]), plan().table.key
    shifts = [forger.number() for _ in range(BITS)]
    copies = [
        theirs,
        [b"".join(rerandomized(cell, key, BITS, shifts)) for cell in theirs],
        [mirrored(cell, BITS) for cell in theirs],
    ]
    return noise(forger.rng.choice(copies))


def cells_or_bits_exchanged(forger: Forger) -> Submission:
    cells = noise_cells(forger)
    if forger.rng.randrange(2):
        return noise([cells[1], cells[2], cells[0]])
    parts = pieces(cells[0])
    first, second = forger.rng.sample(range(BITS), 2)
    for size, start in ((2, 0), (4, 2 * BITS)):
        a, b = start + size * first, start + size * second
        parts[a : a + size], parts[b : b + size] = parts[b : b + size], parts[a : a + size]
    return noise([b"".join(parts), *cells[1:]])


def odd_pieces_of_noise(forger: Forger) -> Submission:
    cells = noise_cells(forger)
    which = forger.rng.randrange(CELLS)
    parts = pieces(cells[which])
    place = forger.rng.randrange(len(parts))
    change = odd if place < 2 * BITS else other_number
    cells[which] = bent(cells[which], place, change(forger, parts[place]))
    return noise(cells)


def a_noise_file_that_says_something_else(forger: Forger) -> Submission:
    return noise(contents(noises()[OWN - 1]), **something_else(forger, noises()[OWN - 1]))


def something_else(forger: Forger, file: Mapping[str, Any]) -> dict[str, object]:
    """For one of its members, or for one that it has not."""
    name = forger.rng.choice([*file, "more"])
    cells = file["cells"]
    values: list[object] = [None, True, 0, 3, 1e400, -1, "", "0" * 64, [], {}, cells[:2]]
    values += [[*cells, cells[0]], [cell.upper() for cell in cells], [f" {cells[0]}", *cells[1:]]]
    return {name: forger.rng.choice(values)}


# --- Shares


def share(cells: Sequence[bytes], /, **head: object) -> Submission:
    """As the forger's own file; the first trustee's is as it was."""
    file = {**shares()[OWN - 1], "cells": [one.hex() for one in cells], **head}
    return partial(totals().counts, (shares()[0], file))


def share_cells(forger: Forger, **changed: Any) -> list[bytes]:
    """Of all cells; ``changed``: secret, trustee, noises, totals, table, factor, step, torsion."""
    secret = changed.get("secret", secrets_of(2)[OWN - 1])
    locked = changed.get("totals", totals().locked)
    return [share_cell(forger, secret, one.a, cell, changed) for cell, one in enumerate(locked)]


def share_cell(
    forger: Forger, secret: int, a: bytes, cell: int, changed: Mapping[str, Any]
) -> bytes:
    table = changed.get("table", plan().table)
    digest = changed.get("noises", totals().digest)
    numbers = (changed.get("trustee", OWN), cell + changed.get("step", 0))
    multiple = times(secret, a)
    for more in changed.get("more", ()):
        multiple = add(multiple, more)
    draw = drawn(SHARE, table.digest, digest, *map(two, numbers), a, multiple)
    return multiple + forger.equal_proof(secret, a, draw, 8 if changed.get("torsion") else 1)


def a_share_that_is_more(forger: Forger) -> Submission:
    """So that the count is another one; the second file takes off what the first one adds."""
    more = times_base(forger.rng.choice([1, ORDER - 1, 5, forger.number()]))
    own = share_cells(forger, more=[more])
    if forger.rng.randrange(2):
        return share(own)
    cells = [
        subtract(content[:32], more) + content[32:] for content in contents(shares()[OTHER - 1])
    ]
    first = {**shares()[0], "cells": [one.hex() for one in cells]}
    second = {**shares()[1], "cells": [one.hex() for one in own]}
    return partial(totals().counts, (first, second))


def a_share_solved_after_the_challenge(forger: Forger) -> Submission:
    """By a challenge over all but D."""
    secret, cells = secrets_of(2)[OWN - 1], []
    for cell, one in enumerate(totals().locked):
        own = (plan().table.digest, totals().digest, two(OWN), two(cell))
        multiple, proof = forger.solved_multiple(secret, one.a, drawn(SHARE, *own, one.a))
        cells.append(multiple + proof)
    return share(cells)


def a_share_for_something_else(forger: Forger) -> Submission:
    changed: dict[str, Any] = forger.rng.choice(
        [
            {"secret": forger.number()},
            {"secret": sum(secrets_of(2))},
            {"trustee": OTHER},
            {"step": 1},
            {"noises": forger.rng.randbytes(32)},
            {"noises": sha("deniable noises 1")},
            {"table": replace(plan().table, number=2)},
            {"totals": listed().totals},
        ]
    )
    return share(share_cells(forger, **changed))


def a_share_of_the_other_trustee(forger: Forger) -> Submission:
    theirs = contents(shares()[OTHER - 1])
    return share(forger.rng.choice([theirs, [theirs[1], theirs[2], theirs[0]]]))


def shares_of_cells_exchanged(forger: Forger) -> Submission:
    cells = share_cells(forger)
    return share(forger.rng.choice([[cells[1], cells[0], cells[2]], [cells[0]] * 3, cells[:2]]))


def a_share_with_torsion(forger: Forger) -> Submission:
    return share(share_cells(forger, more=[TORSION], torsion=True))


def odd_pieces_of_a_share(forger: Forger) -> Submission:
    cells = share_cells(forger)
    which, place = forger.rng.randrange(CELLS), forger.rng.randrange(3)
    piece = pieces(cells[which])[place]
    change = other_number if place else odd
    cells[which] = bent(cells[which], place, change(forger, piece))
    return share(cells)


def a_bit_of_a_share_turned(forger: Forger) -> Submission:
    cells = share_cells(forger)
    which = forger.rng.randrange(CELLS)
    cells[which] = turned(forger, cells[which])
    return share(cells)


def a_share_file_that_says_something_else(forger: Forger) -> Submission:
    return share(contents(shares()[OWN - 1]), **something_else(forger, shares()[OWN - 1]))


# --- Trustees


def trustees(*entries: Mapping[str, Any]) -> Submission:
    changed = {**document(), "tally": {**document()["tally"], "trustees": list(entries)}}
    return partial(TallyPlan.read, changed, 1)


def entry(name: str, key: bytes, proof: bytes) -> dict[str, str]:
    return {"name": name, "key": key.hex(), "proof": proof.hex()}


def known_proof(forger: Forger, name: str, secret: int, key: bytes, step: int = 1) -> bytes:
    while True:
        w = forger.number()
        e = challenge(LABEL, name.encode(), key, times_base(w))
        if e % step == 0:
            return as_bytes(e) + as_bytes(w + e * secret)


def own_key(forger: Forger) -> dict[str, str]:
    secret = forger.number()
    key = times_base(secret)
    return entry("C", key, known_proof(forger, "C", secret, key))


def a_rogue_key(forger: Forger) -> Submission:
    """So that the sum is the forger's own, with the best proof that there is."""
    first, second = document()["tally"]["trustees"]
    theirs, secret = bytes.fromhex(first["key"]), forger.number()
    key = subtract(times_base(secret), theirs)
    proofs = [
        bytes.fromhex(first["proof"]),
        bytes.fromhex(second["proof"]),
        known_proof(forger, "B", secret, key),
        as_bytes(forger.number()) + as_bytes(forger.number()),
    ]
    return trustees(first, entry("B", key, forger.rng.choice(proofs)))


def a_key_that_cancels(forger: Forger) -> Submission:
    """The others' sum, negated; of own keys with a good proof."""
    first, second = document()["tally"]["trustees"]
    if forger.rng.randrange(2):
        key = subtract(NEUTRAL, bytes.fromhex(first["key"]))
        return trustees(first, entry("B", key, bytes.fromhex(first["proof"])))
    secret = secrets_of(2)[OWN - 1]
    key = subtract(NEUTRAL, bytes.fromhex(second["key"]))
    return trustees(second, entry("C", key, known_proof(forger, "C", -secret, key)))


def a_key_twice_or_under_another_name(forger: Forger) -> Submission:
    first, second = document()["tally"]["trustees"]
    secret = secrets_of(2)[OWN - 1]
    key = bytes.fromhex(second["key"])
    renamed = entry("C", key, known_proof(forger, "C", secret, key))
    stolen = {**first, "name": "B"}
    pairs = [(second, renamed), (first, first), (first, stolen), (stolen, second)]
    return trustees(*forger.rng.choice(pairs))


def an_odd_key(forger: Forger) -> Submission:
    first, second = document()["tally"]["trustees"]
    secret = forger.number()
    key = add(times_base(secret), TORSION)
    if forger.rng.randrange(2):
        return trustees(first, entry("B", key, known_proof(forger, "B", secret, key, 8)))
    bad = odd(forger, bytes.fromhex(second["key"]))
    return trustees(first, entry("B", bad, known_proof(forger, "B", secret, bad)))


def an_odd_proof_of_a_key(forger: Forger) -> Submission:
    first, second = document()["tally"]["trustees"]
    e, z = pieces(bytes.fromhex(second["proof"]))
    bent_pair = forger.rng.choice([(z, e), (other_number(forger, e), z), (e, plus(z, ORDER)), (e,)])
    return trustees(first, {**second, "proof": b"".join(bent_pair).hex()})


NOISES: list[Kind] = [
    a_bit_that_is_none, noise_proved_over_too_little, noise_for_something_else,
    another_number_of_bits, noise_of_the_other_trustee, cells_or_bits_exchanged,
    odd_pieces_of_noise, a_noise_file_that_says_something_else,
]  # fmt: skip
SHARES: list[Kind] = [
    a_share_that_is_more, a_share_solved_after_the_challenge, a_share_for_something_else,
    a_share_of_the_other_trustee, shares_of_cells_exchanged, a_share_with_torsion,
    odd_pieces_of_a_share, a_bit_of_a_share_turned, a_share_file_that_says_something_else,
]  # fmt: skip
TRUSTEES: list[Kind] = [
    a_rogue_key, a_key_that_cancels, a_key_twice_or_under_another_name, an_odd_key,
    an_odd_proof_of_a_key,
]  # fmt: skip
