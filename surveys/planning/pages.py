"""Views of the planner: its page, its pictures, a plan saved for a survey."""

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import (
    Http404,
    HttpResponse,
    HttpResponseRedirect,
)
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from surveys.models.refusals import NotAllowed, NotPossible
from surveys.planning.forms import PlanForm, SavePlanForm
from surveys.planning.services import set_plan
from surveys.staff.access import StaffRequest, post_only, surveys_for
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from surveys.models import Survey
from surveys.web.responses import picture, width


@login_required
@require_safe
def planner(request: StaffRequest) -> HttpResponse:
    """How many people to ask."""
    form = PlanForm.from_query(request.GET.dict())
    report = form.report if form.is_valid() else None
    saving = SavePlanForm(
        initial={"responses": report.people if report else None}, surveys=_editable(request)
    )
    return render(
        request,
        "surveys/planning/planner.html",
        {"form": form, "report": report, "saving": saving},
    )


@login_required
@require_safe
def planner_curve(request: StaffRequest) -> HttpResponse:
    """The planner's curve as a picture."""
    # Altair takes a third of a second to load: only who draws loads it.
    from surveys.planning.charts import plan_curve

    form = PlanForm.from_query(request.GET.dict())
    if not form.is_valid():
        raise Http404
    return picture(plan_curve(form.report, width(request)))


@login_required
@require_safe
def planner_price(request: StaffRequest) -> HttpResponse:
    """The price of privacy as a picture."""
    # Altair takes a third of a second to load: only who draws loads it.
    from surveys.planning.charts import price_curve

    form = PlanForm.from_query(request.GET.dict())
    if not form.is_valid() or not form.report.extras.price:
        raise Http404
    return picture(price_curve(form.report, width(request)))


@login_required
@post_only("surveys:planner")
def save_plan(request: StaffRequest) -> HttpResponseRedirect:
    """Make the planned number one survey's plan."""
    form = SavePlanForm(request.POST, surveys=_editable(request))
    if not form.is_valid():
        messages.error(request, "The plan was not saved: choose one of your surveys and a number.")
        return redirect("surveys:planner")
    survey, responses = form.cleaned_data["survey"], form.cleaned_data["responses"]
    try:
        set_plan(survey=survey, responses=responses, by=request.user)
    except (NotAllowed, NotPossible) as problem:
        messages.error(request, str(problem))
        return redirect("surveys:planner")
    messages.success(request, f'The plan of "{survey}" asks for {responses:,} responses now.')
    return redirect("surveys:dashboard", survey.pk)


def _editable(request: StaffRequest) -> "QuerySet[Survey]":
    return surveys_for(request.user, Ability.EDIT).defer("revision__document")
