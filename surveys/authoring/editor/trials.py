"""TriedPage: a question's form says what its answers would tell, before anything is saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.forms import BaseForm, all_valid
from django.http import HttpRequest, HttpResponse

from surveys.authoring.editor.rows import QuestionList, QuestionRow, told_list
from surveys.models import Question, Survey
from surveys.staff.admin import CHANGED_MEANWHILE, REFUSALS

TRY = "_try"  # the button that says it


@dataclass(frozen=True)
class Trial:
    """The list of questions as it is stored, as it would be, and the question's row in that."""

    stored: QuestionList
    tried: QuestionList
    row: QuestionRow

    @property
    def problems(self) -> Sequence[str]:
        """Why what all answers tell is not known; those about this question come first."""
        others = (line for row in self.tried.rows if row != self.row for line in row.problems)
        return (*self.row.problems, *others, *self.tried.problems)


class TriedPage(admin.ModelAdmin):
    """The question is saved and undone at once, so that its form says what the list would say.

    What was typed stays in the form.
    """

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        context = extra_context or {}
        if _is_trial(request):
            context |= {"trial": self._trial(request, object_id)}
        return super().changeform_view(request, object_id, form_url, context)

    def get_form(self, request: HttpRequest, obj: Any = None, *args: Any, **kwargs: Any) -> Any:
        """For a trial one that shows what was typed, and is never saved."""
        form = super().get_form(request, obj, *args, **kwargs)
        metaclass: Any = type(form)  # as Django's own factory derives a form from another
        return metaclass("TriedForm", (_Unsaved, form), {}) if _is_trial(request) else form

    def _trial(self, request: HttpRequest, object_id: str | None) -> Trial | None:
        """None where the form has errors, which it says itself."""
        stored = self.get_object(request, object_id) if object_id else None
        if stored is None:
            may = self.has_add_permission(request)
        else:
            may = self.has_change_permission(request, stored)
        if not may:
            raise PermissionDenied
        form = super().get_form(request, stored, change=stored is not None)(
            request.POST, request.FILES, instance=stored
        )
        try:
            return self._undone(request, form) if form.is_valid() else None
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
        except IntegrityError:
            self.message_user(request, str(CHANGED_MEANWHILE), messages.ERROR)
        return None

    def _undone(self, request: HttpRequest, form: Any) -> Trial | None:
        change = not form.instance._state.adding
        question = self.save_form(request, form, change)
        sets = self.get_formsets_with_inlines(request, question if change else None)
        formsets = [
            rows(request.POST, instance=question, prefix=rows.get_default_prefix())
            for rows, _ in sets
        ]
        if not all_valid(formsets):
            return None
        stored = told_list(question.survey)
        with transaction.atomic():
            self.save_model(request, question, form, change)
            self.save_related(request, form, formsets, change)
            tried = told_list(Survey.objects.get(pk=question.survey_id))
            transaction.set_rollback(True)
        return Trial(stored, tried, _row_of(tried, question))


class _Unsaved(BaseForm):
    """Before a form's class: its errors are said as always, and it is never saved."""

    def is_valid(self) -> bool:
        super().is_valid()
        return False


def _is_trial(request: HttpRequest) -> bool:
    return request.method == "POST" and TRY in request.POST


def _row_of(listed: QuestionList, question: Question) -> QuestionRow:
    return next(row for row in listed.rows if row.question.pk == question.pk)
