"""``manage.py ledger``: print the ledgers of surveys or of a file: promised, spent, left."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from analytics import services
from analytics.privacy.accounting import Cost
from analytics.privacy.errors import BudgetError
from analytics.queries import Account, LedgerLine, account_of, launched_surveys
from analytics.tasks import make_later
from surveys.models import Survey


class Command(BaseCommand):
    help = (
        "Print the privacy ledger of each survey: what was promised, spent and set aside, what "
        "is left, and what a next report costs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--survey", metavar="KEY", help="Print only the account of the survey with this key."
        )
        parser.add_argument("--json", action="store_true", help="Print the accounts as JSON.")
        parser.add_argument(
            "--share",
            metavar="PART",
            default="1/4",
            help="The part of the whole budget that a next report may cost. Default: 1/4.",
        )
        parser.add_argument(
            "--requeue-lost",
            action="store_true",
            help="First queue reports again if the worker that made them ended. No report is "
            "charged twice.",
        )

    def handle(
        self, *, survey: str | None, json: bool, share: str, requeue_lost: bool, **options: Any
    ) -> None:
        """Print every account. Raises CommandError that says what to do next."""
        part = _part(share)
        if requeue_lost:
            again = services.requeue_lost(later=make_later)
            self.stderr.write(f"{len(again):,} reports were queued again.")
        accounts = list(_accounts(survey))
        if json:
            self.stdout.write(as_json(accounts, part))
            return
        for charged, account in accounts:
            self.stdout.write("\n".join(printable(line) for line in lines(charged, account, part)))
        if not accounts:
            self.stdout.write("No launched survey promised a budget.")


def lines(survey: Survey, account: Account, share: Fraction) -> Iterator[str]:
    """One account in words."""
    budget = account.budget
    yield f"{survey.pk}  {survey}"
    yield f"  promised   epsilon {budget.epsilon:g}, delta {budget.delta:g}, {budget.adjacency}"
    yield f"  limit      {budget.limit}"
    yield f"  spent      {_told(account, account.spent)}"
    for line in account.lines:
        yield f"    {_bought(line)}"
    yield f"  set aside  {_told(account, account.reserved)}"
    if not account.taken <= budget.limit:
        yield "  OVERSPENT  rows were added that no report paid for: run manage.py doctor"
        return
    yield f"  left       {_told(account, account.left)}"
    price = account.price(share)
    fits = "can be paid" if account.can_pay(share) else "cannot be paid"
    yield f"  next       a report of {share} of the budget costs {price} and {fits}"


def as_json(accounts: list[tuple[Survey, Account]], share: Fraction) -> str:
    """All accounts, with amounts as decimals in texts."""
    return json.dumps([_data(survey, account, share) for survey, account in accounts], indent=1)


def printable(line: str) -> str:
    """One line, for every character that a survey's title can hold."""
    return "".join(letter if letter.isprintable() else "�" for letter in line)


def _data(survey: Survey, account: Account, share: Fraction) -> dict[str, Any]:
    budget, is_sound = account.budget, account.taken <= account.budget.limit
    return {
        "survey": str(survey.pk),
        "title": survey.title,
        "promised": {
            "epsilon": budget.epsilon,
            "delta": budget.delta,
            "adjacency": budget.adjacency,
        },
        "limit": _amounts(account, budget.limit),
        "spent": _amounts(account, account.spent),
        "reserved": _amounts(account, account.reserved),
        "left": _amounts(account, account.left) if is_sound else None,
        "lines": [_entry(account, line) for line in account.lines],
        "next": {
            "share": str(share),
            **_amounts(account, account.price(share)),
            "can_be_paid": is_sound and account.can_pay(share),
        },
    }


def _entry(account: Account, line: LedgerLine) -> dict[str, Any]:
    return {
        "report": str(line.report),
        "kind": line.kind,
        "question": str(line.question),
        "at": line.at.isoformat(timespec="seconds"),
        "actor": line.actor,
        **_amounts(account, line.cost),
        "spent": _amounts(account, line.spent),
    }


def _amounts(account: Account, cost: Cost) -> dict[str, Any]:
    return {
        "mu_squared": f"{cost.mu_squared:f}",
        "threshold_delta": f"{cost.threshold_delta:f}",
        "epsilon": _epsilon(account, cost),
    }


def _told(account: Account, cost: Cost) -> str:
    epsilon = _epsilon(account, cost)
    return f"{cost}" + ("" if epsilon is None else f" (epsilon {epsilon:.4g})")


def _bought(line: LedgerLine) -> str:
    actor = "Deniable" if line.actor is None else f"account {line.actor}"
    return f"{line.at:%Y-%m-%d %H:%M}  {line.kind} {line.report} by {actor}: {line.cost}"


def _epsilon(account: Account, cost: Cost) -> float | None:
    """None where an overspent delta leaves no epsilon."""
    try:
        return account.epsilon(cost)
    except BudgetError:
        return None


def _accounts(key: str | None) -> Iterator[tuple[Survey, Account]]:
    for survey in _surveys(key):
        if account := account_of(survey):
            yield survey, account


def _surveys(key: str | None) -> list[Survey]:
    launched = launched_surveys()
    if key is None:
        return list(launched)
    try:
        return [launched.get(pk=UUID(key))]
    except (ValueError, Survey.DoesNotExist):
        remedy = (
            "Run manage.py ledger without --survey to see the keys of all surveys with a ledger."
        )
        raise CommandError(f"{key!r} is not the key of a launched survey. {remedy}") from None


def _part(text: str) -> Fraction:
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise CommandError(
            f"--share: {text!r} is not a part. Write a part such as 1/4 or 0.25."
        ) from None
    if not 0 < share <= 1:
        raise CommandError(f"--share: {text!r} cannot be used. Write a part above 0 and at most 1.")
    return share
