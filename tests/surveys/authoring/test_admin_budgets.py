"""The budget for reports and tables is set on the survey's page, until launch."""

from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils.translation import override

from surveys.authoring.services import delete_survey, launch
from surveys.models import AuditEntry, Membership, PrivacyBudget, Survey
from tests.factories import add_budget, add_text, make_survey, make_user
from tests.surveys.authoring.test_admin import change, form_of, said

FILLED_IN = {
    "source": "all",
    "epsilon": "4",
    "delta": "0.000001",
    "adjacency": "add_or_remove_one",
}
TOGETHER = "All reports and tables together: the odds of a guess about a person change at most {}."


@pytest.fixture
def draft(owner):
    draft = make_survey(owner)
    add_text(draft)
    return draft


def sent(survey: Survey, *budgets: dict[str, object], **fields: object) -> dict[str, object]:
    """The survey's form with these rows for its budget."""
    stored = [str(key) for key in survey.budgets.values_list("pk", flat=True)]
    rows = {"budgets-TOTAL_FORMS": len(budgets), "budgets-INITIAL_FORMS": len(stored)}
    for place, budget in enumerate(budgets):
        known = {"id": stored[place]} if place < len(stored) else {}
        values = {"survey": survey.pk, **known, **budget}
        rows |= {f"budgets-{place}-{name}": value for name, value in values.items()}
    return form_of(survey, **rows, **fields)


def budget_of(survey: Survey) -> tuple[object, ...]:
    return PrivacyBudget.objects.values_list("epsilon", "delta", "adjacency", "source").get(
        survey=survey
    )


def test_a_new_budget_needs_only_its_epsilon_and_the_other_fields_have_defaults(staff, draft):
    page = staff.get(change(draft)).content.decode()
    assert 'name="budgets-0-delta" value="0.000001"' in page
    assert 'name="budgets-0-epsilon" value' not in page
    assert staff.post(change(draft), sent(draft, FILLED_IN)).status_code == 302
    assert budget_of(draft) == (4, Decimal("0.000001"), "add_or_remove_one", "all")


def test_a_budget_is_named_as_the_language_writes_numbers(draft):
    add_budget(draft)
    budget = PrivacyBudget.objects.get(survey=draft)
    assert str(budget) == "epsilon 4, delta 0.000001"
    with override("de"):
        assert str(budget) == "epsilon 4, delta 0,000001"


def test_an_author_can_promise_a_budget_for_texts_alone(staff, draft):
    staff.post(change(draft), sent(draft, FILLED_IN | {"source": "text"}))
    assert budget_of(draft)[-1] == "text"


def test_a_row_without_an_epsilon_is_no_budget(staff, draft):
    assert staff.post(change(draft), sent(draft, FILLED_IN | {"epsilon": ""})).status_code == 302
    assert not draft.budgets.exists()


def test_a_survey_may_be_made_with_its_budget(staff, owner):
    fields = sent(make_survey(owner), FILLED_IN | {"survey": ""}, title="With a budget")
    assert staff.post(reverse("admin:surveys_survey_add"), fields).status_code == 302
    assert Survey.objects.get(title="With a budget").budgets.count() == 1


def test_the_page_says_in_words_what_a_budget_means(staff, draft):
    page = staff.get(change(draft)).content.decode()
    assert "If you leave epsilon empty, the survey has no privacy budget. It then promises" in page
    assert "promises neither protected reports on texts nor protected tables" in page
    assert "4: the odds of a guess about a person change at most 54.6-fold" in page
    add_budget(draft, epsilon=Decimal(2))
    page = staff.get(change(draft)).content.decode()
    assert TOGETHER.format("7.39-fold") in page
    assert "with a chance of one in 1,000,000" in page


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        *(("epsilon", typed) for typed in ("0", "-1", "NaN", "Infinity", "20.1", "e", "1" * 50)),
        *(("delta", typed) for typed in ("0", "NaN", "0.5", "1e-13", "")),
        ("adjacency", "nobody"),
    ],
)
def test_a_budget_that_cannot_be_is_refused_beside_its_field(staff, draft, field, typed):
    reply = staff.post(change(draft), sent(draft, FILLED_IN | {field: typed}))
    assert reply.status_code == 200
    assert field in reply.context["inline_admin_formsets"][0].formset.forms[0].errors
    assert not draft.budgets.exists()


def test_a_second_budget_is_refused_and_nothing_is_changed(staff, draft):
    staff.post(change(draft), sent(draft, FILLED_IN, FILLED_IN | {"epsilon": "8"}, title="Other"))
    draft.refresh_from_db()
    assert not draft.budgets.exists()
    assert draft.title != "Other"


def test_a_large_epsilon_is_answered_with_its_odds(staff, draft):
    reply = staff.post(change(draft), sent(draft, FILLED_IN | {"epsilon": "9"}))
    assert "the odds of a guess about a person change at most 8,103-fold" in said(reply)


def test_what_was_edited_in_a_budget_is_in_the_audit_log(staff, draft):
    staff.post(change(draft), sent(draft, FILLED_IN))
    staff.post(change(draft), sent(draft, FILLED_IN | {"epsilon": "2"}))
    staff.post(change(draft), sent(draft, FILLED_IN | {"epsilon": "2", "DELETE": "on"}))
    removed, changed, added = (
        [
            {name: value for name, value in (state or {}).items() if "budget" in name}
            for state in (entry.before, entry.after)
        ]
        for entry in AuditEntry.objects.all()
    )
    epsilon = "budget for reports on all: epsilon"
    assert added[0] == {}
    assert added[1][epsilon] == "4"
    assert len(added[1]) == 3
    assert changed == [{epsilon: "4"}, {epsilon: "2"}]
    assert removed[0][epsilon] == "2"
    assert removed[1] == {}


def test_a_draft_that_is_deleted_leaves_its_budget_in_the_audit_log_only(staff, draft, owner):
    add_budget(draft)
    delete_survey(survey=draft, by=owner)
    assert not PrivacyBudget.objects.exists()
    assert AuditEntry.objects.first().before["budget for reports on text: delta"] == "0.000001"


@pytest.mark.parametrize("role", ["editor", "analyst", "stranger"])
def test_only_who_may_edit_the_questions_sets_the_budget(client, draft, role):
    user = make_user(role)
    if role != "stranger":
        Membership.objects.create(survey=draft, user=user, role=role)
    client.force_login(user)
    client.post(change(draft), sent(draft, FILLED_IN))
    assert draft.budgets.exists() == (role == "editor")


def test_a_launch_that_the_budget_prevents_says_why_and_keeps_what_was_typed(staff, draft):
    fields = sent(draft, FILLED_IN, planned_responses="5000000", _launch="1")
    reply = staff.post(change(draft), fields, follow=True)
    assert "must be below 1/5000000" in said(reply)
    draft.refresh_from_db()
    assert (draft.state, draft.budgets.count()) == (Survey.State.DRAFT, 1)


def test_after_launch_the_budget_is_shown_and_has_no_fields(staff, draft, owner):
    add_budget(draft)
    launch(survey=draft, by=owner)
    page = staff.get(change(draft)).content.decode()
    assert TOGETHER.format("54.6-fold") in page
    assert "budgets-0-epsilon" not in page
