"""Views of permits: given for a report on locked texts, taken as a file, closed by its report."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from analytics.models import Report
from analytics.pages.forms import HandInForm, PermitForm
from analytics.pages.ledger_rows import offers_of, spent_epsilon, why_no_private
from analytics.pages.rows import report_rows
from analytics.queries import (
    account_of,
    cost_of,
    is_open_permit,
    is_permit,
    question_texts,
    report_of,
    sealed_questions,
    sealing_keys,
)
from analytics.reports.asking import REFUSALS
from analytics.services.permits import MOST_BYTES, close_permit, give_permit, permit_file
from surveys.models import Survey
from surveys.models.queries import is_erased
from surveys.models.refusals import NotPossible
from surveys.staff.access import StaffRequest, may, post_only, survey_with
from surveys.staff.queries import account_names
from surveys.staff.roles import Ability
from surveys.trust.sealed_files import opening_command
from surveys.web.downloads import file_name
from surveys.web.responses import attached
from surveys.wording.language.messages import said_by


def permit_form(request: StaffRequest, survey: Survey) -> PermitForm | None:
    """What this person may ask for; None where texts are readable, or nothing can be paid."""
    questions = [one for one in sealed_questions(survey) if one.comments]
    account = account_of(survey)
    if not questions or account is None or is_erased(survey, timezone.now().date()):
        return None
    offers = [offer for offer in offers_of(account) if offer.fits]
    if not offers or not may(request.user, survey, Ability.EDIT):
        return None
    data = request.POST if request.method == "POST" else None
    return PermitForm(data, questions=questions, offers=offers)


def why_no_permit(survey: Survey) -> str:
    """Why none is offered for texts that are locked; empty where they are readable, or gone."""
    if not sealing_keys(survey) or is_erased(survey, timezone.now().date()):
        return ""
    account = account_of(survey)
    if account is not None and not any(one.comments for one in sealed_questions(survey)):
        return gettext(
            "No permit can be given yet. The locked texts are available after the survey has "
            "closed."
        )
    return why_no_private(account)


@login_required
@post_only("analytics:overview", "survey_id", ability=Ability.EDIT)
def give(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Charge a permit and lead to its page, or say why there is none."""
    survey = survey_with(request, survey_id, Ability.EDIT)
    form = permit_form(request, survey)
    if form is None or not form.is_valid():
        messages.error(
            request,
            gettext(
                "No permit was given, because your choice is incomplete or no longer offered. "
                "Choose again on this page."
            ),
        )
        return redirect("analytics:overview", survey.pk)
    try:
        permit = give_permit(survey=survey, by=request.user, **form.cleaned_data)
    except REFUSALS as problem:
        messages.error(request, said_by(problem))
        return redirect("analytics:overview", survey.pk)
    messages.success(request, gettext("The permit was given and charged to the budget."))
    return redirect("analytics:permit", survey.pk, permit.pk)


@login_required
@require_safe
def page(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """What a permit holds and how it is used; its report, once that was handed in."""
    survey, permit = _permit(request, survey_id, report_id)
    if not is_open_permit(permit):
        return redirect("analytics:report", survey.pk, permit.pk)
    return _page(request, survey, permit, HandInForm())


@login_required
@require_safe
def file(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """The permit as a file ledger, which the command spends."""
    survey, permit = _permit(request, survey_id, report_id, Ability.EDIT)
    try:
        content = permit_file(permit)
    except NotPossible as problem:
        raise Http404 from problem
    headers = attached(file_name(survey.title, "permit.json"))
    return HttpResponse(content, content_type="application/json", headers=headers)


@login_required
@post_only("analytics:permit", "survey_id", "report_id", ability=Ability.EDIT)
def close(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """Take the report that the permit paid for; the form again where it is refused."""
    survey, permit = _permit(request, survey_id, report_id, Ability.EDIT)
    form = HandInForm(request.POST, request.FILES)
    if form.is_valid():
        content = form.cleaned_data["report"].read(MOST_BYTES + 1)
        try:
            close_permit(report=permit, content=content, by=request.user)
        except REFUSALS as problem:
            form.add_error("report", said_by(problem))
        else:
            messages.success(request, gettext("The report was stored, and the permit is closed."))
            return redirect("analytics:report", survey.pk, permit.pk)
    return _page(request, survey, permit, form)


def _permit(
    request: StaffRequest, survey_id: UUID, report_id: UUID, ability: Ability = Ability.READ
) -> tuple[Survey, Report]:
    survey = survey_with(request, survey_id, ability)
    permit = report_of(survey, report_id, request.user)
    if permit is None or not is_permit(permit):
        raise Http404
    return survey, permit


def _commands(survey: Survey, permit: Report) -> tuple[str, str]:
    """What opens the texts, and what makes the report of them."""
    question: int = permit.settings["permit"]["question"]
    make = f"deniable topics --input texts.csv --column text --kind {permit.kind}"
    return (
        opening_command(question, len(sealing_keys(survey))),
        f"{make} --ledger permit.json --output report.json",
    )


def _page(request: StaffRequest, survey: Survey, permit: Report, form: HandInForm) -> HttpResponse:
    people = account_names([permit.actor] if permit.actor else [])
    account = account_of(survey)
    context = {
        "survey": survey,
        "report": permit,
        "row": report_rows([permit], question_texts(survey), people)[0],
        "form": form,
        "digest": permit.settings["permit"]["texts"],
        "commands": _commands(survey, permit),
        "epsilon": spent_epsilon(account.budget, cost_of(permit)) if account else "",
        "may_use": may(request.user, survey, Ability.EDIT),
    }
    return render(request, "analytics/permit.html", context)
