"""Reports are asked for, cancelled, repeated and named on their pages."""

from decimal import Decimal
from uuid import uuid4

import pytest

from analytics.models import Report
from surveys.staff.roles import Role
from tests import factories
from tests.analytics import examples, reporting
from tests.analytics.pages.visits import address, asked, member, words


def test_a_report_is_asked_for_watched_cancelled_and_tried_again(client, survey):
    client.force_login(survey.owner)
    response = client.post(address("ask", survey), asked(survey), follow=True)
    report = Report.objects.get()
    assert response.redirect_chain[-1][0] == address("report", survey, report.pk)
    assert "Waiting for a worker" in words(response)
    assert reporting.queued()[0] == ("make_report", [str(report.pk), 1])
    response = client.post(address("cancel", survey, report.pk), follow=True)
    assert "The report was cancelled." in words(response)
    response = client.post(address("cancel", survey, report.pk), follow=True)
    assert "Nothing was cancelled" in words(response)
    response = client.post(address("repeat", survey, report.pk), follow=True)
    assert "The report is waiting to be made again." in words(response)
    response = client.post(address("repeat", survey, report.pk), follow=True)
    assert "being made at the moment" in words(response)


def test_a_made_report_is_shown_with_what_it_cost_in_the_ledger(client, survey):
    report = reporting.ask_and_make(survey, share=reporting.QUARTER)
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, report.pk)))
    assert "in 600 texts" in page
    cost = f"{Decimal(report.expenditure.mu_squared).normalize():f}"
    assert cost in page
    account = words(client.get(address("ledger", survey)))
    assert cost in account
    assert "Private topics on “What would help?”" in account


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"topics": "0"}, "Correct the marked field"),
        ({"topics": "1e9"}, "Correct the marked field"),
        ({"topics": "NaN"}, "Correct the marked field"),
        ({"share": "9/4"}, "Correct the marked field"),
        ({"share": ""}, "Choose how much of the budget"),
        ({"kind": "🙃"}, "Correct the marked field"),
        ({"question": str(uuid4())}, "Correct the marked field"),
        ({"language": "xx"}, "Correct the marked field"),
        ({"kind": "private_svd", "refine": "on"}, "cannot look at the texts a second time"),
        ({"share": "1/10", "question": "second"}, "No text to this question is stored yet"),
    ],
)
def test_what_cannot_be_asked_for_is_told_and_nothing_is_set_aside(client, survey, changes, told):
    if changes.get("question") == "second":
        changes = {**changes, "question": reporting.text_items(survey)[1].id}
    client.force_login(survey.owner)
    response = client.post(address("ask", survey), asked(survey, **changes))
    assert response.status_code == 200
    assert told in words(response)
    assert "nothing was charged" in words(response)
    assert not Report.objects.exists()


def test_an_editor_cannot_ask_for_an_internal_report_and_the_owner_can(client, survey):
    client.force_login(member(survey, Role.EDITOR, "ed"))
    given = asked(survey, kind="exact_topics", share="")
    assert "Exact topics" not in words(client.get(address("overview", survey)))
    client.post(address("ask", survey), given)
    assert not Report.objects.exists()
    client.force_login(survey.owner)
    client.post(address("ask", survey), given)
    assert Report.objects.get().kind == "exact_topics"


def test_topics_of_an_internal_report_are_named_by_its_curator(client, survey, internal):
    client.force_login(survey.owner)
    given = {"name1": "Things that grow"}
    page = words(client.post(address("names", survey, internal.pk), given, follow=True))
    assert "The names were saved." in page
    assert "1. Things that grow" in page
    assert b"Things that grow" in client.get(address("json", survey, internal.pk)).content


def test_topics_are_named_and_the_names_stand_everywhere(client, survey, finished):
    client.force_login(survey.owner)
    given = {"name1": "  Green   things ", "name2": ""}
    response = client.post(address("names", survey, finished.pk), given, follow=True)
    page = words(response)
    assert "Green things" in page
    assert "Topic 2: train" in page
    assert (
        "Green things"
        in b"".join(client.get(address("csv", survey, finished.pk)).streaming_content).decode()
    )


def test_a_name_that_cannot_be_kept_is_told_at_its_field(client, survey, finished):
    client.force_login(survey.owner)
    response = client.post(address("names", survey, finished.pk), {"name1": "x" * 101})
    assert "The names were not saved" in words(response)
    response = client.post(address("names", survey, finished.pk), {"name1": "a\u202eb"})
    assert "control character" in words(response)
    assert Report.objects.get(pk=finished.pk).names == []


# Empty states, and why a kind is not offered.


def test_a_draft_says_that_the_budget_is_set_before_the_launch(client, owner):
    draft = factories.make_survey(owner)
    client.force_login(owner)
    assert "Set it before the launch" in words(client.get(address("overview", draft)))
    assert "No budget was promised" in words(client.get(address("ledger", draft)))


def test_a_survey_without_free_text_says_so(client, owner):
    survey = factories.make_open_survey(owner)
    client.force_login(owner)
    page = words(client.get(address("overview", survey)))
    assert "This survey has no free-text question" in page


def test_without_a_promised_budget_only_internal_kinds_are_offered_and_the_page_says_why(
    client, owner
):
    survey = reporting.make_text_survey(owner, 10, epsilon=None)
    client.force_login(owner)
    reply = client.get(address("overview", survey))
    page = words(reply)
    assert "were not promised a privacy budget" in page
    assert "Exact topics (internal)" in page
    assert 'value="exact_topics"' in reply.content.decode()
    assert 'value="private_topics"' not in reply.content.decode()
    assert client.get(address("ledger-picture", survey)).status_code == 404
    client.force_login(member(survey, Role.EDITOR, "ed"))
    assert "Request a report" not in words(client.get(address("overview", survey)))


def test_a_spent_budget_offers_no_private_report_and_says_why(client, survey):
    examples.store(survey, state=Report.State.QUEUED, **whole_budget(survey))
    client.force_login(survey.owner)
    page = words(client.get(address("overview", survey)))
    assert "is spent or reserved" in page
    assert "What the report may cost" not in page


def whole_budget(survey) -> dict[str, str]:
    from analytics.queries import account_of
    from analytics.services.ledger import written

    return written(account_of(survey).budget.limit)
