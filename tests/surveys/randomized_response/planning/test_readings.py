"""The error of a reading: no interval is wider, for any design, and one is as wide."""

import math

import numpy as np
import pytest

from tests.randomized_response.designs import Direct, RoundedNumber, TwoCoins, Warner
from tests.randomized_response.errors import PlanError
from tests.randomized_response.intervals.intervals import score_interval
from tests.randomized_response.intervals.martingales import ConfidenceSequence
from tests.randomized_response.intervals.widths import interval_sample_size, widest_half_width
from tests.randomized_response.planning import (
    Meaning,
    Reading,
    error_for_sample_size,
    half_width,
    people_needed,
    plan_sample_size,
    scores_shown,
)
from tests.surveys.randomized_response.designs.test_designs import EXAMPLES

SEQUENCES = [ConfidenceSequence(planned) for planned in (None, 20, 1000)]
ALL = {**EXAMPLES, "rounded_number": RoundedNumber.from_epsilon(11, 1.5)}


def counts_of(reports: int, n: int) -> list[tuple[int, ...]]:
    """All in one report, half in each of two, spread evenly, and some by chance."""
    chance = np.random.default_rng(n)
    found = [np.bincount([place] * n, minlength=reports) for place in range(reports)]
    for first in range(reports):
        for second in range(max(0, first - 3), first):
            halves = [first] * (n // 2) + [second] * (n - n // 2)
            found.append(np.bincount(halves, minlength=reports))
    found += [chance.multinomial(n, chance.dirichlet(np.ones(reports))) for _ in range(5)]
    return [tuple(int(count) for count in row) for row in found]


@pytest.mark.parametrize("reading", [Reading.ALWAYS, Reading.ONCE])
@pytest.mark.parametrize("design", ALL.values(), ids=ALL)
def test_no_interval_of_any_design_is_wider_than_its_reading_says(design, reading):
    for n in (7, 30):
        said = half_width(scores_shown(design), n=n, reading=reading)
        widths = [
            score_interval(scores, counts, 0.95, reading.method(n)).width / 2
            for scores in scores_shown(design)
            for counts in counts_of(len(scores), n)
        ]
        assert max(widths) <= said * (1 + 1e-9)


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("design", [TwoCoins(3), Warner(0.7), Direct(2)], ids=str)
def test_at_the_middle_count_an_interval_is_exactly_so_wide(design, reading):
    scores = scores_shown(design)
    middle = (500, 500) + (0,) * (len(scores[0]) - 2)
    interval = score_interval(scores[0], middle, 0.95, reading.method(1000))
    assert half_width(scores, n=1000, reading=reading) == pytest.approx(
        interval.width / 2, rel=1e-12
    )


@pytest.mark.parametrize("c", [0.1, 0.05, 0.001])
def test_once_is_the_exact_method_of_the_planner(c):
    terms = {"failure_probability": c, "method": "exact", "meaning": Meaning.POPULATION}
    shares = scores_shown(TwoCoins(3))
    once = {"reading": Reading.ONCE, "failure_probability": c}
    assert half_width(shares, n=1000, **once) == pytest.approx(
        error_for_sample_size(TwoCoins(3), n=1000, **terms), rel=1e-12
    )
    planned = plan_sample_size(TwoCoins(3), error=0.05, **terms).n
    assert people_needed(shares, error=0.05, **once) == planned


def test_two_coins_with_three_answers_and_a_thousand_people_have_these_errors():
    """Clopper-Pearson at 500 of 1,000 by its Beta quantiles; the sequence by its equation."""
    errors = {
        reading: half_width(scores_shown(TwoCoins(3)), n=1000, reading=reading)
        for reading in Reading
    }
    assert errors[Reading.ONCE] == pytest.approx(0.0629017, abs=1e-7)
    assert errors[Reading.ALWAYS] == errors[Reading.AT_OPENINGS]
    # (100 l)_500 (100 (1 - l))_500 / (100)_1000 = 20 (l (1 - l))^500 at l = 1/2 ± error / 2.
    share = 0.5 + errors[Reading.ALWAYS] / 2
    rises = math.lgamma(100 * share + 500) - math.lgamma(100 * share)
    rises += math.lgamma(100 * (1 - share) + 500) - math.lgamma(100 * (1 - share))
    rises -= math.lgamma(1100) - math.lgamma(100)
    assert rises - 500 * math.log(share * (1 - share)) == pytest.approx(math.log(20), abs=1e-6)


def test_a_survey_keeps_the_sequence_of_its_plan_at_every_number():
    """More people are needed where it is narrowest elsewhere, or nowhere."""
    shares = scores_shown(TwoCoins(2))
    needed = people_needed(shares, error=0.05, reading=Reading.ALWAYS)
    for planned in (None, 300, 30_000):
        sequence = ConfidenceSequence(planned)
        terms = {"reading": Reading.ALWAYS, "sequence": sequence}
        n = people_needed(shares, error=0.05, **terms)
        assert n > needed
        assert half_width(shares, n=n, **terms) <= 0.05 < half_width(shares, n=n - 1, **terms)
    assert people_needed(shares, error=0.05, reading=Reading.ONCE, sequence=sequence) == 1574


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("design", ["two_coins", "kuk", "optimised_scale", "direct"])
def test_the_number_of_people_is_the_smallest_from_which_the_error_is_kept(design, reading):
    shares = scores_shown(EXAMPLES[design])
    error = 0.2
    n = people_needed(shares, error=error, reading=reading)
    assert half_width(shares, n=n, reading=reading) <= error
    assert half_width(shares, n=n - 1, reading=reading) > error


@pytest.mark.parametrize("c", [0.5, 0.05, 0.001])
@pytest.mark.parametrize("sequence", SEQUENCES, ids=repr)
def test_the_middle_count_has_the_widest_sequence(c, sequence):
    for n in range(1, 41):
        ends = [sequence.ends(x, n, -math.log(c)) for x in range(n + 1)]
        widest = max(high - low for low, high in ends) / 2
        assert widest_half_width(n, c, sequence) >= widest - 1e-12


@pytest.mark.parametrize("c", [0.3, 0.05, 0.001])
@pytest.mark.parametrize("sequence", SEQUENCES, ids=repr)
def test_the_widest_sequence_falls_along_the_even_and_along_the_odd_sizes(c, sequence):
    widths = np.array([widest_half_width(n, c, sequence) for n in range(1, 200)])
    assert (widths[2:] < widths[:-2]).all()


@pytest.mark.parametrize("half_width", [0.4, 0.2, 0.1])
@pytest.mark.parametrize("methods", [ConfidenceSequence, lambda n: ConfidenceSequence()])
def test_the_size_of_a_sequence_is_the_one_found_by_trying_every_n(half_width, methods):
    wide = [n for n in range(1, 600) if widest_half_width(n, 0.05, methods(n)) > half_width]
    assert interval_sample_size(half_width, 0.05, methods) == max(wide) + 1


@pytest.mark.parametrize(
    ("fields", "argument"),
    [
        ({"error": 0}, "error"),
        ({"error": 1.5}, "error"),
        ({"error": 1e-6}, "error"),
        ({"error": 0.05, "failure_probability": 0}, "failure_probability"),
    ],
)
def test_what_cannot_be_planned_is_refused(fields, argument):
    with pytest.raises(PlanError) as refusal:
        people_needed(scores_shown(TwoCoins(2)), reading=Reading.ALWAYS, **fields)
    assert refusal.value.argument == argument
    with pytest.raises(PlanError):
        half_width(scores_shown(TwoCoins(2)), n=0, reading=Reading.ONCE)
