"""The rule on a question's page in the admin: rows of conditions."""

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.urls import reverse

from surveys.models import Condition, Question
from surveys.models.surveys import Survey
from tests.factories import add_condition, add_question, make_survey, make_user
from tests.question_forms import question_form
from tests.routed import make_routed_survey

pytestmark = pytest.mark.django_db


@pytest.fixture
def car(draft) -> Question:
    return add_question(draft, text="Do you own a car?", design="direct")


def page_of(question: Question) -> str:
    return reverse("admin:surveys_question_change", args=[question.pk])


def form_of(question: Question, *rows: tuple[Question, str, str], joins: str = "all"):
    fields = question_form(text=question.text, rule_joins=joins)
    fields["conditions-TOTAL_FORMS"] = len(rows)
    for place, (source, comparison, value) in enumerate(rows):
        fields |= {
            f"conditions-{place}-source": source.pk,
            f"conditions-{place}-comparison": comparison,
            f"conditions-{place}-value": value,
        }
    return fields


def test_rows_of_the_page_become_the_rule(staff, draft, car):
    question = add_question(draft)
    form = form_of(question, (car, "is", "Yes"), (car, "answered", ""), joins="any")
    page = staff.post(page_of(question), form, follow=True)
    assert page.redirect_chain
    question.refresh_from_db()
    assert question.rule_joins == "any"
    assert list(question.conditions.values_list("source", "comparison", "value")) == [
        (car.pk, "answered", ""),
        (car.pk, "is", "Yes"),
    ]
    log = staff.get(reverse("surveys:audit", args=[draft.pk])).content.decode()
    assert "Do you own a car? is Yes" in log


def test_rows_with_one_letter_are_read_in_brackets_and_said_so_in_the_list(staff, draft, car):
    bus = add_question(draft, text="Do you go by bus?", design="direct")
    question = add_question(draft)
    rows = (car, "is", "Yes"), (car, "missing", ""), (bus, "is", "No")
    brackets = {"conditions-1-bracket": 1, "conditions-2-bracket": 1}
    staff.post(page_of(question), form_of(question, *rows) | brackets)
    assert sorted(question.conditions.values_list("comparison", "bracket"), key=str) == [
        ("is", 1),
        ("is", None),
        ("missing", 1),
    ]
    listed = staff.get(reverse("admin:surveys_survey_questions", args=[draft.pk])).content.decode()
    assert "1 is Yes and (1 is missing or 2 is No)" in " ".join(listed.split())
    log = staff.get(reverse("surveys:audit", args=[draft.pk])).content.decode()
    assert "Do you go by bus? is No (A)" in log


@pytest.mark.parametrize("bracket", ["6", "0", "-1", "A", "1.5", "١٢"])
def test_a_letter_that_is_not_offered_is_refused(staff, draft, car, bracket):
    question = add_question(draft)
    form = form_of(question, (car, "is", "Yes")) | {"conditions-0-bracket": bracket}
    assert staff.post(page_of(question), form).status_code == 200
    assert not question.conditions.exists()


def test_the_page_offers_the_other_questions_of_the_survey_by_number(staff, draft, car):
    add_question(make_survey(make_user("grace")), text="Foreign")
    question = add_question(draft, text="Mine")
    page = staff.get(page_of(question)).content.decode()
    assert "1. Do you own a car?</option>" in page
    assert "Mine</option>" not in page
    assert "Foreign" not in page


def offered(staff, question: Question) -> list[list[str]]:
    """The questions that each row of a rule offers."""
    [rows] = staff.get(page_of(question)).context["inline_admin_formsets"]
    return [[one.text for one in form.fields["source"].queryset] for form in rows.formset.forms]


def test_a_rule_is_offered_only_questions_that_come_before(staff, draft, car):
    middle, last = add_question(draft, text="Middle"), add_question(draft, text="Last")
    assert offered(staff, car) == [[], []]
    assert offered(staff, middle) == [["Do you own a car?"], ["Do you own a car?"]]
    staff.post(page_of(middle), form_of(middle, (last, "is", "Yes")))
    assert not Condition.objects.exists()
    add_condition(middle, last)  # as it stands after the middle one moved up
    kept, *free = offered(staff, middle)
    assert kept == ["Do you own a car?", "Last"]
    assert free == [["Do you own a car?"]] * 2


def test_a_question_of_another_survey_is_not_taken(staff, draft, car):
    foreign = add_question(make_survey(make_user("grace")), text="Foreign")
    question = add_question(draft)
    staff.post(page_of(question), form_of(question, (foreign, "is", "Yes")))
    assert not Condition.objects.exists()


def test_an_author_hears_at_once_what_launch_will_refuse(staff, draft):
    protected, question = add_question(draft), add_question(draft, text="How often?")
    form = form_of(question, (protected, "is", "Yes")) | {"design": "direct"}
    page = staff.post(page_of(question), form, follow=True).content.decode()
    assert "depends on question 1, which is protected. People who see whether question" in page


def test_a_draft_with_rules_can_be_deleted_but_not_a_question_that_is_read(staff, draft, car):
    add_condition(add_question(draft), car)
    delete = reverse("admin:surveys_question_delete", args=[car.pk])
    staff.post(delete, {"post": "yes"})
    assert Question.objects.filter(pk=car.pk).exists()
    Survey.objects.get(pk=draft.pk).delete()
    assert not Condition.objects.exists()


def test_the_model_refuses_changes_after_launch(owner):
    survey = make_routed_survey(owner)
    condition = Condition.objects.filter(question__survey=survey).first()
    with pytest.raises(ValidationError, match="promised these questions"):
        condition.full_clean()


@pytest.mark.both_databases
@pytest.mark.parametrize("change", ["insert", "update", "delete", "move"])
def test_the_database_refuses_changes_after_launch(owner, change):
    survey = make_routed_survey(owner)
    stored = Condition.objects.filter(question__survey=survey)
    condition = stored.first()
    draft = make_survey(owner)
    free = add_condition(add_question(draft), add_question(draft, design="direct"))
    changes = {
        "insert": lambda: add_condition(condition.question, condition.source),
        "update": lambda: stored.update(value="No"),
        "delete": lambda: stored._raw_delete("default"),
        "move": lambda: Condition.objects.filter(pk=free.pk).update(question=condition.question),
    }
    with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
        changes[change]()
    free.delete()


def test_a_new_question_offers_the_questions_of_its_survey_alone(staff, draft, car, owner):
    other = add_question(make_survey(make_user("other")), design="direct")
    add = reverse("admin:surveys_question_add")
    for address, offered in ((f"{add}?survey={draft.pk}", [car]), (add, [])):
        [rows] = staff.get(address).context["inline_admin_formsets"]
        assert list(rows.formset.forms[0].fields["source"].queryset) == offered
    theirs = staff.get(f"{add}?survey={other.survey_id}").context["inline_admin_formsets"][0]
    assert not theirs.formset.forms[0].fields["source"].queryset
    form = {**form_of(Question(text="New?"), (car, "is", "Yes")), "survey": draft.pk}
    assert staff.post(f"{add}?survey={draft.pk}", form).status_code == 302
    assert Question.objects.get(text="New?").conditions.get().source == car


def test_a_row_of_the_rule_chooses_a_question_and_can_neither_add_nor_delete_one(staff, draft, car):
    drunk = add_question(draft, text="Have you driven drunk?")
    page = staff.get(page_of(drunk)).content.decode()
    assert "Do you own a car?" in page
    for popup in ("add", "change", "delete", "view"):
        assert f'id="{popup}_id_conditions-0-source"' not in page


def test_a_questions_page_leads_to_no_history_that_its_owner_may_not_read(staff, car):
    history = reverse("admin:surveys_question_history", args=[car.pk])
    assert staff.get(history, follow=True).status_code in (403, 404)
    assert history not in staff.get(page_of(car)).content.decode()
