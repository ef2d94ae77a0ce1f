"""A survey and a question are copied by who may edit them; what belongs to people stays behind."""

from dataclasses import replace

import pytest
from django.urls import reverse

from surveys.authoring.drafts import draft_questionnaire
from surveys.authoring.editor.copies import copy_questions, copy_survey
from surveys.authoring.services import close
from surveys.models import Condition, Membership, Option, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.queries import audit_entries
from tests import factories
from tests.routed import make_routed_survey


def asked(questionnaire) -> list[object]:
    """Everything that is asked, but for the keys of the questions."""
    return [replace(item, id="") for item in questionnaire.items]


def test_a_copy_of_a_launched_survey_with_rules_is_a_draft_that_asks_the_same(author):
    survey = make_routed_survey(author)
    copy = copy_survey(survey=survey, by=author)
    assert copy.state == Survey.State.DRAFT
    assert asked(draft_questionnaire(copy)) == asked(questionnaire_of(survey.revision))
    assert Condition.objects.filter(question__survey=copy, source__survey=copy).count() == 8


def test_a_copy_shares_no_key_with_what_it_was_copied_from(author):
    survey = make_routed_survey(author)
    copy = copy_survey(survey=survey, by=author)
    for model, path in ((Question, "survey"), (Option, "question__survey")):
        old, new = (
            set(model.objects.filter(**{path: one}).values_list("pk", flat=True))
            for one in (survey, copy)
        )
        assert len(old) == len(new) > 0
        assert not old & new


def test_a_copy_of_a_closed_survey_has_neither_days_answers_members_nor_invitations(author):
    survey = factories.make_invited_survey(author, delete_on="2999-06-01")
    factories.invite(survey, 3)
    reader = factories.make_user("reader")
    editor = factories.make_user("editor")
    for user, role in ((reader, "analyst"), (editor, "editor")):
        Membership.objects.create(survey=survey, user=user, role=role)
    close(survey=survey, by=author)
    copy = copy_survey(survey=survey, by=editor)
    assert copy.owner == editor
    assert (copy.close_on, copy.delete_on, copy.closed_on) == (None, None, None)
    assert (copy.invited, copy.redeemed, copy.lost_answers) == (None, None, 0)
    assert not copy.memberships.exists()
    assert not copy.invitations.exists()
    assert not hasattr(copy, "revision")
    assert not copy.mailings.exists()


def test_promises_and_the_budget_are_copied(author):
    survey = factories.make_survey(author, end_link="https://example.org/help", batch_size=30)
    factories.add_budget(survey, epsilon=3)
    factories.add_text(survey)
    copy = copy_survey(survey=survey, by=author)
    kept = set(Survey.PROMISED) - {"title"}
    assert {name: getattr(copy, name) for name in kept} == {
        name: getattr(survey, name) for name in kept
    }
    assert [one.epsilon for one in copy.budgets.all()] == [3]
    assert copy.title == "Copy of Habits and health"


def test_a_title_of_200_letters_is_cut_in_its_copy(author):
    survey = factories.make_survey(author, title="מ" * 200)
    assert copy_survey(survey=survey, by=author).title == "Copy of " + "מ" * 192


def test_both_surveys_have_the_copy_in_their_audit_logs(author):
    survey = factories.make_open_survey(author)
    copy = copy_survey(survey=survey, by=author)
    assert audit_entries(survey.pk)[0].action == "copied"
    assert audit_entries(survey.pk)[0].after == {"copy": str(copy.pk)}
    made = audit_entries(copy.pk)[0]
    assert (made.action, made.after["copied from"]) == ("created", str(survey.pk))
    assert made.after["question 1: text"] == survey.questions.first().text


@pytest.mark.parametrize("role", [None, "analyst"])
def test_who_may_not_edit_a_survey_may_not_copy_it(author, client, role):
    survey = factories.make_open_survey(author)
    other = factories.make_user("other")
    if role:
        Membership.objects.create(survey=survey, user=other, role=role)
    with pytest.raises(NotAllowed):
        copy_survey(survey=survey, by=other)
    client.force_login(other)
    reply = client.post(reverse("admin:surveys_survey_copy", args=[survey.pk]))
    assert reply.status_code == (403 if role else 404)
    assert Survey.objects.count() == 1


def test_the_button_copies_and_leads_to_the_copy(author, client):
    survey = factories.make_open_survey(author)
    client.force_login(author)
    address = reverse("admin:surveys_survey_copy", args=[survey.pk])
    page = client.get(reverse("admin:surveys_survey_change", args=[survey.pk]))
    assert f'action="{address}"' in page.content.decode()
    assert client.get(address).status_code == 302
    assert Survey.objects.count() == 1
    reply = client.post(address, follow=True)
    copy = Survey.objects.get(state="draft")
    assert reply.redirect_chain == [(reverse("admin:surveys_survey_change", args=[copy.pk]), 302)]
    assert "was created as your draft" in reply.content.decode()


# Questions.


def test_a_question_is_copied_from_a_launched_survey_with_its_options(author):
    source = factories.make_open_survey(author)
    question = source.questions.get(text="How often did you drive drunk?")
    draft = factories.make_survey(author)
    factories.add_question(draft)
    [copy] = copy_questions(questions=[question], to=draft, by=author)
    assert [one.text for one in draft.questions.all()] == ["Have you ever shoplifted?", copy.text]
    assert [one.text for one in copy.options.all()] == ["Never", "Once", "Often"]
    assert audit_entries(draft.pk)[0].after["question 2: text"] == question.text


def test_a_copied_question_keeps_conditions_that_read_what_is_there(author):
    draft = factories.make_survey(author)
    car = factories.add_question(draft, text="Car?", design="direct")
    drunk = factories.add_question(draft, text="Drunk?")
    factories.add_condition(drunk, car)
    [again] = copy_questions(questions=[drunk], to=draft, by=author)
    assert again.conditions.get().source == car
    other = factories.make_survey(author)
    [alone] = copy_questions(questions=[drunk], to=other, by=author)
    assert not alone.conditions.exists()
    both = copy_questions(questions=[car, drunk], to=other, by=author)
    assert both[1].conditions.get().source == both[0]


def test_a_copied_question_quotes_the_copy_of_what_it_quoted(author):
    source = factories.make_survey(author)
    factories.add_question(source, text="First?")
    car = factories.add_question(source, text="Which car?", design="direct")
    again = factories.add_question(source, text="Why {answer 2}, and not {answer 1}?")
    draft = factories.make_survey(author)
    for text in "abc":
        factories.add_question(draft, text=text)
    *_, copy = copy_questions(questions=[car, again], to=draft, by=author)
    assert copy.text == "Why {answer 4}, and not {answer 0}?"


def test_questions_are_copied_from_surveys_that_one_may_edit_into_drafts_alone(author):
    other = factories.make_user("other")
    theirs = factories.make_open_survey(other)
    draft = factories.make_survey(author)
    with pytest.raises(NotAllowed):
        copy_questions(questions=[theirs.questions.first()], to=draft, by=author)
    with pytest.raises(NotAllowed):
        copy_questions(questions=[theirs.questions.first()], to=draft, by=other)
    with pytest.raises(NotPossible):
        copy_questions(questions=[theirs.questions.first()], to=theirs, by=other)
    assert not draft.questions.exists()


def test_a_rating_keeps_its_catalogue_which_its_copier_may_choose(author, client):
    survey = factories.make_survey(author)
    rating = factories.add_rating(survey)
    editor = factories.make_user("editor")
    Membership.objects.create(survey=survey, user=editor, role="editor")
    copy = copy_survey(survey=survey, by=editor).questions.get()
    survey.delete()
    client.force_login(editor)
    page = client.get(reverse("admin:surveys_question_change", args=[copy.pk]))
    field = page.context["adminform"].form.fields["catalogue"]
    assert list(field.queryset) == [rating.catalogue]
