"""``manage.py recount``: count a survey's answers anew, if doctor says that counts are wrong."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from surveys.models import Survey
from surveys.models.refusals import NotPossible
from surveys.operations.recounting import recount


class Command(BaseCommand):
    help = "Count a survey's stored answers again. Answers that come during the count wait."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("survey", type=UUID, help="The survey's key, as in its addresses.")

    def handle(self, *, survey: UUID, **options: Any) -> None:
        """Count. Raises CommandError if there is no such survey, or nothing to count."""
        survey_row = Survey.objects.filter(pk=survey).first()
        if survey_row is None:
            raise CommandError(
                f"There is no survey with the key {survey}. Copy the key from the survey's address."
            )
        try:
            total = recount(survey_row)
        except NotPossible as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f'"{survey_row}" was counted again: its pages show {total:,} responses.')
