"""``manage.py vouchers``: put a lost key that signs vouchers back from its copy."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.management.commands.opening import survey_named
from surveys.models.refusals import NotPossible
from surveys.operations import signing_keys


class Command(BaseCommand):
    help = "Put the key that signs a survey's vouchers back; manage.py doctor says if one is lost."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--recover", metavar="SURVEY", required=True, help="Whose key is to be put back."
        )
        parser.add_argument(
            "--key", metavar="FILE", required=True, help="The recovery key, which is kept offline."
        )

    def handle(self, *, recover: str, key: str, **options: Any) -> None:
        """Recover. Raises CommandError that says what to do next."""
        try:
            signing_keys.recover(survey_named(recover), Path(key))
        except (NotPossible, OSError) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write("The key is where it was: codes are exchanged again.")
