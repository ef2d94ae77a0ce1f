"""A forger who knows the design alone gets nothing in, and every refusal is one of the product."""

from itertools import cycle

import pytest

from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.files import list_head
from surveys.trust.tally.group import times, times_base
from surveys.trust.tally.proofs import Cipher, check_bit, check_equal
from tests.surveys.trust.tally.forged_ballots import (
    BALLOTS,
    LISTS,
    Kind,
    Submission,
    ballot,
    list_of,
    one_hot,
)
from tests.surveys.trust.tally.forged_openings import (
    NOISES,
    SHARES,
    TRUSTEES,
    noise,
    noise_cells,
    own_key,
    share,
    share_cells,
    trustees,
)
from tests.surveys.trust.tally.forging import Forger, drawn
from tests.surveys.trust.tally.tallying import ballots, document, plan

KINDS = [*BALLOTS, *LISTS, *NOISES, *SHARES, *TRUSTEES]
SEED, MANY = 40, 10_000


def name_of(kind: Kind) -> str:
    return kind.__name__


@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_a_forgery_of_each_kind_is_refused_by_a_refusal(kind):
    submission = kind(Forger((SEED, name_of(kind))))
    with pytest.raises(TrustRefusal):
        submission()


@pytest.mark.audit
def test_of_ten_thousand_forgeries_of_all_kinds_none_is_accepted():
    """Another exception than a refusal of the product ends the test."""
    made = zip(range(MANY), cycle(KINDS), strict=False)
    accepted = [
        (name_of(kind), number)
        for number, kind in made
        if not is_refused(kind(Forger((SEED, name_of(kind), number))))
    ]
    assert accepted == []


def is_refused(submission: Submission) -> bool:
    try:
        submission()
    except TrustRefusal:
        return True
    return False


@pytest.mark.parametrize(
    "made",
    [
        lambda forger: ballot(forger.ballot(plan().table, one_hot(forger))),
        lambda forger: list_of(list_head(document(), 1, len(ballots())), *sorted(ballots())),
        lambda forger: noise(noise_cells(forger)),
        lambda forger: share(share_cells(forger)),
        lambda forger: trustees(*document()["tally"]["trustees"]),
        lambda forger: trustees(document()["tally"]["trustees"][0], own_key(forger)),
    ],
    ids=["ballot", "list", "noise", "share", "trustees", "another trustee"],
)
def test_what_is_handed_in_without_bending_anything_is_accepted(made):
    """Else all would be refused, for a reason that says nothing."""
    assert not is_refused(made(Forger(SEED)))


def test_a_solved_number_and_a_false_share_convince_a_verifier_that_asks_too_little():
    """A challenge that does not depend on what is proved: the attack is a real one."""
    forger, key, careless = Forger(SEED), plan().table.key, drawn("too little")
    one, proof = forger.solved_bit(key, careless)
    assert one.value not in (0, 1)
    check_bit(Cipher(one.a, one.b), key, proof, careless)
    secret, second = forger.number(), times_base(forger.number())
    multiple, proof = forger.solved_multiple(secret, second, careless)
    assert multiple != times(secret, second)
    check_equal(times_base(secret), second, multiple, proof, careless)


def test_a_seed_makes_the_same_forgery_again():
    first, second = (Forger(SEED).ballot(plan().table, [1, 1, 0]) for _ in range(2))
    assert first == second != Forger(SEED + 1).ballot(plan().table, [1, 1, 0])
