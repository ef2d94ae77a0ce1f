"""Researchers' pages. Who may not see a survey is told that there is none."""

from collections.abc import Iterator
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
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from surveys import charts, exports, forms, odds, reports, selectors, services
from surveys.roles import ALLOWED, Ability
from surveys.services import audit
from surveys.views.access import StaffRequest, survey_with

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from surveys.models import Revision, Survey

SURVEYS_A_PAGE = 25


@login_required
@require_safe
def survey_list(request: StaffRequest) -> HttpResponse:
    """All surveys that this person may see."""
    form = forms.SearchForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    found = Paginator(selectors.search_surveys(request.user, text), SURVEYS_A_PAGE)
    page = found.get_page(request.GET.get("page"))
    editable = selectors.editable_among(request.user, page)
    context = {"page": page, "form": form, "text": text, "editable": editable}
    return render(request, "surveys/researcher/list.html", context)


@login_required
@require_safe
def planner(request: StaffRequest) -> HttpResponse:
    """How many people to ask."""
    form = forms.PlanForm.from_query(request.GET.dict())
    report = form.report if form.is_valid() else None
    saving = forms.SavePlanForm(
        initial={"responses": report.n if report else None}, surveys=_editable(request)
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
@require_safe
def planner_price(request: StaffRequest) -> HttpResponse:
    """The price of privacy as a picture."""
    form = forms.PlanForm.from_query(request.GET.dict())
    if not form.is_valid() or not form.report.extras.price:
        raise Http404
    return _picture(charts.price_curve(form.report, _width(request)))


@login_required
@require_POST
def save_plan(request: StaffRequest) -> HttpResponseRedirect:
    """Make the planned number one survey's plan."""
    form = forms.SavePlanForm(request.POST, surveys=_editable(request))
    if not form.is_valid():
        messages.error(request, "The plan was not saved: choose one of your surveys and a number.")
        return redirect("surveys:planner")
    survey, responses = form.cleaned_data["survey"], form.cleaned_data["responses"]
    try:
        services.set_plan(survey=survey, responses=responses, by=request.user)
    except (services.NotAllowed, services.NotPossible) as problem:
        messages.error(request, str(problem))
        return redirect("surveys:planner")
    messages.success(request, f'The plan of "{survey}" asks for {responses:,} responses now.')
    return redirect("surveys:dashboard", survey.pk)


@login_required
@require_safe
def dashboard(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """What one survey says so far."""
    survey = survey_with(request, survey_id)
    form = _reading_form(request, survey)
    role = selectors.role_of(request.user, survey)
    context = {"survey": survey, "form": form, "reading": form.reading, "query": form.permalink}
    context |= {"may": {ability.value for ability in ALLOWED[role]} if role else set()}
    revision = selectors.revision_of(survey)
    context["is_erased"] = selectors.is_erased(survey, timezone.now().date())
    if revision and not context["is_erased"]:
        context |= _found(request, revision, form.reading) | _collected(survey, revision)
    return render(request, "surveys/researcher/dashboard.html", context)


@login_required
@require_safe
def chart(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """One question's estimates, or numbers, as a picture."""
    survey = survey_with(request, survey_id)
    revision = _launched(survey)
    counts = selectors.question_counts(revision, number)
    if counts is None:
        raise Http404
    reading = _reading_form(request, survey).reading
    report = reports.question_report(number, counts, reading)
    if isinstance(report, reports.TextReport | reports.RatingReport):
        raise Http404
    if isinstance(report, reports.NumberReport):
        return _picture(charts.histogram(report, _width(request)))
    return _picture(charts.interval_chart(report, _width(request)))


@login_required
@require_safe
def responses_csv(request: StaffRequest, survey_id: UUID) -> StreamingHttpResponse:
    """The reported answers, a row for each response."""
    survey = survey_with(request, survey_id)
    lines = exports.responses_csv(_launched(survey), codes=request.GET.get("values") == "codes")
    audit.record_download("responses", survey=survey, by=request.user)
    return csv_download(lines, exports.file_name(survey.title, "responses.csv"))


@login_required
@require_safe
def texts_csv(request: StaffRequest, survey_id: UUID) -> StreamingHttpResponse:
    """What people wrote, a row for each text, without their other answers."""
    survey = survey_with(request, survey_id, Ability.RULE)
    lines = exports.texts_csv(_launched(survey))
    audit.record_download("texts", survey=survey, by=request.user)
    return csv_download(lines, exports.file_name(survey.title, "texts.csv"))


@login_required
@require_safe
def codebook_json(request: StaffRequest, survey_id: UUID) -> JsonResponse:
    """How to read the reported answers."""
    survey = survey_with(request, survey_id)
    revision = _launched(survey)
    found = exports.codebook(revision, responses=selectors.response_count(revision))
    return JsonResponse(
        found,
        json_dumps_params={"indent": 1, "ensure_ascii": False},
        headers={
            "Content-Disposition": (
                f'attachment; filename="{exports.file_name(survey.title, "codebook.json")}"'
            )
        },
    )


def csv_download(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    """A table, line by line, as a file."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


def _reading_form(request: StaffRequest, survey: "Survey") -> forms.ReadingForm:
    method = reports.default_method(is_open=survey.state == "open")
    return forms.ReadingForm.from_query(request.GET, method)


def _launched(survey: "Survey") -> "Revision":
    revision = selectors.revision_of(survey)
    if revision is None or selectors.is_erased(survey, timezone.now().date()):
        raise Http404
    return revision


def _editable(request: StaffRequest) -> "QuerySet[Survey]":
    return selectors.surveys_for(request.user, Ability.EDIT).defer("revision__document")


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


def _collected(survey: "Survey", revision: "Revision") -> dict[str, Any]:
    """How far collecting has come, apart from what the answers say."""
    questionnaire = selectors.questionnaire_of(revision)
    return {
        "waiting": selectors.waiting_count(revision.pk),
        "batch_size": questionnaire.batch_size,
        "invitations": selectors.invitation_counts(survey) if survey.invitation_only else None,
    }


def _width(request: HttpRequest) -> int:
    return charts.NARROW if "narrow" in request.GET else charts.WIDE


def _picture(svg: str) -> HttpResponse:
    return HttpResponse(svg, content_type="image/svg+xml")
