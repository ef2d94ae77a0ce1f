"""Views of the planner: its page, its pictures, a plan saved for a survey."""

from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import (
    Http404,
    HttpResponse,
    HttpResponseRedirect,
)
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from surveys.models import Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.planning.charts import curve_figure, price_figure
from surveys.planning.forms import PlanForm, SavePlanForm
from surveys.planning.plans import PlanReport
from surveys.planning.services import set_plan
from surveys.staff.access import StaffRequest, post_only, surveys_for
from surveys.staff.roles import Ability
from surveys.web.drawing.figures import Figure
from surveys.web.responses import figure_file, figure_shown, file_asked
from surveys.wording.language.numbers import count_words
from surveys.wording.readings import READ_ALL_THE_TIME

if TYPE_CHECKING:
    from django.db.models import QuerySet


@login_required
@require_safe
def planner(request: StaffRequest) -> HttpResponse:
    """How many people to ask."""
    form = PlanForm.from_query(request.GET.dict())
    report = form.report if form.is_valid() else None
    saving = SavePlanForm(
        initial=_to_save(report) if report else {},
        surveys=_editable(request),
        auto_id="plan_%s",  # the page has another form with fields of these names
    )
    context: dict[str, Any] = {"form": form, "report": report, "saving": saving}
    if report:
        context |= {"curve": curve_figure(report), "price": price_figure(report)}
    return render(request, "surveys/planning/planner.html", context)


def _to_save(report: PlanReport) -> dict[str, Any]:
    """What of a plan a survey keeps; the error of a mean is none of shares."""
    asked = report.request
    return {
        "responses": report.people,
        "reading": asked.reading.value,
        "error": "" if asked.is_mean else asked.error,
        "failure": asked.failure,
    }


@login_required
@require_safe
def planner_curve(request: StaffRequest) -> HttpResponse:
    """The planner's curve, for its page or as a file."""
    form = PlanForm.from_query(request.GET.dict())
    if not form.is_valid():
        raise Http404
    return _plan_figure(request, curve_figure(form.report))


@login_required
@require_safe
def planner_price(request: StaffRequest) -> HttpResponse:
    """The price of privacy, for its page or as a file."""
    form = PlanForm.from_query(request.GET.dict())
    if not form.is_valid() or not form.report.extras.price:
        raise Http404
    return _plan_figure(request, price_figure(form.report))


def _plan_figure(request: StaffRequest, figure: Figure) -> HttpResponse:
    """A picture of a plan; a plan holds no answers, so that nothing is written down."""
    ending = file_asked(request)
    return figure_file(figure, ending, "plan") if ending else figure_shown(request, figure)


@login_required
@post_only("surveys:planner")
def save_plan(request: StaffRequest) -> HttpResponseRedirect:
    """Make the planned number one survey's plan."""
    form = SavePlanForm(request.POST, surveys=_editable(request))
    if not form.is_valid():
        words = gettext(
            "The plan was not saved. Choose one of your surveys and a number of responses."
        )
        messages.error(request, words)
        return redirect("surveys:planner")
    chosen = form.cleaned_data
    survey, responses, error = chosen["survey"], chosen["responses"], chosen["error"]
    try:
        reading = set_plan(
            survey=survey,
            responses=responses,
            by=request.user,
            reading=chosen["reading"],
            # As the table keeps it: in percentage points.
            error=None if error is None else _rounded_up(100 * error, places=4),
            failure=_rounded_up(chosen["failure"], places=9),
        )
    except (NotAllowed, NotPossible) as problem:
        messages.error(request, str(problem))
        return redirect("surveys:planner")
    words = gettext(
        "Saved. The plan of “{survey}” now asks for {count} responses. Results are read: {reading}."
    )
    label = Survey.Reading(reading).label
    messages.success(
        request, words.format(survey=survey, count=count_words(responses), reading=label)
    )
    if reading != chosen["reading"]:
        messages.warning(request, str(READ_ALL_THE_TIME))
    return redirect("surveys:dashboard", survey.pk)


def _rounded_up(number: Fraction, *, places: int) -> Decimal:
    """A plan for a little more than was typed: rounded down, its own number would be too small."""
    exact = Decimal(number.numerator) / number.denominator
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_CEILING)


def _editable(request: StaffRequest) -> "QuerySet[Survey]":
    return surveys_for(request.user, Ability.EDIT).defer("revision__document")
