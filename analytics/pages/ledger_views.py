"""Views of a survey's ledger: its page and its picture."""

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from analytics.pages.ledger_rows import LedgerWords, ledger_words, line_rows, why_no_private
from analytics.queries import account_of, question_texts
from surveys.models import Survey
from surveys.staff.access import StaffRequest, survey_with
from surveys.staff.figures import source_of, survey_figure
from surveys.staff.queries import account_names
from surveys.web.drawing.figures import Figure
from surveys.web.drawing.pictures import BLUE, GROUND, INK
from surveys.web.drawing.vega import Document, Marks, either, field, layered
from surveys.wording.language.numbers import localized

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
        people = account_names(line.actor for line in page if line.actor)
        words = ledger_words(account)
        context |= {"words": words, "page": page, "figure": _figure(survey, words)}
        context["lines"] = line_rows(account, page, question_texts(survey), people)
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
    """What is spent, reserved and left, as shares of all that was promised."""
    return Figure(
        "ledger",
        gettext("Budget spent and left"),
        words.picture_words,
        partial(account_bars, words.parts),
        gettext("Shares of the promised mu²."),
        source=source_of(survey),
    )


def account_bars(parts: tuple[tuple[str, float], ...], width: int) -> Document:
    """Shares of an account as bars; what is spent is full."""
    values = [
        {
            "part": name,
            "share": share,
            "words": localized(f"{100 * share:.4g} %"),
            "solid": position == 0,
        }
        for position, (name, share) in enumerate(parts)
    ]
    axis = {"ticks": False, "domain": False}
    y = field("part:N", title=None, sort=[name for name, _ in parts], axis=axis)
    share = field(
        "share:Q",
        title=gettext("Share of the promised mu²"),
        scale={"domain": [0, 1.2]},
        axis={"format": "%", "values": [0, 0.25, 0.5, 0.75, 1]},
    )
    bar = {"strokeWidth": 1.5, "stroke": BLUE, "height": {"band": 0.6}}
    beside = {"align": "left", "dx": 5, "color": INK}
    layers = [
        Marks(values, "bar", bar, x=share, y=y, color=either("datum.solid", BLUE, GROUND)),
        Marks(values, "text", beside, x=share, y=y, text="words:N"),
    ]
    return layered(layers, width - 100, 34 * len(parts))
