"""Families: their ways, rules in terms of ways, and what is accepted of one."""

import random
from dataclasses import replace
from itertools import product

import pytest

from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.families import in_ways
from surveys.questionnaire.logic.rules import Rule, asked_of, loosened, rule_from
from surveys.questionnaire.refusals import Malformed, OutsideAlphabet, Refused
from surveys.questionnaire.submission import parse
from tests.bodies import body_of, first_code
from tests.families import make_family_survey
from tests.random_rules import random_given, small_rule

pytestmark = [pytest.mark.django_db, pytest.mark.survey(make=make_family_survey)]


@pytest.fixture
def family(survey) -> Questionnaire:
    return questionnaire_of(survey.revision)


def test_every_row_of_answers_is_on_the_way_that_its_rules_lead(family):
    """All answers that a person could click, with what the rules hide taken out."""
    items = family.items
    members = [items[number - 1] for number in items[1].members]
    found = set()
    for codes in product(*([level.code for level in one.choices] for one in members)):
        given = [None, *(one.in_rules.true_given(c) for one, c in zip(members, codes, strict=True))]
        asked = asked_of([item.rule for item in items[:5]], given)[1:]
        found.add(tuple(c if is_asked else "--" for c, is_asked in zip(codes, asked, strict=True)))
    assert found == set(items[1].ways)


def test_rules_in_terms_of_ways_say_the_same(family):
    """Of random rules about members, for every way."""
    chance = random.Random(4)
    item = family.items[1]
    others = [family.items[number - 1] for number in item.members]
    truths = 0
    for _ in range(300):
        rule = about_members(chance, item.members)
        last = FollowUpQuestion(
            **dict.fromkeys(("id", "text", "help", "kind", "design"), ""),
            required=True,
            levels=(),
            family=2,
            rule=rule,
        )
        changed = in_ways([*family.items[:5], last])[-1].rule
        for level, way in zip(item.levels, item.ways, strict=True):
            parts = zip(item.members, others, way, strict=True)
            given = {n: other.in_rules.true_given(code) for n, other, code in parts}
            read = item.in_rules.told_apart(())[item.levels.index(level)]
            truths += rule.holds(given)
            assert changed.holds({2: read}) == rule.holds(given)
    assert 300 < truths < 1800


def about_members(chance: random.Random, members) -> Rule:
    atoms = [
        {"is": [chance.choice(members), chance.choice(("00", "01", "02"))]}
        if chance.random() < 0.7
        else {"answered": [chance.choice(members)]}
        for _ in range(3)
    ]
    return rule_from({chance.choice(["all", "any"]): [atoms[0], {"not": {"any": atoms[1:]}}]})


def test_what_a_rule_asks_of_known_answers_is_false_only_if_no_others_could_make_it_true():
    """``loosened``, over all answers to one unknown question, against the rule itself."""
    chance = random.Random(9)
    falls = 0
    for _ in range(500):
        rule = rule_from(small_rule(chance, 5))
        unknown = chance.randrange(1, 5)
        given = {number: random_given(chance) for number in range(1, 5)}
        loose = loosened(rule, {unknown})
        is_left = loose if isinstance(loose, bool) else loose.holds(given, "direct")
        assert loose is not False
        answers = [random_given(chance) for _ in range(20)]
        may_hold = any(rule.holds({**given, unknown: one}, "direct") for one in answers)
        assert is_left or not may_hold
        falls += not is_left
    assert falls > 50


def test_a_family_reads_back_from_its_document(family):
    assert Questionnaire.from_document(family.to_document()) == family
    again = Questionnaire.from_document(family.to_document())
    assert again.frozen_loss == family.loss == replace(again).loss


@pytest.mark.parametrize(
    ("code", "refusal"), [("07", OutsideAlphabet), ("--", OutsideAlphabet), ("0000----", Refused)]
)
def test_what_is_no_way_is_refused(survey, family, code, refusal):
    codes = [first_code(item, own_coin=False) for item in family.items]
    codes[1] = code
    with pytest.raises(refusal):
        parse(
            body_of(survey.revision, codes),
            questionnaire=family,
            revision=str(survey.revision.pk),
        )


def test_a_field_for_a_follow_up_is_refused(survey, family):
    body = body_of(survey.revision).replace(b"&q006", b"&q003=00&q006")
    with pytest.raises(Malformed):
        parse(body, questionnaire=family, revision=str(survey.revision.pk))


def test_a_family_has_no_more_than_its_ways_in_the_order_of_its_answers(family):
    item = family.items[1]
    assert isinstance(item, FamilyQuestion)
    assert len(set(item.columns)) == len(item.columns) == len(item.levels) == len(item.weights)
    assert len({len(column) for column in item.columns}) == 1
