"""Views of break-downs, weighted estimates and regressions: pages, pictures, CSV and JSON."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.randomized_response.errors import StatisticsError
from surveys.results.analyses.breakdowns import Breakdown, breakdown, withheld_words
from surveys.results.analyses.forms import BreakdownForm, RegressionForm, WeightsForm, answerable
from surveys.results.analyses.queries import CrossCounts
from surveys.results.analyses.regressions import RegressionReport, regression
from surveys.results.analyses.services import counted
from surveys.results.analyses.weighting import WeightedReport, weighted_report
from surveys.results.disclosure import LEAST_CELL, LEAST_GROUP
from surveys.results.documents import (
    breakdown_document,
    breakdown_rows,
    regression_document,
    regression_rows,
    weighted_document,
    weighted_rows,
)
from surveys.results.figures.analyses import coefficient_figure, group_figure
from surveys.results.queries import reading_now, response_count
from surveys.results.reading import refusal_words
from surveys.staff.access import StaffRequest, survey_with
from surveys.staff.audit.services import record_download
from surveys.staff.figures import source_of, survey_figure
from surveys.tallies.joint import BeingCounted
from surveys.tallies.looks import planned_look_size
from surveys.web.downloads import file_name, table_csv
from surveys.web.responses import csv_download, json_download
from surveys.wording.language.messages import looked_up

if TYPE_CHECKING:
    from surveys.models import Revision, Survey

ACCEPTED = 202  # the answer is being worked out
Dated = TypeVar("Dated", Breakdown, WeightedReport, RegressionReport)


def when_counted(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """While a worker counts the questions that are asked about, a page says how far it is."""

    @wraps(view)
    def answer(
        request: StaffRequest, survey_id: UUID, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        try:
            return view(request, survey_id, *args, **kwargs)
        except BeingCounted as reason:
            context = {
                "survey": survey_with(request, survey_id),
                "counted": reason.counted,
                "total": reason.total,
                "problem": looked_up(reason.problem) if reason.problem else "",
                "address": request.get_full_path(),
            }
            template = "surveys/results/analyses/counting.html"
            return render(request, template, context, status=ACCEPTED)

    return answer


@login_required
@require_safe
@when_counted
def break_down(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """One question by others."""
    survey = survey_with(request, survey_id)
    form = _breakdown_form(request, survey, launched(survey))
    report = _breakdown(form, launched(survey))
    context = {"survey": survey, "form": form, "report": report, "query": form.permalink}
    if report:
        source = source_of(survey)
        context["answers"] = [(a, group_figure(report, a).of(source)) for a in report.answers]
    revision = launched(survey)
    look = planned_look_size(revision.pk)
    context |= {"look": look, "is_planned_look": look == response_count(revision)}
    context |= {
        "withheld": withheld_words(),
        "least_group": LEAST_GROUP,
        "largest_cell": LEAST_CELL - 1,
    }
    return render(request, "surveys/results/analyses/breakdown.html", context)


@login_required
@require_safe
@when_counted
def break_down_picture(request: StaffRequest, survey_id: UUID, place: int) -> HttpResponse:
    """One answer's shares in all groups as a picture."""
    survey = survey_with(request, survey_id)
    report = _asked_breakdown(request, survey)
    answer = next((found for found in report.answers if found.place == place), None)
    if answer is None or not answer.is_drawn:
        raise Http404
    figure = group_figure(report, answer).of(source_of(survey))
    return survey_figure(request, survey, figure)


@login_required
@require_safe
@when_counted
def break_down_csv(request: StaffRequest, survey_id: UUID) -> StreamingHttpResponse:
    """A break-down as a table, with its method in every row."""
    survey = survey_with(request, survey_id)
    report = _asked_breakdown(request, survey)
    record_download("break-down", survey=survey, by=request.user)
    name = file_name(survey.title, "break-down.csv")
    return csv_download(table_csv(breakdown_rows(report)), name)


@login_required
@require_safe
@when_counted
def break_down_json(request: StaffRequest, survey_id: UUID) -> JsonResponse:
    """A break-down with its method and everything that was left out."""
    survey = survey_with(request, survey_id)
    report = _asked_breakdown(request, survey)
    record_download("break-down", survey=survey, by=request.user)
    return json_download(breakdown_document(report), file_name(survey.title, "break-down.json"))


@login_required
@require_safe
@when_counted
def weighted(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Estimates in which people count by a weight."""
    survey = survey_with(request, survey_id)
    form, found = _weighted(request, survey)
    context = {"survey": survey, "form": form, "reports": found, "query": form.permalink}
    return render(request, "surveys/results/analyses/weighted.html", context)


@login_required
@require_safe
@when_counted
def weighted_csv(request: StaffRequest, survey_id: UUID) -> StreamingHttpResponse:
    """Weighted estimates as a table, with their method in every row."""
    survey = survey_with(request, survey_id)
    _, found = _weighted(request, survey)
    if not found:
        raise Http404
    record_download("weighted estimates", survey=survey, by=request.user)
    name = file_name(survey.title, "weighted.csv")
    return csv_download(table_csv(weighted_rows(found)), name)


@login_required
@require_safe
@when_counted
def weighted_json(request: StaffRequest, survey_id: UUID) -> JsonResponse:
    """The same with where the weights come from."""
    survey = survey_with(request, survey_id)
    form, found = _weighted(request, survey)
    if not found:
        raise Http404
    record_download("weighted estimates", survey=survey, by=request.user)
    by = form.items[form.number - 1].text
    document = weighted_document(found, by, form.cleaned_data["margins"])
    return json_download(document, file_name(survey.title, "weighted.json"))


@login_required
@require_safe
@when_counted
def regression_page(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """One answer explained by other questions."""
    survey = survey_with(request, survey_id)
    form, report = _regression(request, survey)
    context = {"survey": survey, "form": form, "report": report, "query": form.permalink}
    if report:
        context["figure"] = coefficient_figure(report).of(source_of(survey))
    return render(request, "surveys/results/analyses/regression.html", context)


@login_required
@require_safe
@when_counted
def regression_picture(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """The coefficients as a picture."""
    survey = survey_with(request, survey_id)
    figure = coefficient_figure(_asked_regression(request, survey)).of(source_of(survey))
    return survey_figure(request, survey, figure)


@login_required
@require_safe
@when_counted
def regression_csv(request: StaffRequest, survey_id: UUID) -> StreamingHttpResponse:
    """The coefficients as a table, with the method in every row."""
    survey = survey_with(request, survey_id)
    report = _asked_regression(request, survey)
    record_download("regression", survey=survey, by=request.user)
    name = file_name(survey.title, "regression.csv")
    return csv_download(table_csv(regression_rows(report)), name)


@login_required
@require_safe
@when_counted
def regression_json(request: StaffRequest, survey_id: UUID) -> JsonResponse:
    """The model with how it was fitted and who was left out."""
    survey = survey_with(request, survey_id)
    report = _asked_regression(request, survey)
    record_download("regression", survey=survey, by=request.user)
    name = file_name(survey.title, "regression.json")
    return json_download(regression_document(report), name)


def launched(survey: "Survey") -> "Revision":
    """What was launched, while its answers are there. Raises Http404."""
    revision = revision_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        raise Http404
    return revision


def _breakdown_form(request: StaffRequest, survey: "Survey", revision: "Revision") -> BreakdownForm:
    questionnaire = questionnaire_of(revision)
    return BreakdownForm(
        request.GET,
        items=questionnaire.row.variables,
        hidden=questionnaire.row.hidden,
        usual=reading_now(survey, revision),
    )


def _breakdown(form: BreakdownForm, revision: "Revision") -> Breakdown | None:
    """The report; what statistics refuses is said in the form."""
    if not form.is_bound or not form.is_valid():
        return None
    (counts,) = counted(revision, [form.numbers])
    try:
        return _dated(_made(counts, form), counts)
    except StatisticsError as problem:
        words = gettext("This cannot be estimated: {problem}.")
        form.add_error(None, words.format(problem=refusal_words(problem)))
        return None


def _made(counts: CrossCounts, form: BreakdownForm) -> Breakdown:
    return breakdown(counts, form.reading, together=form.together, comparison=form.comparison)


def _asked_breakdown(request: StaffRequest, survey: "Survey") -> Breakdown:
    revision = launched(survey)
    report = _breakdown(_breakdown_form(request, survey, revision), revision)
    if report is None:
        raise Http404
    return report


def _dated(report: Dated, counts: CrossCounts) -> Dated:
    """The report with a note of which answers it counts, where that is not all of them."""
    return replace(report, notes=(counts.as_of, *report.notes)) if counts.as_of else report


def _weighted(request: StaffRequest, survey: "Survey") -> tuple[WeightsForm, list[WeightedReport]]:
    revision = launched(survey)
    questionnaire = questionnaire_of(revision)
    items, hidden = questionnaire.items, questionnaire.row.hidden
    form = WeightsForm(request.GET, items=items, hidden=hidden)
    if not form.is_bound or not form.is_valid():
        return form, []
    numbers = [n for n, _ in answerable(items, hidden) if n != form.number]
    found = counted(revision, [[n, form.number] for n in numbers])
    return form, [
        _dated(weighted_report(counts, form.reading, form.population), counts) for counts in found
    ]


def _regression(
    request: StaffRequest, survey: "Survey"
) -> tuple[RegressionForm, RegressionReport | None]:
    """The report; what the model refuses is said in the form, with its remedy."""
    revision = launched(survey)
    questionnaire = questionnaire_of(revision)
    form = RegressionForm(request.GET, items=questionnaire.items, hidden=questionnaire.row.hidden)
    if not form.is_bound or not form.is_valid():
        return form, None
    (counts,) = counted(revision, [form.numbers])
    try:
        return form, _dated(regression(counts, form.choice), counts)
    except StatisticsError as problem:
        words = gettext("This cannot be fitted: {problem}.")
        form.add_error(None, words.format(problem=refusal_words(problem)))
        return form, None


def _asked_regression(request: StaffRequest, survey: "Survey") -> RegressionReport:
    _, report = _regression(request, survey)
    if report is None:
        raise Http404
    return report
