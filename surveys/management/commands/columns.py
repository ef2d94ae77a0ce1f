"""``manage.py columns``: the package's command."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.randomized_response.files import columns_command
from surveys.randomized_response.files.options import UsageError


class Command(BaseCommand):
    help = f"{columns_command.HELP} See docs/analysing.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        columns_command.add_options(parser)

    def handle(self, **options: Any) -> str:
        """Print what was written. Raises CommandError with one line that names the remedy."""
        try:
            return columns_command.run(options)
        except UsageError as refusal:
            raise CommandError(str(refusal)) from None
