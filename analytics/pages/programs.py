"""ledger, for programs: what was promised, spent and left, in the words of the ledger's page."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from analytics.pages.ledger_rows import ledger_words, line_rows, why_no_private
from analytics.queries import account_of, question_texts
from surveys.programs.registry import ONE
from surveys.programs.routing.routes import Call, Route
from surveys.programs.tokens.scopes import Scope


@dataclass(frozen=True)
class LedgerAmount:
    """A part of the promise: the epsilon that it is by itself, and its share of mu squared."""

    name: str
    epsilon: str
    share: str


@dataclass(frozen=True)
class LedgerEntry:
    """One expenditure, with the day on which it was charged."""

    day: date
    report: UUID
    title: str
    question: str
    share: str
    epsilon: str
    mu_squared: str
    threshold_delta: str


@dataclass(frozen=True)
class SurveyLedger:
    """The account, newest entry first; without a promise it has no amounts.

    ``no_private`` says why no private report can be asked for; empty if one can.
    """

    epsilon: str | None
    delta: str | None
    adjacency: str | None
    amounts: tuple[LedgerAmount, ...]
    entries: tuple[LedgerEntry, ...]
    no_private: str


def ledger(call: Call, survey_id: UUID) -> SurveyLedger:
    """The ledger of a survey, decimals with every digit, as its page has them."""
    survey = call.survey(survey_id)
    account = account_of(survey)
    if account is None:
        return SurveyLedger(None, None, None, (), (), why_no_private(account))
    words = ledger_words(account)
    rows = line_rows(account, account.lines[::-1], question_texts(survey), {})
    return SurveyLedger(
        words.epsilon,
        words.delta,
        words.adjacency,
        tuple(LedgerAmount(row.name, row.epsilon, row.share) for row in words.amounts),
        tuple(
            LedgerEntry(
                row.at.date(),
                row.report,
                row.title,
                row.question,
                row.share,
                row.epsilon,
                row.mu_squared,
                row.threshold_delta,
            )
            for row in rows
        ),
        why_no_private(account),
    )


LEDGER = Route(
    "GET",
    f"{ONE}/ledger",
    "ledger",
    Scope.READ,
    "What was promised, spent and left of the privacy budget.",
    ledger,
    SurveyLedger,
)
