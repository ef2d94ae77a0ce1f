"""A trustee draws noise once for a table and gives one share of it, whatever happens in between."""

from fractions import Fraction

import pytest

from analytics.files.trustees import KeyRecords, UsedBefore, adopt_noise, noise_file, share_file
from analytics.privacy.mechanisms import VettedNoise
from surveys.trust.keyfiles import TRUSTEE, PrivateKey, new_key
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.ballots import make_ballot
from surveys.trust.tally.files import BallotList, NoisyTotals
from surveys.trust.tally.group import as_bytes
from tests.surveys.trust.tally.tallying import ballots, listed, plan, secrets_of


class Drawn:
    """Noise that a test chooses; the first draws of this many cells each."""

    def __init__(self, *draws: list[int]) -> None:
        self.draws = list(draws)

    def drawn_within(self, sigma: Fraction, half: int, count: int) -> list[int]:
        return self.draws.pop(0)


@pytest.fixture
def records(tmp_path) -> tuple[KeyRecords, KeyRecords]:
    """Of both trustees."""
    return KeyRecords.beside(tmp_path / "a.key"), KeyRecords.beside(tmp_path / "b.key")


FIRST, SECOND = (PrivateKey(name, as_bytes(one), TRUSTEE) for name, one in
                 zip("AB", secrets_of(2), strict=True))  # fmt: skip


@pytest.fixture
def other_list() -> BallotList:
    more = sorted([*ballots(), make_ballot(plan().table, 0)])
    return BallotList.of(plan(), len(more), more)


def noises(records) -> tuple[dict, dict]:
    return (
        noise_file(FIRST, listed(), records[0], source=Drawn([5, 0, 0])),
        noise_file(SECOND, listed(), records[1], source=Drawn([-4, 1, 0])),
    )


def test_two_trustees_open_what_people_sent_and_their_noise(records):
    totals = NoisyTotals(listed(), noises(records))
    pairs = zip((FIRST, SECOND), records, strict=True)
    shares = [share_file(private, totals, own) for private, own in pairs]
    assert totals.counts(shares) == [1 + 5 - 4, 2 + 1, 3]


def test_a_second_draw_for_the_same_list_gives_the_first(records):
    first = noise_file(FIRST, listed(), records[0], source=Drawn([5, 0, 0]))
    assert noise_file(FIRST, listed(), records[0], source=Drawn([0, 0, 0])) == first


def test_another_list_of_the_same_table_gets_no_noise_and_no_share(records, other_list):
    made = noises(records)
    with pytest.raises(UsedBefore, match="another list"):
        noise_file(FIRST, other_list, records[0], source=Drawn([0, 0, 0]))
    totals = NoisyTotals(listed(), made)
    share_file(FIRST, totals, records[0])
    fresh = (KeyRecords(records[0].directory / "x"), KeyRecords(records[1].directory / "x"))
    others = NoisyTotals(
        other_list,
        (
            noise_file(FIRST, other_list, fresh[0], source=Drawn([0, 0, 0])),
            noise_file(SECOND, other_list, fresh[1], source=Drawn([0, 0, 0])),
        ),
    )
    with pytest.raises(UsedBefore):
        share_file(FIRST, others, records[0])


def test_a_total_is_not_opened_under_fresh_noise_of_another_trustee(records):
    made = noises(records)
    first = share_file(FIRST, NoisyTotals(listed(), made), records[0])
    assert share_file(FIRST, NoisyTotals(listed(), made), records[0]) == first
    elsewhere = KeyRecords(records[1].directory / "elsewhere")
    fresh = noise_file(SECOND, listed(), elsewhere, source=Drawn([0, 0, 0]))
    with pytest.raises(UsedBefore, match="This table was already opened with this key"):
        share_file(FIRST, NoisyTotals(listed(), (made[0], fresh)), records[0])


def test_no_share_without_the_noise_that_this_key_has_drawn(records):
    made = noises(records)
    bare = KeyRecords(records[0].directory / "bare")
    with pytest.raises(UsedBefore, match="less noise than was promised"):
        share_file(FIRST, NoisyTotals(listed(), made), bare)


def test_a_key_from_paper_draws_nothing_before_it_says_what_it_drew(records, tmp_path):
    made = noise_file(FIRST, listed(), records[0], source=Drawn([5, 0, 0]))
    restored = KeyRecords.beside(tmp_path / "again.key")
    restored.note_restored()
    with pytest.raises(UsedBefore, match="--no-noise-was-drawn"):
        noise_file(FIRST, listed(), restored, source=Drawn([0, 0, 0]))
    assert adopt_noise(FIRST, listed(), restored, made) == made
    assert noise_file(FIRST, listed(), restored, source=Drawn([0, 0, 0])) == made
    unused = KeyRecords.beside(tmp_path / "unused.key")
    unused.note_restored()
    noise_file(FIRST, listed(), unused, may_be_first=True, source=Drawn([1, 1, 1]))


def test_a_key_that_never_left_its_folder_adopts_no_noise(records):
    first, _ = noises(records)
    with pytest.raises(UsedBefore, match="was restored from paper"):
        adopt_noise(FIRST, listed(), KeyRecords(records[0].directory / "x"), first)


def test_a_key_has_one_record_by_each_of_its_names(tmp_path):
    (tmp_path / "a.key").write_text("")
    (tmp_path / "link.key").symlink_to(tmp_path / "a.key")
    assert KeyRecords.beside(tmp_path / "link.key") == KeyRecords.beside(tmp_path / "a.key")


def test_another_trustee_s_noise_is_not_adopted(records):
    _, second = noises(records)
    restored = KeyRecords(records[0].directory / "restored")
    restored.note_restored()
    for file in (second, {}, {**second, "trustee": 1}):
        with pytest.raises(TrustRefusal):
            adopt_noise(FIRST, listed(), restored, file)


def test_a_key_that_is_no_trustee_s_does_nothing(records):
    with pytest.raises(TrustRefusal, match="does not belong to a trustee"):
        noise_file(new_key("Stranger", TRUSTEE), listed(), records[0], source=Drawn([0, 0, 0]))


def test_of_two_runs_at_once_the_first_record_counts(records):
    """The second has drawn, and finds that the other was faster."""
    first = noise_file(FIRST, listed(), records[0], source=Drawn([5, 0, 0]))

    class Late(KeyRecords):
        def kept(self, kind, plan):
            return None

    late = Late(records[0].directory)
    assert noise_file(FIRST, listed(), late, source=Drawn([0, 0, 0])) == first


@pytest.mark.noise(fails=0, law="only that all numbers are within the range, which is enforced")
@pytest.mark.parametrize("sigma", [Fraction(1, 1000), Fraction(1, 3), Fraction(4), Fraction(10**5)])
def test_drawn_noise_stays_in_its_range(sigma):
    half = max(1, int(10 * sigma))
    drawn = VettedNoise().drawn_within(sigma, half, 60)
    assert len(drawn) == 60
    assert all(-half <= one < half for one in drawn)


@pytest.mark.noise(fails=1e-8, law="normal: mean and spread within 6 standard errors")
def test_drawn_noise_has_the_mean_and_spread_of_its_parameter():
    drawn = VettedNoise().drawn_within(Fraction(4), 64, 4000)
    mean = sum(drawn) / 4000
    assert abs(mean) < 6 * 4 / 4000**0.5
    spread = sum(one * one for one in drawn) / 4000
    assert abs(spread / 16 - 1) < 6.3 * (2 / 4000) ** 0.5
