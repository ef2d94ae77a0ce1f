"""Surveys in the admin: plain forms, a preview of what respondents will see, launch and close."""

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from surveys import odds, selectors, services
from surveys.drafts import NotReady, draft_questionnaire, item_of
from surveys.models import Option, Question, Survey
from surveys.questionnaire import Questionnaire
from surveys.views import respondent

PROMISED = ("title", "introduction", "organisation", "contact", "minutes")


class KnownSelections(admin.ModelAdmin):
    """Lists whose actions refuse what is no key at all, instead of failing on it."""

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        try:
            for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
                self.model._meta.pk.to_python(key)
        except ValidationError:
            self.message_user(request, "Choose from this list; nothing was done.", messages.ERROR)
            return None
        return super().response_action(request, queryset, *args, **kwargs)


class DraftInline(admin.TabularInline):
    """Rows that can be changed only while their survey is a draft."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_draft(obj) and super().has_add_permission(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_draft(obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_draft(obj) and super().has_delete_permission(request, obj)


class OptionInline(DraftInline):
    model = Option
    extra = 3
    fields = ("position", "text")


class QuestionInline(DraftInline):
    model = Question
    extra = 1
    fields = ("text", "kind", "design", "required", "protection", "order")
    readonly_fields = ("protection", "order")
    show_change_link = True

    @admin.display(description="epsilon")
    def protection(self, question: Question) -> str:
        return _protection(question)

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


@admin.register(Survey)
class SurveyAdmin(KnownSelections, admin.ModelAdmin):
    inlines = (QuestionInline,)
    list_display = ("title", "state", "owner", "total_protection")
    list_filter = ("state",)
    search_fields = ("title",)
    actions = ("launch", "close")
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Survey]:
        return selectors.surveys_for(request.user)  # type: ignore[arg-type]

    def get_fields(self, request: HttpRequest, obj: Survey | None = None) -> list[Any]:
        fields = [*PROMISED, "planned_responses", "state", "total_protection"]
        return ["owner", *fields] if _is_superuser(request) else fields

    def get_readonly_fields(self, request: HttpRequest, obj: Survey | None = None) -> list[str]:
        frozen = [] if obj is None or obj.state == Survey.State.DRAFT else list(PROMISED)
        return ["state", "total_protection", *frozen]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"owner": request.user, **super().get_changeform_initial_data(request)}

    def has_delete_permission(self, request: HttpRequest, obj: Survey | None = None) -> bool:
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or obj.state == Survey.State.DRAFT)

    def save_model(self, request: HttpRequest, obj: Survey, form: Any, change: bool) -> None:
        if obj.owner_id is None:
            obj.owner = request.user
        super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """New questions come last."""
        for question in formset.save(commit=False):
            if question._state.adding:
                question.position = _next_position(question.survey.questions)
            question.save()
        for question in formset.deleted_objects:
            question.delete()
        formset.save_m2m()

    def response_change(self, request: HttpRequest, obj: Survey) -> HttpResponse:
        """Launch and close are buttons of the form: it is saved first, then they act."""
        for name, act in (("_launch", self._launch), ("_close", self._close)):
            if name in request.POST:
                act(request, obj)
                return HttpResponseRedirect(request.path)
        return super().response_change(request, obj)

    @admin.action(description="Launch: freeze and open", permissions=["change"])
    def launch(self, request: HttpRequest, surveys: QuerySet[Survey]) -> None:
        for survey in surveys:
            self._launch(request, survey)

    @admin.action(description="Close: take no more answers, for good", permissions=["change"])
    def close(self, request: HttpRequest, surveys: QuerySet[Survey]) -> None:
        for survey in surveys:
            self._close(request, survey)

    def _launch(self, request: HttpRequest, survey: Survey) -> None:
        try:
            services.launch(survey=survey, by=request.user)  # type: ignore[arg-type]
        except NotReady as problem:
            for reason in problem.reasons:
                self.message_user(request, f"{survey}: {reason}", messages.ERROR)
        except (services.NotAllowed, services.NotPossible) as problem:
            self.message_user(request, str(problem), messages.ERROR)
        else:
            link = reverse("respondent:start", args=[survey.pk])
            self.message_user(request, f"{survey} is open at {request.build_absolute_uri(link)}")

    def _close(self, request: HttpRequest, survey: Survey) -> None:
        try:
            services.close(survey=survey, by=request.user)  # type: ignore[arg-type]
        except (services.NotAllowed, services.NotPossible) as problem:
            self.message_user(request, str(problem), messages.ERROR)
        else:
            self.message_user(request, f"{survey} is closed.")

    @admin.display(description="one respondent's protection")
    def total_protection(self, survey: Survey) -> str:
        if survey._state.adding:
            return "-"
        try:
            return odds.total_words(_questionnaire(survey))
        except NotReady as problem:
            return f"Not ready: {len(problem.reasons)} things to do."

    def get_urls(self) -> list[URLPattern]:
        preview = self.admin_site.admin_view(self.preview)
        own = [
            path("<uuid:survey_id>/preview/", preview, name="surveys_survey_preview"),
            path(
                "<uuid:survey_id>/preview/own-coin/",
                preview,
                {"own_coin": True},
                name="surveys_survey_preview_own_coin",
            ),
        ]
        return own + super().get_urls()

    def preview(
        self, request: HttpRequest, survey_id: UUID, *, own_coin: bool = False
    ) -> HttpResponse:
        """Exactly what a respondent will see, with nothing that can be sent."""
        survey = self.get_object(request, str(survey_id))
        if survey is None or not self.has_view_permission(request, survey):
            raise Http404
        try:
            questionnaire = _questionnaire(survey)
        except NotReady as problem:
            for reason in problem.reasons:
                self.message_user(request, reason, messages.ERROR)
            return redirect("admin:surveys_survey_change", survey.pk)
        return respondent.preview(request, questionnaire, own_coin=own_coin)


@admin.register(Question)
class QuestionAdmin(KnownSelections, admin.ModelAdmin):
    """Questions are reached from their survey; here are the details of one."""

    inlines = (OptionInline,)
    list_display = ("text", "survey", "kind", "design")
    fields = (
        "survey",
        "text",
        "help",
        "required",
        "kind",
        "design",
        "forced",
        "epsilon",
        ("minimum", "maximum", "decimal_places"),
        "protection",
    )
    readonly_fields = ("protection",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        visible = selectors.surveys_for(request.user)  # type: ignore[arg-type]
        questions = super().get_queryset(request).select_related("survey")
        return questions.filter(survey__in=visible.values("pk"))

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        visible = selectors.surveys_for(request.user)
        kwargs["queryset"] = visible.filter(state=Survey.State.DRAFT)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Question | None = None) -> bool:
        return _is_draft(obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Question | None = None) -> bool:
        return _is_draft(obj) and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Question, form: Any, change: bool) -> None:
        if not change:
            obj.position = _next_position(obj.survey.questions)
        super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """New options whose position was left at 0 come last, in the order of the form."""
        for option in formset.save(commit=False):
            if option._state.adding and option.position == 0:
                option.position = _next_position(option.question.options)
            option.save()
        for option in formset.deleted_objects:
            option.delete()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """A draft may be unfinished; its author hears at once what is missing."""
        super().save_related(request, form, formsets, change)
        question = Question.objects.get(pk=form.instance.pk)
        try:
            item = item_of(question)
        except NotReady as problem:
            for reason in problem.reasons:
                self.message_user(request, f"Before launch: {reason}", messages.WARNING)
            return
        if not item.is_offered_with_own_coin:
            self.message_user(request, NO_RECIPE, messages.WARNING)

    @admin.display(description="epsilon")
    def protection(self, question: Question) -> str:
        return _protection(question)

    def get_urls(self) -> list[URLPattern]:
        move = self.admin_site.admin_view(require_POST(self.move))
        own = [path("<uuid:question_id>/move/<str:to>/", move, name="surveys_question_move")]
        return own + super().get_urls()

    def move(self, request: HttpRequest, question_id: UUID, to: str) -> HttpResponse:
        """Move a question one place up or down and go back to its survey."""
        question = self.get_object(request, str(question_id))
        if question is None or to not in STEPS:
            raise Http404
        if not self.has_change_permission(request, question):
            raise PermissionDenied
        try:
            services.move_question(
                question=question,
                step=STEPS[to],
                by=request.user,  # type: ignore[arg-type]
            )
        except (services.NotAllowed, services.NotPossible) as problem:
            self.message_user(request, str(problem), messages.ERROR)
        return redirect("admin:surveys_survey_change", question.survey_id)


admin.site.unregister([User, Group])


@admin.register(User)
class StaffAdmin(KnownSelections, UserAdmin):
    """Django's own, with lists that refuse garbage."""


@admin.register(Group)
class StaffGroupAdmin(KnownSelections, GroupAdmin):
    """Django's own, with lists that refuse garbage."""


STEPS = {"up": -1, "down": 1}
NO_RECIPE = (
    "No coin or dice recipe draws exactly from this channel, so people who use their own coin "
    "will not be asked this question. Two coins, or forced probabilities such as 1/6, have one."
)


def _questionnaire(survey: Survey) -> Questionnaire:
    if survey.state == Survey.State.DRAFT:
        return draft_questionnaire(survey)
    return selectors.questionnaire_of(survey.revision)


def _protection(question: Question) -> str:
    if question._state.adding:
        return "-"
    try:
        return odds.epsilon_words(item_of(question))
    except NotReady:
        return "Not ready"


def _next_position(siblings: Any) -> int:
    last = siblings.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _is_draft(obj: Survey | Question | None) -> bool:
    survey = obj.survey if isinstance(obj, Question) else obj
    return survey is None or survey.state == Survey.State.DRAFT


def _is_superuser(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_superuser
