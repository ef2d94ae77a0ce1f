"""``manage.py estimate``: the package's command."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.randomized_response.files import estimate_command
from surveys.randomized_response.files.options import UsageError


class Command(BaseCommand):
    help = f"{estimate_command.HELP} See docs/python.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        estimate_command.add_options(parser)

    def handle(self, **options: Any) -> str:
        """Print the answer. Raises CommandError with one line that names place and remedy."""
        try:
            return estimate_command.run(options)
        except UsageError as refusal:
            raise CommandError(str(refusal)) from None
