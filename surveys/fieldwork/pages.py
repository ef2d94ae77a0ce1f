"""Views of invitations and mailings, for those who may invite: sheets, CSV, a new mailing."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language_info, gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from surveys.fieldwork import letters, tasks
from surveys.fieldwork.addresses import MOST_BYTES, AddressList
from surveys.fieldwork.forms import MailingForm, SendingForm, SheetsForm
from surveys.fieldwork.invitations import code_length_of, issue
from surveys.fieldwork.letters import Invite
from surveys.fieldwork.mailings import (
    erase_addresses,
    mail_is_off,
    prepare_mailing,
    retry_failed,
    send_mailing,
    settle_uncertain,
    stop_mailing,
)
from surveys.fieldwork.problems import problem_words
from surveys.fieldwork.queries import (
    check_code,
    invitation_progress,
    mailing_counts,
    mailing_of,
    overlap_of,
    refused_addresses,
)
from surveys.fieldwork.samples import invitation_sample, say_language
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.questionnaire.short_names import short_name
from surveys.staff.access import StaffRequest, post_only, survey_with
from surveys.staff.roles import Ability
from surveys.web.addresses import start_address
from surveys.web.downloads import file_name
from surveys.web.locales import speaking
from surveys.web.responses import attached
from surveys.wording.language.numbers import grouped

if TYPE_CHECKING:
    from surveys.fieldwork.queries import MailingCounts
    from surveys.models import Mailing, Survey

# A user may lose the ability between the page and the service, which asks again.
REFUSALS = (NotAllowed, NotPossible)
FAILURES_A_PAGE = 100
FEW = 20
TOO_LARGE = gettext_lazy("This file is larger than 5 MB. Split the file and make several mailings.")


@login_required
@require_safe
def overview(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """How many were invited, and what can be done."""
    return _overview(request, _inviting(request, survey_id), SheetsForm())


@login_required
@post_only("surveys:invitations", "survey_id", ability=Ability.INVITE)
def sheets(request: StaffRequest, survey_id: UUID) -> HttpResponse | StreamingHttpResponse:
    """Make invitations; this reply is the only place where their codes can ever be read."""
    survey = _inviting(request, survey_id)
    form = SheetsForm(request.POST)
    if not form.is_valid():
        return _overview(request, survey, form, status=400)
    try:
        made = issue(survey=survey, by=request.user, **form.cleaned_data)
    except REFUSALS as problem:
        messages.error(request, str(problem))
        return redirect("surveys:invitations", survey.pk)
    start = _start(request, survey)
    invites = [Invite(start, token) for token in made]
    if "csv" in request.POST:
        return _csv(survey, invites)
    return StreamingHttpResponse(_printed(request, survey, invites))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_mailing(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Write a mail and hand in its addresses."""
    survey = _inviting(request, survey_id)
    if request.method != "POST":
        return _write(request, survey, MailingForm(initial=invitation_sample(survey)))
    form = MailingForm(request.POST, request.FILES)
    if _is_too_large(request, form):
        form.add_error("file", TOO_LARGE)
    if not form.is_valid():
        return _write(request, survey, form, status=400)
    try:
        mailing = prepare_mailing(
            survey=survey,
            subject=form.cleaned_data["subject"],
            message=form.cleaned_data["message"],
            addresses=form.address_list.addresses,
            by=request.user,
        )
    except REFUSALS as problem:
        form.add_error(None, str(problem))
        return _write(request, survey, form, status=409)
    messages.success(request, _kept(form.address_list))
    return redirect("surveys:mailing", survey.pk, mailing.pk)


@login_required
@require_safe
def mailing(request: StaffRequest, survey_id: UUID, mailing_id: UUID) -> HttpResponse:
    """A mailing: what is sent, how far it is, what failed."""
    survey = _inviting(request, survey_id)
    counts = _mailing(survey, mailing_id)
    refused = Paginator(refused_addresses(counts.mailing), FAILURES_A_PAGE)
    overlap, page = overlap_of(counts.mailing), refused.get_page(request.GET.get("page"))
    specimen = letters.specimen(_start(request, survey), code_length_of(survey))
    context = {
        **_context(request, survey),
        "problem": problem_words(counts.mailing.problem),
        "refused": [(addressee.address, problem_words(addressee.problem)) for addressee in page],
        "counts": counts,
        "overlap": overlap,
        "mailing": counts.mailing,
        "sender": settings.DEFAULT_FROM_EMAIL,
        "preview": specimen.letter(counts.mailing.message, check_code(survey)),
        "page": page,
        # A reminder makes no invitation, so that none can be told.
        "few": FEW if overlap.others < FEW and not counts.mailing.reminds_id else 0,
    }
    return render(request, "surveys/fieldwork/mailing.html", context)


@login_required
@post_only("surveys:mailing", "survey_id", "mailing_id", ability=Ability.INVITE)
def act(request: StaffRequest, survey_id: UUID, mailing_id: UUID, action: str) -> HttpResponse:
    """One of the buttons of a mailing."""
    survey = _inviting(request, survey_id)
    chosen = _mailing(survey, mailing_id).mailing
    if action not in ACTIONS:
        raise Http404
    try:
        ACTIONS[action](request, chosen)
    except REFUSALS as problem:
        messages.error(request, str(problem))
    if mailing_of(survey, mailing_id) is None:
        return redirect("surveys:invitations", survey.pk)
    return redirect("surveys:mailing", survey.pk, mailing_id)


def _send(request: StaffRequest, mailing: "Mailing") -> None:
    link = _start(request, mailing.survey)
    confirmed = SendingForm(request.POST).confirmed()
    later = tasks.send_later
    send_mailing(mailing=mailing, link=link, later=later, by=request.user, **confirmed)
    messages.success(request, gettext("Sending has begun. Reload this page to see the progress."))


def _retry(request: StaffRequest, mailing: "Mailing") -> None:
    link = _start(request, mailing.survey)
    despite_erased = SendingForm(request.POST).confirmed()["despite_erased"]
    retry_failed(
        mailing=mailing,
        link=link,
        later=tasks.send_later,
        by=request.user,
        despite_erased=despite_erased,
    )
    messages.success(request, gettext("Sending again to the failed addresses has begun."))


def _stop(request: StaffRequest, mailing: "Mailing") -> None:
    stop_mailing(mailing=mailing, by=request.user)
    messages.success(
        request, gettext("Sending is stopped. A mail that was just being sent may still arrive.")
    )


def _take_as_sent(request: StaffRequest, mailing: "Mailing") -> None:
    settle_uncertain(mailing=mailing, arrived=True, by=request.user)
    messages.success(request, gettext("The mails are now marked as sent."))


def _send_again(request: StaffRequest, mailing: "Mailing") -> None:
    settle_uncertain(mailing=mailing, arrived=False, by=request.user)
    messages.success(
        request, gettext("The mails are now marked as waiting. Continue the mailing to send them.")
    )


def _erase(request: StaffRequest, mailing: "Mailing") -> None:
    erased = erase_addresses(mailing=mailing, by=request.user)
    messages.success(request, gettext("Addresses erased: {erased}.").format(erased=grouped(erased)))


ACTIONS: dict[str, Callable[[StaffRequest, "Mailing"], None]] = {
    "send": _send,
    "retry": _retry,
    "stop": _stop,
    "take-as-sent": _take_as_sent,
    "send-again": _send_again,
    "erase": _erase,
}


def _inviting(request: StaffRequest, survey_id: UUID) -> "Survey":
    return survey_with(request, survey_id, Ability.INVITE)


def _mailing(survey: "Survey", mailing_id: UUID) -> "MailingCounts":
    counts = mailing_of(survey, mailing_id)
    if counts is None:
        raise Http404
    return counts


def _start(request: HttpRequest, survey: "Survey") -> str:
    return request.build_absolute_uri(start_address(survey.pk, survey.language))


def _context(request: HttpRequest, survey: "Survey") -> dict[str, object]:
    return {"survey": survey, "link": _start(request, survey), "no_mail": mail_is_off()}


def _overview(
    request: StaffRequest, survey: "Survey", form: SheetsForm, *, status: int = 200
) -> HttpResponse:
    context = {
        **_context(request, survey),
        "form": form,
        "counts": invitation_progress(survey),
        "mailings": mailing_counts(survey),
    }
    return render(request, "surveys/fieldwork/overview.html", context, status=status)


def _write(
    request: StaffRequest, survey: "Survey", form: MailingForm, *, status: int = 200
) -> HttpResponse:
    say_language(form, survey)
    context = {**_context(request, survey), "form": form}
    return render(request, "surveys/fieldwork/new_mailing.html", context, status=status)


def _printed(request: HttpRequest, survey: "Survey", invites: list[Invite]) -> Iterator[str]:
    """The page sheet by sheet, because thousands of pictures take a while.

    What is sent later has no language of its own any more, so the page is made before.
    """
    context = {"survey": survey, "number": len(invites)}
    typed = request.get_host() + reverse("short", args=[short_name(survey.pk)])
    page = render_to_string("surveys/fieldwork/sheets.html", context, request)
    before, after = page.split("<!-- sheets -->")
    # Once for all: thousands of sheets would each digest the whole document.
    check = check_code(survey)
    sheets = (_sheet(survey, invite, typed, check) for invite in invites)
    return chain((before,), sheets, (after,))


def _sheet(survey: "Survey", invite: Invite, typed: str, check: str) -> str:
    """A sheet in the language of the survey, because respondents read it."""
    own = {"survey": survey, "invite": invite, "picture": invite.picture(), "typed": typed}
    own |= {"language": get_language_info(survey.language), "check": check}
    with speaking(survey):
        return render_to_string("surveys/fieldwork/_sheet.html", own)


def _csv(survey: "Survey", invites: list[Invite]) -> HttpResponse:
    name = file_name(survey.title, "invitations.csv")
    return HttpResponse(
        letters.csv_of(invites),
        content_type="text/csv; charset=utf-8",
        headers=attached(name),
    )


def _is_too_large(request: HttpRequest, form: MailingForm) -> bool:
    """A file beyond the limit is not kept while it is read, so it looks as if none had come."""
    announced = int(request.META.get("CONTENT_LENGTH") or 0)
    return announced > MOST_BYTES and not form.files


def _kept(address_list: AddressList) -> str:
    """What became of the list, in words."""
    counted = [
        (len(address_list.addresses), gettext("Addresses saved")),
        (address_list.repeated, gettext("repeated addresses merged")),
        (len(address_list.bad_lines), gettext("lines left out")),
        (address_list.dropped_columns, gettext("other columns left out")),
    ]
    return ", ".join(f"{words}: {grouped(count)}" for count, words in counted if count) + "."
