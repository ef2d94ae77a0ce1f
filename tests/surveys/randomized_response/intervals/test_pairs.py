"""Two groups together: uneven channels, two-group designs, e-values against no difference."""

from math import log, sqrt

import numpy as np
import pytest

from tests.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Direct,
    TwoCoins,
    UnrelatedQuestionTwoGroups,
)
from tests.randomized_response.errors import EstimationError
from tests.randomized_response.estimates import (
    confidence_sequence_for_difference,
    estimate_distribution,
    estimate_prevalence,
    estimate_two_groups,
    evidence_of_difference,
)
from tests.randomized_response.intervals import ConfidenceSequence
from tests.randomized_response.intervals.bets import Bets
from tests.randomized_response.intervals.evidence import GroupEvidence, Mean, Proportion
from tests.randomized_response.intervals.pairs import Pair

UNEVEN = ChannelMatrix(
    Channel.from_matrix([[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]),
)


def two_coins(people: int, share: float):
    yes = round(people * (0.25 + share / 2))
    return estimate_prevalence(TwoCoins(2), [people - yes, yes])


def proportion(counts, planned: int | None = 100) -> GroupEvidence:
    """Of a group asked by two coins."""
    return Proportion(counts[1], sum(counts), -0.5, 2.0, ConfidenceSequence(planned))


def direct(counts, planned: int | None = 100) -> GroupEvidence:
    return Proportion(counts[1], sum(counts), 0.0, 1.0, ConfidenceSequence(planned))


def uneven(counts, planned: int | None = 100) -> GroupEvidence:
    return Mean(UNEVEN.channel.scores[0], np.asarray(counts, dtype=float), Bets.of(planned, 1.5))


@pytest.mark.parametrize("planned", [None, 1, 60])
@pytest.mark.parametrize(
    ("groups", "counts", "shares"),
    [
        ((proportion, direct), ([30, 14], [5, 90]), (0.1, 0.6)),
        ((direct, direct), ([9, 0], [0, 1]), (0.3, 0.01)),
        ((uneven, uneven), ([4, 9, 3], [30, 5, 20]), (0.5, 0.2)),
        ((uneven, proportion), ([1, 1, 1], [300, 100]), (0.3, 0.8)),
    ],
)
def test_at_the_truth_the_next_answer_of_either_group_gains_nothing_on_average(
    groups, counts, shares, planned
) -> None:
    def evidence(*counts) -> float:
        both = (make(count, planned) for make, count in zip(groups, counts, strict=True))
        return float(np.exp(Pair(*both, planned).log_evidence(*np.array(shares)[:, None]))[0])

    for at, (make, share) in enumerate(zip(groups, shares, strict=True)):
        after = [np.array(count) for count in counts]
        expected = 0.0
        for level, chance in enumerate(CHANCES[make](share)):
            after[at][level] += 1
            expected += chance * evidence(*after)
            after[at][level] -= 1
        assert expected == pytest.approx(evidence(*counts), rel=1e-9)


# Reports at each share; through the uneven channel the rest is shared by the other two options.
CHANCES = {
    proportion: lambda share: ((1.5 - share) / 2, (share + 0.5) / 2),
    direct: lambda share: (1 - share, share),
    uneven: lambda share: UNEVEN.channel.matrix @ [share, (1 - share) / 3, 2 * (1 - share) / 3],
}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (proportion([60, 40]), proportion([50, 50])),
        (direct([98, 2]), direct([99, 1])),
        (direct([20, 0]), proportion([30, 0])),
        (direct([3, 2]), direct([5000, 3000])),
        (uneven([30, 50, 20]), uneven([42, 38, 20])),
        (uneven([30, 50, 20]), proportion([700, 300])),
    ],
)
def test_the_least_evidence_is_that_of_the_best_of_all_shares_and_ends_hold_all(
    first, second
) -> None:
    """Against a fine grid of shares of both groups, of which none within the bound is left out."""
    pair = Pair(first, second, 100)
    shares = np.linspace(0, 1, 400)
    looks = pair.log_evidence(shares, shares)
    assert log(pair.least_evidence()) <= min(looks) + 1e-9
    assert log(pair.least_evidence()) == pytest.approx(min(looks), abs=0.02)
    most = pair.highest_difference(20.0)
    ones, twos = (np.linspace(*group.range, 60) for group in (first, second))
    one, two = np.repeat(ones, 60), np.tile(twos, 60)
    within = pair.log_evidence(one, two) <= log(20.0)
    assert (one - two)[within].max() <= most + 1e-9


@pytest.mark.parametrize(
    ("people", "largest"),
    [((500, 500), 1.65), ((100, 100), 1.75), ((2000, 2000), 1.75), ((250, 750), 1.8)],
)
def test_a_plan_pays_for_one_number_and_not_for_both_shares(people, largest) -> None:
    """Beside Wald's; two martingales multiplied have 1.85 at the plan, see the module."""
    for share in (0.2, 0.5):
        groups = [estimate_prevalence(Direct(2), [n - n * share, n * share]) for n in people]
        wald = 1.96 * sqrt(sum(share * (1 - share) / n for n in people))
        half = confidence_sequence_for_difference(*groups, planned=500).width / 2
        assert half <= largest * wald


def test_a_difference_is_left_out_exactly_where_its_evidence_says_so():
    """At every level: 0 is outside where the e-value is 1/(1 - level) or more."""
    for share in np.linspace(0.3, 0.6, 9):
        groups = [two_coins(400, share), two_coins(300, 0.3)]
        evidence = evidence_of_difference(*groups, planned=500)
        for failure in (0.2, 0.05, 0.01):
            terms = {"level": 1 - failure, "planned": 500}
            interval = confidence_sequence_for_difference(*groups, **terms)
            assert interval.contains(0) == (evidence < 1 / failure)


def test_so_it_is_of_uneven_channels_at_every_level():
    """Bets that were sized for the level would make two martingales of one."""
    for answers in ([300, 500, 200], [240, 560, 200]):
        groups = [estimate_distribution(UNEVEN, c) for c in (answers, [420, 380, 200])]
        evidence = evidence_of_difference(*groups, option=0, planned=1000)
        for failure in (1.001 / evidence, 0.999 / evidence):
            terms = {"option": 0, "level": 1 - failure, "planned": 1000}
            interval = confidence_sequence_for_difference(*groups, **terms)
            assert interval.contains(0) == (failure < 1 / evidence)


def test_18_9_points_between_634_and_1931_people_are_called_by_a_plan_for_6147():
    """4.15 standard errors through two coins; at 99 %, as one pair of five, a flat law keeps 0."""
    groups = [two_coins(634, 0.517), two_coins(1931, 0.328)]
    value = groups[0].prevalence - groups[1].prevalence
    assert value == pytest.approx(0.189, abs=0.001)
    one = confidence_sequence_for_difference(*groups, planned=6147 // 6)
    assert one.low > 0.02
    five = {"level": 0.99}
    assert confidence_sequence_for_difference(*groups, **five).contains(0)
    assert not confidence_sequence_for_difference(*groups, **five, planned=6147 // 6).contains(0)


def test_evidence_is_at_most_1_on_average_where_groups_do_not_differ():
    """Exactly, over all counts of two groups of 12, for several shares of both."""
    n, likely = 12, {}
    for one in range(n + 1):
        for other in range(one + 1):
            groups = [estimate_prevalence(TwoCoins(2), [n - k, k]) for k in (one, other)]
            likely[one, other] = evidence_of_difference(*groups, planned=20)
    for share in (0.25, 0.4, 0.6):
        chances = [_binomial(n, k, share) for k in range(n + 1)]
        expected = sum(
            chances[i] * chances[j] * likely[max(i, j), min(i, j)]
            for i in range(n + 1)
            for j in range(n + 1)
        )
        assert expected <= 1 + 1e-9


def _binomial(n: int, k: int, share: float) -> float:
    from math import comb

    return comb(n, k) * share**k * (1 - share) ** (n - k)


def test_of_uneven_channels_it_is_narrower_than_two_intervals_subtracted():
    counts = ([300, 500, 200], [420, 380, 200])
    one, other = (estimate_distribution(UNEVEN, count) for count in counts)
    together = confidence_sequence_for_difference(one, other, option=0, planned=1000)
    each = [e.interval(0, 0.975, ConfidenceSequence(1000)) for e in (one, other)]
    assert together.width < 0.95 * sum(interval.width for interval in each)
    back = confidence_sequence_for_difference(other, one, option=0, planned=1000)
    assert (together.low, together.high) == pytest.approx((-back.high, -back.low), abs=1e-6)


@pytest.mark.parametrize("planned", [None, 1, 100, 10**9])
@pytest.mark.parametrize(
    ("one", "other"),
    [([1, 0, 0], [0, 1, 0]), ([1, 0, 0], [0, 0, 1]), ([10, 0, 0], [5, 3, 2]), ([7, 0, 0],) * 2],
)
def test_answers_that_all_agree_are_no_certainty_about_an_uneven_channel(one, other, planned):
    """The lowest or highest score of all: a mean there is possible, and so are others."""
    groups = [estimate_distribution(UNEVEN, counts) for counts in (one, other)]
    evidence = evidence_of_difference(*groups, option=0, planned=planned)
    assert evidence < 20
    interval = confidence_sequence_for_difference(*groups, option=0, planned=planned)
    observed = groups[0].shares[0] - groups[1].shares[0]
    assert interval.low - 1e-9 <= observed <= interval.high + 1e-9
    assert interval.low < 0 < interval.high


@pytest.mark.parametrize("planned", [0, -3, "7", 2.5, True])
def test_a_plan_that_is_no_number_of_answers_is_refused(planned):
    with pytest.raises(EstimationError, match="planned"):
        confidence_sequence_for_difference(two_coins(9, 0.3), two_coins(9, 0.3), planned=planned)


def test_someone_who_watches_two_uneven_groups_is_misled_no_more_often_than_stated():
    """60 people who look 6 times at a difference of 0; 5 sigma above 10 %."""
    rng, misled = np.random.default_rng(91), 0
    chances = UNEVEN.channel.matrix @ [0.5, 0.2, 0.3]
    for _ in range(60):
        counts = np.zeros((2, 3), dtype=int)
        for look in (20, 40, 80, 160, 320, 640):
            more = look // 2 if look > 20 else look
            counts += rng.multinomial(more, chances, size=2)
            groups = [estimate_distribution(UNEVEN, count) for count in counts]
            if evidence_of_difference(*groups, option=0, planned=200) >= 10:
                misled += 1
                break
    assert misled <= 6 + 5 * sqrt(60 * 0.1 * 0.9)


def test_a_two_group_design_takes_the_evidence_of_both_groups_together():
    """Narrower than the box, which holds all shares together; the estimate is inside."""
    design = UnrelatedQuestionTwoGroups(p_sensitive_1=0.75, p_sensitive_2=0.25)
    estimate = estimate_two_groups(design, [380, 120], [290, 210])
    for name in ("prevalence", "other_prevalence"):
        found = estimate.interval(name, 0.95, ConfidenceSequence())
        box = _box(estimate, name)
        assert found.contains(estimate.values[name])
        assert found.width < 0.95 * (box[1] - box[0])
        planned = estimate.interval(name, 0.95, ConfidenceSequence(1000))
        assert planned.width < found.width


def _box(estimate, name: str) -> tuple[float, float]:
    """From the corners of two sequences at half the failure probability."""
    ends = [
        ConfidenceSequence().ends(counts[1], sum(counts), log(40))
        for counts in (estimate.counts_1, estimate.counts_2)
    ]
    place = estimate.names.index(name)
    values = [float(estimate.design.solve((one, two))[place]) for one in ends[0] for two in ends[1]]
    return min(values), max(values)
