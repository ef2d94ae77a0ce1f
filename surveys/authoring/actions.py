"""Pages that ask before an act that cannot be undone: launch, close, stop, an earlier deletion."""

from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.confirmations import Close, DeleteBy, Launch, Stop
from surveys.models import Survey
from surveys.staff.acts import Act, NotAccepted, NotAsShown, NotProven, perform
from surveys.staff.admin import REFUSALS, RefusalsAdmin, by_whom
from surveys.web.addresses import start_address

ONE_AT_A_TIME = gettext_lazy(
    "Nothing was done, because you chose more than one survey. Choose one survey, and confirm the "
    "action on its own page."
)
NOT_ACCEPTED = gettext_lazy("Nothing was done, because you did not confirm every point below.")
NOT_PROVEN = gettext_lazy(
    "Nothing was done, because an entry below is wrong. Correct the marked entry."
)
CHANGED = gettext_lazy(
    "Nothing was done, because something changed after you opened this page. The page now shows "
    "the current state."
)


@admin.action(
    description=gettext_lazy("Launch: freeze the questions and open the survey"),
    permissions=["rule"],
)
def launch(page: Any, request: HttpRequest, surveys: QuerySet[Survey]) -> HttpResponse | None:
    """Lead to the page that asks whether to launch the chosen survey."""
    return _lead_from_list(page, request, surveys, Launch)


@admin.action(
    description=gettext_lazy("Close for good: accept no more answers"), permissions=["rule"]
)
def close(page: Any, request: HttpRequest, surveys: QuerySet[Survey]) -> HttpResponse | None:
    """Lead to the page that asks whether to close the chosen survey."""
    return _lead_from_list(page, request, surveys, Close)


def _lead_from_list(
    page: Any, request: HttpRequest, surveys: QuerySet[Survey], act: type[Act]
) -> HttpResponse | None:
    chosen = list(surveys)
    if len(chosen) != 1:
        page.message_user(request, ONE_AT_A_TIME, messages.ERROR)
        return None
    return page.lead_to(request, act(chosen[0]))


@admin.action(
    description=gettext_lazy("Stop at once: destroy unopened answers unread"), permissions=["rule"]
)
def stop(page: Any, request: HttpRequest, surveys: QuerySet[Survey]) -> HttpResponse | None:
    """Lead to the page that asks whether to stop the chosen survey before its last day."""
    return _lead_from_list(page, request, surveys, Stop)


class AskingPages(RefusalsAdmin):
    """Every act that cannot be undone has a page that says what it does, and then asks.

    A POST does it only with the proof from that page, made for this person and for the survey as
    it is; any other POST shows the page.
    """

    def lead_to(self, request: HttpRequest, act: Act) -> HttpResponse:
        """The page that asks; for who may not, their survey's page with the reason."""
        survey = act.survey
        if self.has_rule_permission(request, survey):  # type: ignore[attr-defined]
            return redirect(_address(act))
        words = gettext(
            "You are not allowed to do this in “{survey}”. Ask the owner of the survey."
        ).format(survey=survey)
        self.message_user(request, words, messages.ERROR)
        return redirect("admin:surveys_survey_change", survey.pk)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path("<uuid:survey_id>/launch/", view(self.ask_to_launch), name=_name(Launch)),
            path("<uuid:survey_id>/close/", view(self.ask_to_close), name=_name(Close)),
            path("<uuid:survey_id>/stop/", view(self.ask_to_stop), name=_name(Stop)),
            path(
                "<uuid:survey_id>/delete-by/<str:day>/",
                view(self.ask_to_delete),
                name=_name(DeleteBy),
            ),
        ]
        return own + super().get_urls()

    def ask_to_launch(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        return self._ask(request, Launch(self._ruled(request, survey_id)))

    def ask_to_close(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        return self._ask(request, Close(self._ruled(request, survey_id)))

    def ask_to_stop(self, request: HttpRequest, survey_id: UUID) -> HttpResponse:
        return self._ask(request, Stop(self._ruled(request, survey_id)))

    def ask_to_delete(self, request: HttpRequest, survey_id: UUID, day: str) -> HttpResponse:
        try:
            chosen = date.fromisoformat(day)
        except ValueError as problem:
            raise Http404 from problem
        return self._ask(request, DeleteBy(self._ruled(request, survey_id), chosen))

    def _ruled(self, request: HttpRequest, survey_id: UUID) -> Survey:
        survey: Survey = self.get_object(request, str(survey_id))
        if not self.has_rule_permission(request, survey):  # type: ignore[attr-defined]
            raise PermissionDenied
        return survey

    def _ask(self, request: HttpRequest, act: Act) -> HttpResponse:
        if problems := act.problems():
            for problem in problems:
                self.message_user(request, problem, messages.ERROR)
            return redirect(_instead(act))
        if request.method != "POST" or "shown" not in request.POST:
            return self._question(request, act)
        shown, accepted = request.POST["shown"], request.POST.getlist("accepted")
        try:
            done = perform(
                act, by=by_whom(request), shown=shown, accepted=accepted, said=request.POST
            )
        except NotAccepted:
            return self._question(request, act, problem=str(NOT_ACCEPTED))
        except NotProven:
            return self._question(request, act, problem=str(NOT_PROVEN))
        except NotAsShown:
            fresh = self.get_object(request, str(act.survey.pk))
            return self._question(request, replace(act, survey=fresh), problem=str(CHANGED))
        except REFUSALS as problem:
            self.message_user(request, str(problem), messages.ERROR)
        else:
            self.message_user(request, _told(request, act, done))
        return redirect("admin:surveys_survey_change", act.survey.pk)

    def _question(self, request: HttpRequest, act: Act, problem: str = "") -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": act.title,
            "opts": self.opts,
            "act": act,
            "sections": act.sections(),
            "risks": act.risks(),
            "accepted": request.POST.getlist("accepted"),
            "challenges": act.challenges(by_whom(request), request.POST),
            "shown": act.proof(by_whom(request)),
            "problem": problem,
        }
        return render(request, "admin/surveys/survey/confirmation.html", context)


def _name(act: type[Act]) -> str:
    return f"surveys_survey_{act.name.replace('-', '_')}"


def _address(act: Act) -> str:
    parts = [act.survey.pk, *([act.day.isoformat()] if isinstance(act, DeleteBy) else [])]
    return reverse(f"admin:{_name(type(act))}", args=parts)


def _instead(act: Act) -> str:
    """Where to see why an act is not possible: of a draft, in its checklist."""
    is_draft = isinstance(act, Launch) and act.survey.state == Survey.State.DRAFT
    name = "checklist" if is_draft else "change"
    return reverse(f"admin:surveys_survey_{name}", args=[act.survey.pk])


def _told(request: HttpRequest, act: Act, done: str) -> str:
    """What was done; of a launch, with a link to the page that the survey has for respondents."""
    if not isinstance(act, Launch):
        return done
    address = request.build_absolute_uri(start_address(act.survey.pk, act.survey.language))
    return format_html('{}<a href="{}">{}</a>', done, address, address)
