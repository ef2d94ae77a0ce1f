"""ImportPage: a page of the admin that reads a form, says what is lost, and makes a draft of it.

Nothing is stored before the draft is made: what was read waits on the page itself.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext

from surveys.authoring.editor.pages import list_address
from surveys.authoring.importing.exports import definition_of
from surveys.authoring.importing.fitting import FittedDraft, fitted
from surveys.authoring.importing.forms import LARGEST_WAITING, FormFileForm
from surveys.authoring.importing.rows import grades_of
from surveys.authoring.importing.services import store
from surveys.definitions.definition import Definition
from surveys.definitions.documents import to_bytes
from surveys.definitions.imports.files import plan_import
from surveys.definitions.imports.plans import ImportPlan
from surveys.definitions.xlsforms.files import workbook_of
from surveys.models import Question, Survey
from surveys.staff.admin import RefusalsAdmin, by_whom
from surveys.web.downloads import file_name
from surveys.web.responses import attached

MADE = gettext_lazy("“{survey}” was imported as your draft. {designs}")
WAITING = "draft.json"  # the name of what is posted back
# A definition as a file, by the ending of its name: the type and what makes the bytes.
DEFINITION_FILES: dict[str, tuple[str, Callable[[Definition], bytes]]] = {
    "json": ("application/json", to_bytes),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", workbook_of),
}


class ImportPage(RefusalsAdmin):
    """Where a person begins who has a form in another program."""

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        own = [
            path("import/", shown(self.import_form), name="surveys_survey_import"),
            path(
                "<uuid:survey_id>/definition.json",
                shown(self.definition_file),
                name="surveys_survey_definition",
            ),
        ]
        return own + super().get_urls()

    def import_form(self, request: HttpRequest) -> HttpResponse:
        """The form; by POST what a file becomes, or the draft that was read from it."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form, plan = FormFileForm(initial={"language": get_language()}), None
        if "definition" in request.POST:
            plan = plan_import(request.POST["definition"].encode(), WAITING)
            if plan.definition is not None:
                return self._make_draft(request, plan)
        elif request.method == "POST":
            form = FormFileForm(request.POST, request.FILES)
            if form.is_valid():
                plan = plan_import(*form.content(), form.cleaned_data["language"])
        context = {**self.admin_site.each_context(request), "opts": self.opts, "form": form}
        context |= {"title": gettext("Import a form"), **(_read_context(plan) if plan else {})}
        return render(request, "admin/surveys/survey/import.html", context)

    def definition_file(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        """The questions and promises of a survey as a file that an import reads.

        ``as`` in the address is which: ``json``, which it is without, or ``xlsx``. Raises Http404
        for any other.
        """
        survey: Survey = self.get_object(request, str(survey_id))
        ending = request.GET.get("as", "json")
        if ending not in DEFINITION_FILES:
            raise Http404
        kind, write = DEFINITION_FILES[ending]
        headers = attached(file_name(survey.title, f"draft.{ending}"))
        return HttpResponse(write(definition_of(survey)), content_type=kind, headers=headers)

    def _make_draft(self, request: HttpRequest, plan: ImportPlan) -> HttpResponse:
        draft = fitted(plan)
        survey = store(draft, by=by_whom(request))
        words = MADE.format(survey=survey, designs=_designs(draft))
        self.message_user(request, words, messages.SUCCESS)
        return redirect(list_address(survey))


def _read_context(plan: ImportPlan) -> dict[str, Any]:
    """What the template shows of a file that was read."""
    draft = fitted(plan) if plan.definition else None
    return {
        "plan": plan,
        "draft": draft,
        "counts": _counts(draft) if draft else "",
        "designs": _designs(draft) if draft else "",
        "waiting": _waiting(plan),
        "grades": grades_of(draft.remarks if draft else plan.remarks),
    }


def _waiting(plan: ImportPlan) -> str:
    """The draft as JSON; empty for none, and for one that cannot be posted back."""
    written = to_bytes(plan.definition) if plan.definition else b""
    return written.decode() if len(written) <= LARGEST_WAITING else ""


def _designs(draft: FittedDraft) -> str:
    """How the questions are asked: forms of others have no designs, ours do."""
    protected = sum(question.design != Question.Design.DIRECT for question in draft.questions)
    if not protected:
        return gettext(
            "All questions are asked directly. Choose later how each sensitive question is "
            "protected."
        )
    return ngettext(
        "{count} question is protected by the design that the file names. All other questions are "
        "asked directly.",
        "{count} questions are protected by the designs that the file names. All other questions "
        "are asked directly.",
        protected,
    ).format(count=protected)


def _counts(draft: FittedDraft) -> str:
    count = len(draft.questions)
    marked = sum(bool(question.unfinished) for question in draft.questions)
    words = ngettext("The draft has {count} question.", "The draft has {count} questions.", count)
    unfinished = ngettext(
        "{count} question could not be imported completely. It is marked “not finished”.",
        "{count} questions could not be imported completely. They are marked “not finished”.",
        marked,
    )
    return " ".join(
        [words.format(count=count), *([unfinished.format(count=marked)] if marked else [])]
    )
