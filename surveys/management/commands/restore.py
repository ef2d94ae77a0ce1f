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
    help = "Restore a backup into an empty database. First stop the service and the worker."
    # The database may have no tables yet.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="A file that manage.py backup wrote.")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="Replace the whole database, although it is not empty.",
        )

        parser.add_argument(
            "--hold-drawn",
            action="store_true",
            help="Restore although tables were drawn after the backup. Their surveys then never "
            "draw tables again.",
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
                f"{file} was not restored: {problem}. Run manage.py doctor."
            ) from problem
        self.stdout.write(
            f"Restored the state of {restored.manifest.made_at}: {restored.manifest}."
        )
        for line in next_steps(restored):
            self.stdout.write(line)


def next_steps(restored: backups.Restored) -> list[str]:
    """What is left to do, in order."""
    if restored.to_migrate:
        names = ", ".join(restored.to_migrate)
        return [
            f"The backup is of an older version of Deniable. Run manage.py migrate ({names}), "
            f"then manage.py opening --hold {restored.manifest.made_at}, then manage.py doctor."
        ]
    today = timezone.now().date()
    due = [*due_to_close(today), *due_to_erase(today)]
    steps = [
        f"{state.loss_in_words}, because the key of their batch is gone. Put the key's file back "
        "if you have it, or give these answers up with manage.py spool --write-off "
        f"{state.survey.pk}. Otherwise they are set aside when the next answer comes."
        for state in spools.states()
        if state.lost
    ]
    if key_directory.is_another():
        steps.append(
            f"{key_directory.directory()} is not the directory of keys of the restored database. "
            "Copy the right directory here. If the right directory is lost, run manage.py spool "
            "--new-directory. Until then, surveys with waiting answers accept no answer."
        )
    steps += [
        f'Openings of "{survey}" are held: an opening may have been drawn after this backup. Find '
        "out whether any person has the tables of that opening, then run manage.py opening "
        f"--confirm-draw {survey.pk}, which explains the choice"
        for survey in restored.held_surveys
    ]
    if due:
        names = ", ".join(f'"{survey}"' for survey in due)
        steps.append(
            f"These surveys are past their closing or deletion date: {names}. Run manage.py "
            "retention now."
        )
    steps.extend(forgotten_by_ledgers(restored.manifest.made_at))
    return [*steps, "Run manage.py doctor, then start the service and the worker."]


def forgotten_by_ledgers(made_at: str) -> list[str]:
    """What an old ledger would allow to be spent a second time; it is recorded nowhere else."""
    promised = PrivacyBudget.objects.exclude(survey__state=Survey.State.DRAFT)
    titles = [f'"{budget.survey}"' for budget in promised.select_related("survey")]
    if not titles:
        return []
    return [
        f"The privacy ledgers are as of {made_at}. They do not contain what reports released "
        "after that time. If a survey had private reports after that time, make no more private "
        f"reports of that survey. These surveys promised a budget: {', '.join(titles)}."
    ]
