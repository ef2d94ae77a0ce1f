"""Rows on admin pages: the budget of a survey, the conditions of a question."""

from collections.abc import Iterable
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.draft.budgets import budget_examples, budget_words
from surveys.authoring.draft.rules import MOST_CONDITIONS
from surveys.authoring.drafts import NotReady, item_of, placed_item
from surveys.authoring.editor.rule_texts import OWN_RULE, RuleTexts
from surveys.authoring.hints import family_words, scale_gain
from surveys.authoring.question_forms import in_one_line
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.models import Condition, PrivacyBudget, Question
from surveys.questionnaire.kinds.registry import Table
from surveys.staff.access import surveys_for
from surveys.staff.admin import by_whom
from surveys.staff.admin_rights import is_staff, may, may_edit_draft
from surveys.staff.roles import Ability
from surveys.wording import odds

BUDGET_HELP = gettext_lazy(
    "If you leave epsilon empty, the survey has no privacy budget. It then promises neither "
    "protected reports on texts nor protected tables. Only people who may read the answers can "
    "have the answers analysed, and these analyses are not protected. With a budget, respondents "
    "read a limit before they answer: how much everything that is published can reveal about one "
    "of them at most. Deniable refuses everything that would go beyond the budget. One budget "
    "covers all reports on free texts and all table releases of the survey. A report needs a few "
    "hundred texts at an epsilon of 4, and more texts at a smaller epsilon."
)

VALUE_HELP = gettext_lazy(
    "Enter an answer as respondents see it, or a number. To name several answers, write | "
    "between them. “Less” and “more” compare numbers. On a scale, “less” and “more” follow the "
    "order of the options."
)


BOTH_CHANGED = gettext_lazy(
    "The rule is entered twice: here as conditions, and under “How conditions are read” as a text "
    "that says something else. Keep only one of the two: empty the text, or remove the "
    "conditions."
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


def label(form: Any, fields: Iterable[str]) -> None:
    """Name each field to who hears the page: rows of a table have no labels of their own."""
    for name in fields:
        widget = form.fields[name].widget
        attributes = getattr(widget, "widget", widget).attrs  # the admin wraps some
        attributes["aria-label"] = form.fields[name].label


class ConditionRows(forms.BaseInlineFormSet):
    """Each row reads another question of the same survey.

    A row that another person deleted meanwhile is a new one: nothing that was typed is lost.
    ``chosen_survey`` is the survey of a question that is not made yet.
    """

    chosen_survey: UUID | None = None
    default_error_messages: ClassVar[dict[str, Any]] = {
        **forms.BaseFormSet.default_error_messages,
        "too_many_forms": format_lazy(
            gettext_lazy("A rule can have at most {most} conditions. Remove some conditions."),
            most=MOST_CONDITIONS,
        ),
    }

    def __init__(self, data: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(data, *args, **kwargs)
        if self.is_bound:
            self.data = self._without_deleted(self.data)

    def _construct_form(self, i: int, **kwargs: Any) -> Any:
        form = super()._construct_form(i, **kwargs)  # type: ignore[misc]
        if self.is_bound and form.instance._state.adding:
            form.fields["id"].required = False
        return form

    def save_new_objects(self, commit: bool = True) -> list[Any]:
        saved = super().save_new_objects(commit)
        again = [
            self.save_new(form, commit=commit)
            for form in self.initial_forms
            if form.instance._state.adding and form not in self.deleted_forms
        ]
        self.new_objects += again
        return [*saved, *again]

    def _without_deleted(self, sent: Any) -> Any:
        stored = {str(key) for key in self.get_queryset().values_list("pk", flat=True)}
        kept = sent.copy()
        for name in [f"{self.add_prefix(index)}-id" for index in range(MOST_CONDITIONS)]:
            if kept.get(name) and kept[name] not in stored:
                kept[name] = ""
        return kept

    def get_queryset(self) -> Any:
        """Lines; what a shape joins has its place in the rule's text alone."""
        return super().get_queryset().filter(leaf=None)

    def clean(self) -> None:
        """Of two ways to change a rule, one; the text that a page was opened with is no change."""
        super().clean()
        typed = in_one_line(self.data.get(OWN_RULE, ""))
        question = self.instance
        if not typed or not self.has_changed() or not question.survey_id:
            return
        texts = RuleTexts(question.survey, question)
        is_stored = typed == texts.own and not self._has_shape()
        if not is_stored and typed != texts.of_lines(question.rule_joins, self._rows()):
            raise forms.ValidationError(BOTH_CHANGED)

    def _rows(self) -> list[Condition]:
        """The lines as they were sent."""
        kept = [form.instance for form in self.forms if form not in self.deleted_forms]
        return [row for row in kept if row.source_id]

    def _has_shape(self) -> bool:
        """Whether the rule that is stored is one that no lines say."""
        stored = Question.objects.filter(pk=self.instance.pk).exclude(rule_shape=None)
        return stored.exists()

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        survey = self.instance.survey_id or self.chosen_survey
        form.fields["source"].queryset = _earlier(survey, self.instance, form.instance.source_id)
        form.fields["source"].label_from_instance = _numbered(survey)
        form.fields["value"].help_text = VALUE_HELP
        form.fields["bracket"].choices = _brackets()
        label(form, ConditionInline.fields)


def _earlier(survey: UUID | None, question: Question, chosen: UUID | None) -> Any:
    """What a rule of this question may read; a question that moved keeps what its row reads.

    A question that is not made yet comes last. Two at one position stand in the order of keys.
    """
    all_questions = Question.objects.filter(survey=survey)
    if question._state.adding:
        return all_questions
    position, key = question.position, question.pk
    before = Q(position__lt=position) | Q(position=position, pk__lt=key) | Q(pk=chosen)
    return all_questions.filter(before).exclude(pk=key)


def _brackets() -> list[tuple[int | str, str]]:
    """The choices in words that need no heading above them."""
    words = gettext("in bracket {letter}")
    named = [(each.value, words.format(letter=each.label)) for each in Condition.Bracket]
    return [("", gettext("no bracket")), *named]


def _numbered(survey: Any) -> Any:
    """Questions in a list by their number and text."""
    keys = Question.objects.filter(survey=survey).values_list("pk", flat=True)
    numbers = {key: number for number, key in enumerate(keys, start=1)}
    return lambda question: f"{numbers.get(question.pk, 0)}. {question.text}"


def chosen_survey(request: HttpRequest) -> UUID | None:
    """The survey that the address of a new question names, if this person may edit it."""
    try:
        key = UUID(request.GET.get("survey", ""))
    except ValueError:
        return None
    survey = surveys_for(by_whom(request), Ability.EDIT).filter(pk=key).first()
    return survey.pk if survey else None


class ConditionInline(WideRows):
    """The rule of a question: without rows it is asked of all."""

    model = Condition
    fk_name = "question"
    formset = ConditionRows
    extra = 2
    max_num = MOST_CONDITIONS
    fields = ("source", "comparison", "value", "bracket")

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        field: Any = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "source":  # a rule chooses a question; the list adds and deletes them
            for link in ("add", "change", "delete", "view"):
                setattr(field.widget, f"can_{link}_related", False)
        return field

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        # The page offers no more rows than that; what is posted by hand may have any number.
        rows: Any = super().get_formset(request, obj, validate_max=True, **kwargs)
        rows.chosen_survey = chosen_survey(request)
        return rows

    verbose_name = gettext_lazy("condition")
    verbose_name_plural = gettext_lazy(
        "Conditions: ask this question only if the answer to an earlier question …"
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
    verbose_name = gettext_lazy("budget")
    verbose_name_plural = gettext_lazy("Budget for reports and tables")
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

    @admin.display(description=gettext_lazy("meaning of epsilon"))
    def meaning(self, budget: PrivacyBudget) -> str:
        return budget_examples() if budget._state.adding else budget_words(budget)


def _is_in_rules(question: Question) -> bool:
    return question.conditions.exists() or question.read_by.exists()


def protection(question: Question) -> str:
    """One question's epsilon in words, as far as it can be told yet."""
    if question._state.adding:
        return "-"
    try:
        item = placed_item(question) if _is_in_rules(question) else item_of(question)
    except NotReady:
        return gettext("Not ready")
    return EPSILON_WORDS(item)


def _of_follow_up(item: FollowUpQuestion) -> str:
    words = gettext(
        "Included in the epsilon of question {number}, because both questions are sent as one "
        "answer"
    )
    return words.format(number=item.family)


def _of_family(item: FamilyQuestion) -> str:
    return f"{odds.epsilon_words(item)}; {family_words(item)}"


def _of_long_scale(item: ScaleQuestion) -> str:
    return f"{odds.epsilon_words(item)}; {scale_gain(item)}"


EPSILON_WORDS: Table[[], str] = Table.mostly(
    odds.epsilon_words, follow_up=_of_follow_up, family=_of_family, long_scale=_of_long_scale
)
