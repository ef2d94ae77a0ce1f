"""Views of two reports side by side: topics with topics, comparisons of groups with comparisons."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from analytics.models import Report
from analytics.pages import finished
from analytics.pages.forms import CompareForm
from analytics.pages.rows import title_of
from analytics.queries import finished_comparisons, finished_reports, names_of, report_numbers
from analytics.reports.comparisons import beside_blocks
from analytics.reports.topics.compared import ComparedReport, compared_blocks
from surveys.models import Survey
from surveys.staff.access import StaffRequest, survey_with

MOST_COMPARED = 500


@login_required
@require_safe
def compare(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Two reports side by side, topic by topic."""
    survey = survey_with(request, survey_id)
    reports = _by_key(finished_reports(request.user)[:MOST_COMPARED])
    form = _form(request, survey, reports, _labels(reports.values()))
    form.initial = {"first": request.GET.get("first")}
    context: dict[str, Any] = {
        "page_title": gettext("Compare reports: {title}").format(title=survey.title),
        "heading": gettext("Compare two reports"),
        "nothing": gettext("This survey has no finished report with topics that you may see."),
    }
    if form.is_bound and form.is_valid():
        labels = form.own[form.keys[0]], form.others[form.keys[1]]
        pair = (
            ComparedReport(finished.opened(request, reports[key]), label, names_of(reports[key]))
            for key, label in zip(form.keys, labels, strict=True)
        )
        context |= {"shown": compared_blocks(*pair), "is_compared": True}
    return _page(request, survey, form, context)


@login_required
@require_safe
def compare_groups(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Two comparisons side by side, pair by pair."""
    survey = survey_with(request, survey_id)
    reports = _by_key(finished_comparisons(request.user)[:MOST_COMPARED])
    labels = {
        key: f"{title_of(report.kind)} {report.asked_at:%Y-%m-%d %H:%M}"
        for key, report in reports.items()
    }
    form = _form(request, survey, reports, labels)
    context: dict[str, Any] = {
        "page_title": gettext("Compare comparisons: {title}").format(title=survey.title),
        "heading": gettext("Compare two comparisons"),
        "nothing": format_html(
            gettext(
                'This survey has no finished comparison of groups. <a href="{asking}">Request a '
                "comparison</a>."
            ),
            asking=reverse("analytics:groups", args=[survey.pk]),
        ),
    }
    if form.is_bound and form.is_valid():
        results = (finished.result_or_404(reports[key]) for key in form.keys)
        names = (form.others[key] for key in form.keys)
        context["shown"] = beside_blocks(*results, *names)
    return _page(request, survey, form, context)


def _by_key(reports: Collection[Report]) -> dict[str, Report]:
    return {str(report.pk): report for report in reports}


def _form(
    request: StaffRequest,
    survey: Survey,
    reports: Mapping[str, Report],
    labels: Mapping[str, str],
) -> CompareForm:
    """The first report is one of this survey; the other one may be of any."""
    own = {
        key: labels[key]
        for key, report in reports.items()
        if report.revision.survey_id == survey.pk
    }
    others = {
        key: gettext("{report} in “{survey}”").format(
            report=labels[key], survey=report.revision.survey
        )
        for key, report in reports.items()
    }
    # A link from a report's page names the first one alone, and asks nothing yet.
    data = request.GET if "second" in request.GET else None
    return CompareForm(data, own=own, others=others)


def _labels(reports: Collection[Report]) -> dict[str, str]:
    """What each report is called in a list, by its key: no two of a survey alike."""
    numbers = report_numbers(reports)
    return {
        str(report.pk): gettext("Report {number}: {title}, {moment}").format(
            number=numbers[report.pk],
            title=title_of(report.kind),
            moment=f"{report.asked_at:%Y-%m-%d %H:%M}",
        )
        for report in reports
    }


def _page(
    request: StaffRequest, survey: Survey, form: CompareForm, context: dict[str, Any]
) -> HttpResponse:
    return render(request, "analytics/compare.html", {"survey": survey, "form": form, **context})
