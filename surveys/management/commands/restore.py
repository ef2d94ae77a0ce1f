"""``manage.py restore``: put a backup in place of the database; what it cannot bring back."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import Error
from django.utils import timezone

from surveys.collecting.keys import key_directory
from surveys.models import PrivacyBudget, Survey
from surveys.operations import backups
from surveys.operations.checks import spools
from surveys.operations.queries import due_to_close, due_to_erase


class Command(BaseCommand):
    help = "Restore a backup into an empty database. Stop the service and the worker before."
    # The database may have no tables yet.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="What manage.py backup wrote.")
        parser.add_argument(
            "--replace", action="store_true", help="Replace a database that is not empty, whole."
        )

        parser.add_argument(
            "--hold-drawn",
            action="store_true",
            help="Although released tables were drawn since: their surveys never draw again.",
        )

    def handle(self, *, file: Path, replace: bool, hold_drawn: bool, **options: Any) -> None:
        """Raises CommandError that says why not."""
        try:
            restored = backups.restore(file, replace=replace, hold_drawn=hold_drawn)
        except backups.Unusable as problem:
            raise CommandError(f"{file} was not restored. {problem}") from problem
        except OSError as problem:
            raise CommandError(
                f"{file} was not restored: {problem.strerror or problem}."
            ) from problem
        except Error as problem:
            raise CommandError(
                f"{file} was not restored: {problem}. See manage.py doctor."
            ) from problem
        self.stdout.write(f"Restored, as of {restored.manifest.made_at}: {restored.manifest}.")
        for line in next_steps(restored):
            self.stdout.write(line)


def next_steps(restored: backups.Restored) -> list[str]:
    """What is left to do, in order."""
    if restored.to_migrate:
        names = ", ".join(restored.to_migrate)
        return [
            f"It is of an older version. Run manage.py migrate ({names}), then manage.py opening "
            f"--hold {restored.manifest.made_at}, then doctor."
        ]
    today = timezone.now().date()
    due = [*due_to_close(today), *due_to_erase(today)]
    steps = [
        f"{state.loss_in_words}, because their batch's key is gone. Put the key's file back if "
        f"you have it, or run manage.py spool --write-off {state.survey.pk}. Else they are set "
        "aside with the next answer."
        for state in spools.states()
        if state.lost
    ]
    if key_directory.is_another():
        steps.append(
            f"{key_directory.directory()} is not the directory of keys of that database. Copy that "
            "one here; if it is lost, run manage.py spool --new-directory. No answer is taken "
            "before to a survey in which some wait."
        )
    steps += [
        f'Openings of "{survey}" are held: one may have been drawn since. Find out whether its '
        f"tables are known to anybody, then see manage.py opening --confirm-draw {survey.pk}"
        for survey in restored.held_surveys
    ]
    if due:
        names = ", ".join(f'"{survey}"' for survey in due)
        steps.append(f"Past their dates: {names}. Run manage.py retention now.")
    steps.extend(forgotten_by_ledgers(restored.manifest.made_at))
    return [*steps, "Run manage.py doctor, then start the service and the worker."]


def forgotten_by_ledgers(made_at: str) -> list[str]:
    """What an old ledger would allow to be spent a second time; it is recorded nowhere else."""
    promised = PrivacyBudget.objects.exclude(survey__state=Survey.State.DRAFT)
    titles = [f'"{budget.survey}"' for budget in promised.select_related("survey")]
    if not titles:
        return []
    return [
        f"Ledgers are as of {made_at} and forget what reports released since then. Make no more "
        f"private reports of a survey that had some since: {', '.join(titles)} promised a budget."
    ]
