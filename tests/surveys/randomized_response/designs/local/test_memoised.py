import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.randomized_response.designs import (
    GRR,
    LGRR,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    MemoisedClient,
    Support,
)
from tests.randomized_response.errors import (
    DesignError,
    EstimationError,
    ReportError,
    SamplingError,
)
from tests.surveys.randomized_response.designs.local.laws import (
    EveryDraw,
    exact_largest_ratio,
    expected_counts,
    law_over_every_draw,
)

UNARY = [LSUE, LOUE, LOSUE, LSOUE]
EVERY = [*UNARY, LGRR]
HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
# (protocol, combinations of the permanent draw, of one report)
SMALL = [
    (LSUE(2, Support(3 * QUARTER, QUARTER), Support(3 * QUARTER, QUARTER)), 16, 16),
    (LOUE(2, Support(HALF, QUARTER), Support(HALF, QUARTER)), 16, 16),
    (LOSUE(2, Support(HALF, QUARTER), Support(2 * THIRD, THIRD)), 16, 9),
    (LSOUE(3, Support(3 * QUARTER, QUARTER), Support(HALF, Fraction(0))), 64, 8),
    (LGRR(3, HALF, 2 * THIRD), 4, 6),
    (LGRR(4, 2 * THIRD, HALF), 9, 6),
]


def report_laws(protocol, permanent: int, once: int, reports: int = 1):
    def several(levels, rng):
        kept = protocol.memoise(levels, rng)
        every = [protocol.report(kept, rng) for _ in range(reports)]
        return np.stack([np.reshape(r, (len(levels), -1)) for r in every], axis=1)

    combinations = permanent * once**reports
    return [law_over_every_draw(several, v, combinations) for v in range(protocol.options)]


@pytest.mark.parametrize(("protocol", "permanent", "once"), SMALL, ids=str)
def test_all_draws_give_exactly_the_stated_support_and_epsilon(protocol, permanent, once) -> None:
    laws = report_laws(protocol, permanent, once)
    assert exact_largest_ratio(laws) == protocol.largest_ratio
    dtype = np.int64 if isinstance(protocol, LGRR) else np.uint8
    shape = (1,) if isinstance(protocol, LGRR) else (1, -1)
    for level, law in enumerate(laws):
        expected = [protocol.support.if_other] * protocol.options
        expected[level] = protocol.support.if_true
        read = law.items()
        found = expected_counts(
            dict(read),
            lambda r: protocol.supports(np.array(r, dtype=dtype).reshape(shape))[0].tolist(),
        )
        assert found == expected


@pytest.mark.parametrize(("protocol", "permanent", "once"), SMALL, ids=str)
def test_the_limit_is_the_largest_ratio_of_the_permanent_answers(protocol, permanent, once) -> None:
    laws = [law_over_every_draw(protocol.memoise, v, permanent) for v in range(protocol.options)]
    assert exact_largest_ratio(laws) == protocol.limit_ratio


@pytest.mark.parametrize(
    ("protocol", "permanent", "once"), [SMALL[0], SMALL[1], SMALL[2], SMALL[4], SMALL[5]], ids=str
)
def test_the_loss_of_two_reports_is_that_of_the_exact_law_of_both(
    protocol, permanent, once
) -> None:
    laws = report_laws(protocol, permanent, once, reports=2)
    assert protocol.epsilon_after(2) == pytest.approx(math.log(exact_largest_ratio(laws)))


@pytest.mark.parametrize("protocol", EVERY)
def test_the_loss_grows_from_one_report_to_the_limit_and_never_beyond(protocol) -> None:
    built = protocol.from_epsilons(4, 0.5, 2.0)
    losses = [built.epsilon_after(m) for m in (1, 2, 5, 50, 10**6)]
    assert losses[0] == pytest.approx(built.epsilon, abs=1e-12)
    assert losses == sorted(losses)
    assert losses[-1] == pytest.approx(built.limit_epsilon, abs=1e-12)


@pytest.mark.parametrize("protocol", EVERY)
@pytest.mark.parametrize("limit", [0.7, 1.1, 2.0, 5.0])
def test_no_rounding_lifts_the_loss_above_its_limit(protocol, limit) -> None:
    for options in (2, 5, 10):
        built = protocol.from_epsilons(options, limit / 2, limit)
        assert all(built.epsilon_after(m) <= built.limit_epsilon for m in (5, 50, 10**6))


def test_ten_reports_have_used_up_the_second_round() -> None:
    assert LSUE.from_epsilons(20, 1.0, 2.0).epsilon_after(10) == pytest.approx(1.99996, abs=1e-5)


def test_several_reports_can_lose_more_than_as_many_times_the_loss_of_one() -> None:
    built = LOUE.from_epsilons(5, 1.0, 50.0)
    assert built.epsilon_after(3) == pytest.approx(3.44, abs=5e-3)
    small = LOUE(2, Support(HALF, Fraction(0)), Support(HALF, QUARTER))
    two = exact_largest_ratio(report_laws(small, 4, 16, reports=2))
    assert two > small.largest_ratio**2


@given(st.sampled_from(EVERY), st.integers(2, 30), st.floats(0.2, 8), st.floats(0.05, 0.6))
def test_both_stated_losses_are_kept_and_used(protocol, options, limit, share) -> None:
    assume(share * limit < most_of_one_report(protocol, limit))
    built = protocol.from_epsilons(options, share * limit, limit)
    assert built.largest_ratio <= 1 + Fraction(math.expm1(share * limit))
    assert built.limit_ratio <= 1 + Fraction(math.expm1(limit))
    assert built.epsilon == pytest.approx(share * limit, abs=1e-6)
    assert built.limit_epsilon == pytest.approx(limit, abs=1e-9)


def most_of_one_report(protocol, limit: float) -> float:
    """With no noise on zeros, a second round with p2 = 1/2 still halves the ones."""
    p, q = {
        LOUE: (1 / 2, 1 / (1 + math.exp(limit))),
        LSOUE: (1 / (1 + math.exp(-limit / 2)), 1 / (1 + math.exp(limit / 2))),
    }.get(protocol, (math.nan, math.nan))
    halved = math.log(p / q * (2 - q) / (2 - p))
    return limit if math.isnan(halved) else halved


@pytest.mark.parametrize("protocol", [LOUE, LSOUE])
def test_a_loss_that_no_second_round_reaches_is_refused_with_the_most_that_one_reaches(
    protocol,
) -> None:
    most = most_of_one_report(protocol, 7.0)
    with pytest.raises(DesignError, match=re.escape(f"must lose less than {most:.6g}")):
        protocol.from_epsilons(4, most + 1e-6, 7.0)
    built = protocol.from_epsilons(4, most - 1e-6, 7.0)
    assert built.epsilon == pytest.approx(most - 1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("protocol", "p1", "q1", "p2", "q2"),
    [
        (LSUE, 0.7310585786300049, 0.2689414213699951, 0.7649962877984054, 0.23500371220159455),
        (LOUE, 0.5, 0.11920292202211755, 0.5, 0.08093661859147158),
        (LOSUE, 0.5, 0.11920292202211755, 0.803388066758518, 0.19661193324148196),
        (LSOUE, 0.7310585786300049, 0.2689414213699951, 0.5, 0.07202418150284687),
    ],
)
def test_calibration_at_1_and_2_gives_the_published_probabilities(protocol, p1, q1, p2, q2) -> None:
    built = protocol.from_epsilons(5, 1.0, 2.0)
    first, second = built.permanent, built.instantaneous
    found = [first.if_true, first.if_other, second.if_true, second.if_other]
    assert [float(p) for p in found] == pytest.approx([p1, q1, p2, q2], abs=1e-6)


@given(st.integers(2, 20), st.floats(0.2, 6), st.floats(0.05, 0.9))
def test_the_chain_of_two_k_ary_channels_is_their_matrix_product(options, limit, share) -> None:
    built = LGRR.from_epsilons(options, share * limit, limit)
    first = GRR(options, built.p_permanent).design.channel.matrix
    second = GRR(options, built.p_instantaneous).design.channel.matrix
    chain = second @ first
    assert float(built.support.if_true) == pytest.approx(chain[0, 0], rel=1e-12)
    assert float(built.support.if_other) == pytest.approx(chain[0, 1], rel=1e-12)


@pytest.mark.parametrize("protocol", EVERY)
def test_a_client_keeps_its_permanent_answer_and_blurs_it_afresh_for_every_report(protocol) -> None:
    rng = np.random.default_rng(50)
    client = protocol.from_epsilons(9, 0.5, 2.0).client()
    reports = {np.ravel(client.report(3, rng)).tobytes() for _ in range(60)}
    kept = dict(client.kept)
    assert list(kept) == [3]
    assert len(reports) > 1
    client.report(3, rng)
    client.report(5, rng)
    assert client.kept[3] == kept[3]
    assert client.limit_epsilon == pytest.approx(2 * client.protocol.limit_epsilon)


@pytest.mark.parametrize("protocol", EVERY)
def test_a_memory_written_down_and_read_again_gives_the_same_reports(protocol) -> None:
    built = protocol.from_epsilons(9, 0.5, 2.0)
    client = built.client()
    client.report(3, np.random.default_rng(51))
    again = MemoisedClient(built, dict(client.kept))
    one, other = (c.report(3, np.random.default_rng(52)) for c in (client, again))
    assert (one == other).all()


@pytest.mark.parametrize("protocol", EVERY)
@pytest.mark.parametrize("code", ["", "zz", "99", "ffff", "-1", "٣", None, 3, "9" * 40])
def test_a_kept_code_that_is_no_permanent_answer_is_refused(protocol, code) -> None:
    client = MemoisedClient(protocol.from_epsilons(9, 0.5, 2.0), {3: code})
    with pytest.raises(ReportError):
        client.report(3, np.random.default_rng(53))


def test_a_client_refuses_an_option_that_does_not_exist_and_keeps_nothing_for_it() -> None:
    client = LSUE.from_epsilons(9, 0.5, 2.0).client()
    with pytest.raises(SamplingError):
        client.report(9, np.random.default_rng(54))
    assert client.kept == {}


@pytest.mark.parametrize("protocol", EVERY)
@pytest.mark.parametrize(
    ("epsilon", "limit"), [(2.0, 2.0), (3.0, 2.0), (0, 1.0), (1.0, math.nan), (math.nan, 1.0)]
)
def test_losses_that_cannot_be_had_together_are_refused(protocol, epsilon, limit) -> None:
    with pytest.raises(DesignError) as refused:
        protocol.from_epsilons(5, epsilon, limit)
    assert refused.value.argument == "epsilon"


def test_two_optimised_rounds_cannot_come_close_to_the_limit_and_say_so() -> None:
    with pytest.raises(DesignError, match="must lose less than"):
        LOUE.from_epsilons(5, 1.95, 2.0)


@pytest.mark.parametrize("protocol", EVERY)
def test_no_reports_have_no_loss_to_speak_of(protocol) -> None:
    with pytest.raises(EstimationError):
        protocol.from_epsilons(5, 0.5, 2.0).epsilon_after(0)


def test_rounds_that_lie_more_often_than_not_are_refused() -> None:
    with pytest.raises(DesignError) as refused:
        LGRR(5, Fraction(1, 10), HALF)
    assert refused.value.argument == "p_permanent"


def test_every_combination_is_drawn_once() -> None:
    rng = EveryDraw()
    pairs = zip(rng.integers(0, 3, size=12), rng.integers(0, 4, size=12), strict=True)
    assert len(set(pairs)) == 12
