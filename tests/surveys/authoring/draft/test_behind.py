"""Questions behind protected answers: which become a family, and what launch refuses."""

from fractions import Fraction

import pytest

from surveys.authoring.drafts import draft_questionnaire, draft_questionnaires
from surveys.authoring.inlines import protection
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.models import Question, Survey
from surveys.questionnaire.facts.exposure import LARGEST_RATIO
from tests.factories import (
    add_condition,
    add_day,
    add_long_list,
    add_long_scale,
    add_matrix,
    add_question,
    add_ranking,
    add_rating,
    add_rounded,
    add_text,
    add_ticks,
    make_survey,
)
from tests.families import add_family, make_family_draft
from tests.translated import translate_all
from tests.unready import reasons

pytestmark = pytest.mark.django_db
DIRECT = Question.Design.DIRECT


@pytest.fixture
def first(draft) -> Question:
    return add_question(draft, text="Have you stolen?", required=True)


def test_a_protected_question_and_those_that_follow_from_it_become_one_answer(owner):
    draft = make_family_draft(owner)
    items = draft_questionnaire(draft).items
    family = items[1]
    assert isinstance(family, FamilyQuestion)
    assert family.members == (2, 3, 4, 5)
    assert [level.text for level in family.levels] == [
        "Never",
        "Once → Little",
        "Once → Much → Yes",
        "Once → Much → No",
        "Once → Much → Prefer not to say",
        "Often → Yes",
        "Often → No",
    ]
    assert family.columns[2] == "010101--"
    assert LARGEST_RATIO(family) == 8
    assert all(isinstance(item, FollowUpQuestion) for item in items[2:5])
    assert not any(item.is_sent for item in items[2:5])


def test_two_coins_over_a_family_let_odds_change_by_one_more_than_its_ways(draft, first):
    add_condition(add_question(draft, required=True), first)
    found = draft_questionnaire(draft)
    assert found.loss.ratio == 4
    assert found.randomized == (found.items[0],)


def test_a_k_ary_family_has_the_epsilon_of_its_first_question(draft, first):
    Question.objects.filter(pk=first.pk).update(design="k_ary", epsilon=2)
    add_condition(add_question(draft, required=True), first)
    assert draft_questionnaire(draft).items[0].epsilon == pytest.approx(2, abs=1e-4)


def test_who_declines_the_first_question_declines_the_family(draft):
    first = add_question(draft)
    add_condition(add_question(draft, required=True), first)
    levels = draft_questionnaire(draft).items[0].levels
    assert [level.text for level in levels if level.declines] == ["Prefer not to say"]


SENTENCE = (
    "Question 2 depends on question 1, which is protected. People who see whether question 2 was "
    "asked would learn the answer to question 1. Ask all people question 2, protect question 2 "
    "too, or let its rule use only questions that are not protected."
)


@pytest.mark.parametrize(
    ("add", "reason"),
    [
        (lambda draft: add_question(draft, design=DIRECT), SENTENCE),
        (lambda draft: add_text(draft), SENTENCE),
        (lambda draft: add_rating(draft), SENTENCE),
        (lambda draft: add_day(draft), SENTENCE),
        (lambda draft: add_ranking(draft, design=DIRECT), SENTENCE),
        (lambda draft: add_rating(draft, design="k_ary", epsilon=4), "A rating cannot depend on"),
        (lambda draft: add_ranking(draft), "A ranking cannot depend on question 1"),
        (lambda draft: add_long_list(draft), "A long list cannot depend on question 1"),
        (lambda draft: add_long_scale(draft), "A long scale cannot depend on question 1"),
        (lambda draft: add_ticks(draft), "A multiple choice cannot depend on question 1"),
        (lambda draft: add_matrix(draft), "A table cannot depend on question 1"),
        (lambda draft: add_rounded(draft), "A number cannot depend on question 1"),
        (
            lambda draft: add_question(
                draft,
                required=True,
                design="crosswise",
                harmless="Were you born in May?",
                harmless_yes="1/12",
            ),
            "A question with a second question cannot depend on question 1",
        ),
    ],
)
@pytest.mark.parametrize("behind", [None, "counts"])
def test_what_cannot_hide_whether_it_was_asked_is_refused(draft, first, add, reason, behind):
    question = add(draft)
    Question.objects.filter(pk=question.pk).update(behind=behind)
    add_condition(question, first)
    (found,) = reasons(draft)
    assert reason in found


@pytest.mark.parametrize(
    "device",
    [
        {"design": "warner", "p_sensitive": "3/4"},
        {"design": "unrelated", "p_sensitive": "2/3", "harmless_yes": "1/6"},
        {"design": "forced_response", "forced": "1/6, 1/6"},
        {"design": "channel_matrix", "channel": "3/4, 1/4\n1/4, 3/4"},
    ],
    ids=lambda device: device["design"],
)
def test_a_family_needs_a_design_that_has_odds_for_each_way(draft, device):
    first = add_question(draft, text="Have you stolen?", required=True, **device)
    add_condition(add_question(draft), first)
    (found,) = reasons(draft)
    assert found.startswith("Question 1 (Have you stolen?): This question and its follow-ups")
    assert "Choose two coins or k-ary" in found


def test_a_family_of_more_than_32_ways_is_refused(draft):
    options = [f"Answer {n}" for n in range(6)]
    first = add_question(draft, *options, kind="choice", required=True)
    for option in options:
        follow_up = add_question(draft, *options, kind="choice", required=True)
        add_condition(follow_up, first, value=option)
    found = reasons(draft)[0]
    assert "answer question 1 and its follow-ups in more than 32 different ways" in found


def test_a_family_of_32_ways_is_launched(draft):
    options = [f"Answer {n}" for n in range(32)]
    first = add_question(draft, *options[:4], kind="choice", required=True)
    for option in options[:4]:
        follow_up = add_question(draft, *options[:8], kind="choice", required=True)
        add_condition(follow_up, first, value=option)
    assert draft_questionnaire(draft).loss.ratio == Fraction(33)


def test_a_follow_up_that_reads_an_unprotected_answer_too_is_refused(draft, first):
    car = add_question(draft, text="Do you own a car?", design=DIRECT)
    question = add_question(draft, text="Why?")
    add_condition(question, first)
    add_condition(question, car)
    assert "follow-ups of question 1, but it also uses question 2." in reasons(draft)[0]


def test_a_follow_up_of_two_families_is_refused(draft, first):
    other = add_question(draft, text="Have you lied?")
    question = add_question(draft, text="Why?")
    add_condition(question, first)
    add_condition(question, other)
    assert (
        "depends on questions 1 and 2, which are not sent together as one answer"
        in reasons(draft)[0]
    )


def test_a_follow_up_that_is_asked_of_people_without_the_first_question_is_refused(draft):
    car = add_question(draft, text="Do you own a car?", design=DIRECT)
    first = add_question(draft, text="Have you stolen it?")
    add_condition(first, car)
    add_condition(add_question(draft, text="Why not?"), first, "is_not")
    found = reasons(draft)[0]
    assert "rule of this question also applies to people who are not asked question 2" in found


def test_a_family_behind_an_unprotected_answer_is_left_out_as_a_whole(draft):
    car = add_question(draft, text="Do you own a car?", design=DIRECT)
    first = add_question(draft, text="Have you stolen it?")
    add_condition(first, car)
    add_condition(add_question(draft, text="Why?"), first)
    found = draft_questionnaire(draft)
    assert found.routes.asked_of(["00", "--", "", ""][:3]) == (True, False, True)
    assert found.routes.open_rules[2] is None


def test_a_follow_up_to_which_no_answers_lead_is_refused(draft, first):
    question = add_question(draft, text="Why?")
    add_condition(question, first, value="Yes")
    add_condition(question, first, value="No")
    assert "No answers lead to this question" in reasons(draft)[0]


def test_a_drawn_part_of_the_protected_questions_and_a_family_exclude_each_other(draft, first):
    add_condition(add_question(draft, text="Why?"), first)
    add_question(draft, text="Have you lied?")
    Survey.objects.filter(pk=draft.pk).update(asked=1)
    draft.refresh_from_db()
    decided = (
        "chance decides whether this question is asked, and a rule or an arm cannot decide too"
    )
    assert any(decided in reason for reason in reasons(draft))


def test_a_question_with_a_second_question_decides_nothing(draft):
    first = add_question(
        draft, required=True, design="crosswise", harmless="Born in May?", harmless_yes="1/12"
    )
    add_condition(add_question(draft, text="Why?"), first)
    assert "no rule can use an answer with this kind of protection" in reasons(draft)[0]


def test_consent_is_asked_of_all_people(draft, first):
    question = add_question(draft, kind="agree", design=DIRECT, help="Read this.")
    add_condition(question, first)
    assert any("Ask all people for consent" in reason for reason in reasons(draft))
    add_family(draft)


def test_the_form_says_the_epsilon_of_a_family_and_how_many_people_it_saves(draft, first):
    Question.objects.filter(pk=first.pk).update(design="k_ary", epsilon=2)
    follow_up = add_question(draft, required=True)
    add_condition(follow_up, first)
    first.refresh_from_db()
    words = protection(first)
    assert words.startswith("2.00")
    assert "sent as one answer with 3 possible values" in words
    saved = "separate answers with the same total epsilon would need 4.5 times as many people"
    assert saved in words
    assert protection(follow_up) == (
        "Included in the epsilon of question 1, because both questions are sent as one answer"
    )


def test_the_form_says_where_separate_reports_need_fewer_people(draft, first):
    Question.objects.filter(pk=first.pk).update(design="k_ary", epsilon=0.1)
    for _ in range(4):
        add_condition(add_question(draft, required=True), first)
    last = add_question(draft, required=True)
    add_condition(last, first)
    first.refresh_from_db()
    assert "more than 32 different ways" in reasons(draft)[0]
    last.delete()
    words = protection(first)
    assert "sent as one answer with 17 possible values" in words
    assert "this joint answer needs 1.7 times as many people as separate answers" in words


def test_a_follow_up_is_asked_in_the_arms_of_its_first_question(owner):
    draft = make_survey(owner, arms="One: 1\nTwo: 1")
    first = add_question(draft, text="Have you stolen?", required=True, arms="One")
    add_question(draft, text="Have you lied?", arms="Two")
    follow_up = add_question(draft, text="Why?", required=True)
    add_condition(follow_up, first)
    found = draft_questionnaire(draft)
    assert found.loss.ratio == 4
    assert found.items[0].rule == found.routes.open_rules[0]
    Question.objects.filter(pk=follow_up.pk).update(arms="One")
    assert "Leave the arms of this question empty" in reasons(draft)[0]


def test_a_family_reads_in_each_language_with_the_same_ways(owner):
    draft = make_family_draft(owner, also_in="de")
    translate_all(draft, "de")
    first, german = draft_questionnaires(Survey.objects.get(pk=draft.pk))
    one, other = first.items[1], german.items[1]
    assert (one.ways, one.weights, one.members) == (other.ways, other.weights, other.members)
    assert [level.code for level in one.levels] == [level.code for level in other.levels]
    assert one.levels != other.levels
    assert other.levels[4].text.endswith("→ Möchte ich nicht sagen")
