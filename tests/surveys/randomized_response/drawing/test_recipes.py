from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given

from tests.randomized_response.designs import (
    Channel,
    Direct,
    ForcedResponse,
    ForcedResponseOptions,
    IntegerChannel,
    KAry,
    TwoCoins,
    Warner,
)
from tests.randomized_response.drawing import Device, Recipe, recipe_for
from tests.randomized_response.errors import DesignError
from tests.surveys.randomized_response.strategies import mixtures


def channel_drawn_by(recipe: Recipe, levels: int) -> Channel:
    """The channel of a person who follows the recipe, by listing every outcome."""
    outcomes: list[int | None] = [None]
    if recipe.device is not None:
        outcomes = [told(recipe, outcome) for outcome in range(1, recipe.device.value + 1)]
    if recipe.first_coin:
        outcomes = [None] * len(outcomes) + outcomes
    share = Fraction(1, len(outcomes))
    rows = [[Fraction(0)] * levels for _ in range(levels)]
    for true in range(levels):
        for outcome in outcomes:
            rows[true if outcome is None else outcome][true] += share
    return Channel.from_matrix(rows)


def told(recipe: Recipe, outcome: int) -> int | None:
    (level,) = [
        level
        for level, ranges in recipe.assignments
        if any(first <= outcome <= last for first, last in ranges)
    ]
    return level


def stored(design) -> IntegerChannel:
    return design.channel.integer_weights()


def test_two_coins_for_yes_and_no_are_a_coin_and_a_coin() -> None:
    expected = Recipe(True, Device.COIN, ((0, ((1, 1),)), (1, ((2, 2),))))
    assert recipe_for(stored(TwoCoins(2))) == expected
    assert recipe_for(stored(Warner(Fraction(3, 4)))) == expected


def test_two_coins_with_three_options_are_a_coin_and_a_die() -> None:
    assert recipe_for(stored(TwoCoins(3)), order=(1, 0, 2)) == Recipe(
        True, Device.DIE, ((1, ((1, 2),)), (0, ((3, 4),)), (2, ((5, 6),)))
    )


def test_a_die_alone_when_the_truth_is_not_told_half_of_the_time() -> None:
    assert recipe_for(stored(Warner(Fraction(5, 6)))) == Recipe(
        False, Device.DIE, ((None, ((1, 4),)), (0, ((5, 5),)), (1, ((6, 6),)))
    )


def test_a_direct_question_needs_no_device() -> None:
    assert recipe_for(stored(Direct(3))) == Recipe(False, None, ((None, ()),))


def test_one_coin_is_enough_when_only_one_answer_is_forced() -> None:
    assert recipe_for(stored(ForcedResponse(Fraction(1, 2), 0))) == Recipe(
        False, Device.COIN, ((None, ((1, 1),)), (1, ((2, 2),)))
    )


NONE = {
    "not a mixture": Channel.from_matrix(
        [
            [Fraction(1, 2), Fraction(1, 4), Fraction(0)],
            [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)],
            [Fraction(1, 4), Fraction(1, 4), Fraction(3, 4)],
        ]
    ),
    "the truth less often than chance": Warner(Fraction(1, 4)).channel,
    "no device has these odds": KAry.from_epsilon(2, 1.0).channel,
    "sevenths": ForcedResponse(Fraction(1, 7), Fraction(1, 7)).channel,
    "more reported than true levels": Channel.from_matrix(
        [[Fraction(1, 2), 0], [0, Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2)]]
    ),
}


@pytest.mark.parametrize("channel", NONE.values(), ids=NONE.keys())
def test_a_channel_that_no_handy_device_draws_has_no_recipe(channel) -> None:
    assert recipe_for(channel.integer_weights()) is None


@pytest.mark.parametrize("order", [(0,), (0, 0), (0, 2), (0, 1, 2)])
def test_an_order_that_does_not_list_every_level_once_is_refused(order) -> None:
    with pytest.raises(DesignError, match="order"):
        recipe_for(stored(TwoCoins(2)), order=order)


EXACT = [
    *(TwoCoins(options) for options in (2, 3, 4, 5, 6, 9, 10, 18)),
    *(Warner(Fraction(n, d)) for n, d in ((2, 3), (3, 4), (4, 5), (5, 6), (7, 10), (99, 100))),
    ForcedResponse(Fraction(1, 6), Fraction(1, 3)),
    ForcedResponse(Fraction(1, 36), Fraction(5, 36)),
    ForcedResponse(Fraction(3, 8), Fraction(1, 8)),
    ForcedResponse(Fraction(1, 1000), Fraction(0)),
    ForcedResponseOptions((Fraction(1, 10), Fraction(0), Fraction(2, 10))),
    ForcedResponseOptions((Fraction(1, 4), Fraction(1, 8), Fraction(1, 8))),
    KAry(3, Fraction(4, 5)),
    KAry(5, Fraction(1, 2)),
]


@pytest.mark.parametrize("design", EXACT, ids=lambda d: d.label)
def test_following_the_recipe_draws_exactly_the_channel(design) -> None:
    for order in (range(design.options), range(design.options - 1, -1, -1)):
        recipe = recipe_for(stored(design), tuple(order))
        assert recipe is not None
        assert channel_drawn_by(recipe, design.options) == design.channel


@given(mixtures())
def test_whatever_recipe_is_offered_it_is_exact(design) -> None:
    recipe = recipe_for(stored(design))
    if recipe is not None:
        assert channel_drawn_by(recipe, design.options) == design.channel


@given(mixtures())
def test_outcomes_are_assigned_without_gaps_from_one_to_the_size_of_the_device(design) -> None:
    recipe = recipe_for(stored(design))
    if recipe is not None and recipe.device is not None:
        ranges = [r for _, several in recipe.assignments for r in several]
        assert ranges[0][0] == 1
        assert ranges[-1][1] == recipe.device.value
        assert all(after[0] == before[1] + 1 for before, after in pairwise(ranges))


def test_the_handiest_device_is_tried_first() -> None:
    assert [device.value for device in Device] == sorted(device.value for device in Device)
