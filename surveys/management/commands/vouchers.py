"""``manage.py vouchers``: look after the keys that sign vouchers: put one back, copy one."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.management.commands.opening import survey_named
from surveys.models.refusals import NotPossible
from surveys.operations import signing_keys


class Command(BaseCommand):
    help = (
        "Put back or copy the key that signs a survey's vouchers. manage.py doctor says if such "
        "a key is missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        action = parser.add_mutually_exclusive_group(required=True)
        action.add_argument(
            "--recover", metavar="SURVEY", help="Put the survey's lost key back; needs --key."
        )
        action.add_argument(
            "--copy-key",
            metavar="SURVEY",
            help="Seal a copy of the survey's key for the recovery key.",
        )
        parser.add_argument(
            "--key", metavar="FILE", help="For --recover: the file of the recovery key."
        )

    def handle(self, *, recover: str, copy_key: str, key: str | None, **options: Any) -> None:
        """Recover or copy. Raises CommandError that says what to do next."""
        try:
            if recover:
                signing_keys.recover(survey_named(recover), Path(key or ""))
                self.stdout.write("The key is in its file again. Codes are exchanged again.")
            else:
                signing_keys.copy_key(survey_named(copy_key))
                self.stdout.write(
                    "A copy of the key, sealed for the recovery key, is now in the database."
                )
        except (NotPossible, OSError) as problem:
            raise CommandError(str(problem)) from problem
