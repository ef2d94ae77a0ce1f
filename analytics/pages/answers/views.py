"""Views of reports on stored answers: ask for one of any kind, ask again."""

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from analytics import services
from analytics.pages.answers.asking import ASKED_FOR, REFUSALS, asking_page, led_to, requested
from analytics.queries import (
    ability_to_ask,
    report_of,
    surveys_asking_the_same,
)
from analytics.reports.asking import AskForm
from analytics.reports.kind import Choices
from analytics.reports.registry import ANSWER_KINDS
from analytics.tasks import make_later
from surveys.models import Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.staff.access import StaffRequest, post_only, survey_with
from surveys.staff.roles import Ability
from surveys.wording.language.messages import said_by, translated


@login_required
@require_safe
def page(request: StaffRequest, survey_id: UUID, kind: str) -> HttpResponse:
    """Reports of a kind so far, and the form that asks for one."""
    survey = survey_with(request, survey_id, ability_to_ask(kind))
    return _page(request, survey, kind, _form(request, survey, kind))


# A GET comes from people who log in after their session ended, and leads to the form.
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: StaffRequest, survey_id: UUID, kind: str) -> HttpResponse:
    """Ask for a report; the form again, as it was filled in, where that is not possible."""
    survey = survey_with(request, survey_id, ability_to_ask(kind))
    if request.method != "POST":
        return redirect(f"analytics:{ANSWER_KINDS[kind].address}", survey.pk)
    form, asked = _form(request, survey, kind), None
    if form.is_valid():
        wish = {"survey": survey, "kind": kind, "by": request.user}
        asked = requested(form, services.request_report, **wish)
    return led_to(request, survey, asked) if asked else _page(request, survey, kind, form)


@login_required
@post_only("analytics:report", "survey_id", "report_id", ability=Ability.READ)
def ask_again(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """Ask for a report on answers once more, with the same settings and today's answers."""
    survey = survey_with(request, survey_id)
    earlier = report_of(survey, report_id, request.user)
    kind = ANSWER_KINDS.get(earlier.kind) if earlier else None
    if earlier is None or kind is None:
        raise Http404
    try:
        made = services.request_report(
            survey=survey,
            kind=kind.name,
            settings=kind.settings(earlier.settings),
            by=request.user,
            later=make_later,
        )
    except REFUSALS as problem:
        messages.error(request, said_by(problem))
        return redirect("analytics:report", survey.pk, earlier.pk)
    messages.success(request, ASKED_FOR)
    return redirect("analytics:report", survey.pk, made.pk)


def _form(request: StaffRequest, survey: Survey, kind: str) -> AskForm:
    """The form of a launched survey whose answers are there. Raises Http404."""
    revision = revision_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        raise Http404
    data = request.POST if request.method == "POST" else None
    items = questionnaire_of(revision).numbered.readable
    others = partial(surveys_asking_the_same, survey, request.user)
    return ANSWER_KINDS[kind].form(data, Choices(items, others))


def _page(request: StaffRequest, survey: Survey, kind: str, form: AskForm) -> HttpResponse:
    chosen = ANSWER_KINDS[kind]
    context = {
        "form": form,
        "title": translated(chosen.title),
        "explanation": translated(chosen.explanation),
        "nothing": gettext("No report can be requested yet"),
        "why_not": translated(chosen.nothing_to_ask),
        "address": f"analytics:ask-{chosen.address}",
    }
    return asking_page(request, survey, kind, context)
