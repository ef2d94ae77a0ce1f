"""``manage.py backup``: write a backup of the database to one file, while the service runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import Error

from surveys.operations import backups


class Command(BaseCommand):
    help = (
        "Write a backup of the database. The backup never contains the keys of batches or the "
        "secret key."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "destination",
            metavar="place",
            type=Path,
            help="A new file that ends in .zip, or a directory for a new file that is named by "
            "the time.",
        )

    def handle(self, *, destination: Path, **options: Any) -> None:
        """Raises CommandError; then no file was written."""
        try:
            path, manifest = backups.back_up(destination)
        except backups.Unusable as problem:
            raise CommandError(f"No backup was made. {problem}") from problem
        except OSError as problem:
            raise CommandError(
                f"No backup was made: {problem.strerror or problem}. Choose a place that can be "
                "written and has room."
            ) from problem
        except Error as problem:
            raise CommandError(f"No backup was made: {problem}. Run manage.py doctor.") from problem
        self.stdout.write(f"{path}: {manifest}.")
        self.stdout.write(
            f"Not in the backup: {', '.join(manifest.left_out)}. Answers that wait now can be "
            "read from the backup only until their batch is stored. The backup contains "
            "everything else. Keep the backup as safe as the database, and delete it by the day "
            "on which its answers are to be deleted."
        )
