"""What a draft's budget for reports on free texts promises, and which budgets are refused."""

import json
import math
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from surveys.authoring.draft.budgets import budget_hints
from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.authoring.services import launch
from surveys.models import PrivacyBudget
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.budgets import PromisedBudget
from tests.early_documents import version_1
from tests.factories import add_budget, add_question, add_text, make_survey

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(owner):
    draft = make_survey(owner)
    add_text(draft)
    return draft


def refusal(draft) -> str:
    with pytest.raises(NotReady) as problem:
        draft_questionnaire(draft)
    (reason,) = problem.value.reasons
    return reason


def test_a_draft_without_a_budget_promises_no_protected_reports(draft):
    assert draft_questionnaire(draft).budget is None


@pytest.mark.both_databases
def test_launching_freezes_the_budget_into_the_document(draft, owner):
    add_budget(draft)
    revision = launch(survey=draft, by=owner)
    revision.refresh_from_db()
    assert revision.document["budget"] == {
        "epsilon": "4",
        "delta": "0.000001",
        "adjacency": "add_or_remove_one",
        "source": "text",
    }
    assert questionnaire_of(revision).budget == PromisedBudget("4", "0.000001")


@pytest.mark.parametrize(
    ("epsilon", "delta", "written"),
    [
        ("0.01", "0.000000000001", ("0.01", "0.000000000001")),
        ("20", "0.01", ("20", "0.01")),
        ("2.5000", "0.000100000000", ("2.5", "0.0001")),
    ],
)
def test_amounts_are_written_as_plain_decimals(draft, epsilon, delta, written):
    add_budget(draft, epsilon=Decimal(epsilon), delta=Decimal(delta), adjacency="replace_one")
    promised = draft_questionnaire(draft).budget
    assert promised == PromisedBudget(*written, "replace_one")


def test_a_document_with_a_budget_reads_back_as_the_same_questionnaire(draft):
    add_budget(draft)
    questionnaire = draft_questionnaire(draft)
    document = json.loads(json.dumps(questionnaire.to_document()))
    assert Questionnaire.from_document(document) == questionnaire


def test_a_document_of_an_earlier_version_promised_no_budget(draft):
    document = version_1(draft_questionnaire(draft).to_document())
    del document["budget"]
    assert Questionnaire.from_document(document).budget is None


def test_a_budget_for_tables_is_frozen_as_one(draft, owner):
    add_budget(draft, source="all")
    promised = questionnaire_of(launch(survey=draft, by=owner)).budget
    assert promised == PromisedBudget("4", "0.000001", source="all")
    assert promised.pays_for_tables


def test_what_an_earlier_version_promised_was_for_texts_alone(draft):
    document = version_1(draft_questionnaire(draft).to_document())
    del document["budget"]
    early = {"epsilon": "2", "delta": "0.0001", "adjacency": "replace_one"}
    promised = Questionnaire.from_document({**document, "text_budget": early}).budget
    assert promised == PromisedBudget("2", "0.0001", "replace_one", "text")
    assert not promised.pays_for_tables
    assert Questionnaire.from_document({**document, "text_budget": None}).budget is None


@pytest.mark.parametrize(("design", "is_ready"), [("direct", True), ("two_coins", False)])
def test_a_budget_for_tables_needs_a_direct_answer_or_a_text(owner, design, is_ready):
    draft = make_survey(owner)
    add_question(draft, design=design)
    add_budget(draft, source="all")
    if is_ready:
        assert draft_questionnaire(draft).budget.pays_for_tables
    else:
        assert "a direct answer that tables count" in refusal(draft)


def test_a_budget_without_a_free_text_is_refused(owner):
    draft = make_survey(owner)
    add_question(draft)
    add_budget(draft)
    assert refusal(draft).endswith("Add such a question, or delete the budget.")


@pytest.mark.parametrize("planned", [1_000_000, 2_000_000])
def test_a_delta_that_may_publish_somebodys_text_is_refused_with_the_reason(draft, planned):
    draft.planned_responses = planned
    add_budget(draft)
    reason = refusal(draft)
    assert f"With {planned:,} planned responses" in reason
    assert "a report may publish the whole text of one respondent" in reason


def test_a_delta_just_below_one_in_the_planned_responses_is_accepted(draft):
    draft.planned_responses = 999_999
    add_budget(draft)
    assert draft_questionnaire(draft).budget


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epsilon", Decimal(0)),
        ("epsilon", Decimal("20.0001")),
        ("delta", Decimal(0)),
        ("delta", Decimal("0.02")),
        ("adjacency", "something"),
    ],
)
def test_a_budget_outside_of_its_bounds_is_refused_by_its_field(draft, field, value):
    add_budget(draft, **{field: value})
    assert f"Budget, {field}:" in refusal(draft)


def test_a_large_epsilon_is_told_to_its_author_as_odds(draft):
    budget = add_budget(draft, epsilon=Decimal(8))
    (hint,) = budget_hints(draft)
    assert f"{math.exp(8):,.0f}-fold" in hint
    PrivacyBudget.objects.filter(pk=budget.pk).update(epsilon=Decimal(5))
    assert not list(budget_hints(draft))


@pytest.mark.parametrize("source", ["text", "all"])
def test_a_survey_has_one_budget(draft, source):
    add_budget(draft)
    second = PrivacyBudget(survey=draft, source=source)
    with pytest.raises(ValidationError, match="A survey can have only one budget"):
        second.full_clean()
    with pytest.raises(IntegrityError), transaction.atomic():
        second.save()


@pytest.mark.parametrize(
    ("delta", "one_in"), [("0.000001", 1_000_000), ("0.000003", 333_333), ("0.01", 100)]
)
def test_the_chance_of_failure_is_never_told_smaller_than_it_is(delta, one_in):
    budget = PromisedBudget("4", delta)
    assert budget.one_in == one_in
    assert 1 / Decimal(one_in) >= Decimal(delta)
