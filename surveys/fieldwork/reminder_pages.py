"""Views of reminders: plan them, take the plan away, put the drawn schedule into the mailer."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from surveys.fieldwork import tasks
from surveys.fieldwork.mailings import mail_is_off, schedule_reminders
from surveys.fieldwork.queries import daily_progress, invitation_progress, remindable
from surveys.fieldwork.reminder_forms import PlanRemindersForm, ReminderMailForm
from surveys.fieldwork.reminder_rows import laws_figure, plan_page
from surveys.fieldwork.reminders.calendars import calendar_of, plan_rows
from surveys.fieldwork.samples import reminder_sample, say_language
from surveys.models import Survey
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.access import StaffRequest, post_only, survey_with
from surveys.staff.figures import source_of, survey_figure
from surveys.staff.roles import Ability
from surveys.web.addresses import start_address
from surveys.web.downloads import file_name, table_csv
from surveys.web.responses import attached, csv_download

REFUSALS = (NotAllowed, NotPossible)


@login_required
@require_safe
def reminders(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """The form, and the plan that its answers in the address ask for."""
    survey = survey_with(request, survey_id, Ability.INVITE)
    form = _form(request, survey)
    mail = ReminderMailForm(mailings=remindable(survey), initial=reminder_sample(survey))
    return _page(request, survey, form, mail)


@login_required
@require_safe
def reminders_csv(request: StaffRequest, survey_id: UUID) -> StreamingHttpResponse:
    """The plan day by day."""
    survey = survey_with(request, survey_id, Ability.INVITE)
    form = _planned(request, survey)
    name = file_name(survey.title, "reminders.csv")
    return csv_download(table_csv(plan_rows(form.plan, form.slots)), name)


@login_required
@require_safe
def reminders_calendar(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """The drawn schedule for a calendar."""
    survey = survey_with(request, survey_id, Ability.INVITE)
    form = _planned(request, survey)
    name = file_name(survey.title, "reminders.ics")
    return HttpResponse(
        calendar_of(form.plan, form.slots, survey.title),
        content_type="text/calendar; charset=utf-8",
        headers=attached(name),
    )


@login_required
@require_safe
def reminders_picture(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Both senders' laws, for their page or as a file."""
    survey = survey_with(request, survey_id, Ability.INVITE)
    form = _planned(request, survey)
    figure = laws_figure(plan_page(form.plan, form.slots))
    if figure is None:
        raise Http404
    return survey_figure(request, survey, figure.of(source_of(survey)))


@login_required
@post_only("surveys:reminders", "survey_id", ability=Ability.INVITE)
def send_reminders(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Put the drawn schedule into the mailer; the plan is that of the address."""
    survey = survey_with(request, survey_id, Ability.INVITE)
    form = _planned(request, survey)
    mail = ReminderMailForm(request.POST, mailings=remindable(survey))
    if not mail.is_valid():
        return _page(request, survey, form, mail, status=400)
    try:
        made = schedule_reminders(
            mailing=mail.cleaned_data["mailing"],
            subject=mail.cleaned_data["subject"],
            message=mail.cleaned_data["message"],
            moments=[form.slots.moment(slot) for slot in form.plan.schedule],
            link=request.build_absolute_uri(start_address(survey.pk, survey.language)),
            later=tasks.send_later,
            by=request.user,
        )
    except REFUSALS as problem:
        mail.add_error(None, str(problem))
        return _page(request, survey, form, mail, status=409)
    messages.success(
        request,
        gettext("Reminders scheduled: {count}. Each reminder goes to every address.").format(
            count=len(made)
        ),
    )
    return redirect("surveys:invitations", survey.pk)


def _form(request: StaffRequest, survey: Survey) -> PlanRemindersForm:
    """The form with what pages say of the survey's progress."""
    invited = invitation_progress(survey).issued
    return PlanRemindersForm(request.GET, progress=daily_progress(survey), invited=invited)


def _planned(request: StaffRequest, survey: Survey) -> PlanRemindersForm:
    """The plan that the address asks for. Raises Http404."""
    form = _form(request, survey)
    if not form.is_bound or not form.is_valid():
        raise Http404
    return form


def _page(
    request: StaffRequest,
    survey: Survey,
    form: PlanRemindersForm,
    mail: ReminderMailForm,
    *,
    status: int = 200,
) -> HttpResponse:
    say_language(mail, survey)
    context = {"survey": survey, "form": form, "mail": mail, "query": form.permalink}
    context["no_mail"] = mail_is_off()
    context["has_mailings"] = remindable(survey).exists()
    if form.is_bound and form.is_valid():
        page = plan_page(form.plan, form.slots)
        context |= {"page": page, "figure": laws_figure(page)}
    return render(request, "surveys/fieldwork/reminders.html", context, status=status)
