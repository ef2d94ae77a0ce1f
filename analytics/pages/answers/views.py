"""Views that ask for reports on stored answers: compare groups, grow a tree."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from analytics import services
from analytics.kinds.answers import ANSWER_KINDS
from analytics.models import Report
from analytics.pages.answers.asking import ASKED_FOR, REFUSALS, asking_page, led_to, requested
from analytics.pages.answers.forms import CloudsForm, GroupsForm, TreeForm
from analytics.pages.answers.reports import comparison_of
from analytics.pages.answers.rows import beside
from analytics.pages.forms import CompareForm
from analytics.pages.rows import title_of
from analytics.queries import (
    finished_comparisons,
    report_of,
    surveys_asking_the_same,
)
from analytics.tasks import make_later
from surveys.models import Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.questionnaire.kinds.question import Question
from surveys.staff.access import StaffRequest, post_only, survey_with
from surveys.staff.roles import Ability
from surveys.wording.language.messages import said_by, translated

AnyForm = CloudsForm | GroupsForm | TreeForm
ADDRESSES = {"comparison": "ask-groups", "clouds": "ask-clouds", "tree": "ask-tree"}
MOST_COMPARED = 500


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
    others = [
        (k, gettext("{report} in “{survey}”").format(report=_told(one), survey=one.revision.survey))
        for k, one in found.items()
    ]
    form = CompareForm(request.GET if "second" in request.GET else None, own=own, others=others)
    context: dict[str, Any] = {"survey": survey, "form": form, "own": own}
    if form.is_bound and form.is_valid():
        chosen = [found[form.cleaned_data[name]] for name in ("first", "second")]
        names = [dict(others)[form.cleaned_data[name]] for name in ("first", "second")]
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
        messages.error(request, said_by(problem))
        return redirect("analytics:report", survey.pk, earlier.pk)
    messages.success(request, ASKED_FOR)
    return redirect("analytics:report", survey.pk, made.pk)


def _told(one: Report) -> str:
    return f"{title_of(one.kind)} {one.asked_at:%Y-%m-%d %H:%M}"


def _groups_form(request: StaffRequest, survey: Survey) -> GroupsForm:
    data = request.POST if request.method == "POST" else None
    others = surveys_asking_the_same(survey, request.user)
    return GroupsForm(data, items=_items(survey), others=others)


def _items(survey: Survey) -> tuple[tuple[int, Question], ...]:
    """The questions, with numbers, of a launched survey whose answers are there. Raises Http404."""
    revision = revision_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        raise Http404
    return questionnaire_of(revision).numbered.readable


def _ask(request: StaffRequest, survey: Survey, kind: str, form: AnyForm) -> HttpResponse:
    asked = None
    if form.is_valid():
        wish = {"survey": survey, "kind": kind, "by": request.user}
        asked = requested(form, services.request_answer_report, **wish)
    return led_to(request, survey, asked) if asked else _page(request, survey, kind, form)


def _page(request: StaffRequest, survey: Survey, kind: str, form: AnyForm) -> HttpResponse:
    address = f"analytics:{ADDRESSES[kind]}"
    own = ANSWER_KINDS[kind]
    said = replace(own, title=translated(own.title), explanation=translated(own.explanation))
    context = {"form": form, "kind": said, "address": address}
    return asking_page(request, survey, kind, context)
