"""Views of a survey's results: list, dashboard, chart; downloads of responses, texts, codebook."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpResponse,
    JsonResponse,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from surveys.collecting.published.audit import has_audit
from surveys.collecting.queries import set_aside_count
from surveys.counts.looks import planned_look
from surveys.fieldwork.queries import invitation_progress
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.questionnaire.document import plain_sections
from surveys.results import exports
from surveys.results.analyses.arms import arms_card, arms_report
from surveys.results.analyses.earlier_surveys import marks_of
from surveys.results.analyses.trust import trust_in_arms
from surveys.results.codebook.book import codebook
from surveys.results.columns import FileColumns
from surveys.results.figures.questions import question_figure
from surveys.results.forms import ReadingForm, SearchForm
from surveys.results.handover.markdown import codebook_markdown as markdown_of
from surveys.results.handover.report import report_html as standalone_report
from surveys.results.locked.queries import has_opened
from surveys.results.overview import overview
from surveys.results.panels import registered
from surveys.results.progress import progress_of
from surveys.results.queries import (
    question_counts,
    reading_now,
    response_count,
    revision_with_answers,
)
from surveys.results.questions import Report, all_reports, question_report
from surveys.results.reading import Reading
from surveys.results.routes import Route, drawn_words, route_of
from surveys.results.rows.anchors import ONE_LOOK, anchors_of
from surveys.results.rows.plans import kept_look, standing
from surveys.results.rows.trust import trust_of
from surveys.results.taking.queries import is_large
from surveys.staff.access import (
    StaffRequest,
    abilities_of,
    editable_among,
    role_of,
    search_surveys,
    survey_with,
)
from surveys.staff.audit.services import record_download
from surveys.staff.figures import source_of, survey_figure
from surveys.staff.roles import ROLE_WORDS, Ability
from surveys.web.addresses import start_address
from surveys.web.downloads import PARQUET_TYPE, ParquetMissing, file_name
from surveys.web.drawing.figures import Figure
from surveys.web.responses import attached, csv_download, json_download
from surveys.wording import odds

if TYPE_CHECKING:
    from surveys.models import Revision, Survey

SURVEYS_A_PAGE = 25


@login_required
@require_safe
def survey_list(request: StaffRequest) -> HttpResponse:
    """All surveys that this person may see."""
    form = SearchForm(request.GET)
    text = form.cleaned_data["q"] if form.is_valid() else ""
    surveys = Paginator(search_surveys(request.user, text), SURVEYS_A_PAGE)
    page = surveys.get_page(request.GET.get("page"))
    editable = editable_among(request.user, page)
    context = {"page": page, "form": form, "text": text, "editable": editable}
    return render(request, "surveys/results/list.html", context)


@login_required
@require_safe
def dashboard(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """What one survey says so far."""
    survey = survey_with(request, survey_id)
    form, reading = _asked(request, survey)
    context = {"survey": survey, "form": form, "reading": reading, "query": form.permalink}
    role = role_of(request.user, survey)
    context["role_words"] = ROLE_WORDS.get(role, "") if role else ""
    context["may"] = {ability.value for ability in abilities_of(request.user, survey)}
    revision = revision_of(survey)
    context["is_erased"] = is_erased(survey, timezone.now().date())
    if revision and context["is_erased"]:
        context["has_totals"] = has_opened(revision)
    if revision and not context["is_erased"]:
        context |= _results(request, survey, revision, reading)
        context["panels"] = [
            (panel.template, panel.context(request.user, survey)) for panel in registered()
        ]
    return render(request, "surveys/results/dashboard.html", context)


@login_required
@require_safe
def chart(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """One question's picture, for a page or as a file."""
    survey = survey_with(request, survey_id)
    revision = _launched(survey)
    counts = question_counts(revision, number)
    if counts is None:
        raise Http404
    if route_of(questionnaire_of(revision), counts, response_count(revision)).hides_estimates:
        raise Http404
    _, reading = _asked(request, survey)
    marks = marks_of(revision, reading, request.user, {number})
    figure = question_figure(marks.beside(question_report(number, counts, reading)))
    if figure is None:
        raise Http404
    return survey_figure(request, survey, figure.of(source_of(survey)))


@login_required
@require_safe
def responses_csv(request: StaffRequest, survey_id: UUID) -> HttpResponseBase:
    """The reported answers, a row for each response; of a large survey, where to ask for a file."""
    survey = survey_with(request, survey_id)
    revision = _launched(survey)
    if is_large(revision):
        return redirect("surveys:exports", survey.pk)
    lines = exports.responses_csv(revision, **_asked_for(request))
    record_download("responses", survey=survey, by=request.user)
    return csv_download(lines, file_name(survey.title, "responses.csv"))


def _asked_for(request: StaffRequest) -> dict[str, bool]:
    """Words or codes; with the debiased columns, unless reports alone are asked for."""
    asked = request.GET
    return {
        "codes": asked.get("values") == "codes",
        "debiased": asked.get("columns") != "reports",
    }


@login_required
@require_safe
def responses_parquet(request: StaffRequest, survey_id: UUID) -> HttpResponseBase:
    """The same as a Parquet file, or what is missing for such a file."""
    survey = survey_with(request, survey_id)
    revision = _launched(survey)
    if is_large(revision):
        return redirect("surveys:exports", survey.pk)
    try:
        parts = exports.responses_parquet(revision, **_asked_for(request))
    except ParquetMissing as problem:
        return HttpResponse(str(problem), content_type="text/plain; charset=utf-8", status=404)
    record_download("responses", survey=survey, by=request.user)
    headers = attached(file_name(survey.title, "responses.parquet"))
    return StreamingHttpResponse(parts, content_type=PARQUET_TYPE, headers=headers)


@login_required
@require_safe
def texts_csv(request: StaffRequest, survey_id: UUID) -> StreamingHttpResponse:
    """What people wrote, a row for each text, without their other answers."""
    survey = survey_with(request, survey_id, Ability.RULE)
    revision = _launched(survey)
    if questionnaire_of(revision).seals:  # each question has a file of its own
        raise Http404
    lines = exports.texts_csv(revision)
    record_download("texts", survey=survey, by=request.user)
    return csv_download(lines, file_name(survey.title, "texts.csv"))


@login_required
@require_safe
def sealed_texts(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """What people wrote to one question, sealed, for those who hold the keys."""
    survey = survey_with(request, survey_id, Ability.RULE)
    content = exports.sealed_texts(_launched(survey), number)
    if content is None:
        raise Http404
    record_download("texts", survey=survey, by=request.user)
    headers = attached(file_name(survey.title, f"texts-{number}.json"))
    return HttpResponse(content, content_type="application/json", headers=headers)


@login_required
@require_safe
def locked_table(request: StaffRequest, survey_id: UUID, number: int) -> StreamingHttpResponse:
    """The locked answers of one table, for its trustees."""
    survey = survey_with(request, survey_id, Ability.RULE)
    parts = exports.locked_table(_launched(survey), number)
    if parts is None:
        raise Http404
    record_download("locked answers", survey=survey, by=request.user)
    headers = attached(file_name(survey.title, f"table-{number}.ballots"))
    return StreamingHttpResponse(parts, content_type="application/octet-stream", headers=headers)


@login_required
@require_safe
def report_html(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """All results as one file to hand over, read as the page is."""
    survey = survey_with(request, survey_id)
    revision = _launched(survey)
    _, reading = _asked(request, survey)
    marks = marks_of(revision, reading, request.user)
    content = standalone_report(survey, revision, reading, marks, timezone.now().date())
    for survey_read in (survey, *marks.surveys):  # the file holds what those before found, too
        record_download("report", survey=survey_read, by=request.user)
    return HttpResponse(content, headers=attached(file_name(survey.title, "report.html")))


@login_required
@require_safe
def codebook_json(request: StaffRequest, survey_id: UUID) -> JsonResponse:
    """How to read the reported answers."""
    survey = survey_with(request, survey_id)
    revision = _launched(survey)
    content = codebook(revision, responses=response_count(revision))
    return json_download(content, file_name(survey.title, "codebook.json"))


@login_required
@require_safe
def codebook_markdown(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """The codebook to read, with the numbers of the dashboard, read as the page is."""
    survey = survey_with(request, survey_id)
    revision = _launched(survey)
    _, reading = _asked(request, survey)
    content = markdown_of(revision, reading)
    record_download("report", survey=survey, by=request.user)
    headers = attached(file_name(survey.title, "codebook.md"))
    return HttpResponse(content, content_type="text/markdown; charset=utf-8", headers=headers)


def _asked(request: StaffRequest, survey: "Survey") -> tuple[ReadingForm, Reading]:
    """How to read the page, as a form and as its answers; the default while one is wrong."""
    usual = reading_now(survey, revision_of(survey))
    asked = {"method": usual.method, "level": "95", **request.GET.dict()}
    form = ReadingForm(asked, looks=usual.looks)
    return form, Reading.chosen(form.cleaned_data, usual.looks) if form.is_valid() else usual


def _launched(survey: "Survey") -> "Revision":
    revision = revision_with_answers(survey)
    if revision is None:
        raise Http404
    return revision


def _results(
    request: StaffRequest, survey: "Survey", revision: "Revision", reading: Reading
) -> dict[str, Any]:
    """How far collecting has come, and what was counted and estimated."""
    progress = progress_of(survey, revision)
    questionnaire = questionnaire_of(revision)
    responses = response_count(revision)
    look = planned_look(revision.pk)
    marks = marks_of(revision, reading, request.user)
    reports = marks.beside_all(all_reports(revision, reading))
    arms = arms_report(revision, reading)
    questions, source = [report for report, _ in reports], source_of(survey)
    start = start_address(survey.pk, survey.language)
    columns = FileColumns(questionnaire)
    return {
        "revision": revision,
        "responses": responses,
        "progress": progress,
        "anchors": anchors_of(revision, reading),
        "one_look": ONE_LOOK,
        "trust": trust_of(_shown(reports), reading),
        "trust_in_arms": trust_in_arms(revision, reading),
        "overview": overview(
            survey, progress, responses, _shown(reports), standing(survey, revision, progress, look)
        ),
        "look": kept_look(revision, look, reading.stated) if look else None,
        "batch_size": questionnaire.batch_size,
        "has_reports": columns.has_reports,
        "has_columns": bool(columns.asked),
        "set_aside": set_aside_count(survey),
        "invitations": invitation_progress(survey) if survey.invitation_only else None,
        "questions": questions,
        "shown": [(report, route, _figure(source, report)) for report, route in reports],
        "sections": plain_sections(questionnaire),
        "arms": [arms_card(arms, survey.pk)] if arms else [],
        "protection": odds.total_words(questionnaire),
        "drawn_words": drawn_words(questionnaire),
        "audit": f"{start}audit.json" if has_audit(survey) else "",
        "link": request.build_absolute_uri(start),
    }


def _shown(reports: list[tuple[Report, Route]]) -> list[Report]:
    """What is shown: not what too few people were asked."""
    return [report for report, route in reports if not route.hides_estimates]


def _figure(source: str, report: Report) -> Figure | None:
    """A question's picture, with its source."""
    figure = question_figure(report)
    return figure and figure.of(source)
