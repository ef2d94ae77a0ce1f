"""Each person is asked some of the protected questions: the document, and what is accepted."""

import itertools
import math
from dataclasses import replace

import pytest

from surveys.kinds.levels.promise import Level, LevelQuestion
from surveys.kinds.number.promise import NumberRange
from surveys.kinds.rating.promise import RatedItems, RatingQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import was_asked
from surveys.questionnaire.refusals import Malformed, OutsideAlphabet, PartlyDrawn, WrongDraw
from surveys.questionnaire.submission import body_length, parse
from tests.early_documents import version_1
from tests.surveys.questionnaire.test_submission import AGE, KEY, NO_RECIPE, REVISION

LEVELS = (Level("00", "No"), Level("01", "Yes"))


def through(*weights: tuple[int, int]) -> LevelQuestion:
    return replace(NO_RECIPE, weights=weights, denominator=sum(weights[0]))


COINS = through((3, 1), (1, 3))  # epsilon ln 3
DICE = through((5, 1), (1, 5))  # epsilon ln 5
DIRECT = replace(AGE, id="d", required=True, number=NumberRange("0", "9", 0))
RATED = RatingQuestion(
    id="r",
    text="?",
    help="",
    required=True,
    kind="rating",
    design="k_ary",
    levels=LEVELS,
    display=(0, 1),
    weights=((2, 1), (1, 2)),
    denominator=3,
    items=RatedItems("c", 9, "", 2, 6),
)
SURVEY = Questionnaire("t", "i", "o", "c", 5, (COINS, DIRECT, DICE, RATED, COINS), asked=2)
ANSWERS = {0: "01", 2: "00", 3: "101200", 4: "01"}  # of the protected questions
UNDRAWN = {0: "--", 2: "--", 3: "------", 4: "--"}


def body(drawn: set[int], *, path: str = "browser", **other: str) -> bytes:
    codes = {place: (ANSWERS if place in drawn else UNDRAWN)[place] for place in ANSWERS}
    fields = {
        "revision": REVISION,
        "key": KEY,
        "path": path,
        "q001": codes[0],
        "q002": "7",
        "q003": codes[2],
        "q004i01": codes[3][:3],
        "q004i02": codes[3][3:],
        "q005": codes[4],
    }
    return "&".join(f"{name}={value}" for name, value in {**fields, **other}.items()).encode()


def read(sent: bytes, survey: Questionnaire = SURVEY):
    return parse(sent, questionnaire=survey, revision=REVISION)


SUBSETS = [set(drawn) for count in range(5) for drawn in itertools.combinations(ANSWERS, count)]


@pytest.mark.parametrize("path", ["browser", "owncoin"])
@pytest.mark.parametrize("drawn", SUBSETS, ids=str)
def test_exactly_so_many_protected_questions_have_an_answer(drawn, path):
    sent = body(drawn, path=path)
    assert len(sent) == body_length(SURVEY)
    if len(drawn) != 2:
        with pytest.raises(WrongDraw, match=str(len(drawn))) as refused:
            read(sent)
        assert "asks each person 2" in refused.value.reason
        assert refused.value.can_be_sent_again == (path == "owncoin")
        return
    submission = read(sent)
    asked = {n for n, item in enumerate(SURVEY.items) if was_asked(item, submission.codes[n])}
    assert asked == drawn | {1}
    assert len(submission.plain) == len(read(body({0, 2})).plain)


def test_a_survey_that_asks_everything_takes_no_undrawn_question():
    with pytest.raises(OutsideAlphabet):
        read(body({0, 2}), replace(SURVEY, asked=None))


def test_what_is_not_protected_is_asked_of_all():
    with pytest.raises(OutsideAlphabet):
        read(body({0, 2}, q002="-"))


def test_a_question_is_drawn_as_a_whole():
    for path in ("browser", "owncoin"):
        with pytest.raises(PartlyDrawn):
            read(body({0, 3}, path=path, q004i02="---"))
    with pytest.raises((Malformed, OutsideAlphabet)):
        read(body({0, 2}, q004i01="----", q004i02="--"))


def test_a_question_that_no_coin_can_ask_counts_as_drawn_without_an_answer():
    """People with their own coin draw among all protected questions, as the page does."""
    survey = replace(SURVEY, items=(COINS, DIRECT, NO_RECIPE, RATED, COINS))
    assert survey.own_coin.left_out == (NO_RECIPE,)
    assert len(read(body({0}, path="owncoin"), survey).codes) == 5
    for drawn, path in ((set(), "owncoin"), ({0, 3, 4}, "owncoin"), ({0}, "browser")):
        with pytest.raises(WrongDraw):
            read(body(drawn, path=path), survey)


def test_the_total_is_that_of_the_largest_ones_asked():
    epsilons = (math.log(3), math.log(5), 2 * math.log(2), math.log(3))
    assert [item.epsilon for item in SURVEY.randomized] == pytest.approx(epsilons)
    for asked in (1, 2, 3):
        survey = replace(SURVEY, asked=asked)
        most = max(map(math.fsum, itertools.combinations(epsilons, asked)))
        assert survey.loss.epsilon == pytest.approx(most)
        assert survey.draw.count == asked
    everything = replace(SURVEY, asked=None)
    assert everything.loss.epsilon == pytest.approx(math.fsum(epsilons))
    assert everything.draw.count == 4


def test_a_document_from_before_asks_everything():
    document = version_1(SURVEY.to_document())
    assert document["asked"] == 2
    assert Questionnaire.from_document(document) == SURVEY
    del document["asked"]
    assert Questionnaire.from_document(document).asked is None
