"""P13: anonymity cannot be undone: what a launched survey promised stays, whoever asks.

Refused by the model and by the admin; `test_p13_in_the_database` asks the database itself.
"""

from copy import copy

import pytest
from django.core.exceptions import ValidationError
from django.forms.models import model_to_dict
from django.urls import reverse

from surveys.authoring.services import stop
from surveys.models import (
    Option,
    PrivacyBudget,
    Question,
    Revision,
    Survey,
    Waiting,
)
from tests.days import DAY, today
from tests.factories import (
    add_budget,
    add_one_of_each,
    make_survey,
    make_user,
)
from tests.promises.undoing import (
    BUDGET,
    CHANNELS,
    DELETE_ON,
    PROMISES,
    make_promised,
    refused,
    run,
    stored,
)
from tests.question_forms import NO_KEYS, question_form
from tests.surveys.authoring.asking import confirm
from tests.surveys.authoring.editor.lists import arrange

pytestmark = pytest.mark.django_db


@pytest.fixture
def launched(owner) -> Survey:
    return make_promised(owner)


# In the model.


def test_the_model_refuses_to_change_a_promise_and_says_so_at_its_field(launched):
    for name, value in PROMISES.items():
        changed = copy(launched)
        setattr(changed, name, value)
        with pytest.raises(ValidationError) as problem:
            changed.full_clean()
        assert "respondents were promised" in problem.value.message_dict[name][0].lower(), name


def test_the_model_refuses_a_launched_survey_that_is_a_draft_or_open_again(launched, owner):
    launched.state = Survey.State.DRAFT
    with pytest.raises(ValidationError, match="cannot return to an earlier state"):
        launched.full_clean()
    stop(survey=launched, by=owner)
    launched.state = Survey.State.OPEN
    with pytest.raises(ValidationError, match="cannot return to an earlier state"):
        launched.full_clean()


def test_the_model_refuses_to_forget_the_day_of_deletion_but_takes_an_earlier_one(launched):
    launched.delete_on = None
    with pytest.raises(ValidationError, match="or an earlier day"):
        launched.full_clean()
    launched.delete_on, launched.close_on = DELETE_ON - DAY, DELETE_ON - 2 * DAY
    launched.planned_responses = 500
    launched.full_clean()


def test_the_model_refuses_every_change_of_a_launched_question(launched):
    for name, value in CHANNELS.items():
        question = launched.questions.first()
        setattr(question, name, value)
        with pytest.raises(ValidationError, match="promised these questions"):
            question.full_clean()


def test_the_model_refuses_new_and_moved_questions_and_options(launched, owner):
    draft = make_survey(owner)
    add_one_of_each(draft)
    new = Question(survey=launched, text="New?")
    into = draft.questions.first()
    into.survey = launched
    out_of = launched.questions.last()
    out_of.survey = draft
    option = Option(question=launched.questions.get(kind="scale"), text="Always")
    moved = Option.objects.filter(question__survey=launched).first()
    moved.question = draft.questions.get(kind="scale")
    for one in (new, into, out_of, option, moved):
        with pytest.raises(ValidationError, match="promised these questions"):
            one.full_clean(validate_unique=False)


def test_the_model_refuses_every_change_of_a_launched_budget(launched):
    for name, value in BUDGET.items():
        budget = launched.budgets.get()
        setattr(budget, name, value)
        with pytest.raises(
            ValidationError,
            match="budget cannot be changed, because the survey promised the budget to respondents",
        ):
            budget.full_clean()


def test_the_model_refuses_budgets_that_are_added_to_or_moved_out_of_a_launched_survey(
    launched, owner
):
    draft = make_survey(owner)
    late = launched.budgets.get()
    late.survey = draft
    into = add_budget(draft)
    into.survey = launched
    for one in (late, into, PrivacyBudget(survey=launched)):
        with pytest.raises(
            ValidationError,
            match="budget cannot be changed, because the survey promised the budget to respondents",
        ):
            one.full_clean(validate_unique=False, validate_constraints=False)


def test_a_draft_may_still_change_in_every_way(owner):
    draft = make_survey(owner, invitation_only=True, batch_size=20, delete_on=DELETE_ON)
    add_one_of_each(draft)
    for name, value in PROMISES.items():
        setattr(draft, name, value)
    draft.full_clean()
    question = draft.questions.first()
    question.text = CHANNELS["text"]
    question.full_clean()
    budget = add_budget(draft)
    for name, value in BUDGET.items():
        setattr(budget, name, value)
    budget.full_clean()
    budget.save()
    budget.delete()


# In the admin.


def forged(survey: Survey) -> dict[str, object]:
    """The survey's form as somebody would send it who changes everything in it."""
    fields = {**PROMISES, "planned_responses": "", "close_on": str(today() + 50 * DAY)}
    fields["state"] = "draft"
    fields["delete_on"] = str(DELETE_ON + DAY)
    return fields | forged_budget(survey)


def forged_budget(survey: Survey, *, more: int = 1) -> dict[str, object]:
    """Another budget in the place of what was promised, which is deleted, and a second one."""
    stored = list(survey.budgets.all())
    fields = {"budgets-TOTAL_FORMS": len(stored) + more, "budgets-INITIAL_FORMS": len(stored)}
    fields |= NO_KEYS
    for place in range(len(stored) + more):
        start = f"budgets-{place}-"
        fields |= {f"{start}{name}": value for name, value in BUDGET.items()}
        fields |= {f"{start}survey": survey.pk}
    for place, budget in enumerate(stored):
        fields |= {f"budgets-{place}-id": budget.pk, f"budgets-{place}-DELETE": "on"}
    return fields


def state_of(survey: Survey) -> list[object]:
    return [
        Survey.objects.values().get(pk=survey.pk),
        *Question.objects.filter(survey=survey).order_by("pk").values(),
        *Option.objects.filter(question__survey=survey).order_by("pk").values(),
        *PrivacyBudget.objects.filter(survey=survey).values(),
        Revision.objects.values().get(survey=survey),
    ]


@pytest.mark.parametrize("superuser", [False, True])
def test_the_admin_refuses_forged_forms_of_a_launched_survey(client, launched, superuser):
    client.force_login(make_user("root", superuser=True) if superuser else launched.owner)
    before = state_of(launched)
    address = reverse("admin:surveys_survey_change", args=[launched.pk])
    later = client.post(address, forged(launched))
    assert "or an earlier day" in later.content.decode()
    same_day = {**forged(launched), "delete_on": str(DELETE_ON)}
    assert client.post(address, same_day).status_code == 302
    assert state_of(launched) == before


def test_the_admin_refuses_forged_forms_of_a_launched_question(client, launched):
    client.force_login(make_user("root", superuser=True))
    before = state_of(launched)
    for question in launched.questions.all():
        forged_fields = {**model_to_dict(question), **CHANNELS, "post": "yes"}
        fields = {**question_form(), **forged_fields}
        sent = {name: value for name, value in fields.items() if value is not None}
        for name in ("change", "delete"):
            address = reverse(f"admin:surveys_question_{name}", args=[question.pk])
            assert client.post(address, sent).status_code == 403
    assert state_of(launched) == before


def test_the_admin_neither_moves_nor_copies_questions_of_a_launched_survey(client, launched):
    client.force_login(launched.owner)
    before = state_of(launched)
    first = launched.questions.first()
    for button in ("_renumber", "_copy"):
        arrange(client, launched, {first: 3}, marked=[first], button=button, **{button: "sure"})
    assert state_of(launched) == before


def test_the_admin_adds_no_question_to_a_launched_survey(client, launched):
    client.force_login(launched.owner)
    fields = question_form(survey=launched.pk, text="New?", design="direct")
    reply = client.post(reverse("admin:surveys_question_add"), fields)
    assert "survey" in reply.context["adminform"].form.errors
    assert launched.questions.count() == 8


@pytest.mark.both_databases
def test_the_admin_takes_an_earlier_day_of_deletion_from_the_owner(client, launched):
    client.force_login(launched.owner)
    address = reverse("admin:surveys_survey_change", args=[launched.pk])
    earlier = DELETE_ON - DAY
    client.post(address, {**forged(launched), "delete_on": str(earlier)})
    assert Survey.objects.get(pk=launched.pk).delete_on == DELETE_ON  # a page asks first
    confirm(client, launched, "delete_by", str(earlier))
    launched.refresh_from_db()
    assert (launched.delete_on, launched.batch_size) == (earlier, 20)


# What respondents read.


def test_what_respondents_read_is_the_budget_that_was_frozen(client, launched):
    document = launched.revision.document["budget"]
    assert document == {
        "epsilon": "4",
        "delta": "0.000001",
        "adjacency": "add_or_remove_one",
        "source": "text",
    }
    page = client.get(reverse("respondent:start", args=[launched.pk])).content.decode()
    assert "at most 54.6-fold" in page
    assert "one in a million" in page


# The last day of a survey whose answers are sealed: an earlier close would be an early opening.


@pytest.mark.both_databases
def test_the_last_day_moves_earlier_only_with_notice_in_the_model_the_admin_and_sql(launched):
    launched.close_on = today() + 6 * DAY
    with pytest.raises(ValidationError, match="an earlier last day needs some days of notice"):
        launched.full_clean()
    for day in (str(today() + 6 * DAY), None):
        with refused(by="only with notice"):
            run("UPDATE surveys_survey SET close_on = %s WHERE id = %s", day, stored(launched.pk))
    launched.close_on = today() + 8 * DAY
    launched.full_clean()
    launched.save()
    launched.close_on = today() + 60 * DAY
    launched.full_clean()
    launched.save()


def test_a_sealed_survey_is_not_closed_around_its_opening(launched):
    Waiting.objects.create(revision=launched.revision, ciphertext=b"sealed")
    with refused(by="closes with an opening"):
        run("UPDATE surveys_survey SET state = 'closed' WHERE id = %s", stored(launched.pk))
