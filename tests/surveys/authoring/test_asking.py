"""What cannot be undone is asked about on a page of its own: launch, close, day of deletion."""

import pytest
from django.urls import reverse

from surveys.collecting.services import receive
from surveys.models import AuditEntry, CatalogueItem, Membership, Survey
from surveys.staff.roles import Role
from tests.bodies import body_of
from tests.factories import (
    add_budget,
    add_question,
    add_rating,
    add_text,
    launched,
    make_open_survey,
    make_survey,
    make_user,
)
from tests.surveys.authoring.asking import confirm, confirmed, page_of, proof_in
from tests.surveys.authoring.test_admin import change, form_of, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(author):
    survey = make_survey(author)
    add_question(survey)
    return survey


def state_of(survey: Survey) -> str:
    return Survey.objects.get(pk=survey.pk).state


FORGED = [{}, {"shown": ""}, {"shown": "0" * 64}, {"confirmed": "yes"}, {"_launch": "1"}]


@pytest.mark.parametrize("sent", FORGED)
def test_no_single_post_launches_or_closes(admin, author, draft, sent):
    running = make_open_survey(author)
    for survey, act in ((draft, "launch"), (running, "close")):
        before = state_of(survey)
        reply = admin.post(page_of(survey, act), sent)
        assert "You cannot undo this." in reply.content.decode()
        form = {**form_of(survey), "_launch": "1", "_close": "1", **sent}
        admin.post(change(survey), form)
        chosen = {"action": act, "_selected_action": [survey.pk], **sent}
        admin.post(reverse("admin:surveys_survey_changelist"), chosen)
        assert state_of(survey) == before
    assert not AuditEntry.objects.filter(action="launched", survey=draft.pk).exists()


def test_launching_says_first_what_is_fixed_and_what_is_promised(admin, draft):
    add_text(draft)
    add_budget(draft)
    words = admin.get(page_of(draft, "launch")).content.decode()
    assert "All 2 questions" in words
    assert "The privacy budget for reports on free texts" in words
    assert "Can people who see what was sent learn a true answer to a protected question?" in words
    assert "Question 2: answers are sent as given (not protected)." in words
    assert "Anyone who has the link of this survey can answer it." in words
    assert state_of(draft) == "draft"


def test_the_form_leads_to_the_page_and_its_button_launches(admin, draft):
    reply = admin.post(change(draft), form_of(draft, title="Saved first", _launch="1"))
    assert reply.url == page_of(draft, "launch")
    done = confirm(admin, draft, "launch")
    assert reverse("respondent:start", args=[draft.pk]) in said(done)
    survey = Survey.objects.get()
    assert (survey.state, survey.title) == ("open", "Saved first")


def test_the_list_leads_to_the_page_of_one_survey(admin, draft, author):
    listing = reverse("admin:surveys_survey_changelist")
    one = {"action": "launch", "_selected_action": [draft.pk]}
    assert admin.post(listing, one).url == page_of(draft, "launch")
    two = {"action": "close", "_selected_action": [draft.pk, make_open_survey(author).pk]}
    assert "Choose one survey" in said(admin.post(listing, two))


def change_text(survey):
    survey.questions.update(text="Something else?")


def change_day(survey):
    Survey.objects.filter(pk=survey.pk).update(close_on="2999-01-01")


def change_design(survey):
    survey.questions.update(design="direct")


def add_items(survey):
    catalogue = survey.questions.get(kind="rating").catalogue
    CatalogueItem.objects.create(catalogue=catalogue, number=5, name="New")


@pytest.mark.parametrize("meanwhile", [change_text, change_day, change_design, add_items])
def test_a_draft_that_changed_meanwhile_is_shown_again(admin, draft, meanwhile):
    add_rating(draft)
    shown = proof_in(admin.get(page_of(draft, "launch")).content.decode())
    meanwhile(draft)
    reply = admin.post(page_of(draft, "launch"), {"shown": shown})
    words = reply.content.decode()
    assert "something changed after you opened this page" in words
    assert state_of(draft) == "draft"
    admin.post(page_of(draft, "launch"), confirmed(words))
    assert state_of(draft) == "open"


def test_a_proof_is_for_one_person_one_survey_and_one_act(admin, draft, author):
    other = make_survey(author)
    add_question(other)
    running = make_open_survey(author)
    colleague = make_user("colleague", superuser=True)
    shown = proof_in(admin.get(page_of(draft, "launch")).content.decode())
    for survey, act in ((other, "launch"), (running, "close")):
        admin.post(page_of(survey, act), {"shown": shown})
    admin.force_login(colleague)
    admin.post(page_of(draft, "launch"), {"shown": shown})
    assert [state_of(survey) for survey in (draft, other, running)] == ["draft", "draft", "open"]


def test_what_is_not_ready_gives_every_reason_instead_of_asking(admin, author):
    survey = make_survey(author)
    add_question(survey, kind="choice")
    add_question(survey, design="k_ary")
    reply = admin.get(page_of(survey, "launch"), follow=True)
    assert "between 2 and 20" in said(reply)
    assert "The k-ary design needs an epsilon" in said(reply)


def test_launching_or_closing_twice_says_why_not(admin, draft):
    confirm(admin, draft, "launch")
    assert "was launched before" in said(admin.get(page_of(draft, "launch"), follow=True))
    confirm(admin, draft, "close")
    assert "is not open" in said(admin.get(page_of(draft, "close"), follow=True))


def test_the_page_before_closing_tells_nothing_about_how_many_wait(admin, author):
    survey = make_open_survey(author, batch_size=5)
    before = admin.get(page_of(survey, "close")).content.decode()
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    after = admin.get(page_of(survey, "close")).content.decode()
    token = "csrfmiddlewaretoken"
    lines = [[line for line in page.splitlines() if token not in line] for page in (before, after)]
    assert [line for line in lines[0] if "nonce" not in line] == [
        line for line in lines[1] if "nonce" not in line
    ]
    assert "fewer than 5" in after


def test_an_earlier_day_of_deletion_is_asked_about_and_the_rest_is_saved(admin, author):
    survey = launched(_with_question(make_survey(author, delete_on="2999-06-01")))
    sent = form_of(survey, planned_responses="77", delete_on="2999-01-01")
    reply = admin.post(change(survey), sent)
    assert reply.url == page_of(survey, "delete_by", "2999-01-01")
    survey.refresh_from_db()
    assert (str(survey.delete_on), survey.planned_responses) == ("2999-06-01", 77)
    words = admin.get(reply.url).content.decode()
    assert "At present, the answers will be deleted on June 1, 2999." in words
    confirm(admin, survey, "delete_by", "2999-01-01")
    survey.refresh_from_db()
    assert str(survey.delete_on) == "2999-01-01"
    assert AuditEntry.objects.first().after == {"delete_on": "2999-01-01"}


@pytest.mark.parametrize(
    ("day", "reason"),
    [
        ("2999-12-01", "Choose 2999-06-01 or an earlier day"),
        ("2001-01-01", "This day has passed"),
    ],
)
def test_a_day_of_deletion_that_breaks_a_promise_is_not_even_asked_about(
    admin, author, day, reason
):
    survey = launched(_with_question(make_survey(author, delete_on="2999-06-01")))
    reply = admin.get(page_of(survey, "delete_by", day), follow=True)
    assert reason in said(reply)
    assert admin.get(page_of(survey, "delete_by", "never")).status_code == 404


@pytest.mark.parametrize("role", [Role.EDITOR, Role.ANALYST])
def test_who_may_not_rule_a_survey_opens_none_of_these_pages(client, draft, role):
    member = make_user("member")
    Membership.objects.create(survey=draft, user=member, role=role.value)
    client.force_login(member)
    for parts in (("launch",), ("close",), ("delete_by", "2999-01-01")):
        assert client.get(page_of(draft, *parts)).status_code == 403
        assert client.post(page_of(draft, *parts), {"shown": "x"}).status_code == 403


def _with_question(survey: Survey) -> Survey:
    add_question(survey)
    return survey


def test_above_a_total_of_three_the_odds_are_quoted_and_must_be_accepted(admin, draft):
    for _ in range(3):
        add_question(draft, required=True)
    page = admin.get(page_of(draft, "launch")).content.decode()
    assert "an epsilon of 4.68: the odds of a guess about a person change at most 108-fold" in page
    assert "Respondents read “Not for sure” in the table that shows who" in page
    assert (
        "Protect more (Questions 1 to 4, epsilon 0.75 each). After this change: the odds of a "
        "guess about a person change at most 20.1-fold, and respondents read “No”. With this "
        "change, the survey needs more people. The planner shows how many."
    ) in page
    sent = confirmed(page)
    others = [key for key in sent["accepted"] if key != "odds"]
    refused = admin.post(page_of(draft, "launch"), {**sent, "accepted": others})
    assert "because you did not confirm every point below" in refused.content.decode()
    assert state_of(draft) == "draft"
    admin.post(page_of(draft, "launch"), sent)
    assert state_of(draft) == "open"


def test_above_three_the_page_offers_as_many_questions_a_person_as_bring_a_better_word(
    admin, draft
):
    for _ in range(11):
        add_question(draft, required=True)
    page = admin.get(page_of(draft, "launch")).content.decode()
    odds = "the odds of a guess about a person change at most 708,588-fold"
    assert f"an epsilon of 13.47: {odds}" in page
    first, required = draft.questions.first(), 1.0986
    assert not first.required  # with a way to decline, its epsilon is ln 4
    assert (1.3863 + required, 1.3863 + 4 * required) == pytest.approx((2.485, 5.781), abs=1e-3)
    assert (
        "Ask each person 2 of the 12 protected questions. After this change: the odds of a guess "
        "about a person change at most 12-fold, and respondents read “No”. Chance draws the "
        "questions, and about 2 of 12 people answer each question."
    ) in page
    assert (
        "Ask each person 5 of the 12 protected questions. After this change: the odds of a guess "
        "about a person change at most 324-fold, and respondents read “Not for sure”."
    ) in page


def test_a_draft_that_asks_two_says_so_and_its_launch_freezes_it(admin, draft):
    for _ in range(11):
        add_question(draft, required=True)
    reply = admin.post(change(draft), form_of(draft, asked="2"), follow=True)
    assert "each person is asked 2 of 12 protected questions" in reply.content.decode()
    page = admin.get(page_of(draft, "launch")).content.decode()
    assert "Each person is asked 2 of the 12 protected questions, drawn by chance." in page
    coin = "People who use their own coin throw a die about 5 times to draw their questions."
    assert coin in page
    assert "You are asked 2 of the 12 protected questions." in page
    assert 'value="odds"' not in page
    confirm(admin, draft, "launch")
    survey = Survey.objects.get(pk=draft.pk)
    assert (survey.state, survey.revision.document["asked"]) == ("open", 2)


@pytest.mark.parametrize("asked", [12, 13])
def test_a_draft_that_asks_as_many_as_there_are_is_not_ready(admin, draft, asked):
    for _ in range(11):
        add_question(draft, required=True)
    add_question(draft, design="direct")
    Survey.objects.filter(pk=draft.pk).update(asked=asked)
    reply = admin.get(page_of(draft, "launch"), follow=True)
    smaller = (
        "has 12 protected questions. Enter a smaller number for “protected questions per person”"
    )
    assert smaller in said(reply)


def test_up_to_a_total_of_three_nothing_has_to_be_accepted(admin, draft):
    page = admin.get(page_of(draft, "launch")).content.decode()
    assert 'value="odds"' not in page
