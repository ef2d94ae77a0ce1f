"""Simulated people on their way through a draft: rules, arms, subsets, draws, the real parser."""

from datetime import date
from time import perf_counter

import numpy as np
import pytest

from surveys.authoring.drafts import draft_questionnaire
from surveys.authoring.simulation.outcome import outcome_of
from surveys.authoring.simulation.people import simulated
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Question, Response, Survey
from surveys.questionnaire.kinds.registry import kind_name, kinds, of_kind
from tests import factories
from tests.counting import counting
from tests.families import add_family
from tests.sixty import make_sixty_draft

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PEOPLE = 500


def rng() -> np.random.Generator:
    return np.random.default_rng(18)


@pytest.fixture
def draft(owner) -> Survey:
    return factories.make_survey(
        owner, invitation_only=True, opening="close", close_on=date(2999, 1, 1)
    )


def test_what_sixty_questions_with_arms_and_rules_send_is_accepted_within_a_second(owner):
    questionnaire = draft_questionnaire(make_sixty_draft(owner))
    started = perf_counter()
    people = simulated(questionnaire, {}, 100, rng())
    outcome = outcome_of(questionnaire, people)
    assert perf_counter() - started < 3  # alone, 500 people take less than one
    assert len(people.rows) == 100
    assert outcome.covered > 0.9 * outcome.intervals > 50


def test_each_kind_of_question_can_be_simulated(owner, draft):
    factories.add_one_of_each(draft)
    factories.add_long_list(draft)
    factories.add_picked(draft)
    plain = draft_questionnaire(draft)
    direct = next(n for n, item in of_kind(LevelQuestion, plain.items) if not item.is_randomized)
    questionnaire = counting(plain, (direct,))
    sixty = draft_questionnaire(make_sixty_draft(owner))
    people = simulated(questionnaire, {}, 20, rng())
    assert {len(row) for row in people.rows} == {questionnaire.row.width}
    assert outcome_of(questionnaire, people).intervals
    drawn = {kind_name(item) for one in (questionnaire, sixty) for item in one.items}
    assert set(kinds()) - drawn == set()


def test_people_have_the_shares_that_are_given_and_estimates_are_near_them(draft):
    factories.add_question(draft)
    factories.add_ticks(draft)
    shares = {1: (0.6, 0.3, 0.1), 2: (0.9, 0.5, 0.2, 0.0)}
    outcome = outcome_of(
        questionnaire := draft_questionnaire(draft),
        simulated(questionnaire, shares, PEOPLE, rng()),
    )
    yes_or_no, ticks = outcome.questions
    truths = {row.label: row.truth for row in (*yes_or_no.rows, *ticks.rows)}
    expected = {"No": 0.6, "Yes": 0.3, "Prefer not to say": 0.1}
    expected |= dict(zip(factories.TRAVEL, shares[2], strict=True))
    for label, share in expected.items():
        assert truths[label] == pytest.approx(share, abs=0.09)  # 4 standard errors
    for row in (*yes_or_no.rows, *ticks.rows):
        assert abs(row.estimate - row.truth) < 4 * row.interval.width


def test_intervals_hold_the_truth_as_often_as_they_say(draft):
    factories.add_question(draft)
    questionnaire, chance = draft_questionnaire(draft), rng()
    outcomes = [
        outcome_of(questionnaire, simulated(questionnaire, {}, 100, chance)) for _ in range(60)
    ]
    covered = sum(outcome.covered for outcome in outcomes)
    assert covered / sum(outcome.intervals for outcome in outcomes) > 0.95


def test_of_a_family_the_ways_are_compared_and_follow_ups_send_nothing(draft):
    add_family(draft)
    questionnaire = draft_questionnaire(draft)
    outcome = outcome_of(questionnaire, simulated(questionnaire, {}, PEOPLE, rng()))
    [family] = [one for one in outcome.questions if "→" in one.rows[-1].label + one.rows[0].label]
    assert family.number == 1
    assert sum(row.truth for row in family.rows) == pytest.approx(1)


def test_of_a_question_that_few_are_asked_only_these_are_counted(draft):
    car = factories.add_question(draft, text="Car?", design=Question.Design.DIRECT, required=True)
    often = factories.add_question(draft, text="How often?", design=Question.Design.DIRECT)
    factories.add_condition(often, car)
    questionnaire = draft_questionnaire(draft)
    outcome = outcome_of(questionnaire, simulated(questionnaire, {1: (0.8, 0.2)}, PEOPLE, rng()))
    asked, few = outcome.questions
    assert asked.n == PEOPLE
    yes = next(row.truth for row in asked.rows if row.label == "Yes")
    assert few.n == round(yes * PEOPLE) < 150


def test_each_person_is_asked_as_many_protected_questions_as_the_draft_says(draft):
    for _ in range(3):
        factories.add_question(draft)
    draft.asked = 2
    questionnaire = draft_questionnaire(draft)
    people = simulated(questionnaire, {}, 60, rng())
    assert {row.count("--") for row in people.rows} == {1}
    assert sum(map(len, people.truths.values())) == 120


def test_nothing_is_stored(draft):
    factories.add_question(draft)
    simulated(draft_questionnaire(draft), {}, 20, rng())
    assert not Response.objects.exists()
