"""Epsilon is said in odds words."""

import math

import pytest

from surveys.wording.odds import odds_words


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        (0.0, "the odds of a guess about a person change at most 1-fold"),
        (math.log(3), "the odds of a guess about a person change at most 3-fold"),
        (1.5, "the odds of a guess about a person change at most 4.48-fold"),
        (math.log(12345), "the odds of a guess about a person change at most 12,345-fold"),
        (20.0, "more than a million-fold, which is hardly any protection"),
        (math.inf, "more than a million-fold, which is hardly any protection"),
    ],
)
def test_epsilon_is_the_factor_by_which_odds_can_change(epsilon, words):
    assert words in odds_words(epsilon)
