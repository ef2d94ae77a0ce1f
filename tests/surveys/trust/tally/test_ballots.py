"""A ballot is good for one table and holds one 1, and nothing that was changed of it counts."""

import secrets

import pytest

from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import (
    BadBallot,
    RunningDigest,
    Table,
    ballot_bytes,
    check_ballot,
    make_ballot,
    randoms_of,
)
from surveys.trust.tally.group import ORDER, random_number, subtract, times
from surveys.trust.tally.openings import small_log
from surveys.trust.tally.trustees import joint_key, trustee_of
from tests.surveys.trust.tally.tallying import ballots, changed, plan

SECRET = random_number()
TABLE = Table(secrets.token_bytes(32), 1, joint_key([trustee_of("One", SECRET)]), 4)


def opened(content: bytes, table: Table = TABLE) -> list[int]:
    """What one key holder alone would read in each cell."""
    cells = check_ballot(table, content)
    return [small_log(subtract(one.b, times(SECRET, one.a)), -5, 5) for one in cells]


@pytest.mark.parametrize("choice", range(4))
def test_each_choice_is_a_1_in_its_cell_and_equally_long(choice):
    ballot = make_ballot(TABLE, choice)
    assert len(ballot) == ballot_bytes(4) == 192 * 4 + 64
    assert opened(ballot) == [int(cell == choice) for cell in range(4)]


def test_two_ballots_of_one_choice_have_no_point_and_no_number_in_common():
    first, second = (make_ballot(TABLE, 2) for _ in range(2))
    parts = [{one[at : at + 32] for at in range(0, len(one), 32)} for one in (first, second)]
    assert not parts[0] & parts[1]


def test_a_cell_that_the_table_has_not_is_refused():
    for choice in (-1, 4, 5):
        with pytest.raises(BadBallot):
            make_ballot(TABLE, choice)


def test_of_a_ballot_that_was_changed_in_one_bit_nothing_counts():
    ballot = ballots()[0]
    places = range(0, len(ballot), 7)
    for forged in changed(ballot, places):
        with pytest.raises(TrustRefusal):
            check_ballot(plan().table, forged)


def test_numbers_are_read_before_points_which_cost_a_thousand_times_as_much():
    with pytest.raises(TrustRefusal, match="A number in a proof"):
        check_ballot(TABLE, bytes(ballot_bytes(4) - 32) + b"\xff" * 32)


@pytest.mark.parametrize("size", [0, 1, 447, 449, 192 * 3 + 63, 192 * 3 + 65, 10**5])
def test_bytes_without_meaning_are_refused_by_a_refusal(size):
    for content in (bytes(size), b"\xff" * size, secrets.token_bytes(size)):
        with pytest.raises(TrustRefusal):
            check_ballot(plan().table, content)


def test_random_bytes_of_the_right_length_are_refused_by_a_refusal():
    for _ in range(20):
        with pytest.raises(TrustRefusal):
            check_ballot(plan().table, secrets.token_bytes(plan().table.ballot_bytes))


@pytest.mark.parametrize("drawn", [0, ORDER])
def test_a_cell_that_nothing_hides_is_not_made(drawn):
    random = [random_number() for _ in range(randoms_of(4))]
    with pytest.raises(TrustRefusal):
        make_ballot(TABLE, 0, [drawn, *random[1:]])


def digest(given: list[bytes], count: int | None = None) -> bytes:
    running = RunningDigest(plan().table, len(given) if count is None else count)
    assert list(running.passing(given)) == given
    return running.finished()


def test_a_list_is_sorted_has_no_ballot_twice_and_as_many_as_it_says():
    ordered = sorted(ballots())
    assert len({digest(ordered), digest(ordered[1:]), digest(ordered[:-1])}) == 3
    for wrong in (ordered[::-1], [*ordered[:3], ordered[2], *ordered[3:]], [b"", *ordered]):
        with pytest.raises(BadBallot, match="twice, or its locked answers are not sorted"):
            digest(wrong)
    for count in (0, 5, 7):
        with pytest.raises(BadBallot, match="more or fewer locked answers than it states"):
            digest(ordered, count)
