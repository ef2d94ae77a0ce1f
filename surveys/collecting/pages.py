"""Views for respondents: start, own coin, how it works, send. No cookie, no session, no names."""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from functools import partial, wraps
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from surveys.collecting import rows
from surveys.collecting.door import CodeStanding, standing_of
from surveys.collecting.published.audit import audit_file, has_audit
from surveys.collecting.published.documents import published_survey
from surveys.collecting.published.page_files import check_page
from surveys.collecting.published.rated_items import launched_items
from surveys.collecting.published.ready import (
    launched_page,
    ready_form,
    ready_how_it_works,
    ready_own_coin,
    ready_start,
    scripted_page,
)
from surveys.collecting.published.renderings import door_page
from surveys.collecting.published.status import status_file
from surveys.collecting.queries import (
    is_unused,
    last_day_of_open,
    locale_of,
    offered_language,
    survey_named,
    survey_to_answer,
)
from surveys.collecting.refusals import (
    CrossOrigin,
    NotProven,
    TooMany,
    TooManyGuesses,
    Unavailable,
    UnknownInvitation,
    Updating,
    WrongMethod,
    WrongType,
)
from surveys.collecting.replies.codes import (
    EXCHANGE_ROOM,
    ROOM,
    receipt_in_codes,
    refusal_in_codes,
    reply_at_the_door,
    room_for,
    signed_in_codes,
    wants_json,
)
from surveys.collecting.replies.receipts import receipt
from surveys.collecting.services import exchange as exchanged
from surveys.collecting.services import receive
from surveys.models import Survey
from surveys.models.queries import (
    questionnaire_of,
)
from surveys.models.refusals import NotOpen
from surveys.questionnaire import tokens
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.refusals import Malformed, Refused, TooLarge
from surveys.questionnaire.submission import Submission, parse_door, parse_exchange
from surveys.web.addresses import start_address
from surveys.web.compression import ContentResponse, compressed
from surveys.web.error_pages import not_found
from surveys.web.floods import (
    WORK_HEADER,
    count_guess,
    count_unproven,
    has_guessed_too_often,
    is_refused_too_often,
    was_unproven_too_often,
    work_asked,
)
from surveys.web.locales import written_language
from surveys.web.requests import is_same_origin
from surveys.web.upkeep import maintenance
from surveys.wording.language.messages import translated

logger = logging.getLogger(__name__)
FORM = "application/x-www-form-urlencoded"
LONGEST_TYPED = 60  # characters of a code as it was typed that the door shows again
View = Callable[..., HttpResponse]


def _respondent_page(
    *methods: str, is_submission: bool = False, room: int | None = ROOM
) -> Callable[[View], View]:
    """Turn every refusal into a page that says what to do; accept only these methods.

    What answers a GET is compressed, and what answers a POST never; a refusal has ``room`` bytes
    for the page's script, or, without, as many as a receipt. A submission is also refused while the
    database cannot be reached: a process that has just started reads the survey's languages before
    its view is called, and may have to read words for the receipt after it.
    """

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        def answer(request: HttpRequest, survey_id: UUID, **named: int) -> HttpResponse:
            refuse = partial(_refusal, allow=methods, room=room)
            with ExitStack() as until_answered:
                try:
                    if request.method not in methods:
                        raise WrongMethod
                    if maintenance.is_on():
                        _refuse_for_now(request, was_sent=is_submission)
                    language = offered_language(survey_id, written_language())
                    if language != written_language() and request.method != "POST":
                        return redirect(_in_language(request.path, language))
                    until_answered.enter_context(override(locale_of(survey_id, language)))
                    return compressed(request, view(request, survey_id, **named))
                except Survey.DoesNotExist as missing:
                    return not_found(request, missing)
                except Refused as refusal:
                    return refuse(request, survey_id, refusal)
                except (OperationalError, InterfaceError) as problem:
                    if not is_submission:
                        raise
                    logger.error("A submission was not answered: %s", type(problem).__name__)
                    return refuse(request, survey_id, Unavailable())

        return answer

    return decorate


@_respondent_page("GET", "HEAD")
def start(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """The whole survey as one document; the browser shows its screens one after the other."""
    return ContentResponse(ready_start(*_as_shown(survey_id)))


@_respondent_page("GET", "HEAD")
def own_coin(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """One long form for people who flip their own coin or use no JavaScript."""
    return ContentResponse(ready_own_coin(*_as_shown(survey_id)))


@_respondent_page("POST")
def door(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """Whether a code is let in, before anything is asked. All replies of a path are equally long.

    The page's script reads a word in JSON, in which nothing can be written that it would show.
    A code that was used, of another survey, cut or mistyped is refused in the same words.
    """
    own_coin, typed = parse_door(_body(request))
    survey = _open_survey(survey_id)
    questionnaire = _in_words(survey)
    if not questionnaire.invitation_only or (own_coin and not questionnaire.own_coin.is_offered):
        raise Malformed
    has_guessed = has_guessed_too_often(request)
    token = _admitted(request, survey_id, typed, questionnaire.code_length)
    if has_guessed and not token:  # an unused invitation passes: others behind one address guessed
        raise TooManyGuesses(was_sent=False)
    if own_coin:
        length = questionnaire.code_length
        return HttpResponse(_own_coin_door(survey, length, typed, token))
    return reply_at_the_door(is_admitted=bool(token))


@_respondent_page("POST", is_submission=True, room=EXCHANGE_ROOM)
def exchange(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """Sign what an invited page blinded, in the place of its code. All replies are equally long."""
    typed, blinded = parse_exchange(_body(request))
    if not wants_json(request):
        raise Malformed  # a form would be shown again with what was sent, to be posted elsewhere
    has_guessed = has_guessed_too_often(request)
    admit_again = partial(_limit_repeats, request, survey_id)
    try:
        signed = exchanged(
            survey_id=survey_id, typed=typed, blinded=blinded, admit_again=admit_again
        )
    except UnknownInvitation:
        count_guess(request)
        if has_guessed:
            raise TooManyGuesses(was_sent=True) from None
        raise
    return signed_in_codes(signed)


@_respondent_page("GET", "HEAD")
def how_it_works(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """The channel of every question as a table, and what is not protected."""
    return ContentResponse(ready_how_it_works(*_as_shown(survey_id)))


@_respondent_page("GET", "HEAD")
def revision(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """What was promised when the survey was launched, for all who want to check it."""
    survey = _open_survey(survey_id)
    file = published_survey(survey.pk, survey.close_on).file
    return HttpResponse(file, content_type="application/json")


@_respondent_page("GET", "HEAD")
def items(request: HttpRequest, survey_id: UUID, number: int) -> HttpResponse:
    """The names of all items that a question has rated, where its page draws them."""
    files = launched_items(_open_survey(survey_id).revision.pk)
    if number not in files:
        raise Http404
    return HttpResponse(files[number], content_type="application/json")


@_respondent_page("GET", "HEAD")
def status(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """What may change after the launch; a closed survey still has it."""
    survey = survey_to_answer(survey_id)
    if survey.state == Survey.State.DRAFT:
        raise NotOpen(survey, was_sent=False)
    file = status_file(survey, timezone.now().date())
    return HttpResponse(file, content_type="application/json")


@_respondent_page("GET", "HEAD")
def audit(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """How many codes and answers there were, once a survey that exchanged codes is closed."""
    file = audit_file(survey_to_answer(survey_id))
    if file is None:
        raise Http404
    return HttpResponse(file, content_type="application/json")


@_respondent_page("GET", "HEAD")
def check(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """The digests of survey and page, and how to compare them."""
    shown = _as_shown(survey_id)
    scripted_page(*shown)
    return HttpResponse(check_page(*shown))


@_respondent_page("POST", is_submission=True, room=None)
def send(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """Store one submission and say exactly what was stored."""
    try:
        body = _body(request)
        admit = partial(_admit, request, survey_id, body)
        submission = receive(survey_id=survey_id, body=body, admit=admit)
    except (TooMany, TooManyGuesses, NotOpen, Unavailable):
        raise
    except UnknownInvitation:
        count_guess(request)
        raise
    except Refused as refusal:
        if isinstance(refusal, NotProven):
            count_unproven(refusal.ticket)
        if is_refused_too_often(request, survey_id, is_form=refusal.is_form):
            raise TooMany from refusal
        raise
    if wants_json(request) and not submission.own_coin:
        return receipt_in_codes(submission)
    return receipt(survey_id, submission)


def _admitted(request: HttpRequest, survey_id: UUID, typed: str, length: int) -> str:
    """The token that is let in; empty if it is not, for any reason."""
    try:
        token = tokens.canonical(typed, length)
    except tokens.BadToken:
        return ""
    standing = standing_of(survey_id, token)
    if standing is CodeStanding.UNKNOWN:
        count_guess(request)
    return token if standing is CodeStanding.ADMITTED else ""


def _own_coin_door(survey: Survey, length: int, typed: str, token: str) -> bytes:
    """The questions, or the door with what is wrong, each filled up to the length of the longer."""
    shown = survey.pk, written_language(), survey.close_on
    admitted = ready_form(*shown, token or "0" * length).plain
    rejected = door_page(launched_page(*shown), typed[:LONGEST_TYPED]).encode()
    return (admitted if token else rejected).ljust(max(len(admitted), len(rejected)))


@require_safe
def by_short_name(request: HttpRequest, name: str) -> HttpResponse:
    """From the address that is typed off a sheet to the survey's first page."""
    try:
        survey = survey_to_answer(survey_named(name))
    except Survey.DoesNotExist as missing:
        return not_found(request, missing)
    return redirect(start_address(survey.pk, survey.language))


def _admit(request: HttpRequest, survey_id: UUID, body: bytes, submission: Submission) -> None:
    """Raises TooMany for what a network sends beyond its limit; an invited person has none.

    But who sent with the same code or voucher what proves nothing has it: each takes long to check.
    """
    code = submission.invitation
    is_invited = submission.is_vouched or (code and is_unused(survey_id, code))
    if is_invited and not was_unproven_too_often(submission.ticket):
        return
    if code and has_guessed_too_often(request):
        raise TooManyGuesses(was_sent=True)
    bits = work_asked(request, survey_id, body, has_script=not submission.own_coin)
    if bits is not None:
        raise TooMany(bits)


def _limit_repeats(request: HttpRequest, survey_id: UUID) -> None:
    """Raises TooMany: a signature takes long, and one invitation gets its own as often as asked."""
    bits = work_asked(request, survey_id, request.body, has_script=True)
    if bits is not None:
        raise TooMany(bits)


def _refuse_for_now(request: HttpRequest, *, was_sent: bool) -> None:
    """Raises Updating; CrossOrigin first, so that no other site fills the form to send again."""
    if was_sent:
        _body(request)
    raise Updating(was_sent=was_sent)


def _open_survey(survey_id: UUID) -> Survey:
    """Raises Survey.DoesNotExist or NotOpen."""
    survey = survey_to_answer(survey_id)
    if not survey.takes_answers(timezone.now().date()):
        raise NotOpen(survey, was_sent=False)
    return survey


def _as_shown(survey_id: UUID) -> tuple[UUID, str, date | None]:
    """A survey that takes answers, the language of the page, and the last day, which may move.

    Raises Survey.DoesNotExist or NotOpen.
    """
    last_day = last_day_of_open(survey_id, timezone.now().date())
    return survey_id, written_language(), last_day


def _in_words(survey: Survey) -> Questionnaire:
    """The launched questionnaire in the language of the page."""
    return questionnaire_of(survey.revision, written_language())


def _in_language(path: str, language: str) -> str:
    """The same address in another language; all codes have two letters."""
    return f"/{language}{path[3:]}"


def _body(request: HttpRequest) -> bytes:
    """The posted bytes, after everything that can be refused without reading them.

    Django compares the announced length with DATA_UPLOAD_MAX_MEMORY_SIZE before it reads.
    Raises CrossOrigin, WrongType, TooLarge or Malformed.
    """
    if not is_same_origin(request):
        raise CrossOrigin
    if request.META.get("CONTENT_TYPE") != FORM:
        raise WrongType
    try:
        return request.body
    except RequestDataTooBig as problem:
        raise TooLarge from problem
    except UnreadablePostError as problem:
        raise Malformed from problem


def _refusal(
    request: HttpRequest,
    survey_id: UUID,
    refusal: Refused,
    *,
    allow: tuple[str, ...],
    room: int | None,
) -> HttpResponse:
    """What answers a refused request: for the page's script without a sentence, else a page.

    Without ``room`` it is as long as a receipt.
    """
    if wants_json(request):
        reply = refusal_in_codes(refusal, room_for(survey_id) if room is None else room)
    else:
        reply = _refusal_page(request, survey_id, refusal)
    if isinstance(refusal, TooMany) and refusal.work_bits:
        reply.headers[WORK_HEADER] = str(refusal.work_bits)
    if isinstance(refusal, Updating):
        maintenance.ask_again(reply)
    if refusal.status == WrongMethod.status:
        reply.headers["Allow"] = ", ".join(allow)
    return reply


def _refusal_page(request: HttpRequest, survey_id: UUID, refusal: Refused) -> HttpResponse:
    context = {
        "title": translated(refusal.reason),
        "remedy": translated(refusal.remedy),
        "start": reverse("respondent:start", args=[survey_id]) if refusal.can_be_opened else "",
        "send": reverse("respondent:send", args=[survey_id]),
        "again": _again(request, survey_id, refusal),
        **(_audit_link(survey_id) if isinstance(refusal, NotOpen) else {}),
    }
    return render(request, "surveys/collecting/refusal.html", context, status=refusal.status)


def _audit_link(survey_id: UUID) -> dict[str, object]:
    """To the count of codes and answers, once a survey that has one is closed."""
    survey = survey_to_answer(survey_id)
    if not has_audit(survey):
        return {}
    address = reverse("respondent:audit", args=[survey_id])
    return {"audit": address, "counts_codes": survey.exchanged is not None}


def _again(request: HttpRequest, survey_id: UUID, refusal: Refused) -> list[rows.SentField]:
    if not refusal.can_be_sent_again:
        return []
    return rows.sent_fields(survey_id, request.body, refusal)
