"""Views of tokens: a person's own, made after the second factor, and those that reach a survey."""

import time
from typing import TYPE_CHECKING
from uuid import UUID

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from surveys.models.refusals import NotAllowed, NotPossible
from surveys.programs.tokens import services
from surveys.programs.tokens.forms import TokenForm
from surveys.programs.tokens.queries import tokens_for, tokens_of
from surveys.programs.tokens.rows import token_rows
from surveys.staff.access import StaffRequest, has_second_factor, post_only, survey_with
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from surveys.programs.tokens.services import NewToken

REFUSALS = (NotAllowed, NotPossible)


@login_required
@require_safe
def own(request: StaffRequest) -> HttpResponse:
    """All tokens of this person, and the form for a new one."""
    return _page(request, TokenForm(person=request.user))


@login_required
@post_only("surveys:tokens")
def make(request: StaffRequest) -> HttpResponse:
    """Make a token, after the second factor; the answer alone shows it."""
    if has_second_factor(request.user) and not _has_shown_factor(request):
        return redirect_to_login(reverse("surveys:tokens"), _second_factor_page(request))
    form = TokenForm(request.POST, person=request.user)
    if not form.is_valid():
        return _page(request, form)
    try:
        made = services.make_token(by=request.user, **form.cleaned_data)
    except REFUSALS as problem:
        form.add_error(None, str(problem))
        return _page(request, form)
    return _page(request, TokenForm(person=request.user), made)


@login_required
@post_only("surveys:tokens")
def revoke(request: StaffRequest, token_id: UUID) -> HttpResponse:
    """Revoke one token of this person."""
    try:
        name = services.revoke_own(token_id=token_id, by=request.user)
        messages.success(request, _revoked_words(name))
    except NotPossible as problem:
        messages.error(request, str(problem))
    return redirect("surveys:tokens")


@login_required
@post_only("surveys:tokens")
def revoke_all(request: StaffRequest) -> HttpResponse:
    """Revoke all tokens of this person."""
    messages.success(request, _count_words(services.revoke_all_own(by=request.user)))
    return redirect("surveys:tokens")


@login_required
@require_safe
def of_survey(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """All tokens that reach this survey alone, for its owner."""
    survey = survey_with(request, survey_id, Ability.RULE)
    rows = token_rows(tokens_for(survey), timezone.now().date())
    return render(request, "surveys/programs/survey_tokens.html", {"survey": survey, "rows": rows})


@login_required
@post_only("surveys:survey-tokens", "survey_id", ability=Ability.RULE)
def revoke_of_survey(request: StaffRequest, survey_id: UUID, token_id: UUID) -> HttpResponse:
    """Revoke one of them, of whichever person."""
    survey = survey_with(request, survey_id, Ability.RULE)
    try:
        name = services.revoke_of_survey(survey=survey, token_id=token_id, by=request.user)
        messages.success(request, _revoked_words(name))
    except REFUSALS as problem:
        messages.error(request, str(problem))
    return redirect("surveys:survey-tokens", survey.pk)


@login_required
@post_only("surveys:survey-tokens", "survey_id", ability=Ability.RULE)
def revoke_all_of_survey(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Revoke all of them."""
    survey = survey_with(request, survey_id, Ability.RULE)
    count = services.revoke_all_of_survey(survey=survey, by=request.user)
    messages.success(request, _count_words(count))
    return redirect("surveys:survey-tokens", survey.pk)


def _page(request: StaffRequest, form: TokenForm, made: "NewToken | None" = None) -> HttpResponse:
    context = {
        "form": form,
        "made": made,
        "rows": token_rows(tokens_of(request.user), timezone.now().date()),
        "has_factor": has_second_factor(request.user),
        "asks_again": not _has_shown_factor(request),
    }
    return render(request, "surveys/programs/tokens.html", context)


def _has_shown_factor(request: StaffRequest) -> bool:
    """Whether this session gave the second factor within the last minutes."""
    records = get_authentication_records(request, request.user)
    since = time.time() - settings.ACCOUNT_REAUTHENTICATION_TIMEOUT
    return any(one["method"] == "mfa" and one["at"] >= since for one in records)


def _second_factor_page(request: StaffRequest) -> str:
    """Where this person gives a second factor again; a password alone is not enough here."""
    ways = get_adapter().get_reauthentication_methods(request.user)
    pages = [way["url"] for way in ways if str(way["id"]).startswith("mfa_reauthenticate")]
    return str(pages[0])


def _revoked_words(name: str) -> str:
    return gettext("The token “{name}” is revoked. No program can use it any more.").format(
        name=name
    )


def _count_words(count: int) -> str:
    return ngettext("{count} token is revoked.", "{count} tokens are revoked.", count).format(
        count=count
    )
