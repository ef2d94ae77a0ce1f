"""Totals open to the truth and the noise, by all trustees together, and by nothing else."""

import pytest

from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.files import BadTallyFile, BallotList, NoisyTotals, TallyPlan, read_json
from surveys.trust.tally.group import NEUTRAL, random_number, subtract, times_base
from surveys.trust.tally.openings import NotCounted, small_log, small_logs
from surveys.trust.tally.trustees import BadTrustees, joint_key, trustee_of
from tests.surveys.trust.tally.tallying import (
    ballots,
    changed,
    document,
    listed,
    noises,
    plan,
    secrets_of,
    shares,
    totals,
)


def test_the_counts_are_the_truth_and_all_noise():
    assert totals().counts(shares()) == [1 + 1 + 0, 2 - 2 + 0, 3 + 3 - 8]


def test_one_trustee_s_share_is_not_enough_and_another_secret_none():
    for given in (shares()[:1], (), (*shares(), shares()[0]), shares()[::-1]):
        with pytest.raises(TrustRefusal):
            totals().counts(given)
    with pytest.raises(TrustRefusal):
        totals().counts([totals().share_file(1, random_number()), shares()[1]])


@pytest.mark.parametrize("files", [noises, shares])
@pytest.mark.parametrize("name", ["deniable", "trustee", "revision", "table", "list", "cells"])
@pytest.mark.parametrize("value", [None, "", 0, 2, [], {}, "00" * 32, ["00"], 1e400, True])
def test_a_file_that_says_something_else_of_itself_is_refused(files, name, value):
    given = list(files())
    given[0] = {**given[0], name: value}
    with pytest.raises(TrustRefusal):
        _ = NoisyTotals(listed(), tuple(given)) if files is noises else totals().counts(given)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("deniable", "noise 2", "of the wrong kind"),
        ("revision", "00" * 32, "another survey"),
        ("table", 2, "another table"),
        ("table", True, "another table"),
        ("list", "00" * 32, "another list of locked answers"),
        ("trustee", 2, "belongs to another trustee"),
    ],
)
def test_a_refusal_says_what_is_another_one(name, value, words):
    with pytest.raises(BadTallyFile, match=words):
        listed().read_noise({**noises()[0], name: value}, 1)
    with pytest.raises(BadTallyFile, match=words):
        totals().read_share({**shares()[0], name: value}, 1)


def test_a_share_of_other_noise_says_so():
    other = NoisyTotals(listed(), (noises()[0], listed().noise_file(2, [0, 0, 0])))
    with pytest.raises(BadTallyFile, match="other noise files"):
        other.read_share(shares()[0], 1)


def test_what_was_proved_before_is_not_proved_again_and_opens_the_same():
    checked = tuple(tuple(listed().read_noise(noises()[n - 1], n)) for n in (1, 2))
    again = NoisyTotals(listed(), noises(), checked)
    assert again.counts(shares()) == totals().counts(shares())


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 10**5, b" " * 1_000_001])
def test_what_is_no_file_of_a_tally_is_refused(content):
    with pytest.raises(BadTallyFile, match="does not belong to a count of locked answers"):
        read_json(content)


@pytest.mark.parametrize("files", [noises, shares])
def test_a_file_that_lacks_something_or_has_more_is_refused(files):
    whole = files()[0]
    lacking = [{key: whole[key] for key in whole if key != name} for name in whole]
    for one in (*lacking, {**whole, "more": 1}, [], "noise", None, 5):
        given = (one, files()[1])
        with pytest.raises(TrustRefusal):
            _ = NoisyTotals(listed(), given) if files is noises else totals().counts(given)


@pytest.mark.parametrize("files", [noises, shares])
def test_a_cell_that_was_changed_in_one_bit_is_refused(files):
    whole = files()[0]
    content = bytes.fromhex(whole["cells"][1])
    for forged in changed(content, range(0, len(content), len(content) // 12)):
        cells = [whole["cells"][0], forged.hex(), whole["cells"][2]]
        given = ({**whole, "cells": cells}, files()[1])
        with pytest.raises(TrustRefusal):
            _ = NoisyTotals(listed(), given) if files is noises else totals().counts(given)


def test_fewer_than_a_batch_are_never_opened():
    with pytest.raises(BadTallyFile, match="fewer than 4 people"):
        BallotList.of(plan(), 3, sorted(ballots()[:3]))
    BallotList.of(plan(), 4, sorted(ballots()[:4]))


@pytest.mark.parametrize("count", range(-20, 21))
def test_each_small_multiple_is_found(count):
    point = times_base(abs(count)) if count else NEUTRAL
    assert small_log(point if count >= 0 else subtract(NEUTRAL, point), -20, 20) == count


def test_several_multiples_are_found_at_once():
    numbers = [-20, 20, 0, 7, 7, -1]
    points = [
        times_base(n) if n > 0 else subtract(NEUTRAL, times_base(-n)) if n else NEUTRAL
        for n in numbers
    ]
    assert small_logs(points, -20, 20) == numbers


@pytest.mark.parametrize("count", [-21, 21, 22, 10**6])
def test_a_multiple_outside_its_bounds_is_none(count):
    point = times_base(abs(count))
    with pytest.raises(NotCounted):
        small_log(point if count > 0 else subtract(NEUTRAL, point), -20, 20)


def test_up_to_seven_trustees_have_a_joint_key_and_none_has_none():
    joint_key([trustee_of(str(number), random_number()) for number in range(7)])
    for count in (0, 8):
        with pytest.raises(BadTrustees):
            joint_key([trustee_of(str(number), random_number()) for number in range(count)])


@pytest.mark.parametrize(
    "change",
    [
        {"tally": None},
        {"tally": {}},
        {"tally": {"trustees": [], "tables": []}},
        {"batch_size": "4"},
        {"batch_size": None},
    ],
)
def test_a_document_without_a_whole_tally_is_refused(change):
    with pytest.raises(TrustRefusal):
        TallyPlan.read({**document(), **change}, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("table", True),
        ("table", 1.0),
        ("cells", 1),
        ("cells", 61),
        ("cells", "3"),
        ("cells", 3.0),
        ("sigma", "x"),
        ("sigma", "1/0"),
        ("sigma", "1e999999999"),
        ("sigma", 4),
    ],
)
def test_a_table_that_no_launch_wrote_is_refused(name, value):
    tally = document()["tally"]
    table = {**tally["tables"][0], name: value}
    with pytest.raises(TrustRefusal):
        TallyPlan.read({**document(), "tally": {**tally, "tables": [table]}}, 1)


@pytest.mark.parametrize("number", [0, 2, "1", None])
def test_a_table_that_there_is_not_is_refused(number):
    with pytest.raises(TrustRefusal):
        TallyPlan.read(document(), number)


def test_all_secrets_together_open_and_are_not_in_any_file():
    written = "".join(str(one) for one in (*noises(), *shares()))
    for secret in secrets_of(2):
        assert secret.to_bytes(32, "little").hex() not in written
