"""Views of a survey's ledger: its page and its picture."""

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analytics.pages import pictures
from analytics.pages.ledger_rows import LedgerWords, ledger_words, line_rows, why_no_private
from analytics.queries import account_of, text_questions
from surveys.models import Survey
from surveys.staff.access import StaffRequest, survey_with
from surveys.staff.figures import source_of, survey_figure
from surveys.staff.queries import account_names
from surveys.web.drawing.figures import Figure

LINES_A_PAGE = 50


@login_required
@require_safe
def ledger(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """What was promised, what is spent on what, and what is left."""
    survey = survey_with(request, survey_id)
    account = account_of(survey)
    context: dict[str, Any] = {"survey": survey, "no_private": why_no_private(account)}
    if account is not None:
        page = Paginator(account.lines[::-1], LINES_A_PAGE).get_page(request.GET.get("page"))
        people = account_names(one.actor for one in page if one.actor)
        questions = text_questions(survey)
        words = ledger_words(account)
        context |= {"words": words, "page": page, "figure": _figure(survey, words)}
        context["lines"] = line_rows(account, page, questions, people)
    return render(request, "analytics/ledger.html", context)


@login_required
@require_safe
def ledger_picture(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """What is spent, reserved and left, for its page or as a file."""
    survey = survey_with(request, survey_id)
    account = account_of(survey)
    if account is None:
        raise Http404
    figure = _figure(survey, ledger_words(account))
    return survey_figure(request, survey, figure)


def _figure(survey: Survey, words: LedgerWords) -> Figure:
    found = pictures.account_figure(words.parts, words.picture_words)
    return found.of(source_of(survey))
