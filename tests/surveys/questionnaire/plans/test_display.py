"""Showing promising items more often: what the law promises, by closed forms and simulation."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from surveys.questionnaire.plans.display import (
    EVEN_BATCHES,
    EVEN_RESPONSES,
    EVEN_SHARE,
    DisplayLaw,
    learn_law,
    learns_anew,
)
from surveys.randomized_response.designs import Channel, KAry
from surveys.randomized_response.errors import CountsError


@pytest.fixture
def rng() -> np.random.Generator:
    """Other chance in every run: a test that a lucky seed would pass says nothing."""
    return np.random.default_rng()


ALIKE = DisplayLaw(np.zeros(4), np.ones(4))


def certain(items: int) -> DisplayLaw:
    """The law to which the last items are surely the best: only even draws show the others."""
    return DisplayLaw(np.arange(items, dtype=float), np.full(items, 1e-9))


# ---- What is drawn -----------------------------------------------------------------------------


@pytest.mark.parametrize("shown", [1, 2, 3, 4])
def test_different_items_of_the_catalogue_are_drawn(rng, shown):
    for law in (ALIKE, certain(4)):
        for _ in range(50):
            drawn = law.draw(shown, rng)
            assert len(set(drawn)) == shown
            assert set(drawn) <= {1, 2, 3, 4}


@pytest.mark.parametrize("shown", [0, -1, 5])
def test_more_items_than_there_are_cannot_be_drawn(rng, shown):
    with pytest.raises(CountsError, match=r"shown = .* show between 1 and 4 items"):
        ALIKE.draw(shown, rng)


def test_the_worst_item_keeps_exactly_its_even_share(rng):
    """The worst of 10 is shown on EVEN_SHARE * 3 / 10 of the pages, the best nearly always.

    Exact, because nothing but even draws shows the worst: 6 % of 20,000 pages. The comparison
    fails a sound draw with probability 6e-7 (5 sigma).
    """
    pages, law, shown = 20_000, certain(10), 3
    worst = sum(1 in law.draw(shown, rng) for _ in range(pages))
    share = EVEN_SHARE * shown / 10
    assert abs(worst / pages - share) < 5 * math.sqrt(share * (1 - share) / pages)


def test_items_that_nothing_tells_apart_are_shown_equally_often_in_every_order(rng):
    """A fair draw fails with probability 1e-7."""
    pairs = np.zeros((4, 4))
    for _ in range(6000):
        one, two = ALIKE.draw(2, rng)
        pairs[one - 1, two - 1] += 1
    assert np.trace(pairs) == 0
    assert stats.chisquare(pairs[~np.eye(4, dtype=bool)]).pvalue > 1e-7


def test_the_place_on_the_page_does_not_tell_which_item_is_thought_better(rng):
    """5 sigma of a fair coin."""
    first = sum(certain(2).draw(2, rng) == [2, 1] for _ in range(4000))
    assert abs(first - 2000) < 5 * math.sqrt(1000)


def test_an_item_is_drawn_as_often_as_it_is_likely_to_be_the_best(rng):
    """Two items, one shown: P(A beats B) under normal posteriors, mixed with the even share."""
    law = DisplayLaw(np.array([0.5, 0.6]), np.array([0.1, 0.2]))
    beats = stats.norm.cdf((0.6 - 0.5) / math.hypot(0.1, 0.2))
    expected = EVEN_SHARE / 2 + (1 - EVEN_SHARE) * beats
    hits = sum(law.draw(1, rng) == [2] for _ in range(20_000))
    assert abs(hits / 20_000 - expected) < 5 * math.sqrt(expected * (1 - expected) / 20_000)


# ---- What is learned ---------------------------------------------------------------------------


def test_means_and_deviations_are_those_of_buhlmann_and_straub():
    """Two items with ratings of 0 and 1, and one without any, worked out by hand.

    Means 3/4 and 1/4 of 4 ratings each: squares within 2 * 3/4, and 1/4 for the rating more, over
    6 + 1 degrees of freedom: w = 1/4. About the mean 4 * 2/16 = 1/2; tau^2 = (1/2 - 1/4 + sqrt(2) /
    4) / 4.
    """
    law = learn_law([[1, 3], [3, 1], [0, 0]])
    between = (0.25 + math.sqrt(2) / 4) / 4
    own = 4 * between / (4 * between + 0.25)
    assert law.means == pytest.approx([0.5 + own / 4, 0.5 - own / 4, 0.5])
    spread = [between * (1 - own), between * (1 - own), between]
    assert law.deviations == pytest.approx(np.sqrt(spread))


def test_without_ratings_all_items_are_alike():
    law = learn_law(np.zeros((5, 3)))
    assert len(set(law.means)) == len(set(law.deviations)) == 1
    assert law.deviations[0] > 0


@pytest.mark.parametrize(
    "counts",
    [
        [[0, 1], [0, 0]],  # one rating in all
        [[0, 9], [0, 9]],  # all equal
        [[5, 5]],  # one item
        [[10**12, 0], [0, 10**12], [0, 0]],
        [[1, 0], [0, 1]],  # no item has two
    ],
)
def test_no_counts_make_an_order_certain(counts):
    law = learn_law(counts)
    assert np.isfinite(law.means).all()
    assert (law.deviations > 0).all()


def test_more_ratings_of_an_item_leave_less_doubt_and_less_of_the_average():
    law = learn_law([[0, 0, 20], [0, 0, 2], [0, 0, 0], [20, 0, 0], [10, 10, 10]])
    assert (np.diff(law.deviations[:3]) > 0).all()
    assert (np.diff(law.means[:3]) < 0).all()
    assert law.means.argmin() == 3


def test_who_did_not_rate_an_item_openly_says_nothing_about_it():
    given = [[1, 4, 5], [3, 3, 1]]
    declined = [[1, 4, 5, 900], [3, 3, 1, 0]]
    one, other = learn_law(given), learn_law(declined, declines=True)
    assert one.means == pytest.approx(other.means)
    assert one.deviations == pytest.approx(other.deviations)


@pytest.mark.parametrize("declines", [False, True])
def test_a_channel_that_changes_nothing_orders_as_open_ratings_do(declines):
    counts = np.array([[1, 4, 5], [3, 3, 1], [9, 0, 0]])
    padded = np.pad(counts, ((0, 0), (0, int(declines))))
    identity = Channel.k_ary(3 + declines, Fraction(1))
    ours = learn_law(padded, identity, declines=declines)
    assert ours.means.argsort().tolist() == learn_law(counts).means.argsort().tolist()


@pytest.mark.parametrize("declines", [False, True])
def test_randomized_ratings_are_learned_without_bias(declines):
    """Expected reports, so many that the prior is gone: the true order and the true distances.

    With "Not rated" distances are those of the ratio, times the common share who rate.
    """
    channel = KAry.from_epsilon(3 + declines, 2.0).channel
    rating = 0.8 if declines else 1.0
    shares = np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]])
    true = np.column_stack([rating * shares, np.full(3, 1 - rating)])[:, : 3 + declines]
    law = learn_law(1e9 * true @ channel.matrix.T, channel, declines=declines)
    worths = shares @ [0.0, 0.5, 1.0]
    assert np.diff(law.means) == pytest.approx(rating * np.diff(worths), abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([1, 2], "a row for each item"),
        (np.zeros((0, 3)), "a row for each item"),
        ([[1]], "a column for each level"),
        ([[1, -1]], "0 or more"),
        ([[1, math.nan]], "finite"),
        ([[1, math.inf]], "finite"),
    ],
)
def test_counts_that_no_survey_has_are_refused(counts, words):
    with pytest.raises(CountsError, match=words):
        learn_law(counts)


def test_counts_of_another_channel_are_refused():
    with pytest.raises(CountsError, match="give 4, one for each reported level"):
        learn_law([[1, 2, 3]], KAry.from_epsilon(4, 2.0).channel)


# ---- When it is learned ------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 5, 20, 50])
def test_a_law_stays_until_as_many_have_come_again_as_it_knows(batch):
    learned, changes = 0, []
    for responses in range(0, 100_000, batch):
        if learns_anew(responses, learned, batch):
            learned = responses
            changes.append(responses)
    first = max(EVEN_RESPONSES, EVEN_BATCHES * batch)
    assert first <= changes[0] < first + batch
    assert all(later >= 2 * earlier for earlier, later in pairwise(changes))
    assert len(changes) <= 1 + math.log2(100_000 / first)


# ---- What it is good for -----------------------------------------------------------------------


def found_the_best(rng, channel, *, people: int, adaptive: bool) -> bool:
    """One survey: 30 items on a scale of thumbs, one of them better; was it put on top?"""
    likes = np.append(np.linspace(0.2, 0.6, 29), 0.75)
    likes = likes if channel is None else channel.matrix[1] @ np.stack([1 - likes, likes])
    law, counts, learned = DisplayLaw(np.zeros(30), np.ones(30)), np.zeros((30, 2)), 0
    for person in range(people):
        if adaptive and person % 20 == 0 and learns_anew(person, learned, 20):
            law, learned = learn_law(counts, channel), person
        for number in law.draw(2, rng):
            counts[number - 1, int(rng.random() < likes[number - 1])] += 1
    return bool(learn_law(counts, channel).means.argmax() == 29)


SETTINGS = [(None, 300), (KAry.from_epsilon(2, 2.0).channel, 500)]
NAMES = ["open", "epsilon 2"]


def rate(rng, channel, *, runs: int, people: int, adaptive: bool) -> float:
    return float(
        np.mean(
            [found_the_best(rng, channel, people=people, adaptive=adaptive) for _ in range(runs)]
        )
    )


@pytest.mark.audit
@pytest.mark.parametrize(("channel", "people"), SETTINGS, ids=NAMES)
def test_the_best_of_30_items_is_found_more_often_than_by_even_display(rng, channel, people):
    """It is in 85 and 83 of 100 surveys, by even display in about 55: 5 sigma here."""
    ours = rate(rng, channel, runs=115, people=people, adaptive=True)
    even = rate(rng, channel, runs=115, people=people, adaptive=False)
    assert ours > even


@pytest.mark.audit
@pytest.mark.parametrize(("channel", "people"), SETTINGS, ids=NAMES)
def test_two_thirds_of_the_ratings_find_the_best_of_30_items_more_often(rng, channel, people):
    """1,000 surveys of each, of which the difference is 7 sigma or more."""
    ours = rate(rng, channel, runs=1000, people=people, adaptive=True)
    even = rate(rng, channel, runs=1000, people=people * 3 // 2, adaptive=False)
    print(f"\n{people} people, adaptively: {ours:.1%}; {people * 3 // 2}, evenly: {even:.1%}")
    assert ours > even
