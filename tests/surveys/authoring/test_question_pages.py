"""A question's page in the admin: where its buttons lead."""

import html
import re

import pytest
from django.urls import reverse

from surveys.models import Question, Survey
from tests.factories import add_condition, add_question, make_survey
from tests.question_forms import question_form


@pytest.fixture
def survey(author):
    return make_survey(author)


@pytest.fixture
def question(survey):
    return add_question(survey)


ADD = reverse("admin:surveys_question_add")


def page_of(question: Question, name: str = "change") -> str:
    return reverse(f"admin:surveys_question_{name}", args=[question.pk])


def list_page(survey: Survey) -> str:
    return reverse("admin:surveys_survey_questions", args=[survey.pk])


def test_saving_a_question_leads_to_its_row_in_the_list(admin, survey, question):
    reply = admin.post(page_of(question), question_form(survey=survey.pk, _save="Save"))
    assert reply.status_code == 302
    assert reply.url == f"{list_page(survey)}#question-{question.pk}"
    assert f'id="question-{question.pk}"' in admin.get(list_page(survey)).content.decode()


def test_saving_a_new_question_leads_to_its_row_in_the_list(admin, survey):
    reply = admin.post(ADD, question_form(survey=survey.pk, _save="Save"))
    made = survey.questions.get(text="Q?")
    assert reply.url == f"{list_page(survey)}#question-{made.pk}"


def test_deleting_a_question_leads_to_the_list(admin, survey, question):
    reply = admin.post(page_of(question, "delete"), {"post": "yes"}, follow=True)
    assert reply.redirect_chain == [(list_page(survey), 302)]
    assert "was deleted successfully" in reply.content.decode()
    assert not survey.questions.exists()


def test_a_question_that_rules_read_stays_and_leads_to_them(admin, survey, question):
    reader = add_question(survey, text="Why is <that> so?")
    add_condition(reader, question, "is", "Yes")
    page = html.unescape(admin.get(page_of(question, "delete")).content.decode())
    assert "This question was not deleted, because rules of other questions" in page
    assert f'<a href="{page_of(reader)}">Question 2' in page
    assert "1 is Yes" in page
    admin.post(page_of(question, "delete"), {"post": "yes"})
    assert survey.questions.count() == 2


def test_the_page_that_asks_before_a_question_is_deleted_is_shown(admin, question):
    reply = admin.get(page_of(question, "delete"))
    assert reply.status_code == 200
    assert "Are you sure" in reply.content.decode()


def test_save_and_continue_editing_stays_on_the_question(admin, survey, question):
    reply = admin.post(page_of(question), question_form(survey=survey.pk, _continue="1"))
    assert reply.url == page_of(question)
    reply = admin.post(ADD, question_form(survey=survey.pk, text="New?", _continue="1"))
    assert reply.url == page_of(survey.questions.get(text="New?"))


def test_the_next_question_is_added_to_the_same_survey(admin, author, survey, question):
    make_survey(author, title="Another draft")
    for address in (ADD, page_of(question)):
        reply = admin.post(address, question_form(survey=survey.pk, _addanother="1"), follow=True)
        form = reply.context["adminform"].form
        assert reply.redirect_chain == [(f"{ADD}?survey={survey.pk}", 302)]
        assert form["survey"].value() == str(survey.pk)


def test_no_protection_is_chosen_for_a_new_question_and_none_is_saved_unchosen(admin, survey):
    page = admin.get(f"{ADD}?survey={survey.pk}")
    form = page.context["adminform"].form
    assert form["design"].value() == ""
    assert "Ask a harmless question directly" in html.unescape(page.content.decode())
    reply = admin.post(ADD, question_form(survey=survey.pk, design=""))
    assert reply.context["adminform"].form.errors.keys() == {"design"}
    assert not survey.questions.exists()


@pytest.mark.parametrize(
    ("kind", "design", "begins_as"),
    [("yes_no", "direct", "direct"), ("yes_no", "two_coins", ""), ("text", "direct", "")],
)
def test_after_a_question_that_its_author_asks_directly_the_next_one_begins_so(
    admin, survey, kind, design, begins_as
):
    typed = question_form(survey=survey.pk, kind=kind, design=design, _addanother="1")
    form = admin.post(ADD, typed, follow=True).context["adminform"].form
    assert form["design"].value() == begins_as


def test_a_question_that_has_no_design_to_choose_is_passed_over_for_that(admin, survey, question):
    for design, begins_as in (("two_coins", ""), ("direct", "direct")):
        survey.questions.filter(pk=question.pk).update(design=design)
        typed = question_form(survey=survey.pk, kind="text", design="direct", _addanother="1")
        form = admin.post(ADD, typed, follow=True).context["adminform"].form
        assert form["design"].value() == begins_as


def test_what_is_typed_and_what_follows_from_it_have_names_of_their_own(admin, question):
    page = admin.get(page_of(question)).content.decode()
    labels = [" ".join(one.split()) for one in re.findall(r"<label[^>]*>([^<]+)</label>", page)]
    labels = [label.rstrip(":").lower() for label in labels]
    about = [label for label in labels if "epsilon" in label]
    assert about == ["epsilon of this question", "resulting epsilon"]


def test_in_a_popup_saving_and_deleting_close_the_popup(admin, survey, question):
    popup = {"_popup": "1"}
    replies = [
        admin.post(ADD, question_form(survey=survey.pk, **popup)),
        admin.post(page_of(question), question_form(survey=survey.pk, **popup)),
        admin.post(page_of(question, "delete"), {"post": "yes", **popup}),
    ]
    for reply in replies:
        assert "admin/popup_response.html" in [template.name for template in reply.templates]


def test_save_and_next_leads_through_all_questions_and_back_to_the_list(admin, survey, question):
    second = add_question(survey, text="Second?")
    assert 'name="_next"' in admin.get(page_of(question)).content.decode()
    reply = admin.post(page_of(question), question_form(survey=survey.pk, _next="1"))
    assert reply.url == page_of(second)
    assert 'name="_next"' not in admin.get(page_of(second)).content.decode()
    reply = admin.post(page_of(second), question_form(survey=survey.pk, _next="1"))
    assert reply.url == f"{list_page(survey)}#question-{second.pk}"


def test_saving_returns_to_the_page_that_led_here(admin, survey, question):
    second = add_question(survey, text="Second?")
    reply = admin.post(
        page_of(question) + "?from=survey", question_form(survey=survey.pk, _next="1")
    )
    assert reply.url == page_of(second) + "?from=survey"
    reply = admin.post(reply.url, question_form(survey=survey.pk))
    assert reply.url == reverse("admin:surveys_survey_change", args=[survey.pk])
    elsewhere = admin.post(page_of(second) + "?from=//example.org", question_form(survey=survey.pk))
    assert elsewhere.url.startswith(list_page(survey))


def test_the_page_says_which_question_of_which_survey_it_is(admin, survey, question):
    add_question(survey)
    page = admin.get(page_of(question)).content.decode()
    assert "Question 1 of 2" in page
    assert f'href="{list_page(survey)}"' in page


@pytest.mark.parametrize("key", ["garbage", "", "00000000-0000-4000-8000-000000000000"])
def test_a_new_question_for_no_survey_is_a_form_all_the_same(admin, survey, key):
    assert admin.get(f"{ADD}?survey={key}").status_code == 200
