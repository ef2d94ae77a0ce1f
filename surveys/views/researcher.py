"""Researchers' pages. Who may not see a survey is told that there is none."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    JsonResponse,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from surveys import charts, exports, forms, odds, reports, selectors, services

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from surveys.models import Revision, Survey

SURVEYS_A_PAGE = 25


class StaffRequest(HttpRequest):
    """A request after ``login_required``."""

    user: "User"


@login_required
@require_safe
def survey_list(request: StaffRequest) -> HttpResponse:
    """All surveys that this person may see."""
    form = forms.SearchForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    found = Paginator(selectors.search_surveys(request.user, text), SURVEYS_A_PAGE)
    page = found.get_page(request.GET.get("page"))
    return render(
        request, "surveys/researcher/list.html", {"page": page, "form": form, "text": text}
    )


@login_required
@require_safe
def planner(request: StaffRequest) -> HttpResponse:
    """How many people to ask."""
    form = forms.PlanForm.from_query(request.GET.dict())
    report = form.report if form.is_valid() else None
    saving = forms.SavePlanForm(
        initial={"responses": report.n if report else None}, surveys=_mine(request)
    )
    return render(
        request,
        "surveys/researcher/planner.html",
        {"form": form, "report": report, "saving": saving},
    )


@login_required
@require_safe
def planner_curve(request: StaffRequest) -> HttpResponse:
    """The planner's curve as a picture."""
    form = forms.PlanForm.from_query(request.GET.dict())
    if not form.is_valid():
        raise Http404
    return _picture(charts.plan_curve(form.report, _width(request)))


@login_required
@require_POST
def save_plan(request: StaffRequest) -> HttpResponseRedirect:
    """Make the planned number one survey's plan."""
    form = forms.SavePlanForm(request.POST, surveys=_mine(request))
    if not form.is_valid():
        messages.error(request, "The plan was not saved: choose one of your surveys and a number.")
        return redirect("surveys:planner")
    survey, responses = form.cleaned_data["survey"], form.cleaned_data["responses"]
    services.set_plan(survey=survey, responses=responses, by=request.user)
    messages.success(request, f'The plan of "{survey}" asks for {responses:,} responses now.')
    return redirect("surveys:dashboard", survey.pk)


@login_required
@require_safe
def dashboard(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """What one survey says so far."""
    survey = _visible(request, survey_id)
    form = forms.ReadingForm.from_query(request.GET)
    context = {"survey": survey, "form": form, "reading": form.reading, "query": form.permalink}
    revision = selectors.revision_of(survey)
    if revision:
        context |= _found(request, revision, form.reading)
    return render(request, "surveys/researcher/dashboard.html", context)


@login_required
@require_safe
def chart(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """One question's estimates, or numbers, as a picture."""
    revision = _launched(_visible(request, survey_id))
    counts = selectors.question_counts(revision, number)
    if counts is None:
        raise Http404
    reading = forms.ReadingForm.from_query(request.GET).reading
    report = reports.question_report(number, counts, reading)
    if isinstance(report, reports.NumberReport):
        return _picture(charts.histogram(report, _width(request)))
    return _picture(charts.interval_chart(report, _width(request)))


@login_required
@require_safe
def responses_csv(request: StaffRequest, survey_id: UUID) -> StreamingHttpResponse:
    """The reported answers, a row for each response."""
    survey = _visible(request, survey_id)
    lines = exports.responses_csv(_launched(survey), codes=request.GET.get("values") == "codes")
    return StreamingHttpResponse(
        lines, content_type="text/csv; charset=utf-8", headers=_attachment(survey, "responses.csv")
    )


@login_required
@require_safe
def codebook_json(request: StaffRequest, survey_id: UUID) -> JsonResponse:
    """How to read the reported answers."""
    survey = _visible(request, survey_id)
    revision = _launched(survey)
    found = exports.codebook(revision, responses=selectors.response_count(revision))
    return JsonResponse(
        found,
        json_dumps_params={"indent": 1, "ensure_ascii": False},
        headers=_attachment(survey, "codebook.json"),
    )


def _visible(request: StaffRequest, survey_id: UUID) -> "Survey":
    surveys = selectors.surveys_for(request.user).defer("revision__document")
    return get_object_or_404(surveys, pk=survey_id)


def _launched(survey: "Survey") -> "Revision":
    revision = selectors.revision_of(survey)
    if revision is None:
        raise Http404
    return revision


def _mine(request: StaffRequest) -> "QuerySet[Survey]":
    return selectors.search_surveys(request.user, "")


def _found(request: StaffRequest, revision: "Revision", reading: reports.Reading) -> dict[str, Any]:
    """What was counted and estimated."""
    browser, own_coin = selectors.path_counts(revision)
    counted = enumerate(selectors.item_counts(revision), start=1)
    questionnaire = selectors.questionnaire_of(revision)
    address = reverse("respondent:start", args=[revision.survey_id])
    return {
        "revision": revision,
        "responses": browser + own_coin,
        "browser": browser,
        "own_coin": own_coin,
        "questions": [reports.question_report(n, counts, reading) for n, counts in counted],
        "protection": odds.total_words(questionnaire),
        "link": request.build_absolute_uri(address),
    }


def _width(request: HttpRequest) -> int:
    return charts.NARROW if "narrow" in request.GET else charts.WIDE


def _picture(svg: str) -> HttpResponse:
    return HttpResponse(svg, content_type="image/svg+xml")


def _attachment(survey: "Survey", ending: str) -> dict[str, str]:
    return {
        "Content-Disposition": f'attachment; filename="{exports.file_name(survey.title, ending)}"'
    }
