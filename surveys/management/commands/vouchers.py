"""``manage.py vouchers``: look after the keys that sign vouchers: put one back, copy one."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.management.commands.opening import survey_named
from surveys.models.refusals import NotPossible
from surveys.operations import signing_keys


class Command(BaseCommand):
    help = "Look after the key that signs a survey's vouchers; manage.py doctor misses a lost one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        action = parser.add_mutually_exclusive_group(required=True)
        action.add_argument("--recover", metavar="SURVEY", help="Put its lost key back.")
        action.add_argument(
            "--copy-key", metavar="SURVEY", help="Seal its key for the recovery key."
        )
        parser.add_argument("--key", metavar="FILE", help="The recovery key, for --recover.")

    def handle(self, *, recover: str, copy_key: str, key: str | None, **options: Any) -> None:
        """Recover or copy. Raises CommandError that says what to do next."""
        try:
            if recover:
                signing_keys.recover(survey_named(recover), Path(key or ""))
                self.stdout.write("The key is where it was: codes are exchanged again.")
            else:
                signing_keys.copy_key(survey_named(copy_key))
                self.stdout.write("A copy of the key is in the database, for the recovery key.")
        except (NotPossible, OSError) as problem:
            raise CommandError(str(problem)) from problem
