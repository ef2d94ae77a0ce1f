"""me, surveys, surveys/{id}: what a token is, and which surveys it reaches."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django.core.signing import BadSignature, Signer

from surveys.models import Survey
from surveys.programs.routing.problems import bad_parameter, not_here, not_possible_here
from surveys.programs.routing.routes import Call
from surveys.programs.tokens import scopes as scoped
from surveys.programs.tokens.queries import reached
from surveys.programs.tokens.scopes import Scope
from surveys.staff.access import role_of, with_response_counts

AT_ONCE, MOST_AT_ONCE = 50, 100
CURSOR = "[0-9a-f-]{36}:[A-Za-z0-9_-]{43}"


@dataclass(frozen=True)
class TokenFacts:
    """Whose token this is, what it reaches and may do, and its last day."""

    account: str
    survey: UUID | None
    scopes: tuple[Scope, ...]
    last_day: date


@dataclass(frozen=True)
class SurveyFacts:
    """A survey as the list of surveys shows it; responses are those that were opened."""

    id: UUID
    title: str
    state: str
    role: str | None
    languages: tuple[str, ...]
    close_on: date | None
    delete_on: date | None
    responses: int


@dataclass(frozen=True)
class SurveyPage:
    """Some of the surveys; next is the cursor of those that follow, null at the end."""

    surveys: tuple[SurveyFacts, ...]
    next: str | None


def me(call: Call) -> TokenFacts:
    """The token that was sent."""
    token = call.token
    granted = scoped.read(token.scopes)
    scopes = tuple(scope for scope in Scope if scope in granted)
    return TokenFacts(call.person.get_username(), token.survey_id, scopes, token.last_day)


def surveys(call: Call) -> SurveyPage:
    """The surveys that the token reaches, in the order of their random keys."""
    limit, after = _limit(call), _after(call)
    listed = with_response_counts(reached(call.token)).order_by("pk")
    rows = list((listed.filter(pk__gt=after) if after else listed)[: limit + 1])
    shown = rows[:limit]
    following = _signer(call).sign(str(shown[-1].pk)) if len(rows) > limit else None
    return SurveyPage(tuple(_facts(call, survey) for survey in shown), following)


def survey(call: Call, survey_id: UUID) -> SurveyFacts:
    """One of them."""
    row = with_response_counts(reached(call.token)).filter(pk=survey_id).first()
    if row is None:
        raise not_here()
    return _facts(call, row)


def _facts(call: Call, row: Any) -> SurveyFacts:
    survey: Survey = row
    role = role_of(call.person, survey)
    return SurveyFacts(
        survey.pk,
        survey.title,
        survey.state,
        str(role) if role else None,
        survey.languages,
        survey.close_on,
        survey.delete_on,
        row.response_count,
    )


def _limit(call: Call) -> int:
    text = call.query.get("limit", str(AT_ONCE))
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MOST_AT_ONCE):
        raise bad_parameter("limit", f"Write a whole number from 1 to {MOST_AT_ONCE}.")
    return int(text)


def _after(call: Call) -> UUID | None:
    cursor = call.query.get("cursor")
    if cursor is None:
        return None
    if not re.fullmatch(CURSOR, cursor):
        raise bad_parameter("cursor", "This is no cursor; begin without one.")
    try:
        return UUID(_signer(call).unsign(cursor))
    except (BadSignature, ValueError):
        remedy = "Begin without a cursor."
        raise not_possible_here("This is no cursor of this list", remedy) from None


def _signer(call: Call) -> Signer:
    """A cursor is of one token's list: another list may have another order."""
    return Signer(salt=f"surveys.programs.surveys.{call.token.pk}")
