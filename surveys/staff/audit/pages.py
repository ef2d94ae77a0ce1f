"""Views of the audit log: for a survey's owner, and the whole of it for superusers."""

from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from surveys.staff.access import StaffRequest, survey_with
from surveys.staff.audit import rows
from surveys.staff.audit.forms import AuditForm
from surveys.staff.audit.services import record_download
from surveys.staff.queries import audit_entries
from surveys.staff.roles import Ability
from surveys.web.downloads import file_name
from surveys.web.responses import csv_download

if TYPE_CHECKING:
    from surveys.models import Survey

ENTRIES_A_PAGE = 50


@login_required
@require_safe
def audit(request: StaffRequest, survey_id: UUID | None = None) -> HttpResponse:
    """What was done, newest first."""
    survey = _ruled(request, survey_id)
    form = AuditForm(request.GET, survey_id=survey_id)
    entries = Paginator(audit_entries(survey_id, **form.chosen), ENTRIES_A_PAGE)
    page = entries.get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "survey": survey,
        "form": form,
        "page": page,
        "lines": rows.lines(page),
        "query": query.urlencode(),
    }
    return render(request, "surveys/staff/audit.html", context)


@login_required
@require_safe
def audit_csv(request: StaffRequest, survey_id: UUID | None = None) -> StreamingHttpResponse:
    """The same entries, all of them, as a table."""
    survey = _ruled(request, survey_id)
    form = AuditForm(request.GET, survey_id=survey_id)
    record_download("audit log", survey=survey, by=request.user)
    lines = rows.audit_csv(audit_entries(survey_id, **form.chosen))
    title = survey.title if survey else "everything"
    return csv_download(lines, file_name(title, "audit.csv"))


def _ruled(request: StaffRequest, survey_id: UUID | None) -> "Survey | None":
    """The survey whose log it is; None for the log of everything."""
    if survey_id:
        return survey_with(request, survey_id, Ability.RULE)
    if not request.user.is_superuser:
        raise PermissionDenied
    return None
