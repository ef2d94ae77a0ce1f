import pytest

from tests.randomized_response.designs.words import WORDS, WordStream, acceptance_bound
from tests.randomized_response.errors import SamplingError


def test_a_word_above_the_bound_is_thrown_away_and_counted() -> None:
    stream = WordStream([WORDS - 1, acceptance_bound(3), acceptance_bound(3) - 1])
    assert stream.below(3) == 2
    assert stream.used == 3


def test_one_stream_serves_draws_of_different_sizes_in_turn() -> None:
    stream = WordStream(iter([7, 7, 7]))
    assert [stream.below(5), stream.below(2), stream.below(WORDS)] == [2, 1, 7]


def test_a_stream_that_runs_out_says_how_many_words_were_used() -> None:
    with pytest.raises(SamplingError, match="words = 2 cannot be used"):
        WordStream([WORDS - 1, WORDS - 1]).below(3)


@pytest.mark.parametrize("word", [-1, WORDS, 0.5, "1", None, True])
def test_what_is_no_word_is_refused(word) -> None:
    with pytest.raises(SamplingError):
        WordStream([word]).below(3)
