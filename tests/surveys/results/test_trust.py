"""The trust block: two questions at a press of a button, and what the results say of them."""

import pytest
from django.urls import reverse

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.kinds.trust.draft import SECTION, add_trust_block
from surveys.models import Question, Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.results.questions import all_reports
from surveys.results.reading import Reading
from surveys.results.rows.trust import trust_of
from tests.factories import add_question, add_trust, launched, make_survey, make_user
from tests.stored import store_rows

pytestmark = pytest.mark.django_db


def answered(owner, *rows: str) -> Survey:
    """A launched survey with these rows of (believed, of 100)."""
    draft = make_survey(owner, batch_size=5)
    add_trust(draft)
    survey = launched(draft)
    store_rows(survey.revision, rows)
    return survey


def dashboard(client, survey: Survey) -> str:
    client.force_login(survey.owner)
    page = client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    return " ".join(page.split())


def test_the_block_has_four_answers_and_a_number_up_to_100(owner):
    draft = make_survey(owner)
    add_question(draft)
    add_trust(draft)
    _, believed, honest = draft_questionnaire(draft).items
    assert [level.text for level in believed.levels] == [
        "Not at all",
        "A little",
        "Mostly",
        "Completely",
        "Prefer not to say",
    ]
    assert honest.number.bounds == ("0", "100")
    assert not believed.is_randomized
    assert list(draft.questions.values_list("section", flat=True)) == ["", "", ""]


def test_the_block_is_a_section_of_its_own_where_there_are_sections(owner):
    draft = make_survey(owner)
    add_question(draft, section="Habits")
    add_trust(draft)
    assert list(draft.questions.values_list("section", flat=True)) == ["Habits", SECTION, ""]


def test_the_results_say_both_with_their_intervals(client, owner):
    rows = ["03080"] * 4 + ["02060"] * 2 + ["01050"] * 2 + ["04..."]
    survey = answered(owner, *rows)
    words = dashboard(client, survey)
    assert "75.0 % of people who answered (" in words
    assert "On average, respondents think that 67.5 of 100 people like them (" in words
    assert (
        "A connection between trust and answers does not prove that one causes the other." in words
    )


@pytest.mark.parametrize(("believing", "ends"), [(9, "to 100.0 %)"), (1, "(0.0 % to")])
def test_normal_intervals_of_trust_are_shown_within_the_scale(owner, believing, ends):
    survey = answered(owner, *["03080"] * believing, *["00020"] * (10 - believing))
    reading = Reading("wald")
    trust = trust_of([report for report, _ in all_reports(survey.revision, reading)], reading)
    assert ends in trust.believed


def test_nothing_is_said_of_no_answers_or_without_the_block(client, owner):
    assert "Trust in the protection" not in dashboard(client, answered(owner))
    draft = make_survey(owner)
    add_question(draft)
    assert "Trust in the protection" not in dashboard(client, launched(draft))


def test_the_block_is_added_once_to_a_draft_by_who_may_edit_it(client, owner):
    draft = make_survey(owner)
    add_question(draft)
    with pytest.raises(NotAllowed):
        add_trust_block(survey=draft, by=make_user("grace"))
    client.force_login(owner)
    add = reverse("admin:surveys_survey_trust", args=[draft.pk])
    assert client.get(add).status_code == 302
    assert draft.questions.count() == 1
    assert (
        "Add questions about trust"
        in client.get(reverse("admin:surveys_survey_change", args=[draft.pk])).content.decode()
    )
    client.post(add)
    assert draft.questions.count() == 3
    client.post(add)
    assert draft.questions.count() == 3
    survey = launched(draft)
    with pytest.raises(NotPossible):
        add_trust_block(survey=survey, by=owner)


def test_trust_is_asked_directly(owner):
    draft = make_survey(owner)
    add_trust(draft)
    draft.questions.update(design=Question.Design.TWO_COINS)
    with pytest.raises(NotReady, match=r"asked directly\. Choose the design “Direct”"):
        draft_questionnaire(draft)
