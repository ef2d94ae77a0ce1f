"""The sentence under a published table says for whom it holds, and when nothing is gained."""

import re
from fractions import Fraction

import pytest

from surveys.randomized_response.designs import ForcedResponse, KAry, TwoCoins
from surveys.randomized_response.totals import CentralStatement, PublishedTotal, central_statement
from surveys.wording.totals import totals_words


def words(people: int) -> str:
    return totals_words(central_statement([PublishedTotal(TwoCoins(2).channel, people)]))


def test_a_large_table_tells_less_than_its_answers():
    sentence = words(1000)
    assert sentence.startswith(
        "For people who see only this table, the protection is epsilon 0.15 (the odds of a guess "
        "about a person change"
    )
    assert "1.15-fold" in sentence
    assert "except with a probability of 1e-06" in sentence
    assert "For people who see more, each answer has its own protection, epsilon 1.10." in sentence


def test_a_small_table_gains_nothing_and_says_so():
    assert words(20) == (
        "The protection against people who see only this table is no stronger than against people "
        "who see more: each answer has its own protection, epsilon 1.10 (the odds of a guess about "
        "a person change at most 3-fold)."
    )


def test_answers_that_tell_for_sure_are_no_secret_of_a_small_table():
    channel = ForcedResponse(Fraction(0), Fraction(1, 2)).channel
    sentence = totals_words(central_statement([PublishedTotal(channel, 3)]))
    assert "is no stronger than against people who see more" in sentence


def test_several_totals_tell_each_answers_own_epsilon_beside_the_sum():
    totals = [PublishedTotal(TwoCoins(2).channel, 1000)] * 5
    told = totals_words(central_statement(totals))
    assert told.startswith("For people who see only these tables, the protection is epsilon 0.3")
    assert told.endswith(
        "For people who see more, each answer has its own protection, epsilon 1.10, and all 5 "
        "answers of one person together have epsilon 5.50."
    )


def test_different_questions_tell_every_epsilon_they_have():
    channels = (KAry.from_epsilon(2, 2.0).channel, TwoCoins(2).channel, TwoCoins(2).channel)
    found = totals_words(central_statement([PublishedTotal(one, 1000) for one in channels]))
    assert found.endswith(
        "protection, epsilon 1.10 or 2.00, and all 3 answers of one person together have epsilon "
        "4.20."
    )


@pytest.mark.parametrize("epsilon", [0.0414, 0.1001, 1.0, 1.101, 2.3456])
def test_no_epsilon_is_told_as_less_than_it_is(epsilon):
    statement = CentralStatement(epsilon / 2, 0.0, 1e-6, (epsilon,))
    told = [float(one) for one in re.findall(r"epsilon ([\d.]+\d)", totals_words(statement))]
    assert epsilon / 2 <= told[0] <= epsilon / 2 + 0.01
    assert epsilon <= told[1] <= epsilon + 0.01
