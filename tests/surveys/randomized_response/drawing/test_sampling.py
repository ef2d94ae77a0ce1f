import json
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.randomized_response.designs import (
    IntegerChannel,
    KAry,
    OptimisedScale,
    Purpose,
    TwoCoins,
)
from tests.randomized_response.drawing import draw_from_words, draw_reports
from tests.randomized_response.drawing.sampling import acceptance_bound
from tests.randomized_response.errors import SamplingError
from tests.surveys.randomized_response.drawing.make_golden_vectors import (
    GOLDEN,
    as_launched,
    vectors,
)

VECTORS = json.loads(GOLDEN.read_text(encoding="utf-8"))


def channel_of_vector(vector) -> IntegerChannel:
    return IntegerChannel(tuple(map(tuple, vector["weights"])), vector["denominator"])


def test_the_golden_file_is_what_its_script_writes() -> None:
    assert vectors() == VECTORS


def test_the_golden_scale_is_the_optimised_one_to_four_digits() -> None:
    found, frozen = OptimisedScale(7, Purpose.CDF, 1.0986).integer_channel, as_launched()
    shares = [np.array(one.weights) / one.denominator for one in (found, frozen)]
    np.testing.assert_allclose(shares[0], shares[1], atol=1e-4)
    assert frozen.largest_ratio <= Fraction(math.exp(1.0986))


def test_the_golden_file_holds_rejected_words_and_the_awkward_denominators() -> None:
    assert {v["denominator"] for v in VECTORS} >= {3, 4, 6, 10, 2**32 - 1, 2**32}
    rejecting = {v["denominator"] for v in VECTORS if v["words_used"] > 1}
    assert rejecting == {3, 6, 10, 2**32 - 1}


@pytest.mark.parametrize("channel", sorted({v["channel"] for v in VECTORS}))
def test_draws_equal_the_golden_vectors(channel) -> None:
    for vector in (v for v in VECTORS if v["channel"] == channel):
        drawn = draw_from_words(channel_of_vector(vector), vector["true_level"], vector["words"])
        assert drawn == (vector["reported"], vector["words_used"]), vector["words"]


@pytest.mark.parametrize("denominator", [1, 2, 3, 6, 10, 2**31 + 1, 2**32 - 1, 2**32])
def test_the_acceptance_bound_is_the_largest_multiple_that_fits_and_keeps_over_half(
    denominator,
) -> None:
    bound = acceptance_bound(denominator)
    assert bound % denominator == 0
    assert bound <= 2**32 < bound + denominator
    assert bound * 2 >= 2**32


@pytest.mark.parametrize("channel", [TwoCoins(2), TwoCoins(3), KAry(4, Fraction(7, 10))])
def test_every_threshold_once_gives_exactly_the_weights(channel) -> None:
    stored = channel.channel.integer_weights()
    for level, weights in enumerate(stored.weights):
        drawn = [draw_from_words(stored, level, [u])[0] for u in range(stored.denominator)]
        assert tuple(drawn.count(y) for y in range(len(weights))) == weights


@pytest.mark.parametrize(
    ("level", "words"),
    [(0, []), (0, [2**32]), (0, [-1]), (0, [0.5]), (2, [0]), (-1, [0]), ("0", [0])],
)
def test_a_draw_that_cannot_be_made_is_refused(level, words) -> None:
    with pytest.raises(SamplingError):
        draw_from_words(TwoCoins(2).channel.integer_weights(), level, words)


def test_running_out_of_words_is_an_error_not_a_biased_report() -> None:
    with pytest.raises(SamplingError, match="supply more"):
        draw_from_words(TwoCoins(3).channel.integer_weights(), 0, [2**32 - 1] * 3)


def test_many_draws_follow_the_channel_within_five_standard_errors() -> None:
    rng = np.random.default_rng(7)
    n = 200_000
    for design in (TwoCoins(3), KAry.from_epsilon(4, 1.0)):
        stored = design.channel.integer_weights()
        for level, reported in product(range(design.options), range(design.options)):
            drawn = draw_reports(stored, np.full(n, level), rng)
            p = float(stored.channel.matrix[reported, level])
            assert abs((drawn == reported).mean() - p) < 5 * np.sqrt(p * (1 - p) / n)


def test_vectorised_draws_follow_the_denominator_that_rejects_almost_half_of_the_words() -> None:
    denominator = 2**31 + 1
    stored = IntegerChannel(((2**30, 2**30 + 1), (1, 2**31)), denominator)
    drawn = draw_reports(stored, [0] * 50_000 + [1] * 50_000, np.random.default_rng(3))
    assert abs(drawn[:50_000].mean() - 0.5) < 5 * 0.5 / np.sqrt(50_000)
    assert drawn[50_000:].all()


def test_vectorised_draws_refuse_unknown_levels_and_accept_none_at_all() -> None:
    stored = TwoCoins(2).channel.integer_weights()
    rng = np.random.default_rng(0)
    assert draw_reports(stored, [], rng).shape == (0,)
    for levels in ([2], [-1], [0.5], [[0]]):
        with pytest.raises(SamplingError):
            draw_reports(stored, levels, rng)
