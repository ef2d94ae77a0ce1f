"""Options of a multiple choice that can only be ticked alone: what they reveal, what is refused."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from surveys.authoring.drafts import draft_questionnaire, item_of
from surveys.authoring.services import replace_options
from surveys.collecting.services import receive
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.refusals import NotAlone
from tests import factories
from tests.bodies import body_of
from tests.unready import why

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NO, YES, DECLINED = 0, 1, 2
DIRECT = {"design": Question.Design.DIRECT}


def add(survey: Survey, options: str, alone: str, **fields: object) -> Question:
    question = factories.add_ticks(survey, *options, **fields)
    replace_options(question=question, texts=list(options), alone=alone)
    return Question.objects.get(pk=question.pk)


def item(owner, options: str, alone: str, **fields: object) -> TicksQuestion:
    found = item_of(add(factories.make_survey(owner), options, alone, **fields))
    assert isinstance(found, TicksQuestion)
    return found


def truths(asked: TicksQuestion) -> list[tuple[int, ...]]:
    """Every answer that a person can give."""
    sets = itertools.product((NO, YES), repeat=asked.size)
    ticked = [(ticks, [n for n, tick in enumerate(ticks, start=1) if tick]) for ticks in sets]
    allowed = [
        ticks
        for ticks, numbers in ticked
        if len(numbers) <= asked.most and (len(numbers) < 2 or not {*numbers} & {*asked.alone})
    ]
    return allowed if asked.decline_level is None else [*allowed, (DECLINED,) * asked.size]


def law(asked: TicksQuestion, truth: tuple[int, ...]) -> dict[tuple, Fraction]:
    """Exactly, how often each (drawn options, their reports) is sent by a person."""
    draws = list(itertools.combinations(range(asked.size), asked.sent))
    return {
        (drawn, sent): Fraction(1, len(draws))
        * math.prod(
            Fraction(asked.weights[truth[part]][report], asked.denominator)
            for part, report in zip(drawn, sent, strict=True)
        )
        for drawn in draws
        for sent in itertools.product(range(len(asked.levels)), repeat=asked.sent)
    }


@pytest.mark.parametrize(
    ("options", "alone", "fields"),
    [
        ("abc", "c", {}),
        ("abc", "c", {"shown": 3}),
        ("abcd", "d", {"shown": 4}),
        ("abcd", "d", {"shown": 4, "most": 1}),
        ("abcd", "cd", {"shown": 4}),
        ("abcd", "bcd", {"shown": 4}),
        ("abcd", "bcd", {"shown": 4, "most": 1}),
        ("abcde", "e", {"shown": 5, "most": 2}),
        ("abc", "c", {"shown": 3, "required": False}),
    ],
)
def test_epsilon_is_exactly_what_all_draws_and_reports_reveal(owner, options, alone, fields):
    found = item(owner, options, alone, **fields)
    laws = [law(found, truth) for truth in truths(found)]
    largest = max(max(one[y] for one in laws) / min(one[y] for one in laws) for y in laws[0])
    assert found.epsilon == pytest.approx(math.log(largest))


@pytest.mark.parametrize("size", range(2, 8))
def test_people_differ_in_as_many_options_as_enumerated_and_never_in_more_than_without(owner, size):
    options = "abcdefg"[:size]
    for most, e in itertools.product(range(1, size + 1), range(size)):
        # Built once for each size: what is drafted does not depend on what is counted here.
        found = TicksQuestion(
            **{**PLAIN, "parts": tuple(options), "sent": size, "most": most},
            alone=tuple(range(size - e + 1, size + 1)),
        )
        answers = truths(found)
        apart = max(
            sum(a != b for a, b in zip(one, other, strict=True))
            for one, other in itertools.combinations(answers, 2)
        )
        assert found.differing == apart, (size, most, e)
        assert apart <= min(size, max(2 * most, 2))


PLAIN = {
    "id": "q",
    "text": "Which?",
    "help": "",
    "required": True,
    "kind": "ticks",
    "design": "two_coins",
    "known_yes": None,
    "name": "",
    "levels": (),
    "display": (),
}


def test_where_all_is_sent_an_author_s_epsilon_is_spread_over_fewer_options(owner):
    k_ary = {"design": Question.Design.K_ARY, "epsilon": Decimal(2), "shown": 6, "most": 6}
    with_it, without = item(owner, "abcdef", "f", **k_ary), item(owner, "abcdef", "", **k_ary)
    assert with_it.differing == without.differing == 6
    both = [
        item(owner, "abcdef", alone, **k_ary | {"most": 2}).differing for alone in ("", "f", "def")
    ]
    assert both == [4, 4, 3]


@pytest.mark.parametrize("ticked", ["1", "13", "3", ""])
def test_direct_answers_that_nobody_can_give_are_refused(owner, ticked):
    found = item(owner, "abc", "c", **DIRECT)
    sent = [f"0{n}0{int(str(n) in ticked)}" for n in (1, 2, 3)]
    for own_coin in (False, True):
        if ticked == "13":
            with pytest.raises(NotAlone):
                found.read(sent, own_coin=own_coin)
        else:
            assert found.read(sent, own_coin=own_coin) == "".join(sent)


def test_reports_may_be_of_any_options(owner):
    found = item(owner, "abc", "c", shown=3)
    assert found.read(["0101", "0201", "0301"], own_coin=False) == "010102010301"


def test_what_was_launched_says_which_and_says_nothing_where_there_is_none(owner):
    draft = factories.make_survey(owner)
    add(draft, "abc", "c", **DIRECT)
    add(draft, "abc", "", **DIRECT)
    survey = factories.launched(draft)
    document = survey.revision.document
    first, second = document["items"]
    assert first["alone"] == [3]
    assert "alone" not in second
    assert [one.alone for one in Questionnaire.from_document(document).items] == [(3,), ()]
    assert [one.alone for one in questionnaire_of(survey.revision).items] == [(3,), ()]


def test_a_body_with_both_stores_nothing(owner):
    draft = factories.make_survey(owner)
    add(draft, "ab", "b", **DIRECT)
    survey = factories.launched(draft)
    with pytest.raises(NotAlone) as refusal:
        receive(survey_id=survey.pk, body=body_of(survey.revision, ["01010201"]))
    assert "an answer that excludes all others is ticked together with other answers" in str(
        refusal.value.reason
    )


def test_rules_tell_apart_only_what_people_can_answer(owner):
    found = item(owner, "abc", "c", **DIRECT)
    told = {given.codes for given in found.in_rules.told_apart((1, 2)) if given}
    assert told == {(), ("01",), ("02",), ("01", "02"), ("03",)}


def test_options_that_all_stand_alone_are_a_choice(owner):
    draft = factories.make_survey(owner)
    add(draft, "ab", "ab", **DIRECT)
    assert "Every option excludes all other options" in why(draft)


def test_an_option_keeps_it_when_it_is_moved_and_loses_it_when_it_is_not_named(owner):
    draft = factories.make_survey(owner)
    question = add(draft, "abc", "c", **DIRECT)
    replace_options(question=question, texts=["c", "a", "b"], alone=["c"])
    assert draft_questionnaire(draft).items[0].alone == (1,)
    replace_options(question=question, texts=["c", "a", "b"])
    assert draft_questionnaire(Survey.objects.get(pk=draft.pk)).items[0].alone == ()


def test_the_database_refuses_another_choice_once_a_survey_is_launched(owner):
    draft = factories.make_survey(owner)
    question = add(draft, "abc", "c", **DIRECT)
    factories.launched(draft)
    with pytest.raises(IntegrityError), transaction.atomic():
        question.options.update(stands_alone=False)


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("fields", [DIRECT, {"shown": 3}])
def test_both_paths_say_which_and_a_question_without_any_says_nothing(owner, client, fields):
    said = {
        "start": "can be ticked only if no other answer is ticked: “c”.",
        "own-coin": "can be true only if no other answer is true: “c”.",
    }
    for alone in ("c", ""):
        draft = factories.make_survey(owner)
        add(draft, "abc", alone, **fields)
        survey = factories.launched(draft)
        for name, words in said.items():
            page = client.get(reverse(f"respondent:{name}", args=[survey.pk])).content.decode()
            assert (words in page) is bool(alone)
            assert ("data-alone" in page or "if no other answer is true" in page) is bool(alone)
