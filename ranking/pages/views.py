"""Views of rankings: page, table, fragment, save a method, history, CSV, JSON, Parquet."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import (
    Http404,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
    StreamingHttpResponse,
)
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from ranking import services
from ranking.methods.histograms import histogram_rows
from ranking.pages import exports
from ranking.pages import rows as pages
from ranking.pages.forms import RankingForm
from ranking.pages.pictures import ranking_figure
from ranking.queries import (
    RatedQuestion,
    choices_of,
    chosen_method,
    rated_items,
    rated_question,
    rated_questions,
    version_of,
)
from surveys.models import Survey
from surveys.models.queries import is_erased
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.randomized_response.errors import StatisticsError
from surveys.staff.access import StaffRequest, may, post_only, survey_with
from surveys.staff.audit.rows import person
from surveys.staff.audit.services import record_download
from surveys.staff.figures import source_of, survey_figure
from surveys.staff.queries import account_names
from surveys.staff.roles import Ability
from surveys.web.downloads import PARQUET_TYPE, ParquetMissing, file_name, table_csv
from surveys.web.drawing.figures import Figure
from surveys.web.responses import attached, csv_download, json_download
from surveys.wording.language.messages import said_by, translated

ORDER_WORDS = (("score", gettext_lazy("score")), ("cautious", gettext_lazy("cautious")))


@login_required
@require_safe
def overview(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """The rating questions of a survey."""
    survey = survey_with(request, survey_id)
    context = {"survey": survey, "questions": rated_questions(survey)}
    return render(request, "ranking/overview.html", context)


@login_required
@require_safe
def table(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """One question's items in their order."""
    return _page(request, survey_id, number, "ranking/table.html")


@login_required
@require_safe
def fragment(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """The part of that page that depends on the form, for a preview without a reload."""
    return _page(request, survey_id, number, "ranking/_result.html")


@login_required
@post_only("ranking:table", "survey_id", "number", ability=Ability.EDIT)
def save(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponseRedirect:
    """Make a method the one that all readers see."""
    survey = survey_with(request, survey_id, Ability.EDIT)
    question = _question(survey, number)
    form = _form(request, question)
    address = reverse("ranking:table", args=[survey.pk, number])
    if not form.is_valid():
        messages.error(request, gettext("The settings were not saved. Correct the marked fields."))
        return redirect(f"{address}?{form.permalink}")
    try:
        services.choose_method(
            revision=question.revision, item=question.item, method=form.method, by=request.user
        )
    except (NotAllowed, NotPossible) as problem:
        messages.error(request, str(problem))
        return redirect(f"{address}?{form.permalink}")
    messages.success(
        request, gettext("Saved. All people who open this page now see these settings.")
    )
    return redirect(address)


@login_required
@require_safe
def history(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """Who chose which utilities and prior, and when."""
    survey = survey_with(request, survey_id)
    question = _question(survey, number)
    choices = list(choices_of(question))
    names = account_names(choice.actor for choice in choices if choice.actor)
    orders = dict(ORDER_WORDS)
    rows = [
        (choice, person(choice.actor, names), orders.get(choice.order, choice.order))
        for choice in choices
    ]
    context = {"survey": survey, "question": question, "rows": rows}
    return render(request, "ranking/history.html", context)


@login_required
@require_safe
def picture(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """The first items with their intervals, for the page or as a file."""
    survey = survey_with(request, survey_id)
    question = _question(survey, number)
    _refuse_erased(survey)
    figure = _figure(survey, question, _form(request, question))
    if figure is None:
        raise Http404
    return survey_figure(request, survey, figure)


@login_required
@require_safe
def table_csv_file(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponseBase:
    """The items as a table, with the method in every row."""

    def file(survey: Survey, form: RankingForm, listing: exports.Listing) -> StreamingHttpResponse:
        return csv_download(table_csv(listing.rows()), file_name(survey.title, "ranking.csv"))

    return _download(request, survey_id, number, file)


@login_required
@require_safe
def table_json(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponseBase:
    """The items with the method in words."""

    def file(survey: Survey, form: RankingForm, listing: exports.Listing) -> JsonResponse:
        about = {"survey": survey.title, "question": form.question.item.text, "filter": form.text}
        return json_download(listing.document(**about), file_name(survey.title, "ranking.json"))

    return _download(request, survey_id, number, file)


@login_required
@require_safe
def table_parquet(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponseBase:
    """The same as a Parquet file, or what is missing for one."""

    def file(survey: Survey, form: RankingForm, listing: exports.Listing) -> HttpResponse:
        headers = attached(file_name(survey.title, "ranking.parquet"))
        return HttpResponse(exports.parquet(listing), content_type=PARQUET_TYPE, headers=headers)

    return _download(request, survey_id, number, file)


@login_required
@require_safe
def histograms_csv(request: StaffRequest, survey_id: UUID, number: int) -> StreamingHttpResponse:
    """What was counted, as ``manage.py rank`` reads it."""
    survey = survey_with(request, survey_id)
    question = _question(survey, number)
    _refuse_erased(survey)
    items = rated_items(question, version_of(question))
    record_download("ranking", survey=survey, by=request.user)
    labels = [level.text for level in question.item.levels][: items.counts.shape[1]]
    rows = histogram_rows(items.names, items.counts, labels, items.origin)
    return csv_download(table_csv(rows), file_name(survey.title, "histograms.csv"))


def _page(request: StaffRequest, survey_id: UUID, number: int, template: str) -> HttpResponse:
    survey = survey_with(request, survey_id)
    question = _question(survey, number)
    context = {"survey": survey, "question": question}
    if is_erased(survey, timezone.now().date()):
        return render(request, template, context | {"is_erased": True})
    form = _form(request, question)
    context |= {"form": form, "query": form.permalink} | _ranking(request, question, form)
    if "ranking" in context:
        context["figure"] = _figure(survey, question, form)
    context["may_save"] = may(request.user, survey, Ability.EDIT)
    return render(request, template, context)


def _ranking(request: StaffRequest, question: RatedQuestion, form: RankingForm) -> dict[str, Any]:
    """The rows, or why there are none."""
    version = version_of(question)
    items = rated_items(question, version)
    context: dict[str, Any] = {
        "rated": items,
        "method": form.method,
        "words": translated(form.method.words),
        "counted": pages.counted_words(question, items),
    }
    if not items.counts.any():
        return context
    try:
        context["ranking"] = pages.ranking_page(
            question,
            version,
            form.method,
            text=form.text,
            number=request.GET.get("page"),
            compares=form.compares,
        )
    except StatisticsError as problem:
        context["problem"] = said_by(problem)
    return context


def _figure(survey: Survey, question: RatedQuestion, form: RankingForm) -> Figure | None:
    """The picture of what the form asks for; None where nothing can be ordered."""
    try:
        listing = pages.listing(question, version_of(question), form.method, form.text)
    except StatisticsError:
        return None
    figure = ranking_figure(question.item.text, str(form["level"].value()), listing)
    return figure and figure.of(source_of(survey))


def _download(
    request: StaffRequest,
    survey_id: UUID,
    number: int,
    file: Callable[[Survey, RankingForm, exports.Listing], HttpResponseBase],
) -> HttpResponseBase:
    """What the address asks for as a file, written down in the audit log.

    Where there can be none, the page with the same address says why.
    """
    survey = survey_with(request, survey_id)
    question = _question(survey, number)
    _refuse_erased(survey)
    form = _form(request, question)
    if not form.is_valid():
        return _no_file(request, survey, number, gettext("correct the marked fields"))
    try:
        listing = pages.listing(question, version_of(question), form.method, form.text)
        answer = file(survey, form, listing)
    except (StatisticsError, ParquetMissing) as problem:
        return _no_file(request, survey, number, said_by(problem))
    record_download("ranking", survey=survey, by=request.user)
    return answer


def _no_file(request: StaffRequest, survey: Survey, number: int, why: str) -> HttpResponseRedirect:
    messages.error(request, gettext("Nothing was downloaded: {why}.").format(why=why))
    address = reverse("ranking:table", args=[survey.pk, number])
    return redirect(f"{address}?{request.GET.urlencode()}")


def _form(request: StaffRequest, question: RatedQuestion) -> RankingForm:
    query = request.POST if request.method == "POST" else request.GET
    origin = rated_items(question, version_of(question)).origin
    return RankingForm(query, question=question, chosen=chosen_method(question), origin=origin)


def _question(survey: Survey, number: int) -> RatedQuestion:
    question = rated_question(survey, number)
    if question is None:
        raise Http404
    return question


def _refuse_erased(survey: Survey) -> None:
    if is_erased(survey, timezone.now().date()):
        raise Http404
