"""Respondents' pages. They set no cookie, open no session and know nobody."""

import secrets
from collections.abc import Callable
from functools import wraps
from uuid import UUID

import numpy as np
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from surveys.catalogues.queries import catalogue_items, display_law
from surveys.collecting.browser_privacy import require_same_origin
from surveys.collecting.flood import require_few
from surveys.collecting.queries import survey_to_answer
from surveys.collecting.receipts import receipt
from surveys.collecting.services import receive
from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotOpen
from surveys.questionnaire.document import Questionnaire, slot_names
from surveys.questionnaire.kinds import Item
from surveys.questionnaire.ratings import RatedItems, Slot, draw_evenly
from surveys.questionnaire.submission import Malformed, Refused, TooLarge, fields_of
from surveys.web.error_pages import not_found
from surveys.wording.protection import (
    channel_rows,
    direct_questions,
    hiding_lines,
    keeping_lines,
    leaves_doubt,
    marking_sentence,
    odds_lines,
    second_questions,
    total_odds,
    who_learns,
)
from surveys.wording.texts import reports_explained, reports_line

FORM = "application/x-www-form-urlencoded"
MODULES = tuple(
    f"surveys/collecting/{name}.js" for name in ("channel", "invitation", "send", "steps")
)

View = Callable[..., HttpResponse]


class WrongType(Refused):
    """The body is not a form, whatever it contains."""

    status = 415
    reason = "This submission is not in the form that this survey sends. Nothing was stored."


class WrongMethod(Refused):
    """The address was reached in another way than its page does."""

    status = 405
    reason = "This address works only from the survey's own pages. Nothing was stored."
    remedy = "Open the survey from its link and answer there."


def _respondent_page(*methods: str) -> Callable[[View], View]:
    """Turn whatever is refused into a page that says what to do; accept only these methods."""

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        def answer(request: HttpRequest, survey_id: UUID) -> HttpResponse:
            try:
                if request.method not in methods:
                    raise WrongMethod
                return view(request, survey_id)
            except Survey.DoesNotExist as missing:
                return not_found(request, missing)
            except Refused as refusal:
                return _refusal(request, survey_id, refusal, allow=methods)

        return answer

    return decorate


@_respondent_page("GET", "HEAD")
def start(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """The whole survey as one document; the browser shows its screens one after the other."""
    survey = _open_survey(survey_id)
    questionnaire = questionnaire_of(survey.revision)
    return _start(request, questionnaire, revision=str(survey.revision.pk))


@_respondent_page("GET", "HEAD")
def own_coin(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """One long form for people who flip their own coin or use no JavaScript."""
    survey = _open_survey(survey_id)
    questionnaire = questionnaire_of(survey.revision)
    return _own_coin(request, questionnaire, revision=str(survey.revision.pk))


@_respondent_page("GET", "HEAD")
def how_it_works(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """The channel of every question as a table, and what is not protected."""
    questionnaire = questionnaire_of(_open_survey(survey_id).revision)
    channels = [
        (number, item, channel_rows(item))
        for number, item in enumerate(questionnaire.items, start=1)
        if item.is_randomized and not item.marking
    ]
    lists = [
        (number, item, marking_sentence(item.marking))
        for number, item in enumerate(questionnaire.items, start=1)
        if item.marking
    ]
    context = {**_context(questionnaire), "channels": channels, "lists": lists}
    context |= {"hiding": hiding_lines(questionnaire)}
    context |= {"texts_explained": reports_explained(questionnaire)}
    return render(request, "surveys/collecting/how_it_works.html", context)


@_respondent_page("POST")
def send(request: HttpRequest, survey_id: UUID) -> HttpResponse:
    """Store one submission and say exactly what was stored."""
    body = _body(request)
    require_few(request, body)
    submission = receive(survey_id=survey_id, body=body)
    return receipt(survey_id, submission)


def preview(
    request: HttpRequest, questionnaire: Questionnaire, *, own_coin: bool = False
) -> HttpResponse:
    """What respondents will see of a draft. Without a revision there is nothing to send to."""
    page = _own_coin if own_coin else _start
    return page(request, questionnaire, revision="")


def _start(request: HttpRequest, questionnaire: Questionnaire, *, revision: str) -> HttpResponse:
    slots = _slots(questionnaire, revision)
    context = {**_context(questionnaire), "revision": revision, "slots": slots}
    return render(request, "surveys/collecting/start.html", context)


def _own_coin(request: HttpRequest, questionnaire: Questionnaire, *, revision: str) -> HttpResponse:
    context = {
        **_context(questionnaire),
        "revision": revision,
        "slots": _slots(questionnaire, revision),
        "key": secrets.token_hex(16),
    }
    return render(request, "surveys/collecting/own_coin.html", context)


def _context(questionnaire: Questionnaire) -> dict[str, object]:
    return {
        "questionnaire": questionnaire,
        "modules": MODULES,
        "odds_lines": odds_lines(questionnaire),
        "total_odds": total_odds(questionnaire),
        "direct_questions": direct_questions(questionnaire),
        "leaves_doubt": leaves_doubt(questionnaire),
        "who_learns": who_learns(questionnaire),
        "second_questions": second_questions(questionnaire),
        "keeping": keeping_lines(questionnaire),
        "text_reports": reports_line(questionnaire),
        "work_bits": settings.PROOF_OF_WORK_BITS,
    }


def _slots(questionnaire: Questionnaire, revision: str = "") -> dict[str, list[Slot]]:
    """The items that this page shows, drawn for it alone; nobody notes which ones they were.

    A draft has no revision, and so nothing to learn from.
    """
    return {
        item.id: _drawn_slots(index, item, item.rated, revision)
        for index, item in enumerate(questionnaire.items)
        if item.rated
    }


def _drawn_slots(index: int, item: Item, rated: RatedItems, revision: str) -> list[Slot]:
    law = display_law(UUID(revision), item) if revision else None
    if law is None:
        numbers = draw_evenly(rated.size, rated.shown, secrets.SystemRandom())
    else:
        numbers = law.draw(rated.shown, np.random.default_rng(secrets.randbits(256)))
    names = catalogue_items(rated.catalogue, numbers)
    return [
        Slot(field, rated.number_code(number), names.get(number, str(number)))
        for field, number in zip(slot_names(index, item), numbers, strict=True)
    ]


def _open_survey(survey_id: UUID) -> Survey:
    """Raises Survey.DoesNotExist or NotOpen."""
    survey = survey_to_answer(survey_id)
    if not survey.takes_answers(timezone.now().date()):
        raise NotOpen(survey, was_sent=False)
    return survey


def _body(request: HttpRequest) -> bytes:
    """The posted bytes, after everything that can be refused without reading them.

    Django compares the announced length with DATA_UPLOAD_MAX_MEMORY_SIZE before it reads.
    Raises CrossOrigin, WrongType, payload.TooLarge or payload.Malformed.
    """
    require_same_origin(request)
    if request.headers.get("Content-Type") != FORM:
        raise WrongType
    try:
        return request.body
    except RequestDataTooBig as problem:
        raise TooLarge from problem
    except UnreadablePostError as problem:
        raise Malformed from problem


def _refusal(
    request: HttpRequest, survey_id: UUID, refusal: Refused, *, allow: tuple[str, ...]
) -> HttpResponse:
    context = {
        "title": refusal.reason,
        "remedy": refusal.remedy,
        "start": reverse("respondent:start", args=[survey_id]) if refusal.can_be_opened else "",
        "send": reverse("respondent:send", args=[survey_id]),
        "again": fields_of(request.body) if refusal.can_be_sent_again else (),
    }
    page = render(request, "surveys/collecting/refusal.html", context, status=refusal.status)
    if refusal.status == WrongMethod.status:
        page.headers["Allow"] = ", ".join(allow)
    return page
