"""Arms: who is asked what, what is refused, what a row keeps, and what protected answers tell."""

import itertools
import random
from collections import Counter
from fractions import Fraction

import pytest

from surveys.models.queries import questionnaire_of
from surveys.questionnaire.arms import arms_from, die_of, die_results, total_weight
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.logic.loss import Loss
from surveys.questionnaire.refusals import (
    BadAnswers,
    HiddenAnswered,
    Malformed,
    OutsideAlphabet,
    Unanswered,
)
from surveys.questionnaire.submission import Contents, body_length, parse
from tests import kept
from tests.arms import COINS, COMPARED, DIRECT, codes_in, make_arms_survey
from tests.bodies import body_of, first_code
from tests.factories import make_open_survey, make_user

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey
EVERY = (DIRECT, COINS, COMPARED)


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: make_arms_survey(make_user()))


def sent(survey, codes, arm, *, own_coin=False):
    body = body_of(survey.revision, codes, arm=arm, own_coin=own_coin)
    return parse(
        body, questionnaire=questionnaire_of(survey.revision), revision=str(survey.revision.pk)
    )


def test_the_document_keeps_arms_and_their_smallest_weights(survey, questionnaire):
    document = survey.revision.document
    assert document["arms"] == [
        {"code": "00", "text": {"en": "Asked directly"}, "weight": 1},
        {"code": "01", "text": {"en": "With coins"}, "weight": 2},
        {"code": "02", "text": {"en": "By comparing"}, "weight": 1},
    ]
    assert Questionnaire.from_document(document) == questionnaire
    assert questionnaire.to_document() == document
    assert [arm.weight for arm in arms_from([("A", 30), ("B", 20)])] == [3, 2]


def test_each_arm_is_asked_its_questions(questionnaire):
    asked = {
        arm: questionnaire.routes.asked_of([*codes_in(questionnaire, arm), arm]) for arm in EVERY
    }
    # The first answer to the question about a car is No: nobody is asked what it cost.
    assert asked == {
        DIRECT: (True, True, False, False, False, True, True),
        COINS: (True, False, True, False, False, False, True),
        COMPARED: (True, False, False, True, False, False, True),
    }
    assert [questionnaire.routes.arms_asked(item) for item in questionnaire.items] == [
        EVERY, (DIRECT,), (COINS,), (COMPARED,), (COINS, COMPARED), (DIRECT,), EVERY,
    ]  # fmt: skip


@pytest.mark.parametrize("own_coin", [False, True])
@pytest.mark.parametrize("arm", EVERY)
def test_what_an_arm_sends_is_stored_with_it(survey, questionnaire, arm, own_coin):
    codes = codes_in(questionnaire, arm, own_coin=own_coin)
    submission = sent(survey, codes, arm, own_coin=own_coin)
    words = questionnaire.items[5]
    assert words.text_bytes
    assert submission.codes == (*codes[:5], "", *codes[6:], arm)
    assert submission.answers.endswith(arm)
    assert len(submission.answers) == sum(item.width for item in questionnaire.row.variables)
    contents = submission.contents()
    assert Contents.from_bytes(contents.to_bytes(), questionnaire.row) == contents


def test_an_answer_to_a_question_of_another_arm_is_refused(survey, questionnaire):
    for arm, place in (
        (DIRECT, 2),
        (DIRECT, 3),
        (COINS, 1),
        (COINS, 5),
        (COMPARED, 1),
        (COMPARED, 2),
    ):
        codes = codes_in(questionnaire, arm)
        item = questionnaire.items[place]
        codes[place] = item.encode("x") if item.text_bytes else first_code(item, own_coin=False)
        with pytest.raises(HiddenAnswered) as refusal:
            sent(survey, codes, arm)
        assert refusal.value.reason == (
            f"These answers were not stored: question {place + 1} is answered, but your group is "
            "not asked this question."
        )


def test_the_questions_of_the_arm_have_answers(survey, questionnaire):
    for arm, place in ((DIRECT, 1), (COINS, 2), (COMPARED, 3)):
        codes = codes_in(questionnaire, arm)
        codes[place] = questionnaire.items[place].not_asked
        with pytest.raises(Unanswered, match=str(place + 1)) as refusal:
            sent(survey, codes, arm)
        assert "is not answered, but your group is asked this question." in refusal.value.reason
    codes = codes_in(questionnaire, COINS, own_coin=True)
    codes[2] = "--"
    with pytest.raises(BadAnswers) as by_hand:
        sent(survey, codes, COINS, own_coin=True)
    assert by_hand.value.problems == {
        "q003": "Please answer question 3: it is for the group that you drew."
    }


def test_what_is_answered_by_hand_for_another_arm_is_left_out(survey, questionnaire):
    codes = codes_in(questionnaire, COINS, own_coin=True)
    codes[1] = "01"
    assert sent(survey, codes, COINS, own_coin=True).codes[1] == "--"


@pytest.mark.parametrize("arm", ["03", "--", "99"])
@pytest.mark.parametrize("own_coin", [False, True])
def test_an_unknown_arm_is_refused(survey, questionnaire, arm, own_coin):
    codes = codes_in(questionnaire, DIRECT, own_coin=own_coin)
    with pytest.raises(OutsideAlphabet):
        sent(survey, codes, arm, own_coin=own_coin)


def test_an_arm_that_is_missing_or_twice_or_elsewhere_is_refused(survey, questionnaire):
    revision = str(survey.revision.pk)
    body = body_of(survey.revision, codes_in(questionnaire, DIRECT), arm=DIRECT)
    assert parse(body, questionnaire=questionnaire, revision=revision)
    for bad in (
        body.replace(b"&arm=00", b""),
        body.replace(b"&arm=00", b"&arm=00&arm=00"),
        body.replace(b"&arm=00", b"&arm=00&arm=01"),
        body.replace(b"&arm=00", b"") + b"&arm=00",
        body.replace(b"&arm=00", b"&arm="),
    ):
        with pytest.raises((Malformed, OutsideAlphabet)):
            parse(bad, questionnaire=questionnaire, revision=revision)


def test_a_survey_without_arms_takes_none(owner):
    revision = make_open_survey(owner).revision
    body = body_of(revision, arm=DIRECT)
    with pytest.raises(Malformed):
        parse(body, questionnaire=questionnaire_of(revision), revision=str(revision.pk))


def test_bodies_are_equally_long_in_all_arms(survey, questionnaire):
    chance = random.Random(17)
    bodies = [
        body_of(survey.revision, codes_in(questionnaire, arm, chance=chance), arm=arm)
        for arm in EVERY
        for _ in range(50)
    ]
    assert len(set(bodies)) > 20
    assert {len(body) for body in bodies} == {body_length(questionnaire)}


def test_the_loss_is_that_of_the_arm_in_which_it_is_largest(questionnaire):
    # Two coins and crosswise with a quarter: 3 each. All are asked the last one, two arms another.
    assert questionnaire.loss == Loss(Fraction(9))
    assert questionnaire.frozen_loss == Loss(Fraction(9))
    by_enumeration = max(
        _ratio_in(questionnaire, arm, answers)
        for arm in EVERY
        for answers in itertools.product((0, 1), repeat=3)
    )
    assert by_enumeration == 9


def _ratio_in(questionnaire, arm, reports) -> Fraction:
    """How much likelier these reports are of some truths than of others, in one arm."""
    asked = questionnaire.routes.asked_of([*codes_in(questionnaire, arm), arm])
    ratio = Fraction(1)
    protected = [
        (i, one) for i, one in zip(questionnaire.items, asked, strict=True) if i.is_randomized
    ]
    for (item, is_asked), report in zip(protected, reports, strict=True):
        if is_asked:
            chances = [column[report] for column in item.weights]
            ratio *= Fraction(max(chances), min(chances))
    return ratio


@pytest.mark.parametrize(
    "weights", [(1, 1), (1, 2), (1, 2, 1), (2, 3), (1, 1, 1, 1, 1), (1, 6), (5, 31), (99, 98, 19)]
)
def test_a_die_draws_each_arm_by_its_weight_exactly(weights):
    arms = arms_from([(str(weight), weight) for weight in weights])
    die, results = die_of(arms), die_results(arms)
    drawn: Counter[int | None] = Counter()
    for throws in itertools.product("123456", repeat=die.throws):
        result = "".join(throws)
        named = [place for place, (low, high) in enumerate(results) if low <= result <= high]
        assert len(named) <= 1
        drawn[named[0] if named else None] += 1
    again = drawn.pop(None, 0)
    total = 6**die.throws - again
    assert [Fraction(drawn[place], total) for place in range(len(arms))] == [
        Fraction(arm.weight, total_weight(arms)) for arm in arms
    ]
    assert again < 6**die.throws / 2


def test_an_arm_has_its_part_of_all_people(questionnaire):
    shares = [questionnaire.routes.share_of(item) for item in questionnaire.items]
    quarter = Fraction(1, 4)
    assert shares == [1, quarter, 2 * quarter, quarter, 3 * quarter, quarter, 1]
