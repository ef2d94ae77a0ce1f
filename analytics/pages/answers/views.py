"""Views that ask for reports on stored answers: compare groups, grow a tree."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from analytics import services
from analytics.kinds.answers import ANSWER_KINDS
from analytics.models import Report
from analytics.pages.answers.forms import CloudsForm, GroupsForm, TreeForm
from analytics.pages.answers.reports import comparison_of
from analytics.pages.answers.rows import beside
from analytics.pages.forms import CompareForm
from analytics.pages.rows import report_rows
from analytics.queries import (
    PENDING,
    finished_comparisons,
    question_texts,
    report_of,
    reports_of,
    surveys_asking_the_same,
)
from analytics.tasks import make_later
from surveys.models import Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.questionnaire.kinds.question import Question
from surveys.randomized_response.errors import StatisticsError
from surveys.staff.access import StaffRequest, post_only, survey_with
from surveys.staff.queries import account_names
from surveys.staff.roles import Ability

REFUSALS = (NotAllowed, NotPossible, StatisticsError)
AnyForm = CloudsForm | GroupsForm | TreeForm
ADDRESSES = {"comparison": "ask-groups", "clouds": "ask-clouds", "tree": "ask-tree"}
SHOWN = 20
MOST_COMPARED = 500
ASKED_FOR = "The report is asked for. This page shows how far it is."
ASKED_BEFORE = "That form was sent before, and this is the report it asked for."


@login_required
@require_safe
def groups_page(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Comparisons so far, and the form that asks for one."""
    survey = survey_with(request, survey_id)
    return _page(request, survey, "comparison", _groups_form(request, survey))


@login_required
@post_only("analytics:groups", "survey_id", ability=Ability.READ)
def ask_groups(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Ask for a comparison; the form again, as it was filled in, where that is not possible."""
    survey = survey_with(request, survey_id)
    return _ask(request, survey, "comparison", _groups_form(request, survey))


@login_required
@require_safe
def clouds_page(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Comparisons of several numbers so far, and the form that asks for one."""
    survey = survey_with(request, survey_id)
    return _page(request, survey, "clouds", CloudsForm(items=_items(survey)))


@login_required
@post_only("analytics:clouds", "survey_id", ability=Ability.READ)
def ask_clouds(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Ask for one; the form again, as it was filled in, where that is not possible."""
    survey = survey_with(request, survey_id)
    return _ask(request, survey, "clouds", CloudsForm(request.POST, items=_items(survey)))


@login_required
@require_safe
def tree_page(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Trees so far, and the form that asks for one. For curators alone."""
    survey = survey_with(request, survey_id, Ability.RULE)
    return _page(request, survey, "tree", TreeForm(items=_items(survey)))


@login_required
@post_only("analytics:tree", "survey_id", ability=Ability.RULE)
def ask_tree(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Ask for a tree; the form again, as it was filled in, where that is not possible."""
    survey = survey_with(request, survey_id, Ability.RULE)
    return _ask(request, survey, "tree", TreeForm(request.POST, items=_items(survey)))


@login_required
@require_safe
def compare_groups(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Two comparisons side by side, pair by pair."""
    survey = survey_with(request, survey_id)
    found = {str(one.pk): one for one in finished_comparisons(request.user)[:MOST_COMPARED]}
    own = [(k, _told(one)) for k, one in found.items() if one.revision.survey_id == survey.pk]
    others = [(k, f"{_told(one)} in “{one.revision.survey}”") for k, one in found.items()]
    form = CompareForm(request.GET if "second" in request.GET else None, own=own, others=others)
    context: dict[str, Any] = {"survey": survey, "form": form, "own": own}
    if form.is_bound and form.is_valid():
        chosen = [found[form.cleaned_data[name]] for name in ("first", "second")]
        names = [f"{_told(one)} in “{one.revision.survey}”" for one in chosen]
        context |= {"names": names, "rows": beside(*(comparison_of(one) for one in chosen))}
    return render(request, "analytics/compare_groups.html", context)


@login_required
@post_only("analytics:report", "survey_id", "report_id", ability=Ability.READ)
def ask_again(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """Ask for a report on answers once more, with the same settings and today's answers."""
    survey = survey_with(request, survey_id)
    earlier = report_of(survey, report_id, request.user)
    if earlier is None or earlier.kind not in ANSWER_KINDS:
        raise Http404
    try:
        made = services.request_answer_report(
            survey=survey,
            kind=earlier.kind,
            settings=ANSWER_KINDS[earlier.kind].settings(earlier.settings),
            by=request.user,
            later=make_later,
        )
    except REFUSALS as problem:
        messages.error(request, str(problem))
        return redirect("analytics:report", survey.pk, earlier.pk)
    messages.success(request, ASKED_FOR)
    return redirect("analytics:report", survey.pk, made.pk)


def _told(one: Report) -> str:
    return f"{ANSWER_KINDS[one.kind].title} {one.asked_at:%Y-%m-%d %H:%M}"


def _groups_form(request: StaffRequest, survey: Survey) -> GroupsForm:
    data = request.POST if request.method == "POST" else None
    others = surveys_asking_the_same(survey, request.user)
    return GroupsForm(data, items=_items(survey), others=others)


def _items(survey: Survey) -> tuple[tuple[int, Question], ...]:
    """The questions, with numbers, of a launched survey whose answers are there. Raises Http404."""
    revision = revision_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        raise Http404
    return questionnaire_of(revision).readable


def _ask(request: StaffRequest, survey: Survey, kind: str, form: AnyForm) -> HttpResponse:
    asked = _requested(request, survey, kind, form) if form.is_valid() else None
    if asked is None:
        return _page(request, survey, kind, form)
    messages.success(request, ASKED_FOR if asked.state in PENDING else ASKED_BEFORE)
    return redirect("analytics:report", survey.pk, asked.pk)


def _requested(request: StaffRequest, survey: Survey, kind: str, form: AnyForm) -> Report | None:
    try:
        return services.request_answer_report(
            survey=survey,
            kind=kind,
            settings=form.cleaned_data["settings"],
            by=request.user,
            later=make_later,
            key=form.cleaned_data["key"],
        )
    except REFUSALS as problem:
        form.add_error(None, str(problem))
        return None


def _page(request: StaffRequest, survey: Survey, kind: str, form: AnyForm) -> HttpResponse:
    found = list(reports_of(survey, request.user).filter(kind=kind)[:SHOWN])
    people = account_names(one.actor for one in found if one.actor)
    context: dict[str, Any] = {
        "survey": survey,
        "form": form,
        "kind": ANSWER_KINDS[kind],
        "address": f"analytics:{ADDRESSES[kind]}",
        "rows": report_rows(found, question_texts(survey), people),
    }
    return render(request, "analytics/answers.html", context)
