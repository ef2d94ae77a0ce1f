"""``manage.py retention``: close surveys after their last day, erase answers on their date."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from surveys.operations import retention
from surveys.operations.queries import Due
from surveys.operations.retention import ClockDoubted, Kept

# Before and after.
VERBS = {"close": ("Close", "Closed"), "erase": ("Erase", "Erased")}
DELETE = ("delete", "deleted")
STORE = ("store", "stored")
REASONS = {"close": "last day", "erase": "delete by"}


class Command(BaseCommand):
    help = "Close surveys after their last day and erase answers on the day that was promised."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="List what would be closed and erased, and change nothing.",
        )
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")
        parser.add_argument(
            "--yes", action="store_true", help="Trust the clock, even if it looks wrong."
        )

    def handle(self, **options: Any) -> None:
        """Do it, or list it. Raises CommandError if something could not be done."""
        dry = options["dry_run"]
        try:
            kept = _keep(timezone.now(), dry=dry, trust_clock=options["yes"])
        except ClockDoubted as doubt:
            raise CommandError(str(doubt)) from doubt
        words = json.dumps(_as_data(kept, dry=dry), indent=1) if options["json"] else None
        self.stdout.write(words or "\n".join(_lines(kept, dry=dry)))
        if kept.problems:
            raise CommandError("\n".join(kept.problems))


def _keep(now: datetime, *, dry: bool, trust_clock: bool) -> Kept:
    if dry:
        return retention.foresee(now=now)
    return retention.keep_dates(now=now, trust_clock=trust_clock)


def _as_data(kept: Kept, *, dry: bool) -> dict[str, Any]:
    surveys = [
        {**asdict(due), "survey": str(due.survey), "on": due.on.isoformat()} for due in kept.done
    ]
    return {
        "dry_run": dry,
        "now": kept.now.isoformat(),
        "surveys": surveys,
        "opened": [str(survey.pk) for survey in kept.opened],
        "expired_logins": kept.logins,
        "finished_mail_runs": kept.runs,
        "delete_backups_made_before": kept.now.isoformat() if _erases(kept) else None,
        "problems": kept.problems,
    }


def _lines(kept: Kept, *, dry: bool) -> Iterator[str]:
    if not kept.done and not kept.opened:
        yield "No survey is due."
    for survey in kept.opened:
        yield f"Opened {_quoted(survey.title)} {survey.pk}"
    for due in kept.done:
        verb, reason = VERBS[due.action][not dry], REASONS[due.action]
        yield f"{verb} {_quoted(due.title)} {due.survey} ({reason} {due.on})"
        yield from _rows(due, dry=dry)
    if kept.logins:
        yield f"{DELETE[not dry].capitalize()} {kept.logins} expired logins"
    if kept.runs:
        yield f"{DELETE[not dry].capitalize()} {kept.runs} notes on finished tasks"
    if _erases(kept):
        yield (
            f"Backups and WAL archives from before {kept.now:%Y-%m-%d %H:%M} UTC still contain "
            f"what {'would be' if dry else 'was'} erased. Delete these backups and archives."
        )


def _rows(due: Due, *, dry: bool) -> Iterator[str]:
    if due.action == "close":
        yield f"  {STORE[not dry]} the waiting answers"
    counts = [f"{count} {name}" for name, count in due.rows.items() if count]
    yield f"  {DELETE[not dry]} {', '.join(counts) or 'nothing'}"


def _erases(kept: Kept) -> bool:
    return any(due.action == "erase" for due in kept.done)


def _quoted(title: str) -> str:
    """In quotes, with characters that would steer a terminal written out."""
    return json.dumps(title, ensure_ascii=False)
