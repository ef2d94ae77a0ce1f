"""What a survey does not use does not stand on its questions: it is in a closed group, or left off.

A field that is left off keeps its stored value.
"""

import pytest
from django.contrib import admin as django_admin
from django.contrib.admin.utils import flatten
from django.urls import reverse

from surveys.models import Question, Survey, TallyTable
from tests import factories
from tests.question_forms import question_form, save_question

ADD = reverse("admin:surveys_question_add")


@pytest.fixture
def survey(author):
    return factories.make_survey(author)


@pytest.fixture
def question(survey):
    return factories.add_question(survey, design="direct", required=True)


def address_of(question: Question) -> str:
    return reverse("admin:surveys_question_change", args=[question.pk])


def opened(page) -> set[str]:
    return {shown.group.key for shown in page.context["groups"] if shown.group and shown.is_open}


def fields_on(page) -> set[str]:
    return set(page.context["adminform"].form.fields)


def text_of(page) -> str:
    return " ".join(page.content.decode().split())


def add_arms(survey: Survey) -> None:
    Survey.objects.filter(pk=survey.pk).update(arms="One: 1\nOther: 1")


def add_table(survey: Survey) -> None:
    TallyTable.objects.create(survey=survey, table=1, sigma="4")


# Fields that the survey's page switches on.


def test_arms_and_tables_stand_on_a_question_once_its_survey_has_them(admin, survey, question):
    assert not {"arms", "counted_table"} & fields_on(admin.get(address_of(question)))
    add_arms(survey)
    assert "arms" in fields_on(admin.get(address_of(question)))
    add_table(survey)
    assert {"arms", "counted_table"} <= fields_on(admin.get(address_of(question)))


def test_a_new_question_has_the_fields_that_its_survey_uses(admin, survey):
    new = f"{ADD}?survey={survey.pk}"
    assert not {"arms", "counted_table"} & fields_on(admin.get(new))
    add_arms(survey)
    assert "arms" in fields_on(admin.get(new))
    for unknown in ("", "garbage", "00000000-0000-4000-8000-000000000000"):
        assert {"arms", "counted_table"} <= fields_on(admin.get(f"{ADD}?survey={unknown}"))


def test_the_survey_of_another_person_says_nothing_of_what_it_uses(admin):
    theirs = factories.make_survey(factories.make_user("other"))
    page = admin.get(f"{ADD}?survey={theirs.pk}")
    assert {"arms", "counted_table"} <= fields_on(page)
    assert theirs.title not in text_of(page)


def test_a_page_says_where_to_switch_on_what_it_leaves_off(admin, survey, question):
    promises = reverse("admin:surveys_survey_change", args=[survey.pk])
    text = text_of(admin.get(address_of(question)))
    assert f'“Ways of asking” on <a href="{promises}#id_arms">' in text
    assert "This survey has no tables of locked answers." in text
    add_arms(survey)
    add_table(survey)
    text = text_of(admin.get(address_of(question)))
    assert "This survey has no" not in text


def test_who_may_only_read_is_not_sent_to_switch_something_on(admin, author):
    launched = factories.make_open_survey(author)
    assert "This survey has no" not in text_of(admin.get(address_of(launched.questions.first())))


def test_a_value_that_the_survey_does_not_use_stays_on_the_page_to_be_taken_away(
    admin, survey, question
):
    Question.objects.filter(pk=question.pk).update(arms="One", counted_table=1)
    page = admin.get(address_of(question))
    assert {"arms", "counted_table"} <= fields_on(page)
    assert "This survey has no" not in text_of(page)
    save_question(admin, question, arms="", counted_table="")
    question.refresh_from_db()
    assert (question.arms, question.counted_table) == ("", None)
    assert not {"arms", "counted_table"} & fields_on(admin.get(address_of(question)))


def test_a_field_that_a_form_does_not_have_keeps_its_stored_value(admin, survey, question):
    """The page was opened before the survey had arms and tables."""
    add_arms(survey)
    add_table(survey)
    Question.objects.filter(pk=question.pk).update(arms="One", counted_table=1)
    save_question(admin, question, text="Other?")
    question.refresh_from_db()
    assert (question.text, question.arms, question.counted_table) == ("Other?", "One", 1)


def test_what_is_typed_for_a_survey_without_arms_is_not_stored(admin, survey, question):
    save_question(admin, question, arms="One", counted_table=1)
    question.refresh_from_db()
    assert (question.arms, question.counted_table) == ("", None)


def test_a_mark_of_an_import_stays_on_the_page_until_it_is_removed(admin, survey, question):
    assert "unfinished" not in fields_on(admin.get(address_of(question)))
    assert "unfinished" not in fields_on(admin.get(f"{ADD}?survey={survey.pk}"))
    Question.objects.filter(pk=question.pk).update(unfinished=True)
    assert "Not finished" in text_of(admin.get(address_of(question)))
    save_question(admin, question, unfinished="on")
    question.refresh_from_db()
    assert question.unfinished
    save_question(admin, question)
    question.refresh_from_db()
    assert question.unfinished is False
    assert "unfinished" not in fields_on(admin.get(address_of(question)))


# Groups.


def test_every_field_stands_on_the_page_once(admin, survey, question):
    Question.objects.filter(pk=question.pk).update(unfinished=True)
    add_arms(survey)
    add_table(survey)
    page = admin.get(address_of(question))
    shown = flatten([line for row in page.context["groups"] for line in row.fieldset.fields])
    assert sorted(shown) == sorted(flatten(django_admin.site._registry[Question].fields))


def test_a_plain_question_has_all_groups_closed_and_sends_their_fields(admin, question):
    page = admin.get(address_of(question))
    assert opened(page) == set()
    assert page.content.decode().count('<details class="group ') == 4
    for name in (
        "section",
        "same_screen",
        "random_screens",
        "known_share",
        "rule_joins",
        "behind",
        "name",
    ):
        assert f'name="{name}"' in text_of(page)
    assert "If you change nothing, this question is not an anchor." in text_of(page)


@pytest.mark.parametrize(
    ("field", "value", "key"),
    [
        ("section", "Health", "order"),
        ("section_text", "About you.", "order"),
        ("same_screen", True, "order"),
        ("random_options", True, "order"),
        ("random_screens", True, "order"),
        ("random_section", True, "order"),
        ("known_share", "0", "anchor"),
        ("rule_joins", "any", "rule"),
        ("behind", "own", "rule"),
        ("name", "mood", "files"),
    ],
)
def test_a_group_is_open_on_all_questions_of_a_survey_that_uses_it(
    admin, survey, question, field, value, key
):
    other = factories.add_question(survey, text="Other?")
    Question.objects.filter(pk=question.pk).update(**{field: value})
    for page in (address_of(question), address_of(other), f"{ADD}?survey={survey.pk}"):
        assert opened(admin.get(page)) == {key}
    elsewhere = factories.add_question(factories.make_survey(survey.owner))
    assert opened(admin.get(address_of(elsewhere))) == set()


def test_conditions_open_how_they_are_read(admin, survey, question):
    other = factories.add_question(survey, text="Other?")
    factories.add_condition(other, question)
    assert opened(admin.get(address_of(other))) == {"rule"}
    assert opened(admin.get(address_of(question))) == set()


def test_an_error_opens_its_group(admin, question):
    wrong = {"section": "x" * 201, "rule_joins": "garbage", "known_share": "x" * 41}
    page = admin.post(address_of(question), question_form(question, **wrong))
    assert set(page.context["adminform"].form.errors) == set(wrong)
    assert opened(page) == {"order", "rule", "anchor"}
