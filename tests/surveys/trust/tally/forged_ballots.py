"""Forged ballots and lists: each kind makes something new at every call, and hands it in.

What is public is known to the forger: document, ballots, noises, shares. The kinds are the traps of
the design page, section 4.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO

from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import Table, check_ballot
from surveys.trust.tally.files import NoisyTotals, list_head, read_list
from surveys.trust.tally.group import (
    ORDER,
    add,
    as_bytes,
    times_base,
)
from tests.surveys.trust.tally.forging import (
    CARELESS,
    ODD_POINTS,
    TORSION,
    Forger,
    Over,
    bent,
    mirrored,
    moved,
    pieces,
    plus,
    rerandomized,
)
from tests.surveys.trust.tally.tallying import (
    BATCH,
    CELLS,
    ballots,
    document,
    noises,
    plan,
    secrets_of,
)

# Something that was handed in; called, it is accepted, or refused by an exception.
Submission = Callable[[], object]
Kind = Callable[[Forger], Submission]
WRONG_VOTES = [
    [2, 0, 0], [2, -1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0], [-1, 1, 1], [1000, 0, 0], [0, -1, 0]
]  # fmt: skip


def handed_in(content: bytes) -> object:
    """At the door, and in a list among honest ones; accepted if either takes it."""
    among = sorted([*ballots()[: BATCH - 1], content])
    file = BytesIO(list_head(document(), 1, BATCH) + b"".join(among))
    try:
        return check_ballot(plan().table, content)
    except TrustRefusal:
        return read_list(file)


def ballot(content: bytes) -> Submission:
    return partial(handed_in, content)


def one_hot(forger: Forger) -> list[int]:
    chosen = forger.rng.randrange(CELLS)
    return [int(cell == chosen) for cell in range(CELLS)]


def honest(forger: Forger) -> bytes:
    return forger.rng.choice(ballots())


def another_vote(forger: Forger) -> Submission:
    values = list(forger.rng.choice(WRONG_VOTES))
    forger.rng.shuffle(values)
    return ballot(forger.ballot(plan().table, values))


def too_little_proved(forger: Forger) -> Submission:
    return ballot(forger.ballot(plan().table, one_hot(forger), forger.rng.choice(CARELESS)))


def solved_after_the_challenge(forger: Forger) -> Submission:
    careless = Over(points="none")
    return ballot(forger.ballot(plan().table, one_hot(forger), careless, solve=True))


def rerandomized_copy(forger: Forger) -> Submission:
    shifts = [forger.number() for _ in range(CELLS)]
    return ballot(moved_ballot(honest(forger), plan().table.key, shifts))


def moved_ballot(content: bytes, key: bytes, shifts: Sequence[int]) -> bytes:
    e, z = pieces(content)[-2:]
    cells = b"".join(rerandomized(content, key, CELLS, shifts))
    return cells + e + moved(z, e, sum(shifts))


def permuted_copy(forger: Forger) -> Submission:
    parts = pieces(honest(forger))
    order = forger.rng.choice([(1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1)])
    points = [parts[2 * cell + side] for cell in order for side in (0, 1)]
    proofs = [parts[2 * CELLS + 4 * cell + part] for cell in order for part in range(4)]
    return ballot(b"".join([*points, *proofs, *parts[6 * CELLS :]]))


def mirrored_copy(forger: Forger) -> Submission:
    return ballot(mirrored(honest(forger), CELLS))


def parts_of_two(forger: Forger) -> Submission:
    first, second = map(pieces, forger.rng.sample(ballots(), 2))
    at = forger.rng.randrange(1, len(first))
    return ballot(b"".join(first[:at] + second[at:]))


def odd_point(forger: Forger) -> Submission:
    content = forger.ballot(plan().table, one_hot(forger))
    place = forger.rng.randrange(2 * CELLS)
    return ballot(bent(content, place, odd(forger, pieces(content)[place])))


def odd(forger: Forger, point: bytes) -> bytes:
    """A point of small order or written otherwise, with a part of order 8, or none at all."""
    drawn_bytes = forger.rng.randbytes(32)
    return forger.rng.choice([*ODD_POINTS, add(point, TORSION), drawn_bytes, point[::-1]])


def torsion_that_no_challenge_sees(forger: Forger) -> Submission:
    return ballot(forger.ballot(plan().table, one_hot(forger), torsion=True))


def odd_number(forger: Forger) -> Submission:
    content = forger.ballot(plan().table, one_hot(forger))
    place = forger.rng.randrange(2 * CELLS, len(pieces(content)))
    return ballot(bent(content, place, other_number(forger, pieces(content)[place])))


def other_number(forger: Forger, number: bytes) -> bytes:
    """The same number modulo L, or another one."""
    return forger.rng.choice(
        [plus(number, ORDER), plus(number, 8 * ORDER), plus(number, 1), bytes(32), b"\xff" * 32,
         as_bytes(-int.from_bytes(number, "little"))]
    )  # fmt: skip


def factors_that_add_up_to_0(forger: Forger) -> Submission:
    """So that the sum's points are neutral but for its 1, and any proof of them holds."""
    factors = [forger.number() for _ in range(CELLS - 1)]
    factors.append(-sum(factors) % ORDER)
    return ballot(forger.ballot(plan().table, one_hot(forger), factors=factors))


def another_length(forger: Forger) -> Submission:
    content = honest(forger)
    cut = forger.rng.choice([0, 1, 32, 64, 192, len(content) - 1])
    more = forger.rng.randbytes(forger.rng.choice([1, 32, 192]))
    return ballot(forger.rng.choice([content[:cut], content + more, more + content]))


def made_for_elsewhere(forger: Forger) -> Submission:
    own = plan().table
    tables = [
        replace(own, number=forger.rng.randrange(2, 2**16)),
        replace(own, revision=forger.rng.randbytes(32)),
        replace(own, key=times_base(forger.number())),
        replace(own, key=times_base(secrets_of(2)[1])),  # one trustee alone
        Table(own.revision, own.number, own.key, CELLS + 1),
    ]
    return ballot(forger.ballot(forger.rng.choice(tables), one_hot(forger)))


def a_bit_turned(forger: Forger) -> Submission:
    return ballot(turned(forger, honest(forger)))


def turned(forger: Forger, content: bytes) -> bytes:
    place, bit = forger.rng.randrange(len(content)), forger.rng.randrange(8)
    return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]


def good_points_and_drawn_numbers(forger: Forger) -> Submission:
    points = [times_base(forger.number()) for _ in range(2 * CELLS)]
    numbers = [as_bytes(forger.number()) for _ in range(4 * CELLS + 2)]
    return ballot(b"".join([*points, *numbers]))


# --- Lists


def list_of(head: bytes, *given: bytes) -> Submission:
    return partial(read_list, BytesIO(head + b"".join(given)))


def a_ballot_twice(forger: Forger) -> Submission:
    given = sorted([*forger.rng.sample(ballots(), 4), honest(forger), honest(forger)])
    twice = given if len(set(given)) < len(given) else sorted([*given, given[0]])
    return list_of(list_head(document(), 1, len(twice)), *twice)


def another_order(forger: Forger) -> Submission:
    given = list(ballots())
    while given == sorted(given):
        forger.rng.shuffle(given)
    return list_of(list_head(document(), 1, len(given)), *given)


def another_number_of_ballots(forger: Forger) -> Submission:
    given = sorted(ballots())
    count = forger.rng.choice([0, 3, 5, 7, 2**32 - 1, 2**32, -1])
    return list_of(list_head(document(), 1, count), *given)


def fewer_than_a_batch(forger: Forger) -> Submission:
    given = sorted(forger.rng.sample(ballots(), forger.rng.randrange(BATCH)))
    return list_of(list_head(document(), 1, len(given)), *given)


def another_list_with_these_noises(forger: Forger) -> Submission:
    """One dropped, added, or exchanged: all ballots are good, the noises are those of the list."""
    fewer = forger.rng.sample(ballots(), len(ballots()) - 1)
    new = forger.ballot(plan().table, one_hot(forger))
    given = sorted(forger.rng.choice([fewer, [*fewer, new], [*ballots(), new]]))
    file = BytesIO(list_head(document(), 1, len(given)) + b"".join(given))
    return lambda: NoisyTotals(read_list(file), noises())


BALLOTS: list[Kind] = [
    another_vote, too_little_proved, solved_after_the_challenge, rerandomized_copy, permuted_copy,
    mirrored_copy, parts_of_two, odd_point, torsion_that_no_challenge_sees, odd_number,
    factors_that_add_up_to_0, another_length, made_for_elsewhere, a_bit_turned,
    good_points_and_drawn_numbers,
]  # fmt: skip
LISTS: list[Kind] = [
    a_ballot_twice, another_order, another_number_of_ballots, fewer_than_a_batch,
    another_list_with_these_noises,
]  # fmt: skip
