"""An empty installation offers three drafts to begin with; each can be launched as it is."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.checklist.checks import Standing, checks_of
from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.authoring.first_steps.services import make_from
from surveys.authoring.first_steps.templates import TEMPLATES
from surveys.authoring.services import launch
from surveys.models import Question, Survey
from surveys.staff.queries import audit_entries

PAGE = reverse("admin:surveys_survey_first_steps")


def completed(survey: Survey) -> Survey:
    survey.organisation = "Institute"
    survey.close_on = timezone.now().date() + timedelta(days=14)
    survey.save()
    return survey


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("template", TEMPLATES.values(), ids=list(TEMPLATES))
def test_a_template_asks_for_no_second_look_at_what_its_author_did_not_choose(
    author, template, settings
):
    settings.RECOVERY_KEY = bytes(32)  # the operator's choice
    author.email = "author@example.org"
    checks = checks_of(completed(make_from(template, by=author)))
    assert {check.key: check.lines for check in checks if check.standing is not Standing.DONE} == {}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=list(TEMPLATES))
def test_a_template_becomes_a_draft_that_needs_who_asks_and_a_last_day(author, template):
    author.email = "author@example.org"
    survey = make_from(template, by=author)
    assert (survey.owner, survey.state) == (author, Survey.State.DRAFT)
    with pytest.raises(NotReady) as missing:
        draft_questionnaire(survey)
    assert [reason.split(",")[0] for reason in missing.value.reasons] == [
        "Write who asks.",
        "Choose a last day",
    ]
    launch(survey=completed(survey), by=author)


def test_a_template_can_be_taken_twice_and_is_in_the_audit_log(author):
    for template in TEMPLATES.values():
        for _ in range(2):
            survey = make_from(template, by=author)
        assert audit_entries(survey.pk)[0].action == "created"
    assert Survey.objects.count() == 6


def test_the_three_show_a_share_ratings_and_texts(author):
    kinds = {
        key: {question.kind for question in make_from(one, by=author).questions.all()}
        for key, one in TEMPLATES.items()
    }
    assert Question.Kind.YES_NO in kinds["prevalence"]
    assert Question.Kind.RATING in kinds["course"]
    assert Question.Kind.TEXT in kinds["workplace"]


def test_an_empty_list_of_surveys_leads_to_the_first_steps(client, author):
    client.force_login(author)
    assert PAGE in client.get(reverse("surveys:list")).content.decode()
    page = client.get(PAGE).content.decode()
    for name in ("Questions", "Preview", "Checklist", "Invitations", "Dashboard"):
        assert f"<b>{name}</b>" in page
    reply = client.post(PAGE, {"template": "course"})
    survey = Survey.objects.get()
    assert reply.url == reverse("admin:surveys_survey_questions", args=[survey.pk])
    planned = "The draft sets the deletion of answers to a day in one year."
    assert planned in client.get(reply.url).content.decode()


@pytest.mark.parametrize("key", ["", "garbage", "\0"])
def test_a_template_that_is_not_offered_makes_nothing(client, author, key):
    client.force_login(author)
    assert client.post(PAGE, {"template": key}).status_code == 200
    assert not Survey.objects.exists()


def test_who_is_not_staff_makes_nothing(client, author):
    author.is_staff = False
    author.save()
    client.force_login(author)
    client.post(PAGE, {"template": "course"})
    assert not Survey.objects.exists()
