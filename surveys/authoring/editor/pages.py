"""EditorPages: copy a survey; list, move, copy and translate its questions, in the admin."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from surveys.authoring.draft.languages import source_texts, translations_of
from surveys.authoring.editor.copies import copy_questions, copy_survey
from surveys.authoring.editor.forms import CopyForm, ListForm
from surveys.authoring.editor.orders import CHANGED, arrange_questions
from surveys.authoring.editor.rows import QuestionList, QuestionRow, question_list
from surveys.authoring.editor.translating import save_translations
from surveys.authoring.editor.translation_forms import TranslationForm
from surveys.authoring.protection.services import take_way
from surveys.authoring.protection.ways import DELETING, without_coin_words
from surveys.kinds.trust.draft import add_trust_block
from surveys.models import Question, Survey
from surveys.models.refusals import NotPossible
from surveys.staff.access import surveys_for
from surveys.staff.admin import REFUSALS, RefusalsAdmin, by_whom
from surveys.staff.admin_rights import is_draft, may, may_edit_draft
from surveys.staff.roles import Ability

COPIED = gettext_lazy(
    "“{survey}” was created as your draft. The draft has the questions and promises of the "
    "original survey, but no days, answers, members or invitations. Give the draft a title that "
    "respondents may read."
)
OTHERS_TRANSLATED = gettext_lazy(
    "Some translations were not saved, because another person changed them since you opened this "
    "page. What you typed is shown below, next to the saved translations. Everything else was "
    "saved."
)
SURE = "sure"  # what the button sends that was asked for
NOTHING_MARKED = gettext_lazy(
    "Nothing was done, because no question is marked. Mark at least one question."
)
NO_NUMBER = gettext_lazy(
    "Nothing was moved. Enter the number to which the marked questions should move."
)


class EditorPages(RefusalsAdmin):
    """What an author does to a whole survey and to its questions together."""

    def get_urls(self) -> list[URLPattern]:
        # A page that is left by a login comes back by GET.
        by_form = require_http_methods(["GET", "HEAD", "POST"])
        own = [
            path(
                f"<uuid:survey_id>/{address}/",
                self.admin_site.admin_view(by_form(view)),
                name=f"surveys_survey_{name}",
            )
            for address, view, name in (
                ("copy", self.copy, "copy"),
                ("trust", self.ask_for_trust, "trust"),
                ("questions", self.questions, "questions"),
                ("questions/copy", self.copy_questions, "copy_questions"),
                ("translations/<slug:language>", self.translations, "translations"),
            )
        ]
        return own + super().get_urls()

    def response_post_save_add(self, request: HttpRequest, obj: Survey) -> HttpResponseRedirect:
        """A new survey needs its first question next."""
        return redirect(f"{reverse('admin:surveys_question_add')}?survey={obj.pk}")

    def response_post_save_change(self, request: HttpRequest, obj: Survey) -> HttpResponseRedirect:
        """Of a draft, the page that says what is still missing; else the list of surveys."""
        if is_draft(obj):
            return redirect(list_address(obj))
        return super().response_post_save_change(request, obj)

    def response_change(self, request: HttpRequest, obj: Survey) -> HttpResponse:
        """With the button for it, a saved draft leads on to a new question."""
        reply = super().response_change(request, obj)
        leads_on = "_question" in request.POST and is_draft(obj)
        return self.response_post_save_add(request, obj) if leads_on else reply

    def copy(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        """Copy the survey by POST, and lead to the copy."""
        survey = self._edited(request, survey_id)
        if request.method != "POST":
            return redirect("admin:surveys_survey_change", survey.pk)
        try:
            copy = copy_survey(survey=survey, by=by_whom(request))
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
            return redirect("admin:surveys_survey_changelist")
        self.message_user(request, COPIED.format(survey=copy))
        return redirect("admin:surveys_survey_change", copy.pk)

    def ask_for_trust(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        """Append the trust block by POST, and lead to the questions."""
        survey = self._edited(request, survey_id)
        if request.method != "POST":
            return redirect("admin:surveys_survey_change", survey.pk)
        try:
            add_trust_block(survey=survey, by=by_whom(request))
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
        return redirect(list_address(survey))

    def questions(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        """All questions with what is missing; by POST, move, copy or protect them."""
        survey: Survey = self.get_object(request, str(survey_id))
        if request.method == "POST" and not self.has_change_permission(request, survey):
            raise PermissionDenied
        if "_way" in request.POST:
            return self._protect(request, survey, request.POST["_way"])
        listed = question_list(survey)
        form = ListForm(request.POST or None, rows=listed.rows)
        if request.POST.get("_copy", SURE) != SURE and form.is_valid() and form.marked:
            return self._list(request, survey, listed, form)
        if request.method == "POST" and self._change(request, survey, form):
            return redirect(list_address(survey))
        return self._list(request, survey, listed, form)

    def _protect(self, request: HttpRequest, survey: Survey, code: str) -> HttpResponse:
        """Take a way out of weak protection; before one that deletes questions, ask on the list."""
        if code.startswith(DELETING) and "_sure" not in request.POST:
            listed = question_list(survey)
            if row := listed.left_out_by(code):
                return self._list(request, survey, listed, ListForm(rows=listed.rows), row)
        try:
            way = take_way(survey=survey, code=code, by=by_whom(request))
            state = " ".join(filter(None, (way.leads_to, without_coin_words(way.reached))))
            self.message_user(
                request, gettext("Your change was made. Now {state}").format(state=state)
            )
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
        return redirect(list_address(survey))

    def _list(
        self,
        request: HttpRequest,
        survey: Survey,
        listed: QuestionList,
        form: ListForm,
        to_leave_out: QuestionRow | None = None,
    ) -> HttpResponse:
        title = gettext("Questions of “{survey}”").format(survey=survey)
        context = {
            "list": listed,
            "form": form,
            "may_edit": may_edit_draft(request, survey),
            "to_leave_out": to_leave_out,
            "to_copy": form.marked if "_copy" in request.POST and form.is_valid() else (),
            "may_launch": listed.is_complete
            and is_draft(survey)
            and may(request, survey, Ability.RULE),
        }
        return self._page(request, survey, "questions", title, context)

    def _change(self, request: HttpRequest, survey: Survey, form: ListForm) -> bool:
        """Do what the button says; whether the list is to be read anew."""
        try:
            if not form.is_valid():
                # Rows that were not on the page have no number: it was another list.
                if form.order_shown != form.keys:
                    raise NotPossible(str(CHANGED))
                return False
            _act(request, survey, form)
        except (*REFUSALS, ValueError) as problem:
            self.message_user(request, str(problem), messages.ERROR)
        return True

    def copy_questions(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        """Choose another survey, mark its questions, and copy them into this one by POST."""
        survey = self._edited(request, survey_id)
        others = surveys_for(by_whom(request), Ability.EDIT).exclude(pk=survey.pk)
        source = _chosen(others, request.GET.get("from", ""))
        offered = source.questions.all() if source else Question.objects.none()
        form = CopyForm(request.POST or None, questions=offered)
        if request.method == "POST" and form.is_valid():
            marked = list(form.cleaned_data["questions"].select_related("survey"))
            try:
                copies = copy_questions(questions=marked, to=survey, by=by_whom(request))
                self.message_user(
                    request,
                    gettext(
                        "Questions copied: {count}. The copies are at the end of the list."
                    ).format(count=len(copies)),
                )
            except REFUSALS as problem:
                self.message_user(request, str(problem), messages.ERROR)
            return redirect(list_address(survey))
        context = {"form": form, "others": others, "source": source}
        return self._page(request, survey, "copy_questions", gettext("Copy questions"), context)

    def translations(self, request: HttpRequest, survey_id: UUID, language: str) -> HttpResponse:
        """Every text beside its translation into one of the survey's other languages; save it."""
        survey = self._edited(request, survey_id)
        others = [(code, name) for code, name in settings.LANGUAGES if code in survey.languages[1:]]
        if language not in dict(others) or survey.state != Survey.State.DRAFT:
            raise Http404
        questions = list(survey.questions.prefetch_related("options"))
        texts, known = source_texts(survey, questions), translations_of(survey.pk, language)
        form = TranslationForm(
            request.POST or None,
            texts=texts,
            known=known,
            language=language,
            has_marks=survey.marked_up,
        )
        if request.method == "POST" and form.is_valid() and self._translate(request, survey, form):
            return redirect("admin:surveys_survey_translations", survey.pk, language)
        missing = sum(row.is_missing for row in form.lines)
        context = {"form": form, "language": language, "languages": others, "missing": missing}
        title = gettext("Translations of “{survey}” ({language})").format(
            survey=survey, language=language
        )
        return self._page(request, survey, "translations", title, context)

    def _translate(self, request: HttpRequest, survey: Survey, form: TranslationForm) -> bool:
        """Save what was typed; whether the page is to be read anew."""
        try:
            theirs = save_translations(
                survey=survey, language=form.language, written=form.written, by=by_whom(request)
            )
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
            return False
        if theirs:
            self.message_user(request, str(OTHERS_TRANSLATED), messages.ERROR)
            form.show_anew(theirs)
            return False
        self.message_user(request, gettext("The translations were saved."))
        return True

    def _page(
        self, request: HttpRequest, survey: Survey, name: str, title: str, context: dict[str, Any]
    ) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.opts, "title": title}
        return render(
            request,
            f"admin/surveys/survey/{name}.html",
            {**shared, "survey": survey, **context},
        )

    def _edited(self, request: HttpRequest, survey_id: UUID) -> Survey:
        """The survey, for who may edit it. Raises Http404 or PermissionDenied."""
        survey: Survey = self.get_object(request, str(survey_id))
        if not self.has_change_permission(request, survey):
            raise PermissionDenied
        return survey


def list_address(survey: Survey) -> str:
    """The address of the list of a survey's questions."""
    return reverse("admin:surveys_survey_questions", args=[survey.pk])


def _act(request: HttpRequest, survey: Survey, form: ListForm) -> None:
    """Raises NotAllowed or NotPossible."""
    by = by_whom(request)
    if "_copy" in request.POST:
        if not form.marked:
            raise NotPossible(str(NOTHING_MARKED))
        copy_questions(questions=form.marked, to=survey, by=by)
        return
    # Enter in the field of the number presses the first button of the form.
    if "_together" in request.POST or form.cleaned_data["first"]:
        if not form.marked:
            raise NotPossible(str(NOTHING_MARKED))
        if form.cleaned_data["first"] is None:
            raise NotPossible(str(NO_NUMBER))
        order = form.order_as_block()
    else:
        order = form.order_by_numbers()
    arrange_questions(survey=survey, shown=form.order_shown, order=order, by=by)


def _chosen(surveys: Any, key: str) -> Survey | None:
    """The survey with this key; None for none and for what is no key."""
    return next((survey for survey in surveys if str(survey.pk) == key), None)
