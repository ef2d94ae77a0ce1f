"""SurveyAdmin and QuestionAdmin: surveys and questions in the admin: preview, launch, close, hints.

What a user may do comes from their role in a survey, never from Django's permissions.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy, ngettext

from surveys.authoring.actions import AskingPages, close, launch, stop
from surveys.authoring.checklist.pages import ChecklistPages
from surveys.authoring.confirmations import Close, DeleteBy, Launch, Stop
from surveys.authoring.draft.budgets import budget_hints
from surveys.authoring.draft.building import special_lines
from surveys.authoring.drafts import (
    NotReady,
    draft_questionnaire,
    item_of,
    rule_reasons,
)
from surveys.authoring.editor.pages import EditorPages
from surveys.authoring.editor.preview_pages import PreviewPages
from surveys.authoring.editor.renames import Shift, rename_in_rules, renamed, shifts
from surveys.authoring.editor.rows import condition_words, rules_line
from surveys.authoring.editor.rule_texts import SECTION_RULE
from surveys.authoring.editor.sketches import SketchedPage
from surveys.authoring.editor.trials import TriedPage
from surveys.authoring.first_steps.pages import FirstSteps
from surveys.authoring.grouping.explanations import ExplanationPages
from surveys.authoring.grouping.pages import GroupedPages
from surveys.authoring.hints import hints
from surveys.authoring.importing.pages import ImportPage
from surveys.authoring.inlines import (
    BudgetInline,
    ConditionInline,
)
from surveys.authoring.question_forms import DraftedQuestionForm
from surveys.authoring.question_pages import QuestionPage
from surveys.authoring.read_fields import ReadFields
from surveys.authoring.services import (
    begin_edit,
    delete_survey,
    record_creation,
    record_edit,
    replace_options,
    replace_rule,
)
from surveys.authoring.text_keys import SealingPages
from surveys.authoring.trustees import CountingPages
from surveys.counts.looks import reading_from_now
from surveys.models import Catalogue, Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.logic.quotes import quoted_in
from surveys.staff.access import surveys_for
from surveys.staff.acts import Act
from surveys.staff.admin import RefusalsAdmin, by_whom
from surveys.staff.admin_rights import is_draft, is_staff, may, may_edit_draft
from surveys.staff.roles import Ability
from surveys.wording import odds
from surveys.wording.language.messages import translated
from surveys.wording.readings import READ_ALL_THE_TIME

DATES = ("close_on", "delete_on")
# How long it takes is worked out from the questions.
FORM_PROMISED = tuple(name for name in Survey.PROMISED if name != "minutes")


class RoleAdmin(RefusalsAdmin):
    """What may be seen and done follows from the person's role in the survey."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_staff(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_staff(request) and may(request, obj, Ability.READ)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_staff(request)

    def has_rule_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Actions ask this before they look at each survey."""
        return is_staff(request) and may(request, obj, Ability.RULE)


@admin.register(Survey)
class SurveyAdmin(
    GroupedPages,
    ExplanationPages,
    AskingPages,
    EditorPages,
    PreviewPages,
    ChecklistPages,
    FirstSteps,
    ImportPage,
    SealingPages,
    CountingPages,
    RoleAdmin,
):
    inlines = (BudgetInline,)
    list_display = ("title", "state", "owner", "total_protection")
    list_filter = ("state",)
    search_fields = ("title",)
    fields = (
        "owned_by",
        *FORM_PROMISED,
        "time_it_takes",
        *DATES,
        *Survey.PLAN,
        "state",
        "total_protection",
    )
    actions = (launch, close, stop)
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Survey]:
        return surveys_for(by_whom(request))

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """A form that says nothing of the plan's reading keeps it."""
        if db_field.name == "planned_reading":
            kwargs["required"] = False
        return super().formfield_for_choice_field(db_field, request, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Survey | None = None) -> list[str]:
        """After launch the promises are frozen, and the owner alone moves the dates."""
        fixed = ["owned_by", "time_it_takes", "state", "total_protection", "own_explanations"]
        if obj is None or obj.state == Survey.State.DRAFT:
            return fixed
        dates = [] if may(request, obj, Ability.RULE) else list(DATES)
        return [*fixed, *FORM_PROMISED, *dates]

    def has_change_permission(self, request: HttpRequest, obj: Survey | None = None) -> bool:
        return is_staff(request) and may(request, obj, Ability.EDIT)

    def has_delete_permission(self, request: HttpRequest, obj: Survey | None = None) -> bool:
        return is_draft(obj) and self.has_rule_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Survey, form: Any, change: bool) -> None:
        """Only what the form has is written, so that a hand-over meanwhile is kept."""
        if not change:
            obj.owner = by_whom(request)
            super().save_model(request, obj, form, change)
            return
        form.before = begin_edit(survey=obj, by=by_whom(request))
        is_planned = bool({"planned_responses", "planned_reading"} & set(form.changed_data))
        if is_planned and _reads_all_the_time(obj):
            self.message_user(request, str(READ_ALL_THE_TIME), messages.WARNING)
        fields = set(form.cleaned_data)
        obj.save(update_fields=fields if is_draft(obj) else fields - {"delete_on"})

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        by = by_whom(request)
        if change:
            record_edit(form.instance, before=form.before, by=by)
        else:
            record_creation(form.instance, by=by)
        for hint in budget_hints(form.instance) if is_draft(form.instance) else ():
            self.message_user(request, hint, messages.WARNING)

    def delete_model(self, request: HttpRequest, obj: Survey) -> None:
        delete_survey(survey=obj, by=by_whom(request))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Respondents usually reach the person who makes the survey."""
        contact = {"contact": by_whom(request).email}
        return contact | super().get_changeform_initial_data(request)

    def response_change(self, request: HttpRequest, obj: Survey) -> HttpResponse:
        """The form is saved first; what cannot be undone is asked about on a page of its own."""
        act = _chosen_act(request, obj)
        return self.lead_to(request, act) if act else super().response_change(request, obj)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        survey: Survey | None = kwargs.get("obj")
        if survey:
            context["may_rule"] = self.has_rule_permission(request, survey)
            context["may_edit"] = self.has_change_permission(request, survey)
            context["is_sealed"] = (
                survey.state == Survey.State.OPEN and questionnaire_of(survey.revision).is_sealed
            )
            # A day that the form just refused is in the survey, and not in the database.
            stored = Survey.objects.filter(pk=survey.pk)
            context["last_day"] = stored.values_list("close_on", flat=True).get()
        return super().render_change_form(request, context, *args, **kwargs)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """The survey's own audit log."""
        return redirect("surveys:audit", self.get_object(request, object_id).pk)

    @admin.display(description=gettext_lazy("owner"))
    def owned_by(self, survey: Survey) -> str:
        return gettext("you") if survey._state.adding else str(survey.owner)

    @admin.display(description=gettext_lazy("one respondent's protection"))
    def total_protection(self, survey: Survey) -> str:
        if survey._state.adding:
            return "-"
        try:
            return odds.total_words(_questionnaire(survey))
        except NotReady as problem:
            count = len(problem.reasons)
            return ngettext(
                "Not ready: {count} thing to do.", "Not ready: {count} things to do.", count
            ).format(count=count)

    @admin.display(description=gettext_lazy("time needed to answer"))
    def time_it_takes(self, survey: Survey) -> str:
        if survey._state.adding:
            return "-"
        try:
            minutes = _questionnaire(survey).minutes
        except NotReady:
            return gettext("This value is calculated when all questions are complete.")
        return ngettext(
            "About {minutes} minute, calculated from the questions.",
            "About {minutes} minutes, calculated from the questions.",
            minutes,
        ).format(minutes=minutes)


@admin.register(Question)
class QuestionAdmin(SketchedPage, TriedPage, QuestionPage, ReadFields, RoleAdmin):
    """Questions are reached from their survey; here are the details of one."""

    form = DraftedQuestionForm
    inlines = (ConditionInline,)
    list_display = ("text", "survey", "kind", "design")
    fields = (
        "survey",
        "unfinished",
        *Question.WORDS_AND_DESIGN[:4],  # the kind is last: answers come before their protection
        "option_lines",
        "alone",
        "known_share",
        "counted_table",
        "random_options",
        *Question.WORDS_AND_DESIGN[4:],
        ("minimum", "maximum", "decimal_places"),
        "special",
        ("first_day", "last_day"),
        "longest",
        "catalogue",  # in a row of its own: one unused field hides its whole row
        "shown",
        "most",
        "table_rows",
        "adaptive",
        "protection",
        "arms",
        "rule_joins",
        "behind",
        "rule_text",
        ("section", "section_text"),
        "section_rule",
        ("random_screens", "random_section"),
        "same_screen",
        "name",
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Question | None = None) -> list[str]:
        """A question stays in its survey."""
        return ["protection", "survey"] if obj else ["protection"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        visible = surveys_for(by_whom(request))
        questions = super().get_queryset(request).select_related("survey")
        return questions.filter(survey__in=visible.values("pk"))

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        editable = surveys_for(request.user, Ability.EDIT).filter(state="draft")
        # A copied question keeps its catalogue, whose owner may be another person.
        used = Q(owner__surveys__in=editable) | Q(questions__survey__in=editable)
        catalogues = Catalogue.objects.filter(used).distinct()
        kwargs["queryset"] = catalogues if db_field.name == "catalogue" else editable
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Question | None = None) -> bool:
        return may_edit_draft(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Question | None = None) -> bool:
        return may_edit_draft(request, obj)

    def save_model(self, request: HttpRequest, obj: Question, form: Any, change: bool) -> None:
        by = by_whom(request)
        form.before = begin_edit(survey=obj.survey, by=by)
        if not change:
            obj.position = _next_position(obj.survey.questions)
        super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: Question) -> None:
        by = by_whom(request)
        before = begin_edit(survey=obj.survey, by=by)
        super().delete_model(request, obj)
        record_edit(obj.survey, before=before, by=by)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """A draft may be unfinished; its author hears at once what is missing."""
        super().save_related(request, form, formsets, change)
        question = Question.objects.get(pk=form.instance.pk)
        if form.new_options is not None:
            self._replace_options(request, question, form)
        if change and "special" in form.changed_data:
            before = Question(special=form.initial.get("special"))
            texts = ([text for _, text in special_lines(each)] for each in (before, question))
            self._rename(request, question, renamed(*texts))
        for name, conditions in form.new_rules.items():
            of_section = name == SECTION_RULE
            replace_rule(question=form.instance, conditions=conditions, of_section=of_section)
        by = by_whom(request)
        record_edit(question.survey, before=form.before, by=by)
        try:
            item = item_of(question)
        except NotReady as problem:
            for reason in problem.reasons:
                self.message_user(request, _before_launch(reason), messages.WARNING)
            return
        for level, hint in hints(item):
            self.message_user(request, hint, level)
        reads_others = question.conditions.exists() or quoted_in(question.text)
        is_ruled = question.arms or reads_others or question.read_by.exists()
        for reason in rule_reasons(question.survey) if is_ruled else ():
            self.message_user(request, _before_launch(reason), messages.WARNING)

    def _replace_options(
        self, request: HttpRequest, question: Question, form: DraftedQuestionForm
    ) -> None:
        texts = form.new_options or []
        before = list(question.options.values_list("text", flat=True))
        names = renamed(before, texts)
        replace_options(
            question=question, texts=texts, alone=form.new_alone, values=form.new_values
        )
        self._rename(request, question, names)
        numbers = _numbers(question.survey)
        for shift in shifts(question, before, texts, names):
            self.message_user(request, _shift_words(shift, numbers), messages.WARNING)

    def _rename(self, request: HttpRequest, question: Question, names: Mapping[str, str]) -> None:
        """Let rules name answers by their new words, and say in which questions."""
        numbers = _numbers(question.survey)
        for reader in rename_in_rules(question, names):
            words = gettext(
                "The conditions of question {number} now use the new words of the options that "
                "you changed. Question {number} is asked if {rule}."
            )
            rule = rules_line(reader, numbers)
            self.message_user(request, words.format(number=numbers[reader.pk], rule=rule))


def _reads_all_the_time(survey: Survey) -> bool:
    """Whether a plan that is changed now had to become one for all looks; it then is."""
    asked, survey.planned_reading = (
        survey.planned_reading,
        reading_from_now(survey, survey.planned_reading),
    )
    return asked != survey.planned_reading


def _chosen_act(request: HttpRequest, survey: Survey) -> Act | None:
    """What the form asks for besides saving: by a button, or by a new day of deletion."""
    for button, act in (("_launch", Launch), ("_close", Close), ("_stop", Stop)):
        if button in request.POST:
            return act(survey)
    stored = Survey.objects.get(pk=survey.pk)
    if survey.delete_on and survey.delete_on != stored.delete_on:
        return DeleteBy(stored, survey.delete_on)
    return None


def _questionnaire(survey: Survey) -> Questionnaire:
    if survey.state == Survey.State.DRAFT:
        return draft_questionnaire(survey)
    return questionnaire_of(survey.revision)


def _next_position(siblings: Any) -> int:
    last = siblings.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _numbers(survey: Survey) -> dict[UUID, int]:
    """The number of each question, from 1, by its key."""
    keys = survey.questions.values_list("pk", flat=True)
    return {key: number for number, key in enumerate(keys, start=1)}


def _shift_words(shift: Shift, numbers: Mapping[UUID, int]) -> str:
    none = gettext("no answer")
    return gettext(
        "You changed the options of a scale. So the condition “{rule}” of question {number} is "
        "now met by these options: {after}. Before your change, the condition was met by these "
        "options: {before}. Check that you want this change."
    ).format(
        number=numbers[shift.row.question_id],
        rule=condition_words(shift.row, numbers),
        after=", ".join(shift.after) or none,
        before=", ".join(shift.before) or none,
    )


def _before_launch(reason: str) -> str:
    return gettext("Still to do before launch: {reason}").format(reason=translated(reason))
