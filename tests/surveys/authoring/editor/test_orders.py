"""Questions move to the numbers that people type: one, many, all sixty at once."""

import random
import re

import pytest

from surveys.authoring.editor.orders import arrange_questions, renumbered, together
from surveys.models.refusals import NotPossible
from tests import factories
from tests.surveys.authoring.editor.lists import arrange

ABC = list("abcde")


@pytest.fixture
def survey(author):
    survey = factories.make_survey(author)
    for text in ABC:
        factories.add_question(survey, text=text)
    return survey


def texts(survey) -> str:
    return "".join(survey.questions.values_list("text", flat=True))


@pytest.mark.parametrize(
    ("numbers", "order"),
    [
        ({}, "abcde"),
        ({"e": 1}, "eabcd"),
        ({"a": 5}, "bcdea"),
        ({"b": 3}, "acbde"),
        ({"a": 5, "e": 1}, "ebcda"),
        ({"a": 3, "e": 3}, "bcaed"),
        ({"d": 5, "e": 5}, "abced"),
        ({"a": 99}, "bcdea"),
        (dict(zip("abcde", (5, 4, 3, 2, 1), strict=True)), "edcba"),
    ],
)
def test_each_question_gets_the_number_that_was_typed(numbers, order):
    assert "".join(renumbered(ABC, numbers)) == order


def test_every_order_of_sixty_can_be_typed_at_once():
    rng = random.Random(7)
    keys = [f"{place:02}" for place in range(60)]
    for _ in range(50):
        wanted = rng.sample(keys, 60)
        assert renumbered(keys, {key: n for n, key in enumerate(wanted, start=1)}) == wanted
        some = {key: rng.randint(1, 70) for key in rng.sample(keys, 20)}
        assert sorted(renumbered(keys, some)) == keys


@pytest.mark.parametrize(
    ("chosen", "number", "order"),
    [
        ("bd", 1, "bdace"),
        ("bd", 3, "acbde"),
        ("a", 5, "bcdea"),
        ("ab", 99, "cdeab"),
        ("", 1, "abcde"),
    ],
)
def test_marked_questions_move_as_a_block(chosen, number, order):
    assert "".join(together(ABC, set(chosen), number)) == order


def test_typed_numbers_move_questions_in_one_go(admin, survey):
    a, b, *_, e = survey.questions.all()
    arrange(admin, survey, {a: 5, e: 1})
    assert texts(survey) == "ebcda"
    arrange(admin, survey, {}, marked=[a, b], button="_together", first=1)
    assert texts(survey) == "baecd"


def test_sixty_questions_are_moved_at_once_with_few_queries(
    admin, author, django_assert_max_num_queries
):
    survey = factories.make_survey(author)
    questions = [factories.add_question(survey, text=f"{n:02}") for n in range(60)]
    numbers = {question: 60 - place for place, question in enumerate(questions)}
    with django_assert_max_num_queries(40):
        arrange(admin, survey, numbers)
    assert list(survey.questions.all()) == questions[::-1]


@pytest.mark.parametrize("number", ["", "0", "6", "-1", "x", "1.5", "9" * 30, "٣x"])
def test_a_number_that_cannot_be_is_refused_beside_it_and_nothing_moves(admin, survey, number):
    a, *_ = survey.questions.all()
    page = arrange(admin, survey, {a: number})
    assert page.context["form"].errors[f"number-{a.pk}"]
    assert texts(survey) == "abcde"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"button": "_together", "first": 1}, "Mark at least one question"),
        ({"button": "_copy"}, "Mark at least one question"),
        ({"shown": ""}, ""),
        ({"shown": "garbage \0"}, ""),
    ],
)
def test_a_button_without_what_it_needs_does_nothing(admin, survey, fields, said):
    page = arrange(admin, survey, {}, **fields)
    assert page.status_code == 200
    assert said in page.content.decode()
    assert texts(survey) == "abcde"


def test_marked_questions_without_a_number_stay(admin, survey):
    page = arrange(admin, survey, {}, marked=[survey.questions.last()], button="_together")
    assert "Enter the number to which the marked questions should move" in page.content.decode()


def test_marked_questions_are_copied_to_the_end(admin, survey):
    a, b, *_ = survey.questions.all()
    arrange(admin, survey, {}, marked=[b, a], button="_copy", _copy="sure")
    assert texts(survey) == "abcdeab"


def test_before_copies_are_made_the_list_names_them_and_asks(admin, survey):
    a, b, *_ = survey.questions.all()
    page = arrange(admin, survey, {}, marked=[b, a], button="_copy")
    assert texts(survey) == "abcde"
    asked = page.content.decode().partition("Copy these questions?")[2].partition("</section>")[0]
    assert re.findall(r"<bdi>(.*?)</bdi>", asked) == ["a", "b"]
    assert 'form="list" name="_copy" value="sure"' in asked
    assert len(re.findall(r"<input [^>]*checked", page.content.decode())) == 2


def test_a_list_that_another_person_changed_meanwhile_moves_nothing_and_says_so(admin, survey):
    first, *others = survey.questions.all()
    shown = [question.pk for question in (first, *others)]
    factories.add_question(survey, text="f", position=99)
    page = arrange(admin, survey, {first: 3}, shown=" ".join(map(str, shown)))
    assert "because another person added, moved or deleted a question" in page.content.decode()
    with pytest.raises(NotPossible, match="because another person"):
        arrange_questions(survey=survey, shown=shown, order=shown, by=survey.owner)
    assert texts(survey) == "abcdef"


def test_a_launched_survey_keeps_its_order(admin, author):
    survey = factories.make_open_survey(author)
    keys = list(survey.questions.values_list("pk", flat=True))
    with pytest.raises(NotPossible, match="promised"):
        arrange_questions(survey=survey, shown=keys, order=keys[::-1], by=author)
    page = arrange(admin, survey, {survey.questions.first(): 3})
    assert "The order of questions in a launched survey cannot be changed" in page.content.decode()
    assert list(survey.questions.values_list("pk", flat=True)) == keys
