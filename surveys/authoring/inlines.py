"""Rows on admin pages: the questions and budget of a survey, the options of a question."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from surveys.authoring.draft.budgets import EXAMPLES, budget_words
from surveys.authoring.draft.rules import MOST_CONDITIONS
from surveys.authoring.drafts import NotReady, item_of
from surveys.authoring.hints import scale_gain
from surveys.authoring.option_rows import OptionForm, OptionRows
from surveys.models import Condition, Option, PrivacyBudget, Question, Survey
from surveys.questionnaire.kinds.long_scale import ScaleQuestion
from surveys.staff.admin_rights import is_staff, may, may_edit_draft
from surveys.staff.roles import Ability
from surveys.wording import odds

BUDGET_HELP = (
    "Leave epsilon empty to promise no protected reports on what people write, and no protected "
    "tables: then only those who may read the answers can have them analysed, and nothing of that "
    "is protected. With a budget, respondents read before they answer how little all that is "
    "published tells about any one of them, and what would go beyond it is refused. One budget "
    "covers all reports on free texts and all table releases of the survey. A report needs some "
    "hundred texts at an epsilon of 4, and more at a smaller one."
)


class DraftRows:
    """Rows that editors can change while their survey is a draft."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_staff(request) and may(request, obj, Ability.READ)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_edit_draft(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_edit_draft(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_edit_draft(request, obj)


class WideRows(DraftRows, admin.TabularInline):
    """Rows that scroll in a box of their own where the page is narrower than they are."""

    template = "admin/surveys/wide_rows.html"


class OptionInline(WideRows):
    model = Option
    form = OptionForm
    formset = OptionRows
    extra = 3
    fields = ("position", "text")

    class Media:
        js = (forms.Script("surveys/authoring/option-rows.js", defer=True),)


class ConditionRows(forms.BaseInlineFormSet):
    """Each row reads another question of the same survey."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        survey = self.instance.survey_id
        others = Question.objects.filter(survey=survey).exclude(pk=self.instance.pk)
        form.fields["source"].queryset = others
        form.fields["source"].label_from_instance = _numbered(survey)


def _numbered(survey: Any) -> Any:
    """Questions in a list by their number and text."""
    keys = Question.objects.filter(survey=survey).values_list("pk", flat=True)
    numbers = {key: number for number, key in enumerate(keys, start=1)}
    return lambda question: f"{numbers.get(question.pk, 0)}. {question.text}"


class ConditionInline(WideRows):
    """The rule of a question: without rows it is asked of all."""

    model = Condition
    fk_name = "question"
    formset = ConditionRows
    extra = 2
    max_num = MOST_CONDITIONS
    fields = ("source", "comparison", "value")
    verbose_name_plural = "Conditions: ask this question only if the answer to an earlier one …"


class QuestionInline(WideRows):
    model = Question
    extra = 1
    fields = ("text", "kind", "design", "required", "protection", "order")
    readonly_fields = ("protection", "order")
    show_change_link = True

    @admin.display(description="epsilon")
    def protection(self, question: Question) -> str:
        return protection(question)

    @admin.display(description="order")
    def order(self, question: Question) -> str | SafeString:
        """Buttons of a form of their own, so that Enter in a field still saves."""
        if question._state.adding or question.survey.state != Survey.State.DRAFT:
            return "-"
        return format_html(
            '<button form="move-question" formaction="{}" aria-label="Move up: {}">▲</button> '
            '<button form="move-question" formaction="{}" aria-label="Move down: {}">▼</button>',
            reverse("admin:surveys_question_move", args=[question.pk, "up"]),
            question.text,
            reverse("admin:surveys_question_move", args=[question.pk, "down"]),
            question.text,
        )


class BudgetForm(forms.ModelForm):
    """A row counts as filled in once epsilon is, so that its defaults can be kept."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance._state.adding:
            self.initial["epsilon"] = None


class BudgetInline(DraftRows, admin.StackedInline):
    model = PrivacyBudget
    form = BudgetForm
    verbose_name = "budget"
    verbose_name_plural = "Budget for reports and tables"
    extra = 1
    max_num = 1
    readonly_fields = ("meaning",)
    fieldsets = (
        (
            None,
            {
                "fields": ("source", "epsilon", "meaning", "delta", "adjacency"),
                "description": BUDGET_HELP,
            },
        ),
    )

    @admin.display(description="what it means")
    def meaning(self, budget: PrivacyBudget) -> str:
        return EXAMPLES if budget._state.adding else budget_words(budget)


def protection(question: Question) -> str:
    """One question's epsilon in words, as far as it can be told yet."""
    if question._state.adding:
        return "-"
    try:
        item = item_of(question)
    except NotReady:
        return "Not ready"
    words = odds.epsilon_words(item)
    return f"{words}; {scale_gain(item)}" if isinstance(item, ScaleQuestion) else words
