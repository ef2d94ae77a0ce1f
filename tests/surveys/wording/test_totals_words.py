"""The sentence under a published table says for whom it holds, and when nothing is gained."""

from fractions import Fraction

from surveys.randomized_response.designs import ForcedResponse, TwoCoins
from surveys.randomized_response.totals import PublishedTotal, central_statement
from surveys.wording.totals import totals_words


def words(people: int) -> str:
    return totals_words(central_statement([PublishedTotal(TwoCoins(2).channel, people)]))


def test_a_large_table_tells_less_than_its_answers():
    sentence = words(1000)
    assert sentence.startswith("For whoever sees only this table: epsilon 0.15 (odds change")
    assert "1.15-fold" in sentence
    assert "chance of 1e-06" in sentence
    assert "For whoever sees more, each answer has its own protection, epsilon 1.10." in sentence


def test_a_small_table_gains_nothing_and_says_so():
    assert words(20) == (
        "For whoever sees only this table nothing is gained: each answer has its own protection, "
        "epsilon 1.10 (odds change at most 3-fold)."
    )


def test_answers_that_tell_for_sure_are_no_secret_of_a_small_table():
    channel = ForcedResponse(Fraction(0), Fraction(1, 2)).channel
    assert "nothing is gained" in totals_words(central_statement([PublishedTotal(channel, 3)]))
