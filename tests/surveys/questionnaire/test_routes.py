"""Rules at the server: evaluated once more, and anything else is refused."""

import random
from fractions import Fraction

import pytest

from surveys.authoring.drafts import draft_questionnaire
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import was_asked
from surveys.questionnaire.logic.loss import Loss
from surveys.questionnaire.refusals import (
    BadAnswers,
    HiddenAnswered,
    Malformed,
    PartlyDrawn,
    Refused,
    Unanswered,
)
from surveys.questionnaire.submission import body_length, parse
from surveys.wording.protection import total_odds
from tests import kept
from tests.bodies import SENT, body_of, first_code
from tests.factories import add_condition, add_question, make_survey, make_user
from tests.routed import make_routed_survey

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey
NO, YES, DECLINED = "00", "01", "02"


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: make_routed_survey(make_user()))


def codes_for(questionnaire: Questionnaire, car: str, age: str, *, own_coin: bool = False):
    """What a person sends with these answers to the first two questions: marks where not asked."""
    codes = [first_code(item, own_coin=own_coin) for item in questionnaire.items]
    codes[0], codes[1] = car, age
    if not own_coin:
        codes[5] = questionnaire.items[5].encode("A small one")
    else:
        codes[5] = "A+small+one"
    asked = questionnaire.routes.asked_of(codes)
    empty = "" if own_coin else questionnaire.items[5].encode("")
    return [
        code if one else (empty if item.text_bytes else item.not_asked)
        for item, code, one in zip(questionnaire.items, codes, asked, strict=True)
    ]


def sent(survey, questionnaire, codes, *, own_coin=False):
    body = body_of(survey.revision, codes, own_coin=own_coin)
    return parse(body, questionnaire=questionnaire, revision=str(survey.revision.pk)), body


WAYS = [(car, age) for car in (NO, YES, DECLINED) for age in ("019", "045", "080", "---")]


@pytest.mark.parametrize(("car", "age"), WAYS)
@pytest.mark.parametrize("own_coin", [False, True])
def test_every_way_through_the_rules_is_accepted(survey, questionnaire, car, age, own_coin):
    codes = codes_for(questionnaire, car, age, own_coin=own_coin)
    submission, body = sent(survey, questionnaire, codes, own_coin=own_coin)
    asked = list(questionnaire.routes.asked_of(submission.codes))
    drives = car == YES
    young = age == "019"
    assert asked == [
        True, True, drives, young, not drives, drives,
        drives and age in ("019", "045"), drives, True,
    ]  # fmt: skip
    assert own_coin or len(body) == body_length(questionnaire)
    assert len(submission.answers) == sum(item.width for item in questionnaire.items)
    for item, code, one in zip(questionnaire.items, submission.codes, asked, strict=True):
        assert item.text_bytes or was_asked(item, code) is one


def test_a_hidden_question_that_the_page_answered_is_refused(survey, questionnaire):
    codes = codes_for(questionnaire, NO, "045")
    for place in (2, 3, 5, 6, 7):
        other = list(codes)
        item = questionnaire.items[place]
        other[place] = item.encode("x") if item.text_bytes else first_code(item, own_coin=False)
        with pytest.raises(HiddenAnswered, match=str(place + 1)) as refusal:
            sent(survey, questionnaire, other)
        assert (
            f"question {place + 1} is answered, but your other answers show that it is not for "
            "you." in refusal.value.reason
        )


def test_a_question_that_was_asked_has_an_answer(survey, questionnaire):
    codes = codes_for(questionnaire, YES, "019")
    for place in (2, 3, 6, 7):
        other = list(codes)
        other[place] = questionnaire.items[place].not_asked
        with pytest.raises(Unanswered, match=str(place + 1)):
            sent(survey, questionnaire, other)


def test_a_required_text_that_was_asked_is_not_empty(survey, questionnaire):
    codes = codes_for(questionnaire, YES, "019")
    codes[5] = questionnaire.items[5].encode("")
    with pytest.raises(Unanswered):
        sent(survey, questionnaire, codes)


def test_a_question_without_a_rule_takes_no_mark(survey, questionnaire):
    codes = codes_for(questionnaire, YES, "019")
    for place, mark in ((0, "--"), (1, "..."), (8, "--")):
        other = list(codes)
        other[place] = mark
        with pytest.raises((Refused, Malformed)):
            sent(survey, questionnaire, other)


def test_ratings_are_all_there_or_all_marked(survey, questionnaire):
    codes = codes_for(questionnaire, YES, "019")
    item = questionnaire.items[6]
    values = list(SENT(item, codes[6]))
    body = body_of(survey.revision, codes)
    body = body.replace(f"={values[0]}".encode(), b"=" + item.slot_code.not_asked.encode(), 1)
    with pytest.raises((Refused, PartlyDrawn)):
        parse(body, questionnaire=questionnaire, revision=str(survey.revision.pk))


def test_with_an_own_coin_what_a_rule_hides_is_left_out_whatever_was_chosen(survey, questionnaire):
    codes = codes_for(questionnaire, NO, "045", own_coin=True)
    codes[2], codes[3], codes[5] = YES, YES, "Mine"
    submission, _ = sent(survey, questionnaire, codes, own_coin=True)
    assert submission.codes[2] == submission.codes[3] == "--"
    assert submission.contents().texts == ()


def test_with_an_own_coin_what_is_missing_can_be_corrected(survey, questionnaire):
    codes = codes_for(questionnaire, YES, "019", own_coin=True)
    codes[2], codes[5] = "--", ""
    with pytest.raises(BadAnswers) as refusal:
        sent(survey, questionnaire, codes, own_coin=True)
    assert list(refusal.value.problems) == ["q003", "q006"]
    assert (
        "Please answer question 3: your other answers show that it is for you."
        in refusal.value.problems["q003"]
    )


def test_with_an_own_coin_an_empty_number_is_one_that_was_not_asked(survey, questionnaire):
    codes = codes_for(questionnaire, YES, "019", own_coin=True)
    codes[4] = ""
    assert sent(survey, questionnaire, codes, own_coin=True)[0].codes[4] == "...."
    codes = codes_for(questionnaire, NO, "019", own_coin=True)
    codes[4] = ""
    with pytest.raises(BadAnswers):
        sent(survey, questionnaire, codes, own_coin=True)


def test_the_loss_is_that_of_the_dearest_branch(owner):
    """Behind a filter that is not protected, a person meets one branch and not the others."""
    draft = make_survey(owner)
    car = add_question(draft, text="Do you own a car?", design="direct")
    for value, count in (("Yes", 2), ("No", 1)):
        for number in range(count):
            add_condition(
                add_question(draft, text=f"{value} {number}", required=True), car, "is", value
            )
    branches = draft_questionnaire(draft)
    assert branches.loss == Loss(Fraction(9))
    assert len(branches.randomized) == 3
    assert "together can change the odds of any guess about you at most 9-fold" in (
        total_odds(branches)
    )
    assert branches.to_document()["loss"] == {"odds": "9", "is_exact": True}


def test_random_marks_and_answers_are_refused_or_follow_the_rules(survey, questionnaire):
    chance = random.Random(11)
    accepted = 0
    for _ in range(400):
        codes = codes_for(questionnaire, *chance.choice(WAYS))
        for place in chance.sample(range(9), chance.randrange(3)):
            item = questionnaire.items[place]
            if not item.text_bytes:
                codes[place] = chance.choice([item.not_asked, first_code(item, own_coin=False)])
        try:
            submission, _ = sent(survey, questionnaire, codes)
        except Refused:
            continue
        accepted += 1
        asked = questionnaire.routes.asked_of(submission.codes)
        for item, code, one in zip(questionnaire.items, submission.codes, asked, strict=True):
            assert item.text_bytes or was_asked(item, code) is one
    assert 50 < accepted < 390
