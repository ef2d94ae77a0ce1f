"""Pages on which a report on stored answers is asked for: the form, and what was made so far."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy

from analytics.models import Report
from analytics.pages.rows import report_rows
from analytics.queries import PENDING, question_texts, reports_of
from analytics.reports.asking import REFUSALS, OnceForm
from analytics.tasks import make_later
from surveys.models import Survey
from surveys.staff.access import StaffRequest
from surveys.staff.queries import account_names
from surveys.wording.language.messages import said_by

SHOWN = 20
ASKED_FOR = gettext_lazy("The report was requested. This page shows its progress.")
ASKED_BEFORE = gettext_lazy(
    "This form was already sent. This page shows the report that was requested with the form."
)


def requested(form: OnceForm, service: Callable[..., Report], **wish: Any) -> Report | None:
    """The report that a valid form asks a service for; None, and the form says why, if refused."""
    settings, key = form.cleaned_data["settings"], form.cleaned_data["key"]
    try:
        return service(**wish, settings=settings, later=make_later, key=key)
    except REFUSALS as problem:
        form.add_error(None, said_by(problem))
        return None


def led_to(request: StaffRequest, survey: Survey, asked: Report) -> HttpResponse:
    """On to the page of a report that was asked for."""
    messages.success(request, ASKED_FOR if asked.state in PENDING else ASKED_BEFORE)
    return redirect("analytics:report", survey.pk, asked.pk)


def asking_page(
    request: StaffRequest, survey: Survey, kind: str, context: dict[str, Any]
) -> HttpResponse:
    """The newest reports of a kind, below the form that ``context`` holds."""
    reports = list(reports_of(survey, request.user).filter(kind=kind)[:SHOWN])
    people = account_names(report.actor for report in reports if report.actor)
    rows = report_rows(reports, question_texts(survey), people)
    return render(request, "analytics/answers.html", {"survey": survey, "rows": rows, **context})
