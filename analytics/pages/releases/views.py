"""Views of releases for staff: build one, confirm it, read and download it."""

from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from analytics.pages.forms import OnceForm
from analytics.pages.ledger_rows import ledger_words
from analytics.pages.releases import published
from analytics.pages.releases.forms import BuilderForm
from analytics.pages.releases.rows import outlook_rows
from analytics.pages.rows import report_rows
from analytics.queries import RELEASED, TABLES, ability_to_ask, account_of, asked_with, reports_of
from analytics.reports.asking import REFUSALS
from analytics.services.ledger import NO_PROMISE, RELEASED_ALONE, TEXTS_ALONE
from analytics.tasks import make_later
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Revision, Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.randomized_response.messages import sentence
from surveys.staff.access import StaffRequest, may, survey_with
from surveys.staff.acts import NotAsShown, perform
from surveys.staff.queries import account_names
from surveys.staff.roles import Ability
from surveys.wording.language.messages import said_by, translated
from surveys.wording.texts import RELEASE_AUDIENCE, audience_of

if TYPE_CHECKING:
    from analytics.models import Report
    from analytics.pages.releases.confirmations import PublishTables

SHOWN = 50
CHANGED = gettext_lazy(
    "Nothing was done, because something changed after you opened this page. The page now shows "
    "the current state."
)
NO_TABLES = sentence(
    "No question of this survey can be counted in tables. Tables count direct answers that are "
    "numbers or are chosen from a list."
)
DRAFT = sentence(
    "Tables can be released only after the survey is launched, because the budget is promised at "
    "launch."
)
ERASED = sentence(
    "The answers were deleted, as respondents were promised, so no new tables can be released. "
    "Earlier releases remain."
)


@login_required
@require_safe
def builder(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Releases so far, and a new one with its margins and its cost before anything is spent."""
    survey = survey_with(request, survey_id)
    reports = list(reports_of(survey, request.user).filter(kind__in=RELEASED)[:SHOWN])
    people = account_names(report.actor for report in reports if report.actor)
    context: dict[str, Any] = {
        "survey": survey,
        "audience": translated(_audience(survey)),
        "rows": report_rows(reports, {}, people),
        "may_publish": may(request.user, survey, ability_to_ask(TABLES)),
        "why_not": translated(_why_not(survey)),
    }
    if account := account_of(survey):
        context["words"] = ledger_words(account)
    if not context["why_not"] and may(request.user, survey, Ability.EDIT):
        context |= _built(request, survey)
    return render(request, "analytics/releases/builder.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Ask whether to publish what the address describes; a POST with the page's proof does it."""
    survey = survey_with(request, survey_id, Ability.RULE)
    sent = OnceForm(request.POST)
    key = sent.cleaned_data["key"] if sent.is_valid() else uuid4()
    if asked := asked_with(survey, request.user, key):
        return redirect("analytics:report", survey.pk, asked.pk)
    act, back = _act(request, survey, key), f"{_address(survey)}?{request.GET.urlencode()}"
    problems = [] if act is None else act.problems()
    for problem in problems:
        messages.error(request, problem)
    if act is None or problems:
        return redirect(back)
    if request.method != "POST" or "shown" not in request.POST:
        return _question(request, act)
    try:
        done = perform(act, by=request.user, shown=request.POST["shown"])
    except NotAsShown:
        return _question(request, act, problem=str(CHANGED))
    except REFUSALS as refusal:  # since the look above
        messages.error(request, said_by(refusal))
        return redirect(back)
    messages.success(request, done)
    asked = asked_with(survey, request.user, key)
    return redirect("analytics:report", survey.pk, asked.pk if asked else key)


@login_required
@require_safe
def release(request: StaffRequest, survey_id: UUID, report_id: UUID) -> HttpResponse:
    """A release as staff see it: the same page that it has for outsiders."""
    report = _released(request, survey_id, report_id)
    return published.page(request, report, report.revision.survey)


@login_required
@require_safe
def release_file(
    request: StaffRequest, survey_id: UUID, report_id: UUID, name: str
) -> HttpResponseBase:
    """One of ``published.FILES``."""
    return published.FILES[name](request, _released(request, survey_id, report_id))


def _released(request: StaffRequest, survey_id: UUID, report_id: UUID) -> "Report":
    """A finished release that this person may see. Raises Http404."""
    survey = survey_with(request, survey_id)
    reports = reports_of(survey, request.user).filter(kind__in=RELEASED, pk=report_id, state="done")
    report = reports.select_related("revision__survey").first()
    if report is None:
        raise Http404
    return report


def _audience(survey: Survey) -> str:
    revision = revision_of(survey)
    return audience_of(questionnaire_of(revision)) if revision else RELEASE_AUDIENCE


def _why_not(survey: Survey) -> str:
    """Why no table can be released; "" if some can."""
    revision = revision_of(survey)
    if revision is None:
        return DRAFT
    questionnaire = questionnaire_of(revision)
    if questionnaire.releases:
        return RELEASED_ALONE
    if not questionnaire.numbered.tabulated:
        return NO_TABLES
    if questionnaire.budget is None:
        return NO_PROMISE
    if not questionnaire.budget.pays_for_tables:
        return TEXTS_ALONE
    return ERASED if is_erased(survey, timezone.now().date()) else ""


def _form(request: StaffRequest, survey: Survey) -> BuilderForm:
    revision = revision_of(survey)
    items = questionnaire_of(revision).numbered.tabulated if revision else ()
    asked = BuilderForm.was_asked(request.GET)
    return BuilderForm(
        request.GET if asked else None, items=items, randomized=_randomized(revision)
    )


def _randomized(revision: Revision | None) -> list[tuple[int, LevelQuestion]]:
    """The questions whose totals a release can hold; none where it can hold no totals."""
    from analytics.services.totals import publishable, why_no_totals  # loads the statistics

    return [] if revision is None or why_no_totals(revision) else publishable(revision)


def _built(request: StaffRequest, survey: Survey) -> dict[str, Any]:
    """The form, and what it would publish if it is filled in."""
    from analytics.services.releases import outlook_of  # loads the noise library

    form = _form(request, survey)
    context: dict[str, Any] = {"form": form}
    if not form.is_bound or not form.is_valid():
        return context
    try:
        context["outlook"] = outlook_rows(outlook_of(survey, form.settings, form.share))
    except REFUSALS as problem:
        form.add_error(None, said_by(problem))
    return context


def _act(request: StaffRequest, survey: Survey, key: UUID) -> "PublishTables | None":
    """What the address asks to publish; None where it asks for nothing that can be."""
    from analytics.pages.releases.confirmations import PublishTables  # loads the noise library

    form = _form(request, survey)
    if not form.is_bound or not form.is_valid():
        return None
    return PublishTables(survey, form.settings, form.share, key, make_later)


def _question(request: StaffRequest, act: "PublishTables", problem: str = "") -> HttpResponse:
    context = {
        "survey": act.survey,
        "act": act,
        "sections": act.sections(),
        "shown": act.proof(request.user),
        "key": act.key,
        "problem": problem,
        "back": f"{_address(act.survey)}?{request.GET.urlencode()}",
    }
    return render(request, "analytics/releases/confirm.html", context)


def _address(survey: Survey) -> str:
    return reverse("analytics:releases", args=[survey.pk])
