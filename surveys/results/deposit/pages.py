"""Views of deposits: what one of this survey will hold, and have it written."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from surveys.models import Revision, Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.models.refusals import NotPossible
from surveys.results.deposit.contents import held_files
from surveys.results.deposit.texts import never_words, why_no_rows
from surveys.results.queries import response_count
from surveys.results.taking.formats import DEPOSITS
from surveys.results.taking.queries import exports_of
from surveys.results.taking.rows import export_rows
from surveys.results.taking.services import ask
from surveys.results.taking.tasks import write_later
from surveys.staff.access import StaffRequest, post_only, survey_with
from surveys.staff.roles import Ability


@login_required
@require_safe
def overview(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """What a deposit will hold, said before it is made; and the ones that this person asked for."""
    survey = survey_with(request, survey_id)
    revision = revision_of(survey)
    if revision is None:
        raise Http404
    context = {"survey": survey, "is_erased": is_erased(survey, timezone.now().date())}
    if not context["is_erased"]:
        context |= _offered(request, survey, revision)
    return render(request, "surveys/results/deposit/page.html", context)


def _offered(request: StaffRequest, survey: Survey, revision: Revision) -> dict[str, object]:
    questionnaire = questionnaire_of(revision)
    return {
        "files": held_files(revision),
        "responses": response_count(revision),
        "why_no_rows": why_no_rows(revision),
        "never": never_words(questionnaire),
        "rows": export_rows(DEPOSITS, exports_of(request.user, survey)),
    }


@login_required
@post_only("surveys:deposit", "survey_id", ability=Ability.READ)
def ask_for(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Have one written, with the licence that was chosen."""
    survey = survey_with(request, survey_id)
    kind = request.POST.get("kind", "")
    if revision_of(survey) is None or kind not in DEPOSITS:
        raise Http404
    try:
        ask(survey, kind, by=request.user, later=write_later)
    except NotPossible as refusal:
        messages.error(request, str(refusal))
    return redirect("surveys:deposit", survey.pk)
