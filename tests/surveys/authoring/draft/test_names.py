"""A question's name in files is one that statistics programs take, and no other question's."""

import pytest

from surveys.authoring.draft.names import refusal_of_name
from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.authoring.editor.copies import copy_questions, copy_survey
from tests import factories
from tests.question_forms import save_question


@pytest.mark.parametrize("name", ["a", "affair", "Q1", "q01", "q0010", "age_2", "x" * 24])
def test_letters_digits_and_underscores_make_a_name(name):
    assert refusal_of_name(name) is None


@pytest.mark.parametrize(
    "name",
    [
        *("1a", "_a", "a-b", "a b", "ä", "a\n", "اسم", "x" * 25),
        *("if", "AND", "str12", "with"),
        *("q001", "Q999", "arm", "ARM"),
    ],
)
def test_what_a_program_or_a_file_keeps_for_itself_is_refused(name):
    assert refusal_of_name(name)


@pytest.fixture
def draft(author):
    return factories.make_survey(author)


def test_the_form_keeps_a_name_and_says_what_is_wrong_with_another(admin, draft):
    first, second = (factories.add_question(draft, text=text) for text in ("One?", "Two?"))
    save_question(admin, first, name="affair")
    first.refresh_from_db()
    assert first.name == "affair"
    for name, words in (
        ("Affair", "“One?” already has this name"),
        ("a b", "“a b” is not a possible name"),
    ):
        page = save_question(admin, second, name=name)
        assert words in str(page.context["adminform"].form.errors["name"])
    save_question(admin, first, name="")
    first.refresh_from_db()
    assert first.name is None


def test_a_launch_is_refused_where_two_questions_have_one_name(draft):
    for text, name in (("One?", "mood"), ("Two?", None), ("Three?", "Mood"), ("Four?", "arm")):
        factories.add_question(draft, text=text, name=name)
    with pytest.raises(NotReady) as refused:
        draft_questionnaire(draft)
    twice, kept = refused.value.reasons
    assert "question 1 already has the name “Mood”" in twice
    assert (twice.question, twice.field) == (3, "name")
    assert (kept.question, kept.field) == (4, "name")


def test_a_copied_survey_keeps_names_and_a_copied_question_gives_way(author, draft):
    question = factories.add_question(draft, name="mood")
    other = factories.make_survey(author)
    assert [one.name for one in copy_survey(survey=draft, by=author).questions.all()] == ["mood"]
    twice = copy_questions(questions=[question], to=other, by=author)
    twice += copy_questions(questions=[question], to=other, by=author)
    assert [one.name for one in twice] == ["mood", None]
