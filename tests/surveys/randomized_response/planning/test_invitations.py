"""Invitations against binomial laws that are summed up; samples against a plan's numbers."""

from fractions import Fraction

import pytest
from scipy.stats import binom

from tests.randomized_response.errors import PlanError
from tests.randomized_response.planning import (
    DesignEffects,
    Meaning,
    PlanRequest,
    Reading,
    cluster_effect,
    invitations_needed,
    plan_survey,
)


@pytest.mark.parametrize("answers", [1, 17, 400, 100_000])
@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(2, 5), Fraction(99, 100)])
@pytest.mark.parametrize("assurance", [0.5, 0.9, 0.999])
def test_enough_answers_come_and_with_one_invitation_less_they_do_not(
    answers, rate, assurance
) -> None:
    invited = invitations_needed(answers, response_rate=rate, assurance=assurance)
    assert binom.sf(answers - 1, invited, float(rate)) >= assurance
    if invited > answers:
        assert binom.sf(answers - 1, invited - 1, float(rate)) < assurance


def test_where_all_people_answer_as_many_are_invited_as_are_needed() -> None:
    assert invitations_needed(1574, response_rate=1) == 1574
    assert invitations_needed(1574, response_rate=1, assurance=0.999999) == 1574


def test_each_arm_has_its_answers_with_the_probability_asked_for() -> None:
    """A tally over the first of two arms of 40 and 20 people in 60: the other has the rest."""
    invited = invitations_needed(20, response_rate=1, assurance=0.9, arms=(2, 1))
    chances = [
        binom.pmf(first, invited, 2 / 3)
        for first in range(invited + 1)
        if min(first, invited - first) >= 20
    ]
    assert sum(chances) >= 0.9
    # Both arms cannot fall short of 59 people: the bound of Bonferroni is exact.
    fewer = sum(
        binom.pmf(first, invited - 1, 2 / 3)
        for first in range(invited)
        if min(first, invited - 1 - first) >= 20
    )
    assert fewer < 0.9


def test_a_draw_of_who_is_asked_needs_more_than_the_quotient() -> None:
    invited = invitations_needed(100, response_rate=0.5, drawn=0.2)
    assert invited > 1000
    assert binom.sf(99, invited, 0.1) >= 0.9


@pytest.mark.parametrize(
    ("terms", "argument"),
    [
        ({"response_rate": 0}, "response_rate"),
        ({"response_rate": 1.2}, "response_rate"),
        ({"response_rate": float("nan")}, "response_rate"),
        ({"response_rate": 40}, "response_rate"),
        ({"response_rate": "40 %"}, "response_rate"),
        ({"response_rate": 1e-9}, "response_rate"),
        ({"response_rate": 0.5, "assurance": 1}, "assurance"),
        ({"response_rate": 0.5, "drawn": 0}, "drawn"),
        ({"response_rate": 0.5, "arms": ()}, "arms"),
        ({"response_rate": 0.5, "arms": (1, 0)}, "arms"),
        ({"response_rate": 0.5, "arms": "11"}, "arms"),
        ({"response_rate": 0.5, "arms": 2}, "arms"),
    ],
)
def test_invitations_that_make_no_sense_are_refused_by_name(terms, argument) -> None:
    with pytest.raises(PlanError) as refused:
        invitations_needed(1000, **terms)
    assert refused.value.argument == argument


@pytest.mark.parametrize("answers", [0, -1, 1.5, 10**10, None])
def test_no_answers_are_needed_in_such_numbers(answers) -> None:
    with pytest.raises(PlanError) as refused:
        invitations_needed(answers, response_rate=0.5)
    assert refused.value.argument == "answers"


CLASSES = {"cluster_size": 25, "intraclass_correlation": 0.05}


def test_nothing_is_said_of_a_sample_where_nothing_was_asked() -> None:
    assert plan_survey(PlanRequest()).sample is None
    assert plan_survey(PlanRequest(drawn=Fraction(1, 5))).sample is None


def test_a_sample_says_what_its_answers_are_worth_and_whom_to_invite() -> None:
    request = PlanRequest(response_rate=0.4, weight_variation=0.5, **CLASSES)
    plan = plan_survey(request)
    sample, alone = plan.sample, plan_survey(PlanRequest())
    clusters = cluster_effect(25, 0.05, answering=0.4)
    assert sample.effects == DesignEffects(Fraction(5, 4), clusters)
    assert sample.design_effect == pytest.approx(1.25 * (3 + float(clusters)) / 4)
    assert sample.effective_n == pytest.approx(plan.n / sample.design_effect)
    assert alone.n <= sample.effective_n < alone.n + 1
    assert sample.invitations == invitations_needed(plan.n, response_rate=0.4)
    assert sample.clusters == -(-sample.invitations // 25)
    assert sample.arms == ()


def test_all_methods_and_readings_are_planned_with_the_design_effect() -> None:
    plain, sampled = plan_survey(PlanRequest()), plan_survey(PlanRequest(**CLASSES))
    effect = sampled.sample.design_effect
    for before, after in zip(plain.sizes, sampled.sizes, strict=True):
        if before.method == "hoeffding":
            assert "independently" in after.population.remedy
        else:
            assert after.population == pytest.approx(effect * before.population, abs=effect)
    for before, after in zip(plain.readings, sampled.readings, strict=True):
        assert after.people == pytest.approx(effect * before.people, abs=effect)
        assert after.error <= 0.05 or after.reading is not Reading.ONCE


def test_for_these_people_the_design_effect_is_that_of_the_weights() -> None:
    request = PlanRequest(
        meaning=Meaning.RESPONDENTS, method="normal", weight_variation=1, **CLASSES
    )
    assert plan_survey(request).sample.design_effect == 2


def test_each_arm_has_the_answers_that_the_error_needs() -> None:
    plan = plan_survey(PlanRequest(arms=(2, 1, 1)))
    assert plan.n == plan_survey(PlanRequest()).n
    assert plan.people == 4 * plan.n
    assert [(arm.share, arm.people, arm.answers) for arm in plan.sample.arms] == [
        (Fraction(1, 2), 2 * plan.n, 2 * plan.n),
        (Fraction(1, 4), plan.n, plan.n),
        (Fraction(1, 4), plan.n, plan.n),
    ]
    assert plan.sample.invitations > plan.people  # in half of all draws an arm has fewer
    bought = plan_survey(PlanRequest(arms=(2, 1, 1), responses=plan.people))
    assert {row.method: row.population for row in bought.errors}["exact"] <= 0.05


def test_clusters_are_smaller_in_an_arm() -> None:
    whole, arm = (
        plan_survey(PlanRequest(arms=arms, **CLASSES)).sample.effects for arms in (None, (1, 1))
    )
    assert arm.clusters - 1 == (whole.clusters - 1) / 2


def test_arms_are_compared_in_the_sizes_that_chance_gives_them() -> None:
    expected = {"share": Fraction(3, 10), "null_share": Fraction(1, 5), "samples": "two"}
    even, uneven, groups = (
        plan_survey(PlanRequest(arms=arms, responses=3000, **expected)).test
        for arms in ((1, 1), (2, 1), None)
    )
    assert even.plan == groups.plan  # two groups of equal size
    assert (even.at_responses.n, even.at_responses.other_n) == (1500, 1500)
    assert groups.at_responses.n == 3000  # in each group, as before
    assert uneven.plan.other_n == -(-uneven.plan.n // 2)
    assert (uneven.at_responses.n, uneven.at_responses.other_n) == (2000, 1000)
    assert uneven.plan.n + uneven.plan.other_n > 2 * even.plan.n
    assert groups.invitations is groups.invitations_in_all is None
    assert even.invitations == invitations_needed(even.plan.n, response_rate=1, arms=(1, 1))
    assert even.invitations_in_all == even.invitations


def test_two_groups_that_are_no_arms_are_invited_apart() -> None:
    expected = {"share": Fraction(3, 10), "null_share": Fraction(1, 5)}
    test = plan_survey(PlanRequest(response_rate=0.4, samples="two", **expected)).test
    assert test.samples == 2
    assert test.invitations == invitations_needed(test.plan.n, response_rate=0.4)
    assert test.invitations_in_all == 2 * test.invitations


def test_the_test_of_a_sample_is_planned_by_the_normal_approximation() -> None:
    expected = {"share": Fraction(3, 10), "null_share": Fraction(1, 5), "responses": 2000}
    plan = plan_survey(PlanRequest(response_rate=0.5, **CLASSES, **expected))
    assert plan.test.exact is None
    assert not plan.test.plan.is_exact
    assert not plan.test.at_responses.is_exact
    assert plan.test.invitations == invitations_needed(plan.test.plan.n, response_rate=0.5)
    assert all(row.exact_power is None for row in plan.comparison)


def test_a_population_that_is_too_small_for_the_response_rate_is_refused() -> None:
    with pytest.raises(PlanError, match="too few people answer") as refused:
        plan_survey(PlanRequest(population=2000, response_rate=0.5))
    assert refused.value.argument == "response_rate"
    assert plan_survey(PlanRequest(population=2000, response_rate=0.9)).sample.invitations <= 2000
