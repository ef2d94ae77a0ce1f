"""Surveys are configured in the admin, by their owner, until launch."""

import pytest
from django.contrib.messages import get_messages
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from surveys.authoring.services import begin_edit, launch
from surveys.models import AuditEntry, Question, Survey
from surveys.models.refusals import NotPossible
from tests.factories import (
    add_one_of_each,
    add_question,
    make_open_survey,
    make_survey,
    make_user,
)
from tests.question_forms import NO_KEYS, question_form
from tests.stored import store_rows


def form_of(survey: Survey, **changes: object) -> dict[str, object]:
    """What the survey's form sends, with its questions unchanged."""
    fields = {
        "title": survey.title,
        "introduction": survey.introduction,
        "organisation": survey.organisation,
        "contact": survey.contact,
        "language": survey.language,
        "also_in": survey.also_in.split(),
        "batch_size": 5,
        "opening": "live",
        "opening_days": 7,
        "opening_hour": 3,
        "below_k": "open",
        "planned_responses": "",
    }
    fields |= {"budgets-TOTAL_FORMS": 0, "budgets-INITIAL_FORMS": 0}
    fields |= NO_KEYS
    return {**fields, **changes}


def change(survey: Survey) -> str:
    return reverse("admin:surveys_survey_change", args=[survey.pk])


def said(reply) -> str:
    return " ".join(str(message) for message in get_messages(reply.wsgi_request))


def test_a_survey_is_made_for_the_one_who_makes_it(admin, author):
    fields = form_of(Survey(title="T", introduction="I", organisation="O", contact="C"))
    reply = admin.post(reverse("admin:surveys_survey_add"), fields)
    assert reply.status_code == 302
    survey = Survey.objects.get()
    assert survey.owner == author
    assert reply.url == f"{reverse('admin:surveys_question_add')}?survey={survey.pk}"


@pytest.mark.django_db
def test_the_admin_lists_no_tables_of_libraries():
    superuser = make_user("root", superuser=True)
    client = Client()
    client.force_login(superuser)
    apps = client.get(reverse("admin:index")).context["available_apps"]
    assert {app["app_label"] for app in apps} == {"auth", "surveys"}


def test_saving_a_draft_leads_to_its_questions_and_what_is_missing(admin, author):
    survey = make_survey(author)
    reply = admin.post(change(survey), form_of(survey, _save="Save"))
    assert reply.url == reverse("admin:surveys_survey_questions", args=[survey.pk])


def test_a_new_survey_names_its_authors_address_as_the_contact(admin, author):
    author.email = "author@example.org"
    author.save()
    page = admin.get(reverse("admin:surveys_survey_add"))
    assert page.context["adminform"].form["contact"].value() == "author@example.org"


def test_after_launch_nothing_that_was_promised_can_be_changed(admin, author):
    survey = make_open_survey(author)
    before = Survey.objects.values().get()
    questions = list(Question.objects.order_by("pk").values())
    fields = form_of(survey, title="Changed", introduction="Changed", contact="Changed")
    admin.post(change(survey), fields)
    assert Survey.objects.values().get() == before
    assert list(Question.objects.order_by("pk").values()) == questions


def test_after_launch_a_question_page_refuses_changes_and_deletion(admin, author):
    survey = make_open_survey(author)
    question = survey.questions.first()
    for name in ("change", "delete"):
        address = reverse(f"admin:surveys_question_{name}", args=[question.pk])
        reply = admin.post(address, {"text": "Changed?", "post": "yes"})
        assert reply.status_code == 403
    assert Question.objects.filter(pk=question.pk, text=question.text).exists()


def test_a_launched_survey_cannot_be_deleted(admin, author):
    survey = make_open_survey(author)
    address = reverse("admin:surveys_survey_delete", args=[survey.pk])
    assert admin.post(address, {"post": "yes"}).status_code == 403
    listing = reverse("admin:surveys_survey_changelist")
    admin.post(
        listing, {"action": "delete_selected", "_selected_action": [survey.pk], "post": "yes"}
    )
    assert Survey.objects.filter(pk=survey.pk).exists()


@pytest.mark.parametrize(
    "name",
    [
        "survey_change",
        "survey_delete",
        "survey_preview",
        "survey_preview_own_coin",
        "question_change",
    ],
)
def test_another_researchers_survey_is_not_there(admin, name):
    survey = make_survey(make_user("other"))
    target = add_question(survey) if name.startswith("question") else survey
    reply = admin.get(reverse(f"admin:surveys_{name}", args=[target.pk]))
    assert reply.status_code == 404
    assert survey.title not in reply.content.decode()


def test_a_superuser_sees_every_survey(client, author):
    survey = make_survey(author)
    client.force_login(make_user("root", superuser=True))
    assert client.get(change(survey)).status_code == 200


def test_the_preview_shows_the_respondents_own_pages(admin, author):
    survey = make_survey(author)
    add_one_of_each(survey)
    for name in ("preview", "preview_own_coin"):
        page = admin.get(reverse(f"admin:surveys_survey_{name}", args=[survey.pk]))
        assert page.status_code == 200
        assert "Have you taken drugs at work?" in page.content.decode()


def test_the_preview_of_what_is_not_ready_gives_the_reasons(admin, author):
    survey = make_survey(author)
    reply = admin.get(reverse("admin:surveys_survey_preview", args=[survey.pk]))
    assert reply.status_code == 302
    assert "at least one question" in said(reply)


def test_a_question_hears_at_once_what_is_missing_before_launch(admin, author):
    survey = make_survey(author)
    question = add_question(survey, required=True)
    forced = {"design": "forced_response", "forced": "1/0, 😀"}
    fields = question_form(survey=survey.pk, required="on", **forced)
    address = reverse("admin:surveys_question_change", args=[question.pk])
    reply = admin.post(address, fields)
    assert "Still to do before launch: Enter the probabilities of forced answers" in said(reply)
    reply = admin.post(address, {**fields, "design": "k_ary", "epsilon": "0.3333", "forced": ""})
    assert "will not be asked this question" in said(reply)


@pytest.mark.parametrize("epsilon", ["NaN", "-1", "0", "1e400", "1e9", "😀", "\x00"])
def test_garbage_in_a_field_is_an_error_beside_the_field(admin, author, epsilon):
    survey = make_survey(author)
    question = add_question(survey)
    address = reverse("admin:surveys_question_change", args=[question.pk])
    reply = admin.post(address, question_form(survey=survey.pk, design="k_ary", epsilon=epsilon))
    assert reply.status_code == 200
    assert "epsilon" in reply.context["adminform"].form.errors


@pytest.mark.parametrize("garbage", ["garbage", "\0", "😀", ""])
@pytest.mark.parametrize("name", ["surveys_survey", "auth_user", "auth_group"])
def test_choosing_what_is_not_in_the_list_is_no_error_of_ours(client, author, name, garbage):
    client.force_login(make_user("root", superuser=True))
    listing = reverse(f"admin:{name}_changelist")
    for action in ("launch", "delete_selected"):
        reply = client.post(listing, {"action": action, "_selected_action": garbage})
        assert reply.status_code == 302


def test_a_nul_in_an_address_or_a_cookie_is_refused_before_the_database(client, author):
    client.force_login(author)
    listing = reverse("admin:surveys_survey_changelist")
    assert client.get(listing, {"state__exact": "\0"}).status_code == 400
    client.cookies["sessionid"] = "\0aaaaaaaa"
    assert client.get(listing).status_code == 400


# Days and batches.


def test_invitations_batches_days_and_texts_are_set_in_the_form(admin, author):
    survey = make_survey(author)
    fields = {"invitation_only": "on", "batch_size": 30}
    fields |= {"close_on": "2999-01-01", "delete_on": "2999-06-01"}
    admin.post(change(survey), form_of(survey, **fields))
    survey.refresh_from_db()
    assert (survey.invitation_only, survey.batch_size) == (True, 30)
    assert (str(survey.close_on), str(survey.delete_on)) == ("2999-01-01", "2999-06-01")
    question = add_question(survey)
    text = question_form(text="Why?", kind="text", design="direct", longest=120)
    admin.post(reverse("admin:surveys_question_change", args=[question.pk]), text)
    question.refresh_from_db()
    assert (question.kind, question.longest) == ("text", 120)


@pytest.mark.parametrize(
    ("fields", "name", "words"),
    [
        ({"batch_size": 4}, "batch_size", "greater than or equal to 5"),
        ({"batch_size": 1001}, "batch_size", "less than or equal to 1000"),
        ({"batch_size": "9" * 400}, "batch_size", "less than or equal to 1000"),
        ({"batch_size": "NaN"}, "batch_size", "whole number"),
        ({"close_on": "2001-01-01"}, "close_on", "This day has passed"),
        ({"delete_on": "0001-01-01"}, "delete_on", "This day has passed"),
        ({"close_on": "31.02.2999"}, "close_on", "valid date"),
        ({"close_on": "😀"}, "close_on", "valid date"),
        (
            {"close_on": "2999-01-02", "delete_on": "2999-01-02"},
            "__all__",
            "on which answers are deleted must be after the survey's last day",
        ),
    ],
)
def test_days_and_sizes_that_cannot_be_are_refused_beside_the_field(
    admin, author, fields, name, words
):
    survey = make_survey(author)
    reply = admin.post(change(survey), form_of(survey, **fields))
    assert words in str(reply.context["adminform"].form.errors[name].data)
    assert not AuditEntry.objects.exists()


def test_a_form_that_was_opened_before_the_launch_changes_nothing(admin, author):
    """Somebody launches between the moment the form is read and the moment it is saved."""
    survey = make_survey(author)
    add_question(survey)
    fields = form_of(survey, title="Changed")
    stale = Survey.objects.get(pk=survey.pk)
    launch(survey=survey, by=author)
    stale.title = "Changed"
    with pytest.raises(ValidationError) as problem:
        stale.full_clean()
    assert "cannot return to an earlier state" in str(problem.value)
    with pytest.raises(NotPossible, match="Its state changed after you opened this page"):
        begin_edit(survey=stale, by=author)
    admin.post(change(survey), fields)
    survey.refresh_from_db()
    assert survey.title == "Habits and health"


def test_a_question_stays_in_its_survey(admin, author):
    survey, other = make_survey(author), make_survey(author)
    question = add_question(survey)
    fields = question_form(survey=other.pk)
    admin.post(reverse("admin:surveys_question_change", args=[question.pk]), fields)
    question.refresh_from_db()
    assert (question.survey, question.text) == (survey, "Q?")


@pytest.mark.parametrize(
    "query", ["title__regex=(", "close_on__year=99999999", "owner__password__startswith=a"]
)
def test_a_list_is_filtered_by_its_own_filters_alone(client, owner, query):
    client.force_login(make_user("root", superuser=True))
    reply = client.get(reverse("admin:surveys_survey_changelist") + f"?{query}")
    assert reply.status_code == 400


def test_a_key_beyond_all_numbers_is_refused_in_words(client, owner):
    client.force_login(make_user("root", superuser=True))
    reply = client.post(
        reverse("admin:auth_user_changelist"),
        {"action": "delete_selected", "_selected_action": "9" * 23},
        follow=True,
    )
    assert "Nothing was done. Choose from this list." in reply.content.decode()


def test_a_plan_that_is_typed_when_answers_can_be_read_is_read_all_the_time(admin, author):
    """One look is planned before the first. An error alone may be asked for at any time."""
    survey = make_open_survey(author)
    none = {"budgets-TOTAL_FORMS": 0, "budgets-INITIAL_FORMS": 0}
    none |= NO_KEYS
    planned = {**none, "planned_responses": 100, "planned_reading": "once"}
    reply = admin.post(change(survey), planned)
    survey.refresh_from_db()
    assert (survey.planned_responses, survey.planned_reading) == (100, "once")
    assert "Answers can be read already" not in said(reply)
    store_rows(survey.revision, ["000000000000018"] * 3)
    admin.post(change(survey), {**planned, "planned_error": "5"})
    survey.refresh_from_db()
    assert (survey.planned_error, survey.planned_reading) == (5, "once")
    reply = admin.post(change(survey), {**planned, "planned_responses": 90})
    survey.refresh_from_db()
    assert (survey.planned_responses, survey.planned_reading) == (90, "always")
    assert (
        "Answers can be read already, so under this plan the results are now read all the time."
        in said(reply)
    )
