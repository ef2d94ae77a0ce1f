"""Which questions one person is asked: every subset of a size is equally likely."""

import itertools
import math
import random
from fractions import Fraction

import pytest

from tests.randomized_response.drawing import DieSubset, draw_subset
from tests.randomized_response.errors import SamplingError

SMALL = [(size, count) for size in range(2, 8) for count in range(1, size)]


def law_of_the_die(rule: DieSubset) -> dict[frozenset[int], Fraction]:
    """Every way in which the die may fall, with repeats and other results thrown again."""
    sides = itertools.product("123456", repeat=rule.throws)
    named = [rule.place_of("".join(result)) for result in sides]
    law: dict[frozenset[int], Fraction] = {frozenset(): Fraction(1)}
    for _ in range(rule.drawn):
        after: dict[frozenset[int], Fraction] = {}
        for drawn, chance in law.items():
            fresh = [place for place in named if place is not None and place not in drawn]
            for place in fresh:
                key = drawn | {place}
                after[key] = after.get(key, Fraction(0)) + chance / len(fresh)
        law = after
    if not rule.leaves_out:
        return law
    return {frozenset(range(rule.size)) - drawn: chance for drawn, chance in law.items()}


@pytest.mark.parametrize(("size", "count"), [*SMALL, (10, 3), (37, 2)])
def test_the_die_draws_every_subset_equally_often(size, count):
    law = law_of_the_die(DieSubset(size, count))
    assert len(law) == math.comb(size, count)
    assert set(law.values()) == {Fraction(1, math.comb(size, count))}
    assert all(len(drawn) == count for drawn in law)


@pytest.mark.parametrize("size", [2, 3, 6, 7, 10, 36, 37, 60, 200])
def test_the_results_of_all_places_are_equally_many_and_in_order(size):
    rule = DieSubset(size, 1)
    named = ["".join(sides) for sides in itertools.product("123456", repeat=rule.throws)]
    places = [rule.place_of(result) for result in named]
    assert [places.count(place) for place in range(size)] == [rule.share] * size
    assert sorted(p for p in places if p is not None) == [p for p in places if p is not None]
    for place in range(size):
        first, last = rule.results(place)
        within = named[named.index(first) : named.index(last) + 1]
        assert within == [result for result in named if rule.place_of(result) == place]


def test_the_expected_number_of_throws_is_what_people_need():
    rule = DieSubset(10, 3)
    chance = random.Random(7)
    trials = 4000
    throws = []
    for _ in range(trials):
        drawn: set[int] = set()
        used = 0
        while len(drawn) < rule.drawn:
            used += rule.throws
            place = rule.place_of("".join(chance.choice("123456") for _ in range(rule.throws)))
            drawn |= {place} - {None}
        throws.append(used)
    mean = sum(throws) / trials
    spread = math.sqrt(sum((used - mean) ** 2 for used in throws) / trials**2)
    assert abs(mean - rule.expected_throws) < 5 * spread


@pytest.mark.parametrize(("size", "count"), SMALL[:10])
def test_a_browser_draws_every_subset_equally_often(size, count):
    """Over all words that its generator can give, with those above the bounds left out."""
    bounds = [range(size - first) for first in range(count)]
    drawn = [draw_subset(size, count, words) for words in itertools.product(*bounds)]
    assert len(set(drawn)) == math.comb(size, count)
    assert {drawn.count(one) for one in drawn} == {math.factorial(count)}


def test_a_word_above_the_bound_is_thrown_away():
    assert draw_subset(3, 1, [2**32 - 1, 1]) == {1}
    with pytest.raises(SamplingError, match="ran out"):
        draw_subset(3, 2, [1])


@pytest.mark.parametrize(("size", "count"), [(3, 3), (3, 0), (1, 1), (2, 5)])
def test_a_draw_leaves_something_out(size, count):
    with pytest.raises(SamplingError):
        DieSubset(size, count)
    with pytest.raises(SamplingError):
        draw_subset(size, count, [0] * 9)
