"""Sample sizes by power are exact: from them on the power never falls below the one wanted."""

import math
import time
from fractions import Fraction

import pytest

from tests.randomized_response.designs import (
    OUE,
    Crosswise,
    Direct,
    ForcedResponse,
    KAry,
    Kuk,
    UnrelatedQuestion,
    Warner,
)
from tests.randomized_response.errors import PlanError
from tests.randomized_response.planning import (
    exact_power,
    exact_power_two_samples,
    power_one_sample,
    power_two_samples,
    sample_size_one_sample,
    sample_size_two_samples,
)

SIXTHS = ForcedResponse(Fraction(1, 6), Fraction(1, 6))
DESIGNS = {
    "warner": Warner(Fraction(3, 4)),
    "forced": SIXTHS,
    "unrelated": UnrelatedQuestion(Fraction(7, 10), Fraction(1, 4)),
    "crosswise": Crosswise(Fraction(1, 4)),
    "k-ary": KAry(4, Fraction(3, 5)),
}
each_design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
each_power = pytest.mark.parametrize("power", [0.8, 0.9])


@each_power
@each_design
def test_one_sample_has_its_power_from_then_on_and_hardly_more(design, power) -> None:
    question = {"share": 0.3, "null_share": 0.2}
    plan = sample_size_one_sample(design, power=power, **question)
    powers = [exact_power(design, n=plan.n + more, **question).power for more in range(-1, 150)]
    assert plan.is_exact
    assert plan.power == pytest.approx(powers[1], abs=1e-12)
    assert powers[0] < power <= min(powers[1:])
    assert plan.power <= power + 0.02


@each_power
@each_design
def test_two_samples_have_their_power_from_then_on_and_hardly_more(design, power) -> None:
    question = {"share": 0.3, "other_share": 0.1}
    plan = sample_size_two_samples(design, power=power, **question)
    powers = [
        exact_power_two_samples(design, n=plan.n + more, **question) for more in range(-1, 100)
    ]
    assert plan.is_exact
    assert plan.power == pytest.approx(powers[1], abs=1e-12)
    assert powers[0] < power <= min(powers[1:])
    assert plan.power <= power + 0.02


@pytest.mark.parametrize(
    ("design", "n", "share", "null_share", "power"),
    [
        (SIXTHS, 383, 0.3, 0.2, 0.768202496499721),
        (SIXTHS, 411, 0.3, 0.2, 0.798973867833235),
        (SIXTHS, 412, 0.3, 0.2, 0.809139098953096),
        (DESIGNS["warner"], 194, 0.3, 0.1, 0.814051150338043),
    ],
)
def test_one_sample_has_the_power_that_r_sums(design, n, share, null_share, power) -> None:
    """R 4.2's ``pbinom`` beyond the counts that ``qbinom`` leaves to each side, .025 or less."""
    found = exact_power(design, n=n, share=share, null_share=null_share)
    assert found.power == pytest.approx(power, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "power"), [(200, 0.6044674554875), (459, 0.899695978160825), (460, 0.900668200270602)]
)
def test_two_samples_have_the_power_that_r_sums(n, power) -> None:
    """R 4.2's ``dbinom`` of both counts, over all pairs whose estimates are far enough apart."""
    found = exact_power_two_samples(DESIGNS["warner"], share=0.3, other_share=0.1, n=n)
    assert found == pytest.approx(power, abs=1e-11)


def test_the_normal_approximation_promises_what_the_test_does_not_have() -> None:
    question = {"share": 0.3, "null_share": 0.2}
    normal = sample_size_one_sample(SIXTHS, method="normal", **question)
    assert normal.power >= 0.8
    assert exact_power(SIXTHS, n=normal.n, **question).power < 0.77


@pytest.mark.parametrize(
    ("design", "share", "null_share", "power", "alternative"),
    [
        (Direct(2), 0.3, 0.1, 0.8, "two-sided"),
        (Direct(2), 0.2, 0.0, 0.8, "two-sided"),
        (Direct(2), 1.0, 0.5, 0.9, "one-sided"),
        (Direct(2), 0.4, 0.7, 0.5, "two-sided"),
        (Warner(0.2), 0.1, 0.5, 0.95, "one-sided"),
        (SIXTHS, 0.9, 0.5, 0.8, "two-sided"),
        (SIXTHS, 0.5, 0.1, 0.2, "two-sided"),
        (Crosswise(0.1), 0.0, 0.3, 0.99, "one-sided"),
    ],
)
def test_no_smaller_number_is_the_last_that_is_too_few(
    design, share, null_share, power, alternative
) -> None:
    """Every n up to three times the plan's is looked at."""
    question = {"share": share, "null_share": null_share, "alternative": alternative}
    plan = sample_size_one_sample(design, power=power, **question)
    sizes = range(1, 3 * plan.n + 20)
    enough = [exact_power(design, n=n, **question).power >= power for n in sizes]
    assert (
        plan.n
        == max((n for n, is_enough in zip(sizes, enough, strict=True) if not is_enough), default=0)
        + 1
    )


@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0])
def test_groups_of_different_sizes_are_summed_together(ratio) -> None:
    question = {"share": 0.4, "other_share": 0.1}
    plan = sample_size_two_samples(SIXTHS, ratio=ratio, **question)
    assert plan.other_n == math.ceil(ratio * plan.n)
    found = exact_power_two_samples(SIXTHS, n=plan.n, other_n=plan.other_n, **question)
    assert plan.power == pytest.approx(found, abs=1e-12)
    fewer = plan.n - 1
    assert (
        exact_power_two_samples(SIXTHS, n=fewer, other_n=math.ceil(ratio * fewer), **question)
        < 0.8
        <= found
    )


def test_groups_may_have_designs_of_their_own_and_any_difference_as_the_hypothesis() -> None:
    question = {
        "share": 0.5,
        "other_share": 0.2,
        "other_design": Direct(2),
        "null_shares": (0.25, 0.2),
        "alternative": "one-sided",
    }
    plan = sample_size_two_samples(SIXTHS, **question)
    normal = power_two_samples(SIXTHS, n=plan.n, **question)
    assert plan.is_exact
    assert 0.8 <= plan.power <= 0.82
    assert normal.power == pytest.approx(plan.power, abs=0.02)


def test_an_option_of_a_local_protocol_is_planned_exactly_too() -> None:
    plan = sample_size_one_sample(OUE.from_epsilon(10, 1.0), share=0.3, null_share=0.1, option=3)
    assert plan.is_exact
    assert 0.8 <= plan.power <= 0.82


def test_a_design_without_a_report_of_its_own_is_planned_by_the_normal_approximation() -> None:
    cards, question = Kuk(0.75, 0.25, 2), {"share": 0.3, "null_share": 0.2}
    plan = sample_size_one_sample(cards, **question)
    assert not plan.is_exact
    assert plan == power_one_sample(cards, n=plan.n, **question)


def test_of_millions_of_people_the_approximation_is_taken_and_says_so() -> None:
    plan = sample_size_one_sample(SIXTHS, share=0.2, null_share=0.2005)
    assert (plan.n > 10**6, plan.is_exact) == (True, False)
    exact = exact_power(SIXTHS, share=0.2, null_share=0.2005, n=plan.n).power
    assert exact == pytest.approx(0.8, abs=0.002)


@pytest.mark.parametrize("difference", [0.005, 0.02, 0.1])
def test_planning_takes_a_fifth_of_a_second_at_most(difference) -> None:
    start = time.process_time()
    sample_size_one_sample(SIXTHS, share=0.2 + difference, null_share=0.2, power=0.9)
    sample_size_two_samples(SIXTHS, share=0.2 + difference, other_share=0.2, power=0.9)
    assert time.process_time() - start < 2 * 0.2


def test_the_print_says_what_the_number_promises() -> None:
    plan = sample_size_one_sample(SIXTHS, share=0.3, null_share=0.2)
    assert "with more people the power never falls below the one wanted" in str(plan)
    assert "never" not in str(power_one_sample(SIXTHS, share=0.3, null_share=0.2, n=100))


@pytest.mark.parametrize("method", ["binomial", None, 1])
def test_a_method_that_does_not_exist_is_refused(method) -> None:
    with pytest.raises(PlanError, match="choose one of exact, normal"):
        sample_size_one_sample(SIXTHS, share=0.3, null_share=0.2, method=method)
    with pytest.raises(PlanError, match="choose one of exact, normal"):
        sample_size_two_samples(SIXTHS, share=0.3, other_share=0.2, method=method)
