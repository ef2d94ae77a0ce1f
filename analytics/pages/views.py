"""Views of reports: ask, seen, progress, cancel, repeat, rename, picture, files."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from analytics import services
from analytics.kinds.registry import KINDS
from analytics.models import Report
from analytics.pages import finished
from analytics.pages.forms import OnceForm, ReportForm
from analytics.pages.ledger_rows import ledger_words, offers_of, why_no_private
from analytics.pages.permits import permit_form, why_no_permit
from analytics.pages.rows import report_rows
from analytics.queries import (
    PENDING,
    WITH_OWN_PAGES,
    ability_to_ask,
    account_of,
    asked_with,
    is_lost,
    is_open_permit,
    question_texts,
    report_of,
    reports_of,
    sealing_keys,
    text_questions,
)
from analytics.reports.asking import REFUSALS
from analytics.tasks import make_later
from surveys.models import Survey
from surveys.models.queries import is_erased
from surveys.staff.access import StaffRequest, may, post_only, survey_with
from surveys.staff.figures import source_of
from surveys.staff.queries import account_names
from surveys.staff.roles import Ability
from surveys.web.responses import figure_file, figure_shown, file_asked
from surveys.wording.language.messages import said_by, translated

REPORTS_A_PAGE = 20
ASKED_FOR = gettext_lazy("The report was requested. This page shows its progress.")
ASKED_BEFORE = gettext_lazy(
    "This form was already sent. This page shows the report that was requested with the form. To "
    "request another report, reload the page of reports."
)


@login_required
@require_safe
def overview(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """All reports of a survey, and the form that asks for one."""
    survey = survey_with(request, survey_id)
    return _overview(request, survey, _report_form(request, survey))


@login_required
@post_only("analytics:overview", "survey_id", ability=Ability.EDIT)
def ask(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Ask for a report; the form again, as it was filled in, where that is not possible."""
    survey = survey_with(request, survey_id, Ability.EDIT)
    form = _report_form(request, survey)
    asked = _ask(request, survey, form) if form and form.is_valid() else None
    # A form that comes twice may be refused for what its first coming set aside.
    asked = asked or _asked_before(request, survey)
    if asked is not None:
        is_new = asked.state in PENDING
        messages.success(request, ASKED_FOR if is_new else ASKED_BEFORE)
        return redirect("analytics:report", survey.pk, asked.pk)
    if form is None:
        messages.error(request, gettext("No report can be requested now. This page says why."))
        return redirect("analytics:overview", survey.pk)
    return _overview(request, survey, form)


@login_required
@require_safe
def report(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """One report: how far it is, why it was not made, or what it says."""
    survey, asked = _asked(request, survey_id, report_id)
    if is_open_permit(asked):
        return redirect("analytics:permit", survey.pk, asked.pk)
    return render(request, "analytics/report.html", _report_context(request, survey, asked))


@login_required
@require_safe
def progress(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """The part of that page that changes while a report is made."""
    _, asked = _asked(request, survey_id, report_id)
    response = render(request, "analytics/_progress.html", _progress(asked))
    response.headers["X-Report-State"] = asked.state
    return response


@login_required
@post_only("analytics:report", "survey_id", "report_id", ability=Ability.READ)
def cancel(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """Give up a report that is not made yet."""
    survey, asked = _changing(request, survey_id, report_id)
    change = partial(services.cancel_report, report=asked, by=request.user)
    _say(request, change, gettext("The report was cancelled."))
    return redirect("analytics:report", survey.pk, asked.pk)


@login_required
@post_only("analytics:report", "survey_id", "report_id", ability=Ability.READ)
def repeat(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """Try once more to make a report that was not made."""
    survey, asked = _changing(request, survey_id, report_id)
    change = partial(services.repeat_report, report=asked, by=request.user, later=make_later)
    _say(request, change, gettext("The report is waiting to be made again."))
    return redirect("analytics:report", survey.pk, asked.pk)


@login_required
@post_only("analytics:report", "survey_id", "report_id", ability=Ability.EDIT)
def rename(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """Name the topics of a report."""
    survey, asked = _asked(request, survey_id, report_id, Ability.EDIT)
    naming = finished.naming(request.POST, finished.result_or_404(asked))
    form = naming["names_form"]
    if form.is_valid():
        try:
            services.rename_topics(report=asked, names=form.cleaned_data["names"], by=request.user)
        except REFUSALS as problem:
            form.add_error(None, said_by(problem))
        else:
            messages.success(request, gettext("The names were saved."))
            return redirect("analytics:report", survey.pk, asked.pk)
    context = _report_context(request, survey, asked) | naming
    return render(request, "analytics/report.html", context)


@login_required
@require_safe
def picture_shown(
    request: StaffRequest, survey_id: UUID, report_id: UUID, name: str
) -> HttpResponse:
    """A picture as it stands in the report's page, or as a file, which is written down.

    A picture that is opened by itself is a look of its own.
    """
    survey, asked = _asked(request, survey_id, report_id)
    figure = finished.picture(asked, name).of(source_of(survey))
    if ending := file_asked(request):
        services.record_download(report=asked, file=f"{name}.{ending}", by=request.user)
        return figure_file(figure, ending, survey.title)
    if not finished.was_seen(request, asked):
        finished.opened(request, asked)
    return figure_shown(request, figure)


@login_required
@require_safe
def report_csv(request: StaffRequest, survey_id: UUID, report_id: UUID) -> StreamingHttpResponse:
    """The table of a report: the words of all topics with the promise in every row, for one."""
    survey, asked = _asked(request, survey_id, report_id)
    return finished.csv_file(request, survey, asked, _about(survey, asked))


@login_required
@require_safe
def report_json(request: StaffRequest, survey_id: UUID, report_id: UUID) -> JsonResponse:
    """The whole report, without comments."""
    survey, asked = _asked(request, survey_id, report_id)
    return finished.json_file(request, survey, asked, _about(survey, asked))


def _say(request: StaffRequest, change: Callable[[], object], done: str) -> None:
    """Change something and say so, or say why it was refused."""
    try:
        change()
    except REFUSALS as problem:
        messages.error(request, said_by(problem))
    else:
        messages.success(request, done)


def _overview(request: StaffRequest, survey: Survey, form: ReportForm | None) -> HttpResponse:
    reports = reports_of(survey, request.user).exclude(kind__in=WITH_OWN_PAGES)
    page = Paginator(reports, REPORTS_A_PAGE).get_page(request.GET.get("page"))
    questions = text_questions(survey)
    people = account_names(report.actor for report in page if report.actor)
    account = account_of(survey)
    launched = survey.state != Survey.State.DRAFT
    context = {
        "survey": survey,
        "form": form,
        "kinds": [
            replace(kind, explanation=translated(kind.explanation)) for kind in KINDS.values()
        ],
        "questions": questions,
        "keys": sealing_keys(survey),
        "permit_form": permit_form(request, survey),
        "no_permit": why_no_permit(survey) if launched else "",
        "page": page,
        "rows": report_rows(page, question_texts(survey), people),
        "words": ledger_words(account) if account else None,
        "no_private": why_no_private(account) if launched else "",
        "is_erased": is_erased(survey, timezone.now().date()),
    }
    if account:
        context["dear"] = ", ".join(o.name for o in offers_of(account) if not o.fits)
    return render(request, "analytics/overview.html", context)


def _report_form(request: StaffRequest, survey: Survey) -> ReportForm | None:
    """What this person may ask for; None if nothing."""
    questions = text_questions(survey)
    if not questions or is_erased(survey, timezone.now().date()):
        return None
    account = account_of(survey)
    allowed = {ability: may(request.user, survey, ability) for ability in Ability}
    offers = offers_of(account) if account and allowed[Ability.EDIT] else ()
    can_pay = any(offer.fits for offer in offers)
    kinds = [k for k in KINDS.values() if (can_pay if k.is_private else allowed[Ability.RULE])]
    data = request.POST if request.method == "POST" else None
    return ReportForm(data, questions=questions, kinds=kinds, offers=offers) if kinds else None


def _ask(request: StaffRequest, survey: Survey, form: ReportForm) -> Report | None:
    """The report that a valid form asks for; None where the form now says why there is none."""
    try:
        return services.request_report(
            survey=survey, by=request.user, later=make_later, **form.asked
        )
    except REFUSALS as problem:
        form.add_error(None, said_by(problem))
        return None


def _asked_before(request: StaffRequest, survey: Survey) -> Report | None:
    """The report that this very form asked for when it was sent before."""
    sent = OnceForm(request.POST)
    if not sent.is_valid():
        return None
    return asked_with(survey, request.user, sent.cleaned_data["key"])


def _asked(
    request: StaffRequest, survey_id: UUID, report_id: UUID, ability: Ability = Ability.READ
) -> tuple[Survey, Report]:
    """A report that this person may see, in a survey in which they have an ability."""
    survey = survey_with(request, survey_id, ability)
    asked = report_of(survey, report_id, request.user)
    if asked is None:
        raise Http404
    return survey, asked


def _changing(request: StaffRequest, survey_id: UUID, report_id: UUID) -> tuple[Survey, Report]:
    """A report that this person may ask for, and so cancel and repeat."""
    survey, asked = _asked(request, survey_id, report_id)
    if not may(request.user, survey, ability_to_ask(asked.kind)):
        raise PermissionDenied
    return survey, asked


def _report_context(request: StaffRequest, survey: Survey, asked: Report) -> dict[str, Any]:
    may_change = may(request.user, survey, ability_to_ask(asked.kind))
    people = account_names([asked.actor] if asked.actor else [])
    row = report_rows([asked], question_texts(survey), people)[0]
    is_waiting = asked.state in PENDING
    is_over = asked.state in (Report.State.FAILED, Report.State.CANCELLED)
    context: dict[str, Any] = {
        "survey": survey,
        "title": row.title,
        "number": row.number,
        "question": row.question,
        "who": row.who,
        "is_private": row.is_private,
        "why": translated(asked.problem),
        "is_waiting": is_waiting,
        "may_change": may_change,
        "may_repeat": may_change and (is_over or is_lost(asked, timezone.now())),
        **_progress(asked),
    }
    if asked.state == Report.State.DONE:
        context |= finished.shown(request, asked)
    return context


def _progress(asked: Report) -> dict[str, Any]:
    percent = int(100 * min(max(asked.fraction, 0.0), 1.0))
    return {"report": asked, "percent": percent, "stage": translated(asked.stage or "Started")}


def _about(survey: Survey, asked: Report) -> dict[str, Any]:
    row = report_rows([asked], question_texts(survey), {})[0]
    return {
        "survey": survey.title,
        "question": row.question,
        "kind": asked.kind,
        "made": asked.finished_at and asked.finished_at.isoformat(),
        "code_version": asked.code_version,
    }
